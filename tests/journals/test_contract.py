"""One suite over every adapter: what JOURNALS promise of any journal, whatever its format."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from kura_pipeline.journals.base import Adapter, Caps, Record
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.sniff import adapters, identify
from kura_runtime.errors import JournalUnreadable
from tests.journals.samples import SAMPLES, Sample, events, said


@pytest.fixture(params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest) -> Sample:
    return SAMPLES[request.param]


def test_every_adapter_has_a_sample() -> None:
    assert {s.name for s in SAMPLES.values()} == set(adapters())


def test_an_adapter_fulfils_the_protocol(sample: Sample) -> None:
    assert isinstance(sample.adapter, Adapter)


def test_name_and_content_identify_one_format_only(sample: Sample, tmp_path: Path) -> None:
    sample.write(tmp_path)
    path = tmp_path / sample.file
    assert identify(path, read_head(path)) == (sample.name,)


def test_the_events_are_those_that_were_said_and_no_others(sample: Sample, tmp_path: Path) -> None:
    assert said(sample.adapter.read(sample.write(tmp_path))) == list(sample.said)


def test_records_follow_each_other_without_overlap_to_the_end_of_the_walk(
    sample: Sample, tmp_path: Path
) -> None:
    reading = sample.adapter.read(sample.write(tmp_path))
    records = list(reading)
    for before, after in itertools.pairwise(records):
        assert before.start < before.end <= after.start
    assert records[-1].end == reading.end


def test_a_walk_from_any_record_border_gives_the_rest_of_the_whole_walk(
    sample: Sample, tmp_path: Path
) -> None:
    path = sample.write(tmp_path)
    whole = list(sample.adapter.read(path))
    for i, record in enumerate(whole):
        rest = list(sample.adapter.read(path, record.end))
        assert [_plain(r) for r in rest] == [_plain(r) for r in whole[i + 1 :]]


def test_a_walk_to_any_record_border_gives_the_beginning_of_the_whole_walk(
    sample: Sample, tmp_path: Path
) -> None:
    path = sample.write(tmp_path)
    whole = list(sample.adapter.read(path))
    for i, record in enumerate(whole):
        part = list(sample.adapter.read(path, end=record.end, settled=True))
        assert [_plain(r) for r in part] == [_plain(r) for r in whole[: i + 1]]


def test_event_ids_are_unique_and_stable_over_reads(sample: Sample, tmp_path: Path) -> None:
    path = sample.write(tmp_path)
    first, second = (events(sample.adapter.read(path)) for _ in range(2))
    assert [e.event_id for e in first] == [e.event_id for e in second]
    assert len({e.event_id for e in first}) == len(first)


def test_record_keys_are_unique_and_stand_where_events_stand(sample: Sample, tmp_path: Path) -> None:
    records = list(sample.adapter.read(sample.write(tmp_path)))
    keys = [r.key for r in records if r.events]
    assert all(keys)
    assert len(set(keys)) == len(keys)
    assert not any(r.key for r in records if not r.events)


def test_the_bytes_at_a_span_hold_the_words_of_the_event(sample: Sample, tmp_path: Path) -> None:
    if sample.adapter.unit != "byte" or sample.is_packed:
        pytest.skip("spans of this format are no byte positions")
    path = sample.write(tmp_path)
    data = path.read_bytes()
    for event in events(sample.adapter.read(path)):
        stretch = data[event.byte_start : event.byte_end].decode()
        assert all(word in stretch for word in _words(event.text))


def test_the_number_of_a_span_resolves_to_the_event(sample: Sample, tmp_path: Path) -> None:
    path = sample.write(tmp_path)
    for event in events(sample.adapter.read(path)):
        again = events(sample.adapter.read(path, event.byte_start, end=event.byte_end, settled=True))
        assert (event.event_id, event.text) in [(e.event_id, e.text) for e in again]


def test_every_event_has_a_time_with_its_zone_and_the_path_as_its_journal(
    sample: Sample, tmp_path: Path
) -> None:
    path = sample.write(tmp_path)
    for event in events(sample.adapter.read(path)):
        assert event.ts is not None
        assert event.ts.startswith("2025-03-01")
        assert event.ts.endswith(("Z", "+00:00"))
        assert event.journal_key in (str(path), f"{path}#{event.session}")


def test_caps_keep_head_and_tail_and_say_how_much_was_cut(sample: Sample, tmp_path: Path) -> None:
    path = sample.write(tmp_path)
    capped = events(sample.adapter.read(path, caps=Caps(8, 8)))
    for event in capped:
        if event.cut:
            assert f"⟦cut:{event.cut}⟧" in event.text
            assert event.text.index("⟦cut:") > 0
            assert not event.text.endswith("⟧")
    assert sum(e.cut for e in capped) > 0 or sample.name == "text"


def test_what_is_left_out_of_a_record_is_in_the_totals_of_the_reading(sample: Sample, tmp_path: Path) -> None:
    reading = sample.adapter.read(sample.write(tmp_path))
    counted: Counter[str] = Counter()
    for record in reading:
        counted.update(record.left_out)
    assert counted == reading.left_out


def test_a_file_cut_at_any_byte_loses_no_complete_record_and_raises_nothing_but_the_named_error(
    sample: Sample, tmp_path: Path
) -> None:
    whole = list(sample.adapter.read(sample.write(tmp_path)))
    for size in _cuts(sample):
        path = sample.write(tmp_path, sample.data[:size])
        records: list[Record] = []
        try:
            records.extend(sample.adapter.read(path))
        except JournalUnreadable as error:
            assert error.path in (str(path), str(tmp_path / sample.file))
        _is_a_beginning(sample, records, whole, size)


def _cuts(sample: Sample) -> list[int]:
    """Every byte; of a database every place near the border of a page, and some within."""
    size = len(sample.data)
    if not sample.is_database:
        return list(range(size + 1))
    near = {at + d for at in range(0, size + 1, 512) for d in (-1, 0, 1)} | set(range(0, size, 97))
    return sorted(n for n in near if 0 <= n <= size)


def _is_a_beginning(sample: Sample, records: list[Record], whole: list[Record], size: int) -> None:
    found = [_plain(r) for r in records if r.events]
    expected = [_plain(r) for r in whole if r.events]
    if sample.name == "text":  # the last paragraph may be a shorter one: it ends where the file ends
        assert found[:-1] == expected[: max(0, len(found) - 1)]
    else:
        assert [f[3] for f in found] == [e[3] for e in expected[: len(found)]]
    if sample.adapter.unit == "byte":
        complete = [r for r in whole if r.events and r.end <= size]
        assert len(found) >= len(complete)


def test_an_unfinished_last_line_is_read_once_it_is_finished(sample: Sample, tmp_path: Path) -> None:
    if not sample.grows:
        pytest.skip("this format is not appended to")
    path = sample.write(tmp_path, sample.data[:-10])
    reading = sample.adapter.read(path)
    first = list(reading)
    assert reading.partial > 0
    sample.write(tmp_path)
    rest = list(sample.adapter.read(path, reading.end))
    got = [(e.cls.value, e.text) for r in (*first, *rest) for e in r.events]
    assert got == list(sample.said)


def test_a_missing_file_is_the_named_error(sample: Sample, tmp_path: Path) -> None:
    with pytest.raises(JournalUnreadable, match="cannot be read"):
        list(sample.adapter.read(sample.place(tmp_path)))


def test_the_fingerprint_and_digest_of_a_missing_file_are_the_named_error(
    sample: Sample, tmp_path: Path
) -> None:
    for ask in (lambda p: sample.adapter.fingerprint(p, 10), lambda p: sample.adapter.digest(p, 0, 10)):
        with pytest.raises(JournalUnreadable, match="cannot be read"):
            ask(sample.place(tmp_path / "gone"))


def test_a_pipe_is_refused_at_once(sample: Sample, tmp_path: Path) -> None:
    path = sample.write(tmp_path)
    (tmp_path / sample.file).unlink()
    os.mkfifo(tmp_path / sample.file)
    with pytest.raises(JournalUnreadable, match="not a regular file"):
        list(sample.adapter.read(path))


def test_the_fingerprint_survives_growth_and_betrays_a_rewrite(sample: Sample, tmp_path: Path) -> None:
    path = sample.write(tmp_path)
    reading = sample.adapter.read(path)
    list(reading)
    before = sample.adapter.fingerprint(path, reading.end)
    assert before == sample.adapter.fingerprint(path, reading.end)
    replace(sample, beside={k: _altered(v) for k, v in sample.beside.items()}).write(
        tmp_path, _changed(sample)
    )
    assert sample.adapter.fingerprint(path, reading.end) != before
    sample.write(tmp_path, sample.data[: len(sample.data) // 2])
    assert _fingerprint_or_error(sample, path, reading.end) != before


def _altered(data: bytes) -> bytes:
    return data.replace(b"disk", b"tape").replace(b"golden", b"silver")


def _changed(sample: Sample) -> bytes:
    packed = sample.is_packed
    plain = (
        zstandard.ZstdDecompressor().stream_reader(sample.data, read_across_frames=True).read()
        if packed
        else sample.data
    )
    changed = _altered(plain)
    assert changed != plain
    return zstandard.ZstdCompressor().compress(changed) if packed else changed


def _fingerprint_or_error(sample: Sample, path: Path, upto: int) -> str:
    try:
        return sample.adapter.fingerprint(path, upto)
    except JournalUnreadable:
        return ""


def test_nothing_is_an_event_in_an_empty_file(sample: Sample, tmp_path: Path) -> None:
    path = sample.write(tmp_path, b"")
    try:
        assert list(sample.adapter.read(path)) == []
    except JournalUnreadable as error:
        assert error.reason


def _plain(record: Record) -> tuple[object, ...]:
    return (
        record.start,
        record.end,
        record.key,
        tuple((e.event_id, e.cls, e.text, e.ts, e.session) for e in record.events),
        dict(record.left_out),
    )


def _words(text: str) -> list[str]:
    """The words of the text but for those that the rendering of a call adds: the tool's name and the argument names' colon."""
    return [w.rstrip(":") for w in text.split() if w != "$"]
