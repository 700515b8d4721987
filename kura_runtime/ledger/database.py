"""The database under the ledger: how it is opened, how a transaction runs, and what its failures are called.

SQLite runs in WAL mode with a busy timeout, and a write takes its lock when it begins, so that two processes wait for
each other instead of failing half way. Transactions are short; nothing is held over a model call.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, case, create_engine, delete, event, insert, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool, StaticPool

from kura_runtime.errors import ConfigError, KuraError, StoreDamaged
from kura_runtime.ledger import schema

BUSY_SECONDS = 30


class Database:
    """An engine with the project's own rules. `name` is the file (or the URL without its password) for messages."""

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
        except ArgumentError:
            raise ConfigError(
                f'[ledger] url: "{url}" is no database URL; write sqlite:////absolute/path/ledger.db or '
                "postgresql+psycopg2://user@host/name"
            ) from None
        self.path = Path(parsed.database) if _is_file(parsed) and parsed.database else None
        self.name = str(self.path or parsed.render_as_string(hide_password=True))
        if self.path is not None:
            _writable(self.path)
        try:
            self.engine = _engine(parsed, self.path is None and parsed.get_backend_name() == "sqlite")
        except (NoSuchModuleError, ModuleNotFoundError) as error:
            raise ConfigError(
                f'[ledger] url: no driver for "{parsed.drivername}" ({error}); install the extra `postgres` or use sqlite'
            ) from None
        self._prepare()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view; takes no lock that a writer would wait for."""
        with self._named(), self.engine.connect() as bare:
            yield bare.execution_options(kura_read=True)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: all of it, or nothing."""
        with self._named(), self.engine.begin() as connection:
            yield connection

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Give back every connection. The object may be used again afterwards."""
        self.engine.dispose()

    def _prepare(self) -> None:
        if self._format() is None:
            with self.write() as db:
                if not self.is_sqlite:  # two processes may both find an empty database
                    db.exec_driver_sql("SELECT pg_advisory_xact_lock(7258147003921)")
                schema.metadata.create_all(db)
                insert_new(
                    db, schema.meta, [{"key": "schema", "value": str(schema.SCHEMA_VERSION)}], ("key",)
                )
        known = self._format()
        if known != str(schema.SCHEMA_VERSION):
            raise KuraError(
                f"{self.name}: the ledger has format {known}, this version writes {schema.SCHEMA_VERSION}; "
                "update the package, or point [ledger] url at a new file"
            )
        # a table that came later: nothing that stands changes, and an older version does not see it
        if self._lacking():
            with self.write() as db:
                schema.metadata.create_all(db)

    def _format(self) -> str | None:
        with self.read() as db:
            if not inspect(db).has_table("meta"):
                return None
            return db.scalar(select(schema.meta.c.value).where(schema.meta.c.key == "schema"))

    def _lacking(self) -> set[str]:
        with self.read() as db:
            return set(schema.metadata.tables) - set(inspect(db).get_table_names())

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            raise self._translate(error) from error

    def _translate(self, error: Exception) -> KuraError:
        text = str(getattr(error, "orig", None) or error)
        low = text.lower()
        if (
            "malformed" in low
            or "not a database" in low
            or "corrupt" in low
            or "unsupported file format" in low
        ):
            return StoreDamaged(
                self.name,
                f"the ledger cannot be read ({text}); it was left as it is. Put a backup in its place, or move "
                "it aside and run `kura catchup` so that old journals are not read again",
            )
        if "readonly" in low or "unable to open" in low or "permission" in low:
            return KuraError(
                f"{self.name}: the ledger cannot be written ({text}); make the file and its folder writable, or set "
                "[ledger] url to another place"
            )
        if "locked" in low or "busy" in low:
            return KuraError(
                f"{self.name}: another process has held the ledger for more than {BUSY_SECONDS} s ({text}); "
                "try again when it has ended"
            )
        if "full" in low or "i/o error" in low:
            return KuraError(
                f"{self.name}: the disk refused the ledger's write ({text}); nothing was recorded; free space"
            )
        return KuraError(f"{self.name}: the ledger's database refused: {text}")


def insert_new(db: Connection, table: Any, rows: list[dict[str, Any]], keys: tuple[str, ...]) -> None:
    """Insert rows whose key is not there yet; rows that are stay as they are."""
    if not rows:
        return
    if db.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as native
    elif db.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as native  # type: ignore[assignment]
    else:
        _insert_one_by_one(db, table, rows, keys)
        return
    db.execute(native(table).on_conflict_do_nothing(index_elements=list(keys)), rows)


def put(
    db: Connection, table: Any, rows: list[dict[str, Any]], keys: tuple[str, ...], *, earliest: str = ""
) -> None:
    """Insert rows, or set the other columns of those whose key is there: one statement, so that two processes that do it
    at once both get through. Of the column `earliest` the smaller value stays."""
    if not rows:
        return
    if db.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as native
    elif db.dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as native  # type: ignore[assignment]
    else:
        for row in rows:
            mine = [table.c[k] == row[k] for k in keys]
            known = db.scalar(select(table.c[earliest]).where(*mine)) if earliest else None
            db.execute(delete(table).where(*mine))
            db.execute(insert(table), row if known is None else {**row, earliest: min(known, row[earliest])})
        return
    statement: Any = native(table)
    rest = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    if earliest:
        new, old = statement.excluded[earliest], table.c[earliest]
        rest[earliest] = case((new < old, new), else_=old)
    db.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=rest), rows)


def _insert_one_by_one(db: Connection, table: Any, rows: list[dict[str, Any]], keys: tuple[str, ...]) -> None:
    for row in rows:
        match = [table.c[k] == row[k] for k in keys]
        if db.execute(select(table.c[keys[0]]).where(*match)).first() is None:
            db.execute(insert(table), row)


def _is_file(parsed: Any) -> bool:
    return (
        parsed.get_backend_name() == "sqlite"
        and parsed.database not in (None, "", ":memory:")
        and not str(parsed.database).startswith("file:")
    )


def _writable(path: Path) -> None:
    """Make the folder; refuse early, and by name, what SQLite would only call "unable to open"."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KuraError(
            f"{path.parent}: the ledger's folder cannot be made ({error.strerror}); set [ledger] url to another place"
        ) from None
    if path.is_dir():
        raise KuraError(
            f"{path}: a folder stands where the ledger's file should be; set [ledger] url to a file"
        )
    for needed in (path.parent, path):
        if needed.exists() and not os.access(needed, os.W_OK):
            raise KuraError(
                f"{needed}: not writable, so the ledger cannot be kept there; make it writable, or set [ledger] url "
                "to another place"
            )


def _write_ahead(cursor: Any) -> None:
    """Changing the mode needs the file for itself for a moment, and SQLite's own busy timeout does not cover it."""
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.02)


def _engine(parsed: Any, in_memory: bool) -> Engine:
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True)
    # no pool: a connection never crosses a fork, and a file that was replaced is seen by the next transaction
    engine = create_engine(
        parsed,
        poolclass=StaticPool if in_memory else NullPool,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _pragmas(raw: Any, _record: Any) -> None:
        raw.isolation_level = None  # the driver's own BEGIN would come too late, see below
        cursor = raw.cursor()
        try:
            cursor.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
            _write_ahead(cursor)
            cursor.execute("PRAGMA synchronous=FULL")
        finally:
            cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # a deferred write that finds the file changed under it fails at once, whatever the busy timeout says
        reads = connection.get_execution_options().get("kura_read")
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine
