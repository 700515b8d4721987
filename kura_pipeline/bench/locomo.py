"""Bench `locomo`: the evidence turns of the LoCoMo conversations (its JSON file is the user's own; it does not ship).

Two questions, both about the turns that a question's evidence names, neither about answers (some of its answers are
known to be wrong, and an answer needs a model):

- kept: does the embedded editor keep these turns, when each session is distilled as two people's talk, with the gate?
- found: does lexical retrieval rank them among the first 5 or 10 turns of the conversation? The recogniser's votes,
  without its honesty gate, beside BM25 on the same texts (its plain form, and with the recogniser's stems).
"""

from __future__ import annotations

import json
import platform
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kura_pipeline.bench.bm25 import Bm25, stems
from kura_pipeline.bench.extraction import half
from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.extract.writing import roles
from kura_pipeline.distil.extractive import ExtractiveEditor
from kura_pipeline.distil.gating import gate_batch
from kura_pipeline.distil.spot import spot_batch
from kura_runtime.domain.evidence import Batch, Event, EvidenceClass
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import BadInput
from kura_runtime.gate.attribution import People
from kura_runtime.gate.echo import Echo
from kura_runtime.recall.corpus import build
from kura_runtime.recall.question import probe
from kura_runtime.recall.recogniser import votes

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
AT = (5, 10)
_ID = re.compile(r"D\d+:\d+")
_BEGUN = datetime(2023, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Said:
    """One turn. `text` is what was said, with the caption of a picture that was shown."""

    id: str
    speaker: str
    text: str
    session: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its category's name, and the ids of the turns that its evidence names."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All turns of all sessions in order, and the questions about them."""

    id: str
    turns: tuple[Said, ...]
    questions: tuple[Question, ...]


def read(path: Path) -> list[Conversation]:
    """The conversations of a LoCoMo file. Raises BadInput where it is none."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return [_conversation(n, one) for n, one in enumerate(raw, 1)]
    except OSError as error:
        raise BadInput("FILE", f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(
            "FILE", f"{path}: not in the form of locomo10.json ({type(error).__name__}: {error})"
        ) from None


def run(conversations: Sequence[Conversation]) -> dict[str, Any]:
    """`{"bench","figures","table","machine"}`. Figures of `kept`: turns, evidence_turns, base_rate (what a blind choice
    would have as its precision), kept, kept_precision, kept_recall, the recall by category, and both for the conversations whose errors were looked at
    (`seen`) and for the others (`held_out`). Of `found`: for `lexical`,
    `bm25` and `bm25_stemmed` recall_at_5 and recall_at_10 (share of a question's evidence turns, mean over questions), also by category.
    Questions without a usable evidence id are counted in `without_evidence`. A row of `table` is a conversation."""
    kept: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    halves: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    ranks: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    sums = dict.fromkeys(("turns", "evidence", "kept", "kept_right", "questions", "without_evidence"), 0)
    table = []
    for one in conversations:
        of_one = kept_turns(one)
        evidence = frozenset().union(*(q.evidence for q in one.questions)) if one.questions else frozenset()
        usable = [q for q in one.questions if q.evidence]
        for name, n in (
            ("turns", len(one.turns)), ("evidence", len(evidence)), ("kept", len(of_one)),
            ("kept_right", len(of_one & evidence)), ("questions", len(usable)),
            ("without_evidence", len(one.questions) - len(usable)),
        ):  # fmt: skip
            sums[name] += n
        for i, n in enumerate((len(of_one), len(evidence), len(of_one & evidence))):
            halves[half(one.id)][i] += n
        for category in CATEGORIES.values():
            named = frozenset().union(*(q.evidence for q in usable if q.category == category))
            kept[category][0] += len(named & of_one)
            kept[category][1] += len(named)
        row = {
            "conversation": one.id, "turns": len(one.turns), "evidence": len(evidence), "kept": len(of_one),
            "kept_right": len(of_one & evidence), "questions": len(usable),
        }  # fmt: skip
        for method, found in retrieval(one, usable).items():
            for question, shares in zip(usable, found, strict=True):
                for at, share in zip(AT, shares, strict=True):
                    ranks[f"{method}_recall_at_{at}"][question.category].append(share)
            row[f"{method}_recall_at_10"] = _mean([shares[AT.index(10)] for shares in found])
        table.append(row)
    return {
        "bench": "locomo",
        "figures": _figures(sums, kept, ranks) | _of_halves(halves),
        "table": table,
        "machine": {"python": platform.python_version()},
    }


# -- kept --------------------------------------------------------------------------------------------------------------


def kept_turns(one: Conversation) -> frozenset[str]:
    """The turns of which the embedded editor keeps a sentence as said, each session a batch, through the gate."""
    found: set[str] = set()
    editor, brief = ExtractiveEditor(), Brief("bench")
    for session in sorted({t.session for t in one.turns}):
        batch = _batch(session, [t for t in one.turns if t.session == session])
        spotted = spot_batch(batch, editor, brief)
        for item in gate_batch(batch, spotted.proposals, Echo(), People(())).kept:
            stated = roles(item.verdict)
            found |= {q.event_id for q in (*stated.said, *stated.earlier)}
    return frozenset(found)


def _batch(session: int, turns: Sequence[Said]) -> Batch:
    events = tuple(
        Event(t.id, n, EvidenceClass.USER, t.text, f"{_BEGUN + timedelta(days=session, minutes=n):%Y-%m-%dT%H:%M:%S+00:00}",
              f"session-{session}", "locomo", n, n + 1)
        for n, t in enumerate(turns)
    )  # fmt: skip
    return Batch(f"20230101T000000-{session:08x}", "bench", events)


# -- found -------------------------------------------------------------------------------------------------------------


def retrieval(one: Conversation, questions: Sequence[Question]) -> dict[str, list[tuple[float, ...]]]:
    """Method → for each question the share of its evidence turns among the first 5 and the first 10."""
    texts = [f"{t.speaker}: {t.text}" for t in one.turns]
    ids = [t.id for t in one.turns]
    corpus = build(
        [
            Memory(f"t{n:06d}", "", text[:200], summary=text if len(text) > 200 else "")
            for n, text in enumerate(texts)
        ]
    )
    rows = [int(slug[1:]) for slug in corpus.slugs]
    plain, stemmed = Bm25(texts), Bm25(texts, stems)
    found: dict[str, list[tuple[float, ...]]] = {"lexical": [], "bm25": [], "bm25_stemmed": []}
    for question in questions:
        lexical = np.zeros(len(texts))
        lexical[rows] = votes(corpus, probe(question.text))
        for method, scores in (
            ("lexical", lexical),
            ("bm25", plain.scores(question.text)),
            ("bm25_stemmed", stemmed.scores(question.text)),
        ):
            first = [ids[i] for i in _best(scores, max(AT))]
            found[method].append(
                tuple(len(question.evidence & set(first[:at])) / len(question.evidence) for at in AT)
            )
    return found


def _best(scores: NDArray[np.float64], k: int) -> list[int]:
    """The rows of the k highest scores above 0; ties go to the earlier turn."""
    order = np.lexsort((np.arange(len(scores)), -scores))[:k]
    return [int(i) for i in order if scores[i] > 0.0]


# -- reading and adding up ---------------------------------------------------------------------------------------------


def _conversation(number: int, raw: Mapping[str, Any]) -> Conversation:
    talk = raw["conversation"]
    turns: list[Said] = []
    for key in sorted((k for k in talk if re.fullmatch(r"session_\d+", k)), key=lambda k: int(k[8:])):
        for turn in talk[key]:
            caption = f" [picture: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns.append(Said(turn["dia_id"], turn["speaker"], turn["text"] + caption, int(key[8:])))
    known = {t.id for t in turns}
    questions = tuple(
        Question(
            q["question"], CATEGORIES[q["category"]], frozenset(_evidence(q.get("evidence", ()))) & known
        )
        for q in raw["qa"]
    )
    return Conversation(str(raw.get("sample_id", number)), tuple(turns), questions)


def _evidence(named: Iterable[Any]) -> Iterable[str]:
    """The file writes some lists of ids as one string."""
    for entry in named:
        yield from _ID.findall(str(entry))


def _figures(
    sums: Mapping[str, int],
    kept: Mapping[str, Sequence[int]],
    ranks: Mapping[str, Mapping[str, Sequence[float]]],
) -> dict[str, float]:
    figures: dict[str, float] = {
        "turns": sums["turns"],
        "evidence_turns": sums["evidence"],
        "base_rate": _share(sums["evidence"], sums["turns"]),
        "kept": sums["kept"],
        "kept_precision": _share(sums["kept_right"], sums["kept"]),
        "kept_recall": _share(sums["kept_right"], sums["evidence"]),
        "questions": sums["questions"],
        "without_evidence": sums["without_evidence"],
    }
    for category, (right, of) in kept.items():
        figures[f"kept_recall_{category}"] = _share(right, of)
    for name, by_category in ranks.items():
        figures[name] = _mean([v for values in by_category.values() for v in values])
        for category in CATEGORIES.values():
            if by_category.get(category):
                figures[f"{name}_{category}"] = _mean(by_category[category])
    return figures


def _of_halves(halves: Mapping[str, Sequence[int]]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, (kept, evidence, right) in sorted(halves.items()):
        figures |= {
            f"{name}_kept_precision": _share(right, kept),
            f"{name}_kept_recall": _share(right, evidence),
        }
    return figures


def _share(part: int, of: int) -> float:
    return round(part / of, 3) if of else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3) if values else 0.0
