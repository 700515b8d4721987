"""Journals of one JSON object a line, appended to: the walk that all of them share. A subclass only says what a row means."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kura_pipeline.journals import base
from kura_pipeline.journals.base import Caps, Node, Reading, Record, Unit
from kura_pipeline.journals.files import open_journal, prefix_fingerprint, read_head, span_digest
from kura_pipeline.journals.intake import Intake
from kura_pipeline.journals.lines import Line, lines, parse_json
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import JournalUnreadable
from kura_runtime.models.roles import OWN_MARK

_OWN = OWN_MARK.encode()
# how the formats write that the model speaks
_ANSWER = re.compile(rb'"(?:role|type)"\s*:\s*"(?:assistant|assistant/\w+|agent_message|model|gemini)"')
TOGETHER, TOGETHER_BYTES = 256, 1 << 20  # records that are redacted in one go


class Row:
    """One parsed line while its events are made. The walk sets `key`, `ts`, `node` and what it leaves out."""

    __slots__ = ("_intake", "_walk", "data", "end", "key", "left_out", "node", "obj", "reason", "start", "ts")

    def __init__(self, walk: LineWalk, intake: Intake, line: Line, data: bytes, obj: dict[str, Any]) -> None:
        self._walk, self._intake = walk, intake
        self.data, self.obj = data, obj
        self.start, self.end = line.start, line.end
        self.key = ""
        self.ts: str | None = None
        self.node: Node | None = None
        self.reason = ""
        self.left_out = intake.left_out

    def session_of(self, stated: Any) -> str:
        """The session this row belongs to: the one it states, else the one stated last."""
        if isinstance(stated, str) and stated:
            self._walk.session = stated
        return self._walk.session

    def omit(self, reason: str) -> None:
        """Count one thing left out."""
        self.left_out[reason] += 1

    def event(
        self, cls: EvidenceClass, text: str, event_id: str, *, tool: str | None = None, ts: str | None = None
    ) -> Event | None:
        """An event of this row, or None where nothing is left of the text."""
        return self._intake.event(
            cls, text, event_id=event_id, ts=ts or self.ts, session=self._walk.session, start=self.start, end=self.end, tool=tool
        )  # fmt: skip


class LineWalk(ABC):
    """What one format makes of its rows; holds the state of one walk. `ordinal` is the row's number in the file, where
    the format counts them (`counts_rows`), else in the walk."""

    counts_rows = False

    def __init__(self) -> None:
        self.session = ""
        self.ordinal = 0

    @abstractmethod
    def events(self, row: Row) -> Iterable[Event]:
        """Events of the row, in order."""

    def before(self, path: Path, start: int) -> None:  # noqa: B027  (most formats need nothing)
        """Learn what the rows before the walk's start say: the session's header, and whose turn it is."""

    def loud(self, reason: str) -> bool:  # noqa: ARG002
        """True where a row that cannot be read must stop the journal instead of being counted."""
        return False


class JsonLines(ABC):
    """Base of the adapters whose unit is the byte."""

    name: str
    unit: Unit = "byte"
    version: str
    suffixes: tuple[str, ...] = (".jsonl",)

    @abstractmethod
    def walk(self, path: Path) -> LineWalk:
        """A fresh state for one walk."""

    def read(
        self,
        path: Path,
        start: int = 0,
        *,
        end: int | None = None,
        caps: Caps = Caps(),
        file_time: str = "",  # noqa: ARG002
        settled: bool = False,  # noqa: ARG002
    ) -> Reading:
        """See Adapter.read."""
        key = str(path)
        return Reading(
            key,
            start,
            lambda reading: self._records(reading, path, start, end, Intake(key, caps, together=True)),
        )

    def fingerprint(self, path: Path, upto: int) -> str:
        """See Adapter.fingerprint."""
        return prefix_fingerprint(path, upto)

    def digest(self, path: Path, start: int, end: int) -> str:
        """See Adapter.digest."""
        return span_digest(path, start, end)

    def superseded(self, paths: frozenset[Path]) -> dict[Path, str]:  # noqa: ARG002
        """See Adapter.superseded."""
        return {}

    def _records(
        self, reading: Reading, path: Path, start: int, end: int | None, intake: Intake
    ) -> Iterator[Record]:
        walk = self.walk(path)
        walk.session = path.stem
        own = is_own_session(read_head(path))
        with open_journal(path) as file:
            if start:
                walk.before(path, start)
                if walk.counts_rows:
                    walk.ordinal = _rows_before(file, start)
            waiting: list[Record] = []
            weight = 0
            try:
                for line in lines(file, start, end, base.RECORD_CAP):
                    record = self._record(reading, walk, intake, line, own)
                    if record is None:
                        reading.partial = line.end - line.start
                        break
                    walk.ordinal += 1
                    if not reading.session:
                        reading.session = record.session
                    waiting.append(record)
                    weight += line.end - line.start
                    if len(waiting) >= TOGETHER or weight >= TOGETHER_BYTES:
                        yield from intake.settled(waiting)
                        waiting, weight = [], 0
            except JournalUnreadable:
                yield from intake.settled(waiting)
                raise
            except OSError as error:
                yield from intake.settled(waiting)
                raise JournalUnreadable(
                    path, f"cannot be read ({error.strerror or error})", reading.end
                ) from None
            yield from intake.settled(waiting)

    def _record(
        self, reading: Reading, walk: LineWalk, intake: Intake, line: Line, own: bool
    ) -> Record | None:
        """The record of a line; None for an unfinished last line, which is left for next time."""
        data = line.data
        if data is None:
            if not line.whole:
                return None
            return self._unusable(reading, walk, intake, line, "too-long")
        if own or _OWN in data:
            if not line.whole:
                return None
            intake.left_out["own-session"] += 1
            return Record(line.start, line.end, left_out=intake.take(), session=walk.session)
        obj, reason = parse_json(data, intake.left_out)
        if not line.whole and not isinstance(obj, dict):
            intake.left_out.clear()
            return None  # the beginning of an object never is an object: nothing whole is lost here
        if reason == "blank":
            return Record(line.start, line.end, left_out=intake.take(), session=walk.session)
        if not isinstance(obj, dict):
            return self._unusable(reading, walk, intake, line, reason or "not-an-object")
        row = Row(walk, intake, line, data, obj)
        events = tuple(walk.events(row))
        return Record(
            line.start, line.end, events, intake.take(), row.key if events else "", walk.session, row.node
        )

    def _unusable(self, reading: Reading, walk: LineWalk, intake: Intake, line: Line, reason: str) -> Record:
        reading.fault(line.start, reason)
        if walk.loud(reason):
            raise JournalUnreadable(reading.journal_key, f"a completed line is {reason}", line.start)
        intake.left_out[reason] += 1
        return Record(line.start, line.end, left_out=intake.take(), session=walk.session)


def is_own_session(head: bytes) -> bool:
    """True where the journal is a session of the pipeline's own model calls: the mark stands in its first rows, or later in
    what was asked before anything was answered (some programs write long openings of their own)."""
    at = head.find(_OWN)
    if at < 0:
        return False
    answered = _ANSWER.search(head)
    return head.count(b"\n", 0, at) < 4 or answered is None or head.find(b"\n", at) < answered.start()


def first_objects(head: bytes, most: int = 12) -> list[dict[str, Any]]:
    """The JSON objects of the first complete lines of a file's head."""
    whole = head.split(b"\n", most)
    if len(whole) <= most and not head.endswith(b"\n"):
        whole = whole if len(whole) == 1 and len(head) < 65536 else whole[:-1]
    found = []
    for line in whole[:most]:
        value, _ = parse_json(line, Counter()) if line.strip() else (None, "")
        if isinstance(value, dict):
            found.append(value)
    return found


def rows_just_before(path: Path, start: int, mark: bytes, most: int = 4 << 20) -> list[dict[str, Any]]:
    """The rows in front of byte `start`, at most `most` bytes back, that hold `mark`."""
    with open_journal(path) as file:
        file.seek(max(0, start - most))
        before = file.read(min(most, start)).split(b"\n")
    parsed = (parse_json(line, Counter())[0] for line in before if mark in line)
    return [row for row in parsed if isinstance(row, dict)]


def _rows_before(file: Any, start: int) -> int:
    file.seek(0)
    left, rows = start, 0
    while left > 0:
        part = file.read(min(1 << 20, left))
        if not part:
            break
        rows += part.count(b"\n")
        left -= len(part)
    return rows
