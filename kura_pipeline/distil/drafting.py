"""Step `drafts`: novelty, compose, floor, sign, stage. A rejected item is a row with its reason; only outages raise."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from kura_pipeline.distil.abreast import abreast
from kura_pipeline.distil.dates import claimed_at, stamp_of
from kura_pipeline.distil.editor import Brief, Composed, Editor, Novelty
from kura_pipeline.distil.form import refusals_of
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.gating import Gated
from kura_pipeline.distil.novelty import compare_batch
from kura_pipeline.distil.seeds import confirm
from kura_runtime.domain.candidate import CandidateVerdict, Refusal
from kura_runtime.domain.draft import Draft, Surface
from kura_runtime.domain.evidence import Batch, EvidenceClass, Quote
from kura_runtime.domain.manifest import Manifest
from kura_runtime.domain.memory import Memory
from kura_runtime.domain.slug import SLUG_MAX
from kura_runtime.errors import ModelUnavailable
from kura_runtime.gate.sign import GATE_VERSION
from kura_runtime.store.drafts import read_staged

_UNWRITTEN = {
    "no-answer": "the scribe gave no answer",
    "unreadable": "the answer was no JSON object",
    "declined": "the answer was prose, not JSON",
    "wrong-shape": "the JSON object lacked a needed field (title, trigger and body; or heading and body)",
}


class DraftStore(Protocol):
    """What drafting needs of a store."""

    @property
    def name(self) -> str: ...

    def write_manifest(self, manifest: Manifest) -> str: ...

    def stage(self, draft: Draft) -> Path: ...

    def drafts(self) -> Sequence[Any]: ...

    def discard(self, digest: str, reason: str) -> bool: ...

    def add_dropped(self, dropped: Iterable[Mapping[str, Any]]) -> int: ...

    def seeds(self) -> list[dict[str, Any]]: ...

    def add_sprouts(self, sprouts: Iterable[Mapping[str, Any]]) -> int: ...


@dataclass(frozen=True, slots=True)
class DraftRow:
    """What became of one kept candidate.

    `reason` is "" for staged and covered; `neighbour` the memory that novelty named. `refusals` are those of the last
    try, `first_refusals` those that sent it back to the scribe. `surface` is the text in question, also of a dropped
    one, so that a person can read what fell. `draft` is the signed draft and `digest` that of its file. `recurring` says
    that the human came back, in `session`, to what the store holds already; a covered item then has the `manifest` of its
    evidence, and the `callsigns` and `quotes` by which the human named the thing.
    """

    n: int
    topic: str
    outcome: Literal["staged", "covered", "dropped"]
    reason: str = ""
    novelty: str = "NEW"
    neighbour: str = ""
    note: str = ""
    retried: bool = False
    recurring: bool = False
    session: str = ""
    manifest: str = ""
    callsigns: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    first_refusals: tuple[Refusal, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    surface: Surface | None = None
    draft: Draft | None = None
    digest: str = ""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftResult:
    """All rows of a batch, how many older drafts of the same batch a refresh replaced, and what was compared how: novelty
    (see `Compared.counts`) and seeds (see `Sprouts.counts`)."""

    batch_id: str
    drafted: tuple[DraftRow, ...]
    replaced: int = 0
    compared: dict[str, int] = field(default_factory=dict)

    def rows(self) -> list[DraftRow]:
        """One row a kept candidate."""
        return list(self.drafted)

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """The staged drafts."""
        return tuple(r.draft for r in self.drafted if r.draft is not None)

    @property
    def reasons(self) -> dict[str, int]:
        """Drop reason → number."""
        return dict(Counter(r.reason for r in self.drafted if r.outcome == "dropped").most_common())

    @property
    def counts(self) -> dict[str, int]:
        """Numbers for metadata."""
        staged = [r for r in self.drafted if r.outcome == "staged"]
        counts = {
            "staged": len(staged),
            "new": sum(r.novelty == "NEW" for r in staged),
            "extends": sum(r.novelty == "EXTENDS" for r in staged),
            "conflicts": sum(r.novelty == "CONFLICTS" for r in staged),
            "covered": sum(r.outcome == "covered" for r in self.drafted),
            "recurring": sum(r.recurring for r in self.drafted),
            "dropped": sum(r.outcome == "dropped" for r in self.drafted),
            "retries": sum(r.retried for r in self.drafted),
            "floor_rejections": sum(bool(r.first_refusals) for r in self.drafted),
            "novelty_unread": sum(bool(r.note) for r in self.drafted),
            "drafts_replaced": self.replaced,
            **self.compared,
        }
        return counts | {f"dropped_{reason}": n for reason, n in sorted(self.reasons.items())}


def draft_batch(
    batch: Batch,
    gated: Sequence[Gated],
    store: DraftStore,
    editor: Editor,
    brief: Brief,
    frozen: Frozen,
    *,
    slots: int = 1,
) -> DraftResult:
    """Write what the gate kept (`gated` may hold the rest too) and stage it, signed. `slots` calls go side by side; the
    result does not depend on it. Raises ModelUnavailable, before anything was staged, where the scribe is out of reach
    or gave no answer to any item."""
    kept = [g for g in gated if g.verdict.verdict == "keep"]
    near = [frozen.neighbours(query_of(g.verdict)) for g in kept]
    pairs = [(g.verdict, shown) for g, shown in zip(kept, near, strict=True)]
    compared = compare_batch(pairs, editor, brief, frozen, slots=slots)
    items = list(zip(kept, near, compared.novelties, strict=True))
    written = list(abreast(lambda item: _write(*item, editor, brief, frozen), items, slots))
    tried = [w for w in written if w.outcome != "covered"]
    if tried and all(w.reason == "no-answer" for w in tried):
        raise ModelUnavailable(
            "scribe", "empty", f"no answer to any of {len(tried)} items of {batch.batch_id}"
        )
    waiting = [s for s in store.seeds() if s.get("state") != "sprouted"]
    sprouts = confirm(kept, waiting, editor, brief, frozen)
    rows = _stage(batch, kept, written, store, editor, frozen)
    frozen.save()
    store.add_sprouts(_sprouted(batch.batch_id, rows, sprouts.of))
    store.add_dropped(_fallen(batch.batch_id, gated, rows))
    digests = {r.digest for r in rows}
    replaced = 0
    for old in store.drafts():
        if old.draft.batch_id == batch.batch_id and old.digest not in digests:
            replaced += store.discard(old.digest, "replaced: the batch was distilled anew")
    return DraftResult(batch.batch_id, tuple(rows), replaced, {**compared.counts, **sprouts.counts})


# -- one item ----------------------------------------------------------------------------------------------------------


def _write(
    item: Gated, near: Sequence[Memory], novelty: Novelty, editor: Editor, brief: Brief, frozen: Frozen
) -> DraftRow:
    """Compose, floor, and one retry; nothing is staged yet."""
    verdict = item.verdict
    brief = replace(brief, slugs=frozenset(m.slug for m in near))
    named = next((m for m in near if m.slug == novelty.slug), None)
    if named is None and novelty.kind != "NEW":
        novelty = Novelty("NEW", calls=novelty.calls, note="unshown")
    row = DraftRow(
        n=item.n,
        topic=verdict.candidate.topic,
        outcome="covered",
        novelty=novelty.kind,
        neighbour=novelty.slug,
        note=novelty.note,
        calls=(*item.calls, *novelty.calls),
    )
    if novelty.kind == "COVERED":
        spoken = next((q for q in verdict.quotes if q.cls is EvidenceClass.USER), None)
        return row if spoken is None else replace(row, recurring=True, session=spoken.session)
    extends = named if novelty.kind == "EXTENDS" else None
    return compose(row, verdict, editor, brief, frozen.links, near, extends)


def compose(
    row: DraftRow,
    verdict: CandidateVerdict,
    editor: Editor,
    brief: Brief,
    links: Container[str],
    near: Sequence[Memory],
    extends: Memory | None,
) -> DraftRow:
    """Let the editor write, hold it against form and floor, and give it one second chance with the refusals. `row` comes
    back `staged` (nothing is written anywhere yet) or `dropped` with its reason. `links` are the slugs that may be linked."""
    composed = editor.compose(verdict, brief, extends=extends, neighbours=near)
    refusals = _refusals(composed, verdict, brief, links, extends)
    calls = (*row.calls, *composed.calls)
    first: tuple[Refusal, ...] = ()
    if refusals:
        first, before = refusals, composed.surface
        composed = editor.compose(
            verdict, brief, refusals=first, before=before, extends=extends, neighbours=near
        )
        calls = (*calls, *composed.calls)
        refusals = _refusals(composed, verdict, brief, links, extends)
    row = replace(
        row,
        calls=tuple(dict.fromkeys(calls)),
        retried=bool(first),
        first_refusals=first,
        refusals=refusals,
        surface=composed.surface,
    )
    if refusals:
        return replace(row, outcome="dropped", reason=composed.reason or refusals[0].reason)
    return replace(row, outcome="staged")


def _refusals(
    composed: Composed, verdict: CandidateVerdict, brief: Brief, links: Container[str], extends: Memory | None
) -> tuple[Refusal, ...]:
    if composed.surface is None:
        reason = composed.reason or "unreadable"
        return (Refusal("form", reason, note=_UNWRITTEN.get(reason, reason)),)
    return refusals_of(
        composed.surface,
        verdict.quotes,
        brief,
        links=links,
        stamp=stamp_of(verdict),
        extends=extends.slug if extends else None,
        judgement=verdict.judgement,
    )


def query_of(verdict: CandidateVerdict) -> str:
    """What the neighbours of a candidate are looked for with."""
    return "\n".join((verdict.candidate.topic, *(q.text for q in verdict.quotes)))


# -- staging -----------------------------------------------------------------------------------------------------------


def _stage(
    batch: Batch,
    kept: Sequence[Gated],
    written: Sequence[DraftRow],
    store: DraftStore,
    editor: Editor,
    frozen: Frozen,
) -> list[DraftRow]:
    taken: set[str] = set()
    rows: list[DraftRow] = []
    for item, row in zip(kept, written, strict=True):
        if row.outcome == "covered" and row.recurring:
            # what it leaves on the memory is no less provable than the memory itself
            manifest = store.write_manifest(_manifest(batch, item.verdict, row, store, editor))
            names, spoken = item.verdict.callsigns_kept, item.verdict.quotes
            rows.append(replace(row, manifest=manifest, callsigns=names, quotes=spoken))
            continue
        if row.outcome != "staged" or row.surface is None:
            rows.append(row)
            continue
        surface = row.surface
        if row.novelty != "EXTENDS":
            surface = replace(surface, slug=_free(surface.slug, taken, frozen))
            taken.add(surface.slug)
        draft = Draft(
            surface=surface,
            kind=item.verdict.candidate.kind,
            batch_id=batch.batch_id,
            manifest=store.write_manifest(_manifest(batch, item.verdict, row, store, editor)),
            stamp=stamp_of(item.verdict) or claimed_at(batch.batch_id)[:10],
            editor=editor.name,
            quotes=item.verdict.quotes,
            tags=tuple(tag for tag, _ in item.verdict.tags_kept),
            callsigns=item.verdict.callsigns_kept,
            extends=row.neighbour if row.novelty == "EXTENDS" else None,
            conflicts=row.neighbour if row.novelty == "CONFLICTS" else None,
            judgement=item.verdict.judgement,
        )
        staged = read_staged(store.stage(draft))
        rows.append(replace(row, surface=surface, draft=staged.draft, digest=staged.digest))
    return rows


def _fallen(batch_id: str, gated: Sequence[Gated], rows: Sequence[DraftRow]) -> list[dict[str, Any]]:
    """What the gate and the floor refused, for the store's list of the dropped: the same rows on a rerun."""
    fallen: list[dict[str, Any]] = [
        {
            "stage": "gate",
            "batch": batch_id,
            "reason": g.verdict.reason,
            "topic": g.verdict.candidate.topic,
            "refusals": [asdict(r) for r in g.verdict.refusals],
        }
        for g in gated
        if g.verdict.verdict == "drop"
    ]
    for row in rows:
        if row.outcome == "dropped":
            fallen.append(
                {
                    "stage": "floor",
                    "batch": batch_id,
                    "reason": row.reason,
                    "topic": row.topic,
                    "refusals": [asdict(r) for r in row.refusals],
                    "surface": asdict(row.surface) if row.surface else None,
                }
            )
    return fallen


def _sprouted(
    batch_id: str, rows: Sequence[DraftRow], of: Mapping[int, Sequence[str]]
) -> list[dict[str, Any]]:
    """Which draft, or memory that covers the item, confirms which seed. What fell at the floor confirms nothing."""
    found: list[dict[str, Any]] = []
    for place, seeds in sorted(of.items()):
        row = rows[place]
        target = {"draft": row.digest} if row.digest else {"memory": row.neighbour}
        if row.outcome != "dropped":
            found += [{"seed": seed, **target, "batch": batch_id, "topic": row.topic} for seed in seeds]
    return found


def _free(slug: str, taken: set[str], frozen: Frozen) -> str:
    """The slug, or the first of `slug-b`, `slug-c` … that neither the batch nor the store has. Letters, because a digit
    in a slug would be a number without evidence."""
    if slug not in taken and not frozen.holds(slug):
        return slug
    head, _, name = slug.rpartition("/")
    for letter in _suffixes():
        shorter = f"{name[: SLUG_MAX - 1 - len(letter)].rstrip('-')}-{letter}"
        candidate = f"{head}/{shorter}" if head else shorter
        if candidate not in taken and not frozen.holds(candidate):
            return candidate
    raise AssertionError("unreachable: the suffixes never end")


def _suffixes() -> Iterable[str]:
    alphabet = "bcdefghijklmnopqrstuvwxyz"
    yield from alphabet
    for letter in _suffixes():
        yield from (letter + last for last in alphabet)


def _manifest(
    batch: Batch, verdict: CandidateVerdict, row: DraftRow, store: DraftStore, editor: Editor
) -> Manifest:
    return Manifest(
        gate_version=GATE_VERSION,
        store=store.name,
        batch_id=batch.batch_id,
        sources=sources_of(batch),
        quotes=verdict.quotes,
        tags=verdict.tags_kept,
        refusals=(*verdict.refusals, *row.first_refusals),
        models=editor.models(),
        prompts={"editor": f"{editor.name} {editor.version}", **editor.prompts()},
        calls=row.calls,
        created_at=claimed_at(batch.batch_id),
        judgement=verdict.judgement,
    )


def sources_of(batch: Batch) -> dict[str, str]:
    """Journal key → sha256 (hex) over the ids and texts of the events read from it, in order."""
    sums: dict[str, Any] = {}
    for event in batch.events:
        line = f"{event.event_id}\x00{event.text}\x00"
        sums.setdefault(event.journal_key, hashlib.sha256()).update(line.encode("utf-8", "surrogatepass"))
    return {key: sums[key].hexdigest() for key in sorted(sums)}
