"""Filling the raw tier: many events in one transaction, in the order of their numbers.

FTS5 gathers words in memory and writes them out whenever a row comes with a lower number than the one before. So the rows
of a transaction are sorted first.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kura_runtime.domain.evidence import Event
from kura_runtime.raw.database import BITS, FILE, INSERT_TERMS, facets, milliseconds, opened, transaction
from kura_runtime.raw.terms import indexed

_CHUNK = 900  # parameters of one query
_LOW = (1 << BITS) - 1


@dataclass(frozen=True, slots=True)
class IndexMark:
    """How far a journal is indexed; `stamp` is the state of the file that was read to its end, or ""."""

    read_to: int
    fingerprint: str
    stamp: str


class Filling:
    """The open index of one store, to be filled in several transactions."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @classmethod
    @contextmanager
    def of(cls, store: Path) -> Iterator[Filling]:
        """Open the index of the store for writing. Raises StoreDamaged, KuraError."""
        with opened(store, write=True) as db:
            yield cls(db)

    def marks(self) -> dict[str, IndexMark]:
        """Journal → how far it is indexed."""
        return {row[0]: IndexMark(*row[1:]) for row in self._db.execute("SELECT * FROM marks")}

    def add(self, events: Iterable[Event], *, journal: str = "", mark: IndexMark | None = None) -> int:
        """Index events (context is left out); those indexed before stay as they are. With `journal` and `mark`, remember
        in the same transaction how far it is indexed. Returns how many were new."""
        wanted: dict[int, Event] = {}
        for event in events:
            if not event.context:
                wanted.setdefault(_eid(event.event_id), event)
        db = self._db
        with transaction(db):
            known = self._existing("eid", list(wanted))
            placed = self._placed([(eid, event) for eid, event in wanted.items() if eid not in known])
            db.executemany(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        number, eid, e.event_id, e.cls.value, e.ts, e.session, e.journal_key, e.byte_start, e.byte_end,
                        e.tool, e.text,
                    )
                    for number, eid, e in placed
                ],
            )  # fmt: skip
            db.executemany(
                INSERT_TERMS,
                [
                    (number, *indexed(e.text), facets(e.cls.value, e.session, e.tool))
                    for number, _, e in placed
                ],
            )
            if placed:
                db.execute("INSERT INTO additions VALUES (?)", (len(placed),))
            if mark is not None:
                db.execute(
                    "INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)",
                    (journal, mark.read_to, mark.fingerprint, mark.stamp),
                )
        return len(placed)

    def _existing(self, column: str, values: Sequence[int]) -> set[int]:
        found: set[int] = set()
        for i in range(0, len(values), _CHUNK):
            some = values[i : i + _CHUNK]
            places = ",".join("?" * len(some))
            rows = self._db.execute(f"SELECT {column} FROM events WHERE {column} IN ({places})", some)  # noqa: S608
            found.update(row[0] for row in rows)
        return found

    def _placed(self, fresh: Sequence[tuple[int, Event]]) -> list[tuple[int, int, Event]]:
        """(number, eid, event), lowest number first. Two events of the same millisecond may want the same number."""
        wanted = [(milliseconds(event.ts) << BITS) + (eid & _LOW) for eid, event in fresh]
        taken = self._existing("id", wanted)
        placed: list[tuple[int, int, Event]] = []
        for number, (eid, event) in zip(wanted, fresh, strict=True):
            if number in taken:
                number += 1
                while number in taken or self._existing("id", [number]):
                    number += 1
            taken.add(number)
            placed.append((number, eid, event))
        placed.sort(key=lambda row: row[0])
        return placed


def index_events(
    store: Path, events: Iterable[Event], *, journal: str = "", mark: IndexMark | None = None
) -> int:
    """Open the index and add events to it, see `Filling.add`."""
    with Filling.of(store) as filling:
        return filling.add(events, journal=journal, mark=mark)


def index_marks(store: Path) -> dict[str, IndexMark]:
    """Journal → how far it is indexed."""
    if not (store / FILE).exists():
        return {}
    with opened(store) as db:
        return Filling(db).marks()


def count(store: Path) -> int:
    """Events in the index."""
    if not (store / FILE).exists():
        return 0
    with opened(store) as db:
        return int(db.execute("SELECT count(*) FROM events").fetchone()[0])


def _eid(event_id: str) -> int:
    return int.from_bytes(hashlib.sha256(event_id.encode()).digest()[:8], "big", signed=True)
