"""ChatGPT's `conversations.json` export, and generic `messages[]` as JSON or JSONL. One file holds many conversations; each
is a session of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kura_pipeline.journals import base
from kura_pipeline.journals.base import Reading, Record, Unit, stable_id
from kura_pipeline.journals.files import open_journal
from kura_pipeline.journals.intake import Intake, event_time, joined, passed
from kura_pipeline.journals.json_stream import elements
from kura_pipeline.journals.jsonl import first_objects
from kura_pipeline.journals.lines import lines, parse_json
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_pipeline.journals.numbered import Numbered
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import JournalUnreadable
from kura_runtime.models.roles import OWN_MARK

_CONVERSATION = (b'"mapping"', b'"messages"')
_TIMES = ("create_time", "created_at", "timestamp", "time", "createdAt")


class OpenAi(Numbered):
    """An export (an array of conversations), one object with `messages`, or one such object a line."""

    name = "openai"
    unit: Unit = "message"
    version = "1"
    suffixes = (".json", ".jsonl")

    def sniff(self, path: Path, head: bytes) -> bool:
        bare = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if path.suffix.lower() == ".json":
            known = any(mark in head for mark in _CONVERSATION)
            return bare[:1] in (b"[", b"{") and known and b'"projectHash"' not in head  # a Gemini CLI session
        rows = first_objects(head, 1)
        return path.suffix.lower() == ".jsonl" and bool(rows) and isinstance(rows[0].get("messages"), list)

    def records(self, reading: Reading, path: Path, intake: Intake) -> Iterator[Record]:
        number = 0
        for conversation in self._conversations(reading, path, intake):
            session, said = _messages(conversation)
            if not said:
                intake.left_out["no-messages"] += 1
            reading.session = reading.session or session
            own = any(OWN_MARK in m.text for m in said[:3])
            for message in said:
                if own:
                    intake.left_out["own-session"] += 1
                    events: tuple[Event, ...] = ()
                else:
                    events = tuple(_events(message, session, f"{path}#{session}", number, intake))
                key = stable_id("openai", session, message.id) if events else ""
                yield Record(number, number + 1, events, intake.take(), key, session)
                number += 1

    def _conversations(self, reading: Reading, path: Path, intake: Intake) -> Iterator[Mapping[str, Any]]:
        with open_journal(path) as file:
            head = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
            file.seek(0)
            if path.suffix.lower() == ".jsonl":
                pieces: Iterator[tuple[int, bytes | None]] = (
                    (one.start, one.data)
                    for one in lines(file, 0, None, base.RECORD_CAP)
                    if one.whole or one.data
                )
            elif head.startswith(b"["):
                pieces = _array(path, file)
            else:
                whole = file.read(base.RECORD_CAP + 1)
                pieces = iter([(0, whole if len(whole) <= base.RECORD_CAP else None)])
            for at, data in pieces:
                value, reason = (None, "too-long") if data is None else parse_json(data, intake.left_out)
                if isinstance(value, dict):
                    inner = value.get("conversations")
                    yield from (
                        (c for c in inner if isinstance(c, dict)) if isinstance(inner, list) else (value,)
                    )
                elif reason != "blank":
                    reading.fault(at, reason or "not-an-object")
                    intake.left_out[reason or "not-an-object"] += 1


def _array(path: Path, file: Any) -> Iterator[tuple[int, bytes | None]]:
    read, upto = 0, 0
    try:
        for start, end, data in elements(file, base.RECORD_CAP):
            yield start, data
            read, upto = read + 1, end
    except ValueError as error:
        raise JournalUnreadable(
            path, f"the export is {error}, after {read} whole conversations; what stands before is read", upto
        ) from None


class _Message:
    """One message of a conversation, of either shape."""

    __slots__ = ("calls", "content", "dead", "hidden", "id", "name", "recipient", "role", "time")

    def __init__(
        self, id_: str, role: str, content: Any, time: Any, *, calls: Any = None, name: Any = None, recipient: Any = None,
        hidden: bool = False, dead: bool = False,
    ) -> None:  # fmt: skip
        self.id, self.role, self.content, self.time = id_, role, content, time
        self.calls, self.name, self.recipient = calls, name, recipient
        self.hidden, self.dead = hidden, dead

    @property
    def text(self) -> str:
        if isinstance(self.content, Mapping):
            parts = self.content.get("parts")
            return joined(parts) if isinstance(parts, list) else joined(self.content.get("text"))
        return joined(self.content)

    @property
    def kind(self) -> str:
        return str(self.content.get("content_type")) if isinstance(self.content, Mapping) else "text"


def _messages(conversation: Mapping[str, Any]) -> tuple[str, Sequence[_Message]]:
    """The conversation's id and its messages in the order of the tree (or of the list)."""
    mapping, rows = conversation.get("mapping"), conversation.get("messages")
    time = next((conversation[k] for k in _TIMES if conversation.get(k)), None)
    stated = conversation.get("conversation_id") or conversation.get("id") or conversation.get("session_id")
    if isinstance(mapping, dict):
        made = list(_tree(mapping, conversation.get("current_node"), time))
        return str(stated or stable_id("conversation", *(m.id for m in made[:3]))), made
    made = []
    for i, row in enumerate(rows if isinstance(rows, list) else []):
        if isinstance(row, dict):
            own = next((row[k] for k in _TIMES if row.get(k)), time)
            content, calls = row.get("content"), row.get("tool_calls")
            id_ = str(row.get("id") or stable_id(i, row.get("role"), joined(content), str(calls)))
            made.append(_Message(id_, str(row.get("role")), content, own, calls=calls, name=row.get("name")))
    return str(stated or stable_id("conversation", *(m.id for m in made[:1]))), made


def _tree(mapping: Mapping[str, Any], current: Any, time: Any) -> Iterator[_Message]:
    """Messages in the order of the tree. Branches that do not lead to the current node are dead."""
    alive: set[str] = set()
    at = current
    while isinstance(at, str) and at in mapping and at not in alive:
        alive.add(at)
        at = mapping[at].get("parent") if isinstance(mapping[at], dict) else None
    children: dict[Any, list[str]] = {}
    for id_, node in mapping.items():
        parent = node.get("parent") if isinstance(node, dict) else None
        known = isinstance(parent, str) and parent in mapping
        children.setdefault(parent if known else None, []).append(id_)
    waiting, met = list(reversed(children.get(None, []))), set()
    while waiting:
        id_ = waiting.pop()
        if id_ in met:
            continue
        met.add(id_)
        node = mapping[id_]
        waiting.extend(reversed(children.get(id_, [])))
        message = node.get("message") if isinstance(node, dict) else None
        if not isinstance(message, dict):
            continue
        author, meta = message.get("author"), message.get("metadata")
        author = author if isinstance(author, dict) else {}
        meta = meta if isinstance(meta, dict) else {}
        yield _Message(
            str(message.get("id") or id_),
            str(author.get("role")),
            message.get("content"),
            message.get("create_time") or time,
            name=author.get("name"),
            recipient=message.get("recipient"),
            hidden=bool(
                meta.get("is_visually_hidden_from_conversation") or meta.get("is_user_system_message")
            ),
            dead=bool(alive) and id_ not in alive,
        )


def _events(message: _Message, session: str, key: str, number: int, intake: Intake) -> Iterator[Event]:
    ts = event_time(message.time, intake.left_out)
    for i, (cls, text, tool) in enumerate(_classed(message, intake)):
        made = intake.event(
            cls, text, event_id=f"{stable_id(session, message.id)}#{i}", ts=ts, session=session, start=number, end=number + 1,
            tool=tool, journal_key=key,
        )  # fmt: skip
        if made is not None:
            yield replace(made, dead=message.dead) if message.dead else made


def _classed(message: _Message, intake: Intake) -> Iterator[tuple[EvidenceClass, str, str | None]]:
    role, kind, text = message.role, message.kind, message.text
    if role == "user":
        if message.hidden or kind == "user_editable_context":
            intake.left_out["injected"] += 1
            return
        words = human_words(text, intake.left_out)
        if words:
            yield EvidenceClass.USER, words, None
    elif role in ("tool", "function"):
        yield EvidenceClass.TOOL, machine_output(text, intake.left_out), str(message.name or "") or None
    elif role == "assistant":
        if kind in ("thoughts", "reasoning_recap") or message.hidden:
            intake.left_out["reasoning"] += 1
        elif message.recipient not in (None, "all"):
            yield EvidenceClass.ACT, f"{message.recipient}\n{text}", str(message.recipient)
        elif text:
            yield EvidenceClass.SELF, text, None
        for call in message.calls if isinstance(message.calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                name = str(function.get("name") or "tool")
                yield EvidenceClass.ACT, f"{name}\n{passed(function.get('arguments'))}", name
    else:
        intake.left_out[f"role:{role}"] += 1
