"""Staging and pouring: how a judged draft becomes a memory, and what makes it stop on the way.

Nothing is believed that was written down in between: the file's bytes must be those the verdict names, the gate's mark must
hold, the manifest must hash to its name, and the surface floor runs once more. A draft without a valid mark goes to the
quarantine, unjudged. Pouring the same bytes again does nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Draft, JudgeVerdict, Surface
from kura_runtime.domain.evidence import Quote
from kura_runtime.domain.memory import MEMORY_TYPES, Memory
from kura_runtime.domain.slug import is_slug
from kura_runtime.errors import (
    BadInput,
    DraftQuarantined,
    FloorRefused,
    StoreDamaged,
    StoreUnwritable,
    WriteRefused,
)
from kura_runtime.gate.attribution import People
from kura_runtime.store import disk, drafts, receipts
from kura_runtime.store.change import Change, related
from kura_runtime.store.containment import read_own, stamp_of
from kura_runtime.store.drafts import StagedDraft
from kura_runtime.store.layouts.page import trimmed
from kura_runtime.store.proposals import conflict_file
from kura_runtime.text.normalise import fold

if TYPE_CHECKING:
    from kura_runtime.store.store import Store

Floor = Callable[..., tuple[Refusal, ...]]


@dataclass(frozen=True, slots=True)
class Poured:
    """What a pour did. `already`: these bytes were poured before; `covered`: a memory of this slug says just that. `note` says
    what had to be mended on the way."""

    slug: str
    action: Literal["created", "extended", "covered", "already"]
    revision: int
    proposal: str = ""
    note: str = ""


def surface_floor(
    surface: Surface,
    quotes: Sequence[Quote],
    *,
    links: Container[str],
    people: People,
    stamp: str = "",
    judgement: bool = False,
) -> tuple[Refusal, ...]:
    """The gate's own surface floor."""
    from kura_runtime.gate.surface import check

    return check(surface, quotes, links=links, people=people, stamp=stamp, judgement=judgement)


def stage(store: Store, draft: Draft) -> Path:
    """Sign a draft and write it to the workshop. The same draft is the same file; another of the same name stands beside."""
    folder = store.workshop("drafts")
    data = drafts.render(drafts.mark(store.gate_key(), draft))
    name = drafts.file_name(draft)
    n = 1
    while True:
        path = folder / (f"{name}.md" if n == 1 else f"{name}.{n}.md")
        if not os.path.lexists(path):
            break
        with suppress(StoreDamaged):
            if read_own(path)[0] == data:
                return path
        n += 1
    try:
        disk.put(path, data)
    except OSError as error:
        raise StoreUnwritable(
            folder, f"cannot stage a draft ({error.strerror or error}); nothing was changed"
        ) from None
    return path


def staged(store: Store) -> list[StagedDraft]:
    """The drafts that wait, marks checked; an invalid one is quarantined on the way, so that nobody judges it."""
    folder = store.workshop("drafts")
    found: list[StagedDraft] = []
    paths = sorted(p for p in folder.glob("*.md") if not p.name.startswith(".")) if folder.is_dir() else []
    if not paths:
        return []
    key = store.gate_key()
    for path in paths:
        kept = store.staged_cache.get(path)
        try:
            stamp = stamp_of(os.lstat(path))
            if kept is not None and kept[0] == stamp:
                found.append(kept[1])
                continue
            one = drafts.read_staged(path)
        except FileNotFoundError:
            continue
        except (StoreDamaged, BadInput) as error:
            _quarantine_quietly(store, path, str(error))
            continue
        if drafts.mark_holds(key, one.draft):
            store.staged_cache[path] = (stamp, one)
            found.append(one)
        else:
            _quarantine_quietly(store, path, "the gate's mark is not valid for this draft")
    return found


def pour(
    store: Store,
    source: StagedDraft | Draft,
    verdict: JudgeVerdict,
    *,
    floor: Floor | None,
    people: People | None,
) -> Poured:
    """See `Store.pour`."""
    if verdict.verdict not in ("POUR", "FIX"):
        raise BadInput("verdict", f"only POUR and FIX are poured, not {verdict.verdict}")
    if verdict.verdict == "FIX" and verdict.fixed is None:
        raise BadInput("verdict", "a FIX brings the repaired surface with it")
    with store.changing(
        "pour", source.editor if isinstance(source, Draft) else source.draft.editor
    ) as change:
        path = source.path if isinstance(source, StagedDraft) else None
        claimed = (
            source.digest if isinstance(source, StagedDraft) else drafts.draft_digest(drafts.render(source))
        )
        earlier = store.poured().get(claimed)
        if earlier is not None and claimed == verdict.digest:
            _unstage(path, claimed)
            return Poured(earlier["slug"], "already", store.revision)
        draft, digest = _judged(store, source)
        if digest != verdict.digest:
            raise WriteRefused(
                store.policy,
                f"the verdict is on {verdict.digest[:12]}…, the draft is {digest[:12]}…; judge it again",
            )
        if not drafts.mark_holds(change.key, draft):
            reason = "the gate's mark is not valid for this draft"
            raise DraftQuarantined(
                store.policy, f"{reason}; it was quarantined", quarantine(store, path, reason)
            )
        store.manifest(draft.manifest)
        if verdict.fixed is not None and verdict.verdict == "FIX":
            fixed = (
                verdict.fixed if draft.extends is None else replace(verdict.fixed, slug=draft.surface.slug)
            )
            draft = replace(draft, surface=fixed)
        _check(store, draft, floor or store.floor, people or store.people)
        if verdict.verdict == "FIX":
            draft = drafts.mark(change.key, draft)  # what is stored now is signed as it is
        facts: dict[str, Any] = {
            "manifest": draft.manifest, "draft": digest, "batch": draft.batch_id, "editor": draft.editor,
            "verdict": verdict.verdict, "reason": verdict.reason, "mark": draft.mark,
        }  # fmt: skip
        result = (
            _extend(store, change, draft, facts) if draft.extends else _create(store, change, draft, facts)
        )
        change.row(
            store.durable("poured.jsonl"),
            {
                "draft": digest,
                "slug": result.slug,
                "action": result.action,
                "batch": draft.batch_id,
                "revision": change.revision,
            },
        )
        revision = change.commit()
        _unstage(path, digest)
        return replace(result, revision=revision, note=change.notice)


def quarantine(store: Store, path: Path | None, reason: str) -> Path:
    """Move a draft out of reach of every judge, with the reason beside it. Never deletes."""
    folder = store.workshop("quarantine")
    if path is None or not os.path.lexists(path):
        return folder
    try:
        disk.make_folder(folder)
        n, target = 1, folder / path.name
        while os.path.lexists(target):
            n, target = n + 1, folder / f"{path.stem}.{n}{path.suffix}"
        disk.put(folder / f"{target.name}.reason", f"{reason}\n".encode())
        disk.replace(path, target)
    except OSError as error:
        raise StoreUnwritable(
            folder, f"cannot quarantine a draft ({error.strerror or error}); it was left there"
        ) from None
    return target


def _quarantine_quietly(store: Store, path: Path, reason: str) -> None:
    with suppress(StoreUnwritable):  # a read-only workshop: the draft stays, and is still shown to nobody
        quarantine(store, path, reason)


def _judged(store: Store, source: StagedDraft | Draft) -> tuple[Draft, str]:
    """The draft and the digest of its bytes as they are now, not as somebody remembers them."""
    if isinstance(source, Draft):
        return source, drafts.draft_digest(drafts.render(source))
    try:
        now = drafts.read_staged(source.path)
    except FileNotFoundError:
        raise WriteRefused(store.policy, f"the draft {source.path.name} is gone; stage it again") from None
    except StoreDamaged as error:
        moved = quarantine(store, source.path, str(error))
        raise DraftQuarantined(store.policy, f"{error}; it was quarantined", moved) from None
    return now.draft, now.digest


def _check(store: Store, draft: Draft, floor: Floor, people: People) -> None:
    """Form, secrets and floor of what is about to be stored."""
    surface = draft.surface
    if draft.extends is None and not is_slug(surface.slug):
        raise BadInput(
            "slug",
            f'"{surface.slug[:80]}" is no slug (lower-case words joined by hyphens, 3 to 48 characters)',
        )
    if draft.kind not in MEMORY_TYPES:
        raise BadInput("kind", f'"{draft.kind}" is none of {", ".join(MEMORY_TYPES)}')
    if not trimmed(surface.body):
        raise BadInput("body", "a memory without text")
    if secret := store.secret_in("\n".join(text for _, text in surface.places())):
        raise WriteRefused(
            store.policy, f"the draft holds a secret ({secret}); it must be distilled again, redacted"
        )
    if draft.extends is not None:  # slug, title and trigger are the old memory's, and nobody's new words
        surface = replace(surface, slug="", title="", trigger="")
    waiting = {d.draft.surface.slug for d in staged(store)}
    links = store.slugs() | store.archived() | waiting | {draft.surface.slug}
    refusals = floor(
        surface, draft.quotes, links=links, people=people, stamp=draft.stamp, judgement=draft.judgement
    )
    if refusals:
        named = "; ".join(f"{r.place}: {r.reason} {r.token}".strip() for r in refusals[:5])
        raise FloorRefused(store.policy, f"the surface floor refuses the draft: {named}", tuple(refusals))


def _create(store: Store, change: Change, draft: Draft, facts: dict[str, Any]) -> Poured:
    s = draft.surface
    same = store.get(s.slug) if store.holds(s.slug) else None
    if same is not None and fold(same.summary) == fold(s.body):
        return Poured(same.slug, "covered", change.revision)
    slug = change.free(s.slug)
    names = receipts.write(store, change, slug, draft.callsigns, draft.quotes, draft.manifest, draft.batch_id)
    memory = Memory(
        slug=slug, title=s.title, trigger=s.trigger, type=draft.kind, tags=draft.tags, summary=trimmed(s.body),
        belongs_because=s.belongs_because, keep=s.keep, may_fade=s.may_fade, created=draft.stamp, updated=draft.stamp,
        origin_manifest=draft.manifest, evidence_manifest=draft.manifest, provenance="distilled", editor=draft.editor,
        callsigns=names,
    )  # fmt: skip
    if draft.judgement:
        memory = memory.with_(extra=("  judgement: true",))
    other = store.get(draft.conflicts) if draft.conflicts and store.holds(draft.conflicts) else None
    proposal = ""
    if same is not None:
        facts = {**facts, "note": f"the slug {s.slug} had other content; this is its own memory"}
        memory = related(memory, same.slug)
        if other is None or other.slug != same.slug:
            change.put(related(same, memory.slug), "link", note=f"{memory.slug} came under the same slug")
    if other is not None:
        memory = related(memory, other.slug).with_(state="conflict")
        was = other.state
        face = other.with_(state="conflict") if was in ("active", "stale") else other
        change.put(
            related(face, memory.slug),
            "conflict",
            note=f"cannot be true together with {memory.slug}",
            was={"state": was},
        )
        reason = "the distiller found that both cannot be true"
        name, data = conflict_file(store, other, memory, change.time, reason, quotes=draft.quotes)
        change.file(name, data)
        proposal = Path(name).stem
    change.put(memory, "create", proposal=proposal, **facts)
    return Poured(memory.slug, "created", change.revision, proposal)


def _extend(store: Store, change: Change, draft: Draft, facts: dict[str, Any]) -> Poured:
    assert draft.extends is not None
    if not store.holds(draft.extends):
        raise WriteRefused(
            store.policy, f'the draft extends "{draft.extends}", which this store does not hold (any more)'
        )
    old, s = store.get(draft.extends), draft.surface
    have = {fold(c).casefold() for c in old.callsigns}
    fresh = [c for c in receipts.room_for(old.callsigns, draft.callsigns) if fold(c).casefold() not in have]
    names = receipts.write(store, change, old.slug, fresh, draft.quotes, draft.manifest, draft.batch_id)
    memory = extended(old, draft.stamp, s.heading or s.title, s.body).with_(
        tags=tuple(dict.fromkeys((*old.tags, *draft.tags))),
        callsigns=(*old.callsigns, *names),
        belongs_because=old.belongs_because or s.belongs_because,
        keep=old.keep or s.keep,
        may_fade=old.may_fade or s.may_fade,
        origin_manifest=old.origin_manifest
        or (old.evidence_manifest if old.provenance == "distilled" else None),
        evidence_manifest=draft.manifest,
    )
    change.put(
        memory, "extend", heading_added=s.heading or s.title, previous_manifest=old.evidence_manifest, **facts
    )
    return Poured(memory.slug, "extended", change.revision)


def extended(old: Memory, stamp: str, heading: str, body: str) -> Memory:
    """The memory with a dated section at the end of its summary. What stood there stays, to the character."""
    title = " ".join(part for part in (stamp, " ".join(heading.split())) if part)
    section = f"## {title}\n\n{trimmed(body)}" if title else trimmed(body)
    summary = f"{trimmed(old.summary)}\n\n{section}" if old.summary.strip() else section
    return old.with_(summary=summary, updated=max(old.updated, stamp))


def _unstage(path: Path | None, digest: str) -> None:
    """Take the poured draft out of the workshop, if it is still those bytes."""
    if path is None:
        return
    with suppress(OSError, StoreDamaged):
        if drafts.draft_digest(read_own(path)[0]) == digest:
            path.unlink()
