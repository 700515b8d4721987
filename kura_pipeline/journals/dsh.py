"""DSH sessions: a header line, then events `{type, seq, time, data}`; plain, or packed in many zstandard frames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kura_pipeline.journals import base
from kura_pipeline.journals.base import Reading, Record, Unit, stable_id
from kura_pipeline.journals.files import open_journal, read_head
from kura_pipeline.journals.intake import Intake, event_time, joined, passed
from kura_pipeline.journals.jsonl import LineWalk, Row, first_objects, is_own_session
from kura_pipeline.journals.lines import Line, lines, parse_json
from kura_pipeline.journals.machine_text import human_words, machine_output
from kura_pipeline.journals.numbered import Numbered
from kura_pipeline.journals.told import told
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import JournalUnreadable
from kura_runtime.models.roles import OWN_MARK

_GENERATION = re.compile(r"^session(?:\.v(\d+))?\.jsonl(\.zstd?)?$")


class Dsh(Numbered):
    """`~/.dsh/sessions/--<cwd>--/<id>/session[.vN].jsonl.zstd` or `.jsonl`."""

    name = "dsh"
    unit: Unit = "sequence"
    version = "1"
    suffixes = (".jsonl", ".jsonl.zstd", ".jsonl.zst")

    def sniff(self, path: Path, head: bytes) -> bool:
        rows = first_objects(head, 1)
        return (
            path.name.lower().endswith(self.suffixes)
            and bool(rows)
            and rows[0].get("type") == "session"
            and "createdAt" in rows[0]
        )

    def superseded(self, paths: frozenset[Path]) -> dict[Path, str]:
        """Of several generations of one session, all but the highest; of one generation told twice, the packed copy."""
        best: dict[Path, tuple[int, bool, Path]] = {}
        ranked = {
            p: (int(m.group(1) or 0), not m.group(2)) for p in paths if (m := _GENERATION.match(p.name))
        }
        for path, (generation, plain) in sorted(ranked.items()):
            here = best.get(path.parent)
            if here is None or (generation, plain) > here[:2]:
                best[path.parent] = (generation, plain, path)
        return {
            path: f"an older state of {best[path.parent][2].name}"
            for path in ranked
            if path != best[path.parent][2]
        }

    def records(self, reading: Reading, path: Path, intake: Intake) -> Iterator[Record]:
        walk, number = _Walk(), 0
        own = is_own_session(read_head(path))
        with open_journal(path) as file:
            try:
                for n, line in enumerate(lines(file, 0, None, base.RECORD_CAP)):
                    row = self._row(reading, walk, intake, line, own)
                    if row is None:
                        if not line.whole:
                            reading.partial = line.end - line.start
                            return
                        continue
                    if n == 0 and row.obj.get("type") == "session":
                        walk.header(row.obj)
                        reading.session = walk.session
                        continue
                    number = max(number, walk.number(row.obj, number))
                    row.start, row.end = number, number + 1
                    events = tuple(walk.events(row))
                    number += 1
                    yield Record(
                        row.start, row.end, events, intake.take(), row.key if events else "", walk.session
                    )
            except OSError as error:
                raise JournalUnreadable(path, f"cannot be read ({error.strerror or error})") from None

    def _row(self, reading: Reading, walk: _Walk, intake: Intake, line: Line, own: bool) -> Row | None:
        """The parsed line, or None for one that is left out (counted with the next record) or not finished."""
        reason = "too-long"
        if line.data is not None:
            if own or OWN_MARK.encode() in line.data:
                reason = "own-session"
            else:
                obj, reason = parse_json(line.data, intake.left_out)
                if isinstance(obj, dict):
                    return Row(walk, intake, line, line.data, obj)
        if line.whole and reason != "blank":
            if reason != "own-session":
                reading.fault(line.start, reason or "not-an-object")
            intake.left_out[reason or "not-an-object"] += 1
        return None


class _Walk(LineWalk):
    def __init__(self) -> None:
        super().__init__()
        self._delegated = False
        self._seed = 0
        self._tools: dict[str, str] = {}
        self._blocks: list[tuple[int, str]] = []  # text blocks of a step whose message has not come yet

    def header(self, header: Mapping[str, Any]) -> None:
        """Line 1: whose session this is."""
        self.session = str(header.get("id") or "")
        depth, seed = header.get("delegationDepth"), header.get("seedLength")
        # a fork states its depth; a child that does not may be an agent's
        self._delegated = bool(depth) or (depth is None and header.get("parentSession") is not None)
        self._seed = seed if isinstance(seed, int) else 0

    def number(self, event: Mapping[str, Any], after: int) -> int:
        """The event's sequence number; where it states none, the one that follows."""
        stated = event.get("seq", event.get("seq0"))
        return stated if isinstance(stated, int) and not isinstance(stated, bool) else after

    def events(self, row: Row) -> Iterator[Event]:
        kind, data = row.obj.get("type"), row.obj.get("data")
        data = data if isinstance(data, dict) else {}
        if row.start < self._seed:
            row.omit("fork-seed")  # the parent's, told in the parent's own journal
            return
        row.ts = event_time(row.obj.get("time"), row.left_out)
        # not the number alone: a later generation may count anew, and tells the same event with the same data
        row.key = stable_id("dsh", self.session, kind, row.obj.get("time") or row.start, told(data, row.data))
        if kind == "user/message":
            made = self._user(row, data)
        elif kind == "assistant/message":
            self._blocks.clear()
            made = self._assistant(row, data.get("message"))
        elif kind == "assistant/chunk":
            self._chunk(row, data.get("chunk"))
            return
        elif kind in ("step/end", "step/start", "turn/end"):
            yield from self._loose_blocks(row)
            row.omit(f"line:{kind}")
            return
        elif kind == "tool/call":
            made = self._call(row, data)
        elif kind == "tool/result":
            made = self._result(row, data.get("message"))
        else:
            row.omit("reasoning" if kind == "reasoning-chunks" else f"line:{kind}")
            return
        if made is not None:
            yield made

    def _user(self, row: Row, data: dict[str, Any]) -> Event | None:
        source = data.get("source")
        stated = source.get("kind") if isinstance(source, dict) else None
        if stated != "user":
            row.omit(f"source:{stated}")
            return None
        words = joined(data.get("content"))
        if self._delegated:
            return row.event(EvidenceClass.SELF, words, f"{row.key}#0")
        words = human_words(words, row.left_out)
        return row.event(EvidenceClass.USER, words, f"{row.key}#0") if words else None

    def _assistant(self, row: Row, message: Any) -> Event | None:
        content = message.get("content") if isinstance(message, dict) else None
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts: list[str] = []
        for part in parts:
            kind = part.get("type") if isinstance(part, dict) else "odd"
            if kind == "text":
                texts.append(joined([part]))
            elif kind != "tool-call":  # told by its own tool/call
                row.omit("reasoning" if kind == "reasoning" else f"block:{kind}")
        return row.event(EvidenceClass.SELF, "\n".join(texts), f"{row.key}#0") if texts else None

    def _chunk(self, row: Row, chunk: Any) -> None:
        """Older sessions tell a reply only by the ends of its blocks."""
        block = chunk.get("block") if isinstance(chunk, dict) and chunk.get("type") == "block-end" else None
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            self._blocks.append((row.start, block["text"]))
        row.omit("line:assistant/chunk")

    def _loose_blocks(self, row: Row) -> Iterator[Event]:
        blocks, self._blocks = self._blocks, []
        for i, (_, text) in enumerate(blocks):
            made = row.event(EvidenceClass.SELF, text, f"{row.key}#{i}")
            if made is not None:
                yield made

    def _call(self, row: Row, data: dict[str, Any]) -> Event | None:
        name = str(data.get("name") or "tool")
        self._tools[str(data.get("callId"))] = name
        return row.event(
            EvidenceClass.ACT, f"{name}\n{passed(data.get('arguments'))}", f"{row.key}#0", tool=name
        )

    def _result(self, row: Row, message: Any) -> Event | None:
        content = message.get("content") if isinstance(message, dict) else None
        texts: list[str] = []
        call = ""
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict) and part.get("type") == "tool-result":
                texts.append(joined(part.get("content")))
                call = call or str(part.get("toolCallId"))
            else:
                row.omit("block:odd")
        text = machine_output("\n".join(texts), row.left_out)
        return row.event(EvidenceClass.TOOL, text, f"{row.key}#0", tool=self._tools.get(call))
