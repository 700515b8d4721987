"""docs/attack-log-candidates.md says what the gate says: every row is tried again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kura_runtime.domain.candidate import Candidate, ProposedQuote
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.gate.attribution import People
from kura_runtime.gate.candidate import judge
from kura_runtime.gate.echo import Echo, served_hashes
from kura_runtime.gate.secrets import redact
from kura_runtime.text.quotes import BatchIndex

LOG = Path(__file__).resolve().parents[2] / "docs" / "attack-log-candidates.md"
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\n")
_SAID = re.compile(r"\[(USER|TOOL|ACT|SELF)\] (.*)", re.DOTALL)


def rows(section: str) -> list[tuple[str, str, str, str]]:
    text = LOG.read_text(encoding="utf-8")
    found = re.search(rf"^## {section}\..*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"docs/attack-log-candidates.md has no section {section}"
    lines = [
        line
        for line in found.group().splitlines()
        if line.startswith("| ") and not line.startswith("| kind |")
    ]
    cells = [[c.strip() for c in line[1:].rstrip("|").split(" | ")] for line in lines]
    return [(c[0], c[1], c[2], c[3]) for c in cells]


def shown(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else "\n", text)


def _said(text: str) -> list[tuple[EvidenceClass, str]]:
    matches = [_SAID.fullmatch(part.strip()) for part in text.split("‖") if part.strip()]
    return [(EvidenceClass(m[1]), shown(m[2])) for m in matches if m]


def attempted(attempt: str) -> tuple[str, str]:
    """(verdict, rules) of an attempt as the table writes it."""
    events, proposal = attempt.split(" ⇒ ")
    quotes, *parts = re.split(r";\s(?=(?:topic|why|kind|tags|callsigns|store|served)=)", proposal)
    given = {name: shown(value) for name, _, value in (part.partition("=") for part in parts)}
    batch = [
        Event(f"e{n}", n, cls, text, None, "s", "j", n, n + 1) for n, (cls, text) in enumerate(_said(events))
    ]
    echo = Echo.of(
        [given["store"]] if "store" in given else [], frozenset(served_hashes(given.get("served", "")))
    )
    candidate = Candidate(
        given.get("topic", "a neutral topic"),
        given.get("kind", "project"),
        given.get("why", "useful later"),
        tuple(ProposedQuote(cls, text) for cls, text in _said(quotes)),
        tuple(given["tags"].split(",")) if "tags" in given else (),
        tuple(given["callsigns"].split(",")) if "callsigns" in given else (),
    )
    verdict = judge(candidate, BatchIndex(batch), echo, People())
    reasons = sorted({r.reason for r in verdict.refusals})
    rules = ", ".join(sorted({r.rule for r in verdict.refusals})) or "-"
    return f"{verdict.verdict}: {', '.join(reasons)}" if reasons else verdict.verdict, rules


def redacted(attempt: str) -> tuple[str, str]:
    """(verdict, rule) of a text before the redaction."""
    counts = redact(shown(attempt))[1]
    return (f"redacted: {', '.join(counts)}", "G14") if counts else ("untouched", "-")


def test_the_log_holds_at_least_twenty_attempts_that_were_refused() -> None:
    assert sum(":" in verdict for _, _, verdict, _ in rows("B")) >= 20
    assert sum(verdict.startswith("redacted") for _, _, verdict, _ in rows("C")) >= 10


@pytest.mark.parametrize("row", rows("B") if LOG.exists() else [], ids=lambda r: f"{r[0]}: {r[1][:50]}")
def test_an_attempt_on_the_candidate_gate_gets_the_verdict_of_the_log(row: tuple[str, str, str, str]) -> None:
    kind, attempt, verdict, rule = row
    assert attempted(attempt) == (verdict, rule)
    assert (":" not in verdict) == (kind in ("honest", "limit")), (
        "an attempt got by: make it a rule or name it a limit"
    )


@pytest.mark.parametrize("row", rows("C") if LOG.exists() else [], ids=lambda r: f"{r[0]}: {r[1][:50]}")
def test_an_attempt_on_the_redaction_gets_the_verdict_of_the_log(row: tuple[str, str, str, str]) -> None:
    kind, attempt, verdict, rule = row
    assert redacted(attempt) == (verdict, rule)
    assert (verdict == "untouched") == (kind in ("honest", "limit"))
