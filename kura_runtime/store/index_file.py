"""MEMORY.md: one line a memory, under headings. Edited line by line, so that a person's own text around it stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(
    r"[ \t]*[-*+][ \t]+\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\(<?(?:\./)?([^()<>\s]+)\.md>?\)[ \t]*(?:(?:—|–|--|-|:)[ \t]*)?(.*)"
)
_HEADING = re.compile(r"##[ \t]+(.*?)[ \t#]*")
_ESCAPED = re.compile(r"\\([\[\]\\])")


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One line of the index: which memory, and by what it is recognised."""

    slug: str
    title: str
    trigger: str


class IndexFile:
    """The lines of an index, and the places of the memories among them."""

    def __init__(self, text: str = "") -> None:
        self._lines = text.split("\n")
        self._places: dict[str, int] = {}
        self.repeated: list[str] = []  # slugs that have more than one line; the first counts
        self._found: dict[str, tuple[str, IndexLine]] = {}
        heading = ""
        for n, raw in enumerate(self._lines):
            line = raw.rstrip("\r")
            if line.startswith("## ") and (named := _HEADING.fullmatch(line)):
                heading = named.group(1)
            elif (match := _LINE.fullmatch(line)) is not None:
                slug = match.group(2)
                if slug in self._places:
                    self.repeated.append(slug)
                    continue
                title = match.group(1)
                title = _ESCAPED.sub(r"\1", title) if "\\" in title else title
                self._places[slug] = n
                self._found[slug] = (heading, IndexLine(slug, title, match.group(3).strip()))

    def __contains__(self, slug: object) -> bool:
        return slug in self._places

    def __iter__(self) -> Iterator[tuple[str, IndexLine]]:
        """(heading, line) in file order; "" is the part before the first heading."""
        return iter(self._found.values())

    def line(self, slug: str) -> IndexLine | None:
        """The line of a memory."""
        found = self._found.get(slug)
        return found[1] if found else None

    def heading(self, slug: str) -> str:
        """The heading a memory's line stands under; "" for none."""
        found = self._found.get(slug)
        return found[0] if found else ""

    @property
    def text(self) -> str:
        return "\n".join(self._lines)


def edited(text: str, put: dict[str, tuple[str, IndexLine]], drop: frozenset[str] = frozenset()) -> str:
    """The index with lines put in (replaced where they stand, else at the end of their heading) and dropped."""
    index = IndexFile(text)
    lines: list[str | None] = list(index._lines)
    fresh: dict[str, list[str]] = {}
    for slug, (heading, line) in put.items():
        if slug not in index:
            fresh.setdefault(heading, []).append(render(line))
        elif index.line(slug) != line:
            lines[index._places[slug]] = render(line)
    for slug in drop:
        if slug in index:
            lines[index._places[slug]] = None
    if not fresh:
        return "\n".join(line for line in lines if line is not None)
    return _inserted(lines, fresh)


def _inserted(lines: list[str | None], fresh: dict[str, list[str]]) -> str:
    out: list[str] = []
    waiting = dict(fresh)
    heading = ""

    def flush() -> None:
        new = waiting.pop(heading, None)
        if new:
            blank = 0
            while out and not out[-1].strip():
                out.pop()
                blank += 1
            if out and (out[-1].startswith("#") or not heading):
                out.append("")
            out.extend(new)
            out.extend([""] * max(blank, 1))

    for line in lines:
        if line is None:
            continue
        if line.startswith("## ") and (named := _HEADING.fullmatch(line.rstrip("\r"))):
            flush()
            heading = named.group(1)
        out.append(line)
    flush()
    for heading in list(waiting):
        while out and not out[-1].strip():
            out.pop()
        if heading:
            out.extend(([""] if out else []) + [f"## {heading}", ""])
        elif out:
            out.append("")
        out.extend([*waiting.pop(heading), ""])
    return "\n".join(out)


def render(line: IndexLine) -> str:
    """`- [Title](slug.md) — trigger`."""
    title = re.sub(r"([\[\]\\])", r"\\\1", " ".join(line.title.split()))
    trigger = " ".join(line.trigger.split())
    return f"- [{title}]({line.slug}.md)" + (f" — {trigger}" if trigger else "")
