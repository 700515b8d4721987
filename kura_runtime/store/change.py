"""One change in the making: under the lock, with what a crash left over completed first, ending in one transaction."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_runtime.domain.memory import Memory
from kura_runtime.domain.slug import SLUG_MAX
from kura_runtime.errors import StoreDamaged, StoreUnwritable
from kura_runtime.store import history
from kura_runtime.store.layouts.page import parse, render
from kura_runtime.store.reindex import lost_index, rebuilt
from kura_runtime.store.transaction import Op

if TYPE_CHECKING:
    from kura_runtime.store.store import Store


log = logging.getLogger(__name__)


class Change:
    """Gathers pages, history and rows; `commit` makes them all, or none. Made by `Store.changing`, which holds the lock."""

    def __init__(self, store: Store, door: str, who: str) -> None:
        self._store = store
        self.door, self.who = door, who
        self.key = store.gate_key()
        self.notice = ""  # what whoever asked for the change should know beside its result
        index = None
        if lost_index(store):
            index, self.notice = rebuilt(store)
        self.edition = store.layout.edition(store.path, index)
        self.revision = store.revision + 1
        self.time = utc(store.clock())
        self._appends: dict[str, bytes] = {}
        self._files: dict[str, bytes] = {}
        self._taken: set[str] = set()
        self._prior: dict[str, int] = {}  # slug → revision of its last history line

    def put(self, memory: Memory, action: str, *, heading: str | None = None, **facts: Any) -> None:
        """Write a memory and its history line. `facts` go into the line (manifest, draft, note, was …)."""
        self.edition.put(memory, heading=heading, new=action in ("create", "import"))
        self._taken.add(memory.slug)
        self.record(memory, action, heading=heading, **facts)

    def record(self, memory: Memory, action: str, **facts: Any) -> None:
        """A history line for a memory as it is after the change, with what it says then, and the revision of the line before:
        so that the store can be asked as it stood, and a line that somebody took out is missed."""
        path = self._store.layout.history_path(memory.slug)
        if memory.slug not in self._prior:
            self._prior[memory.slug] = history.last_revision(self._store.path / path)
        entry = {
            "revision": self.revision, "time": self.time, "action": action, "door": self.door, "who": self.who,
            "slug": memory.slug, "provenance": memory.provenance, "state": memory.state, **facts,
            "curation": history.curation_seal(self.key, memory), "prior": self._prior[memory.slug],
            "content": history.content_of(as_stored(memory)),
        }  # fmt: skip
        self._prior[memory.slug] = self.revision
        self._append(path, history.line(self.key, entry))

    def row(self, path: str, row: Mapping[str, Any]) -> None:
        """One line at the end of a durable file (path relative to the store)."""
        self._append(path, json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")

    def file(self, path: str, data: bytes) -> None:
        """Another file that is to change with the rest (a proposal)."""
        self._files[path] = data

    def commit(self) -> int:
        """Make the change; returns the revision. Raises StoreUnwritable."""
        ops = [Op("append", path, data) for path, data in self._appends.items()]
        ops += self.edition.ops()
        ops += [Op("replace", path, data) for path, data in self._files.items()]
        if self.notice:
            log.warning("%s: %s", self._store.path, self.notice)
        revision = self._store.journal.commit(ops)
        if revision != self.revision:
            raise StoreUnwritable(
                self._store.path, f"revision {revision} where {self.revision} was due; run kura doctor"
            )
        return revision

    def free(self, slug: str) -> str:
        """The slug, or the first of `slug-2`, `slug-3` … that nothing in the store's folder (archive included) has."""
        layout, root = self._store.layout, self._store.path
        if slug not in self._taken and not layout.occupied(root, slug):
            return slug
        head, _, name = slug.rpartition("/")
        n = 2
        while True:
            ending = f"-{n}"
            candidate = f"{name[: SLUG_MAX - len(ending)].rstrip('-')}{ending}"
            candidate = f"{head}/{candidate}" if head else candidate
            if candidate not in self._taken and not layout.occupied(root, candidate):
                return candidate
            n += 1

    def _append(self, path: str, data: bytes) -> None:
        self._appends[path] = self._appends.get(path, b"") + data


def utc(moment: datetime) -> str:
    """ISO 8601 in UTC, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def as_stored(memory: Memory) -> Memory:
    """The memory as its page will read."""
    with suppress(StoreDamaged):
        page = parse(render(memory), Path(memory.slug), memory.slug)
        if page is not None:
            return page.memory
    return memory


def related(memory: Memory, other: str) -> Memory:
    """The memory with a link to another in its front matter: found by whoever walks the links, and no word of its text
    changed."""
    line = f'  related: "[[{other}]]"'
    if other in memory.links or line in memory.extra:
        return memory
    pad = next(
        (x[: len(x) - len(x.lstrip())] for x in memory.extra if x[:1] in (" ", "\t") and x.strip()), "  "
    )
    return memory.with_(extra=(*memory.extra, pad + line.lstrip()), links=(*memory.links, other))
