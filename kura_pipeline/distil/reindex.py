"""Building the search index anew: from the journals that are there, the evidence that was kept, and the archive.

The new index grows beside the old one and takes its place when it is whole, so that a search always finds one or the other.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from upath import UPath

from kura_pipeline.distil.batch import batch_of
from kura_pipeline.distil.copies import Copy, copies, unpacked
from kura_pipeline.distil.rawtier import RawIndexed, index_journals
from kura_pipeline.journals.base import Caps
from kura_pipeline.journals.held import is_there
from kura_pipeline.journals.sniff import adapter
from kura_pipeline.storage import read_whole
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.domain.evidence import Event
from kura_runtime.errors import JournalUnreadable, KuraError, StoreDamaged
from kura_runtime.gate.secrets import redact
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.raw.sessions import FILE, index_events

_TOGETHER = 5000  # events of one transaction
_BESIDE = Path("_still") / "sessions-new"


@dataclass(frozen=True, slots=True)
class Reindexed:
    """Events in the new index by where they came from: the journals as they are, archived copies of journals that are gone,
    and evidence of what neither has. `failures` has one line for each source that could not be read."""

    journals: int
    archive: int
    evidence: int
    failures: tuple[str, ...] = ()

    @property
    def events(self) -> int:
        return self.journals + self.archive + self.evidence


def reindex(config: Config, cfg: StoreConfig, ledger: Ledger) -> Reindexed:
    """Make the search index of a store anew, whatever state the old one is in. Secrets are looked for by today's rules. A
    killed call leaves the old index as it was. Raises KuraError where the index cannot be written."""
    beside = cfg.path / _BESIDE
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir(parents=True)
        index_events(beside, [])  # an index of nothing is one, too
        walked = index_journals(cfg, into=beside)
        failures = list(walked.failures)
        archived = kept = 0
        for copy in copies(config, cfg, ledger):
            if not is_there(Path(copy.path)):
                try:
                    archived += _filled(beside, _of_copy(copy, cfg))
                except KuraError as error:
                    failures.append(str(error))
        for path in sorted((UPath(config.storage_root) / cfg.name / "evidence").glob("*.parquet"), key=str):
            try:
                kept += _filled(beside, _of_evidence(path))
            except (KuraError, OSError, ValueError, KeyError) as error:
                failures.append(f"{path}: {error}")
        _take_the_place(beside / FILE, cfg.path / FILE)
    except OSError as error:
        raise KuraError(
            f"{error.filename or beside}: the search index cannot be built ({error.strerror or error}); the old one stays as it was"
        ) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return Reindexed(walked.events, archived, kept, tuple(failures))


def indexed(config: Config, cfg: StoreConfig, ledger: Ledger) -> RawIndexed:
    """Bring the index up to the journals; one that is missing or damaged is made anew, from everything there is."""
    damaged = ""
    if (cfg.path / FILE).exists():
        try:
            return index_journals(cfg)
        except StoreDamaged as error:
            damaged = str(error)
    made = reindex(config, cfg, ledger)
    said = (f"{damaged}; it was made anew from {made.events} events",) if damaged else ()
    return RawIndexed(made.events, 0, (*said, *made.failures))


def _filled(place: Path, events: Iterator[Event]) -> int:
    new, together = 0, []
    for event in events:
        together.append(event)
        if len(together) >= _TOGETHER:
            new += index_events(place, together)
            together = []
    return new + (index_events(place, together) if together else 0)


def _of_copy(copy: Copy, cfg: StoreConfig) -> Iterator[Event]:
    with unpacked(copy) as path:
        caps = Caps(cfg.distill.tool_cap, cfg.distill.text_cap)
        try:
            for record in adapter(copy.adapter).read(path, caps=caps, settled=True):
                for event in record.events:
                    yield replace(event, journal_key=copy.path)
        except JournalUnreadable as error:
            raise KuraError(str(error).replace(str(path), f"{copy.path} (its archived copy)")) from None


def _of_evidence(path: UPath) -> Iterator[Event]:
    for event in batch_of(read_whole(path)).events:
        if not event.context:
            clean, found = redact(event.text)
            yield replace(event, text=clean) if found else event


def _take_the_place(new: Path, old: Path) -> None:
    """Put the whole new index where the old one was. Readers that have the old one open keep it to their end."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(new, isolation_level=None)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode = DELETE")
    fd = os.open(new, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    if old.exists():
        try:  # its log folded in and gone: beside the new file it would be taken for that one's
            with closing(sqlite3.connect(old, isolation_level=None, timeout=10)) as db:
                db.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise KuraError(
                    f"{old}: another process is using the search index; try again when it has ended"
                ) from None
        except sqlite3.DatabaseError:
            pass  # it is damaged: that is why it is made anew
    for side in ("-wal", "-shm"):
        old.with_name(old.name + side).unlink(missing_ok=True)
    new.replace(old)
