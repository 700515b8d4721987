"""Claude Code's sessions: one JSON object a line, a tree by `parentUuid`, sub-agents as sidechains.

USER is only what a human typed: a `user` row of the main chain with text, that no flag marks as written by the harness,
and of that text only what the harness did not put in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kura_pipeline.journals.base import Node, Unit, stable_id
from kura_pipeline.journals.intake import arguments, event_time
from kura_pipeline.journals.jsonl import JsonLines, LineWalk, Row, first_objects
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_runtime.domain.evidence import Event, EvidenceClass

_HUMAN_ORIGINS = {"human", "user"}
_NOT_TYPED = (
    ("isMeta", "meta"),
    ("isCompactSummary", "compaction"),
    ("isVisibleInTranscriptOnly", "transcript-only"),
    ("planContent", "plan"),  # the model's own plan, handed back as a prompt when the human accepts it
)
_ROW_KEYS = re.compile(rb'"(?:parentUuid|sessionId|leafUuid|isSidechain)"\s*:')


class Claude(JsonLines):
    """`~/.claude/projects/<cwd>/<session>.jsonl`, and the sub-agents' files beside or below it."""

    name = "claude"
    unit: Unit = "byte"
    version = "1"
    suffixes = (".jsonl",)

    def sniff(self, path: Path, head: bytes) -> bool:
        if path.suffix.lower() != ".jsonl":
            return False
        rows = first_objects(head)
        if not rows:  # a first line longer than the head
            return head.lstrip(b"\xef\xbb\xbf \t\r\n\0").startswith(b"{") and bool(_ROW_KEYS.search(head))
        return any(_is_row(row) for row in rows)

    def walk(self, path: Path) -> LineWalk:
        return _Walk(path)


def _is_row(row: Mapping[str, Any]) -> bool:
    if not isinstance(row.get("type"), str) or "payload" in row:
        return False
    return (
        "sessionId" in row
        or "leafUuid" in row
        or ("uuid" in row and "parentUuid" in row)
        or (row["type"] == "file-history-snapshot" and "messageId" in row)
    )


class _Walk(LineWalk):
    """The state of one walk: names of the tools by call id."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._tools: dict[str, str] = {}
        self._agent = path.name.startswith("agent-") or "subagents" in path.parts[-3:-1]

    def events(self, row: Row) -> list[Event]:
        obj = row.obj
        session = row.session_of(obj.get("sessionId"))
        kind = obj.get("type")
        if kind != "assistant" and kind != "user":
            row.omit(f"line:{kind}" if isinstance(kind, str) else "line:untyped")
            return []
        message = obj.get("message")
        if not isinstance(message, dict):
            row.omit("no-message")
            return []
        uuid = obj.get("uuid")
        row.key = uuid if isinstance(uuid, str) and uuid else stable_id(session, row.data)
        row.ts = event_time(obj.get("timestamp"), row.left_out)
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list):
            row.omit("no-content")
            return []
        human = kind == "user"
        made: list[Event] = []
        answers = False
        for i, block in enumerate(blocks):
            if not isinstance(block, dict):
                row.omit("block:odd")
                continue
            answers = answers or block.get("type") == "tool_result"
            event = self._block(row, block, human, f"{row.key}#{i}")
            if event is not None:
                made.append(event)
        parent, turn = obj.get("parentUuid"), message.get("id")
        row.node = Node(
            str(uuid or ""), str(parent or ""), human and not answers and not obj.get("isMeta"), answers, str(turn or "")
        )  # fmt: skip
        return made

    def _speaker(self, obj: dict[str, Any], message: dict[str, Any], row: Row) -> EvidenceClass | None:
        """Whose the text parts of a `user` row are; None: the harness's, to be left out."""
        for flag, reason in _NOT_TYPED:
            if obj.get(flag):
                row.reason = reason
                return None
        if self._agent or obj.get("isSidechain"):
            return EvidenceClass.SELF  # the prompt of a sub-agent is written by the agent above it
        origin = obj.get("origin")
        if origin is not None:
            stated = origin.get("kind") if isinstance(origin, dict) else origin
            if stated not in _HUMAN_ORIGINS:
                row.reason = "origin"
                return None
        if message.get("role", "user") != "user":
            row.reason = "role"
            return None
        return EvidenceClass.USER

    def _block(self, row: Row, block: dict[str, Any], human: bool, event_id: str) -> Event | None:
        kind = block.get("type")
        if kind == "text":
            speaker = self._speaker(row.obj, row.obj["message"], row) if human else EvidenceClass.SELF
            return self._text(row, block.get("text"), speaker, event_id)
        if kind in ("tool_result", "web_search_tool_result", "mcp_tool_result", "code_execution_tool_result"):
            text = machine_output(_result_text(block.get("content"), row), row.left_out)
            return row.event(
                EvidenceClass.TOOL, text, event_id, tool=self._tools.get(str(block.get("tool_use_id")))
            )
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            name = str(block.get("name") or "tool")
            self._tools[str(block.get("id"))] = name
            return row.event(
                EvidenceClass.ACT, f"{name}\n{arguments(block.get('input'))}", event_id, tool=name
            )
        row.omit("reasoning" if kind in ("thinking", "redacted_thinking") else f"block:{kind}")
        return None

    def _text(self, row: Row, text: Any, speaker: EvidenceClass | None, event_id: str) -> Event | None:
        if not isinstance(text, str):
            row.omit("block:odd")
            return None
        if speaker is None:
            row.omit(row.reason)
            return None
        obj, message = row.obj, row.obj["message"]
        if obj.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
            row.omit("synthetic")
            return None
        if speaker is EvidenceClass.USER:
            text = human_words(text, row.left_out)
            if not text:
                return None
        elif obj.get("type") == "user":
            text = machine_output(text, row.left_out)
        return row.event(speaker, text, event_id)


def _result_text(content: Any, row: Row) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part, str):
            texts.append(part)
        else:
            row.omit(f"block:{part.get('type')}" if isinstance(part, dict) else "block:odd")
    return "\n".join(texts)
