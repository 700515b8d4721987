"""`kura bench fastpath`: what tier 0 recognises, what it refuses, and how long a recall takes when it answers.

Only the recogniser is judged: no model is asked, and the words fallback stays out. A hit is a picked set whose first slug
is an answer; refused is nothing picked; wrong is anything else.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from kura_runtime.errors import BadInput
from kura_runtime.recall.corpus import Corpus
from kura_runtime.recall.recall import Tiers, recall
from kura_runtime.recall.shelf import Readable, Shelf
from kura_runtime.recall.thinker import Thought

ROUNDS = 5  # times each question is asked; the median counts


class Asked(Protocol):
    """A store handle: its store, its tiers."""

    @property
    def files(self) -> Readable: ...

    @property
    def tiers(self) -> Tiers: ...


@dataclass(frozen=True, slots=True)
class Case:
    """One question. `got` is hit, wrong or refused; None where the question came without an answer key."""

    id: str
    kind: str
    question: str
    picked: tuple[str, ...]
    how: str
    verdict: str
    ms: float
    got: str | None


@dataclass(frozen=True, slots=True)
class FastpathBench:
    """All cases. Times are milliseconds of whole recalls in process (picking, links, context): of the direct questions where
    there are any, else of all."""

    cases: tuple[Case, ...]
    p50_ms: float
    p99_ms: float
    memories: int
    rounds: int

    def to_json(self) -> dict[str, Any]:
        """The shape that scripts rely on."""
        kinds: dict[str, dict[str, int | None]] = {}
        for kind in dict.fromkeys(c.kind for c in self.cases):
            mine = [c for c in self.cases if c.kind == kind]
            judged = all(c.got is not None for c in mine)
            kinds[kind] = {
                "n": len(mine),
                "hits": sum(c.got == "hit" for c in mine) if judged else None,
                "wrong": sum(c.got == "wrong" for c in mine) if judged else None,
                "refused": sum(not c.picked for c in mine),
            }
        cases = [{**asdict(c), "picked": list(c.picked)} for c in self.cases]
        return {
            "kinds": kinds, "p50_ms": self.p50_ms, "p99_ms": self.p99_ms, "cases": cases,
            "memories": self.memories, "rounds": self.rounds,
        }  # fmt: skip


class _Silent:
    """Stands where the thinker would: what tier 0 does not know is refused."""

    def think(self, corpus: Corpus, question: str, top: int) -> Thought:  # noqa: ARG002
        """Nothing."""
        return Thought(())


def run(
    store: Readable | Asked,
    questions: Iterable[Mapping[str, Any]],
    *,
    rounds: int = ROUNDS,
    tiers: Tiers | None = None,
) -> FastpathBench:
    """Ask every question of a store (or of a handle, with its configured gate). Question lines are {id, kind, lang, question,
    answer, accept}; all but `question` may be missing. Raises BadInput for a line without a question."""
    files: Any = getattr(store, "files", store)
    set_up = tiers or getattr(store, "tiers", None) or Tiers()
    tier0 = Tiers(True, set_up.gate, set_up.margin, _Silent())
    shelf = Shelf(files)  # its own: a bench notes nothing as served
    size = shelf.corpus()[0].size
    cases = [_case(shelf, tier0, n, line, rounds) for n, line in enumerate(questions, 1)]
    timed = sorted(c.ms for c in cases if c.kind == "direct" and c.picked) or sorted(c.ms for c in cases)
    return FastpathBench(tuple(cases), _quantile(timed, 0.5), _quantile(timed, 0.99), size, rounds)


def _case(shelf: Shelf, tiers: Tiers, number: int, line: Mapping[str, Any], rounds: int) -> Case:
    question = line.get("question")
    if not isinstance(question, str) or not question.strip():
        raise BadInput("question", f"question line {number} has none")
    replies = []
    for _ in range(max(1, rounds)):
        shelf.corpus()[0].answers.clear()  # each round asks for the first time
        replies.append(recall(shelf, question, tiers=tiers))
    reply = replies[-1]
    right = {*line.get("answer", ()), *line.get("accept", ())}
    got = (
        None
        if "answer" not in line
        else "refused"
        if not reply.picked
        else "hit"
        if reply.picked[0] in right
        else "wrong"
    )
    return Case(
        id=str(line.get("id", number)), kind=str(line.get("kind", "")), question=question, picked=reply.picked,
        how=reply.how if reply.picked else "silent", verdict=reply.fastpath_verdict,
        ms=round(statistics.median(r.elapsed_ms for r in replies), 4), got=got,
    )  # fmt: skip


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def read_questions(file: Path) -> list[dict[str, Any]]:
    """The question lines of a JSON Lines file. Raises BadInput with the line that is none."""
    found = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("--questions", f"{file}: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise BadInput("--questions", f"{file} line {number}: not a JSON object")
        found.append(row)
    return found
