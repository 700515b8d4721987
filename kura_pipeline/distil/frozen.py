"""What a batch was told about the store, kept beside its evidence.

A rerun must ask the very same questions, or the recorded answers do not fit them. The store has moved on by then: it even
holds what this batch poured. So every answer the store gave is kept on first use (store revision, echo, neighbours shown,
slugs looked up), and a rerun is given the kept ones. `refresh` forgets them, section by section as they are used; the
batch's own memories are left out then, for they are no news about it.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Protocol

from kura_pipeline.distil.neighbours import NEAREST, Nearest
from kura_runtime.domain.manifest import Manifest
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import KuraError, StoreDamaged
from kura_runtime.gate.echo import Echo
from kura_runtime.text.normalise import fold

_SECTIONS = ("stored", "served", "neighbours", "slugs")
_OWN_MOST = 64  # memories one batch could have poured near the same subject
_LISTS = ("tags", "callsigns", "links", "extra")


class StoreView(Protocol):
    """What freezing needs of a store."""

    @property
    def revision(self) -> Any: ...

    def memories(self) -> list[Memory]: ...

    def manifest(self, digest: str) -> Manifest: ...


class Frozen:
    """The frozen inputs of one batch. Also the `echo` and the `links` that the gate asks. Safe between threads."""

    def __init__(
        self,
        path: Path,
        batch_id: str,
        store: StoreView,
        *,
        served: Callable[[], frozenset[str]] = frozenset,
        refresh: bool = False,
    ) -> None:
        """`path` is `<storage>/<store>/frozen/<batch>.json`. `served` gives the hashes of what this system handed out
        before the batch was claimed; it is called at most once, and only where something new is asked."""
        self.path, self.batch_id = Path(path), batch_id
        self._view = _View(store, batch_id, served)
        self._lock = threading.RLock()
        self._kept: dict[str, Any] = self._load()
        self._stale = set(_SECTIONS) if refresh else set()
        if refresh or not self._kept:
            self._kept = {**{s: {} for s in _SECTIONS}, **self._kept}
            self._kept["batch"] = batch_id
            self._kept["revision"] = str(store.revision)
            self._kept["apart"] = []
            self._kept["once"] = {}
        self._moved = refresh or not self.path.exists()

    @property
    def revision(self) -> str:
        """The store's revision when the batch first looked at it."""
        return str(self._kept["revision"])

    @property
    def links(self) -> FrozenSlugs:
        """`slug in frozen.links`: did the store hold it, this batch's own memories left out."""
        return FrozenSlugs(self)

    def stored(self, folded: str) -> bool:
        """Did a memory of the store hold this (normalised) text?"""
        return bool(self._ask("stored", folded, lambda: self._view.stored(folded)))

    def served(self, folded: str) -> bool:
        """Had this system itself handed out this (normalised) text?"""
        return bool(self._ask("served", folded, lambda: self._view.served(folded)))

    def holds(self, slug: str) -> bool:
        """Did the store hold this slug?"""
        return bool(self._ask("slugs", slug, lambda: self._view.holds(slug)))

    def neighbours(self, text: str) -> tuple[Memory, ...]:
        """The nearest memories to `text`, as they were. Kept on disk at once: a model is about to be asked about them."""
        shown = self._ask("neighbours", text, lambda: [_plain(m) for m in self._view.nearest(text)])
        self.save()
        return tuple(_memory(m) for m in shown)

    def once(self, name: str, live: Callable[[], Any]) -> Any:
        """Any other thing the batch was shown (plain JSON values), kept on disk at once, as it was the first time."""
        with self._lock:
            kept = self._kept.setdefault("once", {})
            if name not in kept:
                kept[name] = live()
                self._moved = True
        self.save()
        return kept[name]

    def apart(self, name: str) -> bool:
        """Were these questions, which are asked together where that is possible, asked one by one the first time?"""
        with self._lock:
            return name in self._kept.get("apart", ())

    def set_apart(self, name: str) -> None:
        """Keep, on disk at once, that they were: a rerun asks the same questions and replays their answers."""
        with self._lock:
            if not self.apart(name):
                self._kept["apart"] = sorted((*self._kept.get("apart", ()), name))
                self._moved = True
        self.save()

    def save(self) -> None:
        """Write the file, where anything is new. Atomic: another process sees the old file or the new one."""
        with self._lock:
            if not self._moved:
                return
            text = json.dumps(self._kept, sort_keys=True, ensure_ascii=False, indent=1) + "\n"
            self.path.parent.mkdir(parents=True, exist_ok=True)
            beside = self.path.with_name(f".{self.path.name}.{os.getpid()}.{threading.get_ident()}")
            with beside.open("w", encoding="utf-8", errors="surrogatepass") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            beside.replace(self.path)
            self._moved = False

    def _ask(self, section: str, text: str, live: Callable[[], Any]) -> Any:
        key = (
            text if section == "slugs" else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        )
        with self._lock:
            if section in self._stale:
                self._stale.discard(section)
                self._kept[section] = {}
            kept = self._kept[section]
            if key not in kept:
                kept[key] = live()
                self._moved = True
            return kept[key]

    def _load(self) -> dict[str, Any]:
        if not self.path.exists():
            return {}
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8", errors="surrogatepass"))
            if not all(isinstance(kept[s], dict) for s in _SECTIONS) or kept["batch"] != self.batch_id:
                raise ValueError("not the frozen inputs of this batch")
        except (ValueError, KeyError, TypeError) as error:
            raise StoreDamaged(
                self.path, f"{error}; delete the file to freeze the batch's inputs anew"
            ) from None
        return dict(kept)


class FrozenSlugs:
    """`in` over the frozen slugs."""

    def __init__(self, frozen: Frozen) -> None:
        self._frozen = frozen

    def __contains__(self, slug: object) -> bool:
        return isinstance(slug, str) and self._frozen.holds(slug)


class _View:
    """The store as it is now, without what this batch put there. Everything is read at most once, and only if asked;
    manifests are read only of memories that would decide an answer."""

    def __init__(self, store: StoreView, batch_id: str, served: Callable[[], frozenset[str]]) -> None:
        self._store, self._batch_id, self._served = store, batch_id, served
        self._echo: Echo | None = None
        self._near: Nearest | None = None
        self._memories: dict[str, Memory] | None = None
        self._manifests: dict[str, Manifest | None] = {}

    def stored(self, folded: str) -> bool:
        return any(not self._came_from_us(m, folded) for m in self._holders(folded))

    def served(self, folded: str) -> bool:
        """What was served out of this batch's own memories is no echo for it: it said so first."""
        if not self._whole().served(folded):
            return False
        holders = self._holders(folded)
        return not holders or any(not self._came_from_us(m, folded) for m in holders)

    def holds(self, slug: str) -> bool:
        memory = self._all().get(slug)
        return memory is not None and self._own(memory.origin_manifest) is None

    def nearest(self, text: str) -> tuple[Memory, ...]:
        if self._near is None:
            self._near = Nearest(list(self._all().values()))
        found = self._near.of(text, NEAREST + _OWN_MOST)
        return tuple(m for m in found if self._own(m.origin_manifest) is None)[:NEAREST]

    def _holders(self, folded: str) -> list[Memory]:
        held = list(self._all().values())
        return [held[n] for n in self._whole().holders(folded)]

    def _came_from_us(self, memory: Memory, folded: str) -> bool:
        """Is the memory this batch's own, or did this batch extend it with the very quote?"""
        if self._own(memory.origin_manifest) is not None:
            return True
        extension = self._own(memory.evidence_manifest)
        if extension is None:
            return False
        # the gate may ask about the whole sentence round a quote
        added, asked = [fold(q.text) for q in extension.quotes], fold(folded)
        return any(text in asked or asked in text for text in added)

    def _whole(self) -> Echo:
        if self._echo is None:
            self._echo = Echo.of([memory_text(m) for m in self._all().values()], self._served())
        return self._echo

    def _all(self) -> dict[str, Memory]:
        if self._memories is None:
            self._memories = {m.slug: m for m in self._store.memories()}
        return self._memories

    def _own(self, digest: str | None) -> Manifest | None:
        """The manifest, where it is one of this batch; a lost or damaged one is doctor's business, not ours."""
        if not digest:
            return None
        if digest not in self._manifests:
            try:
                found = self._store.manifest(digest)
            except (KuraError, OSError, ValueError, KeyError):
                found = None
            self._manifests[digest] = found if found and found.batch_id == self._batch_id else None
        return self._manifests[digest]


def memory_text(memory: Memory) -> str:
    """All words of a memory, for the echo rule."""
    parts: Iterable[str] = (
        memory.title, memory.trigger, memory.summary, memory.detail, memory.belongs_because, memory.keep, memory.may_fade,
    )  # fmt: skip
    return "\n".join(p for p in parts if p)


def _plain(memory: Memory) -> dict[str, Any]:
    """Only what may be shown; `extra` front matter is nobody's business here."""
    return {k: v for k, v in asdict(memory).items() if v and k != "extra"}


def _memory(kept: dict[str, Any]) -> Memory:
    known = {f.name for f in fields(Memory)}
    values: dict[str, Any] = {k: v for k, v in kept.items() if k in known}
    for name in _LISTS:
        items: Sequence[str] = values.get(name, ())
        values[name] = tuple(items)
    return Memory(**values)
