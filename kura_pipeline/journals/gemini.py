"""Gemini CLI sessions: `chats/session-*.json`, one object that is written anew; `.jsonl` of newer versions, where a message
is appended again whenever it changes; and `logs.json`, the prompts alone.

What a message holds is taken apart: its words, and each tool call with its result, are records of their own, for calls are
added to a message that was read before. The same prompt in `logs.json` and in a session has the same key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kura_pipeline.journals import base
from kura_pipeline.journals.base import Reading, Record, Unit, stable_id
from kura_pipeline.journals.files import open_journal
from kura_pipeline.journals.held import Held
from kura_pipeline.journals.intake import Intake, arguments, event_time
from kura_pipeline.journals.jsonl import first_objects
from kura_pipeline.journals.lines import lines, parse_json
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_pipeline.journals.numbered import Numbered
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import JournalUnreadable
from kura_runtime.models.roles import OWN_MARK

_DONE = ("success", "error", "cancelled")
# What the program puts behind the human's words where they name files.
_REFERENCED = "--- Content from referenced files ---"
# Whole prompts of the program's own.
_OPENINGS = ("This is the Gemini CLI. We are setting up the context", "System: ", "Please continue.", "<state_snapshot>",
             "Attached below are files", "Base directory for this skill")  # fmt: skip
_KEPT_BESIDE = {
    "history",
    "extensions",
    "commands",
    "skills",
    "checkpoints",
    "tool-outputs",
    "images",
    "bin",
    "policies",
}
_HEAD_MARKS = (b'"sessionId"', b'"projectHash"')
_MESSAGE_TYPES = {"user", "gemini"}
_Object = dict[str, Any]


class Gemini(Numbered):
    """`~/.gemini/tmp/<project>/chats/session-*.json[l]`, sub-agents' in folders below, and `logs.json`."""

    name = "gemini"
    unit: Unit = "message"
    version = "1"
    suffixes = (".json", ".jsonl")

    def sniff(self, path: Path, head: bytes) -> bool:
        if path.suffix.lower() not in self.suffixes:
            return False
        rows = first_objects(head, 1)
        if rows and "sessionId" in rows[0] and "projectHash" in rows[0]:
            return True
        bare = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if path.suffix.lower() == ".jsonl":
            return False
        if bare.startswith(b"{"):
            return all(mark in head for mark in _HEAD_MARKS) and b'"messages"' in head
        return (
            path.name == "logs.json"
            and bare.startswith(b"[")
            and b'"messageId"' in head
            and b'"sessionId"' in head
        )

    def sessions(self, path: Path) -> list[Held] | None:  # noqa: ARG002
        """See Container.sessions."""
        return None

    def inner(self, path: Path, folder: bool) -> str:
        """See Container.inner."""
        if ".gemini" not in path.parts[:-1]:
            return ""
        if folder:
            return "no sessions: kept by Gemini CLI beside them" if path.name in _KEPT_BESIDE else ""
        if path.name in ("oauth_creds.json", "google_accounts.json", "mcp-oauth-tokens.json"):
            return "holds credentials: never opened"
        if path.name.startswith("session-") or path.name == "logs.json" or "chats" in path.parts:
            return ""
        return "no session: kept by Gemini CLI beside them"

    def copy(self, path: Path) -> Iterator[bytes]:
        """See Container.copy: every file is one journal."""
        with open_journal(path) as file:
            yield from file

    def records(self, reading: Reading, path: Path, intake: Intake) -> Iterator[Record]:
        number = 0
        for chat in _chats(reading, path, intake):
            reading.session = reading.session or chat.session
            for record in _Walk(chat, reading, path, intake, number).records():
                yield record
                number = record.end


@dataclass(slots=True)
class _Chat:
    """A session: its messages by id in the order in which they first came, each as it was last written. `dead` are those
    that a rewind took back."""

    session: str = ""
    kind: str = ""
    prompts_only: bool = False
    messages: dict[str, _Object] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)

    def head(self, value: Mapping[str, Any]) -> None:
        """Take over what a line, or the object, says of the session."""
        for name in ("sessionId", "kind"):
            if isinstance(value.get(name), str):
                setattr(self, "session" if name == "sessionId" else name, value[name])
        listed = value.get("messages")
        for message in listed if isinstance(listed, list) else ():
            if isinstance(message, dict):
                self.put(message)

    def put(self, message: _Object) -> None:
        """A message, new or as it is now."""
        id_ = message.get("id")
        self.messages[id_ if isinstance(id_, str) and id_ else f"#{len(self.messages)}"] = message

    def rewind(self, to: str) -> None:
        """The human went back to before this message (to the beginning where it is unknown)."""
        ids = list(self.messages)
        self.dead.update(ids[ids.index(to) if to in self.messages else 0 :])


def _chats(reading: Reading, path: Path, intake: Intake) -> Iterator[_Chat]:
    with open_journal(path) as file:
        if path.suffix.lower() == ".jsonl":
            chat = _Chat(path.stem)
            for line in lines(file, 0, None, base.RECORD_CAP):
                value, reason = (
                    (None, "too-long") if line.data is None else parse_json(line.data, intake.left_out)
                )
                if not line.whole and not isinstance(value, dict):
                    reading.partial = line.end - line.start
                    break
                if isinstance(value, dict):
                    _take(chat, value)
                elif reason != "blank":
                    reading.fault(line.start, reason or "not-an-object")
                    intake.left_out[reason or "not-an-object"] += 1
            yield chat
            return
        data = file.read(base.RECORD_CAP + 1)
    if len(data) > base.RECORD_CAP:
        raise JournalUnreadable(path, f"is one object of more than {base.RECORD_CAP >> 20} MiB", 0)
    value, reason = parse_json(data, intake.left_out)
    if isinstance(value, list):
        yield from _logged(value)
    elif isinstance(value, dict):
        chat = _Chat(path.stem)
        chat.head(value)
        yield chat
    elif reason != "blank":
        # written anew as a whole: what does not parse is being written, or torn
        raise JournalUnreadable(
            path, f"the session is {reason or 'no object'}; it is read when it is whole", 0
        )


def _take(chat: _Chat, value: _Object) -> None:
    if isinstance(value.get("$rewindTo"), str):
        chat.rewind(value["$rewindTo"])
    elif isinstance(value.get("$set"), dict):
        chat.head(value["$set"])
    elif isinstance(value.get("id"), str) and "type" in value:
        chat.put(value)
    else:
        chat.head(value)


def _logged(rows: list[Any]) -> Iterator[_Chat]:
    """The sessions of `logs.json`, in the order in which they begin."""
    chats: dict[str, _Chat] = {}
    for row in rows:
        if isinstance(row, dict):
            chat = chats.setdefault(
                str(row.get("sessionId")), _Chat(str(row.get("sessionId")), prompts_only=True)
            )
            chat.put({**row, "id": f"{row.get('messageId')}", "content": row.get("message")})
    yield from chats.values()


class _Walk:
    def __init__(self, chat: _Chat, reading: Reading, path: Path, intake: Intake, number: int) -> None:
        self._chat, self._reading, self._path, self._intake, self._number = (
            chat,
            reading,
            path,
            intake,
            number,
        )
        self._said: Counter[str] = Counter()

    def records(self) -> Iterator[Record]:
        chat = self._chat
        last = max((i for i, m in enumerate(chat.messages.values()) if m.get("type") == "gemini"), default=-1)
        own = any(OWN_MARK in _text(m.get("content")) for m in list(chat.messages.values())[:3])
        for i, (id_, message) in enumerate(chat.messages.items()):
            if own or OWN_MARK in _text(message.get("content")):
                self._intake.left_out["own-session"] += 1
                yield self._record("", [])
                continue
            key, made = self._words(id_, message)
            yield self._record(key, made, id_)
            calls = message.get("toolCalls")
            for call in calls if isinstance(calls, list) else ():
                if not isinstance(call, dict):
                    self._intake.left_out["block:odd"] += 1
                    continue
                if i == last and str(call.get("status")) not in _DONE:
                    self._reading.partial += len(chat.messages) - i
                    return
                key = stable_id("gemini", chat.session, id_, "call", call.get("id"))
                yield self._record(key, list(self._call(key, call, message)), id_)

    def _record(self, key: str, events: list[Event], id_: str = "") -> Record:
        number = self._number
        self._number += 1
        dead = id_ in self._chat.dead
        made = tuple(replace(e, dead=True) if dead else e for e in events)
        return Record(number, number + 1, made, self._intake.take(), key if made else "", self._chat.session)

    def _words(self, id_: str, message: Mapping[str, Any]) -> tuple[str, list[Event]]:
        left_out, kind = self._intake.left_out, message.get("type")
        thoughts = message.get("thoughts")
        if isinstance(thoughts, list) and thoughts:
            left_out["reasoning"] += len(thoughts)
        if not isinstance(kind, str) or kind not in _MESSAGE_TYPES:
            left_out[f"line:{kind}"] += 1
            return "", []
        if kind == "gemini":
            text = _text(message.get("content"))
            key = stable_id("gemini", self._chat.session, id_, "words")
            return key, list(
                self._event(EvidenceClass.SELF, text, key, 0, message.get("timestamp"))
            ) if text else []
        shown = message.get("displayContent")
        text = _human_text(shown if shown else message.get("content"), left_out)
        if self._chat.kind == "subagent":  # the agent above wrote it
            key = stable_id("gemini", self._chat.session, id_, "words")
            return key, list(
                self._event(EvidenceClass.SELF, text, key, 0, message.get("timestamp"))
            ) if text else []
        words = _typed(text, self._chat.prompts_only, left_out)
        # the prompts of logs.json have other ids: the words, and how often they came, are what both have
        self._said[words] += 1
        key = stable_id("gemini", self._chat.session, "prompt", words, self._said[words])
        return key, list(
            self._event(EvidenceClass.USER, words, key, 0, message.get("timestamp"))
        ) if words else []

    def _call(self, key: str, call: Mapping[str, Any], message: Mapping[str, Any]) -> Iterator[Event]:
        name = str(call.get("name") or "tool")
        time = call.get("timestamp") or message.get("timestamp")
        yield from self._event(
            EvidenceClass.ACT, f"{name}\n{arguments(call.get('args') or {})}", key, 0, time, name
        )
        text = _result(call)
        if text:
            text = machine_output(text, self._intake.left_out)
            yield from self._event(EvidenceClass.TOOL, text, key, 1, time, name)
        else:
            self._intake.left_out["no-result"] += 1

    def _event(
        self, cls: EvidenceClass, text: str, key: str, n: int, time: Any, tool: str | None = None
    ) -> Iterator[Event]:
        made = self._intake.event(
            cls, text, event_id=f"{key}#{n}", ts=event_time(time, self._intake.left_out), session=self._chat.session,
            start=self._number, end=self._number + 1, tool=tool,
        )  # fmt: skip
        if made is not None:
            yield made


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _text(content: Any) -> str:
    """The text of a content: a string, a part, or parts of which some carry `text` that is no thought."""
    texts = []
    for part in _parts(content):
        text = part.get("text") if isinstance(part, dict) and not part.get("thought") else part
        if isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)


def _human_text(content: Any, left_out: Counter[str]) -> str:
    """What stands in a human's turn before anything the program put behind it."""
    kept = []
    for part in _parts(content):
        if isinstance(part, dict) and "functionResponse" in part:
            left_out["injected"] += 1
            return ""
        text = part.get("text") if isinstance(part, dict) else part
        if not isinstance(text, str):
            left_out["block:odd"] += 1
            continue
        before, mark, _ = text.partition(_REFERENCED)
        kept.append(before)
        if mark:
            left_out["injected"] += 1
            break
    return "\n".join(kept)


def _typed(text: str, with_commands: bool, left_out: Counter[str]) -> str:
    text = text.strip()
    # a session holds no slash commands; the list of prompts does
    if with_commands and text.startswith("/") and "\n" not in text and "/" not in text[1:].split(" ", 1)[0]:
        left_out["local-command"] += 1
        return ""
    if text.startswith(_OPENINGS):
        left_out["injected"] += 1
        return ""
    return human_words(text, left_out)


def _result(call: Mapping[str, Any]) -> str:
    """The text of a call's result: what the model got, else what was shown."""
    texts = []
    for part in _parts(call.get("result")):
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict):
            said = next(
                (response[k] for k in ("output", "error", "content") if isinstance(response.get(k), str)),
                None,
            )
            texts.append(said if said is not None else arguments(response))
        elif text := _text(part):
            texts.append(text)
    shown = call.get("resultDisplay")
    return "\n".join(texts) or (shown if isinstance(shown, str) else "")
