"""The date of evidence is the event's own, with its time zone, from the journal to the evidence table; a file's time is never it."""

from __future__ import annotations

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
import zstandard

from kura_pipeline.distil.batch import batch_of, claim, read_batch
from tests.journals.samples import SAMPLES, claude, line
from tests.journals.stores import NOW, ledger, store

_TIME = re.compile(rb'"2025-03-01T[0-9:.]+(?:Z|\+00:00)"')


def undated(kind: str) -> bytes:
    data = SAMPLES[kind].data
    if kind == "dsh":
        plain = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True).decompress(data)
        return zstandard.compress(re.sub(rb'"time":\d+', b'"time":null', plain))
    return _TIME.sub(b'""', data)


@pytest.mark.parametrize("kind", ["claude", "codex", "dsh", "pi", "lna"])
def test_an_event_without_a_time_has_none_and_never_the_files(tmp_path: Path, kind: str) -> None:
    data = undated(kind)
    assert data != SAMPLES[kind].data
    path = SAMPLES[kind].write(tmp_path / "j", data)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    cfg, book = store(tmp_path, {kind: "j"}), ledger(tmp_path)
    for made in claim(cfg, book, now=NOW).batches:
        found = batch_of(read_batch(cfg, book, made.batch_id)).events
        assert found and [e.ts for e in found] == [None] * len(found)


def test_a_note_claimed_today_keeps_its_files_time_of_then_when_it_is_read_later(tmp_path: Path) -> None:
    path = tmp_path / "j" / "n.md"
    path.parent.mkdir()
    path.write_text("We keep the archive on the slow disk.\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    cfg, book = store(tmp_path, {"text": "j"}), ledger(tmp_path)
    (made,) = claim(cfg, book, now=NOW + timedelta(minutes=1)).batches
    os.utime(path)
    (event,) = batch_of(read_batch(cfg, book, made.batch_id)).events
    assert event.ts == "2023-11-14T22:13:20+00:00"


def test_the_zone_an_event_was_said_in_stands_in_the_evidence(tmp_path: Path) -> None:
    said = claude("user", "今日はここまで", uuid="u1", timestamp="2025-03-01T23:30:00+09:00")
    (tmp_path / "j").mkdir()
    (tmp_path / "j" / "a.jsonl").write_bytes(line(said))
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    (made,) = claim(cfg, book, now=NOW).batches
    assert read_batch(cfg, book, made.batch_id).column("ts").to_pylist() == ["2025-03-01T23:30:00+09:00"]
