"""Small journals of every format, with the events they hold. Each is written as its program writes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kura_pipeline.journals.base import Adapter, Reading
from kura_pipeline.journals.sniff import adapter
from kura_runtime.domain.evidence import Event

Said = tuple[str, str]  # class, words


@dataclass(frozen=True)
class Sample:
    """`data` is the file; `said` its events in order. `torn_ok`: whatever the file is cut down to, reading is quiet."""

    name: str
    file: str
    data: bytes
    said: tuple[Said, ...]

    @property
    def adapter(self) -> Adapter:
        return adapter(self.name)

    def write(self, folder: Path, data: bytes | None = None) -> Path:
        path = folder / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data if data is None else data)
        return path


def line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def events(reading: Reading) -> list[Event]:
    return [e for record in reading for e in record.events]


def said(reading: Reading) -> list[Said]:
    return [(e.cls.value, e.text) for e in events(reading)]


# --- claude --------------------------------------------------------------------------------------------------------

_N = 0


def claude(
    kind: str, content: Any, *, uuid: str = "", parent: str | None = None, **rest: Any
) -> dict[str, Any]:
    """One row of a Claude Code session."""
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": rest.pop("turn", f"msg_{uuid}"), "model": "some-model"}
    return {
        "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/home/dev/proj",
        "sessionId": "session-one", "version": "2.1.12", "type": kind, "message": message, "uuid": uuid,
        "timestamp": "2025-03-01T10:00:00.000Z", **rest,
    }  # fmt: skip


def use(name: str, call: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def result(call: str, content: Any, **rest: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": content, **rest}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


_CLAUDE = Sample(
    "claude",
    "-home-dev-proj/session-one.jsonl",
    b"".join(
        line(row)
        for row in (
            {"type": "summary", "summary": "About disks", "leafUuid": "u4"},
            claude("user", "アーカイブは遅いディスクに置くことにしよう 🎉", uuid="u1"),
            claude(
                "assistant",
                [{"type": "thinking", "thinking": "hm"}, text("I will move it.")],
                uuid="u2",
                parent="u1",
            ),
            claude("assistant", [use("Bash", "t1", command="df -h /mnt")], uuid="u3", parent="u2"),
            claude(
                "user",
                [result("t1", "/mnt  3.6T  91%")],
                uuid="u4",
                parent="u3",
                toolUseResult={"stdout": "x"},
            ),
            {"type": "progress", "data": {"type": "hook_progress"}, "uuid": "p1", "sessionId": "session-one"},
            claude("assistant", [text("存档盘已满 91%。")], uuid="u5", parent="u4"),
        )
    ),
    (
        ("USER", "アーカイブは遅いディスクに置くことにしよう 🎉"),
        ("SELF", "I will move it."),
        ("ACT", "Bash\ncommand: df -h /mnt"),
        ("TOOL", "/mnt  3.6T  91%"),
        ("SELF", "存档盘已满 91%。"),
    ),
)

# --- pi ------------------------------------------------------------------------------------------------------------


def pi(role: str, content: Any, n: int, **rest: Any) -> dict[str, Any]:
    """One message row of a pi session, version 1."""
    return {
        "type": "message",
        "timestamp": f"2025-03-01T10:00:{n:02d}.000Z",
        "message": {"role": role, "content": content, **rest},
    }


PI_HEADER = {
    "type": "session",
    "id": "pi-one",
    "timestamp": "2025-03-01T09:59:59.000Z",
    "cwd": "/w",
    "provider": "p",
}

_PI = Sample(
    "pi",
    "--w--/2025-03-01_pi-one.jsonl",
    b"".join(
        line(row)
        for row in (
            PI_HEADER,
            pi("user", [text("never touch the golden files")], 1),
            pi("assistant", [{"type": "thinking", "thinking": "…"}, text("Understood."),
                             {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a.md"}}], 2),
            {"type": "model_change", "timestamp": "2025-03-01T10:00:03.000Z", "modelId": "m"},
            pi("toolResult", [text("# Заголовок")], 4, toolCallId="c1", toolName="read", isError=False),
            pi("bashExecution", None, 5, command="ls", output="a.md", exitCode=0),
            {"type": "compaction", "timestamp": "2025-03-01T10:00:06.000Z", "summary": "The user agreed to everything."},
            pi("user", "ok مرحبا", 7),
        )
    ),
    (
        ("USER", "never touch the golden files"),
        ("SELF", "Understood."),
        ("ACT", "read\npath: a.md"),
        ("TOOL", "# Заголовок"),
        ("TOOL", "$ ls\na.md"),
        ("USER", "ok مرحبا"),
    ),
)  # fmt: skip

# --- text ----------------------------------------------------------------------------------------------------------

_TEXT = Sample(
    "text",
    "notes/2025-03-01-house.md",
    (
        "---\ntitle: house\n---\n# The house\n\nThe archive lives on the slow disk;\nthe fast one stays scratch.\n\n"
        "```sh\nmount /mnt\n\nls\n```\n\n我们决定不再使用旧的导入器。\n\nالقرص البطيء 🎉\n"
    ).encode(),
    (
        ("USER", "# The house"),
        ("USER", "The archive lives on the slow disk;\nthe fast one stays scratch."),
        ("USER", "```sh\nmount /mnt\n\nls\n```"),
        ("USER", "我们决定不再使用旧的导入器。"),
        ("USER", "القرص البطيء 🎉"),
    ),
)

SAMPLES: dict[str, Sample] = {s.name: s for s in (_CLAUDE, _PI, _TEXT)}
Writer = Callable[[Path], Path]
