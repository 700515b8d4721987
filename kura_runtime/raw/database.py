"""The file of the raw tier: its tables, how it is opened, and how an index of an earlier form becomes one of this."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from kura_runtime.errors import KuraError, StoreDamaged
from kura_runtime.raw.terms import indexed

FILE = Path("_still") / "sessions.db"
FORMAT = 2
BITS = 20  # of a row's number that tell apart what was said in the same millisecond
_BLOCK = 2000  # rows indexed anew at a time

_ROWS = """
CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY, eid INTEGER NOT NULL UNIQUE, event_id TEXT NOT NULL, class TEXT NOT NULL, ts TEXT,
  session TEXT NOT NULL, journal TEXT NOT NULL, byte_start INTEGER NOT NULL, byte_end INTEGER NOT NULL, tool TEXT,
  text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS additions (new INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS marks (journal TEXT PRIMARY KEY, read_to INTEGER NOT NULL, fingerprint TEXT NOT NULL, stamp TEXT NOT NULL);
"""
# marks are part of a letter in Indic scripts, Arabic and Hebrew: without M* a word would be cut at every one of them
TERMS = """
CREATE VIRTUAL TABLE terms USING fts5(
  words, signs, facets, content='', columnsize=0, tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co M*'");
"""
INSERT_TERMS = "INSERT INTO terms (rowid, words, signs, facets) VALUES (?, ?, ?, ?)"


@contextmanager
def opened(store: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection to the store's index, in autocommit; with `write` the file and its tables are made where they are
    missing. Raises StoreDamaged for a file that cannot be read, KuraError where it cannot be used."""
    path = store / FILE
    try:
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as db:
            if not write:
                db.execute("PRAGMA query_only = 1")
                yield db
                return
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA cache_size = -32768")  # KiB; the index is merged in memory
            if db.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                with transaction(db):
                    _made(db)
            yield db
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "malformed" in text or "not a database" in text:
            raise StoreDamaged(
                path, f"the search index cannot be read ({text}); `kura journals reindex` makes it anew"
            ) from None
        raise KuraError(
            f"{path}: the search index cannot be used ({text}); check the disk and the folder's permissions"
        ) from None
    except OSError as error:
        raise KuraError(
            f"{path.parent}: cannot be made ({error.strerror}); the search index needs a place to write"
        ) from None


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """One writing transaction, undone where its body raises."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.rollback()
        raise
    db.commit()


def _made(db: sqlite3.Connection) -> None:
    """The tables; the words of an index of another form are taken from its rows again."""
    if db.execute("PRAGMA user_version").fetchone()[0] == FORMAT:
        return  # another process was first
    for statement in _ROWS.split(";\n"):
        db.execute(statement)
    db.execute("DROP TABLE IF EXISTS terms")
    db.execute(TERMS)
    rows = db.execute("SELECT id, class, session, tool, text FROM events ORDER BY id")
    while block := rows.fetchmany(_BLOCK):
        db.executemany(
            INSERT_TERMS, ((number, *indexed(text), facets(*rest)) for number, *rest, text in block)
        )
    db.execute(f"PRAGMA user_version = {FORMAT}")


@lru_cache(maxsize=4096)
def facets(cls: str, session: str, tool: str | None) -> str:
    """The terms of what an event can be filtered by."""
    return " ".join(
        facet(kind, value) for kind, value in (("c", cls), ("s", session), ("t", tool or "")) if value
    )


@lru_cache(maxsize=4096)
def facet(kind: str, value: str) -> str:
    """One of them: `kind` is c (class), s (session) or t (tool)."""
    return kind + hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def milliseconds(ts: str | None) -> int:
    """Time of an event since 1970; 0 for none, and for what lies before."""
    if not ts:
        return 0
    try:
        at = datetime.fromisoformat(ts)
    except ValueError:
        return 0
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(0, int(at.timestamp() * 1000)), (1 << (62 - BITS)) - 1)
