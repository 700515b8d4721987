"""The globs of `[distill] exclude`: which files of a root are never opened, and which glob meant nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path


class Excluded:
    """A glob means a file, or a folder with all that lies in it: by its whole path (`~` is the home), by its place below the
    root, or by its name. `*` also stands for `/`."""

    def __init__(self, globs: Sequence[str]) -> None:
        self._globs = {glob: _whole(glob).rstrip("/") for glob in globs}
        self._met: set[str] = set()

    def __contains__(self, place: tuple[Path, Path]) -> bool:
        """`(file, root) in excluded`."""
        met = False
        for glob, pattern in self._globs.items():
            if _means(pattern, *place):
                self._met.add(glob)
                met = True
        return met

    @property
    def idle(self) -> tuple[str, ...]:
        """Globs that meant no file: mistyped, it may be."""
        return tuple(g for g in self._globs if g not in self._met)


def _whole(glob: str) -> str:
    return str(Path(glob).expanduser()) if glob.startswith("~") else glob


def _means(pattern: str, path: Path, root: Path) -> bool:
    below = path.relative_to(root)
    for one in (below, *below.parents[:-1]):
        place = one.as_posix()
        if any(
            fnmatchcase(name, pattern) for name in ((root / one).as_posix(), place, f"/{place}", one.name)
        ):
            return True
    return fnmatchcase(root.as_posix(), pattern)
