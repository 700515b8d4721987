"""SQLite databases that another program writes: read only, in a snapshot, and never in its way.

Nothing of the database is believed: only plain tables are asked, by columns that are looked up first, and values come as
the bytes they are.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kura_pipeline.journals.files import open_regular, read_head
from kura_runtime.errors import JournalUnreadable

MAGIC = b"SQLite format 3\x00"
BUSY_SECONDS = 2.0
# sqlite names what it found damaged, and Python cannot always decode the name
_ERRORS = (sqlite3.Error, UnicodeDecodeError)
_WAL = b"\x02\x02"  # the file format of a database in WAL mode, as its header says


@contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection inside one read transaction: whatever the host commits meanwhile is not seen. Text comes as bytes.

    Raises JournalUnreadable for whatever is no readable database, also for errors inside the block.
    """
    with open_regular(path) as file:  # sqlite would wait on a pipe
        head, before = file.read(100), os.fstat(file.fileno())
    if not head.startswith(MAGIC):
        raise JournalUnreadable(path, "is no SQLite database" if head else "is empty: no database yet", 0)
    # In WAL mode without a log nobody has it open. Read as a plain file then: sqlite would leave a log of its own beside it.
    alone = head[18:20] == _WAL and not path.with_name(f"{path.name}-wal").exists()
    if alone or head[18:20] != _WAL:
        _whole(path, head, before.st_size)
    try:
        db = _begun(f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if alone else ''}")
    except _ERRORS as error:
        raise unreadable(path, error) from None
    try:
        yield db
        if alone and _stamp_now(path) != _stamp(before):
            raise JournalUnreadable(
                path, "the database was written while it was read; the next pass reads it"
            )
    except _ERRORS as error:
        raise unreadable(path, error) from None
    finally:
        db.close()


def _stamp(info: os.stat_result) -> tuple[int, ...]:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def _whole(path: Path, head: bytes, size: int) -> None:
    """A file that ends early would be read as far as it goes, its last page filled up with zeros. Raises JournalUnreadable."""
    if head[24:28] != head[92:96]:
        return  # the header's own count of pages is out of date
    page = int.from_bytes(head[16:18], "big")
    page, pages = (65536 if page == 1 else page), int.from_bytes(head[28:32], "big")
    if size < page * pages:
        raise JournalUnreadable(
            path, f"the database is torn: {size} of its {page * pages} bytes are there", size
        )


def _stamp_now(path: Path) -> tuple[int, ...]:
    try:
        return _stamp(path.stat())
    except OSError:  # deleted meanwhile
        return ()


def _begun(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(
        uri,
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=16,
    )
    try:
        db.text_factory = bytes
        for pragma in ("query_only=1", "trusted_schema=0", "cell_size_check=1", "mmap_size=0"):
            db.execute(f"PRAGMA {pragma}")
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # the snapshot begins with the first read
    except BaseException:
        db.close()
        raise
    return db


def tables(db: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """Plain tables and their columns. Views and virtual tables run code of whoever made them: they are left out."""
    found: dict[str, frozenset[str]] = {}
    for name, sql in db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall():
        if not isinstance(name, bytes) or not isinstance(sql, bytes) or b"virtual" in sql[:40].lower():
            continue
        rows = db.execute("SELECT name FROM pragma_table_info(?)", (name.decode("utf-8", "replace"),))
        found[name.decode("utf-8", "replace")] = frozenset(
            column.decode("utf-8", "replace") for (column,) in rows.fetchall() if isinstance(column, bytes)
        )
    return found


def has_shape(found: Mapping[str, frozenset[str]], shape: Mapping[str, frozenset[str]]) -> bool:
    """True where every table of the shape is there with its columns."""
    return all(columns <= found.get(table, frozenset()) for table, columns in shape.items())


def is_database(path: Path, head: bytes = b"") -> bool:
    """True where the file begins as a database does. Raises JournalUnreadable where it cannot be opened."""
    return (head or read_head(path, len(MAGIC))).startswith(MAGIC)


def shape_of(path: Path) -> dict[str, frozenset[str]]:
    """Tables and columns of a database; {} where it cannot be read."""
    try:
        with snapshot(path) as db:
            return tables(db)
    except JournalUnreadable:
        return {}


def stated(value: object) -> str:
    """A text column as text; "" for anything else."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def unreadable(path: Path, error: Exception) -> JournalUnreadable:
    """The named error of a database that cannot be read (on)."""
    said = "malformed" if isinstance(error, UnicodeDecodeError) else " ".join(str(error).split())
    if "locked" in said or "busy" in said:
        return JournalUnreadable(
            path, "the database is locked by the program that writes it; the next pass reads it"
        )
    if "malformed" in said or "not a database" in said or "corrupt" in said:
        return JournalUnreadable(path, f"the database is damaged ({said})")
    return JournalUnreadable(path, f"the database cannot be read ({said})")
