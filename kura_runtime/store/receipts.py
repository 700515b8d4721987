"""Receipts of callsigns: which words of the human stand behind a name, sealed with the store's key.

Recall answers to a callsign without asking anybody, so a name must not get in by an edited line: it counts as witnessed only
where a sealed receipt names the quote of the human that says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_runtime.domain.evidence import Quote
from kura_runtime.errors import StoreDamaged
from kura_runtime.gate.callsigns import CALLSIGNS_MOST, witness
from kura_runtime.store import gatekey, history
from kura_runtime.text.normalise import fold

if TYPE_CHECKING:
    from kura_runtime.store.change import Change
    from kura_runtime.store.direct import Written
    from kura_runtime.store.store import Store

_PURPOSE = "callsign"


def room_for(held: Sequence[str], offered: Sequence[str]) -> tuple[str, ...]:
    """The callsigns a memory has afterwards: its own first, at most two."""
    named: dict[str, str] = {}
    for callsign in (*held, *offered):
        named.setdefault(fold(callsign).casefold(), callsign)
    return tuple(named.values())[: max(CALLSIGNS_MOST, len(held))]


def write(
    store: Store,
    change: Change,
    slug: str,
    callsigns: Sequence[str],
    quotes: Sequence[Quote],
    manifest: str,
    batch: str,
) -> tuple[str, ...]:
    """Put a receipt for each callsign into the change; returns those that the human's own words carry. The others get none,
    and the caller leaves them out."""
    stood: list[str] = []
    for callsign in callsigns:
        quote = witness(callsign, quotes)
        if quote is None:
            continue
        stood.append(callsign)
        row: dict[str, Any] = {
            "slug": slug, "callsign": callsign, "quote": quote.text, "event": quote.event_id, "session": quote.session,
            "journal": quote.journal_key, "manifest": manifest, "batch": batch, "time": change.time,
        }  # fmt: skip
        row["seal"] = gatekey.seal_of(change.key, _PURPOSE, row)
        change.row(_path(store, slug), row)
    return tuple(stood)


def read(store: Store, slug: str) -> list[dict[str, Any]]:
    """Every receipt of a memory, oldest first; `sealed` says whether its seal holds, None where there is no key."""
    try:
        key = gatekey.read_key(store.path / store.layout.places.durable)
    except StoreDamaged:
        key = None
    rows: list[dict[str, Any]] = []
    for row in history.rows_of(Path(store.path / _path(store, slug))):
        given = row.pop("seal", "")
        sealed = (
            None if key is None else given == gatekey.seal_of(key, _PURPOSE, row) and row.get("slug") == slug
        )
        rows.append({**row, "sealed": sealed})
    return rows


def unwitnessed(store: Store, slug: str) -> tuple[str, ...]:
    """The callsigns of a distilled memory that no sealed receipt carries. (An import's are covered by the import's seal.)"""
    memory = store.get(slug)
    if not memory.callsigns or memory.provenance != "distilled":
        return ()
    stood = {fold(str(r.get("callsign", ""))).casefold() for r in read(store, slug) if r["sealed"]}
    return tuple(c for c in memory.callsigns if fold(c).casefold() not in stood)


def note_covered(
    store: Store,
    slug: str,
    *,
    batch: str,
    session: str,
    recurs: bool,
    callsigns: Sequence[str] = (),
    quotes: Sequence[Quote] = (),
    manifest: str = "",
) -> Written:
    """The human came back to what a memory says: with `recurs` the tag `recurred`, once, and the names he uses for it, each
    with its receipt, where no other memory has the name and there is room. Only the distiller calls this."""
    from kura_runtime.store.direct import Written, live

    with store.changing("pour", "distiller") as change:
        memory = live(store, slug)
        elsewhere = {
            fold(c).casefold() for m in store.memories() if m.slug != memory.slug for c in m.callsigns
        }
        wanted = [c for c in callsigns if fold(c).casefold() not in elsewhere]
        have = {fold(c).casefold() for c in memory.callsigns}
        fresh = [c for c in room_for(memory.callsigns, wanted) if fold(c).casefold() not in have]
        stood = write(store, change, memory.slug, fresh, quotes, manifest, batch)
        tags = memory.tags if not recurs or "recurred" in memory.tags else (*memory.tags, "recurred")
        if not stood and tags == memory.tags:
            return Written("unchanged", memory.slug, store.revision)
        after = memory.with_(tags=tags, callsigns=(*memory.callsigns, *stood))
        action = "recur" if tags != memory.tags else "callsign"
        change.put(
            after, action, batch=batch, session=session, manifest=manifest, callsigns_added=list(stood)
        )
        return Written("annotated", memory.slug, change.commit())


def _path(store: Store, slug: str) -> str:
    return store.durable(f"receipts/{slug.replace('/', '--')}.jsonl")
