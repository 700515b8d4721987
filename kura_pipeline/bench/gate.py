"""`kura bench gate`: a file of cases through the gate as the pipeline uses it, and what came out beside what should have.

Candidate and draft cases go through the candidate gate and the surface floor; intake cases are written as a journal and read
by the adapter of Claude Code's sessions, so that classes and redaction are those of a real run.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kura_pipeline.bench.cases import Case, read_cases
from kura_pipeline.journals.base import Caps
from kura_pipeline.journals.claude import Claude
from kura_runtime.domain.candidate import CandidateVerdict, Refusal
from kura_runtime.domain.evidence import Event
from kura_runtime.gate.attribution import People
from kura_runtime.gate.candidate import judge, new_quotes
from kura_runtime.gate.echo import Echo
from kura_runtime.gate.surface import check
from kura_runtime.text.quotes import BatchIndex


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case run. `ok` is None where the case says nothing of what is right. `why` names each difference, or, where
    there is none, what the gate refused."""

    id: str
    rule: str
    ok: bool | None
    expected: Mapping[str, Any] | None
    got: Mapping[str, Any]
    why: str = ""


@dataclass(frozen=True, slots=True)
class GateBench:
    """All cases of a file, in its order."""

    cases: tuple[CaseResult, ...] = ()

    @property
    def passed(self) -> int:
        return sum(c.ok is True for c in self.cases)

    @property
    def failed(self) -> int:
        return sum(c.ok is False for c in self.cases)

    def by_rule(self) -> dict[str, tuple[int, int, int]]:
        """Rule → (passed, failed, without an expected answer)."""
        counts: dict[str, Counter[bool | None]] = {}
        for case in self.cases:
            counts.setdefault(case.rule or "-", Counter())[case.ok] += 1
        return {rule: (c[True], c[False], c[None]) for rule, c in sorted(counts.items(), key=_rule_order)}

    def to_json(self) -> dict[str, Any]:
        """The document of `kura bench gate --json`."""
        cases = [
            {"id": c.id, "rule": c.rule, "ok": c.ok, "expected": c.expected, "got": c.got, "why": c.why}
            for c in self.cases
        ]
        return {"passed": self.passed, "failed": self.failed, "cases": cases}


@dataclass(slots=True)
class _Outcome:
    got: dict[str, Any]
    refusals: Sequence[Refusal] = ()
    faults: list[str] = field(
        default_factory=list
    )  # of an intake case: what is missing, what should not be there


def run_cases(path: Path) -> GateBench:
    """Run every case of the file. Raises BadInput (exit code 64) that names the line of a case that cannot be read."""
    return GateBench(tuple(run_case(case) for case in read_cases(Path(path))))


def run_case(case: Case) -> CaseResult:
    """Run one case and compare it with what it expects."""
    outcome = _intake(case) if case.stage == "intake" else _gate(case)
    if case.expect is None:
        return CaseResult(case.id, case.rule, None, None, outcome.got, _told(outcome.refusals))
    faults = outcome.faults if case.stage == "intake" else _differences(outcome.got, case.expect)
    why = "; ".join(faults) if faults else _told(outcome.refusals)
    return CaseResult(case.id, case.rule, not faults, dict(case.expect), outcome.got, why)


def _gate(case: Case) -> _Outcome:
    assert case.candidate is not None  # a case without a journal has one
    echo = Echo.of([text for _, text in case.store], frozenset())
    verdict = judge(case.candidate, BatchIndex(case.events), echo, People())
    got = _shape(verdict)
    refusals = list(verdict.refusals)
    if case.draft is not None and got["verdict"] == "keep":
        found = check(
            case.draft,
            verdict.quotes,
            links=frozenset(slug for slug, _ in case.store),
            people=People(),
            judgement=verdict.judgement,
        )
        refusals += found
        if found:
            got |= {"verdict": "refuse", "reason": found[0].reason}
    return _Outcome(got, refusals)


def _shape(verdict: CandidateVerdict) -> dict[str, Any]:
    """The verdict as a case puts it. `surviving_quotes` counts news: a human's sentence that a memory holds already goes on
    (marked as a repetition, so that the recurrence is noted), but nothing new can be written from it."""
    news = len(new_quotes(verdict.quotes))
    name, reason = verdict.verdict, verdict.reason
    if name == "keep" and not news:
        name, reason = "drop", "echo"
    return {
        "verdict": name,
        "reason": reason,
        "surviving_quotes": news,
        "judgement": verdict.judgement if name == "keep" else None,
        "tags_kept": [tag for tag, _ in verdict.tags_kept],
        "tags_refused": [r.token for r in verdict.refusals if r.rule == "G10"],
        "callsigns_kept": list(verdict.callsigns_kept),
    }


def _intake(case: Case) -> _Outcome:
    with tempfile.TemporaryDirectory(prefix="kura-bench-") as folder:
        path = Path(folder) / "session.jsonl"
        path.write_text("".join(f"{row}\n" for row in case.journal or ()), encoding="utf-8")
        events = [e for record in Claude().read(path, 0, caps=Caps()) for e in record.events]
    outcome = _Outcome({"events": [{"class": e.cls.value, "text": e.text} for e in events]})
    if case.expect is not None:
        outcome.faults = _missing(events, case.expect)
    return outcome


def _missing(events: Sequence[Event], expect: Mapping[str, Any]) -> list[str]:
    faults = []
    for wanted in expect.get("events") or ():
        cls, text = wanted.get("class"), wanted.get("contains", "")
        if not any(e.cls.value == cls and text in e.text for e in events):
            faults.append(f"no {cls} event holds {text!r}")
    for text in expect.get("absent") or ():
        faults += [f"a USER event holds {text!r}" for e in events if e.cls.value == "USER" and text in e.text]
    for text in expect.get("absent_everywhere") or ():
        faults += [f"a {e.cls.value} event holds {text!r}" for e in events if text in e.text]
    return faults


def _differences(got: Mapping[str, Any], expect: Mapping[str, Any]) -> list[str]:
    """Null in what is expected leaves the field open."""
    wanted = {k: v for k, v in expect.items() if k in got and v is not None}
    return [f"{k}: expected {v!r}, got {got[k]!r}" for k, v in wanted.items() if not _same(got[k], v)]


def _same(got: Any, wanted: Any) -> bool:
    return sorted(got) == sorted(wanted) if isinstance(wanted, list) else bool(got == wanted)


def _told(refusals: Iterable[Refusal]) -> str:
    parts = (f"{r.rule} {r.reason} {r.place} {r.token!r}: {r.note}" for r in refusals)
    return "; ".join(" ".join(p.split()) for p in parts)


def _rule_order(item: tuple[str, Any]) -> tuple[int, str]:
    digits = "".join(c for c in item[0] if c.isdigit())
    return (int(digits) if digits else 99, item[0])
