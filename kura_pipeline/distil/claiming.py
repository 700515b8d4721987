"""Planning what to claim of one journal: the walk, the repeats, the cuts, and the mark that follows from them.

A plan is a value; nothing is reserved here.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pyarrow as pa

from kura_pipeline.distil.evidence import evidence_table
from kura_pipeline.distil.stretch import (
    Piece,
    Window,
    batch_events,
    context_before,
    pieces,
    walk_window,
    without_repeats,
)
from kura_pipeline.journals.base import Adapter, Caps, Reading, Record
from kura_pipeline.journals.discover import JournalFile
from kura_pipeline.journals.sniff import adapter
from kura_runtime.config.model import StoreConfig
from kura_runtime.ledger.claims import Claim, Mark
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.raw.sessions import IndexMark

WINDOW_BATCHES = 8  # batches walked at once: bounds memory on a giant journal
SETTLED_SECONDS = 2.0  # a note whose last line has no newline is read when nobody has written it for so long


@dataclass(frozen=True, slots=True)
class Walked:
    """What one walk met: every record from `start` on, those before the mark and those read elsewhere too. `whole`: it
    reached the end of the file, and nothing was left of an unfinished line."""

    file: JournalFile
    adapter: Adapter
    start: int
    records: tuple[Record, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What one walk wants reserved: claims with their evidence, the mark after them, the records they take (key, batch).

    `failure` is a line about the journal where it could not be walked on; `reread` says that it turned out to be
    rewritten; `repeated` counts records read before under another name.
    """

    claims: tuple[Claim, ...]
    tables: tuple[pa.Table, ...]
    mark: Mark
    seen: tuple[tuple[str, str], ...]
    left_out: dict[str, int] = field(default_factory=dict)
    repeated: int = 0
    reread: bool = False
    failure: str = ""
    walked: Walked | None = None

    @property
    def chars(self) -> int:
        return sum(c.chars for c in self.claims)


class Planner:
    """Plans for one store and one moment. Repeats are looked for in the ledger and among the plans made so far."""

    def __init__(self, cfg: StoreConfig, ledger: Ledger, now: datetime) -> None:
        self.cfg, self.ledger, self.now = cfg, ledger, now
        self.marks = ledger.claims.marks(cfg.name)
        self.caps = Caps(cfg.distill.tool_cap, cfg.distill.text_cap)
        self._pending: dict[str, str] = {}

    def reserved(self, plan: Plan) -> None:
        """Forget the records of a plan that the ledger knows from now on: those of a giant journal are many."""
        for key, _ in plan.seen:
            self._pending.pop(key, None)

    def mark_of(self, file: JournalFile, one: Adapter) -> tuple[Mark, bool]:
        """Where reading goes on, and whether the journal is another file than the one that was read."""
        known = self.marks.get(file.key)
        fresh = Mark(self.cfg.name, file.key, one.name, one.unit, "", 0, 0, 0, "")
        if known is None:
            return fresh, False
        if known.adapter == one.name and is_same(one, file, known):
            return known, False
        generation = known.generation + 1
        return Mark(self.cfg.name, file.key, one.name, one.unit, "", generation, 0, 0, ""), True

    def unchanged(self, file: JournalFile) -> bool:
        """True where the file was read to its end and not written since."""
        known = self.marks.get(file.key)
        return known is not None and bool(known.stamp) and known.stamp == file.stamp

    def plans(self, file: JournalFile, limit: int | None) -> Iterator[Plan]:
        """Plans for what is unread of one journal, at most `limit` batches. Raises JournalUnreadable."""
        if self.unchanged(file):
            return
        one = adapter(file.adapter or "")
        mark, reread = self.mark_of(file, one)
        # a numbered journal is walked from its beginning every time: one window, then
        window = WINDOW_BATCHES if one.unit == "byte" else sys.maxsize
        while limit is None or limit > 0:
            many = window if limit is None else min(limit, window)
            plan, finished = self._plan(file, one, mark, many, reread)
            yield plan
            if limit is not None:
                limit -= len(plan.claims)
            if finished:
                return
            mark, reread = plan.mark, False

    def _plan(
        self, file: JournalFile, one: Adapter, mark: Mark, many: int, reread: bool
    ) -> tuple[Plan, bool]:
        chunk = self.cfg.distill.chunk_chars
        time = file_time(file)
        reading = one.read(
            file.path, mark.tail_start, caps=self.caps, file_time=time, settled=self.settled(file)
        )
        raw = walk_window(reading, mark.read_to, chunk * many)
        keys = [r.key for r in raw.records[raw.first :] if r.key]
        taken = self.ledger.claims.seen(self.cfg.name, keys)
        taken.update({k: self._pending[k] for k in keys if k in self._pending})
        window, repeated = without_repeats(raw, taken)
        cuts = list(pieces(window, chunk))
        held_back = len(cuts) > many or (not window.finished and len(cuts) > 1)
        if held_back:  # the last piece is only where the walk stopped, not a batch of its own size
            cuts = cuts[: min(many, len(cuts) - 1)]
        before = [context_before(raw.records, cut.first) for cut in cuts]
        claims = tuple(
            self._claim(file, one, mark, window, cut, raw.records[at].start, time)
            for cut, at in zip(cuts, before, strict=True)
        )
        tables = tuple(
            evidence_table(c.batch_id, batch_events(window.records, raw.records, at, cut.first, cut.last))
            for c, cut, at in zip(claims, cuts, before, strict=True)
        )
        seen = tuple(
            (r.key, c.batch_id)
            for c, cut in zip(claims, cuts, strict=True)
            for r in window.records[cut.first : cut.last]
            if r.key
        )
        self._pending.update(seen)
        upto = cuts[-1].last if held_back else len(window.records)
        finished = window.finished and not held_back
        at_end = window.finished and window.fault is None and reading.partial == 0
        whole = at_end and not held_back
        left_out = _left_out(window.records[window.first : upto])
        after = self._mark_after(file, one, mark, raw, upto, reading, whole)
        failure = str(window.fault) if window.fault is not None else ""
        walked = Walked(file, one, mark.tail_start, raw.records, at_end) if raw.records else None
        return Plan(claims, tables, after, seen, left_out, repeated, reread, failure, walked), finished

    def settled(self, file: JournalFile) -> bool:
        """True where nobody has written the file for a moment."""
        return self.now.timestamp() - file.mtime_ns / 1e9 >= SETTLED_SECONDS

    def _claim(
        self, file: JournalFile, one: Adapter, mark: Mark, window: Window, cut: Piece, context: int, time: str
    ) -> Claim:
        records = window.records[cut.first : cut.last]
        start, end = max(records[0].start, mark.read_to), records[-1].end
        events = Counter([e.cls.value for r in records for e in r.events])
        return Claim(
            batch_id=batch_name(self.cfg.name, file.key, mark.generation, start, end, self.now),
            store=self.cfg.name,
            journal_key=file.key,
            adapter=one.name,
            unit=one.unit,
            session=next(e.session for r in records for e in r.events),
            generation=mark.generation,
            walk_start=mark.tail_start,
            context_start=context,
            start=start,
            end=end,
            horizon=window.horizon,
            file_time=time,
            tool_cap=self.caps.tool,
            text_cap=self.caps.text,
            events=dict(sorted(events.items())),
            chars=cut.chars,
            left_out=dict(sorted(_left_out(records).items())),
            source_sha256=one.digest(file.path, start, end),
            claimed_at=self.now.astimezone(UTC).isoformat(timespec="seconds"),
        )

    def _mark_after(
        self,
        file: JournalFile,
        one: Adapter,
        mark: Mark,
        window: Window,
        upto: int,
        reading: Reading,
        whole: bool,
    ) -> Mark:
        records = window.records
        read_to = max(mark.read_to, records[upto - 1].end) if upto > window.first else mark.read_to
        at = context_before(records, upto) if upto else 0
        # a record that may still grow is where the next walk begins: from further up its rest would pass for read
        tail = records[at].start if at < upto and not reading.open_end else read_to
        return Mark(
            store=mark.store,
            journal_key=mark.journal_key,
            adapter=one.name,
            unit=one.unit,
            session=reading.session or mark.session,
            generation=mark.generation,
            read_to=read_to,
            tail_start=min(tail, read_to),
            fingerprint=one.fingerprint(file.path, read_to),
            stamp=file.stamp if whole else "",
        )


def is_same(one: Adapter, file: JournalFile, known: Mark | IndexMark) -> bool:
    """Whether the journal up to the mark is still the one that was read. A mark that was forgotten ("") and a file that is
    shorter than it ("") are not the same nothing."""
    return bool(known.fingerprint) and one.fingerprint(file.path, known.read_to) == known.fingerprint


def _left_out(records: Sequence[Record]) -> dict[str, int]:
    left_out: dict[str, int] = {}
    for r in records:
        if r.left_out:
            for reason, n in r.left_out.items():
                left_out[reason] = left_out.get(reason, 0) + n
    return left_out


def file_time(file: JournalFile) -> str:
    """The file's own time, ISO 8601 in UTC."""
    return time_of(file.mtime_ns)


def time_of(mtime_ns: int) -> str:
    """A file's time stamp as ISO 8601 in UTC."""
    return datetime.fromtimestamp(mtime_ns / 1e9, UTC).isoformat(timespec="seconds")


def batch_name(store: str, key: str, generation: int, start: int, end: int, now: datetime) -> str:
    """`YYYYMMDDTHHMMSS-<8 hex>`: the time of the claim and a hash of what it claims."""
    span = hashlib.sha256(f"{store}\x1f{key}\x1f{generation}\x1f{start}\x1f{end}".encode()).hexdigest()[:8]
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-{span}"
