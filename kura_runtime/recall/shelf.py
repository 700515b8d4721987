"""The newest corpus of a store: from its snapshot, with what changed since laid over it.

Readers never take the store's lock. What changed is known by the stamps of the pages: a snapshot says from which files it
was built, so that a page edited or deleted by hand is seen by the first reader that comes, in any process, and costs the
reading of that page. A reader that stays looks again at most once in `LOOK` seconds; what it is about to hand out it checks
each time (`still`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Protocol

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged
from kura_runtime.recall import snapshot
from kura_runtime.recall.corpus import Corpus, build
from kura_runtime.recall.overlay import overlay
from kura_runtime.store.looking import Look, Seen

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

    def look(self) -> Look: ...

    def reread(self, look: Look, slug: str) -> Memory | None: ...


class Shelf:
    """Keeps one store's corpus up to date. Safe to use from several threads: a reader gets the old corpus or the new one."""

    def __init__(self, store: Readable) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._corpus: Corpus | None = None
        self._revision = -1
        self._look: Look | None = None
        self._seen: Seen | None = None
        self._skipped: tuple[str, ...] = ()  # snapshots that could not be used
        self._damaged: dict[str, str] = {}  # pages that cannot be read
        self._next_look = self._next_scan = 0.0

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
        return self._corpus, self._revision, (*self._skipped, *self._damaged.values())

    def refresh(self) -> None:
        """Look now (after a write of our own)."""
        with self._lock:
            if self._corpus is None:
                self._open()
            else:
                self._next_scan = 0.0
                self._refresh()

    def still(self, slugs: Iterable[str]) -> bool:
        """Do these memories' pages stand as the corpus has them? One stat a page."""
        look = self._look
        return look is None or all(look.still(slug) for slug in slugs)

    def _open(self) -> None:
        revision = self._store.revision
        look = self._scan()
        opened = snapshot.open_newest(self._store.path)
        if opened is None:
            self._anew(look)
        else:
            self._corpus, self._seen, self._skipped = opened.corpus, opened.seen, opened.warnings
            # what the snapshot was built without, though it was there, did not read then: it is looked at again
            self._lay_over(look, look.stamps.keys() - opened.corpus.place.keys())
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
        with self._lock:
            self._anew(self._store.look())
            self._skipped = (*self._skipped, said)

    def _refresh(self) -> None:
        revision = self._store.revision
        if time.monotonic() >= self._next_scan or revision != self._revision:
            self._lay_over(self._scan())
            self._revision = revision
        self._next_look = time.monotonic() + LOOK

    def _anew(self, look: Look) -> None:
        """From the files alone."""
        seen = look.as_seen()  # before the pages are read: what changes meanwhile is found by the next look
        corpus = build(snapshot.everything(self._store))
        self._note_damage(look, look.stamps.keys() - corpus.place.keys(), {})
        self._corpus, self._look, self._seen = corpus, look, seen

    def _lay_over(self, look: Look, also: AbstractSet[str] = frozenset()) -> None:
        """Bring the corpus to what `look` saw, reading the pages that changed, and `also` these."""
        assert self._corpus is not None and self._seen is not None
        changed = look.changed_since(self._seen) | also
        seen = look.as_seen(self._seen)
        put: dict[str, Memory] = {}
        self._note_damage(look, changed, put)
        self._corpus = overlay(self._corpus, put, changed - put.keys())
        self._look, self._seen = look, seen

    def _note_damage(self, look: Look, slugs: Iterable[str], put: dict[str, Memory]) -> None:
        """Read these pages into `put`; those that do not read are left out, and said to be."""
        damaged = {s: said for s, said in self._damaged.items() if s in look.stamps}
        for slug in slugs:
            damaged.pop(slug, None)
            try:
                memory = self._store.reread(look, slug)
            except FileNotFoundError:  # it went since the look: the next look says what stands there now
                continue
            except StoreDamaged as error:
                damaged[slug] = f"left out: {error}"
                continue
            if memory is not None:
                put[slug] = memory
        self._damaged = damaged

    def _scan(self) -> Look:
        began = time.monotonic()
        look = self._store.look()
        took = time.monotonic() - began
        self._next_scan = began + max(2 * LOOK, SHARE * took)
        return look
