"""Notes and logs are written on at their very end, in the middle of a paragraph or of a line: no word of it is lost."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from kura_pipeline.distil.batch import batch_of, catch_up, claim, read_batch
from kura_pipeline.journals.sniff import adapter
from tests.journals.samples import said
from tests.journals.stores import NOW, ledger, store


@pytest.mark.parametrize("name", ["day.log", "notes.md"])
def test_every_line_appended_to_a_log_is_read_once_although_no_blank_line_parts_them(
    tmp_path: Path, name: str
) -> None:
    cfg, book = store(tmp_path, {"text": "j"}), ledger(tmp_path)
    path = tmp_path / "j" / name
    path.parent.mkdir()
    path.write_text("the archive is on the slow disk\n\nsecond paragraph begins\n")
    told: list[str] = []
    for n, more in enumerate(
        (
            "and goes on\n",
            "and on 🎉\n",
            "",
            "\nthird\n",
            "without its",
            " newline\n```\nfence\n",
            "still\n```\n",
        )
    ):
        os.utime(path, (1000 + n, 1000 + n))
        report = claim(cfg, book, now=NOW + timedelta(minutes=n))
        assert report.failures == ()
        for made in report.batches:
            told += [e.text for e in batch_of(read_batch(cfg, book, made.batch_id)).events if not e.context]
        with path.open("a") as out:
            out.write(more)
    os.utime(path, (2000, 2000))
    for made in claim(cfg, book, now=NOW + timedelta(hours=1)).batches:
        told += [e.text for e in batch_of(read_batch(cfg, book, made.batch_id)).events if not e.context]
    assert " ".join(told).split() == path.read_text().split()


def test_what_is_appended_after_a_catch_up_is_read(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"text": "j"}), ledger(tmp_path)
    path = tmp_path / "j" / "day.log"
    path.parent.mkdir()
    path.write_text("old line\n")
    catch_up(cfg, book, now=NOW)
    path.write_text("old line\nnew line\n")
    (made,) = claim(cfg, book, now=NOW + timedelta(minutes=1)).batches
    assert [e.text for e in batch_of(read_batch(cfg, book, made.batch_id)).events] == ["new line"]


def test_a_walk_that_begins_inside_a_paragraph_gives_its_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("one\ntwo\n\nthree\n")
    assert said(adapter("text").read(path, 4)) == [("USER", "two"), ("USER", "three")]
    path.write_text("one and\n")
    assert said(adapter("text").read(path, 3)) == [("USER", " and")]
