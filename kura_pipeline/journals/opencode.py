"""OpenCode sessions: messages of many parts, in `opencode.db` (many sessions in one file) or in files below `storage/`.

A part is a record. Parts are written while they are made: of a message that is not finished only the finished parts are
read, and nothing behind it, so that what was read once never moves. A part's key is not its id, which a fork makes anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kura_pipeline.journals.base import Reading, Record, Unit, stable_id
from kura_pipeline.journals.database import has_shape, is_database, shape_of
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.held import Held, parted
from kura_pipeline.journals.intake import Intake, arguments, event_time
from kura_pipeline.journals.jsonl import first_objects
from kura_pipeline.journals.lines import parse_json
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_pipeline.journals.numbered import Numbered
from kura_pipeline.journals.opencode_rows import (
    COPY_MARK,
    SHAPE,
    Rows,
    Stored,
    copied,
    held_in_database,
    held_in_files,
    rows_in_copy,
    rows_in_database,
    rows_in_files,
    storage_of,
)
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import JournalUnreadable
from kura_runtime.models.roles import OWN_MARK

_OWN = OWN_MARK.encode()
_PARTS = {
    "message",
    "part",
    "session_diff",
    "session_share",
    "todo",
    "project",
    "share",
    "permission",
    "snapshot",
}
_KEPT_BESIDE = {"log", "bin", "snapshot", "tool-output", "worktree", "repos"}  # no journals, and many files
# Prompts of its own commands, which stand in the human's turn without a mark.
_COMMANDS = (
    "Please analyze this codebase and create an AGENTS.md",
    "Create or update `AGENTS.md` for this repository",
    "You are a code reviewer. Your job is to review",
)


class OpenCode(Numbered):
    """`~/.local/share/opencode/opencode.db`, and `storage/session/**/*.json` of older versions."""

    name = "opencode"
    unit: Unit = "sequence"
    version = "1"
    suffixes = (".db", ".json", ".jsonl.zst")

    def sniff(self, path: Path, head: bytes) -> bool:
        if is_database(path, head):
            found = shape_of(path)
            return has_shape(found, SHAPE) if found else path.name.startswith("opencode")
        rows = first_objects(head, 1)
        if rows and rows[0].get("type") == COPY_MARK:
            return True
        if storage_of(path) is None:
            return False
        value = rows[0] if rows else parse_json(head, Counter())[0]
        return isinstance(value, dict) and "id" in value and "time" in value and "role" not in value

    def sessions(self, path: Path) -> list[Held] | None:
        """See Container.sessions."""
        if is_database(path):
            return held_in_database(path)
        return [held_in_files(path)] if storage_of(path) is not None else None

    def inner(self, path: Path, folder: bool) -> str:
        """See Container.inner."""
        if not folder:
            if path.name in ("auth.json", "mcp-auth.json", "account.json"):
                return "holds credentials: never opened"
            beside = path.parent.name == "opencode" and path.suffix == ".json"
            return "no session: kept by OpenCode beside them" if beside else ""
        above = {p.name for p in (path.parent, path.parent.parent)}
        if path.name in _PARTS and "storage" in above:
            return "parts of sessions: read with the session they belong to"
        if path.name in _KEPT_BESIDE and path.parent.name == "opencode":
            return "no sessions: kept by OpenCode beside them"
        return ""

    def copy(self, path: Path) -> Iterator[bytes]:
        """See Container.copy."""
        with _rows(path) as rows:
            yield from copied(rows)

    def records(self, reading: Reading, path: Path, intake: Intake) -> Iterator[Record]:
        with ExitStack() as held:
            rows = held.enter_context(_rows(path))
            reading.session = rows.session
            yield from _walk(reading, rows, intake)


def _rows(path: Path) -> AbstractContextManager[Rows]:
    file, session = parted(path)
    if session:
        return rows_in_database(file, session)
    head = read_head(path, 1024)
    if is_database(path, head):
        raise JournalUnreadable(path, "holds many sessions; each is read by itself, as <file>#<session>")
    return rows_in_copy(path) if COPY_MARK.encode() in head else rows_in_files(path)


def _walk(reading: Reading, rows: Rows, intake: Intake) -> Iterator[Record]:
    turn = _Turn(intake, rows)
    messages = [(m.id, _Message.of(m, intake, reading)) for m in rows.messages()]
    last = max((i for i, (_, m) in enumerate(messages) if m.role == "assistant"), default=-1)
    number, own = 0, False
    for i, (id_, message) in enumerate(messages):
        open_ = i == last and message.role == "assistant" and not message.finished
        for place, part in enumerate(rows.parts(id_)):
            value = _value(part, number, intake, reading)
            own = own or (number < 4 and _OWN in (part.data or b""))
            if open_ and not _is_finished(value):
                reading.partial = 1
                return
            events: tuple[Event, ...] = ()
            key = ""
            if own or _OWN in (part.data or b""):
                intake.left_out["own-session"] += 1
            elif value is not None:
                key = turn.key(message, value, place)
                events = tuple(turn.events(message, value, key, number))
            if turn.is_reverted(id_, part.id):
                events = tuple(replace(e, dead=True) for e in events)
            yield Record(number, number + 1, events, intake.take(), key if events else "", rows.session)
            number += 1
        if open_:
            reading.partial = len(messages) - i - 1
            return


class _Message(NamedTuple):
    """What of a message matters to its parts."""

    role: str
    created: Any
    finished: bool
    summary: bool

    @classmethod
    def of(cls, stored: Stored, intake: Intake, reading: Reading) -> _Message:
        value = _value(stored, 0, intake, reading) or {}
        time = value.get("time")
        time = time if isinstance(time, dict) else {}
        finished = time.get("completed") is not None or bool(value.get("error"))
        # a user message carries a summary of its changes; an assistant's that is one says true
        return cls(str(value.get("role")), time.get("created"), finished, value.get("summary") is True)


class _Turn:
    """Makes the events of parts."""

    def __init__(self, intake: Intake, rows: Rows) -> None:
        self._intake, self._session = intake, rows.session
        self._delegated = bool(rows.head.get("parentID"))
        revert = rows.head.get("revert")
        revert = revert if isinstance(revert, dict) else {}
        self._reverted = str(revert.get("messageID") or ""), str(revert.get("partID") or "")
        self._met: Counter[str] = Counter()

    def is_reverted(self, message: str, part: str) -> bool:
        """Whether the human took the session back to before this part."""
        return bool(self._reverted[0]) and (message, part) >= self._reverted

    def key(self, message: _Message, part: Mapping[str, Any], place: int) -> str:
        """What a part keeps when it is edited in place, and when its session is forked: no ids of rows, no words where it
        has anything else."""
        time = part.get("time")
        anchor = part.get("callID") or (time.get("start") if isinstance(time, dict) else None)
        if anchor is None:
            anchor = part.get("text") if message.role == "user" else place
        key = stable_id("opencode", message.role, message.created, part.get("type"), anchor)
        self._met[key] += 1
        return key if self._met[key] == 1 else stable_id(key, self._met[key])

    def events(self, message: _Message, part: Mapping[str, Any], key: str, number: int) -> Iterator[Event]:
        left_out, kind = self._intake.left_out, part.get("type")
        if kind == "tool" and message.role == "assistant":
            yield from self._tool(part, message, key, number)
        elif kind != "text" or not isinstance(part.get("text"), str):
            left_out[_LEFT.get(str(kind), f"block:{kind}")] += 1
        elif part.get("synthetic") or part.get("ignored"):
            left_out["synthetic"] += 1
        elif message.role == "user":
            yield from self._human(part["text"], message, key, number)
        elif message.role != "assistant":
            left_out[f"role:{message.role}"] += 1
        elif message.summary:
            left_out["compaction"] += 1
        else:
            time = part.get("time")
            ended = time.get("end") or time.get("start") if isinstance(time, dict) else None
            yield from self._event(EvidenceClass.SELF, part["text"], key, 0, number, ended or message.created)

    def _human(self, text: str, message: _Message, key: str, number: int) -> Iterator[Event]:
        if self._delegated:  # the agent above wrote it
            yield from self._event(EvidenceClass.SELF, text, key, 0, number, message.created)
        elif text.lstrip().startswith(_COMMANDS):
            self._intake.left_out["local-command"] += 1
        elif words := human_words(text, self._intake.left_out):
            yield from self._event(EvidenceClass.USER, words, key, 0, number, message.created)

    def _tool(self, part: Mapping[str, Any], message: _Message, key: str, number: int) -> Iterator[Event]:
        state, name = part.get("state"), str(part.get("tool") or "tool")
        state = state if isinstance(state, dict) else {}
        time = state.get("time")
        time = time if isinstance(time, dict) else {}
        began = time.get("start") or message.created
        yield from self._event(
            EvidenceClass.ACT, f"{name}\n{arguments(state.get('input') or {})}", key, 0, number, began, name
        )
        output = state.get("output") if state.get("status") == "completed" else state.get("error")
        if isinstance(output, str):
            text = machine_output(output, self._intake.left_out)
            yield from self._event(EvidenceClass.TOOL, text, key, 1, number, time.get("end") or began, name)
        else:
            self._intake.left_out["no-result"] += 1

    def _event(
        self, cls: EvidenceClass, text: str, key: str, n: int, number: int, time: Any, tool: str | None = None
    ) -> Iterator[Event]:
        made = self._intake.event(
            cls, text, event_id=f"{stable_id(self._session, key)}#{n}", ts=event_time(time, self._intake.left_out),
            session=self._session, start=number, end=number + 1, tool=tool,
        )  # fmt: skip
        if made is not None:
            yield made


_LEFT = {"reasoning": "reasoning", "compaction": "compaction", "subtask": "local-command"}


def _value(stored: Stored, number: int, intake: Intake, reading: Reading) -> dict[str, Any] | None:
    if stored.data is None:
        reason = "too-long"
    else:
        value, reason = parse_json(stored.data, intake.left_out)
        if isinstance(value, dict):
            return value
        reason = reason or "not-an-object"
    reading.fault(number, reason)
    intake.left_out[reason] += 1
    return None


def _is_finished(part: Mapping[str, Any] | None) -> bool:
    """Whether a part of an unfinished message will not change any more."""
    if part is None:
        return True
    time, state = part.get("time"), part.get("state")
    if part.get("type") in ("text", "reasoning"):
        return isinstance(time, dict) and time.get("end") is not None
    if part.get("type") == "tool":
        return isinstance(state, dict) and state.get("status") in ("completed", "error")
    return True
