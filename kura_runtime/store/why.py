"""Why a memory exists: its provenance, every quote down to the journal's bytes, the model calls, and what was done to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_runtime.domain.evidence import Quote
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged
from kura_runtime.store import gatekey
from kura_runtime.store.history import Entry

if TYPE_CHECKING:
    from kura_runtime.store.store import Store


@dataclass(frozen=True, slots=True)
class Why:
    """The answer. `manifest` is the digest (hex) of the first evidence, "" for a memory without any; `manifests` all of
    them, oldest first. `quotes` are (manifest digest, quote). `signed`: does the seal of the line that made the memory
    hold (None: no key to check with, or no line). `problems` names evidence that is lost or tampered with."""

    slug: str
    provenance: str
    state: str
    manifest: str
    manifests: tuple[str, ...]
    quotes: tuple[tuple[str, Quote], ...]
    calls: tuple[str, ...]
    history: tuple[Entry, ...]
    origin: Entry | None = None
    signed: bool | None = None
    problems: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The shape that scripts rely on; the span is that of the journal record which holds the event."""
        origin = self.origin or {}
        return {
            "slug": self.slug, "provenance": self.provenance, "state": self.state, "manifest": self.manifest or None,
            "manifests": list(self.manifests), "signed": self.signed,
            "who": origin.get("who", ""), "door": origin.get("door", ""), "time": origin.get("time", ""),
            "quotes": [_quote(digest, q) for digest, q in self.quotes],
            "calls": list(self.calls), "history": [dict(e) for e in self.history], "problems": list(self.problems),
        }  # fmt: skip


def why(store: Store, slug: str) -> Why:
    """Gather the answer for any provenance. Evidence that is lost is named, not raised: the rest still answers."""
    memory = store.get(slug)
    entries = store.history(memory.slug)
    problems: list[str] = []
    try:
        if gatekey.read_key(store.path / store.layout.places.durable) is None and entries:
            problems.append("the store has no key; the seals of the history cannot be checked")
    except StoreDamaged as error:
        problems.append(str(error))
    digests = _digests(memory, entries)
    quotes: list[tuple[str, Quote]] = []
    calls: list[str] = []
    for digest in digests:
        try:
            manifest = store.manifest(digest)
        except StoreDamaged as error:
            problems.append(str(error))
            continue
        quotes += [(digest, q) for q in manifest.quotes]
        calls += manifest.calls
    broken = [e["unreadable"] for e in entries if "unreadable" in e]
    problems += [f"line {n} of the history cannot be read" for n in broken]
    forged = [str(e.get("revision", "?")) for e in entries if e.get("sealed") is False]
    if forged:
        problems.append(f"the seal of the history does not hold at revision {', '.join(forged)}")
    origin = next((e for e in entries if e.get("action") in ("create", "import")), None)
    return Why(
        slug=memory.slug,
        provenance=memory.provenance,
        state=memory.state,
        manifest=digests[0] if digests else "",
        manifests=tuple(digests),
        quotes=tuple(quotes),
        calls=tuple(dict.fromkeys(calls)),
        history=tuple(entries),
        origin=origin,
        signed=_signed(memory, origin),
        problems=tuple(problems),
    )


def _digests(memory: Memory, entries: list[Entry]) -> list[str]:
    """Every manifest behind the memory: the first one, those the history names, and the one it points to now."""
    said = [memory.origin_manifest, *(e.get("manifest") for e in entries), memory.evidence_manifest]
    return list(dict.fromkeys(d for d in said if isinstance(d, str) and d))


def _signed(memory: Memory, origin: Entry | None) -> bool | None:
    if origin is None or "sealed" not in origin:
        return None
    return bool(origin["sealed"]) and origin.get("provenance") == memory.provenance


def journal_path(key: str) -> str:
    """The journal's absolute path, as it was when it was read."""
    return str(Path(key).absolute()) if key else ""


def _quote(digest: str, quote: Quote) -> dict[str, Any]:
    return {
        "class": quote.cls.value, "text": quote.text, "event": quote.event_id, "session": quote.session,
        "journal": journal_path(quote.journal_key), "byte_start": quote.byte_start, "byte_end": quote.byte_end, "ts": quote.ts,
        "manifest": digest,
    }  # fmt: skip
