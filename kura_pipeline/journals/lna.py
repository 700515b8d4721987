"""LNA runs: one JSON run a line, with its provenance stated. What is not stated is not believed (fail closed)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kura_pipeline.journals.base import Unit, stable_id
from kura_pipeline.journals.intake import event_time, joined, passed
from kura_pipeline.journals.jsonl import JsonLines, LineWalk, Row, first_objects
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import JournalUnreadable

_TIMES = ("time", "timestamp", "at", "createdAt", "startedAt", "ts")
_WORDS = ("content", "text", "message", "output", "result")


class Lna(JsonLines):
    """`**/*.lna.jsonl`. A completed line that is no run of version 1 stops the journal before anything past it."""

    name = "lna"
    unit: Unit = "byte"
    version = "1"
    suffixes = (".lna.jsonl",)

    def sniff(self, path: Path, head: bytes) -> bool:
        if not path.name.lower().endswith(self.suffixes):
            return False
        rows = first_objects(head, 1)
        return not rows or "entries" in rows[0] or "origin" in rows[0] or "v" in rows[0]

    def walk(self, path: Path) -> LineWalk:
        return _Walk(path)


class _Walk(LineWalk):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def loud(self, reason: str) -> bool:  # noqa: ARG002
        return True

    def events(self, row: Row) -> Iterator[Event]:
        run = row.obj
        if run.get("v") != 1 or run.get("type") != "run" or not isinstance(run.get("entries"), list):
            raise JournalUnreadable(
                self._path,
                f"a line of v={run.get('v')!r}, type={run.get('type')!r}; this version reads v=1, type=run with entries",
                row.start,
            )
        row.session_of(run.get("session") or run.get("sessionId") or run.get("id") or run.get("runId"))
        row.ts = _time(run, row)
        row.key = stable_id("lna", row.data.strip().hex())
        human = _is_human(run.get("origin"))
        tools: dict[str, str] = {}
        for i, entry in enumerate(run["entries"]):
            if not isinstance(entry, dict):
                row.omit("entry:odd")
                continue
            made = self._entry(row, entry, human, tools, f"{row.key}#{i}")
            if made is not None:
                yield made

    def _entry(
        self, row: Row, entry: dict[str, Any], human: bool, tools: dict[str, str], event_id: str
    ) -> Event | None:
        kind, ts = entry.get("type"), _time(entry, row)
        call = str(entry.get("callId") or entry.get("toolCallId") or entry.get("id"))
        if kind == "tool-call":
            name = str(entry.get("name") or entry.get("tool") or entry.get("toolName") or "tool")
            tools[call] = name
            given = next((entry[k] for k in ("arguments", "args", "input") if k in entry), None)
            return row.event(EvidenceClass.ACT, f"{name}\n{passed(given)}", event_id, tool=name, ts=ts)
        words = next((w for k in _WORDS if (w := joined(entry.get(k)))), "")
        if kind == "tool-result":
            text = machine_output(words, row.left_out)
            tool = entry.get("name") or entry.get("tool") or entry.get("toolName") or tools.get(call)
            return row.event(EvidenceClass.TOOL, text, event_id, tool=str(tool) if tool else None, ts=ts)
        if kind != "message":
            row.omit("reasoning" if kind in ("reasoning", "thinking") else f"entry:{kind}")
            return None
        role = entry.get("role")
        if role not in ("user", "assistant"):
            row.omit(f"role:{role}")
            return None
        if role == "user" and human:
            words = human_words(words, row.left_out)
            return row.event(EvidenceClass.USER, words, event_id, ts=ts) if words else None
        return row.event(EvidenceClass.SELF, words, event_id, ts=ts)


def _is_human(origin: Any) -> bool:
    return (
        isinstance(origin, Mapping)
        and origin.get("rootKind") == "human"
        and origin.get("currentKind") == "human"
        and origin.get("delegated") is False
    )


def _time(value: Mapping[str, Any], row: Row) -> str | None:
    stated = next((value[k] for k in _TIMES if value.get(k) is not None), None)
    return event_time(stated, row.left_out)
