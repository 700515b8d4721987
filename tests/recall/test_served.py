"""What goes out is noted beside the reply: never in its way, never lost silently."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path

import pytest

from kura_runtime.gate.echo import served_hashes
from kura_runtime.recall.recall import Tiers, recall
from kura_runtime.recall.served import ServedLog, question_hash, read_served
from tests.recall.shelves import PORTS, FixedShelf

SENTENCE = "Archives of this house are packed with zstd at level nineteen."


def rows(folder: Path, kind: str) -> list[dict]:
    return [
        json.loads(x)
        for f in folder.glob(f"_kura/log/{kind}-*.jsonl")
        for x in f.read_text(encoding="utf-8").splitlines()
    ]


def test_every_sentence_that_was_recalled_is_known_as_served(tmp_path: Path) -> None:
    log = ServedLog(tmp_path)
    reply = recall(FixedShelf(*PORTS), "zstd level of archives?", tiers=Tiers(), served=log)
    log.flush()
    assert reply.picked and set(served_hashes("Level 22 needs too much memory.")) <= read_served(tmp_path)
    (row,) = rows(tmp_path, "recall")
    assert (
        row["question"] == question_hash("zstd level of  archives?")
        and row["how"] == "fastpath"
        and row["picked"] == ["zstd-level"]
    )
    assert "zstd level" not in json.dumps(row)  # the words stay out unless asked for


def test_the_words_of_questions_are_kept_only_where_the_owner_says_so(tmp_path: Path) -> None:
    log = ServedLog(tmp_path, keep_questions=True)
    log.asked("何を決めた?", how="meaning→none", picked=(), ms=1.0)
    log.flush()
    assert rows(tmp_path, "recall")[0]["words"] == "何を決めた?"


def test_the_same_text_is_hashed_once(tmp_path: Path) -> None:
    log = ServedLog(tmp_path)
    for _ in range(3):
        log.served(SENTENCE)
        log.flush()
    assert sum(len(r["hashes"]) for r in rows(tmp_path, "served")) == len(set(served_hashes(SENTENCE)))


def test_a_folder_that_cannot_be_written_costs_notes_and_never_a_reply(tmp_path: Path) -> None:
    (tmp_path / "_kura").write_text("a file where a folder belongs")
    log = ServedLog(tmp_path)
    reply = recall(FixedShelf(*PORTS), "zstd level of archives?", tiers=Tiers(), served=log)
    log.flush()
    assert reply.picked == ("zstd-level",)
    assert log.dropped > 0 and log.failure


def test_a_full_queue_drops_and_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = ServedLog(tmp_path, queue=3)
    monkeypatch.setattr(log, "_start", lambda: None)  # nobody empties it
    for i in range(10):
        log.asked(f"question {i}", how="x", picked=(), ms=0.0)
    assert log.dropped == 7
    log.flush()
    assert len(rows(tmp_path, "recall")) == 3


def test_lines_cut_by_a_crash_are_skipped_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = ServedLog(tmp_path)
    log.served(SENTENCE)
    log.flush()
    (file,) = tmp_path.glob("_kura/log/served-*.jsonl")
    with file.open("a") as f:
        f.write('{"ts": "x", "hashes": ["abc')
    with caplog.at_level(logging.WARNING):
        assert read_served(tmp_path) == set(served_hashes(SENTENCE))
    assert "1 unreadable" in caplog.text


def test_a_store_that_never_served_has_an_empty_ledger(tmp_path: Path) -> None:
    assert read_served(tmp_path / "nowhere") == frozenset()


def test_many_threads_note_at_once(tmp_path: Path) -> None:
    log = ServedLog(tmp_path)
    texts = [f"Sentence number {i} of the thread test is long enough." for i in range(40)]
    threads = [threading.Thread(target=log.served, args=(t,)) for t in texts]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    log.flush()
    assert log.dropped == 0
    assert {h for t in texts for h in served_hashes(t)} <= read_served(tmp_path)
