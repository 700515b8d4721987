"""A memory: one fact with its recognition line, its curation and its state."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

MemoryType = Literal["user", "feedback", "project", "reference"]
MemoryState = Literal["active", "retired", "conflict", "stale", "archived"]
Provenance = Literal["distilled", "direct", "imported", "unsigned"]

MEMORY_TYPES: tuple[str, ...] = ("user", "feedback", "project", "reference")
TRIGGER_MAX = 200  # characters
SUMMARY_MAX = 1000
DETAIL_MAX = 8000


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as every layout holds it. Dates are ISO 8601 (date or date-time); `summary` is the recall unit.

    `extra` keeps unknown front matter lines byte for byte, in order, so that a rewrite loses nothing.
    """

    slug: str
    title: str
    trigger: str
    type: str = "project"
    tags: tuple[str, ...] = ()
    summary: str = ""
    detail: str = ""
    belongs_because: str = ""
    keep: str = ""
    may_fade: str = ""
    created: str = ""
    updated: str = ""
    state: str = "active"
    superseded_by: str | None = None
    origin_manifest: str | None = None
    evidence_manifest: str | None = None
    provenance: str = "unsigned"
    editor: str = ""
    callsigns: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    extra: tuple[str, ...] = field(default=())

    def with_(self, **changes: object) -> Memory:
        """A copy with the named fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        """Plain data, in the order of the fields."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
