"""How the kept items of a batch stand to what the store holds: all of them in one call where the editor can, one by one
where that call failed or left one out, and without any call where nothing is near."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kura_pipeline.distil.abreast import abreast
from kura_pipeline.distil.editor import Brief, ComparesTogether, Editor, Novelty, Question
from kura_pipeline.distil.frozen import Frozen
from kura_runtime.domain.candidate import CandidateVerdict
from kura_runtime.domain.memory import Memory
from kura_runtime.models.failures import ModelFailure


@dataclass(frozen=True, slots=True)
class Compared:
    """One novelty an item, in order. `counts`: items that cost no call because nothing was near (`novelty_skipped`), that
    were answered together (`novelty_together`) or alone (`novelty_alone`), that an answer for several left out or told
    wrong (`novelty_left_out`), and calls for several that failed (`novelty_calls_failed`)."""

    novelties: tuple[Novelty, ...]
    counts: dict[str, int] = field(default_factory=dict)


def compare_batch(
    items: Sequence[tuple[CandidateVerdict, Sequence[Memory]]],
    editor: Editor,
    brief: Brief,
    frozen: Frozen,
    *,
    slots: int = 1,
) -> Compared:
    """The novelty of every item against the neighbours it was given. Raises ModelUnavailable only where an item asked
    about by itself found no model: a call for several that fails is an outage of nothing but itself."""
    counts: Counter[str] = Counter()
    found: dict[int, Novelty] = {}
    questions: list[Question] = []
    for n, (verdict, near) in enumerate(items):
        if near:
            questions.append(Question(question_id(verdict, near), n, verdict, tuple(near)))
        else:
            counts["novelty_skipped"] += 1
            found[n] = Novelty("NEW")
    if isinstance(editor, ComparesTogether):
        for group in _groups(questions, editor, brief):
            found.update(_together(group, editor, brief, frozen, counts))
    alone = [q for q in questions if q.n not in found]
    answers = abreast(lambda q: editor.novelty(q.verdict, q.neighbours, _shown(brief, q)), alone, slots)
    found.update((q.n, answer) for q, answer in zip(alone, answers, strict=True))
    counts["novelty_alone"] += len(alone)
    return Compared(tuple(found[n] for n in range(len(items))), dict(counts))


def question_id(verdict: CandidateVerdict, near: Sequence[Memory]) -> str:
    """What an answer names an item by: a hash of the item itself, so that no text of another item can claim it."""
    parts = (
        verdict.candidate.topic,
        *(f"{q.event_id} {q.text}" for q in verdict.quotes),
        *(m.slug for m in near),
    )
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _groups(
    questions: Sequence[Question], editor: ComparesTogether, brief: Brief
) -> list[Sequence[Question]]:
    """Runs of questions that fit into one call each. Two items that say the same stand in different runs: an answer could
    not tell them apart."""
    left = list(questions)
    groups: list[Sequence[Question]] = []
    while left:
        distinct: list[Question] = []
        for q in left:
            if q.id in {d.id for d in distinct}:
                break
            distinct.append(q)
        group = distinct[: max(1, editor.fitting(distinct, brief))]
        groups.append(group)
        left = left[len(group) :]
    return groups


def _together(
    group: Sequence[Question],
    editor: ComparesTogether,
    brief: Brief,
    frozen: Frozen,
    counts: Counter[str],
) -> dict[int, Novelty]:
    """The answers of one call, by the items' places; {} leaves every item to a call of its own."""
    name = "novelty " + " ".join(q.id for q in group)
    if len(group) < 2 or frozen.apart(name):
        return {}
    try:
        answered = editor.novelties(group, brief)
    except ModelFailure:
        # Whatever it was, it says nothing about the items. A rerun must ask as this run did, so that is kept, but not
        # before a question by itself was answered: where no model is there, the next run may ask them together again.
        counts["novelty_calls_failed"] += 1
        first = group[0]
        alone = editor.novelty(first.verdict, first.neighbours, _shown(brief, first))
        frozen.set_apart(name)
        counts["novelty_alone"] += 1
        return {first.n: alone}
    found = {q.n: novelty for q, novelty in zip(group, answered, strict=True) if novelty is not None}
    counts["novelty_together"] += len(found)
    counts["novelty_left_out"] += len(group) - len(found)
    return found


def _shown(brief: Brief, question: Question) -> Brief:
    return replace(brief, slugs=frozenset(m.slug for m in question.neighbours))
