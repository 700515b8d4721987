"""Where OpenCode keeps its sessions: rows of `opencode.db`, or one JSON file for each session, message and part below
`storage/`, or the JSON lines of a session copied into an archive. All three give the same messages and parts."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kura_pipeline.journals import base
from kura_pipeline.journals.database import has_shape, snapshot, stated, tables
from kura_pipeline.journals.files import open_journal, open_regular
from kura_pipeline.journals.held import Held, inside
from kura_pipeline.journals.lines import lines, parse_json
from kura_runtime.errors import JournalUnreadable

SHAPE = {
    "session": frozenset({"id", "parent_id", "time_updated"}),
    "message": frozenset({"id", "session_id", "time_created", "time_updated", "data"}),
    "part": frozenset({"id", "message_id", "session_id", "time_updated", "data"}),
}
COPY_MARK = "opencode-session"
_Object = dict[str, Any]


class Stored(NamedTuple):
    """A message or a part: its id, and its content as it was stored (None: longer than the cap)."""

    id: str
    data: bytes | None


class Rows(Protocol):
    """One session, readable once."""

    session: str
    head: Mapping[str, Any]

    def messages(self) -> list[Stored]:
        """Messages, oldest first."""
        ...

    def parts(self, message: str) -> Iterator[Stored]:
        """Parts of a message in order."""
        ...


@contextmanager
def rows_in_database(path: Path, session: str) -> Iterator[Rows]:
    """A session of a database, in one snapshot. Raises JournalUnreadable."""
    with snapshot(path) as db:
        columns = shaped(path, db)
        revert = "revert" if "revert" in columns["session"] else "NULL"
        row = db.execute(f"SELECT parent_id, {revert} FROM session WHERE id = ?", (session,)).fetchone()  # noqa: S608
        if row is None:
            raise JournalUnreadable(inside(path, session), "the session is not in the database any more")
        yield _DatabaseRows(db, session, {"parentID": stated(row[0]), "revert": _object(row[1])})


def shaped(path: Path, db: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """The tables of an OpenCode database. Raises JournalUnreadable for any other."""
    found = tables(db)
    if not has_shape(found, SHAPE):
        named = ", ".join(sorted(found)[:6]) or "none"
        raise JournalUnreadable(path, f"is no OpenCode database this version reads (its tables: {named})")
    return found


def held_in_database(path: Path) -> list[Held]:
    """The sessions of a database. A session's size is its share of the file, for rows are not measured for a look."""
    with snapshot(path) as db:
        shaped(path, db)
        pages, page = (db.execute(f"PRAGMA {p}").fetchone()[0] for p in ("page_count", "page_size"))
        count = "SELECT session_id, count(*), max(time_updated) FROM {} GROUP BY session_id"
        messages = {stated(s): (n, t) for s, n, t in db.execute(count.format("message"))}
        parts = {stated(s): (n, t) for s, n, t in db.execute(count.format("part"))}
        every = sum(n for n, _ in parts.values()) + sum(n for n, _ in messages.values()) or 1
        found = []
        for id_, updated in db.execute("SELECT id, time_updated FROM session ORDER BY id"):
            session = stated(id_)
            (m, m_time), (p, p_time) = messages.get(session, (0, 0)), parts.get(session, (0, 0))
            times = [t for t in (updated, m_time, p_time) if isinstance(t, int)]
            newest = max((t for t in times if 0 <= t < 1 << 43), default=0)
            state = f"{m}:{m_time}:{p}:{p_time}:{updated}"
            if session:
                found.append(
                    Held(session, state, max(m + p, pages * page * (m + p) // every), newest * 1_000_000)
                )
    return found


class _DatabaseRows:
    def __init__(self, db: sqlite3.Connection, session: str, head: Mapping[str, Any]) -> None:
        self._db, self.session, self.head = db, session, head

    def messages(self) -> list[Stored]:
        return list(self._rows("session_id = ? ORDER BY time_created, id", "message", self.session))

    def parts(self, message: str) -> Iterator[Stored]:
        return self._rows("message_id = ? ORDER BY id", "part", message)

    def _rows(self, where: str, table: str, value: str) -> Iterator[Stored]:
        size = "length(CAST(data AS BLOB))"
        rows = self._db.execute(
            f"SELECT id, CASE WHEN {size} <= ? THEN CAST(data AS BLOB) END FROM {table} WHERE {where}",  # noqa: S608  (both are ours)
            (base.RECORD_CAP, value),
        )
        for id_, data in rows:
            yield Stored(stated(id_), data if isinstance(data, bytes) else None)


# --- the older storage: one file each ------------------------------------------------------------------------------


def storage_of(path: Path) -> Path | None:
    """The `storage` folder of a session's file; None where the path is not laid out so."""
    folders = path.parents
    if len(folders) > 3 and path.suffix.lower() == ".json" and folders[1].name == "session":
        return folders[2]
    return None


def files_of(path: Path) -> tuple[Path, Path]:
    """The folder of a session's messages and the folder that holds the folders of their parts."""
    storage = storage_of(path) or path.parent
    session = path.stem
    if path.parent.name == "info":  # the oldest layout: storage/session/{info,message,part}
        return path.parent.parent / "message" / session, path.parent.parent / "part" / session
    return storage / "message" / session, storage / "part"


@contextmanager
def rows_in_files(path: Path) -> Iterator[Rows]:
    """A session of the older storage. Raises JournalUnreadable where its own file does not read."""
    data = _file(path)
    head = _object(data) if data is not None else None
    if not head:
        raise JournalUnreadable(path, "the session's own file holds no JSON object", 0)
    yield _FileRows(path, head)


def held_in_files(path: Path) -> Held:
    """The state of a session of the older storage: any of its files moves it."""
    messages, parts = files_of(path)
    size, newest, state = 0, 0, Counter[str]()
    for file in (path, *_json_files(messages)):
        folders = (parts / file.stem,) if file is not path else ()
        for one in (file, *(p for folder in folders for p in _json_files(folder))):
            try:
                info = one.stat()
            except OSError:
                continue
            size, newest = size + info.st_size, max(newest, info.st_mtime_ns)
            state["files"] += 1
            state["changes"] = (state["changes"] * 31 + info.st_mtime_ns + info.st_size) % (1 << 61)
    return Held("", f"{size}:{newest}:{state['files']}:{state['changes']}", size, newest)


class _FileRows:
    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        self.session = str(head.get("id") or path.stem)
        self.head = head
        self._messages, self._parts = files_of(path)

    def messages(self) -> list[Stored]:
        found = [Stored(p.stem, _file(p)) for p in _json_files(self._messages)]
        return sorted(found, key=lambda m: (_created(m.data), m.id))

    def parts(self, message: str) -> Iterator[Stored]:
        for path in _json_files(self._parts / message):
            yield Stored(path.stem, _file(path))


def _json_files(folder: Path) -> list[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return []
    return sorted(p for p in folder.iterdir() if p.suffix == ".json" and not p.is_symlink())


def _file(path: Path) -> bytes | None:
    with open_regular(path) as file:
        try:
            data = file.read(base.RECORD_CAP + 1)
        except OSError as error:
            raise JournalUnreadable(path, f"cannot be read ({error.strerror or error})", 0) from None
    return data if len(data) <= base.RECORD_CAP else None


def _created(data: bytes | None) -> float:
    time = _object(data).get("time")
    created = time.get("created") if isinstance(time, dict) else None
    return float(created) if isinstance(created, int | float) else float("inf")


# --- a session copied into an archive -------------------------------------------------------------------------------


def copied(rows: Rows) -> Iterator[bytes]:
    """The session as JSON lines: a head, then each message with its parts behind it."""
    yield _line({"type": COPY_MARK, "session": rows.session, "head": rows.head})
    for message in rows.messages():
        yield _line({"message": message.id, "data": _text(message.data)})
        for part in rows.parts(message.id):
            yield _line({"part": part.id, "of": message.id, "data": _text(part.data)})


@contextmanager
def rows_in_copy(path: Path) -> Iterator[Rows]:
    """A session out of `copied`, plain or packed. Raises JournalUnreadable."""
    rows: _CopiedRows | None = None
    with open_journal(path) as file:
        for line in lines(file, 0, None, 2 * base.RECORD_CAP):
            value = _object(line.data)
            if rows is None:
                if value.get("type") != COPY_MARK:
                    raise JournalUnreadable(path, "is no copy of an OpenCode session", 0)
                head = value.get("head")
                rows = _CopiedRows(str(value.get("session")), head if isinstance(head, dict) else {})
            elif line.whole:
                rows.add(value)
    if rows is None:
        raise JournalUnreadable(path, "is empty", 0)
    yield rows


class _CopiedRows:
    def __init__(self, session: str, head: Mapping[str, Any]) -> None:
        self.session, self.head = session, head
        self._messages: list[Stored] = []
        self._parts: dict[str, list[Stored]] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        data = row.get("data")
        kept = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else None
        if "message" in row:
            self._messages.append(Stored(str(row["message"]), kept))
        elif "part" in row:
            self._parts.setdefault(str(row.get("of")), []).append(Stored(str(row["part"]), kept))

    def messages(self) -> list[Stored]:
        return self._messages

    def parts(self, message: str) -> Iterator[Stored]:
        return iter(self._parts.get(message, ()))


def _line(value: _Object) -> bytes:
    return json.dumps(value).encode() + b"\n"  # escaped: a lone surrogate is kept


def _text(data: bytes | None) -> str | None:
    return data.decode("utf-8", "replace") if data is not None else None


def _object(data: object) -> _Object:
    value, _ = parse_json(data, Counter()) if isinstance(data, bytes) else (None, "")
    return value if isinstance(value, dict) else {}
