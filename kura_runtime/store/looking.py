"""A look at a store's folders: what stands there and by which stamps, without reading a page. Two looks say what changed.

A file that was touched within the clock's own grain may change again without showing it; its stamp in a look matches no
other, so that the next look reads it again.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from kura_runtime.store.containment import Holding
from kura_runtime.store.index_file import IndexLine
from kura_runtime.store.layouts.base import Layout

GRAIN = 100_000_000  # ns; no file system that we know keeps time more coarsely

PageStamp = tuple[int, int, int, int, int]  # 1 for the archive, inode, mtime_ns, ctime_ns, size


@dataclass(frozen=True, slots=True)
class Seen:
    """What a corpus was built from: the stamp of each page that was there, the index's stamp (() for none), and the hash of
    each page's index line, which fills in for what a page leaves out."""

    stamps: Mapping[str, PageStamp]
    index: tuple[int, ...]
    lines: Mapping[str, int]


class Look:
    """The stamps now: `stamps` of all pages, live ones before archived ones of the same name, `index` of the index."""

    def __init__(
        self,
        live: Mapping[str, Holding],
        archived: Mapping[str, Holding],
        index: tuple[int, ...],
        lines: Callable[[], Mapping[str, tuple[str, IndexLine]]],
        layout: Layout,
    ) -> None:
        now, young = time.time_ns(), -time.monotonic_ns()

        def settled(
            changed: int,
        ) -> bool:  # a time far ahead is of another clock; what follows it will not repeat it
            return abs(now - changed) >= GRAIN

        self.stamps: dict[str, PageStamp] = {
            slug: (place, *(h.stamp if settled(h.stamp[2]) else (*h.stamp[:3], young)))
            for place, holdings in ((1, archived), (0, live))
            for slug, h in holdings.items()
        }
        self.index = index if not index or settled(index[2]) else (*index[:3], young)
        self.holdings: dict[str, Holding] = {**archived, **live}
        self._lines, self._layout = lines, layout

    @cached_property
    def lines(self) -> Mapping[str, int]:
        """Slug → hash of its index line, read on first need."""
        return {slug: _hash(line) for slug, (_, line) in self._lines().items()}

    def as_seen(self, before: Seen | None = None) -> Seen:
        """This look as a value to compare the next one with. `before` lends its lines where the index did not move."""
        same = before is not None and before.index == self.index
        return Seen(self.stamps, self.index, before.lines if before is not None and same else self.lines)

    @property
    def settled(self) -> bool:
        """Is every file older than the clock's grain?"""
        return all(s[-1] >= 0 for s in self.stamps.values()) and (not self.index or self.index[-1] >= 0)

    def changed_since(self, seen: Seen) -> set[str]:
        """The slugs whose page, or whose index line, is another than in `seen`, and those that came or went."""
        mine, theirs = self.stamps, seen.stamps
        changed = {slug for slug, stamp in mine.items() if theirs.get(slug) != stamp}
        changed |= theirs.keys() - mine.keys()
        if self.index != seen.index:
            now, then = self.lines, seen.lines
            changed |= {slug for slug in mine if now.get(slug) != then.get(slug)}
        return changed

    def still(self, slug: str) -> bool:
        """Is the page, this moment, the file that this look saw? Costs one stat."""
        holding = self.holdings.get(slug)
        if holding is None:
            return False
        try:
            return self._layout.stamp(holding) == holding.stamp
        except OSError:
            return False


def _hash(line: IndexLine) -> int:
    """63 bits of a line's words, the same in any process."""
    told = f"{line.title}\0{line.trigger}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "big") >> 1
