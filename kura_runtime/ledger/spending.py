"""What was spent, call by call. The budget is kept here, because here all processes meet."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Any, Literal

from sqlalchemy import Connection, case, func, insert, or_, select, update

from kura_runtime.domain.spending import Limits, Outlay, Spent
from kura_runtime.ledger import schema
from kura_runtime.ledger.database import Database

_S = schema.spending.c
_PG_LOCK = 7258147003922


class Spending:
    """One row for each call that was sent; replayed answers cost nothing and have none.

    A row is `open` while the call is under way, then `settled` with what the endpoint reported. One whose process died, or
    whose time is over, is `lost`: nobody knows what it cost, so its prompt counts at the estimate.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def open(
        self, outlay: Outlay, limits: Limits, *, night: str
    ) -> tuple[Literal["go", "wait", "spent"], int, str]:
        """(verdict, row, reason) for a call, in one transaction: `go` with the row to settle; `wait` where calls that are
        under way may use up what is left; `spent` with the limit that is reached. `night` is its beginning, ISO 8601, UTC.

        A call may start while less than the limit is settled and estimated together, so the total passes a limit by no more
        than one call, however many processes spend at once.
        """
        with self._db.write() as db:
            if not self._db.is_sqlite:
                db.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_PG_LOCK})")
            if limits.any:
                _bury(db, outlay.store, outlay.at)
                settled = _sum(db, outlay.store, outlay.run, night, is_open=False)
                if reason := settled.over(limits):
                    return "spent", 0, reason
                under_way = _sum(db, outlay.store, outlay.run, night, is_open=True)
                if (settled + under_way).over(limits):
                    return "wait", 0, ""
            made = db.execute(
                insert(schema.spending),
                {
                    "store": outlay.store, "run": outlay.run, "run_id": outlay.run_id, "asset": outlay.asset,
                    "partition": outlay.partition, "role": outlay.role, "model": outlay.model, "key": outlay.key,
                    "state": "open", "failure": "", "tokens_in": outlay.tokens_in, "tokens_out": outlay.tokens_out,
                    "tokens_cached": 0, "estimated": True, "money": outlay.money, "seconds": 0.0, "owner": owner(),
                    "at": outlay.at, "expires_at": outlay.expires_at,
                },
            )  # fmt: skip
            assert made.inserted_primary_key is not None
            return "go", int(made.inserted_primary_key[0]), ""

    def settle(
        self,
        row: int,
        *,
        tokens_in: int,
        tokens_out: int,
        money: float,
        tokens_cached: int = 0,
        estimated: bool = False,
        seconds: float = 0.0,
        failure: str = "",
    ) -> None:
        """Write what a call has really cost. `failure` is the kind of a call that gave no answer."""
        values = {
            "state": "settled", "tokens_in": tokens_in, "tokens_out": tokens_out, "tokens_cached": tokens_cached,
            "money": money, "estimated": estimated, "seconds": seconds, "failure": failure,
        }  # fmt: skip
        with self._db.write() as db:
            db.execute(update(schema.spending).where(_S.id == row).values(**values))

    def spent(self, store: str, *, night: str, run: str = "") -> Spent:
        """What is settled for a store since the beginning of a night, and for one run."""
        with self._db.read() as db:
            return _sum(db, store, run, night, is_open=False)

    def rows(self, *, store: str = "", since: str = "") -> list[Mapping[str, Any]]:
        """Every row from `since` (ISO 8601, UTC) on, oldest first."""
        query = select(schema.spending).order_by(_S.id)
        if store:
            query = query.where(_S.store == store)
        if since:
            query = query.where(_S.at >= since)
        with self._db.read() as db:
            return [dict(row) for row in db.execute(query).mappings()]


def owner() -> str:
    """This process, as a row names it: host and process id."""
    return f"{socket.gethostname()[:120]}:{os.getpid()}"


def _sum(db: Connection, store: str, run: str, night: str, *, is_open: bool) -> Spent:
    tokens = _S.tokens_in + _S.tokens_out
    tonight = _S.at >= night
    query = select(
        func.coalesce(func.sum(case((_S.run == run, tokens), else_=0)), 0),
        func.coalesce(func.sum(case((tonight, tokens), else_=0)), 0),
        func.coalesce(func.sum(case((tonight, _S.money), else_=0.0)), 0.0),
    ).where(
        _S.store == store,
        or_(_S.run == run, tonight),
        _S.state == "open" if is_open else _S.state != "open",
    )
    in_run, at_night, money = db.execute(query).one()
    return Spent(int(in_run) if run else 0, int(at_night), float(money))


def _bury(db: Connection, store: str, now: str) -> None:
    """Close the rows of calls that nobody can be waiting for any more."""
    query = select(_S.id, _S.owner, _S.expires_at, _S.money, _S.tokens_in, _S.tokens_out).where(
        _S.store == store, _S.state == "open"
    )
    for row in db.execute(query).all():
        if row.expires_at >= now and _alive(row.owner):
            continue
        share = row.tokens_in / max(1, row.tokens_in + row.tokens_out)
        lost = {"state": "lost", "tokens_out": 0, "money": row.money * share, "failure": "lost"}
        db.execute(update(schema.spending).where(_S.id == row.id).values(**lost))


def _alive(name: str) -> bool:
    """False only for a process of this host that is certainly gone."""
    host, _, number = name.rpartition(":")
    if host != socket.gethostname()[:120] or not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
