"""Finding journals: every file below the configured roots is looked at, and what is not read is listed with its reason.

Nothing is opened that is not a regular file; no link is followed out of a root; nothing inside a store is a journal.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeGuard

from kura_pipeline.journals.exclude import Excluded
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.held import Container, inside
from kura_pipeline.journals.jsonl import is_own_session
from kura_pipeline.journals.sniff import adapters, identify, mixed_with, unloadable
from kura_runtime.errors import JournalUnreadable

Status = Literal[
    "ok", "empty", "unknown", "mixed", "unreadable", "special", "alias", "link-out", "store", "excluded", "superseded",
    "own", "other", "failed",
]  # fmt: skip
FAULTY: frozenset[str] = frozenset({"unknown", "mixed", "unreadable", "failed"})
PROJECT, STORE_MARK = ".kura", "_kura"
# Sessions of other programs: a root that holds them is told so, not passed over.
_NOT_READ = {
    ".traj": "trajectory of SWE-agent",
    ".chat.history.md": "history of Aider",
    "api_conversation_history.json": "task of Cline or Roo",
}
_Inode = tuple[int, int]


@dataclass(frozen=True, slots=True)
class JournalFile:
    """One file below a root. `kind` is the root's kind; `adapter` the format it is read with, None where it is not read;
    `reason` says why not, in one line. For a session inside a file, or spread over several, `state` says what a stamp of
    one file cannot."""

    path: Path
    kind: str
    adapter: str | None
    size: int
    mtime_ns: int
    status: Status
    reason: str = ""
    state: str = ""

    @property
    def key(self) -> str:
        """The journal's key: its absolute path, with the session behind `#` where the file holds many."""
        return str(self.path)

    @property
    def stamp(self) -> str:
        """Changes whenever the journal is written."""
        return self.state or f"{self.size}:{self.mtime_ns}"

    @property
    def held(self) -> bool:
        """Whether it is a session inside a file, so that its bytes are not the file's."""
        return bool(self.state)


@dataclass(frozen=True, slots=True)
class Discovery:
    """Every file found, newest first, one line for each root that could not be walked, and the globs of `exclude` that meant
    no file."""

    files: tuple[JournalFile, ...]
    problems: tuple[str, ...] = ()
    idle_globs: tuple[str, ...] = ()

    @property
    def readable(self) -> tuple[JournalFile, ...]:
        """The files that are journals, newest first."""
        return tuple(f for f in self.files if f.status == "ok")


def discover(
    roots: Mapping[str, Sequence[Path]],
    *,
    exclude: Sequence[str] = (),
    stores: Iterable[Path] = (),
    known: Mapping[str, str] | None = None,
) -> Discovery:
    """List every file below the roots (kind → folders). `exclude` are globs over the path, its name, or its path below
    the root, of a file or of a folder that holds it; `stores` are folders of stores, whose files are never journals, under whatever name they are reached. `known`
    (journal key → adapter) are journals read before, whose content need not be looked at again."""
    barred, excluded = _inodes_of(stores), Excluded(exclude)
    files: list[JournalFile] = []
    problems: list[str] = []
    taken: dict[_Inode, Path] = {}
    for kind, folders in roots.items():
        if kind not in adapters():
            kinds = ", ".join(sorted(adapters()))
            why = unloadable().get(kind, f'"{kind}" is no kind of journal; known: {kinds}')
            problems.append(f"[distill.journals] {why}")
            continue
        for folder in folders:
            root = folder.absolute()
            problem = _root_problem(root)
            if problem:
                problems.append(f"[distill.journals] {kind} = {root}: {problem}")
                continue
            files.extend(_below(root, kind, excluded, barred, taken, problems, known or {}))
    files = _without_superseded(files)
    files.sort(key=lambda f: (-f.mtime_ns, f.key))
    return Discovery(tuple(files), tuple(problems), excluded.idle)


def _root_problem(root: Path) -> str:
    try:
        if not root.exists():
            return "no such folder; create it or take it out of the configuration"
        if not root.is_dir():
            return "is a file, not a folder; name the folder it stands in"
    except OSError as error:
        return f"cannot be looked at ({error.strerror})"
    return ""


def _inodes_of(stores: Iterable[Path]) -> set[_Inode]:
    found: set[_Inode] = set()
    for store in stores:
        if not store.is_dir():
            continue
        for folder, _, names in os.walk(store, followlinks=False):
            for one in (Path(folder), *(Path(folder) / n for n in names)):
                try:
                    at = os.lstat(one)
                except OSError:
                    continue
                found.add((at.st_dev, at.st_ino))
    return found


def _below(
    root: Path,
    kind: str,
    exclude: Excluded,
    barred: set[_Inode],
    taken: dict[_Inode, Path],
    problems: list[str],
    known: Mapping[str, str],
) -> Iterator[JournalFile]:
    real_root = root.resolve()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            at = folder.stat()
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
        except OSError as error:
            problems.append(
                f"{folder}: the folder cannot be listed ({error.strerror}); its journals are not read"
            )
            continue
        inside = _own_folder(folder, entries) if (at.st_dev, at.st_ino) not in barred else "is a store"
        if inside:
            reason = f"{inside}: never read as a journal"
            yield JournalFile(folder, kind, None, 0, at.st_mtime_ns, "store", reason)
            continue
        deeper = []
        for entry in entries:
            path = Path(entry.path)
            try:
                entry.path.encode()
                info = entry.stat(follow_symlinks=False)
            except UnicodeEncodeError:
                shown = Path(os.fsencode(entry.path).decode("utf-8", "backslashreplace"))
                yield JournalFile(
                    shown, kind, None, 0, 0, "unreadable", "the name is not UTF-8; rename the file or folder"
                )
                continue
            except OSError as error:
                yield JournalFile(
                    path, kind, None, 0, 0, "unreadable", f"cannot be looked at ({error.strerror})"
                )
                continue
            if stat.S_ISDIR(info.st_mode):
                reason = _inner(path, kind, folder=True)
                if reason:
                    yield JournalFile(path, kind, None, 0, info.st_mtime_ns, "other", reason)
                else:
                    deeper.append(path)
                continue
            found = _looked_at(path, kind, info, root, real_root, exclude, barred, taken, known)
            yield from _sessions(found, root, exclude)
        waiting.extend(reversed(deeper))


def _own_folder(folder: Path, entries: Sequence[os.DirEntry[str]]) -> str:
    """What a folder is that only this system writes, of whichever project: what it holds is not what anybody said."""
    if folder.name == PROJECT:
        return "is the folder of a project"
    if any(e.name == STORE_MARK and e.is_dir(follow_symlinks=False) for e in entries):
        return "is a store"
    return ""


def _looked_at(
    path: Path,
    kind: str,
    info: os.stat_result,
    root: Path,
    real_root: Path,
    exclude: Excluded,
    barred: set[_Inode],
    taken: dict[_Inode, Path],
    known: Mapping[str, str],
) -> JournalFile:
    found = JournalFile(path, kind, None, info.st_size, info.st_mtime_ns, "unknown")
    if stat.S_ISLNK(info.st_mode):
        return _link(found, real_root)
    if not stat.S_ISREG(info.st_mode):
        return replace(found, status="special", reason="not a regular file: never opened")
    reason = _inner(path, kind, folder=False)
    if reason:
        return replace(found, status="other", reason=reason)
    inode = (info.st_dev, info.st_ino)
    if inode in barred:
        return replace(found, status="store", reason="is a file of a store: never read as a journal")
    if (path, root) in exclude:
        return replace(found, status="excluded", reason="excluded by [distill] exclude")
    if inode in taken:
        return replace(found, status="alias", reason=f"is the same file as {taken[inode]}")
    taken[inode] = path
    if info.st_size == 0:
        return replace(found, status="empty", reason="holds nothing yet")
    if known.get(str(path)) == kind:
        return JournalFile(path, kind, kind, info.st_size, info.st_mtime_ns, "ok")
    try:
        head = read_head(path)
    except JournalUnreadable as error:
        return replace(found, status="unreadable", reason=error.reason)
    if head.startswith(
        (b"\xff\xfe", b"\xfe\xff")
    ):  # taken for UTF-8 with NUL bytes, some of its rows would even parse
        return replace(found, reason="looks like UTF-16; save it as UTF-8 to have it read")
    failed: dict[str, str] = {}
    names = identify(path, head, failed)
    if kind in failed:
        return replace(found, status="failed", reason=failed[kind])
    if kind in names:
        others = mixed_with(path, head, kind)
        if others:
            reason = f"holds rows of {kind} and of {' and '.join(others)}; part them into files of their own"
            return replace(found, status="mixed", reason=reason)
        if is_own_session(head):
            return replace(
                found, adapter=kind, status="own", reason="a session of the pipeline's own: never read"
            )
        return replace(found, adapter=kind, status="ok")
    if names:
        return replace(
            found,
            status="mixed",
            reason=f"looks like {' or '.join(names)} under a root of kind {kind}; name it under its own kind",
        )
    unread = next((what for end, what in _NOT_READ.items() if path.name.lower().endswith(end)), "")
    if unread:
        return replace(found, reason=f"unknown format: a {unread}, which no adapter reads")
    if not path.name.lower().endswith(adapters()[kind].suffixes):
        return replace(found, status="other", reason=f"not named like a {kind} journal")
    return replace(found, reason=_unknown(path, kind, head))


def _inner(path: Path, kind: str, *, folder: bool) -> str:
    one = adapters()[kind]
    return one.inner(path, folder) if _is_container(one) else ""


_CONTAINERS: dict[type, bool] = {}


def _is_container(one: object) -> TypeGuard[Container]:
    """Whether files of this format hold several sessions: asked of each kind once, as asking costs more than a stat."""
    known = _CONTAINERS.get(type(one))
    if known is None:
        known = _CONTAINERS[type(one)] = isinstance(one, Container)
    return known


def _sessions(found: JournalFile, root: Path, exclude: Excluded) -> Iterator[JournalFile]:
    """The journals of a file: itself, or the sessions it holds."""
    one = adapters().get(found.adapter or "")
    if found.status != "ok" or not _is_container(one):
        yield found
        return
    try:
        held = one.sessions(found.path)
    except JournalUnreadable as error:
        yield replace(found, adapter=None, status="unreadable", reason=error.reason)
        return
    if held is None:
        yield found
        return
    sessions = 0
    for session, state, size, mtime_ns in held:
        sessions += 1
        path = inside(found.path, session) if session else found.path
        made = replace(found, path=path, size=size, mtime_ns=mtime_ns or found.mtime_ns, state=state)
        if (path, root) in exclude:
            made = replace(made, adapter=None, status="excluded", reason="excluded by [distill] exclude")
        elif size == 0:
            made = replace(made, adapter=None, status="empty", reason="holds nothing yet")
        yield made
    if not sessions:
        yield replace(found, adapter=None, status="empty", reason="holds no session yet")


def _link(found: JournalFile, real_root: Path) -> JournalFile:
    try:
        target = found.path.resolve(strict=True)
    except (OSError, RuntimeError):
        return replace(found, status="unreadable", reason="a link that leads nowhere")
    if target.is_relative_to(real_root):
        return replace(found, status="alias", reason=f"a link to {target}, which is read by itself")
    return replace(found, status="link-out", reason="a link that leads out of the root: not followed")


def _unknown(path: Path, kind: str, head: bytes) -> str:
    if not head.strip(b"\x00"):
        return "holds only NUL bytes (a crash may have left them)"
    suffix = path.suffix or "no suffix"
    return f"unknown format ({suffix}): neither name nor content is that of a {kind} journal"


def _without_superseded(files: list[JournalFile]) -> list[JournalFile]:
    older: dict[Path, str] = {}
    for name, one in adapters().items():
        mine = frozenset(f.path for f in files if f.adapter == name and f.status == "ok")
        older.update(one.superseded(mine))
    return [replace(f, status="superseded", reason=older[f.path]) if f.path in older else f for f in files]
