"""The re-check of drafts, from nothing but the drafts and the stored evidence (asset check `gate_holds`)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Protocol

from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.form import refusals_of
from kura_runtime.domain.candidate import ProposedQuote, Refusal
from kura_runtime.domain.draft import Draft
from kura_runtime.domain.evidence import Batch, Quote
from kura_runtime.store.drafts import mark_holds
from kura_runtime.text.quotes import BatchIndex


class HasGateKey(Protocol):
    """A store, as far as its key is concerned."""

    def gate_key(self) -> bytes: ...


def verify_drafts(
    drafts: Sequence[Draft],
    batch: Batch,
    brief: Brief,
    *,
    links: Container[str],
    store: HasGateKey | None = None,
) -> list[Refusal]:
    """Everything that does not hold, with the draft's slug at the head of each note; [] where all of it does.

    Every quote is looked for again in the events it names, the floor is run again, and the mark is checked again
    (without `store` only that it is there). A finding is a broken invariant, not an opinion about a draft.
    """
    index = BatchIndex(batch.events)
    found: list[Refusal] = []
    for draft in drafts:
        own: list[Refusal] = []
        if draft.batch_id != batch.batch_id:
            own.append(
                Refusal("gate", "other-batch", token=draft.batch_id, note="the draft is of another batch")
            )
        if not draft.quotes:
            own.append(Refusal("G2", "not-found", note="no surviving quote"))
        own.extend(r for q in draft.quotes if (r := _quote(q, index)) is not None)
        own.extend(
            refusals_of(
                draft.surface,
                draft.quotes,
                brief,
                links=links,
                stamp=draft.stamp,
                extends=draft.extends,
                judgement=draft.judgement,
            )
        )
        if not draft.mark or (store is not None and not mark_holds(store.gate_key(), draft)):
            own.append(
                Refusal("gate", "mark", token=draft.mark[:16], note="the gate's mark is missing or wrong")
            )
        slug = draft.extends or draft.surface.slug
        found.extend(
            Refusal(r.rule, r.reason, r.token, r.place, f"{slug}: {r.note}".rstrip(": ")) for r in own
        )
    return found


def _quote(quote: Quote, index: BatchIndex) -> Refusal | None:
    """A surviving quote resolves to itself: same words, same class, same event."""
    again = index.resolve(ProposedQuote(quote.cls, quote.text))
    if isinstance(again, Refusal):
        return again
    if again.cls is not quote.cls:
        return Refusal(
            "G1", "class", token=quote.text[:80], note=f"stands as {again.cls.value} in the evidence"
        )
    if (again.event_id, again.byte_start, again.byte_end) != (
        quote.event_id,
        quote.byte_start,
        quote.byte_end,
    ):
        return Refusal("G1", "span", token=quote.text[:80], note=f"stands in event {again.event_id}")
    return None
