"""What the store's tests share: a quote, a manifest and a draft that belong together, in any language."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from kura_runtime.domain.draft import Draft, JudgeVerdict, Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.domain.manifest import Manifest
from kura_runtime.store.drafts import StagedDraft
from kura_runtime.store.store import Store

BATCH = "20260301T090000-0a1b2c3d"
NOW = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)


def no_floor(*_: object, **__: object) -> tuple[()]:
    """A floor that lets everything pass: for tests that are about something else."""
    return ()


def make(path: Path, **options: object) -> Store:
    """A new store with a fixed clock and no floor."""
    options = {"clock": lambda: NOW, "floor": no_floor, **options}
    return Store.create(path, name="maker", **options)  # type: ignore[arg-type]


def quote(text: str = "the archive goes on the slow disk", cls: str = "USER", event: str = "e1") -> Quote:
    return Quote(
        EvidenceClass(cls), text, event, "s1", "/journals/a.jsonl", 100, 260, "2026-03-01T09:00:00+00:00"
    )


def manifest(*quotes: Quote, batch: str = BATCH, calls: tuple[str, ...] = ("call-1",)) -> Manifest:
    return Manifest(
        gate_version="1", store="maker", batch_id=batch, sources={"/journals/a.jsonl": "0" * 64}, quotes=quotes or (quote(),),
        tags=(("decision", "word"),), refusals=(), models={"scribe": "m"}, prompts={"editor": "x 1"}, calls=calls,
        created_at="2026-03-01T09:00:00+00:00",
    )  # fmt: skip


def surface(slug: str = "archive-on-slow-disk", **changes: str) -> Surface:
    fields = {
        "title": "Archive on the slow disk", "trigger": "the archive lives on the slow disk; the fast one stays scratch",
        "body": "The archive goes on the slow disk. The fast disk is scratch space.",
        "belongs_because": "how the machine is laid out", "keep": "which disk", "may_fade": "the figures of that afternoon",
    }  # fmt: skip
    return Surface(slug=slug, **{**fields, **changes})


def draft(store: Store, of: Surface | None = None, **changes: object) -> Draft:
    """A draft whose manifest is in the store."""
    quotes = changes.pop("quotes", (quote(),))
    assert isinstance(quotes, tuple)
    fields: dict[str, object] = {
        "surface": of or surface(), "kind": "project", "batch_id": BATCH, "manifest": store.write_manifest(manifest(*quotes)),
        "stamp": "2026-03-01", "editor": "extractive", "quotes": quotes, "tags": ("decision",),
    }  # fmt: skip
    return Draft(**{**fields, **changes})  # type: ignore[arg-type]


def staged(store: Store, one: Draft) -> StagedDraft:
    path = store.stage(one)
    return next(d for d in store.drafts() if d.path == path)


def yes(one: StagedDraft) -> JudgeVerdict:
    return JudgeVerdict("POUR", one.digest)


def poured(store: Store, one: Draft) -> str:
    """Stage and pour; returns the slug."""
    waiting = staged(store, one)
    return store.pour(waiting, verdict=yes(waiting)).slug


def tree(root: Path) -> dict[str, str]:
    """Every file below a folder by its relative path, as a hash of its bytes (the lock file left out)."""
    return {
        str(p.relative_to(root)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(root.rglob("*"))
        if p.is_file() and p.name != "lock"
    }
