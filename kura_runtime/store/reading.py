"""Reading a store: what it holds, one memory, all memories, the index. Takes no lock and writes nothing.

What was read is kept, per file, for as long as the file's stamp (inode, times, size) stays the same: a store of ten thousand
memories is parsed once, and one hand edit costs one file.
"""

from __future__ import annotations

import difflib
import logging
import threading
from dataclasses import dataclass
from pathlib import Path

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged, UnknownMemory
from kura_runtime.store.containment import Holding, Holdings, Stamp
from kura_runtime.store.index_file import IndexLine
from kura_runtime.store.layouts.base import Catalogue, Layout, Page
from kura_runtime.store.looking import Look

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Index:
    """The index as it is to be read: (heading, lines) in order; lines that lead to no memory are left out, and memories
    without a line stand under the heading "" at the end."""

    sections: tuple[tuple[str, tuple[IndexLine, ...]], ...]

    @property
    def lines(self) -> tuple[IndexLine, ...]:
        return tuple(line for _, lines in self.sections for line in lines)


@dataclass(frozen=True, slots=True)
class Survey:
    """One look at everything: the pages that could be read, the files that could not, the links that were refused."""

    pages: dict[str, Page]
    damaged: tuple[StoreDamaged, ...]
    refused: tuple[tuple[str, str], ...]


class Reader:
    """Reads one store folder through its layout. Safe between threads."""

    def __init__(self, root: Path, layout: Layout, name: str) -> None:
        self.root, self.layout, self.name = root, layout, name
        self._lock = threading.RLock()
        self._pages: dict[Path, tuple[Stamp, IndexLine | None, Page | None]] = {}
        self._damaged: dict[Path, tuple[Stamp, StoreDamaged]] = {}
        self._holdings: tuple[tuple[int, ...], Holdings] | None = None
        self._catalogue: tuple[tuple[int, ...], Catalogue, dict[str, tuple[str, IndexLine]]] | None = None
        self._archive: tuple[tuple[int, ...], Holdings] | None = None

    # -- the set of slugs ----------------------------------------------------------------------------------------------

    def slugs(self) -> frozenset[str]:
        """Every slug the store holds (archived ones are not among them). A damaged page still has its slug."""
        holdings = self._held()
        lines = self._lines()
        return frozenset(
            slug
            for slug, h in holdings.held.items()
            if slug in lines or self._page_or_damage(h, lines.get(slug))
        )

    def archived(self) -> frozenset[str]:
        """The slugs in the archive."""
        return frozenset(self._archived().held)

    def holds(self, slug: str) -> bool:
        """Is this exactly a slug of the store? Costs one lookup."""
        holding = self._held().held.get(slug)
        if holding is None:
            return False
        line = self._lines().get(slug)
        return line is not None or self._page_or_damage(holding, None)

    # -- one memory -------------------------------------------------------------------------------------------------------

    def page(self, slug: str) -> Page:
        """One memory, by its exact slug; an archived one also answers. Raises UnknownMemory, StoreDamaged."""
        holding = self._held().held.get(slug)
        if holding is None:
            archived = self._archived().held.get(slug)
            page = self._page(archived, None) if archived else None
            if page is not None:
                return page
            raise UnknownMemory(self.name, _shown(slug), self._near(slug))
        found = self._lines().get(slug)
        try:
            page = self._page(holding, found[1] if found else None, fresh=True)
        except FileNotFoundError:  # it went between the scan and the read
            page = None
        if page is None:
            raise UnknownMemory(self.name, _shown(slug), self._near(slug))
        return page

    # -- all of them -----------------------------------------------------------------------------------------------------

    def survey(self, *, archive: bool = False) -> Survey:
        """Read everything (only what changed since the last time)."""
        with self._lock:
            holdings = self._archived(fresh=True) if archive else self._held(fresh=True)
            lines = {} if archive else self._lines()
            pages: dict[str, Page] = {}
            damaged: list[StoreDamaged] = []
            for slug in sorted(holdings.held):
                found = lines.get(slug)
                try:
                    page = self._page(holdings.held[slug], found[1] if found else None)
                except FileNotFoundError:
                    continue
                except StoreDamaged as error:
                    damaged.append(error)
                    continue
                if page is not None:
                    pages[slug] = page
            if not archive:
                kept = {h.path for h in holdings.held.values()}
                for path in [p for p in self._pages if p.parent == self.root and p not in kept]:
                    del self._pages[path]
            return Survey(pages, tuple(damaged), holdings.refused)

    def memories(self) -> list[Memory]:
        """All memories by slug, those that cannot be read left out (logged once, named by doctor)."""
        return [page.memory for page in self.survey().pages.values()]

    def look(self) -> Look:
        """The stamps of everything that memories are read from, by one pass over the folders."""
        return Look(
            self._held(fresh=True).held,
            self._archived(fresh=True).held,
            self.layout.index_stamp(self.root),
            self._lines,
            self.layout,
        )

    def reread(self, look: Look, slug: str) -> Memory | None:
        """One memory as a look found it, an archived one marked so; None where there is none (any more). Raises StoreDamaged,
        FileNotFoundError where the page went since."""
        holding, stamp = look.holdings.get(slug), look.stamps.get(slug)
        if holding is None or stamp is None:
            return None
        archived = stamp[0] == 1
        found = None if archived else self._lines().get(slug)
        if stamp[-1] < 0:  # too young: what is kept of it may be older than it
            self._pages.pop(holding.path, None)
            self._damaged.pop(holding.path, None)
        page = self._page(holding, found[1] if found else None)
        if page is None:
            return None
        return page.memory.with_(state="archived") if archived else page.memory

    # -- the index ---------------------------------------------------------------------------------------------------------

    def catalogue(self) -> Catalogue:
        """The index exactly as it stands on disk."""
        self._lines()
        assert self._catalogue is not None
        return self._catalogue[1]

    def heading(self, slug: str) -> str:
        """The heading (namespace) a memory stands under, "" for none."""
        found = self._lines().get(slug)
        return found[0] if found else ""

    def index(self) -> Index:
        """See `Index`."""
        pages = self.survey().pages
        sections: dict[str, list[IndexLine]] = {}
        listed: set[str] = set()
        for heading, line in self.catalogue().lines:
            if line.slug in pages:
                sections.setdefault(heading, []).append(line)
                listed.add(line.slug)
        rest = [
            IndexLine(slug, page.memory.title, page.memory.trigger)
            for slug, page in pages.items()
            if slug not in listed
        ]
        ordered = [(heading, tuple(lines)) for heading, lines in sections.items()]
        return Index((*ordered, ("", tuple(rest))) if rest else tuple(ordered))

    # -- what is kept ------------------------------------------------------------------------------------------------------

    def _held(self, *, fresh: bool = False) -> Holdings:
        stamp = self.layout.folder_stamp(self.root)
        kept = self._holdings
        if fresh or kept is None or kept[0] != stamp:
            kept = self._holdings = (stamp, self.layout.scan(self.root))
        return kept[1]

    def _archived(self, *, fresh: bool = False) -> Holdings:
        folder = self.root / self.layout.places.archive
        try:
            stamp = self.layout.folder_stamp(folder)
        except OSError:
            return Holdings()
        kept = self._archive
        if fresh or kept is None or kept[0] != stamp:
            kept = self._archive = (stamp, self.layout.scan_archive(self.root))
        return kept[1]

    def _lines(self) -> dict[str, tuple[str, IndexLine]]:
        stamp = self.layout.index_stamp(self.root)
        kept = self._catalogue
        if kept is None or kept[0] != stamp:
            catalogue = self.layout.catalogue(self.root)
            if catalogue.problem:
                log.warning("the index is left out: %s", catalogue.problem)
            kept = self._catalogue = (stamp, catalogue, catalogue.by_slug())
        return kept[2]

    def _page(self, holding: Holding, line: IndexLine | None, *, fresh: bool = False) -> Page | None:
        """The page, read anew only where the file moved. With `fresh` the file's stamp is taken now, not from the scan."""
        stamp = self.layout.stamp(holding) if fresh else holding.stamp
        kept = self._pages.get(holding.path)
        if kept is not None and kept[0] == stamp and kept[1] == line:
            return kept[2]
        broken = self._damaged.get(holding.path)
        if broken is not None and broken[0] == stamp:
            raise broken[1]
        try:
            page = self.layout.read(holding, line)
        except StoreDamaged as error:
            self._damaged[holding.path] = (stamp, error)
            log.warning("left out: %s", error)
            raise
        self._pages[holding.path] = (stamp, line, page)
        return page

    def _page_or_damage(self, holding: Holding, found: tuple[str, IndexLine] | None) -> bool:
        try:
            return self._page(holding, found[1] if found else None) is not None
        except StoreDamaged:
            return True
        except FileNotFoundError:
            return False

    def _near(self, slug: str) -> list[str]:
        words = set(slug.lower().replace("_", "-").split("-"))
        held = self._held().held
        near = [s for s in held if s[:3] == slug[:3] or not words.isdisjoint(s.split("-"))]
        return difflib.get_close_matches(slug[:128], near[:500], n=3, cutoff=0.5)


def _shown(slug: str) -> str:
    return slug if slug.isprintable() and len(slug) <= 80 else repr(slug[:80])
