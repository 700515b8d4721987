"""Recorded journals, counted a second way: the counters below know nothing of the adapters. They read each line with the
standard library and count blocks as the formats' notes describe them, and every USER text is held against the raw file."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.sniff import adapter, identify
from tests.journals.samples import events

# Words that only machines write; none may stand at the beginning of the human's.
MACHINE = re.compile(
    r"^\s*(<(system-reminder|command-|local-command|task-notification|environment_context|user_instructions|goal_round)"
    r"|Stop hook feedback|Caveat:|This session is being continued|\[Request interrupted|# AGENTS\.md|Current runtime context)"
)


def rows(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    if path.name.endswith(".zstd"):
        data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return [json.loads(x) for x in data.decode().split("\n") if x.strip()]


def count_claude(path: Path) -> Counter[str]:
    counted: Counter[str] = Counter()
    for row in rows(path):
        content = row.get("message", {}).get("content") if isinstance(row.get("message"), dict) else None
        if row["type"] == "user" and isinstance(content, str):
            counted["USER"] += not (
                row.get("isMeta") or row.get("isSidechain") or row.get("isCompactSummary")
            )
        elif row["type"] in ("user", "assistant"):
            for block in content or ():
                if block["type"] == "tool_result":
                    parts = block.get("content") or ""
                    words = parts if isinstance(parts, str) else "".join(p.get("text", "") for p in parts)
                    counted["TOOL"] += bool(
                        re.sub(r"(?s)<system-reminder>.*?</system-reminder>", "", words).strip()
                    )
                elif block["type"] == "tool_use":
                    counted["ACT"] += 1
                elif block["type"] == "text":
                    counted["SELF" if row["type"] == "assistant" else "USER"] += 1
    return +counted


def count_pi(path: Path) -> Counter[str]:
    counted: Counter[str] = Counter()
    for row in rows(path):
        message = row.get("message")
        if row["type"] != "message" or not isinstance(message, dict):
            continue
        for block in message["content"]:
            kind = (message["role"], block["type"])
            counted["USER"] += kind == ("user", "text") and bool(block["text"].strip())
            counted["SELF"] += kind == ("assistant", "text") and bool(block["text"].strip())
            counted["ACT"] += kind == ("assistant", "toolCall")
        if message["role"] == "toolResult":
            counted["TOOL"] += bool("".join(b.get("text", "") for b in message["content"]).strip())
    return +counted


def count_codex(path: Path) -> Counter[str]:
    counted: Counter[str] = Counter()
    for row in rows(path):
        payload = row["payload"]
        item = payload.get("item") or {}
        counted["USER"] += row["type"] == "event_msg" and item.get("type") == "UserMessage"
        counted["SELF"] += row["type"] == "event_msg" and item.get("type") == "AgentMessage"
        counted["ACT"] += row["type"] == "response_item" and payload["type"] == "function_call"
        counted["TOOL"] += row["type"] == "response_item" and payload["type"] == "function_call_output"
    return +counted


def count_dsh(path: Path) -> Counter[str]:
    counted: Counter[str] = Counter()
    for row in rows(path):
        data = row.get("data") or {}
        counted["USER"] += row["type"] == "user/message" and data["source"]["kind"] == "user"
        counted["ACT"] += row["type"] == "tool/call"
        counted["TOOL"] += row["type"] == "tool/result"
        if row["type"] == "assistant/message":
            counted["SELF"] += any(
                p["type"] == "text" and p["text"].strip() for p in data["message"]["content"]
            )
    return +counted


COUNTERS: dict[str, Callable[[Path], Counter[str]]] = {
    "claude": count_claude,
    "pi": count_pi,
    "codex": count_codex,
    "dsh": count_dsh,
}


def files(folder: Path, kind: str) -> list[Path]:
    return sorted(p for p in (folder / kind).rglob("*") if p.is_file())


@pytest.mark.parametrize("kind", sorted(COUNTERS))
def test_events_by_class_are_those_of_an_independent_count(real_journals: Path, kind: str) -> None:
    for path in files(real_journals, kind):
        counted = Counter(e.cls.value for e in events(adapter(kind).read(path)))
        assert counted == COUNTERS[kind](path), path.name


@pytest.mark.parametrize("kind", sorted(COUNTERS))
def test_every_recorded_journal_is_known_by_its_content(real_journals: Path, kind: str) -> None:
    for path in files(real_journals, kind):
        assert identify(path, read_head(path)) == (kind,)


@pytest.mark.parametrize("kind", sorted(COUNTERS))
def test_no_user_event_is_written_by_a_machine(real_journals: Path, kind: str) -> None:
    found = [
        e for path in files(real_journals, kind) for e in events(adapter(kind).read(path)) if e.cls == "USER"
    ]
    assert found
    assert [e.text[:80] for e in found if MACHINE.match(e.text)] == []


@pytest.mark.parametrize("kind", sorted(COUNTERS))
def test_every_user_event_stands_in_the_record_its_span_names(real_journals: Path, kind: str) -> None:
    for path in files(real_journals, kind):
        if adapter(kind).unit != "byte":
            continue
        data = path.read_bytes()
        for e in events(adapter(kind).read(path)):
            if e.cls == "USER" and not e.cut and not e.redactions:
                record = json.loads(data[e.byte_start : e.byte_end])
                assert e.text in "\n".join(_strings(record))


def test_the_recorded_claude_sessions_hold_one_prompt_each(real_journals: Path) -> None:
    prompts = {
        path.stem: [e.text[:24] for e in events(adapter("claude").read(path)) if e.cls == "USER"]
        for path in files(real_journals, "claude")
    }
    assert prompts == {
        "coverage-test-fix": ["Add a function called mu"],
        "hello-world-script": ["Write a shell script cal"],
        "python-to-rust-port": ["Port this Python project"],
        "stop-hook-reflection-first-stop": ["Read test.txt and change"],
        "stop-hook-uncommitted-changes": ["Read src/main.py and add"],
    }


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [s for v in value.values() for s in _strings(v)]
    return [s for v in value for s in _strings(v)] if isinstance(value, list) else []
