"""The woven map as a value: its layers, its lines, its bytes. And the check that nothing of the index was lost on the way."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from kura_runtime.recall.framing import one_line

Layer = Literal["pinned", "fresh", "trigger"]


class IndexEntry(Protocol):
    """One line of a store's index."""

    @property
    def slug(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def trigger(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ClothLine:
    """One memory in the map. `date` is the day it was last changed, "" where unknown."""

    slug: str
    layer: Layer
    text: str
    date: str = ""


@dataclass(frozen=True, slots=True)
class Cloth:
    """The map of a store at a revision. `etag` is the sha256 of `text`; `source` that of the index it was woven from."""

    store: str
    revision: int
    text: str
    etag: str
    source: str
    lines: tuple[ClothLine, ...]
    sectors: tuple[tuple[str, int], ...]
    tokens: int
    fresh_days: int  # the window that was used
    today: str
    settings: str  # hash of what the weave was told
    note: str = ""  # why the map is larger than asked, "" where it is not

    @property
    def counts(self) -> dict[str, int | str]:
        """Plain numbers for metadata."""
        layers = [line.layer for line in self.lines]
        return {
            "lines": len(self.lines), "pinned": layers.count("pinned"), "fresh": layers.count("fresh"),
            "trigger": layers.count("trigger"), "tokens": self.tokens, "bytes": len(self.text.encode()),
            "fresh_days": self.fresh_days, "revision": self.revision, "etag": self.etag, "note": self.note,
        }  # fmt: skip

    @property
    def layers(self) -> dict[str, list[str]]:
        """Layer → its slugs, in the map's order."""
        found: dict[str, list[str]] = {"pinned": [], "fresh": [], "trigger": []}
        for line in self.lines:
            found[line.layer].append(line.slug)
        return found

    def to_json(self) -> dict[str, Any]:
        """Everything but the text itself, as plain data."""
        return {
            "store": self.store, "revision": self.revision, "etag": self.etag, "source": self.source, "tokens": self.tokens,
            "fresh_days": self.fresh_days, "today": self.today, "settings": self.settings, "note": self.note,
            "sectors": [list(s) for s in self.sectors],
            "lines": [[line.slug, line.layer, line.text, line.date] for line in self.lines],
        }  # fmt: skip


def line_text(title: str, slug: str, trigger: str) -> str:
    """An index line as the map shows it, always on one line."""
    bare = one_line(title).replace("[", "(").replace("]", ")")
    told = one_line(trigger)
    return f"- [{bare}]({slug}.md)" + (f" — {told}" if told else "")


def digest(text: str) -> str:
    """sha256 (hex)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def index_digest(sections: Iterable[tuple[str, Sequence[IndexEntry]]]) -> str:
    """The hash of an index: headings and lines in order."""
    return digest(
        "\n".join(f"{heading}\t{e.slug}\t{e.title}\t{e.trigger}" for heading, es in sections for e in es)
    )


_LINE = re.compile(r"^- \[[^\[\]\n]*\]\((?P<slug>[^()\s]+)\.md\)(?: — (?P<told>.*))?$", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+")


def broken_lines(
    sections: Iterable[tuple[str, Sequence[IndexEntry]]], text: str, composed: frozenset[str]
) -> list[str]:
    """What is wrong with a map woven from this index: lines lost, reordered, doubled or invented, and words that its line does
    not hold. `composed` names the slugs whose cue was written by the scribe (the surface floor has judged those)."""
    entries = [e for _, es in sections for e in es]
    wanted = [e.slug for e in entries]
    found = [(m["slug"], m["told"] or "") for m in _LINE.finditer(text)]
    slugs = [slug for slug, _ in found]
    problems = [f"lost: {s}" for s in wanted if s not in set(slugs)]
    problems += [f"invented: {s}" for s in slugs if s not in set(wanted)]
    problems += (
        [f"twice: {s}" for s in dict.fromkeys(slugs) if slugs.count(s) > 1]
        if len(set(slugs)) != len(slugs)
        else []
    )
    if not problems and slugs != wanted:
        at = next(i for i, (a, b) in enumerate(zip(slugs, wanted, strict=True)) if a != b)
        problems.append(f"reordered: {slugs[at]} stands where {wanted[at]} belongs")
    told = {e.slug: one_line(e.trigger) for e in entries}
    for slug, words in found:
        if (
            slug in told
            and slug not in composed
            and not _within(_WORD.findall(words), _WORD.findall(told[slug]))
        ):
            problems.append(f"reworded: {slug}")
    return problems


def _within(short: list[str], whole: list[str]) -> bool:
    """True where `short` is `whole` with words left out and none added or moved."""
    rest = iter(whole)
    return all(any(word == other for other in rest) for word in short)
