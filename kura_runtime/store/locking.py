"""One writer at a time: a lock per store, between threads and between processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from kura_runtime.errors import StoreBusy, StoreUnwritable
from kura_runtime.store import disk

WAIT_S = 60.0


class StoreLock:
    """Reentrant within a thread. Every `Store` object on the same folder in this process shares one."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._thread = threading.RLock()
        self._file = FileLock(str(self._path), thread_local=False)
        self._depth = 0

    @contextmanager
    def hold(self, wait: float = WAIT_S) -> Iterator[None]:
        """Hold the lock. Raises StoreBusy after `wait` seconds, StoreUnwritable where the folder takes no lock file."""
        if not self._thread.acquire(timeout=wait):
            raise StoreBusy(f"{self._path}: another thread has held the store for {wait:g} s; try again")
        try:
            if self._depth == 0:
                self._take(wait)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._file.release()
        finally:
            self._thread.release()

    def _take(self, wait: float) -> None:
        try:
            disk.make_folder(self._path.parent)
            self._file.acquire(timeout=wait)
        except Timeout:
            raise StoreBusy(
                f"{self._path}: another process has held the store for {wait:g} s; try again"
            ) from None
        except OSError as error:
            raise StoreUnwritable(
                self._path, f"cannot lock the store ({error.strerror or error}); nothing was changed"
            ) from None


_locks: dict[str, StoreLock] = {}
_guard = threading.Lock()


def lock_of(folder: Path) -> StoreLock:
    """The lock of the store whose durable folder (`_kura`) this is."""
    with _guard:
        return _locks.setdefault(os.path.realpath(folder), StoreLock(folder))


def _forget() -> None:  # a forked child holds none of its parent's locks
    global _guard
    _guard = threading.Lock()
    _locks.clear()


os.register_at_fork(after_in_child=_forget)
