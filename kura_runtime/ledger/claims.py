"""Claims: who has reserved which stretch of which journal, and what became of it.

    claimed ──► evidence ──► done
       │            └──────► parked   (three errors of its own)
       ├──────────────────► lost     (the journal was rewritten before its evidence was kept)
    skipped                           (catch-up: read past, on purpose)

The claim rows are the truth; a partition in a UI is a view that can be rebuilt from them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import Connection, delete, func, insert, select, update

from kura_runtime.errors import KuraError
from kura_runtime.ledger import schema
from kura_runtime.ledger.calls import clean, now
from kura_runtime.ledger.database import Database, insert_new, put
from kura_runtime.ledger.records import CHUNK

ClaimState = Literal["claimed", "evidence", "done", "parked", "skipped", "lost"]
OPEN: tuple[str, ...] = ("claimed", "evidence")
MAX_ERRORS = 3

_C = schema.claims.c
_J = schema.journals.c
_REMEMBER = "INSERT INTO seen (store, record_key, batch_id) VALUES (?, ?, ?) ON CONFLICT (store, record_key) DO NOTHING"
_SEEN = (
    "SELECT record_key, batch_id FROM seen WHERE store = ? AND record_key IN (SELECT value FROM json_each(?))"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One reserved stretch of one journal. `start`/`end` are in the adapter's unit (bytes, or record numbers).

    A re-read walks from `walk_start` to `horizon` as the claiming walk did, so that what depends on neighbouring records
    comes out the same; context is taken from `context_start` on. `file_time` is the file's own time when it was claimed
    (only plain text falls back to it); the caps are those of the configuration at that time. `source_sha256` is the hash of the claimed stretch.
    """

    batch_id: str
    store: str
    journal_key: str
    adapter: str
    unit: str
    session: str
    generation: int
    walk_start: int
    context_start: int
    start: int
    end: int
    horizon: int
    file_time: str
    tool_cap: int = 1500
    text_cap: int = 4000
    events: dict[str, int] = field(default_factory=dict)
    chars: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    source_sha256: str = ""
    state: str = "claimed"
    errors: int = 0
    last_error: str = ""
    claimed_at: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far one store has read one journal. `tail_start` is where the context of the next batch begins;
    `fingerprint` tells whether the file up to `read_to` is still the one that was read; `stamp` is the state of the
    file (size and time) that was read to its end, or "". `updated_at` (ISO 8601, UTC) is when the mark was set: the
    ledger says it, and whoever makes a mark leaves it empty."""

    store: str
    journal_key: str
    adapter: str
    unit: str
    session: str
    generation: int
    read_to: int
    tail_start: int
    fingerprint: str
    stamp: str = ""
    updated_at: str = field(default="", compare=False)


class Claims:
    """Marks, claims and seen records. Reservations of one store are made under the store's claim lock by the caller."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def reserve(self, claims: Sequence[Claim], mark: Mark, seen: Iterable[tuple[str, str]]) -> None:
        """Insert claims, move the journal's mark and remember its records (record key, batch id): one transaction.

        Raises KuraError where one of the stretches is reserved already; then nothing was written.
        """
        keys = [{"store": mark.store, "record_key": k, "batch_id": b} for k, b in dict(seen).items()]
        with self._db.write() as db:
            taken = self._taken(db, claims)
            if taken:
                raise KuraError(
                    f"{mark.journal_key}: the stretch from {taken.start} is reserved already by batch {taken.batch_id}"
                )
            if claims:
                db.execute(insert(schema.claims), [_row(c) for c in claims])
            self._remember(db, keys)
            _set_mark(db, mark)

    def _remember(self, db: Connection, keys: list[dict[str, str]]) -> None:
        if self._db.is_sqlite and keys:  # many thousand rows: as they are, past the statement's compiler
            db.exec_driver_sql(_REMEMBER, [tuple(k.values()) for k in keys])
            return
        for i in range(0, len(keys), CHUNK):
            insert_new(db, schema.seen, keys[i : i + CHUNK], ("store", "record_key"))

    def _taken(self, db: Connection, claims: Sequence[Claim]) -> Claim | None:
        for c in claims:
            row = (
                db.execute(
                    select(schema.claims).where(
                        _C.store == c.store,
                        _C.journal_key == c.journal_key,
                        _C.generation == c.generation,
                        _C.span_start < c.end,
                        _C.span_end > c.start,
                    )
                )
                .mappings()
                .first()
            )
            if row is not None:
                return _claim(row)
        return None

    @contextmanager
    def exclusive(self, store: str) -> Iterator[None]:
        """Where several machines share the ledger, one of them claims for a store at a time. On SQLite the store's own
        file lock already says so."""
        if self._db.is_sqlite:
            yield
            return
        number = int.from_bytes(hashlib.sha256(f"claim:{store}".encode()).digest()[:8], "big", signed=True)
        with self._db.write() as db:
            db.execute(select(func.pg_advisory_xact_lock(number)))
            yield

    def get(self, batch_id: str) -> Claim | None:
        """The claim of this batch, or None."""
        with self._db.read() as db:
            row = db.execute(select(schema.claims).where(_C.batch_id == batch_id)).mappings().first()
        return _claim(row) if row is not None else None

    def of_store(self, store: str, states: Sequence[str] = ()) -> list[Claim]:
        """Claims of a store, oldest batch id first; all states, or only these."""
        query = select(schema.claims).where(_C.store == store).order_by(_C.batch_id)
        if states:
            query = query.where(_C.state.in_(list(states)))
        with self._db.read() as db:
            return [_claim(row) for row in db.execute(query).mappings()]

    def open(self, store: str) -> list[Claim]:
        """Claims that still have work to do: reserved but not distilled, and not parked."""
        return self.of_store(store, OPEN)

    def marks(self, store: str) -> dict[str, Mark]:
        """Journal key → how far it was read."""
        with self._db.read() as db:
            rows = db.execute(select(*(_J[name] for name in Mark.__slots__)).where(_J.store == store)).all()
        return {row[1]: Mark(*row) for row in rows}

    def seen(self, store: str, record_keys: Iterable[str]) -> dict[str, str]:
        """Record key → the batch that read it first; keys never read are left out."""
        wanted = list(dict.fromkeys(record_keys))
        found: dict[str, str] = {}
        table = schema.seen.c
        with self._db.read() as db:
            if self._db.is_sqlite:
                return {row[0]: row[1] for row in db.exec_driver_sql(_SEEN, (store, json.dumps(wanted)))}
            for i in range(0, len(wanted), CHUNK):
                query = select(table.record_key, table.batch_id).where(
                    table.store == store, table.record_key.in_(wanted[i : i + CHUNK])
                )
                found.update((row[0], row[1]) for row in db.execute(query))
        return found

    def evidence_kept(self, batch_id: str) -> None:
        """The evidence file of this batch is written: the journal is not needed any more."""
        self._move(batch_id, "evidence", ("claimed", "evidence", "parked"))

    def done(self, batch_id: str) -> None:
        """The batch is distilled to its end."""
        self._move(batch_id, "done", ("claimed", "evidence", "done", "parked"))

    def failed(self, batch_id: str, error: str) -> Claim:
        """Count one error of the batch's own (never a cancelled run); the third parks it. Returns the claim as it is now."""
        with self._db.write() as db:
            row = db.execute(select(schema.claims).where(_C.batch_id == batch_id)).mappings().first()
            if row is None:
                raise KuraError(f"no claim of batch {batch_id} in {self._db.name}")
            claim = _claim(row)
            state = "parked" if claim.errors + 1 >= MAX_ERRORS and claim.state in OPEN else claim.state
            claim = replace(claim, errors=claim.errors + 1, last_error=clean(error), state=state)
            db.execute(
                update(schema.claims)
                .where(_C.batch_id == batch_id)
                .values(errors=claim.errors, last_error=claim.last_error, state=state, updated_at=now())
            )
        return claim

    def unpark(self, batch_id: str) -> None:
        """Let a parked batch try again; its evidence, where kept, is used."""
        with self._db.write() as db:
            db.execute(
                update(schema.claims)
                .where(_C.batch_id == batch_id, _C.state == "parked")
                .values(state="claimed", errors=0, updated_at=now())
            )

    def lost(self, batch_id: str, reason: str) -> None:
        """The stretch is gone from the journal and no evidence was kept: free its records for whoever finds them again,
        and have the journal read anew."""
        with self._db.write() as db:
            claimed = db.execute(
                select(_C.store, _C.journal_key).where(_C.batch_id == batch_id, _C.state == "claimed")
            ).first()
            if claimed is None:
                return
            db.execute(
                update(schema.claims)
                .where(_C.batch_id == batch_id, _C.state == "claimed")
                .values(state="lost", last_error=clean(reason), updated_at=now())
            )
            db.execute(delete(schema.seen).where(schema.seen.c.batch_id == batch_id))
            db.execute(
                update(schema.journals)
                .where(_J.store == claimed[0], _J.journal_key == claimed[1])
                .values(fingerprint="", stamp="")
            )

    def _move(self, batch_id: str, state: str, allowed: Sequence[str]) -> None:
        with self._db.write() as db:
            changed = db.execute(
                update(schema.claims)
                .where(_C.batch_id == batch_id, _C.state.in_(list(allowed)))
                .values(state=state, updated_at=now())
            )
            if changed.rowcount == 0:
                is_now = db.scalar(select(_C.state).where(_C.batch_id == batch_id))
                if is_now is None:
                    raise KuraError(f"no claim of batch {batch_id} in {self._db.name}")
                if (
                    is_now != "done"
                ):  # a rerun of a finished batch writes its evidence again: nothing to change
                    raise KuraError(f'batch {batch_id} is {is_now} and cannot become "{state}"')


def _set_mark(db: Connection, mark: Mark) -> None:
    put(
        db,
        schema.journals,
        [
            {
                "store": mark.store,
                "journal_key": mark.journal_key,
                "adapter": mark.adapter,
                "unit": mark.unit,
                "session": mark.session,
                "generation": mark.generation,
                "read_to": mark.read_to,
                "tail_start": mark.tail_start,
                "fingerprint": mark.fingerprint,
                "stamp": mark.stamp,
                "updated_at": now(),
            }
        ],
        ("store", "journal_key"),
    )


def _row(c: Claim) -> dict[str, Any]:
    same = (
        "batch_id", "store", "journal_key", "adapter", "unit", "session", "generation", "walk_start", "context_start",
        "horizon", "file_time", "tool_cap", "text_cap", "chars", "source_sha256", "state", "errors", "last_error", "claimed_at",
    )  # fmt: skip
    return {
        **{name: getattr(c, name) for name in same},
        "span_start": c.start,
        "span_end": c.end,
        "events": json.dumps(c.events, sort_keys=True),
        "left_out": json.dumps(c.left_out, sort_keys=True),
        "updated_at": c.claimed_at or now(),
    }


def _claim(row: Any) -> Claim:
    return Claim(
        batch_id=row["batch_id"],
        store=row["store"],
        journal_key=row["journal_key"],
        adapter=row["adapter"],
        unit=row["unit"],
        session=row["session"],
        generation=row["generation"],
        walk_start=row["walk_start"],
        context_start=row["context_start"],
        start=row["span_start"],
        end=row["span_end"],
        horizon=row["horizon"],
        file_time=row["file_time"],
        tool_cap=row["tool_cap"],
        text_cap=row["text_cap"],
        events=json.loads(row["events"]),
        chars=row["chars"],
        left_out=json.loads(row["left_out"]),
        source_sha256=row["source_sha256"],
        state=row["state"],
        errors=row["errors"],
        last_error=row["last_error"],
        claimed_at=row["claimed_at"],
    )
