"""Layout `kura`: `<slug>.md` files side by side, and MEMORY.md with one line for each."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged
from kura_runtime.store.containment import Holding, Holdings, Stamp, read_own, refusal, stamp_of
from kura_runtime.store.index_file import IndexFile, IndexLine, edited
from kura_runtime.store.layouts.base import Catalogue, Edition, Page, Places
from kura_runtime.store.layouts.page import parse, render
from kura_runtime.store.transaction import Op

INDEX = "MEMORY.md"
RESERVED = frozenset(
    {"memory", "readme", "charter", "profile", "index", "license", "agents", "claude", "soul"}
)

# Read more generously than written: stores made by hand and by older versions have names that we would not give.
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,126}[a-z0-9])?")


class KuraLayout:
    """See the module. Holds no state."""

    name = "kura"
    places = Places()

    def scan(self, root: Path) -> Holdings:
        return _scan(root)

    def scan_archive(self, root: Path) -> Holdings:
        folder = root / self.places.archive
        if folder.is_symlink() or not folder.is_dir():
            return Holdings()
        return _scan(folder)

    def folder_stamp(self, root: Path) -> tuple[int, ...]:
        status = root.stat()
        # A folder changed within the clock's own grain may change again without showing it: such a stamp matches nothing.
        settled = time.time_ns() - status.st_mtime_ns > 100_000_000
        return (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, 0 if settled else time.monotonic_ns())

    def read(self, holding: Holding, line: IndexLine | None) -> Page | None:
        data, _ = read_own(holding.path)
        return parse(data, holding.path, holding.slug, line)

    def stamp(self, holding: Holding) -> Stamp:
        return stamp_of(os.lstat(holding.path))

    def index_stamp(self, root: Path) -> tuple[int, ...]:
        try:
            return stamp_of(os.lstat(root / INDEX))
        except FileNotFoundError:
            return ()

    def catalogue(self, root: Path) -> Catalogue:
        try:
            index = IndexFile(_index_text(root))
        except StoreDamaged as error:
            return Catalogue(problem=str(error))
        return Catalogue(tuple(index), tuple(index.repeated))

    def edition(self, root: Path, index: str | None = None) -> Edition:
        return _KuraEdition(root, self, index)

    def founding(self, name: str) -> Iterable[Op]:
        return (Op("replace", INDEX, f"# {name}\n".encode()),)

    def occupied(self, root: Path, slug: str) -> bool:
        return os.path.lexists(root / f"{slug}.md") or os.path.lexists(
            root / self.places.archive / f"{slug}.md"
        )

    def history_path(self, slug: str) -> str:
        return f"{self.places.durable}/history/{slug.replace('/', '--')}.jsonl"


def _scan(folder: Path) -> Holdings:
    held: dict[str, Holding] = {}
    refused: list[tuple[str, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if not name.endswith(".md") or name[0] in "._" or name[:-3].lower() in RESERVED:
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # it went while we looked
                continue
            if stat.S_ISDIR(status.st_mode):
                continue
            slug = name[:-3]
            if reason := refusal(status):
                refused.append((name, reason))
            elif _NAME.fullmatch(slug) is None:
                refused.append((name, "the name is no slug: lower-case letters, digits and hyphens"))
            else:
                held[slug] = Holding(slug, folder / name, stamp_of(status))
    return Holdings(held, tuple(sorted(refused)))


def _index_text(root: Path) -> str:
    path = root / INDEX
    try:
        data, _ = read_own(path)
        return data.decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise StoreDamaged(path, f"not UTF-8 (byte {error.start}); save the file as UTF-8") from None


class _KuraEdition:
    def __init__(self, root: Path, layout: KuraLayout, index: str | None = None) -> None:
        self._root, self._layout = root, layout
        self._on_disk = _index_text(root)
        self._before = self._on_disk if index is None else index
        self._pages: dict[str, bytes] = {}
        self._removed: list[str] = []
        self._lines: dict[str, tuple[str, IndexLine]] = {}
        self._dropped: set[str] = set()

    def put(self, memory: Memory, *, heading: str | None = None, new: bool = False) -> None:
        path = f"{memory.slug}.md"
        if new and os.path.lexists(self._root / path):
            raise StoreDamaged(
                self._root / path, "stands where a new memory would go and is none; move it away"
            )
        self._pages[path] = render(memory, self._old(self._root / path))
        line = IndexLine(memory.slug, memory.title, memory.trigger)
        self._lines[memory.slug] = (heading or memory.type.capitalize(), _one_line(line))
        self._dropped.discard(memory.slug)

    def archive(self, memory: Memory) -> None:
        path = f"{memory.slug}.md"
        self._pages[f"{self._layout.places.archive}/{path}"] = render(memory, self._old(self._root / path))
        self._removed.append(path)
        self._dropped.add(memory.slug)
        self._lines.pop(memory.slug, None)

    def unarchive(self, memory: Memory, *, heading: str | None = None) -> None:
        path = f"{memory.slug}.md"
        archived = f"{self._layout.places.archive}/{path}"
        self.put(memory, heading=heading)
        self._pages[path] = render(memory, self._old(self._root / archived))
        self._removed.append(archived)

    def ops(self) -> list[Op]:
        ops = [Op("replace", path, data) for path, data in self._pages.items()]
        text = edited(self._before, self._lines, frozenset(self._dropped))
        if text != self._on_disk:
            ops.append(Op("replace", INDEX, text.encode("utf-8")))
        return ops + [Op("remove", path) for path in self._removed]

    def _old(self, path: Path) -> bytes | None:
        """The bytes there now. A link in the place of a memory is never replaced by ours."""
        try:
            return read_own(path)[0]
        except FileNotFoundError:
            return None


def _one_line(line: IndexLine) -> IndexLine:
    return replace(line, title=" ".join(line.title.split()), trigger=" ".join(line.trigger.split()))
