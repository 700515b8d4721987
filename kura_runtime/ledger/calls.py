"""Recorded model calls: the audit trail, the cost report, and the answers that a rerun replays."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, insert, select

from kura_runtime.domain.call import RecordedCall
from kura_runtime.ledger import schema
from kura_runtime.ledger.database import Database

_C = schema.calls.c


@dataclass(frozen=True, slots=True)
class Use:
    """One answer as one step used it; `replayed` where nothing was asked for it."""

    key: str
    asset: str
    partition: str
    run_id: str
    replayed: bool
    used_at: str


class Calls:
    """Rows are only ever added: a refreshed answer stands beside the old one, a failure beside the answer."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, key: str) -> RecordedCall | None:
        """The newest answer recorded for this key; rows of failed calls are never returned."""
        query = select(schema.calls).where(_C.key == key, _C.failure == "").order_by(_C.id.desc()).limit(1)
        with self._db.read() as db:
            row = db.execute(query).mappings().first()
        return _call(row) if row is not None else None

    def record(self, call: RecordedCall) -> None:
        """Keep a call. A newer answer takes the place of an older one for `get`; a failure never does."""
        row = {
            "key": call.key,
            "role": call.role,
            "model": call.model,
            "params": _json(call.params),
            "messages": _json([dict(m) for m in call.messages]),
            "answer": clean(call.answer),
            "reasoning": clean(call.reasoning),
            "usage": _json(call.usage),
            "finish": call.finish,
            "timings": _json(call.timings),
            "created_at": call.created_at or now(),
            "failure": call.failure,
        }
        with self._db.write() as db:
            db.execute(insert(schema.calls), row)

    def used(self, key: str, *, asset: str, partition: str, run_id: str, replayed: bool) -> None:
        """Note which step of which run used the answer, and whether it was paid for again."""
        row = {
            "key": key,
            "asset": asset,
            "partition": partition,
            "run_id": run_id,
            "replayed": replayed,
            "used_at": now(),
        }
        with self._db.write() as db:
            db.execute(insert(schema.call_uses), row)

    def of_partition(self, partition: str) -> tuple[str, ...]:
        """Keys of the calls a batch used, in the order of first use."""
        query = (
            select(schema.call_uses.c.key, func.min(schema.call_uses.c.id))
            .where(schema.call_uses.c.partition == partition)
            .group_by(schema.call_uses.c.key)
            .order_by(func.min(schema.call_uses.c.id))
        )
        with self._db.read() as db:
            return tuple(row[0] for row in db.execute(query))

    def walk(
        self, *, since: str = "", keys: Collection[str] | None = None
    ) -> Iterator[tuple[int, RecordedCall]]:
        """(row number, call) of every call, failed ones too, in the order they were recorded: from `since` (ISO 8601, UTC)
        on, or those of `keys`. One row is in memory at a time."""
        query = select(schema.calls).order_by(_C.id)
        if since:
            query = query.where(_C.created_at >= since)
        with self._db.read() as db:
            for row in db.execute(query.execution_options(yield_per=50)).mappings():
                if keys is None or row["key"] in keys:
                    yield row["id"], _call(row)

    def uses(self, store: str, *, since: str = "") -> list[Use]:
        """Which steps of a store used which answers, oldest first."""
        table = schema.call_uses
        query = (
            select(table).where(table.c.asset.startswith(f"{store}/", autoescape=True)).order_by(table.c.id)
        )
        if since:
            query = query.where(table.c.used_at >= since)
        with self._db.read() as db:
            return [
                Use(r.key, r.asset, r.partition, r.run_id, bool(r.replayed), r.used_at)
                for r in db.execute(query)
            ]

    def several(self, keys: Sequence[str]) -> dict[str, RecordedCall]:
        """`get` for many keys at once; keys without an answer are left out."""
        found = {key: self.get(key) for key in dict.fromkeys(keys)}
        return {key: call for key, call in found.items() if call is not None}

    def spending(self, *, since: str = "", until: str = "") -> list[dict[str, Any]]:
        """Calls, failures, tokens and seconds by role and model. `since`/`until` bound `created_at` (ISO 8601, UTC)."""
        query = select(_C.role, _C.model, _C.failure, _C.usage, _C.timings)
        if since:
            query = query.where(_C.created_at >= since)
        if until:
            query = query.where(_C.created_at < until)
        totals: dict[tuple[str, str], dict[str, Any]] = {}
        with self._db.read() as db:
            for role, model, failure, usage, timings in db.execute(query):
                at = totals.setdefault(
                    (role, model),
                    {
                        "role": role,
                        "model": model,
                        "calls": 0,
                        "failed": 0,
                        "tokens_in": 0,
                        "tokens_out": 0,
                        "seconds": 0.0,
                    },
                )
                used = json.loads(usage)
                at["calls"] += 1
                at["failed"] += bool(failure)
                at["tokens_in"] += used.get("prompt_tokens", 0)
                at["tokens_out"] += used.get("completion_tokens", 0)
                at["seconds"] += json.loads(timings).get("total", 0.0)
        return [totals[k] for k in sorted(totals)]


def now() -> str:
    """The time a row is stamped with, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def clean(text: str) -> str:
    """The text as a database takes it: lone surrogates have no UTF-8 form, and PostgreSQL refuses NUL."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _json(value: Any) -> str:
    # an ASCII form keeps lone surrogates as escapes, so that a replayed call has the same key as the recorded one
    return json.dumps(value, ensure_ascii=True, sort_keys=True)


def _call(row: Any) -> RecordedCall:
    return RecordedCall(
        key=row["key"],
        role=row["role"],
        model=row["model"],
        params=json.loads(row["params"]),
        messages=tuple(json.loads(row["messages"])),
        answer=row["answer"],
        reasoning=row["reasoning"],
        usage=json.loads(row["usage"]),
        finish=row["finish"],
        timings=json.loads(row["timings"]),
        created_at=row["created_at"],
        failure=row["failure"],
    )
