"""The Python door: open a configuration, take a store by name, ask it.

    k = kura_runtime.open("kura.toml")
    reply = k.store("maker").recall("what did we decide about the archive disk?")

Reading loads no pipeline, no web framework and no database. Handles are safe to share between threads; the `a…` methods
run the same work in a thread for asyncio.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_runtime.config.load import load, select
from kura_runtime.errors import BadInput, UnknownStore
from kura_runtime.recall.recall import Tiers
from kura_runtime.recall.recall import recall as recall_
from kura_runtime.recall.served import ServedLog
from kura_runtime.recall.shelf import Shelf
from kura_runtime.recall.thinker import IndexThinker
from kura_runtime.text.tokens import estimate

if TYPE_CHECKING:
    from kura_runtime.config.model import Config, StoreConfig
    from kura_runtime.domain.memory import Memory
    from kura_runtime.recall.reply import Reply
    from kura_runtime.recall.thinker import Thinker
    from kura_runtime.resident.context import Context
    from kura_runtime.resident.prefill import Prefill
    from kura_runtime.store.store import Store


def open(path: str | Path | None = None) -> Kura:  # noqa: A001
    """The configuration at `path`, else $KURA_CONFIG, ./kura.toml, ~/.config/kura/kura.toml. Raises ConfigError."""
    return Kura(load(path))


class Kura:
    """All stores of one configuration."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._handles: dict[str, StoreHandle] = {}
        self._lock = threading.Lock()

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores."""
        return tuple(self.config.stores)

    def store(self, name: str) -> StoreHandle:
        """The store of this store or mode name. Raises UnknownStore for any other: there is no default to fall to."""
        if not isinstance(name, str) or not name.strip():
            raise UnknownStore(str(name or ""), sorted({*self.config.stores, *self.config.modes}))
        chosen = select(self.config, name)
        with self._lock:
            handle = self._handles.get(chosen.name)
            if handle is None:
                handle = self._handles[chosen.name] = StoreHandle(chosen, home=self.config.home)
        return handle

    def only(self) -> StoreHandle:
        """The store that needs no name because there is no other. Raises BadInput where there are several, or none."""
        if len(self.stores) == 1:
            return self.store(self.stores[0])
        raise BadInput("store", f"name one of {', '.join(self.stores) or 'none: there is no store yet'}")

    def describe(self) -> dict[str, Any]:
        """The stores with their state, the modes that lead to them, and which model fills which role. No address, no key."""
        return {"config": str(self.config.file), "stores": [_described(self.config, s) for s in self.config.stores.values()],
                "modes": dict(self.config.modes)}  # fmt: skip

    def flush(self) -> None:
        """Write the notes that wait (what was served, what was asked)."""
        for handle in list(self._handles.values()):
            handle.flush()


class StoreHandle:
    """One store: ask, read, write. `files` is the store itself; `config` its part of kura.toml."""

    def __init__(
        self,
        config: StoreConfig,
        *,
        store: Store | None = None,
        thinker: Thinker | None = None,
        home: Path | None = None,
    ) -> None:
        """`store` and `thinker` replace what the configuration names (for hosts that bring their own); `home` is the
        project's `.kura/`, where copies of journals are looked for."""
        self.config, self.home = config, home
        if store is not None:
            self.files = store
        self._thinker = thinker

    @property
    def name(self) -> str:
        """The store's name."""
        return self.config.name

    @cached_property
    def files(self) -> Store:
        """The store on disk. Raises ConfigError where there is none."""
        from kura_runtime.gate.attribution import People
        from kura_runtime.store.store import Store

        c = self.config
        return Store.open(
            c.path, name=c.name, policy=c.write_policy, people=People(tuple(c.people.names)),
            dedup_threshold=c.dedup.threshold, max_memories=c.shelf.max_memories,
        )  # fmt: skip

    @cached_property
    def shelf(self) -> Shelf:
        """The store as recall sees it."""
        return Shelf(self.files)

    @cached_property
    def log(self) -> ServedLog:
        """Where is noted what goes out."""
        return ServedLog(self.files.path, keep_questions=self.config.privacy.log_questions)

    @cached_property
    def tiers(self) -> Tiers:
        """The tiers of recall as configured."""
        fast = self.config.fastpath
        return Tiers(fast.enabled, fast.gate, fast.margin, self._thinker or _thinker(self.config))

    # --- asking ---------------------------------------------------------------------------------------------------------

    def recall(
        self,
        question: str,
        *,
        hops: int = 1,
        top: int = 3,
        chars: int = 6000,
        total_chars: int | None = None,
        as_of: str | int | None = None,
    ) -> Reply:
        """What this store knows about `question`. `hops` links are walked, `top` memories picked at the most, `chars` bounds
        each memory and `total_chars` the whole context. `as_of` (a revision, or a date or time as ISO 8601, a date meaning
        its end in UTC) asks the store as it stood, by its history and without a model. Raises BadInput."""
        if as_of is not None:
            from kura_runtime.recall.past import recall_past

            fast = self.config.fastpath
            return recall_past(
                self.files, question, as_of, tiers=Tiers(fast.enabled, fast.gate, fast.margin), hops=hops, top=top, chars=chars,
                total_chars=total_chars, served=self.log,
            )  # fmt: skip
        return recall_(
            self.shelf, question, tiers=self.tiers, hops=hops, top=top, chars=chars, total_chars=total_chars, served=self.log
        )  # fmt: skip

    async def arecall(self, question: str, **options: Any) -> Reply:
        """`recall`, without blocking the event loop."""
        return await asyncio.to_thread(self.recall, question, **options)

    def glance(self, slug: str) -> str:
        """The short view of one memory, about 150 tokens. Raises UnknownMemory."""
        from kura_runtime.resident.glance import glance

        text = glance(self.files.get(slug))
        self.log.served(text)
        self.log.asked(slug, how="glance", picked=(slug,), ms=0.0)
        return text

    def read(self, slug: str) -> Memory:
        """One memory, whole, by its exact slug. Raises UnknownMemory."""
        memory = self.files.get(slug)
        self.log.served(
            *(t for t in (memory.title, memory.trigger, memory.summary, memory.detail, memory.belongs_because, memory.keep, memory.may_fade) if t)
        )  # fmt: skip
        self.log.asked(slug, how="read", picked=(slug,), ms=0.0)
        return memory

    def index(self) -> dict[str, Any]:
        """Every memory by its line, in the index's order, and what the lines cost in tokens."""
        memories = {m.slug: m for m in self.files.memories()}
        found = []
        for heading, lines in self.files.index().sections:
            for line in lines:
                memory = memories.get(line.slug)
                found.append({
                    "slug": line.slug, "title": line.title, "trigger": line.trigger, "heading": heading,
                    "state": memory.state if memory else "unreadable", "updated": memory.updated if memory else "",
                })  # fmt: skip
        told = [f"- [{m['title']}]({m['slug']}.md) — {m['trigger']}" for m in found]
        self.log.served(*told)
        return {"store": self.name, "memories": found, "tokens": sum(estimate(line) for line in told)}

    def prefill(self, window_tokens: int | None = None, fraction: float | None = None) -> Prefill:
        """The block that a host puts into the system prompt. Raises ConfigError where the configured header ticks."""
        from kura_runtime.resident.prefill import prefill

        block = prefill(self.files, self.config.prefill, window_tokens=window_tokens, fraction=fraction)
        self.log.served(*block.text.splitlines())
        return block

    def context(
        self, question: str = "", *, total_input_tokens: int | None = None, hops: int = 1, top: int = 3
    ) -> Context:
        """The three channels for one turn, each within its cap. Without a question the recall channel stays empty."""
        from kura_runtime.resident.context import assemble, rules_text

        if total_input_tokens is not None and (
            isinstance(total_input_tokens, bool) or total_input_tokens < 1
        ):
            raise BadInput(
                "total_input_tokens", f"{total_input_tokens!r}: wants a number of tokens, at least 1"
            )
        caps = self.config.rules
        # in layout kura the persona belongs to the host: it is pointed to, never rendered
        rules = rules_text(self.files.path / "prompt") if self.config.layout == "topics" else ""
        made = assemble(
            self.name,
            rules=rules,
            slugs=sorted(self.files.slugs()),
            recall=(lambda room: self.recall(question, hops=hops, top=top, total_chars=room))
            if question.strip()
            else None,
            caps=(caps.rules_bytes, caps.index_bytes, caps.recall_bytes),
            total_input_tokens=total_input_tokens,
        )
        self.log.served(rules)
        self.log.measured(
            {"what": "context", **{f"{c.name}_{k}": getattr(c, k) for c in made.channels for k in ("bytes", "tokens", "left_out")},
             "tokens": made.tokens, "share": made.share}
        )  # fmt: skip
        return made

    def search(self, query: str, *, limit: int = 20, **filters: str) -> list[dict[str, Any]]:
        """Full-text search over the raw sessions; `filters` are cls, session, tool, since, until. What it finds is never
        injected anywhere. Raises BadInput."""
        from kura_runtime.raw import sessions

        found = sessions.search(self.files.path, query, limit=limit, **filters)
        self.log.served(*(str(row.get("text", "")) for row in found))
        return found

    # --- writing ---------------------------------------------------------------------------------------------------------

    def remember(self, slug: str, trigger: str, body: str = "", **fields: Any) -> dict[str, Any]:
        """Write one memory directly, through the write gate; recallable at once. Raises WriteRefused, BadInput."""
        return self._written(self.files.remember(slug, trigger, body, **{"door": "python", **fields}))

    def annotate(self, slug: str, **fields: Any) -> dict[str, Any]:
        """Merge tags and curation sentences into a memory. Raises WriteRefused, BadInput, UnknownMemory."""
        return self._written(self.files.annotate(slug, **{"door": "python", **fields}))

    def retire(self, old: str, new: str, **fields: Any) -> dict[str, Any]:
        """Mark a memory as replaced by another. Raises WriteRefused, UnknownMemory."""
        return self._written(self.files.retire(old, new, **{"door": "python", **fields}))

    def _written(self, written: Any) -> dict[str, Any]:
        self.shelf.refresh()
        result: dict[str, Any] = written.to_json()
        return result

    # --- looking back ------------------------------------------------------------------------------------------------------

    def why(self, slug: str) -> dict[str, Any]:
        """Why a memory exists: manifest, quotes, journal spans, model calls, history. Raises UnknownMemory."""
        archive = self.home / "archive" if self.home is not None else None
        answer: dict[str, Any] = self.files.why(slug, archive=archive).to_json()
        self.log.served(*(q.get("text", "") for q in answer.get("quotes", ())))
        return answer

    def doctor(self) -> dict[str, Any]:
        """The health of the store, and how fresh what is derived from it is."""
        from kura_runtime.recall import snapshot
        from kura_runtime.resident.weave import read_cloth, woven_revision

        report: dict[str, Any] = self.files.doctor().to_json()
        path = self.files.path
        made = snapshot.current_revision(path)
        woven = woven_revision(path)
        report["derived"] = {
            "snapshot": {
                "revision": made,
                "fresh": snapshot.fresh(self.files),
                "damaged": list(snapshot.damaged(path)),
            },
            "map": {
                "revision": woven,
                "fresh": woven is not None and read_cloth(self.files, self.config.prefill) is not None,
            },
            "notes_dropped": self.log.dropped,
            "notes_failure": self.log.failure,
        }
        return report

    def profile(self) -> dict[str, Any]:
        """The store's charter, its learned profile (`state`: absent, present or broken), and where the persona file stands:
        a pointer, its words are the host's."""
        text, state = "", "absent"
        with suppress(FileNotFoundError):
            try:
                text, state = (self.files.path / "profile.md").read_text(encoding="utf-8"), "present"
            except (UnicodeDecodeError, IsADirectoryError, PermissionError):
                state = "broken"
        return {
            "store": self.name, "label": self.config.label or self.name, "charter": self.config.charter_text(),
            "profile": {"state": state, "text": text}, "persona": self.config.persona,
        }  # fmt: skip

    def flush(self) -> None:
        """Write the notes that wait."""
        if "log" in self.__dict__:
            self.log.flush()


def _described(config: Config, store: StoreConfig) -> dict[str, Any]:
    from kura_runtime.store.store import Store

    there = store.path.is_dir()
    memories = (
        len(Store.open(store.path, name=store.name, policy=store.write_policy).slugs()) if there else None
    )
    return {
        "store": store.name, "label": store.label, "path": str(store.path), "layout": store.layout,
        "write_policy": store.write_policy, "modes": [m for m, target in config.modes.items() if target == store.name],
        "models": {r: (m.model if (m := store.models.role(r)) else None) for r in ("thinker", "brain", "scribe")},
        "memories": memories, "state": "open" if there else f"missing: run `kura init {store.name}`",
    }  # fmt: skip


def _thinker(config: StoreConfig) -> Thinker | None:
    model = config.models.role("thinker")
    if model is None or not config.thinker.enabled:
        return None
    from kura_runtime.models.endpoint import ChatEndpoint
    from kura_runtime.models.roles import OWN_MARK

    return IndexThinker(
        ChatEndpoint.of(model, "thinker"), charter=config.charter_text(), mark=OWN_MARK,
        window_tokens=model.context_tokens, verify=config.thinker.verify,
    )  # fmt: skip
