"""Stores for the tests of recall: small ones in memory, and the house store where it is at hand."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kura_runtime.domain.links import links_of
from kura_runtime.domain.memory import Memory
from kura_runtime.recall.corpus import Corpus, build
from kura_runtime.store.containment import Holding, Stamp
from kura_runtime.store.looking import Look

HOUSE = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "house"
HERE = Path(__file__).resolve().parent


def memory(slug: str, title: str, trigger: str, summary: str = "", **more: Any) -> Memory:
    return Memory(slug, title, trigger, summary=summary, links=links_of(summary), **more)


@dataclass(frozen=True)
class Line:
    slug: str
    title: str
    trigger: str


@dataclass(frozen=True)
class FakeIndex:
    sections: tuple[tuple[str, tuple[Line, ...]], ...]


class FakeStore:
    """What recall and the resident map need of a store, in memory."""

    name = "fake"

    def __init__(self, path: Path, memories: list[Memory], headings: dict[str, str] | None = None) -> None:
        self.path, self.revision = path, 1
        self._memories = list(memories)
        self._headings = headings or {}

    def memories(self) -> list[Memory]:
        return list(self._memories)

    def slugs(self) -> frozenset[str]:
        return frozenset(m.slug for m in self._memories)

    def get(self, slug: str) -> Memory:
        return next(m for m in self._memories if m.slug == slug)

    def look(self) -> Look:
        live = {m.slug: Holding(m.slug, self.path / f"{m.slug}.md", self._stamp(m)) for m in self._memories}
        return Look(live, {}, (), dict, self)  # type: ignore[arg-type]

    def reread(self, look: Look, slug: str) -> Memory | None:
        return next((m for m in self._memories if m.slug == slug and slug in look.stamps), None)

    def stamp(self, holding: Holding) -> Stamp:
        """As a layout's: the stamp now. A fake's file moves with its memory."""
        held = next((m for m in self._memories if m.slug == holding.slug), None)
        if held is None:
            raise FileNotFoundError(holding.path)
        return self._stamp(held)

    def _stamp(self, held: Memory) -> Stamp:
        return (1, zlib.crc32(repr(held).encode()), 1, len(held.summary))

    def change(self, *memories: Memory) -> None:
        new = {m.slug: m for m in memories}
        self._memories = [new.pop(m.slug, m) for m in self._memories] + list(new.values())
        self.revision += 1

    def index(self) -> FakeIndex:
        groups: dict[str, list[Line]] = {}
        for m in self._memories:
            groups.setdefault(self._headings.get(m.slug, "General"), []).append(
                Line(m.slug, m.title, m.trigger)
            )
        return FakeIndex(tuple((h, tuple(lines)) for h, lines in groups.items()))


class FixedShelf:
    """A shelf that never changes."""

    name = "fake"

    def __init__(self, *memories: Memory) -> None:
        self._corpus = build(memories)

    def corpus(self) -> tuple[Corpus, int, tuple[str, ...]]:
        return self._corpus, 1, ()


def house_memories() -> list[Memory]:
    if not HOUSE.is_dir():
        pytest.skip("the house store is not at hand")
    raw = [json.loads(line) for line in (HOUSE / "memories.jsonl").read_text(encoding="utf-8").splitlines()]
    now = {m["supersedes"]: m["slug"] for m in raw if m["supersedes"]}
    return [
        Memory(
            m["slug"], m["title"], m["trigger"], m["type"], summary=m["body"], belongs_because=m["belongs_because"],
            keep=m["keep"], may_fade=m["may_fade"], created=m["created"], updated=m["updated"],
            state="retired" if m["slug"] in now else "active", superseded_by=now.get(m["slug"]), links=links_of(m["body"]),
        )
        for m in raw
    ]  # fmt: skip


def questions(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


PORTS = (
    memory("chat-port-8081", "Chat port at first", "the chat server listens on 8081 since January", "Port 8081 was free then.",
           state="retired", superseded_by="chat-port-8411"),
    memory("chat-port-8411", "Chat port today", "the chat server moved from 8081 to 8411 in October", "All in the 84xx block."),
    memory("embed-port-8412", "Embedding port", "embeddings are served on port 8412, never on 8411", "bge-m3, batch 512."),
    memory("zstd-level", "Compression level of archives", "archives use zstd level 19, window 27", "Level 22 needs too much memory."),
    memory("anna-lind", "Anna the designer", "Anna Lindqvist does the design; \"Anna L.\" in notes", "Gothenburg, 24 h a week."),
    memory("anna-bell", "Anna the customer", "Anna Bellweather runs the pottery; \"Anna B.\" in notes", "Prefers the phone."),
    memory("release-freeze", "No releases on Friday", "no production release from Friday noon to Monday", "Canary excepted."),
    memory("oven-curve", "窯の焼成曲線", "素焼きは 800 度まで毎時 100 度、本焼きは 1230 度", "冷却は自然放冷。窯を開けるのは 100 度以下。"),
    memory("backup-night", "夜间备份", "备份任务每天凌晨三点运行，保留十四份", "失败时发告警，不重试。"),
    memory("netzteil", "Neues Netzteil", "das Netzteil des Servers hat 1200 W seit Dezember", "Das alte schaltete bei Lastspitzen ab."),
)  # fmt: skip
