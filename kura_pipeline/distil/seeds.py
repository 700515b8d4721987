"""Ideas. They are welcome, and they wait beside the store with their evidence: never in it.

A seed is confirmed where another session gives what it lacked: an item of its own that the gate kept. The editor may say
which seed an item confirms; whether it does is decided here, by the item's own quotes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kura_pipeline.distil.dates import claimed_at
from kura_pipeline.distil.editor import Brief, ConfirmsSeeds, Editor, SeedQuestion
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.gating import Gated
from kura_pipeline.distil.neighbours import Nearest
from kura_runtime.domain.candidate import CandidateVerdict
from kura_runtime.domain.evidence import EvidenceClass
from kura_runtime.domain.memory import Memory
from kura_runtime.models.failures import ModelFailure

SEEDS_NEAR = 2  # seeds one item is compared with
_SHOWN_MOST = 16  # items in one call


@dataclass(frozen=True, slots=True)
class Sprouts:
    """Item place → ids of the seeds it confirms. `counts`: pairs shown (`sprout_asked`), confirmed (`sprouted`), said but not
    shown (`sprout_stray`), and calls without an answer (`sprout_unanswered`)."""

    of: dict[int, tuple[str, ...]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


def seeds_of(batch_id: str, gated: Sequence[Gated]) -> list[dict[str, Any]]:
    """The seeds among the verdicts, as plain rows. `id` is the same on a rerun, so a seed is never kept twice; `at` is the
    claim's time."""
    rows: list[dict[str, Any]] = []
    for item in gated:
        if item.verdict.verdict != "seed":
            continue
        candidate, quotes = item.verdict.candidate, item.verdict.quotes
        essence = "\x00".join((batch_id, candidate.topic, *(q.event_id + q.text for q in quotes)))
        rows.append(
            {
                "id": hashlib.sha256(essence.encode("utf-8", "surrogatepass")).hexdigest()[:16],
                "batch": batch_id,
                "at": claimed_at(batch_id),
                "topic": candidate.topic,
                "why": candidate.why,
                "quotes": [
                    {
                        "class": q.cls.value,
                        "text": q.text,
                        "event": q.event_id,
                        "session": q.session,
                        "ts": q.ts,
                    }
                    for q in quotes
                ],
            }
        )
    return rows


def against_confirming(seed: Mapping[str, Any], verdict: CandidateVerdict) -> str:
    """Why an item cannot confirm a seed, or "". It must be kept by the gate and no idea itself; what confirms must be new to
    the store, more than the agent's prose, and from a session other than those the seed came from, which must be known."""
    if verdict.verdict != "keep":
        return "the item itself was not kept"
    if verdict.judgement:
        return "only the agent's own prose stands behind the item"
    sessions = {str(q.get("session", "")) for q in seed.get("quotes", ()) if isinstance(q, Mapping)}
    if not sessions or "" in sessions:
        return "nobody knows which session the seed came from"
    fresh = [q for q in verdict.quotes if not q.repeats and q.cls is not EvidenceClass.SELF]
    if not fresh:
        return "nothing in the item is new"
    if not any(q.session and q.session not in sessions for q in fresh):
        return "the same session cannot confirm itself"
    return ""


def confirm(
    kept: Sequence[Gated], waiting: Sequence[Mapping[str, Any]], editor: Editor, brief: Brief, frozen: Frozen
) -> Sprouts:
    """Which of the waiting seeds the kept items confirm. The seeds are frozen with the batch; no call where no item is near
    to any seed that it could confirm. Raises ModelUnavailable in an outage."""
    if not isinstance(editor, ConfirmsSeeds):
        return Sprouts()

    def near_now() -> list[dict[str, Any]]:
        others = {str(s["id"]): s for s in waiting if s.get("id") and s.get("batch") != frozen.batch_id}
        near = {str(s["id"]): dict(s) for q in _questions(kept, others) for s in q.seeds}
        return [near[name] for name in sorted(near)]

    asked = _questions(kept, {str(s["id"]): s for s in frozen.once("seeds", near_now)})
    if not asked:
        return Sprouts()
    counts: Counter[str] = Counter(sprout_asked=sum(len(q.seeds) for q in asked))
    try:
        said = editor.sprouts(asked, brief)
    except ModelFailure as failure:
        if failure.outage:
            raise
        counts["sprout_unanswered"] += 1
        return Sprouts({}, dict(counts))
    shown = {q.id: q for q in asked}
    found: dict[int, tuple[str, ...]] = {}
    for name, seed in said:
        question = shown.get(name)
        if question is None or seed not in {str(s["id"]) for s in question.seeds}:
            counts["sprout_stray"] += 1
        elif seed not in found.get(question.n, ()):
            found[question.n] = (*found.get(question.n, ()), seed)
            counts["sprouted"] += 1
    return Sprouts(found, dict(counts))


def _questions(kept: Sequence[Gated], seeds: Mapping[str, Mapping[str, Any]]) -> list[SeedQuestion]:
    """The items that could confirm a seed near to them; the rule comes before the question, so no answer gets round it."""
    if not seeds:
        return []
    near = Nearest(
        [Memory(slug=name, title=str(s.get("topic", "")), trigger=_words(s)) for name, s in seeds.items()]
    )
    asked: list[SeedQuestion] = []
    for n, item in enumerate(kept):
        text = "\n".join((item.verdict.candidate.topic, *(q.text for q in item.verdict.quotes)))
        could = [seeds[m.slug] for m in near.of(text, SEEDS_NEAR)]
        could = [s for s in could if not against_confirming(s, item.verdict)]
        if could:
            name = hashlib.sha256(f"{n}\x00{text}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
            asked.append(SeedQuestion(name, n, item.verdict, tuple(could)))
    return asked[:_SHOWN_MOST]


def _words(seed: Mapping[str, Any]) -> str:
    quotes = (str(q.get("text", "")) for q in seed.get("quotes", ()) if isinstance(q, Mapping))
    return "\n".join((str(seed.get("why", "")), *quotes))
