"""The embedded editor on recorded sessions: enough that a colleague would want, and none of the chores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kura_pipeline.bench.extraction import run
from kura_runtime.errors import BadInput
from tests.distil.endtoend import config, distil

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="recorded journals are not here")

WANTED = [
    ("invalid themes must NEVER explode",),
    ("setTheme should return an error that the caller can display", "no conosle logs"),
    ("use fucking rgb values in the themes, no rgb indices",),
    ('"warning" if it\'s > 70% and "error" if its > 90%',),
    ("every line returned by a component's render method must not be wider than the passed in width",),
    ("toolTitle and toolOutput",),
    ("81a2be is what link text is in md", "8abeb7 is what bullet is", "md link is actually 666666", "f0c674"),
    ("copy an existing built-in theme over and modify that",),
    ("minor, this is a big change",),
    ("needs to be set to 1 for true colors", "vs code"),
    ("live edit the theme",),
]
UNWANTED = [
    "wrie some code", "dude sleep", "delete the file", "remove the nord.json", "read README.md that details", "think then say hello",
    "Screenshot", "Debugger attached", "theme.ts:213", "kill this", "echo $TERM", "can you write a simple test", "themes are not supported",
    "did you update docs", "setImmediate",
]  # fmt: skip


@needs_shared
def test_a_long_session_about_themes_gives_what_a_colleague_would_want(tmp_path: Path):
    found = distil(config(tmp_path, {"pi": SHARED / "journals" / "pi"}))
    text = found.text()
    missing = [w for group in WANTED for w in group if w not in text]
    assert missing == []
    assert [w for w in UNWANTED if w in text] == []
    assert 6 <= len(found.memories) <= 24
    assert [d.reason for d in found.drafted if d.outcome == "dropped"] == []


@needs_shared
def test_one_off_tasks_and_hook_feedback_give_hardly_anything(tmp_path: Path):
    found = distil(config(tmp_path, {"claude": SHARED / "journals" / "claude"}))
    assert len(found.events) > 100
    assert len(found.memories) <= 1


@needs_shared
def test_labelled_notes_are_kept_with_more_recall_than_a_guess():
    figures = run(SHARED / "memory-extraction")["figures"]
    assert figures["recall"] >= 0.85 and figures["precision"] >= 0.7
    assert figures["zh_recall"] >= 0.85 and figures["zh_precision"] >= 0.7


def test_the_bench_counts_a_kept_sentence_without_a_label_against_precision(tmp_path: Path):
    text = "We decided to use SQLite for the catalog. I prefer short commit subjects in all repositories."
    (tmp_path / "x.jsonl").write_text(json.dumps({"id": "a", "text": text}) + "\n", encoding="utf-8")
    label = {"id": "a", "memories": [{"type": "decision", "content": "Using SQLite for the catalog."}]}
    (tmp_path / "x.labels.jsonl").write_text(json.dumps(label) + "\n", encoding="utf-8")
    figures = run(tmp_path)["figures"]
    assert (figures["kept"], figures["precision"], figures["recall"]) == (2, 0.5, 1.0)


def test_the_bench_names_the_line_it_cannot_read(tmp_path: Path):
    (tmp_path / "x.jsonl").write_text('{"id": "a", "text": "b"}\n', encoding="utf-8")
    (tmp_path / "x.labels.jsonl").write_text("{broken\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"x\.labels\.jsonl line 1"):
        run(tmp_path)
    with pytest.raises(BadInput, match=r"labels\.jsonl"):
        run(tmp_path / "nowhere")
