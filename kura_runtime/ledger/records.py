"""The plain rows of the ledger: what a step made of a batch, what was served, what was poured, what was measured."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import insert, select

from kura_runtime.ledger import schema
from kura_runtime.ledger.calls import clean, now
from kura_runtime.ledger.database import Database, insert_new, put

CHUNK = 500  # rows of one statement; SQLite bounds the number of bound values


class Batches:
    """One row a batch and step: the counts of its last run."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def note(self, store: str, batch_id: str, step: str, figures: Mapping[str, Any]) -> None:
        """Keep what a step made of a batch; a rerun replaces it. `figures` is JSON-able."""
        table = schema.batches
        row = {
            "store": store,
            "batch_id": batch_id,
            "step": step,
            "figures": json.dumps(dict(figures), ensure_ascii=True, sort_keys=True),
            "updated_at": now(),
        }
        with self._db.write() as db:
            put(db, table, [row], ("store", "batch_id", "step"))

    def of(self, store: str, batch_id: str) -> dict[str, dict[str, Any]]:
        """Step → its figures."""
        table = schema.batches
        query = select(table.c.step, table.c.figures).where(
            table.c.store == store, table.c.batch_id == batch_id
        )
        with self._db.read() as db:
            return {step: json.loads(figures) for step, figures in db.execute(query)}

    def of_step(self, store: str, step: str) -> dict[str, dict[str, Any]]:
        """Batch id → figures of one step, oldest batch first."""
        table = schema.batches
        query = (
            select(table.c.batch_id, table.c.figures)
            .where(table.c.store == store, table.c.step == step)
            .order_by(table.c.batch_id)
        )
        with self._db.read() as db:
            return {batch: json.loads(figures) for batch, figures in db.execute(query)}


class Served:
    """Hashes of what this system has shown to agents. The serving paths write segments; the pipeline ingests them."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, store: str, hashes: Iterable[str], at: str = "") -> None:
        """Keep hashes; those already known stay with their first time."""
        self.ingest(store, "", 0, hashes, at)

    def ingest(self, store: str, segment: str, read_to: int, hashes: Iterable[str], at: str = "") -> None:
        """Keep the hashes of one stretch of a segment, and how far the segment was read, in one transaction. `at` (ISO 8601,
        UTC, whole seconds) is when they were served; of two times of one hash the earlier stays."""
        stamp = at or now()
        rows = [{"store": store, "hash": h, "first_at": stamp} for h in dict.fromkeys(hashes)]
        table = schema.segments
        with self._db.write() as db:
            for i in range(0, len(rows), CHUNK):
                put(db, schema.served, rows[i : i + CHUNK], ("store", "hash"), earliest="first_at")
            if segment:
                row = {"store": store, "segment": segment, "read_to": read_to}
                put(db, table, [row], ("store", "segment"))

    def read_to(self, store: str, segment: str) -> int:
        """Bytes of the segment that are ingested."""
        table = schema.segments
        query = select(table.c.read_to).where(table.c.store == store, table.c.segment == segment)
        with self._db.read() as db:
            return db.scalar(query) or 0

    def segments(self, store: str) -> dict[str, int]:
        """Segment → bytes of it that are ingested."""
        table = schema.segments
        with self._db.read() as db:
            rows = db.execute(select(table.c.segment, table.c.read_to).where(table.c.store == store))
            return {row.segment: row.read_to for row in rows}

    def hashes(self, store: str, until: str = "") -> frozenset[str]:
        """Every hash served for this store, or those that were served up to a time (as in `ingest`)."""
        query = select(schema.served.c.hash).where(schema.served.c.store == store)
        if until:
            query = query.where(schema.served.c.first_at <= until)
        with self._db.read() as db:
            return frozenset(db.scalars(query))


class Pours:
    """What became of each judged draft."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(
        self,
        store: str,
        digest: str,
        *,
        batch_id: str,
        slug: str,
        verdict: str,
        action: str,
        manifest: str = "",
        revision: str = "",
        reason: str = "",
    ) -> None:
        """Keep the end of a draft; the same draft poured again changes nothing."""
        row = {
            "store": store,
            "digest": digest,
            "batch_id": batch_id,
            "slug": slug,
            "verdict": verdict,
            "action": action,
            "manifest": manifest,
            "revision": str(revision),
            "reason": clean(reason),
            "at": now(),
        }
        with self._db.write() as db:
            insert_new(db, schema.pours, [row], ("store", "digest"))

    def get(self, store: str, digest: str) -> dict[str, Any] | None:
        """The row of one draft, or None."""
        table = schema.pours
        with self._db.read() as db:
            row = (
                db.execute(select(table).where(table.c.store == store, table.c.digest == digest))
                .mappings()
                .first()
            )
        return dict(row) if row is not None else None

    def of_batch(self, store: str, batch_id: str) -> list[dict[str, Any]]:
        """Every draft of a batch that came to an end, by slug."""
        table = schema.pours
        query = (
            select(table)
            .where(table.c.store == store, table.c.batch_id == batch_id)
            .order_by(table.c.slug, table.c.digest)
        )
        with self._db.read() as db:
            return [dict(row) for row in db.execute(query).mappings()]


class Metrics:
    """Named numbers over time."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self,
        store: str,
        figures: Mapping[str, float],
        *,
        at: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """Keep one value a name."""
        stamp, tags = at or now(), json.dumps(dict(labels or {}), sort_keys=True)
        rows = [
            {"store": store, "name": n, "value": float(v), "labels": tags, "at": stamp}
            for n, v in figures.items()
        ]
        if rows:
            with self._db.write() as db:
                db.execute(insert(schema.metrics), rows)

    def since(self, store: str, at: str = "", name: str = "") -> list[dict[str, Any]]:
        """Rows from `at` (ISO 8601, UTC) on, oldest first."""
        table = schema.metrics
        query = select(table).where(table.c.store == store, table.c.at >= at).order_by(table.c.at, table.c.id)
        if name:
            query = query.where(table.c.name == name)
        with self._db.read() as db:
            return [{**row, "labels": json.loads(row["labels"])} for row in db.execute(query).mappings()]


class Counts:
    """A cache: what a journal file held when it was counted last. `stamp` says which state of the file that was."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, journal_keys: Iterable[str]) -> dict[str, tuple[str, dict[str, Any]]]:
        """Journal key → (stamp, figures)."""
        wanted, found = list(dict.fromkeys(journal_keys)), {}
        table = schema.counts
        with self._db.read() as db:
            for i in range(0, len(wanted), CHUNK):
                for key, stamp, figures in db.execute(
                    select(table).where(table.c.journal_key.in_(wanted[i : i + CHUNK]))
                ):
                    found[key] = (stamp, json.loads(figures))
        return found

    def keep(self, rows: Mapping[str, tuple[str, Mapping[str, Any]]]) -> None:
        """Replace what is known of these journals."""
        table, keys = schema.counts, list(rows)
        if not keys:
            return
        with self._db.write() as db:
            for i in range(0, len(keys), CHUNK):
                part = [
                    {"journal_key": k, "stamp": rows[k][0], "figures": json.dumps(dict(rows[k][1]))}
                    for k in keys[i : i + CHUNK]
                ]
                put(db, table, part, ("journal_key",))
