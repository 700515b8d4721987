"""What was handed out is taken into the ledger: exactly once, whatever dies between, and however many wrote it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from kura_pipeline.distil.batch import claim
from kura_pipeline.distil.served import ingest_served, served_before
from kura_runtime.gate.echo import served_hashes
from kura_runtime.recall.served import FOLDER, ServedLog
from tests.journals.stores import NOW, ledger, store

WORDS = "Archives of this house are packed with zstd at level nineteen."


def segment(base: Path, name: str, *rows: object, tail: str = "") -> Path:
    path = base / "store" / FOLDER / f"served-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as out:
        out.write("".join(json.dumps(r) + "\n" for r in rows) + tail)
    return path


def hashes(*names: str) -> dict[str, object]:
    return {"ts": "2025-06-01T00:00:00+00:00", "hashes": [n.ljust(16, "0") for n in names]}


def test_what_a_serving_process_wrote_is_known_after_the_next_claim(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    (tmp_path / "j").mkdir()
    log = ServedLog(cfg.path)
    log.served(WORDS)
    log.flush()
    claim(cfg, book, now=NOW)
    assert set(served_hashes(WORDS)) <= book.served.hashes("maker")


def test_every_line_is_taken_once_and_growth_adds_only_itself(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    segment(tmp_path, "1-a", hashes("a1", "a2"))
    segment(tmp_path, "2-b", hashes("b1"))
    assert ingest_served(cfg, book).hashes == 3
    assert ingest_served(cfg, book) == ingest_served(cfg, book)
    assert ingest_served(cfg, book).hashes == 0
    segment(tmp_path, "1-a", hashes("a3"))
    assert ingest_served(cfg, book).hashes == 1
    assert len(book.served.hashes("maker")) == 4


def test_a_line_that_is_still_being_written_is_left_for_next_time(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    whole = json.dumps(hashes("b1"))
    path = segment(tmp_path, "1-a", hashes("a1"), tail=whole[:20])
    assert ingest_served(cfg, book).hashes == 1
    with path.open("a") as out:
        out.write(whole[20:] + "\n")
    done = ingest_served(cfg, book)
    assert (done.hashes, done.broken) == (1, 0)


def test_a_segment_that_was_taken_in_may_be_deleted(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    path = segment(tmp_path, "1-a", hashes("a1"))
    before = served_before(cfg, book)
    path.unlink()
    assert served_before(cfg, book) == before != frozenset()


def test_a_segment_put_there_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    path = segment(tmp_path, "1-a", hashes("a1", "a2", "a3"))
    ingest_served(cfg, book)
    path.unlink()
    segment(tmp_path, "1-a", hashes("b1"))
    assert ingest_served(cfg, book).hashes == 1


def test_lines_that_are_none_are_counted_and_stop_nothing(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    rows = [
        "words",
        {"hashes": 3},
        {"ts": "x"},
        [1],
        {"hashes": [None, 7, "x" * 500, "\ud800"]},
        hashes("a1"),
    ]
    path = segment(tmp_path, "1-a", *rows)
    with path.open("ab") as out:
        out.write(b"\xff\xfe\x00 garbage\n")
    done = ingest_served(cfg, book)
    assert (done.hashes, done.broken) == (1, 5)
    assert book.served.hashes("maker") == {"a1".ljust(16, "0")}


def test_a_folder_in_a_segments_place_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    segment(tmp_path, "2-b", hashes("a1"))
    (tmp_path / "store" / FOLDER / "served-1.jsonl").mkdir()
    done = ingest_served(cfg, book)
    assert done.hashes == 1
    assert "served-1.jsonl" in done.failures[0]


def test_stores_do_not_hear_of_each_other(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    segment(tmp_path, "1-a", hashes("a1"))
    ingest_served(cfg, book)
    assert book.served.hashes("other") == frozenset()


def test_what_was_served_after_a_claim_is_no_echo_in_its_batch(tmp_path: Path) -> None:
    """Who looks up a line of a journal must not make that line an echo of itself."""
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    segment(tmp_path, "1-a", {**hashes("a1"), "ts": "2025-06-01T09:00:00+00:00"}, {**hashes("a2"), "ts": "2025-06-01T21:00:00+09:00"},
            {**hashes("a3"), "ts": "2025-06-01T13:00:00+00:00"}, {**hashes("a4"), "ts": "no time"})  # fmt: skip
    claimed_at = "2025-06-01T12:00:00+00:00"
    assert {h[:2] for h in served_before(cfg, book, claimed_at)} == {"a1", "a2", "a4"}
    assert len(served_before(cfg, book)) == 4


def test_the_first_time_of_a_hash_counts_whichever_segment_is_read_first(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {}), ledger(tmp_path)
    segment(tmp_path, "1-late", {**hashes("a1"), "ts": "2025-06-02T00:00:00+00:00"})
    segment(tmp_path, "2-early", {**hashes("a1"), "ts": "2025-06-01T00:00:00+00:00"})
    segment(tmp_path, "3-late", {**hashes("a1"), "ts": "2025-06-03T00:00:00+00:00"})
    assert served_before(cfg, book, "2025-06-01T12:00:00+00:00")


_KILLED = """
import os, signal, sys
from pathlib import Path
from sqlalchemy import event
from kura_pipeline.distil import served
from tests.journals.stores import ledger, store
base, fatal = Path(sys.argv[1]), int(sys.argv[2])
served.TOGETHER = 2
cfg, book = store(base, {}), ledger(base)
count = 0
def step(*_):
    global count
    count += 1
    if count == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
event.listen(book.database.engine, "before_cursor_execute", step)
event.listen(book.database.engine, "after_cursor_execute", step)
event.listen(book.database.engine, "commit", step)
served.ingest_served(cfg, book)
"""


def test_killed_before_and_after_each_statement_it_loses_nothing(tmp_path: Path) -> None:
    fatal = 0
    while True:
        fatal += 1
        base = tmp_path / str(fatal)
        base.mkdir()
        segment(base, "1-a", hashes("a1", "a2"), hashes("a3", "a4"), hashes("a5"))
        done = subprocess.run(
            [sys.executable, "-c", _KILLED, str(base), str(fatal * 2 - 1)],
            capture_output=True, cwd=Path(__file__).parents[2], env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        cfg, book = store(base, {}), ledger(base)
        kept, upto = book.served.hashes("maker"), book.served.read_to("maker", "served-1-a.jsonl")
        assert (len(kept) > 0) == (upto > 0), (
            f"killed at step {fatal}: a stretch without its hashes, or the reverse"
        )
        ingest_served(cfg, book)
        assert len(book.served.hashes("maker")) == 5, f"killed at step {fatal}"
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert fatal > 5
