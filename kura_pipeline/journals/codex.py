"""Codex CLI rollouts: `{timestamp, type, payload}` a line; cold ones packed as `.jsonl.zst`.

The same words stand several times in a rollout: as an event and as the item sent to the model, where injected files and a
compaction's summary look just like them. What was said is taken from the events only; what was done from the items.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kura_pipeline.journals.base import Unit, stable_id
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.intake import event_time, joined, passed
from kura_pipeline.journals.jsonl import JsonLines, LineWalk, Row, first_objects, rows_just_before
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_runtime.domain.evidence import Event, EvidenceClass

_TYPES = {
    "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "token_usage_record",
}  # fmt: skip
_PLAIN_KINDS = (None, "plain")


class Codex(JsonLines):
    """`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, cold ones `.jsonl.zst`, and `archived_sessions/`. Spans in a packed
    rollout are those of the plain text."""

    name = "codex"
    unit: Unit = "byte"
    version = "2"
    suffixes = (".jsonl", ".jsonl.zst")

    def sniff(self, path: Path, head: bytes) -> bool:
        if not path.name.lower().endswith(self.suffixes):
            return False
        rows = first_objects(head, 3)
        if not rows:  # the first line carries the base instructions and may be longer than the head
            return head.startswith(b'{"timestamp":') and b'"session_meta"' in head[:200]
        return all(_is_row(row) for row in rows)

    def walk(self, path: Path) -> LineWalk:  # noqa: ARG002
        return _Walk()


def _is_row(row: Mapping[str, Any]) -> bool:
    kind = row.get("type")
    return isinstance(kind, str) and kind in _TYPES and isinstance(row.get("payload"), dict)


class _Walk(LineWalk):
    def __init__(self) -> None:
        super().__init__()
        self._tools: dict[str, str] = {}
        self._delegated = False
        self._turn_delegated = False
        self._last_words = ("", "")  # the event kind and the words of the human's last message

    def before(self, path: Path, start: int) -> None:
        for header in first_objects(read_head(path, 1 << 20), 1):
            if header.get("type") == "session_meta" and isinstance(header.get("payload"), dict):
                self._header(header["payload"])
        # whose turn it is was said when it began: a walk may start in the middle of one
        for row in rows_just_before(path, start, b'"task_started"'):
            payload = row.get("payload")
            if row.get("type") == "event_msg" and isinstance(payload, dict):
                self._turn(payload)

    def _header(self, meta: Mapping[str, Any]) -> None:
        session = meta.get("id") or meta.get("session_id")
        if isinstance(session, str) and session:
            self.session = session
        source, thread = meta.get("source"), meta.get("thread_source")
        # an agent wrote the prompts of a sub-agent's rollout
        self._delegated = isinstance(source, dict) or (thread is not None and thread != "user")

    def events(self, row: Row) -> Iterator[Event]:
        kind, payload = row.obj.get("type"), row.obj.get("payload")
        if not isinstance(payload, dict):
            row.omit("no-payload")
            return
        if kind == "session_meta" and row.start == 0:  # a fork repeats its parent's further down
            self._header(payload)
        if kind not in ("event_msg", "response_item"):
            row.omit(f"line:{kind}")
            return
        row.ts = event_time(row.obj.get("timestamp"), row.left_out)
        row.key = stable_id("codex", row.data.strip().hex())
        made = self._said(row, payload) if kind == "event_msg" else self._done(row, payload)
        if made is not None:
            yield made

    def _turn(self, payload: Mapping[str, Any]) -> None:
        if payload.get("type") == "task_started":
            turn = payload.get("turn_attribution")
            self._turn_delegated = isinstance(turn, dict) and turn.get("initiating_agent_path") is not None

    def _said(self, row: Row, payload: dict[str, Any]) -> Event | None:
        """A message event: `user_message`/`agent_message` up to 0.130, `item_completed` from 0.149 on."""
        kind = payload.get("type")
        self._turn(payload)
        if kind == "item_completed":
            item = payload.get("item")
            item = item if isinstance(item, dict) else {}
            kind, words = f"item:{item.get('type')}", joined(item.get("content"))
        else:
            words = joined(payload.get("message"))
        if kind in ("user_message", "item:UserMessage"):
            if payload.get("kind") not in _PLAIN_KINDS:
                row.omit("injected")
                return None
            return self._human(row, str(kind), words)
        if kind in ("agent_message", "item:AgentMessage"):
            return row.event(EvidenceClass.SELF, words, f"{row.key}#0")
        row.omit("reasoning" if kind in ("item:Reasoning", "agent_reasoning") else f"event:{kind}")
        return None

    def _human(self, row: Row, kind: str, words: str) -> Event | None:
        if self._delegated or self._turn_delegated:
            return row.event(EvidenceClass.SELF, words, f"{row.key}#0")
        before, self._last_words = self._last_words, (kind, words)
        if before[1] == words and before[0] != kind:  # versions in between write both kinds of event
            row.omit("said-twice")
            return None
        words = human_words(words, row.left_out)
        return row.event(EvidenceClass.USER, words, f"{row.key}#0") if words else None

    def _done(self, row: Row, item: dict[str, Any]) -> Event | None:
        """A tool call or its output, among the items sent to the model."""
        kind = item.get("type")
        if kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call"):
            name = str(item.get("name") or str(kind).removesuffix("_call"))
            self._tools[str(item.get("call_id") or item.get("id"))] = name
            given = passed(item.get("arguments") or item.get("input") or item.get("action"))
            return row.event(EvidenceClass.ACT, f"{name}\n{given}", f"{row.key}#0", tool=name)
        if kind in ("function_call_output", "custom_tool_call_output"):
            text = machine_output(_output(item.get("output")), row.left_out)
            return row.event(
                EvidenceClass.TOOL, text, f"{row.key}#0", tool=self._tools.get(str(item.get("call_id")))
            )
        if kind == "reasoning":
            row.omit("reasoning")
        else:
            row.omit(f"item:{kind}:{item.get('role')}" if kind == "message" else f"item:{kind}")
        return None


def _output(value: Any) -> str:
    """Output is text, parts, or a JSON string of `{output, metadata}`."""
    if isinstance(value, str):
        if value.startswith('{"output"'):
            try:
                inner = json.loads(value)
            except (ValueError, RecursionError):
                return value
            return (
                inner["output"] if isinstance(inner, dict) and isinstance(inner.get("output"), str) else value
            )
        return value
    if isinstance(value, dict):
        return joined(value.get("content") or value.get("output"))
    return joined(value)
