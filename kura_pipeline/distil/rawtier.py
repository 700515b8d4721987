"""Filling the raw tier: every event of every journal of a store, whether it was distilled, passed over, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kura_pipeline.distil.batch import find
from kura_pipeline.distil.claiming import file_time, is_same
from kura_pipeline.distil.stretch import size_of
from kura_pipeline.journals.base import Adapter, Caps, Record
from kura_pipeline.journals.discover import JournalFile
from kura_pipeline.journals.sniff import adapter
from kura_runtime.config.model import StoreConfig
from kura_runtime.domain.evidence import Event
from kura_runtime.errors import JournalUnreadable
from kura_runtime.raw.sessions import IndexMark, index_events, index_marks

CHARS = 2_000_000  # of events in one transaction


@dataclass(frozen=True, slots=True)
class RawIndexed:
    """Events that were new to the index, journals that were walked, and one line for each that could not be.
    `finished` is False where `most` characters were reached; the next call goes on from there."""

    events: int
    journals: int
    failures: tuple[str, ...] = ()
    finished: bool = True


def index_journals(cfg: StoreConfig, *, most: int | None = None, into: Path | None = None) -> RawIndexed:
    """Bring the search index of the store up to the journals as they are, newest first, at most about `most` characters.

    Each journal's events and how far they reach are written in one transaction, so that a killed run repeats nothing. A
    rewritten journal is walked again; events that are indexed stay as they are. `into` (default: the store) is the folder
    that holds the index.
    """
    place = into or cfg.path
    marks = index_marks(place)
    events = journals = chars = 0
    failures: list[str] = []
    for file in find(cfg).readable:
        known = marks.get(file.key)
        if known is not None and known.stamp and known.stamp == file.stamp:
            continue
        one = adapter(file.adapter or "")
        try:
            start = 0
            if known is not None and is_same(one, file, known):
                start = known.read_to
            journals += 1
            for new, size in _index(place, file, one, start, cfg):
                events, chars = events + new, chars + size
                if most is not None and chars >= most:
                    return RawIndexed(events, journals, tuple(failures), False)
        except JournalUnreadable as error:
            failures.append(str(error))
    return RawIndexed(events, journals, tuple(failures))


def _index(
    store: Path, file: JournalFile, one: Adapter, start: int, cfg: StoreConfig
) -> Iterator[tuple[int, int]]:
    reading = one.read(
        file.path, start, caps=Caps(cfg.distill.tool_cap, cfg.distill.text_cap), file_time=file_time(file)
    )
    records = iter(reading)
    while True:
        part = _Part(records)
        done = part.ended or part.fault is not None
        mark = IndexMark(
            reading.end,
            one.fingerprint(file.path, reading.end),
            file.stamp if part.ended and not reading.partial else "",
        )
        yield index_events(store, part.events, journal=file.key, mark=mark), part.chars
        if part.fault is not None:
            raise part.fault
        if done:
            return


class _Part:
    """As many events as one transaction takes. What stands before a fault is kept."""

    def __init__(self, records: Iterator[Record]) -> None:
        self.events: list[Event] = []
        self.chars = 0
        self.ended = False
        self.fault: JournalUnreadable | None = None
        try:
            while self.chars < CHARS:
                record = next(records, None)
                if record is None:
                    self.ended = True
                    return
                self.events += record.events
                self.chars += size_of(record)
        except JournalUnreadable as error:
            self.fault = error
