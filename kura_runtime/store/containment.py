"""What belongs to a store, and nothing else: no symlink, no hard link, no path that a caller spelled.

A lookup never builds a path from what it was asked for. It looks the slug up among the files that a scan of the store's own
folder found; the scan leaves out everything that could lead elsewhere, and says what and why.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from kura_runtime.errors import StoreDamaged

FILE_MAX = 4 * 1024 * 1024  # bytes; a memory is a page, and a page this long is a mistake or an attack

Stamp = tuple[int, int, int, int]  # inode, mtime_ns, ctime_ns, size: moves whenever the file does


@dataclass(frozen=True, slots=True)
class Holding:
    """One memory's place on disk, as the scan found it."""

    slug: str
    path: Path
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Holdings:
    """The set of slugs a store holds. `refused` are files that look like memories and are none: (name, reason)."""

    held: dict[str, Holding] = field(default_factory=dict)
    refused: tuple[tuple[str, str], ...] = ()


def stamp_of(status: os.stat_result) -> Stamp:
    """What tells one version of a file from the next."""
    return (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size)


def refusal(status: os.stat_result) -> str:
    """Why a file is not the store's own, or ""."""
    if stat.S_ISLNK(status.st_mode):
        return "a symlink is not a memory: it can lead out of the store"
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if status.st_nlink > 1:
        return "a hard link is not a memory: the file has another name elsewhere"
    if status.st_size > FILE_MAX:
        return f"{status.st_size} bytes; a memory holds at most {FILE_MAX}"
    return ""


def read_own(path: Path) -> tuple[bytes, Stamp]:
    """The bytes of a file of the store, refused where it is a link. Raises FileNotFoundError, StoreDamaged."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreDamaged(path, f"cannot be read ({error.strerror}); it was left as it is") from None
    try:
        status = os.fstat(fd)
        if reason := refusal(status):
            raise StoreDamaged(path, reason)
        data = os.read(fd, status.st_size + 1)
        while len(data) < status.st_size and (more := os.read(fd, status.st_size)):
            data += more
        return data, stamp_of(status)
    finally:
        os.close(fd)


def inside(root: Path, relative: str) -> Path:
    """`root / relative`, refused where it leaves the store or a folder on the way is a symlink. For paths that the store
    itself wrote down; a caller's string never comes here. Raises StoreDamaged."""
    parts = PurePosixPath(relative).parts
    if not parts or relative.startswith("/") or "\0" in relative or any(p in ("..", ".") for p in parts):
        raise StoreDamaged(root, f"{relative!r} leads out of the store")
    place = root
    for part in parts[:-1]:
        place = place / part
        if place.is_symlink():
            raise StoreDamaged(place, "a symlink; the store writes to no folder that it does not hold itself")
    return place / parts[-1]


def own_folder(path: Path) -> Path:
    """A folder of the store, refused where it is a symlink. It need not exist."""
    if path.is_symlink():
        raise StoreDamaged(path, "a symlink; replace it by a folder of its own")
    return path
