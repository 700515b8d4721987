"""The suite's own cases through the candidate gate, and the public ones where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kura_pipeline.bench.cases import read_cases
from kura_pipeline.bench.gate import CaseResult, run_case, run_cases
from tests.gate.candidate_cases import CASES, lines

PUBLIC = Path(__file__).resolve().parents[2].parent / "shared/data/gate/public.jsonl"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[CaseResult]:
    path = tmp_path_factory.mktemp("cases") / "cases.jsonl"
    path.write_text("\n".join(lines()), encoding="utf-8")
    return [run_case(case) for case in read_cases(path)]


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{c.rule}-{c.name.replace(' ', '-')}" for c in CASES]
)
def test_the_gate_gives_the_verdict_the_case_expects(results: list[CaseResult], number: int) -> None:
    assert results[number].ok, results[number].why


def test_the_suite_is_large_and_in_many_languages() -> None:
    assert len(CASES) >= 100
    assert len({c.rule for c in CASES}) >= 8


@pytest.mark.skipif(not PUBLIC.exists(), reason="the public cases are not at hand")
def test_every_public_case_is_right() -> None:
    result = run_cases(PUBLIC)
    assert [(c.id, c.why) for c in result.cases if c.ok is not True] == []
