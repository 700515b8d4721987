"""The learned profile: how the human wants things done, drafted from memories that the human's own words stand behind.

A draft is only a draft: a person reads it and applies it. A line is kept where it names the memories it stands on and passes the
floor against their USER quotes; it is refused where it says more than they do. The same store gives the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kura_pipeline.distil import answers
from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.lines import line_refusals
from kura_pipeline.distil.llm import Role
from kura_pipeline.distil.prompting import boxed, fill, messages
from kura_pipeline.distil.tasks import task as task_of
from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.domain.memory import Memory
from kura_runtime.models.failures import ModelFailure
from kura_runtime.models.salvage import objects_of
from kura_runtime.store.proposals import quotes_behind
from kura_runtime.store.store import Store

LINES_MOST, LINE_CHARS = 24, 160
_TYPES, _TAG = ("user", "feedback"), "preference"
_SHOWN_MOST = 40  # memories in one call
HEAD = "# How the human works (learned, applied by a person)\n"


@dataclass(frozen=True, slots=True)
class Standing:
    """A memory that may stand behind a line, and the human's own words in its evidence."""

    memory: Memory
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class ProfileDraft:
    """`text` is what `apply` would write. `lines` are (line, slugs); `refused` those that fell, with the first reason."""

    text: str
    lines: tuple[tuple[str, tuple[str, ...]], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


def standing(store: Store) -> tuple[tuple[Standing, ...], dict[str, int]]:
    """The memories a profile may be drafted from, by slug, and how many were left out, by reason: only active memories about
    the human or the way of working, distilled, with the human's own words behind them."""
    found: list[Standing] = []
    left: Counter[str] = Counter()
    for memory in sorted(store.memories(), key=lambda m: m.slug):
        if memory.type not in _TYPES and _TAG not in memory.tags:
            continue
        spoken = tuple(q for q in quotes_behind(store, memory) if q.cls is EvidenceClass.USER)
        if memory.state != "active":
            left[f"state-{memory.state}"] += 1
        elif memory.provenance != "distilled" or not spoken:
            left["no-user-evidence"] += 1
        else:
            found.append(Standing(memory, spoken))
    return tuple(found), dict(left)


def draft_profile(store: Store, scribe: Role | None, brief: Brief) -> ProfileDraft:
    """Draft the profile; without a scribe every line is the human's own words. Raises ModelUnavailable in an outage."""
    on, left = standing(store)
    lines: list[tuple[str, tuple[str, ...]]] = []
    refused: list[tuple[str, str]] = []
    for at in range(0, len(on), _SHOWN_MOST):
        part = on[at : at + _SHOWN_MOST]
        good, fell = _verbatim(part, brief) if scribe is None else _asked(part, scribe, brief)
        lines += good
        refused += fell
    lines = sorted(dict.fromkeys(lines), key=lambda one: (one[1], one[0]))[:LINES_MOST]
    body = "".join(f"- {line} ({', '.join(f'[[{s}]]' for s in slugs)})\n" for line, slugs in lines)
    counts = {"memories": len(on), "lines": len(lines), "refused": len(refused), **left}
    return ProfileDraft(f"{HEAD}\n{body}" if lines else "", tuple(lines), tuple(refused), counts)


Lines = list[tuple[str, tuple[str, ...]]]
Fallen = list[tuple[str, str]]


def _asked(on: Sequence[Standing], scribe: Role, brief: Brief) -> tuple[Lines, Fallen]:
    """Ask, hold every line against the floor, and give the fallen ones one second chance."""
    shown = boxed("memory", *(_shown(s) for s in on))
    by_slug = {s.memory.slug: s for s in on}
    good: Lines = []
    fallen: list[tuple[str, Refusal]] = []
    again = ""
    for _ in range(2):
        task = fill("profile", most=str(LINES_MOST), memories=shown, again=again)
        try:
            answer = scribe.ask(messages(brief, task), task=task_of("profile"))
        except ModelFailure as failure:
            if failure.outage:
                raise
            return good, [*((line, r.reason) for line, r in fallen), ("", f"no answer ({failure.kind})")]
        fallen = []
        for line, slugs in answers.lines_of(objects_of(answer.text).objects):
            refusal = _against(line, slugs, by_slug, brief)
            if refusal is None:
                good.append((line, tuple(sorted(slugs))))
            else:
                fallen.append((line, refusal))
        if not fallen:
            break
        told = "\n".join(f"- {boxed('line', line)} {r.reason} {r.token}: {r.note}" for line, r in fallen)
        again = f"\nThese lines were refused; write them without that, or leave them out:\n{told}\n"
    return good, [(line, r.reason) for line, r in fallen]


def _against(line: str, slugs: Sequence[str], by_slug: dict[str, Standing], brief: Brief) -> Refusal | None:
    stray = [s for s in slugs if s not in by_slug]
    if stray or not slugs:
        return Refusal("profile", "unshown", ", ".join(stray), note="it names no memory that was shown")
    on = [by_slug[s] for s in slugs]
    quotes = [q for s in on for q in s.quotes]
    texts = [t for s in on for t in (s.memory.title, s.memory.trigger, s.memory.summary)]
    refusals = line_refusals(line, quotes, texts, brief, links=frozenset(slugs), most=LINE_CHARS)
    if refusals:
        return refusals[0]
    alone = [s for s in on if not _shares(line, s)]
    if alone:
        return Refusal(
            "profile", "unrelated", alone[0].memory.slug, note="the line says nothing of this memory"
        )
    return None


def _shares(line: str, on: Standing) -> bool:
    """Does a line have anything of the human's own words behind this memory?"""
    from kura_runtime.text.grams import cosine, grams

    return (
        max(cosine(grams(line), grams(q.text)) for q in on.quotes) >= 0.15
        or cosine(grams(line), grams(f"{on.memory.title} {on.memory.trigger}")) >= 0.3
    )


def _verbatim(on: Sequence[Standing], brief: Brief) -> tuple[Lines, Fallen]:
    good: Lines = []
    fallen: Fallen = []
    for one in on:
        quote = min(one.quotes, key=lambda q: (len(q.text) > LINE_CHARS - 2, q.ts or "", q.text))
        line = f"“{' '.join(quote.text.split())}”"
        refusal = _against(line, [one.memory.slug], {one.memory.slug: one}, brief)
        if refusal is None:
            good.append((line, (one.memory.slug,)))
        else:
            fallen.append((line, refusal.reason))
    return good, fallen


def _shown(one: Standing) -> str:
    m = one.memory
    quotes = [f"[USER] {q.text}" for q in one.quotes]
    return "\n".join(
        (f"slug: {m.slug}", f"title: {m.title}", f"trigger: {m.trigger}", m.summary[:600], *quotes)
    )
