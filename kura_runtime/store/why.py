"""Why a memory exists: its provenance, every quote down to the journal's bytes, the model calls, and what was done to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_runtime.domain.evidence import Quote
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged
from kura_runtime.store import gatekey
from kura_runtime.store.history import Entry
from kura_runtime.store.journal_state import Journals, JournalState

if TYPE_CHECKING:
    from kura_runtime.store.store import Store


@dataclass(frozen=True, slots=True)
class Why:
    """The answer. `manifest` is the digest (hex) of the first evidence, "" for a memory without any; `manifests` all of
    them, oldest first. `quotes` are (manifest digest, quote). `signed`: does the seal of the line that made the memory
    hold (None: no key to check with, or no line). `journals` says of each quote, in their order, whether its journal still
    holds it. `problems` names evidence that is lost or tampered with; `notices` what is gone and was only a source."""

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
    journals: tuple[JournalState, ...] = ()
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The shape that scripts rely on; the span is that of the journal record which holds the event."""
        origin = self.origin or {}
        return {
            "slug": self.slug, "provenance": self.provenance, "state": self.state, "manifest": self.manifest or None,
            "manifests": list(self.manifests), "signed": self.signed,
            "who": origin.get("who", ""), "door": origin.get("door", ""), "time": origin.get("time", ""),
            "quotes": [_quote(digest, q, at) for (digest, q), at in zip_longest(self.quotes, self.journals)],
            "calls": list(self.calls), "history": [{k: v for k, v in e.items() if k != "content"} for e in self.history], "problems": list(self.problems),
            "notices": list(self.notices),
        }  # fmt: skip


def why(store: Store, slug: str, archive: Path | None = None) -> Why:
    """Gather the answer for any provenance. Evidence that is lost is named, not raised: the rest still answers. `archive` is
    the folder of journal copies, where one is kept."""
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
    if memory.provenance == "distilled" and not digests:
        problems.append("it is called distilled and points to no manifest")
    looked = Journals(archive)
    states = tuple(looked.state(q) for _, q in quotes)
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
        journals=states,
        notices=tuple(dict.fromkeys(_notices(quotes, states))),
    )


_GONE = {
    "missing": "was deleted since it was read",
    "changed": "was rewritten since it was read: its bytes at the named place no longer hold the quote",
}


def _notices(quotes: list[tuple[str, Quote]], states: tuple[JournalState, ...]) -> Iterator[str]:
    for (_, quote), at in zip(quotes, states, strict=True):
        if at.state in _GONE:
            kept = (
                f"the archive's copy {at.archived} still holds it"
                if at.archived
                else "no copy was archived; the words stand in the manifest alone"
            )
            yield f"{journal_path(quote.journal_key)} {_GONE[at.state]}; {kept}"


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


def _quote(digest: str, quote: Quote, at: JournalState | None) -> dict[str, Any]:
    return {
        "class": quote.cls.value, "text": quote.text, "event": quote.event_id, "session": quote.session,
        "journal": journal_path(quote.journal_key), "byte_start": quote.byte_start, "byte_end": quote.byte_end, "ts": quote.ts,
        "manifest": digest, "journal_state": at.state if at else "unchecked", "archived": (at.archived or None) if at else None,
    }  # fmt: skip
