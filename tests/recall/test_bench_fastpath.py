"""`kura bench fastpath` and `kura bench import`: the shapes that scripts rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kura_pipeline.bench.fastpath import read_questions, run
from kura_pipeline.bench.imports import FORBIDDEN
from kura_pipeline.bench.imports import run as run_imports
from kura_runtime.errors import BadInput
from tests.recall.shelves import PORTS, FakeStore

LINES = [
    {
        "id": "d1",
        "kind": "direct",
        "lang": "en",
        "question": "zstd level of archives",
        "answer": ["zstd-level"],
        "accept": [],
    },
    {
        "id": "d2",
        "kind": "direct",
        "lang": "en",
        "question": "zstd level 20 of archives",
        "answer": ["zstd-level"],
        "accept": [],
    },
    {
        "id": "w1",
        "kind": "odd",
        "lang": "en",
        "question": "embedding port 8412",
        "answer": ["anna-lind"],
        "accept": [],
    },
    {"id": "a1", "kind": "absent", "lang": "en", "question": "grafana password", "answer": [], "accept": []},
]


def test_hits_wrong_answers_and_refusals_are_counted_by_kind(tmp_path: Path) -> None:
    told = json.loads(json.dumps(run(FakeStore(tmp_path, list(PORTS)), LINES, rounds=1).to_json()))
    assert told["kinds"] == {
        "direct": {"n": 2, "hits": 1, "wrong": 0, "refused": 1},
        "odd": {"n": 1, "hits": 0, "wrong": 1, "refused": 0},
        "absent": {"n": 1, "hits": 0, "wrong": 0, "refused": 1},
    }
    assert told["p50_ms"] > 0 and told["p99_ms"] >= told["p50_ms"]
    case = told["cases"][0]
    assert case["picked"] == ["zstd-level"] and case["how"] == "fastpath" and case["ms"] > 0
    assert (
        told["cases"][1]["how"] == "silent"
        and "20" in told["cases"][1]["verdict"] + told["cases"][1]["question"]
    )


def test_questions_without_answers_are_only_printed(tmp_path: Path) -> None:
    bench = run(
        FakeStore(tmp_path, list(PORTS)),
        [{"question": "zstd level of archives"}, {"id": "x", "question": "nothing?"}],
        rounds=1,
    )
    assert [c.got for c in bench.cases] == [None, None] and bench.cases[0].picked == ("zstd-level",)
    assert bench.to_json()["kinds"][""] == {"n": 2, "hits": None, "wrong": None, "refused": 1}


def test_a_bench_notes_nothing_as_served(tmp_path: Path) -> None:
    run(FakeStore(tmp_path, list(PORTS)), LINES, rounds=1)
    assert not (tmp_path / "_kura").exists()


def test_a_broken_question_file_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "x"}\n\nnot json\n')
    with pytest.raises(BadInput, match="line 3"):
        read_questions(file)
    with pytest.raises(BadInput, match="line 1 has none"):
        run(FakeStore(tmp_path, list(PORTS)), [{"id": "q"}])


def test_the_import_bench_finds_nothing_forbidden() -> None:
    told = run_imports(rounds=1).to_json()
    assert told["forbidden_loaded"] == [] and set(told["figures"]) == {
        "import_ms",
        "api_ms",
        "store_ms",
        "target_ms",
    }
    assert "dagster" in FORBIDDEN
