"""Goose sessions: rows of `sessions.db` (many sessions in one file), and the older JSON lines with a line of metadata first.

A row, or a line, is a record. A compaction writes all rows of a session anew, with other numbers; a migration copies the
lines into rows; a copied session repeats them. A record's key is therefore made of what was said and when.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from kura_pipeline.journals import base
from kura_pipeline.journals.base import Reading, Record, Unit, stable_id
from kura_pipeline.journals.database import has_shape, is_database, shape_of, snapshot, stated, tables
from kura_pipeline.journals.files import open_journal
from kura_pipeline.journals.held import Held, inside, parted
from kura_pipeline.journals.intake import Intake, arguments, event_time, joined
from kura_pipeline.journals.jsonl import first_objects
from kura_pipeline.journals.lines import lines, parse_json
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_pipeline.journals.numbered import Numbered
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import JournalUnreadable
from kura_runtime.models.roles import OWN_MARK

_SHAPE = {
    "sessions": frozenset({"id", "working_dir", "updated_at"}),
    "messages": frozenset({"id", "session_id", "role", "content_json", "created_timestamp"}),
}
# Kinds of session in which a person types; a recipe, a schedule or another agent writes the prompts of the others.
_HUMAN = {"", "user", "terminal", "gateway", "acp"}
_OWN = OWN_MARK.encode()
_Message = tuple[
    int, bytes | None
]  # where it stands (-1: unfinished), and its JSON object (None: longer than the cap)
_Session = tuple[str, Mapping[str, Any], Iterator[_Message]]


class Goose(Numbered):
    """`~/.local/share/goose/sessions/sessions.db`, and `<session>.jsonl` of older versions beside it."""

    name = "goose"
    unit: Unit = "sequence"
    version = "1"
    suffixes = (".db", ".jsonl", ".jsonl.zst")

    def sniff(self, path: Path, head: bytes) -> bool:
        if is_database(path, head):
            found = shape_of(path)
            return has_shape(found, _SHAPE) if found else path.name == "sessions.db"
        # a session copied out of a database has the database's name
        named = path.name.lower().endswith((".jsonl", ".jsonl.zst")) or ".db#" in path.name
        rows = first_objects(head, 2) if named else []
        return bool(rows) and (_is_metadata(rows[0]) or _is_message(rows[0]))

    def sessions(self, path: Path) -> list[Held] | None:
        """See Container.sessions."""
        return _held(path) if is_database(path) else None

    def inner(self, path: Path, folder: bool) -> str:  # noqa: ARG002
        """See Container.inner."""
        return ""

    def copy(self, path: Path) -> Iterator[bytes]:
        """See Container.copy."""
        with _stored(path) as (session, head, messages):
            told = {"working_dir": "", "description": "", **head, "session": session}
            yield json.dumps(told).encode() + b"\n"  # escaped: a lone surrogate is kept
            for _, data in messages:
                yield (data or b"null") + b"\n"

    def records(self, reading: Reading, path: Path, intake: Intake) -> Iterator[Record]:
        with _stored(path) as (session, head, messages):
            reading.session = session
            walk = _Walk(session, head, intake)
            for number, (at, data) in enumerate(messages):
                if at < 0:  # the unfinished last line
                    reading.partial = 1
                    return
                value = _value(reading, intake, at, data)
                key, events = "", []
                if number < 4 and _OWN in (data or b""):
                    walk.own = True
                if walk.own or _OWN in (data or b""):
                    intake.left_out["own-session"] += 1
                elif value is not None:
                    key = walk.key(value)
                    events = list(walk.events(value, key, number))
                yield Record(number, number + 1, tuple(events), intake.take(), key if events else "", session)


def _is_metadata(row: Mapping[str, Any]) -> bool:
    return "working_dir" in row and "description" in row and "role" not in row


def _is_message(row: Mapping[str, Any]) -> bool:
    return (
        row.get("role") in ("user", "assistant") and "created" in row and isinstance(row.get("content"), list)
    )


def _value(reading: Reading, intake: Intake, at: int, data: bytes | None) -> dict[str, Any] | None:
    value, reason = (None, "too-long") if data is None else parse_json(data, intake.left_out)
    if isinstance(value, dict):
        return value
    reason = reason or "not-an-object"
    if reason != "blank":
        reading.fault(at, reason)
        intake.left_out[reason] += 1
    return None


class _Walk:
    """Makes the events of one session's messages."""

    def __init__(self, session: str, head: Mapping[str, Any], intake: Intake) -> None:
        self._session, self._intake = session, intake
        kind = str(head.get("session_type") or "")
        self._delegated = kind not in _HUMAN or bool(head.get("schedule_id"))
        self._tools: dict[str, str] = {}
        self._met: Counter[str] = Counter()
        self.own = False

    def key(self, message: Mapping[str, Any]) -> str:
        """What a message keeps when its row is written anew or copied."""
        said = [p.get("id") or p.get("text") for p in _parts(message)]
        key = stable_id("goose", message.get("role"), message.get("created"), *said)
        self._met[key] += 1
        return key if self._met[key] == 1 else stable_id(key, self._met[key])

    def events(self, message: Mapping[str, Any], key: str, number: int) -> Iterator[Event]:
        left_out, role, parts = self._intake.left_out, message.get("role"), _parts(message)
        if role not in ("user", "assistant"):
            left_out[f"role:{role}"] += 1
            return
        answers = any(p.get("type") == "toolResponse" for p in parts)
        hidden = isinstance(meta := message.get("metadata"), dict) and meta.get("userVisible") is False
        ts = event_time(message.get("created"), left_out)
        for i, part in enumerate(parts):
            classed = self._part(part, str(role), answers, hidden)
            if classed is None:
                continue
            cls, text, tool = classed
            made = self._intake.event(
                cls, text, event_id=f"{stable_id(self._session, key)}#{i}", ts=ts, session=self._session,
                start=number, end=number + 1, tool=tool,
            )  # fmt: skip
            if made is not None:
                yield made

    def _part(
        self, part: Mapping[str, Any], role: str, answers: bool, hidden: bool
    ) -> tuple[EvidenceClass, str, str | None] | None:
        left_out, kind = self._intake.left_out, part.get("type")
        if kind in ("toolRequest", "frontendToolRequest"):
            call = _inner(part.get("toolCall"))
            name = str(call.get("name") or "tool")
            self._tools[str(part.get("id"))] = name
            return EvidenceClass.ACT, f"{name}\n{arguments(call.get('arguments') or {})}", name
        if kind == "toolResponse":
            text = machine_output(_result(part.get("toolResult")), left_out)
            return EvidenceClass.TOOL, text, self._tools.get(str(part.get("id")))
        if kind != "text" or not isinstance(part.get("text"), str):
            left_out[
                "reasoning" if kind in ("thinking", "redactedThinking", "reasoning") else f"block:{kind}"
            ] += 1
            return None
        if hidden:  # written for the model only: the summary of a compaction, and what asks it to go on
            left_out["compaction"] += 1
            return None
        if role == "assistant" or self._delegated:
            return EvidenceClass.SELF, part["text"], None
        if answers:
            left_out["injected"] += 1
            return None
        words = human_words(part["text"], left_out)
        return (EvidenceClass.USER, words, None) if words else None


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    return [p if isinstance(p, dict) else {} for p in content] if isinstance(content, list) else []


def _inner(result: Any) -> Mapping[str, Any]:
    """What a `{status, value}` wraps."""
    value = result.get("value") if isinstance(result, dict) else None
    return value if isinstance(value, dict) else {}


def _result(result: Any) -> str:
    """The text of a tool's answer, or its error. The same text for the user and for the model counts once."""
    if not isinstance(result, dict):
        return ""
    value = result.get("value")
    if value is None:
        return str(result.get("error") or "")
    content = value.get("content") if isinstance(value, dict) else value
    texts: dict[str, None] = {}
    for part in content if isinstance(content, list) else ():
        inner = part.get("resource") if isinstance(part, dict) else None
        text = joined([inner if isinstance(inner, dict) else part])
        if text:
            texts.setdefault(text)
    return "\n".join(texts)


@contextmanager
def _stored(path: Path) -> Iterator[_Session]:
    """The session's name, what is said of it, and its messages in order. Raises JournalUnreadable."""
    file, session = parted(path)
    if session:
        with snapshot(file) as db:
            columns = _shaped(file, db)
            yield (
                session,
                _head(db, file, session, columns["sessions"]),
                _rows(db, session, columns["messages"]),
            )
        return
    if is_database(path):
        raise JournalUnreadable(path, "holds many sessions; each is read by itself, as <file>#<session>")
    with open_journal(path) as opened:
        found = _lines(opened)
        first = next(found, None)
        head, _ = parse_json(first[1], Counter()) if first and first[1] else (None, "")
        if isinstance(head, dict) and _is_metadata(head):
            name = head.get("session")
            yield name if isinstance(name, str) and name else path.name.split(".")[0], head, found
        else:
            yield path.name.split(".")[0], {}, itertools.chain([first] if first else [], found)


def _lines(file: BinaryIO) -> Iterator[_Message]:
    for line in lines(file, 0, None, base.RECORD_CAP):
        if not line.whole and not isinstance(parse_json(line.data or b"", Counter())[0], dict):
            yield -1, None
        elif line.data is None or line.data.strip():
            yield line.start, line.data


def _shaped(path: Path, db: sqlite3.Connection) -> dict[str, frozenset[str]]:
    found = tables(db)
    if not has_shape(found, _SHAPE):
        named = ", ".join(sorted(found)[:6]) or "none"
        raise JournalUnreadable(path, f"is no Goose database this version reads (its tables: {named})")
    return found


def _head(db: sqlite3.Connection, path: Path, session: str, columns: frozenset[str]) -> dict[str, Any]:
    wanted = [c for c in ("session_type", "schedule_id") if c in columns]
    row = db.execute(f"SELECT {', '.join(['id', *wanted])} FROM sessions WHERE id = ?", (session,)).fetchone()  # noqa: S608
    if row is None:
        raise JournalUnreadable(inside(path, session), "the session is not in the database any more")
    return {name: stated(value) for name, value in zip(wanted, row[1:], strict=True)}


def _rows(db: sqlite3.Connection, session: str, columns: frozenset[str]) -> Iterator[_Message]:
    meta = "metadata_json" if "metadata_json" in columns else "NULL"
    content = "CASE WHEN length(CAST(content_json AS BLOB)) <= ? THEN CAST(content_json AS BLOB) END"
    query = f"SELECT id, role, created_timestamp, {meta}, {content} FROM messages WHERE session_id = ? ORDER BY id"  # noqa: S608
    rows = db.execute(query, (base.RECORD_CAP, session))
    for number, (_, role, created, metadata, said) in enumerate(rows):
        yield number, _joined_row(role, created, metadata, said) if isinstance(said, bytes) else None


def _joined_row(role: Any, created: Any, metadata: Any, content: bytes) -> bytes:
    """A row as the line it would be: its content stays as it was written, and is parsed only once."""
    head = {"role": stated(role), "created": created if isinstance(created, int | float) else None}
    meta = metadata if isinstance(metadata, bytes) and parse_json(metadata, Counter())[1] == "" else b"null"
    return orjson.dumps(head)[:-1] + b',"metadata":' + meta + b',"content":' + content + b"}"


def _held(path: Path) -> list[Held]:
    """The sessions of a database. A session's size is its share of the file, for rows are not measured for a look."""
    with snapshot(path) as db:
        _shaped(path, db)
        pages, page = (db.execute(f"PRAGMA {p}").fetchone()[0] for p in ("page_count", "page_size"))
        counted = db.execute(
            "SELECT session_id, count(*), max(id), max(created_timestamp) FROM messages GROUP BY session_id"
        )
        rows = {stated(s): (n, last, newest) for s, n, last, newest in counted}
        every = sum(n for n, _, _ in rows.values()) or 1
        found = []
        for id_, updated in db.execute("SELECT id, updated_at FROM sessions ORDER BY id"):
            n, last, newest = rows.get(stated(id_), (0, 0, 0))
            seconds = newest / 1000 if isinstance(newest, int) and newest >= 10**11 else newest
            ns = int(seconds * 1e9) if isinstance(seconds, int | float) and 0 <= seconds < 1 << 33 else 0
            if id_:
                share = max(n, pages * page * n // every)
                found.append(Held(stated(id_), f"{n}:{last}:{newest}:{stated(updated)}", share, ns))
    return found
