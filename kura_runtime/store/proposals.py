"""Proposals: what only a person may decide. A readable file each, kept after the ruling."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from kura_runtime.domain.evidence import Quote
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import BadInput, StoreDamaged
from kura_runtime.store.containment import own_folder, read_own

if TYPE_CHECKING:
    from kura_runtime.store.store import Store

Keep = Literal["new", "old", "both"]


def conflict_file(
    store: Store,
    old: Memory,
    new: Memory,
    time: str,
    reason: str,
    differences: tuple[str, ...] = (),
    *,
    quotes: Sequence[Quote] = (),
) -> tuple[str, bytes]:
    """(path relative to the store, bytes) of the proposal to rule between two memories, each with its evidence. `quotes` are
    those of the new one, which the store does not hold yet; where a side has none, it says who wrote it."""
    name = f"conflict-{hashlib.sha256(f'{old.slug} {new.slug}'.encode()).hexdigest()[:10]}"
    proposal = {
        "id": name, "kind": "conflict", "state": "open", "time": time, "reason": reason,
        "differences": list(differences),
        "old": {"slug": old.slug, "trigger": old.trigger, "summary": old.summary, "provenance": old.provenance,
                "evidence": _evidence(quotes_behind(store, old))},
        "new": {"slug": new.slug, "trigger": new.trigger, "summary": new.summary, "provenance": new.provenance,
                "evidence": _evidence(quotes)},
        "ruling": f"kura proposals rule {name} --keep new|old|both",
    }  # fmt: skip
    return f"{store.layout.places.proposals}/{name}.json", _bytes(proposal)


def proposals(store: Store, *, every: bool = False) -> list[dict[str, Any]]:
    """The open proposals (with `every` the ruled ones too), oldest first. An unreadable file is named in its place."""
    folder = own_folder(store.path / store.layout.places.proposals)
    found: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        try:
            proposal = json.loads(read_own(path)[0])
            if not isinstance(proposal, dict) or not isinstance(proposal.get("id"), str):
                raise ValueError("no proposal")
        except (ValueError, StoreDamaged) as error:
            proposal = {
                "id": path.stem,
                "kind": "unreadable",
                "state": "open",
                "time": "",
                "reason": str(error),
            }
        if every or proposal.get("state", "open") == "open":
            found.append(proposal)
    return sorted(found, key=lambda p: (str(p.get("time", "")), p["id"]))


def rule(store: Store, proposal_id: str, keep: Keep, who: str) -> dict[str, Any]:
    """A person's ruling on a conflict: the loser is retired towards the winner; `both` lifts the conflict."""
    if keep not in ("new", "old", "both"):
        raise BadInput("keep", f'"{keep}" is none of new, old, both')
    with store.changing("rule", who) as change:
        known = {p["id"]: p for p in proposals(store)}
        if proposal_id not in known or known[proposal_id].get("kind") != "conflict":
            listed = ", ".join(known) or "none"
            raise BadInput("proposal", f'no open conflict "{proposal_id[:80]}"; open: {listed}')
        proposal = known[proposal_id]
        from kura_runtime.store.direct import live, retired

        old, new = live(store, proposal["old"]["slug"]), live(store, proposal["new"]["slug"])
        winner, loser = (old, new) if keep == "old" else (new, old)
        for memory in (old, new):
            if keep == "both" or memory is winner:
                after = memory.with_(state="active" if memory.state == "conflict" else memory.state)
                change.put(
                    after, "ruling", proposal=proposal_id, note=f"keep {keep}", was={"state": memory.state}
                )
        if keep != "both":
            face = retired(loser, winner.slug)
            change.put(
                face, "retire", proposal=proposal_id, note=f"keep {keep}", was={"trigger": loser.trigger}
            )
        ruled = {**proposal, "state": "ruled", "keep": keep, "ruled_at": change.time, "ruled_by": who}
        change.file(f"{store.layout.places.proposals}/{proposal_id}.json", _bytes(ruled))
        change.commit()
        return ruled


def quotes_behind(store: Store, memory: Memory) -> list[Quote]:
    """The quotes behind a memory, first to last; evidence that is lost is the doctor's business, not a ruling's."""
    digests = dict.fromkeys(
        str(d)
        for d in (
            memory.origin_manifest,
            *(e.get("manifest") for e in store.history(memory.slug)),
            memory.evidence_manifest,
        )
        if d
    )
    found: list[Quote] = []
    for digest in digests:
        with suppress(StoreDamaged):
            found += store.manifest(digest).quotes
    return found


def _evidence(quotes: Sequence[Quote]) -> list[dict[str, Any]]:
    return [
        {"class": q.cls.value, "text": q.text, "ts": q.ts, "session": q.session, "event": q.event_id, "journal": q.journal_key}
        for q in dict.fromkeys(quotes)
    ]  # fmt: skip


def _bytes(proposal: dict[str, Any]) -> bytes:
    return (json.dumps(proposal, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")
