"""The newest corpus of a store: from its snapshot where that is fresh, with what changed since laid over it.

Readers never take the store's lock. A change is noticed by the revision and by the folder's own time stamps, at most
once in `LOOK` seconds; what a direct write added is recallable within a second.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from kura_runtime.domain.memory import Memory
from kura_runtime.recall import snapshot
from kura_runtime.recall.corpus import Corpus, build
from kura_runtime.recall.overlay import rebuild

log = logging.getLogger(__name__)

LOOK = 0.25  # seconds between two looks at the revision
SHARE = 50  # a look at every file may take a fiftieth of the time between two such looks


class Readable(Protocol):
    """What recall needs of a store."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> Path: ...

    @property
    def revision(self) -> int: ...

    def memories(self) -> Sequence[Memory]: ...

    def get(self, slug: str) -> Memory: ...


class Shelf:
    """Keeps one store's corpus up to date. Safe to use from several threads: a reader gets the old corpus or the new one."""

    def __init__(self, store: Readable) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._corpus: Corpus | None = None
        self._revision = -1
        self._stamp: tuple[object, ...] = ()
        self._warnings: tuple[str, ...] = ()
        self._next_look = self._next_scan = 0.0
        self._since = self._newest = 0  # when the snapshot was made, and the youngest file: nanoseconds

    @property
    def name(self) -> str:
        """The store's name."""
        return self._store.name

    def corpus(self) -> tuple[Corpus, int, tuple[str, ...]]:
        """The corpus, its revision, and what had to be skipped to get it."""
        corpus = self._corpus
        if corpus is None:
            with self._lock:
                if self._corpus is None:
                    self._open()
        elif time.monotonic() >= self._next_look and self._lock.acquire(blocking=False):
            try:  # one thread looks, the others go on with what there is
                self._refresh()
            finally:
                self._lock.release()
        assert self._corpus is not None
        return self._corpus, self._revision, self._warnings

    def refresh(self) -> None:
        """Look now (after a write of our own)."""
        with self._lock:
            if self._corpus is None:
                self._open()
            else:
                self._next_scan = 0.0
                self._refresh()

    def _open(self) -> None:
        revision = self._store.revision
        opened = snapshot.open_newest(self._store.path)
        if opened is None:
            self._stamp = self._look()
            self._corpus, self._warnings = build(snapshot.everything(self._store)), ()
        else:
            self._corpus, self._warnings = opened.corpus, opened.warnings
            self._since = (opened.path.parent / "CURRENT").stat().st_mtime_ns
            if opened.revision != revision:
                self._corpus = rebuild(self._corpus, snapshot.everything(self._store))
                self._stamp = self._look()
            if not opened.checked:
                threading.Thread(
                    target=self._check, args=(opened.path,), name="kura-snapshot", daemon=True
                ).start()
        self._revision = revision
        self._next_look = time.monotonic() + LOOK

    def _check(self, folder: Path) -> None:
        """A large snapshot is used at once and read against its hashes meanwhile; a damaged one is replaced by the files."""
        damage = snapshot.damaged_at(folder)
        if not damage:
            return
        said = f"snapshot {folder.name} was dropped: {damage}"
        log.warning("%s: %s", folder, said)
        fresh = build(snapshot.everything(self._store))
        with self._lock:
            self._corpus, self._warnings = fresh, (*self._warnings, said)

    def _refresh(self) -> None:
        revision = self._store.revision
        look = time.monotonic() >= self._next_scan or revision != self._revision
        stamp = self._look() if look else self._stamp
        untouched = not self._stamp and revision == self._revision and self._newest <= self._since
        if stamp != self._stamp and untouched:
            self._stamp = stamp  # the first look since a snapshot was opened: no file is younger than it
        if revision != self._revision or stamp != self._stamp:
            assert self._corpus is not None
            try:
                self._corpus = rebuild(self._corpus, snapshot.everything(self._store))
            except FileNotFoundError:  # a file was replaced under our eyes: the next look sees the new one
                self._next_look = 0.0
                return
            self._revision, self._stamp = revision, stamp
        self._next_look = time.monotonic() + LOOK

    def _look(self) -> tuple[object, ...]:
        """Time stamps and sizes of every memory file; a person may edit one without telling us."""
        began = time.monotonic()
        found: list[tuple[str, int, int]] = []
        folders = [self._store.path]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.name.startswith((".", "_")):
                            continue
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(Path(entry.path))
                        elif entry.name.endswith((".md", ".json")):
                            stat = entry.stat(follow_symlinks=False)
                            found.append((entry.path, stat.st_mtime_ns, stat.st_size))
            except OSError:
                continue
        self._newest = max((when for _, when, _ in found), default=0)
        took = time.monotonic() - began
        self._next_scan = began + max(2 * LOOK, SHARE * took)
        return tuple(sorted(found))
