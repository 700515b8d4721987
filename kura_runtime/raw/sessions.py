"""`sessions.db`: every event of the journals in one SQLite FTS5 index, beside the store's workshop.

The index can be built again from journals and evidence at any time. Rows are numbered by their time, so that the newest
matches come first without sorting anything.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from kura_runtime.domain.evidence import Event
from kura_runtime.errors import BadInput, KuraError, StoreDamaged
from kura_runtime.raw.terms import asked, expression, folded, indexed, signs

FILE = Path("_still") / "sessions.db"
FORMAT = 1
MOST_PARTS = 24  # of one query
_READ = 400  # matches looked at for one answer
_COMMON, _MANY = (
    0.05,
    20_000,
)  # a term in a larger share of the events, or in so many, tells nothing about any of them
_BITS = 20  # of a row's number that tell apart what was said in the same millisecond

_SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY, eid INTEGER NOT NULL UNIQUE, event_id TEXT NOT NULL, class TEXT NOT NULL, ts TEXT,
  session TEXT NOT NULL, journal TEXT NOT NULL, byte_start INTEGER NOT NULL, byte_end INTEGER NOT NULL, tool TEXT,
  text TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5(
  words, signs, facets, content='', tokenize="unicode61 remove_diacritics 2 tokenchars '-_./'");
CREATE TABLE IF NOT EXISTS additions (new INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS marks (journal TEXT PRIMARY KEY, read_to INTEGER NOT NULL, fingerprint TEXT NOT NULL, stamp TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class IndexMark:
    """How far a journal is indexed; `stamp` is the state of the file that was read to its end, or ""."""

    read_to: int
    fingerprint: str
    stamp: str


def index_events(
    store: Path, events: Iterable[Event], *, journal: str = "", mark: IndexMark | None = None
) -> int:
    """Index events (context is left out); those indexed before stay as they are. With `journal` and `mark`, remember in
    the same transaction how far it is indexed. Returns how many were new."""
    new = 0
    with _opened(store, write=True) as db:
        for event in events:
            if not event.context:
                new += _insert(db, event)
        if new:
            db.execute("INSERT INTO additions VALUES (?)", (new,))
        if mark is not None:
            db.execute(
                "INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)",
                (journal, mark.read_to, mark.fingerprint, mark.stamp),
            )
    return new


def index_marks(store: Path) -> dict[str, IndexMark]:
    """Journal → how far it is indexed."""
    if not (store / FILE).exists():
        return {}
    with _opened(store) as db:
        return {row[0]: IndexMark(*row[1:]) for row in db.execute("SELECT * FROM marks")}


def count(store: Path) -> int:
    """Events in the index."""
    if not (store / FILE).exists():
        return 0
    with _opened(store) as db:
        return int(db.execute("SELECT count(*) FROM events").fetchone()[0])


def search(
    store: Path,
    query: str,
    *,
    limit: int = 20,
    cls: str = "",
    session: str = "",
    tool: str = "",
    since: str = "",
    until: str = "",
) -> list[dict[str, Any]]:
    """Events that hold every part of the query, newest first; where too few do, then those that hold the telling parts,
    best first and newest first among equals. A part in quotation marks must stand there as it is written.

    Filters: `cls` (USER, TOOL, ACT, SELF), `session`, `tool`, `since`/`until` (ISO 8601). Each row has `event`, `session`,
    `ts`, `class`, `tool`, `journal`, `byte_start`, `byte_end`, `text`, `snippet` (matches between `**`) and `match`
    (all or some). An index that is not there yet holds nothing. Raises BadInput for an unusable query or filter.
    """
    parts = asked(query)[:MOST_PARTS]
    if not parts:
        raise BadInput("query", "holds no word to look for; give at least one letter or digit")
    if limit < 1:
        raise BadInput("limit", f"must be 1 or more, not {limit}")
    if not (store / FILE).exists():
        return []
    exact = [folded(q) for q in re.findall(r'["“”「『]([^"“”」』]{2,200})["“”」』]', query)]
    bounds = (_bound(since, "since", 0), _bound(until, "until", (1 << 63) - 1))
    facets = [
        f"facets:{_facet(kind, value)}"
        for kind, value in (("c", cls.upper()), ("s", session), ("t", tool))
        if value
    ]
    with _opened(store) as db:
        found = _matches(db, " AND ".join([*map(expression, parts), *facets]), bounds, exact)
        rows = [(row, "all") for row in found[:limit]]
        if len(rows) < limit and len(parts) > 1 and not exact:
            telling = _telling(db, parts)
            some = " OR ".join(map(expression, telling))
            if telling:
                known = {row[0] for row, _ in rows}
                more = _matches(db, " AND ".join([f"({some})", *facets]), bounds, [])
                best = sorted(
                    (r for r in more if r[0] not in known), key=lambda r: (-_held(r, telling), -r[0])
                )
                rows += [(row, "some") for row in best[: limit - len(rows)]]
    return [_row(row, match, parts) for row, match in rows]


def _matches(
    db: sqlite3.Connection, match: str, bounds: tuple[int, int], exact: Sequence[str]
) -> list[tuple[Any, ...]]:
    ids = [
        row[0]
        for row in db.execute(
            "SELECT rowid FROM terms WHERE terms MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
            (match, *bounds, _READ),
        )
    ]
    places = ",".join("?" * len(ids))
    rows = db.execute(f"SELECT * FROM events WHERE id IN ({places}) ORDER BY id DESC", ids).fetchall()  # noqa: S608
    return [r for r in rows if all(e in folded(r[10]) for e in exact)] if exact else rows


def _telling(db: sqlite3.Connection, parts: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """The parts that are rare enough to tell events apart."""
    total = int(db.execute("SELECT coalesce(sum(new), 0) FROM additions").fetchone()[0])
    most = max(200, min(_MANY, int(total * _COMMON)))
    held = "SELECT count(*) FROM (SELECT 1 FROM terms WHERE terms MATCH ? LIMIT ?)"
    return [part for part in parts if db.execute(held, (expression(part), most + 1)).fetchone()[0] <= most]


def _held(row: tuple[Any, ...], parts: Sequence[tuple[str, bool]]) -> int:
    text = folded(row[10])
    return sum(part in text for part, _ in parts)


def _insert(db: sqlite3.Connection, event: Event) -> int:
    eid = int.from_bytes(hashlib.sha256(event.event_id.encode()).digest()[:8], "big", signed=True)
    number = (_milliseconds(event.ts) << _BITS) + (eid & ((1 << _BITS) - 1))
    while not _placed(db, number, eid, event):
        if db.execute("SELECT 1 FROM events WHERE eid = ?", (eid,)).fetchone():
            return 0
        number += 1  # another event of the same millisecond has this number
    facets = " ".join(
        _facet(kind, value)
        for kind, value in (("c", event.cls.value), ("s", event.session), ("t", event.tool or ""))
        if value
    )
    db.execute(
        "INSERT INTO terms (rowid, words, signs, facets) VALUES (?, ?, ?, ?)",
        (number, indexed(event.text), signs(event.text), facets),
    )
    return 1


def _placed(db: sqlite3.Connection, number: int, eid: int, event: Event) -> bool:
    done = db.execute(
        "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number, eid, event.event_id, event.cls.value, event.ts, event.session, event.journal_key, event.byte_start,
            event.byte_end, event.tool, event.text,
        ),
    )  # fmt: skip
    return done.rowcount == 1


@lru_cache(maxsize=4096)
def _facet(kind: str, value: str) -> str:
    return kind + hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _milliseconds(ts: str | None) -> int:
    """Time of an event since 1970; 0 for none, and for what lies before."""
    if not ts:
        return 0
    try:
        at = datetime.fromisoformat(ts)
    except ValueError:
        return 0
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(0, int(at.timestamp() * 1000)), (1 << (62 - _BITS)) - 1)


def _bound(text: str, field: str, default: int) -> int:
    if not text:
        return default
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(field, f'"{text}" is no date; write 2025-03-01 or 2025-03-01T10:00:00+09:00') from None
    return _milliseconds(text) << _BITS


def _row(row: tuple[Any, ...], match: str, parts: Sequence[tuple[str, bool]]) -> dict[str, Any]:
    _, _, event_id, cls, ts, session, journal, start, end, tool, text = row
    return {
        "event": event_id, "session": session, "ts": ts, "class": cls, "tool": tool, "journal": journal, "byte_start": start,
        "byte_end": end, "snippet": snippet(text, [p for p, _ in parts]), "match": match, "text": text,
    }  # fmt: skip


def snippet(text: str, parts: Sequence[str], width: int = 80) -> str:
    """The stretch round the first match, with the matches between `**`; the beginning where a match is only alike."""
    low = text.lower()
    plain = low if len(low) == len(text) else text
    pattern = _highlight(tuple(parts))
    first = pattern.search(plain) if pattern is not None else None
    at = first.start() if first else 0
    start, end = max(0, at - width), min(len(text), at + 2 * width)
    shown: list[str] = []
    last = start
    for found in pattern.finditer(plain, start, end) if pattern is not None else ():
        shown += (text[last : found.start()], "**", text[found.start() : found.end()], "**")
        last = found.end()
    shown.append(text[last:end])
    line = re.sub(r"\s+", " ", "".join(shown)).strip()
    return ("… " if start else "") + line + (" …" if end < len(text) else "")


def _highlight(parts: Sequence[str]) -> re.Pattern[str] | None:
    """Whole words, longest first; a run of a script without spaces is a word wherever it stands."""
    wanted = sorted((p for p in parts if p), key=len, reverse=True)
    words = [rf"(?<![^\W_]){re.escape(p)}(?![^\W_])" if p.isascii() else re.escape(p) for p in wanted]
    return re.compile("|".join(words)) if words else None


@contextmanager
def _opened(store: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
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
            db.execute("PRAGMA cache_size = -65536")  # KiB; the index is merged in memory
            if db.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                db.executescript(_SCHEMA + f"PRAGMA user_version = {FORMAT};")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.rollback()
                raise
            db.commit()
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "malformed" in text or "not a database" in text:
            raise StoreDamaged(
                path, f"the search index cannot be read ({text}); delete it, and `kura run` builds it again"
            ) from None
        raise KuraError(
            f"{path}: the search index cannot be used ({text}); check the disk and the folder's permissions"
        ) from None
    except OSError as error:
        raise KuraError(
            f"{path.parent}: cannot be made ({error.strerror}); the search index needs a place to write"
        ) from None
