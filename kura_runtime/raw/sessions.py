"""Searching `sessions.db`, the raw tier: every event of the journals in one SQLite FTS5 index, beside the store's workshop.

The index can be built again from journals and evidence at any time. Rows are numbered by their time, so that the newest
matches come first without sorting anything.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from kura_runtime.errors import BadInput
from kura_runtime.raw.database import BITS, FILE, facet, milliseconds, opened
from kura_runtime.raw.filling import Filling, IndexMark, count, index_events, index_marks
from kura_runtime.raw.terms import Part, asked, bare, checker, expression, folded, whole

__all__ = [
    "FILE",
    "Filling",
    "IndexMark",
    "count",
    "index_events",
    "index_marks",
    "is_there",
    "search",
    "snippet",
]

MOST_PARTS = 24  # of one query
_READ = 400  # matches read at a time, and looked at where they must be ranked
_LOOKED = 4_000  # matches looked at where what the index found must still be checked against the text
# a term in a larger share of the events, or in so many, tells nothing about any of them
_COMMON, _MANY = 0.05, 20_000


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
        f"facets:{facet(kind, value)}"
        for kind, value in (("c", cls.upper()), ("s", session), ("t", tool))
        if value
    ]
    with opened(store) as db:
        found = _matches(
            db, " AND ".join([*map(expression, parts), *facets]), bounds, limit, checker(parts, exact)
        )
        rows = [(row, "all") for row in found[:limit]]
        if len(rows) < limit and len(parts) > 1 and not exact:
            telling = _telling(db, parts)
            some = " OR ".join(map(expression, telling))
            if telling:
                known = {row[0] for row, _ in rows}
                more = _matches(db, " AND ".join([f"({some})", *facets]), bounds, _READ, None)
                best = sorted(
                    (r for r in more if r[0] not in known), key=lambda r: (-_held(r, telling), -r[0])
                )
                rows += [(row, "some") for row in best[: limit - len(rows)]]
    return [_row(row, match, parts) for row, match in rows]


def is_there(store: Path) -> bool:
    """Whether the store has an index at all: one that is missing finds nothing, which says nothing about the journals."""
    return (store / FILE).exists()


def _matches(
    db: sqlite3.Connection,
    match: str,
    bounds: tuple[int, int],
    most: int,
    stands: Callable[[str], bool] | None,
) -> list[tuple[Any, ...]]:
    """At least `most` matches, newest first, where there are so many; those that are no matches in the text as it is
    written are passed over."""
    numbers = db.execute(
        "SELECT rowid FROM terms WHERE terms MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
        (match, *bounds, most if stands is None else max(most, _LOOKED)),
    )
    found: list[tuple[Any, ...]] = []
    while len(found) < most and (ids := [row[0] for row in numbers.fetchmany(min(max(most, 50), _READ))]):
        places = ",".join("?" * len(ids))
        rows = db.execute(f"SELECT * FROM events WHERE id IN ({places}) ORDER BY id DESC", ids)  # noqa: S608
        found += [row for row in rows if stands is None or stands(row[10])]
    return found


def _telling(db: sqlite3.Connection, parts: Sequence[Part]) -> list[Part]:
    """The parts that are rare enough to tell events apart."""
    total = int(db.execute("SELECT coalesce(sum(new), 0) FROM additions").fetchone()[0])
    most = max(200, min(_MANY, int(total * _COMMON)))
    held = "SELECT count(*) FROM (SELECT 1 FROM terms WHERE terms MATCH ? LIMIT ?)"
    return [part for part in parts if db.execute(held, (expression(part), most + 1)).fetchone()[0] <= most]


def _held(row: tuple[Any, ...], parts: Sequence[Part]) -> int:
    text = bare(row[10])
    return sum(bare(part) in text for part, _ in parts)


def _bound(text: str, field: str, default: int) -> int:
    if not text:
        return default
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(field, f'"{text}" is no date; write 2025-03-01 or 2025-03-01T10:00:00+09:00') from None
    return milliseconds(text) << BITS


def _row(row: tuple[Any, ...], match: str, parts: Sequence[Part]) -> dict[str, Any]:
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
    words = [whole(re.escape(p)) if p.isascii() else re.escape(p) for p in wanted]
    return re.compile("|".join(words)) if words else None
