"""`kura bench gate`: what it prints, how it ends, and how it names a line that it cannot read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from kura_pipeline.bench.gate import run_cases
from kura_pipeline.bench.quotes import measure
from kura_pipeline.cli.bench_gate import bench_gate, register
from kura_runtime.errors import BadInput
from tests.gate.candidate_cases import lines


def write(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


GOOD = lines()[0]


def test_the_document_has_the_shape_that_scripts_rely_on(tmp_path: Path) -> None:
    document = run_cases(write(tmp_path, *lines()[:5])).to_json()
    assert document["passed"] == 5 and document["failed"] == 0
    for case in document["cases"]:
        assert set(case) == {"id", "rule", "ok", "expected", "got", "why"}
        assert set(case["got"]) == {
            "verdict", "reason", "surviving_quotes", "judgement", "tags_kept", "tags_refused", "callsigns_kept",
        }  # fmt: skip


def test_a_case_without_an_expected_answer_says_only_what_came_out(tmp_path: Path) -> None:
    case = json.loads(GOOD)
    del case["expect"]
    (result,) = run_cases(write(tmp_path, json.dumps(case))).cases
    assert result.ok is None and result.expected is None and result.got["verdict"] == "keep"


def test_null_in_what_is_expected_leaves_the_field_open(tmp_path: Path) -> None:
    case = json.loads(GOOD) | {"expect": {"verdict": "keep", "reason": None, "surviving_quotes": None}}
    assert run_cases(write(tmp_path, json.dumps(case))).passed == 1


def test_a_journal_goes_through_the_adapter(tmp_path: Path) -> None:
    row = {
        "type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "isSidechain": False, "userType": "external",
        "timestamp": "2025-01-01T00:00:01.000Z", "message": {"role": "user", "content": "the password is hunter2"},
    }  # fmt: skip
    (result,) = run_cases(write(tmp_path, json.dumps({"id": "x", "journal": [row]}))).cases
    assert result.got == {"events": [{"class": "USER", "text": "the password is ⟦secret:password⟧"}]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "JSON object"),
        ('{"id": "a"}', '"candidate"'),
        ('{"candidate": {}}', '"id"'),
        ('{"id": "a", "candidate": {"quotes": ["no class"]}}', "must begin with its class"),
        ('{"id": "a", "candidate": {"quotes": ["[BOSS] text"]}}', 'unknown class "BOSS"'),
        ('{"id": "a", "candidate": {"quotes": "text"}}', '"quotes" must be a list'),
        ('{"id": "a", "candidate": {}, "events": [{"class": "USER", "text": 5}]}', '"text" must be a string'),
        ('{"id": "a", "candidate": {}, "draft": []}', '"draft"'),
        ('{"id": "a", "candidate": {}, "expect": 3}', '"expect"'),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path: Path, line: str, said: str) -> None:
    path = write(tmp_path, GOOD, "", line)
    with pytest.raises(BadInput, match=r":3: ") as caught:
        run_cases(path)
    assert said in str(caught.value) and caught.value.exit_code == 64


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot read"):
        run_cases(tmp_path / "none.jsonl")


def test_a_mismatch_ends_with_one_and_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = json.loads(GOOD) | {"expect": {"verdict": "drop"}}
    assert bench_gate(write(tmp_path, json.dumps(wrong))) == 1
    assert "verdict: expected 'drop', got 'keep'" in capsys.readouterr().out
    assert bench_gate(write(tmp_path, GOOD)) == 0
    assert bench_gate(write(tmp_path, "")) == 2


def test_the_command_takes_cases_and_json(tmp_path: Path) -> None:
    app = typer.Typer()
    register(app)
    app.command("other")(lambda: None)
    done = CliRunner().invoke(app, ["gate", "--cases", str(write(tmp_path, GOOD)), "--json"])
    assert json.loads(done.stdout)["passed"] == 1


def test_the_bench_of_quotes_finds_the_quotes_that_are_there() -> None:
    figures = measure()["figures"]
    assert figures["found"] == 480
    assert set(figures) >= {"english_ms", "chinese_ms", "english_100k_ms", "english_400k_ms"}
