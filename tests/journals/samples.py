"""Small journals of every format, with the events they hold. Each is written as its program writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from kura_pipeline.journals.base import Adapter, Reading
from kura_pipeline.journals.held import inside
from kura_pipeline.journals.sniff import adapter
from kura_runtime.domain.evidence import Event
from tests.journals import hosts

Said = tuple[str, str]  # class, words


@dataclass(frozen=True)
class Sample:
    """`data` is the file; `said` its events in order. `session` is the one to read where the file holds many; `beside` are
    further files that belong to it."""

    name: str
    file: str
    data: bytes
    said: tuple[Said, ...]
    session: str = ""
    beside: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def adapter(self) -> Adapter:
        return adapter(self.name)

    @property
    def is_database(self) -> bool:
        return bool(self.session)

    @property
    def is_packed(self) -> bool:
        return self.file.endswith((".zst", ".zstd"))

    @property
    def grows(self) -> bool:
        """Whether its program appends lines to it."""
        return self.file.endswith((".jsonl", ".md"))

    def place(self, folder: Path) -> Path:
        """Where it is read from, written or not."""
        path = folder / self.file
        return inside(path, self.session) if self.session else path

    def write(self, folder: Path, data: bytes | None = None) -> Path:
        path = folder / self.file
        for name, content in self.beside.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data if data is None else data)
        return self.place(folder)


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

# --- codex ---------------------------------------------------------------------------------------------------------


def codex(kind: str, n: int = 0, /, **payload: Any) -> dict[str, Any]:
    """One row of a rollout."""
    return {"timestamp": f"2025-03-01T10:00:{n:02d}.000Z", "type": kind, "payload": payload}


def codex_user(words: str, n: int) -> list[dict[str, Any]]:
    """The human's words as they stand twice since 0.149."""
    return [
        codex(
            "response_item", n, type="message", role="user", content=[{"type": "input_text", "text": words}]
        ),
        codex("event_msg", n, type="item_completed", item={"type": "UserMessage", "content": [text(words)]}),
    ]


CODEX_META = codex(
    "session_meta", 0, id="codex-one", cwd="/w", source="cli", base_instructions={"text": "Be good."}
)

_CODEX = Sample(
    "codex",
    "2025/03/01/rollout-2025-03-01T10-00-00-codex-one.jsonl",
    b"".join(
        line(row)
        for row in (
            CODEX_META,
            codex("response_item", 1, type="message", role="developer", content=[{"type": "input_text", "text": "rules"}]),
            *codex_user("pin pytest to 8.x, und zwar überall", 2),
            codex("response_item", 3, type="reasoning", summary=[], encrypted_content="gAAA"),
            codex("response_item", 4, type="function_call", name="exec", arguments='{"cmd": "df /mnt/disk"}', call_id="c"),
            codex("response_item", 5, type="function_call_output", call_id="c", output="/mnt/disk 91%"),
            codex("event_msg", 6, type="item_completed", item={"type": "AgentMessage", "content": [text("満杯です。")]}),
            codex("response_item", 6, type="message", role="assistant", content=[{"type": "output_text", "text": "満杯です。"}]),
            codex("compacted", 7, message="Summary", replacement_history=[{"type": "message", "role": "user"}]),
        )
    ),
    (
        ("USER", "pin pytest to 8.x, und zwar überall"),
        ("ACT", "exec\ncmd: df /mnt/disk"),
        ("TOOL", "/mnt/disk 91%"),
        ("SELF", "満杯です。"),
    ),
)  # fmt: skip

# --- dsh -----------------------------------------------------------------------------------------------------------


def dsh(kind: str, seq: int, **data: Any) -> dict[str, Any]:
    """One event of a DSH session."""
    return {"type": kind, "seq": seq, "time": 1740823200000 + seq * 1000, "data": data}


DSH_HEADER = {
    "type": "session",
    "version": 1,
    "id": "dsh-one",
    "createdAt": 1740823200000,
    "cwd": "/w",
    "delegationDepth": 0,
}

DSH_ROWS = (
    DSH_HEADER,
    dsh("turn/start", 0, turn=1),
    dsh("user/message", 1, role="user", source={"kind": "user"}, content=[text("禁止使用旧的导入器")]),
    dsh("user/message", 2, role="user", source={"kind": "plugin"}, content=[text("The user approved it.")]),
    {"type": "reasoning-chunks", "seq0": 3, "time0": 1740823203000, "data": {"texts": ["a", "b", "c"]}},
    dsh("assistant/chunk", 6, chunk={"type": "block-end", "block": text("I see the disk.")}),
    dsh("assistant/message", 7, message={"role": "assistant", "content": [{"type": "reasoning", "text": "h"}, text("I see the disk."), {"type": "tool-call", "name": "bash"}]}),
    dsh("tool/call", 8, callId="c", name="bash", arguments='{"command": "ls"}'),
    dsh("tool/result", 9, message={"role": "user", "content": [{"type": "tool-result", "toolCallId": "c", "content": [text("a.md")]}]}),
    dsh("step/end", 10, turn=1),
)  # fmt: skip

_DSH = Sample(
    "dsh",
    "--w--/dsh-one/session.jsonl.zstd",
    b"".join(zstandard.ZstdCompressor().compress(line(row)) for row in DSH_ROWS),
    (
        ("USER", "禁止使用旧的导入器"),
        ("SELF", "I see the disk."),
        ("ACT", "bash\ncommand: ls"),
        ("TOOL", "a.md"),
    ),
)

# --- lna -----------------------------------------------------------------------------------------------------------


def lna(
    *entries: dict[str, Any], root: str = "human", current: str = "human", delegated: Any = False
) -> dict[str, Any]:
    """One run."""
    origin = {"rootKind": root, "currentKind": current, "delegated": delegated}
    return {
        "v": 1,
        "type": "run",
        "id": "run-one",
        "time": "2025-03-01T10:00:00Z",
        "origin": origin,
        "entries": entries,
    }


_LNA = Sample(
    "lna",
    "runs/today.lna.jsonl",
    line(
        lna(
            {"type": "message", "role": "user", "content": "keep the disk cold"},
            {"type": "tool-call", "callId": "c", "name": "hdparm", "arguments": {"args": "-y /dev/sda"}},
            {"type": "tool-result", "callId": "c", "content": "issuing standby command"},
            {"type": "message", "role": "assistant", "content": "完了しました。"},
        )
    )
    + line(
        lna({"type": "message", "role": "user", "content": "check the disk"}, current="agent", delegated=True)
    ),
    (
        ("USER", "keep the disk cold"),
        ("ACT", "hdparm\nargs: -y /dev/sda"),
        ("TOOL", "issuing standby command"),
        ("SELF", "完了しました。"),
        ("SELF", "check the disk"),
    ),
)

# --- openai --------------------------------------------------------------------------------------------------------


def node(
    id_: str, parent: str | None, role: str, *parts: Any, kind: str = "text", **rest: Any
) -> dict[str, Any]:
    """One node of a ChatGPT conversation."""
    content = {"content_type": kind, "parts": list(parts)}
    message = {
        "id": id_,
        "author": {"role": role},
        "create_time": 1740823200.5,
        "content": content,
        "recipient": "all",
        **rest,
    }
    return {"id": id_, "parent": parent, "children": [], "message": message}


def conversation(id_: str, *nodes: dict[str, Any], current: str) -> dict[str, Any]:
    """One conversation of an export."""
    return {"title": id_, "conversation_id": id_, "create_time": 1740823200.0, "current_node": current,
            "mapping": {n["id"]: n for n in nodes}}  # fmt: skip


_OPENAI = Sample(
    "openai",
    "export/conversations.json",
    json.dumps(
        [
            conversation(
                "conv-one",
                {"id": "root", "parent": None, "message": None},
                node("s", "root", "system", ""),
                node("u", "s", "user", "which disk holds the archive? 🎉"),
                node("a", "u", "assistant", "The slow disk."),
                current="a",
            ),
            conversation("conv-two", node("u2", None, "user", "ディスクを買う"), current="u2"),
        ],
        ensure_ascii=False,
    ).encode(),
    (
        ("USER", "which disk holds the archive? 🎉"),
        ("SELF", "The slow disk."),
        ("USER", "ディスクを買う"),
    ),
)

# --- programs that keep databases, or write their files anew ---------------------------------------------------------

_OPENCODE_FILES = hosts.opencode_files("ses_old")
_MORE = {
    "opencode": Sample(
        "opencode",
        "opencode/opencode.db",
        hosts.database(
            hosts.OPENCODE,
            hosts.merged(
                hosts.opencode_rows("ses_one"),
                hosts.opencode_rows("ses_two", hosts.OPENCODE_TURNS[:1], parent="ses_one"),
            ),
        ),
        hosts.OPENCODE_SAID,
        session="ses_one",
    ),
    "opencode-files": Sample(
        "opencode",
        "storage/session/p/ses_old.json",
        _OPENCODE_FILES["storage/session/p/ses_old.json"],
        hosts.OPENCODE_SAID,
        beside={k: v for k, v in _OPENCODE_FILES.items() if "/session/" not in k},
    ),
    "goose": Sample(
        "goose",
        "goose/sessions/sessions.db",
        hosts.database(
            hosts.GOOSE,
            hosts.merged(hosts.goose_rows("20250301_1"), hosts.goose_rows("20250301_2", kind="sub_agent")),
        ),
        hosts.GOOSE_SAID,
        session="20250301_1",
    ),
    "goose-lines": Sample(
        "goose",
        "goose/sessions/20250301_100000.jsonl",
        line(hosts.GOOSE_METADATA) + b"".join(line(m) for m in hosts.GOOSE_MESSAGES),
        hosts.GOOSE_SAID,
    ),
    "gemini": Sample(
        "gemini",
        "tmp/abc/chats/session-2025-03-01T10-00-gemini-o.json",
        json.dumps(
            {**hosts.GEMINI_HEAD, "messages": hosts.GEMINI_TURNS}, ensure_ascii=False, indent=2
        ).encode(),
        hosts.GEMINI_SAID,
    ),
    "gemini-lines": Sample(
        "gemini",
        "tmp/abc/chats/session-2025-03-01T10-00-gemini-o.jsonl",
        line({**hosts.GEMINI_HEAD, "kind": "main"})
        + b"".join(
            # a message is appended again when it changes
            line({**m, "toolCalls": []}) + line({"$set": {"lastUpdated": hosts.at(8)}}) + line(m)
            if "toolCalls" in m
            else line(m)
            for m in hosts.GEMINI_TURNS
        ),
        hosts.GEMINI_SAID,
    ),
}

SAMPLES: dict[str, Sample] = {s.name: s for s in (_CLAUDE, _PI, _TEXT, _CODEX, _DSH, _LNA, _OPENAI)} | _MORE
