"""What every layout must answer: where memories lie, how one is read, and which files change when one is written.

A layout writes nothing. It turns an edition (memories put, archived, brought back) into file changes, which the store makes
in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kura_runtime.domain.memory import Memory
from kura_runtime.store.containment import Holding, Holdings, Stamp
from kura_runtime.store.index_file import IndexLine
from kura_runtime.store.transaction import Op


@dataclass(frozen=True, slots=True)
class Places:
    """The names of a store's folders, relative to it. Only `workshop` may be deleted."""

    durable: str = "_kura"
    workshop: str = "_still"
    evidence: str = "_evidence"
    proposals: str = "_proposals"
    archive: str = "_archive"

    def all(self) -> tuple[str, ...]:
        return (self.durable, self.workshop, self.evidence, self.proposals, self.archive)


@dataclass(frozen=True, slots=True)
class Page:
    """A memory as read. `notes` says what on its page could not be understood: (place, reason)."""

    memory: Memory
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The index as it stands on disk: every line with its heading, in order; `repeated` slugs have two lines."""

    lines: tuple[tuple[str, IndexLine], ...] = ()
    repeated: tuple[str, ...] = ()
    problem: str = ""  # why the index could not be read at all

    def by_slug(self) -> dict[str, tuple[str, IndexLine]]:
        return {line.slug: (heading, line) for heading, line in self.lines}


class Edition(Protocol):
    """Changes to memories, gathered into file changes."""

    def put(self, memory: Memory, *, heading: str | None = None, new: bool = False) -> None:
        """Write a memory. `heading` (the namespace) places a new one in the index; None is by its type. Raises StoreDamaged
        where a new one would replace a file that is there."""
        ...

    def archive(self, memory: Memory) -> None:
        """Move a memory out of the index and the folder, into the archive."""
        ...

    def unarchive(self, memory: Memory, *, heading: str | None = None) -> None:
        """Bring it back."""
        ...

    def ops(self) -> list[Op]:
        """The file changes, memories before the index."""
        ...


class Layout(Protocol):
    """One way for memories to lie on disk."""

    name: str
    places: Places

    def scan(self, root: Path) -> Holdings:
        """Every memory the folder holds, links refused."""
        ...

    def folder_stamp(self, root: Path) -> tuple[int, ...]:
        """Moves whenever a memory appears or goes; cheap."""
        ...

    def scan_archive(self, root: Path) -> Holdings:
        """Every archived memory."""
        ...

    def read(self, holding: Holding, line: IndexLine | None) -> Page | None:
        """Read one memory; None where the file is none (no front matter and no index line). Raises StoreDamaged,
        FileNotFoundError."""
        ...

    def stamp(self, holding: Holding) -> Stamp:
        """The stamp of one memory now. Raises FileNotFoundError."""
        ...

    def index_stamp(self, root: Path) -> tuple[int, ...]:
        """Moves whenever the index does."""
        ...

    def catalogue(self, root: Path) -> Catalogue:
        """Read the index."""
        ...

    def edition(self, root: Path, index: str | None = None) -> Edition:
        """Begin a set of changes; `index` is the text to begin from where the one on disk was lost. Raises StoreDamaged where
        the index must not be replaced (a link)."""
        ...

    def founding(self, name: str) -> Iterable[Op]:
        """The files of a new, empty store."""
        ...

    def occupied(self, root: Path, slug: str) -> bool:
        """Does anything at all stand where a memory of this slug would go?"""
        ...

    def history_path(self, slug: str) -> str:
        """Where a memory's history lies, relative to the store."""
        ...
