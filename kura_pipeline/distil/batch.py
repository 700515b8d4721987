"""Batches: reserve before you drink, then read what was reserved, as often as wanted and always the same.

A claim is made under the store's claim lock, in one transaction. What is claimed and has no evidence yet is read again
from the journal; what has evidence never needs the journal again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

from kura_pipeline.distil.claiming import Plan, Planner, batch_name, file_time
from kura_pipeline.distil.evidence import EVIDENCE_SCHEMA, batch_of, evidence_counts, evidence_table
from kura_pipeline.distil.indexing import Feed
from kura_pipeline.distil.served import ingest_served
from kura_pipeline.distil.stretch import batch_events, walk_window, without_repeats
from kura_pipeline.journals.base import Adapter, Caps
from kura_pipeline.journals.discover import FAULTY, Discovery, JournalFile, discover
from kura_pipeline.journals.sniff import adapter, adapters
from kura_runtime.config.model import StoreConfig
from kura_runtime.errors import JournalUnreadable, KuraError, StoreDamaged
from kura_runtime.ledger.claims import Claim, Mark
from kura_runtime.ledger.ledger import Ledger

__all__ = [
    "EVIDENCE_SCHEMA",
    "EVIDENCE_VERSION",
    "CatchUp",
    "ClaimReport",
    "Unread",
    "batch_of",
    "catch_up",
    "claim",
    "evidence_counts",
    "evidence_table",
    "find",
    "read_batch",
    "unread",
    "window_start",
]

EVIDENCE_VERSION = "1"
LOCK_SECONDS = 60
Sink = Callable[[Claim, pa.Table], None]


@dataclass(frozen=True, slots=True)
class ClaimReport:
    """What a claim reserved, and everything it did not: `failures` are lines for journals and roots that could not be
    read, `left_out` counts what the adapters left out, `repeated` records read before under another name, `reread`
    the journals that turned out to be rewritten, `skipped` journals passed over by reason. `unread` counts the
    characters that were found but not worth a batch yet."""

    batches: tuple[Claim, ...] = ()
    failures: tuple[str, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)
    repeated: int = 0
    reread: tuple[str, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Unread:
    """What a look at the files says without reading them: seconds since the epoch of the newest journal and of the
    oldest unread one (0: none), and the bytes that were never read."""

    newest: float
    oldest: float
    bytes: int
    journals: int = 0


@dataclass(frozen=True, slots=True)
class CatchUp:
    """What a catch-up passed over: journals moved, and records skipped in them."""

    journals: int
    skipped: int
    failures: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {"journals": self.journals, "skipped": self.skipped, "failures": list(self.failures)}


def find(cfg: StoreConfig, marks: dict[str, Mark] | None = None) -> Discovery:
    """The journals of a store, newest first."""
    known = {key: m.adapter for key, m in (marks or {}).items()}
    return discover(cfg.journals, exclude=cfg.distill.exclude, stores=[cfg.path], known=known)


def window_start(cfg: StoreConfig, now: datetime) -> datetime:
    """How far back the nightly run reads: `[distill] window_days` before `now`. `kura run` reads what is older, `kura
    catchup` passes over it."""
    return now - timedelta(days=float(cfg.distill.window_days))


def unread(cfg: StoreConfig, ledger: Ledger) -> Unread:
    """Stat the journals and compare with the ledger's marks. Nothing is read or claimed."""
    marks = ledger.claims.marks(cfg.name)
    files = find(cfg, marks).readable
    waiting: list[tuple[float, int]] = []
    for file in files:
        mark = marks.get(file.key)
        if mark is not None and mark.stamp == file.stamp:
            continue
        counts_bytes = (
            mark is not None and mark.unit == "byte" and mark.fingerprint and mark.read_to <= file.size
        )
        left = file.size - (mark.read_to if mark is not None and counts_bytes else 0)
        if left > 0:
            waiting.append((file.mtime_ns / 1e9, left))
    return Unread(
        newest=max((f.mtime_ns / 1e9 for f in files), default=0.0),
        oldest=min((t for t, _ in waiting), default=0.0),
        bytes=sum(n for _, n in waiting),
        journals=len(waiting),
    )


def claim(
    cfg: StoreConfig,
    ledger: Ledger,
    *,
    limit: int | None = None,
    now: datetime,
    min_chars: int = 0,
    since: datetime | None = None,
    sink: Sink | None = None,
) -> ClaimReport:
    """Reserve what is unread, newest journals first, at most `limit` batches (None: all of it).

    Nothing is reserved while less than `min_chars` characters are unread. `since` leaves journals alone that were last
    written before it. `sink` gets each batch with its evidence, from the same walk, after it is reserved. What the walk meets
    goes into the search index, too.

    Raises KuraError where another process has held the store's claim lock for a minute, or the ledger cannot be written.
    """
    with _claiming(cfg, ledger), Feed(cfg) as feed:
        ingest_served(
            cfg, ledger
        )  # before anything new is read: what was handed out so far is no evidence in it
        found = find(cfg, ledger.claims.marks(cfg.name))
        sums = _Sums(list(_failures(found)))
        planner = Planner(cfg, ledger, now)
        held: list[Plan] = []
        for file in found.readable:
            if limit is not None and sums.planned >= limit:
                break
            if since is not None and file.mtime_ns / 1e9 < since.timestamp():
                if not planner.unchanged(file):
                    sums.skipped["older-than-window"] += 1
                continue
            room = None if limit is None else limit - sums.planned
            try:
                for plan in planner.plans(file, room):
                    sums.add(plan)
                    feed.take(plan.walked)
                    held.append(plan)
                    if sums.chars >= min_chars:
                        for ready in held:
                            _reserve(ledger, ready, sink)
                            planner.reserved(ready)
                        held.clear()
            except JournalUnreadable as error:
                sums.failures.append(str(error))
        sums.failures += feed.failures
        return sums.report(held)


def catch_up(cfg: StoreConfig, ledger: Ledger, *, now: datetime) -> CatchUp:
    """Mark every journal as read up to now, distilling nothing. It only ever moves forward; an unfinished last line
    stays for later. Records passed over count as read, also where a resumed session repeats them."""
    journals, skipped = 0, 0
    with _claiming(cfg, ledger):
        found = find(cfg, ledger.claims.marks(cfg.name))
        failures = list(_failures(found))
        planner = Planner(cfg, ledger, now)
        for file in found.readable:
            if planner.unchanged(file):
                continue
            try:
                passed = _pass_over(planner, file)
            except JournalUnreadable as error:
                failures.append(str(error))
                continue
            if passed:
                journals += 1
                skipped += passed
    return CatchUp(journals, skipped, tuple(failures))


def read_batch(cfg: StoreConfig, ledger: Ledger, batch_id: str, *, kept: pa.Table | None = None) -> pa.Table:
    """The evidence of a batch: `kept`, where it was written before, else read again from the journal over exactly the
    claimed stretch. The same claim gives the same table.

    Raises KuraError for an unknown or lost batch, JournalUnreadable where the stretch is not there any more: the claim is
    then lost, its records are free again, and the journal will be read anew.
    """
    known = ledger.claims.get(batch_id)
    if known is None or known.store != cfg.name:
        raise KuraError(
            f"no claim of batch {batch_id} in store {cfg.name}; the partitions in `kura dev` list them"
        )
    if kept is not None:
        _same_shape(kept, batch_id)
        if known.state == "claimed":
            ledger.claims.evidence_kept(batch_id)
        return kept
    if known.state == "lost":
        raise KuraError(f"batch {batch_id}: its stretch of {known.journal_key} is gone ({known.last_error})")
    return _read_again(ledger, known)


def _read_again(ledger: Ledger, known: Claim) -> pa.Table:
    path, one = Path(known.journal_key), adapter(known.adapter)
    if not _still_there(known, path, one):
        reason = "the claimed stretch was rewritten before its evidence was kept; the journal is read anew with the next claim"
        ledger.claims.lost(known.batch_id, reason)
        raise JournalUnreadable(path, reason, known.start)
    reading = one.read(
        path,
        known.walk_start,
        end=known.horizon,
        caps=Caps(known.tool_cap, known.text_cap),
        file_time=known.file_time,
        settled=True,
    )
    raw = walk_window(reading, known.start, None)
    if raw.fault is not None and reading.end < known.end:
        raise raw.fault
    keys = [r.key for r in raw.records[raw.first :] if r.key]
    window, _ = without_repeats(raw, ledger.claims.seen(known.store, keys), known.batch_id)
    last = next((i for i, r in enumerate(window.records) if r.start >= known.end), len(window.records))
    context = next((i for i, r in enumerate(raw.records) if r.start >= known.context_start), raw.first)
    return evidence_table(
        known.batch_id, batch_events(window.records, raw.records, min(context, raw.first), raw.first, last)
    )


def _still_there(known: Claim, path: Path, one: Adapter) -> bool:
    """Whether the claimed stretch is what it was. Raises JournalUnreadable where the file cannot be read just now."""
    try:
        return one.digest(path, known.start, known.end) == known.source_sha256
    except JournalUnreadable:
        if one.fingerprint(path, known.end):
            raise
        return False  # shorter than it was: truncated, or another file under its name


def _same_shape(table: pa.Table, batch_id: str) -> None:
    missing = [n for n in EVIDENCE_SCHEMA.names if n != "dead" and n not in table.column_names]
    if missing:
        raise StoreDamaged(
            f"evidence of batch {batch_id}",
            f"the Parquet file lacks {', '.join(missing)}; remove it to have the journal read again",
        )


def _reserve(ledger: Ledger, plan: Plan, sink: Sink | None) -> None:
    ledger.claims.reserve(plan.claims, plan.mark, plan.seen)
    if sink is not None:
        for made, table in zip(plan.claims, plan.tables, strict=True):
            sink(made, table)


def _pass_over(planner: Planner, file: JournalFile) -> int:
    """Reserve the unread rest of a journal as skipped; the number of records with events in it."""
    one = adapter(file.adapter or "")
    mark, _ = planner.mark_of(file, one)
    reading = one.read(
        file.path,
        mark.read_to,
        caps=replace(planner.caps, redact=False),
        file_time=file_time(file),
        settled=planner.settled(file),
    )
    keys: list[str] = []
    events: Counter[str] = Counter()
    for record in reading:
        if record.key:
            keys.append(record.key)
            events.update(e.cls.value for e in record.events)
    if reading.end <= mark.read_to:
        return 0
    name = batch_name(mark.store, file.key, mark.generation, mark.read_to, reading.end, planner.now)
    at = planner.now.astimezone(UTC).isoformat(timespec="seconds")
    passed = Claim(
        name, mark.store, file.key, one.name, one.unit, reading.session, mark.generation, reading.end, reading.end,
        mark.read_to, reading.end, reading.end, file_time(file), planner.caps.tool, planner.caps.text,
        dict(sorted(events.items())), left_out=dict(sorted(reading.left_out.items())), state="skipped", claimed_at=at,
    )  # fmt: skip
    after = replace(
        mark,
        session=reading.session,
        read_to=reading.end,
        tail_start=reading.end,
        fingerprint=one.fingerprint(file.path, reading.end),
        stamp="" if reading.partial else file.stamp,
    )
    planner.ledger.claims.reserve([passed], after, [(k, name) for k in keys])
    return len(keys)


def _failures(found: Discovery) -> Iterator[str]:
    yield from found.problems
    for file in found.files:
        if file.status in FAULTY:
            yield f"{file.path}: {file.reason}"


@contextmanager
def _claiming(cfg: StoreConfig, ledger: Ledger) -> Iterator[None]:
    if not cfg.path.is_dir():
        raise KuraError(
            f"{cfg.path}: the folder of store {cfg.name} is missing; create it with `kura init {cfg.name} --path {cfg.path}`"
        )
    adapters()  # load before the lock is taken
    lock = cfg.path / "_kura" / "claim.lock"
    try:
        lock.parent.mkdir(exist_ok=True)
        with FileLock(lock, timeout=LOCK_SECONDS), ledger.claims.exclusive(cfg.name):
            yield
    except Timeout:
        raise KuraError(
            f"{lock}: another process has been claiming for store {cfg.name} for {LOCK_SECONDS} s; try again when it has ended"
        ) from None
    except PermissionError as error:
        raise KuraError(
            f"{error.filename}: cannot be written, so nothing can be claimed; make it writable"
        ) from None


class _Sums:
    """Adds up what the plans say."""

    def __init__(self, failures: list[str]) -> None:
        self.failures = failures
        self.claims: list[Claim] = []
        self.left_out: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.reread: list[str] = []
        self.repeated = 0
        self.chars = 0

    @property
    def planned(self) -> int:
        return len(self.claims)

    def add(self, plan: Plan) -> None:
        self.claims += plan.claims
        self.left_out.update(plan.left_out)
        self.repeated += plan.repeated
        self.chars += plan.chars
        if plan.reread:
            self.reread.append(plan.mark.journal_key)
        if plan.failure:
            self.failures.append(plan.failure)

    def report(self, held: list[Plan]) -> ClaimReport:
        waiting = {c.batch_id for plan in held for c in plan.claims}
        return ClaimReport(
            batches=tuple(c for c in self.claims if c.batch_id not in waiting),
            failures=tuple(self.failures),
            left_out=dict(sorted(self.left_out.items())),
            repeated=self.repeated,
            reread=tuple(self.reread),
            skipped=dict(self.skipped),
            unread=sum(plan.chars for plan in held),
        )
