"""The few operations on files that a change to a store is made of. Each is a place where a crash or a full disk can strike.

Tests install a hook that is called before every operation (and in the middle of every write), so that they can kill the
process, or fail the operation, at each of these places in turn.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Hook = Callable[[str, str], None]  # (operation, path)

_hook: Hook | None = None


def set_hook(hook: Hook | None) -> None:
    """Install (or with None remove) the hook of this process. It may raise OSError or end the process."""
    global _hook
    _hook = hook


def _reach(operation: str, path: str | Path) -> None:
    if _hook is not None:
        _hook(operation, str(path))


def write_file(path: Path, data: bytes, *, mode: int = 0o644, exclusive: bool = False) -> None:
    """Write `data` as the whole content of `path` and fsync it. Never follows a symlink. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_EXCL if exclusive else os.O_TRUNC)
    _reach("open", path)
    fd = os.open(path, flags, mode)
    try:
        _write_all(fd, data, path)
        _reach("fsync", path)
        os.fsync(fd)
    finally:
        os.close(fd)


def append_at(path: Path, base: int, data: bytes) -> None:
    """Make `path` its first `base` bytes followed by `data`, and fsync it. Doing it twice does it once."""
    _reach("open", path)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        size = os.fstat(fd).st_size
        if size >= base + len(data) and os.pread(fd, len(data), base) == data:
            os.fsync(fd)
            return
        if size > base:
            _reach("truncate", path)
            os.ftruncate(fd, base)
        os.lseek(fd, 0, os.SEEK_END)
        _write_all(fd, data, path)
        _reach("fsync", path)
        os.fsync(fd)
    finally:
        os.close(fd)


def cut_to(path: Path, size: int) -> None:
    """Undo an append: back to `size` bytes. A file that is not there is left alone."""
    _reach("truncate", path)
    if path.is_file() and not path.is_symlink() and path.stat().st_size > size:
        os.truncate(path, size)


def replace(source: Path, target: Path) -> None:
    """Rename `source` over `target`: a reader sees the old file or the new one."""
    _reach("rename", target)
    source.replace(target)


def remove(path: Path) -> None:
    """Unlink a file; one that is gone already is no error."""
    _reach("unlink", path)
    path.unlink(missing_ok=True)


def remove_folder(path: Path) -> None:
    """Remove an empty folder."""
    _reach("rmdir", path)
    path.rmdir()


def make_folder(path: Path) -> None:
    """Make a folder and its parents; the folder that holds a new one is fsynced. Raises OSError."""
    if path.is_dir():
        return
    if not path.parent.is_dir():
        make_folder(path.parent)
    _reach("mkdir", path)
    path.mkdir(exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """fsync a folder, so that names in it survive a power cut."""
    _reach("sync", path)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def put(path: Path, data: bytes) -> None:
    """Replace one file of the workshop atomically, where no transaction is needed."""
    make_folder(path.parent)
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        write_file(beside, data)
        replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _write_all(fd: int, data: bytes, path: Path) -> None:
    view = memoryview(data)
    if _hook is not None and len(view) > 1:  # a torn write: half of the bytes are there when it strikes
        half = len(view) // 2
        _reach("write", path)
        _write_run(fd, view[:half])
        view = view[half:]
    _reach("write", path)
    _write_run(fd, view)


def _write_run(fd: int, view: memoryview) -> None:
    while view:
        view = view[os.write(fd, view) :]
