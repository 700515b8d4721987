"""docs/attack-log.md says what the gate says: every row of section A is tried again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.gate.test_surface_rows import verdict

LOG = Path(__file__).resolve().parents[2] / "docs" / "attack-log.md"
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|\\n")


def _rows() -> list[tuple[str, str, str, str]]:
    section = re.search(r"^## A\..*?(?=^## |\Z)", LOG.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert section, "docs/attack-log.md has no section A"
    cells = [
        [c.strip() for c in line.strip("|").split("|")]
        for line in section.group().splitlines()
        if line.startswith("| ")
    ]
    return [(c[0], c[1], c[2], c[3]) for c in cells[1:]]


def _shown(text: str) -> str:
    def char(match: re.Match[str]) -> str:
        return "\n" if match.group() == "\\n" else chr(int(match.group(1) or match.group(2), 16))

    return _ESCAPE.sub(char, text.replace("‖", "||"))


def test_the_log_holds_at_least_thirty_attempts_that_were_refused() -> None:
    assert sum(row[2].startswith("refuse") for row in _rows()) >= 30


@pytest.mark.parametrize("row", _rows(), ids=lambda r: f"{r[0]}: {r[1][:50]}")
def test_an_attempt_of_the_log_gets_the_verdict_that_the_log_gives(row: tuple[str, str, str, str]) -> None:
    kind, attempt, said, rules = row
    quotes, text = _shown(attempt).split(" ⇒ ")
    refusals = verdict(quotes, text)
    reasons = sorted({r.reason for r in refusals})
    assert said == (f"refuse: {', '.join(reasons)}" if reasons else "pass")
    assert rules == (", ".join(sorted({r.rule for r in refusals})) or "-")
    assert (said == "pass") == (kind in ("honest", "limit")), (
        "an attempt got by: make it a rule or name it a limit"
    )
