"""Bench `extraction`: what the embedded editor keeps of labelled texts, against the memories that people found in them.

The folder holds `<name>.jsonl` (texts, `{"id","text"}`), optionally `<name>.<language>.jsonl` (the same texts
translated) and `<name>.labels.jsonl` (`{"id","memories":[{"type","content"}]}`, in the language of `<name>.jsonl`).
A label belongs to the sentence of its text that shares most words with it, and in part to every sentence that shares
a third of them; in a translation to the sentences at the same places. Kept is a sentence that the editor states as
something said (its reasons and circumstances are neither right nor wrong). No model, no network: the same texts give the
same figures.

The texts are split in two by a hash of their id, for good: errors are looked at in the half `seen`, and the half `held_out` says
what a change is worth elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kura_pipeline.bench.verbatim import count, unsaid
from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.extract.terms import terms
from kura_pipeline.distil.extract.writing import roles
from kura_pipeline.distil.extractive import ExtractiveEditor
from kura_runtime.domain.candidate import CandidateVerdict
from kura_runtime.domain.evidence import Batch, Event, EvidenceClass, Quote
from kura_runtime.errors import BadInput
from kura_runtime.text.normalise import fold, sentences


@dataclass(slots=True)
class _Sums:
    texts: int = 0
    labels: int = 0
    found: int = 0
    kept: int = 0
    right: int = 0
    partly: int = 0
    written: int = 0
    unsaid: int = 0
    by_type: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


def run(folder: Path) -> dict[str, Any]:
    """`{"bench","figures","table","machine"}`; figures per language and over all, the shares from 0 to 1: texts, labels,
    kept (statements), precision (kept statements that hold a label or a part of one), precision_strict (only the one
    sentence of each label counts) and recall (labels whose sentence was kept), also by type of label; the same for each half.
    `texts_written` are the titles, triggers and bodies that the editor writes, `texts_invented` those in which anything
    stands that is neither verbatim from the evidence nor one of the fixed phrases.

    Raises BadInput where the folder has no labelled texts or a line of them cannot be read.
    """
    labelled = sorted(Path(folder).glob("*.labels.jsonl"))
    if not labelled:
        raise BadInput("dir", f"{folder} holds no *.labels.jsonl with the texts beside it")
    sums: dict[str, _Sums] = {}
    halves: dict[str, _Sums] = {}
    table: list[dict[str, Any]] = []
    for path in labelled:
        name = path.name.removesuffix(".labels.jsonl")
        labels = {row["id"]: row["memories"] for row in _rows(path)}
        originals = {row["id"]: row["text"] for row in _rows(path.with_name(f"{name}.jsonl"))}
        for texts in sorted(path.parent.glob(f"{name}*.jsonl")):
            if texts == path:
                continue
            language = texts.name.removesuffix(".jsonl").removeprefix(name).strip(".") or "en"
            for row in _rows(texts):
                wanted = labels.get(row["id"], [])
                here = [sums.setdefault(language, _Sums())]
                here.append(halves.setdefault(f"{language}_{half(row['id'])}", _Sums()))
                table.append(_one(row, originals.get(row["id"], ""), wanted, language, here))
    figures: dict[str, float] = {}
    for language, one in sorted(sums.items()):
        figures |= {f"{language}_{key}": value for key, value in _figures(one).items()}
    for name, one in sorted(halves.items()):
        figures |= {
            f"{name}_{key}": _figures(one)[key] for key in ("precision", "precision_strict", "recall")
        }
    figures |= _figures(_total(sums.values()))
    return {
        "bench": "extraction",
        "figures": figures,
        "table": table,
        "machine": {"python": platform.python_version()},
    }


def half(text_id: str) -> str:
    """`seen` or `held_out`."""
    return "held_out" if hashlib.sha256(text_id.encode()).digest()[-1] % 2 else "seen"


def _one(
    row: dict[str, Any], original: str, wanted: Sequence[dict[str, str]], language: str, into: Sequence[_Sums]
) -> dict[str, Any]:
    lines, originals = sentences(row["text"]), sentences(original)
    places = [_place(label["content"], originals, len(lines)) for label in wanted]
    kept, written, unsaid = _kept(row["text"], lines)
    parts = {i for label in wanted for i in _parts(label["content"], originals, len(lines))}
    for sums in into:
        sums.texts += 1
        sums.labels += len(wanted)
        sums.kept += len(kept)
        sums.right += len(kept & set(places))
        sums.partly += len(kept & parts)
        sums.written += written
        sums.unsaid += unsaid
        for label, place in zip(wanted, places, strict=True):
            sums.found += place in kept
            sums.by_type[label["type"]]["labels"] += 1
            sums.by_type[label["type"]]["found"] += place in kept
    return {"id": row["id"], "language": language, "labels": sorted(set(places)), "kept": sorted(kept)}


def _place(label: str, originals: Sequence[str], n: int) -> int:
    """Which sentence the label is about; in a translation with another number of sentences the nearest place."""
    own = terms(label)
    best = max(
        range(len(originals)), key=lambda i: (len(own.keys() & terms(originals[i]).keys()), -i), default=0
    )
    return _same_place(best, len(originals), n)


def _parts(label: str, originals: Sequence[str], n: int) -> set[int]:
    own = terms(label)
    enough = max(2.0, len(own) / 3)
    parts = {i for i, line in enumerate(originals) if len(own.keys() & terms(line).keys()) >= enough}
    return {_same_place(i, len(originals), n) for i in parts} | {_place(label, originals, n)}


def _same_place(i: int, of: int, n: int) -> int:
    return i if of == n else min(n - 1, round(i * n / max(1, of)))


def _kept(text: str, lines: Sequence[str]) -> tuple[set[int], int, int]:
    """The sentences that the editor states as said; how many texts it writes about them, and how many of those hold
    anything that nobody said."""
    event = Event(
        "bench#0",
        0,
        EvidenceClass.USER,
        text,
        "2026-01-01T00:00:00+00:00",
        "bench",
        "bench.txt",
        0,
        len(text.encode()),
    )
    batch = Batch("20260101T000000-00000000", "bench", (event,))
    found: set[int] = set()
    written = invented = 0
    editor = ExtractiveEditor()
    for candidate in editor.spot(batch, Brief("bench")).candidates:
        quotes = tuple(
            Quote(q.cls, q.text, "bench#0", "bench", "bench.txt", 0, 1, None) for q in candidate.quotes
        )
        verdict = CandidateVerdict(candidate, "keep", "none", quotes)
        said = " ".join(fold(q.text) for q in (*roles(verdict).said, *roles(verdict).earlier))
        found |= {i for i, line in enumerate(lines) if _share(line, said) >= 0.5}
        surface = editor.compose(verdict, Brief("bench")).surface
        if surface is not None:
            written += count(surface)
            invented += len({place for place, _ in unsaid(surface, [q.text for q in quotes])})
    return found, written, invented


def _share(line: str, said: str) -> float:
    own, held = terms(fold(line)), terms(said)
    return sum(t in held for t in own) / len(own) if own else 0.0


def _figures(one: _Sums) -> dict[str, float]:
    figures: dict[str, float] = {
        "texts": one.texts, "labels": one.labels, "kept": one.kept,
        "precision": round(one.partly / one.kept, 3) if one.kept else 0.0,
        "precision_strict": round(one.right / one.kept, 3) if one.kept else 0.0,
        "recall": round(one.found / one.labels, 3) if one.labels else 0.0,
    }  # fmt: skip
    figures |= {"texts_written": one.written, "texts_invented": one.unsaid}
    for kind, counts in sorted(one.by_type.items()):
        figures[f"recall_{kind}"] = round(counts["found"] / counts["labels"], 3)
    return figures


def _total(sums: Any) -> _Sums:
    whole = _Sums()
    for one in sums:
        whole.texts += one.texts
        whole.labels += one.labels
        whole.found += one.found
        whole.kept += one.kept
        whole.right += one.right
        whole.partly += one.partly
        whole.written += one.written
        whole.unsaid += one.unsaid
        for kind, counts in one.by_type.items():
            whole.by_type[kind].update(counts)
    return whole


def _rows(path: Path) -> list[dict[str, Any]]:
    rows = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadInput("dir", f"{path}: {error.strerror}") from error
    for n, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadInput("dir", f"{path} line {n}: not JSON ({error})") from error
        if not isinstance(row, dict) or "id" not in row:
            raise BadInput("dir", f'{path} line {n}: an object with "id" is needed')
        rows.append(row)
    return rows
