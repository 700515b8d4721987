"""Files that hold many sessions, and sessions that are spread over many files: which of them is a journal by itself.

A session inside a file is a journal of its own, named `<file>#<session>`: it grows, is edited and is deleted without the
others, so it has its own mark and claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable
from urllib.parse import quote, unquote


class Held(NamedTuple):
    """A session as a look at its file finds it. `session` is "" where the file itself is the session. `state` changes
    whenever the session does; `size` is in bytes, `mtime_ns` the session's own last change."""

    session: str
    state: str
    size: int
    mtime_ns: int


@runtime_checkable
class Container(Protocol):
    """What an adapter offers besides, whose files are not each one session."""

    def sessions(self, path: Path) -> Iterable[Held] | None:
        """The sessions the file holds; None for an ordinary file. Raises JournalUnreadable."""
        ...

    def inner(self, path: Path, folder: bool) -> str:
        """Why the file is no journal by itself and must not be opened, or the folder holds none; "" where it may."""
        ...

    def copy(self, path: Path) -> Iterator[bytes]:
        """The session at `<file>#<session>` alone, as JSON lines that the adapter reads again. Raises JournalUnreadable."""
        ...


def is_there(path: Path) -> bool:
    """True where the journal's file is still there; whether a database still holds the session is not asked."""
    return path.exists() or parted(path)[0].exists()


def inside(file: Path, session: str) -> Path:
    """The name of a session inside a file."""
    return file.with_name(f"{file.name}#{quote(session, safe='')}")


def parted(path: Path) -> tuple[Path, str]:
    """The file and the session in it; "" for a file that is read as a whole, also where its own name has the mark."""
    name, mark, session = path.name.rpartition("#")
    if not mark or not name or path.exists():
        return path, ""
    return path.with_name(name), unquote(session)
