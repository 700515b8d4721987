"""The same harm done to every format: one clear outcome each, nothing hangs, and the memory stays bounded.

What a format makes of one bad line in particular stands in test_hostile.py."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kura_pipeline.distil.batch import batch_of, claim, read_batch
from kura_pipeline.journals import base
from kura_pipeline.journals.base import Record
from kura_pipeline.journals.discover import discover
from kura_runtime.errors import JournalUnreadable
from tests.journals import hosts
from tests.journals.samples import SAMPLES, Sample, said
from tests.journals.stores import NOW, ledger, store

LINES = sorted(n for n, s in SAMPLES.items() if s.file.endswith(".jsonl"))
DEEP = b"[" * 50_000 + b"]" * 50_000


@pytest.fixture(autouse=True)
def no_hang() -> Iterator[None]:
    """Whatever hangs fails."""
    signal.alarm(120)
    yield
    signal.alarm(0)


@pytest.fixture(params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest) -> Sample:
    return SAMPLES[request.param]


def read(sample: Sample, path: Path) -> tuple[list[tuple[str, str]], str]:
    """What was said, and the named error that ended it ("" for none)."""
    records: list[Record] = []
    error = ""
    try:
        records.extend(sample.adapter.read(path))
    except JournalUnreadable as stopped:
        error = stopped.reason
    return [(e.cls.value, e.text) for r in records for e in r.events], error


def with_line(sample: Sample, bad: bytes) -> bytes:
    """The sample with a line put in before its last one."""
    head, _, last = sample.data.rstrip(b"\n").rpartition(b"\n")
    return head + b"\n" + bad + b"\n" + last + b"\n"


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"not json at all", "malformed"),
        (b'{"a":' + DEEP + b"}", "nested-too-deep"),
        (b"\x00" * 4096, "nul-bytes"),
        (b"[1,2]", "not-an-object"),
        ("{}".encode("utf-16"), "malformed"),
        (b"\xff\xfe\xfd", "malformed"),
        (b"", ""),
    ],
)
def test_a_bad_line_is_counted_with_its_place_and_the_lines_around_it_are_read(
    tmp_path: Path, name: str, bad: bytes, reason: str
) -> None:
    sample = SAMPLES[name]
    path = sample.write(tmp_path, with_line(sample, bad))
    got, error = read(sample, path)
    if sample.name == "lna" and reason not in ("", "nul-bytes"):
        # provenance is stated a line at a time: nothing is claimed past one that does not read
        assert got == list(sample.said)[: len(got)]
        assert reason in error
        return
    assert error == ""
    assert got == list(sample.said)
    reading = sample.adapter.read(path)
    list(reading)
    if reason:
        assert reading.left_out[reason] >= 1
    if reason not in ("", "nul-bytes"):
        assert [f.reason for f in reading.faults] == [reason]


@pytest.mark.parametrize(
    "name", [n for n in sorted(SAMPLES) if not SAMPLES[n].is_database and not SAMPLES[n].is_packed]
)
def test_a_byte_order_mark_and_crlf_change_nothing(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    path = sample.write(tmp_path, b"\xef\xbb\xbf" + sample.data.replace(b"\n", b"\r\n"))
    got, error = read(sample, path)
    assert (got, error) == (list(sample.said), "")


@pytest.mark.parametrize("name", LINES)
def test_of_a_key_told_twice_the_last_counts_in_every_format(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    rows = [b'{"type":"nothing","role":"nobody","payload":0,"entries":0,' + r[1:] if r.startswith(b"{") else r
            for r in sample.data.split(b"\n")]  # fmt: skip
    got, error = read(sample, sample.write(tmp_path, b"\n".join(rows)))
    known = [json.loads(r) for r in rows if r]
    if sample.name in ("goose", "gemini"):  # rows of theirs that have no such key get one now
        assert all(s in sample.said for s in got)
    else:
        assert error == "" and got, known[0]
        assert got == list(sample.said)


@pytest.mark.parametrize("name", LINES)
def test_lone_surrogates_and_nul_inside_words_become_replacement_characters(
    tmp_path: Path, name: str
) -> None:
    sample = SAMPLES[name]
    user = next(t for c, t in sample.said if c == "USER").split()[0]
    spoilt = sample.data.replace(user.encode(), user.encode() + rb"\ud800\u0000", 1)
    got, error = read(sample, sample.write(tmp_path, spoilt))
    assert error == ""
    if name == "codex":  # the words stand twice, and the item is not the place they are taken from
        return
    assert any(t.startswith(f"{user}\ufffd\ufffd") for _, t in got), got
    for _, text in got:
        text.encode()


def test_utf16_is_reported_before_anything_is_read(sample: Sample, tmp_path: Path) -> None:
    if sample.is_database or sample.is_packed:
        pytest.skip("no text")
    sample.write(tmp_path / "j", sample.data.decode().encode("utf-16"))
    mine = [
        f for f in discover({sample.name: [tmp_path / "j"]}).files if f.path == tmp_path / "j" / sample.file
    ]
    (found,) = mine
    if sample.name == "lna":
        assert found.status in ("ok", "unknown")
        assert read(sample, tmp_path / "j" / sample.file)[0] == []
    else:
        assert (found.status, "UTF-16" in found.reason) == ("unknown", True), found


def test_links_in_circles_a_pipe_and_a_socketless_name_are_listed_and_the_journal_is_read(
    sample: Sample, tmp_path: Path
) -> None:
    root = tmp_path / "j"
    path = sample.write(root)
    (root / "loop").symlink_to(root)
    (root / "self").symlink_to(root / "self")
    os.mkfifo(root / f"pipe{Path(sample.file).suffix}")
    found = discover({sample.name: [root]})
    assert path in [f.path for f in found.readable]
    told = {f.path.name: f.status for f in found.files}
    assert (told["loop"], told["self"]) == ("alias", "unreadable")
    assert told[f"pipe{Path(sample.file).suffix}"] == "special"


def test_a_journal_replaced_by_another_one_is_read_anew(sample: Sample, tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {sample.name: "j"}), ledger(tmp_path)
    sample.write(tmp_path / "j")
    assert len(claim(cfg, book, now=NOW).batches) >= 1
    changed = other(sample)
    changed.write(tmp_path / "j")
    report = claim(cfg, book, now=NOW + timedelta(hours=1))
    assert report.failures == ()
    told = [
        e.text
        for c in report.batches
        for e in batch_of(read_batch(cfg, book, c.batch_id)).events
        if not e.context
    ]
    assert any("ersatz" in t for t in told), told
    assert claim(cfg, book, now=NOW + timedelta(hours=2)).batches == ()


def other(sample: Sample) -> Sample:
    """A journal of the same kind in the same place, in which a prompt says something else."""
    if sample.is_database or sample.is_packed:
        made = database_of(sample.name) if sample.is_database else None
        if made is None:
            plain = zstandard.ZstdDecompressor().stream_reader(sample.data, read_across_frames=True).read()
            made = zstandard.ZstdCompressor().compress(plain.replace("禁止使用".encode(), b"ersatz "))
        return replace(sample, data=made)
    words = next(t for c, t in sample.said if c == "USER").split()[0].encode()
    swap = {k: v.replace(words, b"ersatz") for k, v in sample.beside.items()}
    data = sample.data.replace(words, b"ersatz")
    # where the records have ids, other records have others
    for old, new in ((b'"uuid":"u', b'"uuid":"v'), (b"conv-one", b"conv-new")):
        data = data.replace(old, new)
    return replace(sample, data=data, beside=swap)


def database_of(kind: str) -> bytes:
    if kind == "opencode":
        turns = [(hosts.message("user", 50), [hosts.words("ersatz words")])]
        return hosts.database(hosts.OPENCODE, hosts.opencode_rows("ses_one", turns))
    return hosts.database(
        hosts.GOOSE, hosts.goose_rows("20250301_1", [hosts.spoken("user", 50, hosts.words("ersatz"))])
    )


def test_a_journal_that_shrank_under_its_mark_repeats_nothing(sample: Sample, tmp_path: Path) -> None:
    if sample.is_database or sample.file.endswith(".json"):
        pytest.skip("torn, it is refused: test_contract")
    cfg, book = store(tmp_path, {sample.name: "j"}), ledger(tmp_path)
    path = sample.write(tmp_path / "j")
    claim(cfg, book, now=NOW)
    whole = sample.data if sample.is_packed else sample.data[: sample.data.rstrip().rfind(b"\n") + 1]
    path.write_bytes(whole[: len(whole) * 3 // 4] if sample.is_packed else whole)
    os.utime(path, (1000, 1000))
    report = claim(cfg, book, now=NOW + timedelta(hours=1))
    assert report.batches == ()


def test_a_journal_that_grows_while_it_is_read_gives_whole_records_only(
    sample: Sample, tmp_path: Path
) -> None:
    if not sample.grows:
        pytest.skip("written anew as a whole, or read in a snapshot")
    half = sample.data[: len(sample.data) // 2]
    path = sample.write(tmp_path, half)
    steps = iter(sample.adapter.read(path))
    got = [next(steps, None)]
    with path.open("ab") as out:
        out.write(sample.data[len(half) :])
    got += steps
    told = [(e.cls.value, e.text) for r in got if r is not None for e in r.events]
    assert told == list(sample.said)[: len(told)]


@pytest.mark.parametrize("name", LINES)
def test_a_line_over_the_cap_does_not_come_into_memory(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "RECORD_CAP", 1 << 18)
    sample = SAMPLES[name]
    path = sample.write(tmp_path, with_line(sample, b'{"type":"user","x":"' + b"a" * (24 << 20) + b'"}'))
    tracemalloc.start()
    got, error = read(sample, path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 << 20
    if sample.name == "lna":
        assert "too-long" in error
    else:
        assert (got, error) == (list(sample.said), "")


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in LINES if n != "lna"])
def test_a_line_of_100_mb_is_passed_over_and_counted(tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    path = sample.write(tmp_path, with_line(sample, b'{"type":"user","x":"' + b"a" * (100 << 20) + b'"}'))
    reading = sample.adapter.read(path)
    assert said(reading) == list(sample.said)
    assert reading.left_out["too-long"] == 1
    path.unlink()


@pytest.mark.parametrize("kind", ["opencode", "goose"])
def test_a_row_over_the_cap_is_passed_over_and_counted(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = SAMPLES[kind]
    path = sample.write(tmp_path)
    table, column = ("part", "data") if kind == "opencode" else ("messages", "content_json")
    db = sqlite3.connect(tmp_path / sample.file)
    big: Any = '[{"type":"text","text":"' + "a" * 200_000 + '"}]'
    db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = (SELECT min(rowid) FROM {table})", (big,))
    db.commit()
    db.close()
    monkeypatch.setattr(base, "RECORD_CAP", 100_000)
    reading = sample.adapter.read(path)
    assert said(reading) == list(sample.said)[1:]
    assert reading.left_out["too-long"] == 1
