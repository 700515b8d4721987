"""Sessions of the pi coding agent: version 1 without ids, versions 2 and 3 as a tree; one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kura_pipeline.journals.base import Node, Unit, stable_id
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.intake import arguments, event_time
from kura_pipeline.journals.jsonl import JsonLines, LineWalk, Row, first_objects
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_pipeline.journals.told import told
from kura_runtime.domain.evidence import Event, EvidenceClass

_ROLES = {"user", "assistant", "toolResult", "bashExecution"}


class Pi(JsonLines):
    """`~/.pi/agent/sessions/**/*.jsonl`."""

    name = "pi"
    unit: Unit = "byte"
    version = "1"
    suffixes = (".jsonl",)

    def sniff(self, path: Path, head: bytes) -> bool:
        return path.suffix.lower() == ".jsonl" and any(_is_header(o) for o in first_objects(head)[:1])

    def walk(self, path: Path) -> LineWalk:  # noqa: ARG002
        return _Walk()


def _is_header(row: Mapping[str, Any]) -> bool:
    # a DSH header looks alike, but carries `createdAt` and no timestamp
    return row.get("type") == "session" and isinstance(row.get("timestamp"), str) and "createdAt" not in row


class _Walk(LineWalk):
    counts_rows = True

    def __init__(self) -> None:
        super().__init__()
        self._tools: dict[str, str] = {}

    def before(self, path: Path, start: int) -> None:  # noqa: ARG002
        for header in first_objects(read_head(path), 1):
            if header.get("type") == "session" and isinstance(header.get("id"), str):
                self.session = header["id"] or self.session

    def events(self, row: Row) -> Iterable[Event]:
        obj = row.obj
        kind = obj.get("type")
        message = obj.get("message")
        if kind != "message" or not isinstance(message, dict):
            if kind == "session" and row.start == 0:
                row.session_of(obj.get("id"))
            row.omit(f"line:{kind}" if isinstance(kind, str) else "line:untyped")
            return
        role = message.get("role")
        if not isinstance(role, str) or role not in _ROLES:
            row.omit(f"role:{role}")
            return
        row.ts = event_time(obj.get("timestamp") or message.get("timestamp"), row.left_out)
        # rows of a branched file and of a migrated one repeat the message with its time; the row's own id is new
        row.key = stable_id("pi", row.ts or f"{self.session}#{self.ordinal}", told(message, row.data))
        row.node = Node(
            str(obj.get("id") or ""), str(obj.get("parentId") or ""), role == "user", role == "toolResult"
        )
        base = stable_id(self.session, row.key)
        if role == "bashExecution":
            text = f"$ {message.get('command', '')}\n{message.get('output', '')}"
            made = row.event(EvidenceClass.TOOL, machine_output(text, row.left_out), f"{base}#0", tool="bash")
            if made is not None:
                yield made
            return
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list):
            row.omit("no-content")
            return
        if role == "toolResult":
            yield from self._result(row, message, blocks, base)
            return
        for i, block in enumerate(blocks):
            made = self._block(row, role, block, f"{base}#{i}") if isinstance(block, dict) else None
            if made is not None:
                yield made

    def _result(self, row: Row, message: dict[str, Any], blocks: list[Any], base: str) -> Iterator[Event]:
        texts = []
        for block in blocks:
            if isinstance(block, dict) and isinstance(block.get("text"), str):
                texts.append(block["text"])
            else:
                row.omit(f"block:{block.get('type')}" if isinstance(block, dict) else "block:odd")
        tool = message.get("toolName") or self._tools.get(str(message.get("toolCallId")))
        text = machine_output("\n".join(texts), row.left_out)
        made = row.event(EvidenceClass.TOOL, text, f"{base}#0", tool=str(tool) if tool else None)
        if made is not None:
            yield made

    def _block(self, row: Row, role: str, block: dict[str, Any], event_id: str) -> Event | None:
        kind, text = block.get("type"), block.get("text")
        if kind == "text" and isinstance(text, str):
            if role == "assistant":
                return row.event(EvidenceClass.SELF, text, event_id)
            words = human_words(text, row.left_out)
            return row.event(EvidenceClass.USER, words, event_id) if words else None
        if kind == "toolCall" and role == "assistant":
            name = str(block.get("name") or "tool")
            self._tools[str(block.get("id"))] = name
            return row.event(
                EvidenceClass.ACT, f"{name}\n{arguments(block.get('arguments'))}", event_id, tool=name
            )
        row.omit("reasoning" if kind == "thinking" else f"block:{kind}")
        return None
