"""A stretch of a journal as records: walked once, rewound branches marked, cut into batches at record borders.

Claiming and re-reading run the same functions over the same stretch, so that both give the same events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kura_pipeline.journals.base import Reading, Record
from kura_pipeline.journals.tree import dead_records
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import JournalUnreadable

CONTEXT_CHARS = 4000  # of the turns before a batch, shown for understanding and never evidence
_ONE_TURN = 3 * CONTEXT_CHARS  # of the turn just before, where it is longer
_EARLY = 0.6  # a batch may end this early for the sake of a border at a human turn


@dataclass(frozen=True, slots=True)
class Window:
    """The records of one walk. `records` begin at the walk's start; `first` is the index of the first unread one.

    `finished`: the journal was walked to its end. `fault`: why it could not be walked further.
    """

    records: tuple[Record, ...]
    first: int
    finished: bool
    fault: JournalUnreadable | None = None

    @property
    def horizon(self) -> int:
        """Where the walk ended; only meaningful with records."""
        return self.records[-1].end


@dataclass(frozen=True, slots=True)
class Piece:
    """Records [first, last) of a window as one batch."""

    first: int
    last: int
    chars: int


def walk_window(reading: Reading, start: int, chars: int | None) -> Window:
    """Walk until about `chars` characters of events from `start` on were met (None: to the end), and mark dead branches."""
    records: list[Record] = []
    first, got, finished = 0, 0, False
    fault: JournalUnreadable | None = None
    steps = iter(reading)
    try:
        while chars is None or got < chars:
            record = next(steps, None)
            if record is None:
                finished = True
                break
            records.append(record)
            if record.start < start:
                first = len(records)
            else:
                got += size_of(record)
    except JournalUnreadable as error:
        fault, finished = error, True
    return Window(_marked(records), first, finished, fault)


def _marked(records: Sequence[Record]) -> tuple[Record, ...]:
    dead = dead_records(records)
    if not dead:
        return tuple(records)
    return tuple(
        r._replace(events=tuple(replace(e, dead=True) for e in r.events)) if i in dead and r.events else r
        for i, r in enumerate(records)
    )


def size_of(record: Record) -> int:
    """Characters of evidence in a record."""
    events = record.events
    if not events:
        return 0
    return len(events[0].text) if len(events) == 1 else sum([len(e.text) for e in events])


def without_repeats(window: Window, taken: Mapping[str, str], mine: str = "") -> tuple[Window, int]:
    """The window without the events of records that another batch has read (record key → batch id), or that stand twice
    in it; and how many records that were. `mine` is the batch that may keep its own."""
    kept: list[Record] = list(window.records[: window.first])
    met: set[str] = set()
    repeated = 0
    for record in window.records[window.first :]:
        if record.key:
            owner = taken.get(record.key, mine)
            if owner != mine or record.key in met:
                repeated += 1
                record = record._replace(events=(), key="", left_out={**record.left_out, "repeated": 1})
            met.add(record.key)
        kept.append(record)
    return replace(window, records=tuple(kept)), repeated


def pieces(window: Window, chunk_chars: int) -> Iterator[Piece]:
    """Cut the unread records into batches of about `chunk_chars`: always at a session border, else preferably before a
    human turn. Records without events go with what stands before them; a window without any events gives nothing."""
    records = window.records
    begin = window.first
    chars = 0
    border = -1  # the last good place to cut
    border_chars = 0
    session = ""
    for i in range(window.first, len(records)):
        size = size_of(records[i])
        if size == 0:
            continue
        switched = bool(session) and records[i].session != session
        if chars and (switched or chars + size > chunk_chars):
            at, left = (i, 0) if switched or border <= begin else (border, chars - border_chars)
            yield Piece(begin, at, chars - left)
            begin, chars, border = at, left, -1
        session = records[i].session
        if chars >= _EARLY * chunk_chars and _opens_turn(records[i]):
            border, border_chars = i, chars
        chars += size
    if chars:
        yield Piece(begin, len(records), chars)


def _opens_turn(record: Record) -> bool:
    return record.events[0].cls is EvidenceClass.USER


def context_before(records: Sequence[Record], index: int) -> int:
    """Index of the first record whose events fit the context of a batch that begins at `index`. The turn just before is
    shown also where it alone is longer: it may be the question that is answered."""
    at, chars = index, 0
    after = records[index:] or records[-1:]
    session = next((r.session for r in after if r.events), after[0].session if after else "")
    for i in range(index - 1, -1, -1):
        size = size_of(records[i])
        if session and records[i].events and records[i].session != session:
            break
        if chars + size > (CONTEXT_CHARS if chars else _ONE_TURN):
            break
        chars += size
        if records[i].events:
            at = i
    return at


def batch_events(
    records: Sequence[Record], raw: Sequence[Record], context: int, first: int, last: int
) -> list[Event]:
    """Events of a batch in order: context from the raw records [context, first), evidence from [first, last)."""
    before = [replace(e, context=True) for r in raw[context:first] for e in r.events]
    return before + [e for r in records[first:last] for e in r.events]
