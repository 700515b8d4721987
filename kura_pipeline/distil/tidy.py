"""Tidying the index: lines that say too little or too much are written anew by the scribe, behind the floor.

Only lines of distilled memories are touched, for only those have evidence to hold a line against; what a person wrote is a
person's. A line that is refused twice stays as it is, with the reason.
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
from kura_runtime.domain.evidence import Quote
from kura_runtime.domain.memory import TRIGGER_MAX, Memory
from kura_runtime.errors import WriteRefused
from kura_runtime.models.failures import ModelFailure
from kura_runtime.models.salvage import objects_of
from kura_runtime.store.proposals import quotes_behind
from kura_runtime.store.retrigger import retrigger
from kura_runtime.store.store import Store
from kura_runtime.text.normalise import fold

_SHOWN_MOST = 12
LONG = 160  # characters beyond which a line is no longer read at a glance


@dataclass(frozen=True, slots=True)
class Untidy:
    """A memory whose line needs repair, and what is wrong with it."""

    memory: Memory
    fault: str


@dataclass(frozen=True, slots=True)
class Tidied:
    """`lines` are (slug, old line, new line), `refused` (slug, line, reason). `counts` has what was found and left alone."""

    lines: tuple[tuple[str, str, str], ...] = ()
    refused: tuple[tuple[str, str, str], ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


def untidy(store: Store) -> tuple[tuple[Untidy, ...], dict[str, int]]:
    """The lines that need repair, by slug, and how many were left alone, by reason. No model."""
    memories = sorted((m for m in store.memories() if m.state == "active"), key=lambda m: m.slug)
    same = Counter(fold(m.trigger).casefold() for m in memories if m.trigger.strip())
    found: list[Untidy] = []
    left: Counter[str] = Counter()
    for memory in memories:
        fault = _fault(memory, same)
        if not fault:
            continue
        if memory.provenance != "distilled" or not memory.evidence_manifest:
            left["left_no_evidence"] += 1
        elif any(line.strip() == "judgement: true" for line in memory.extra):
            left["left_judgement"] += 1
        else:
            found.append(Untidy(memory, fault))
    return tuple(found), dict(left)


def _fault(memory: Memory, same: Counter[str]) -> str:
    line = fold(memory.trigger).casefold()
    if not line:
        return "there is no line"
    if line in (fold(memory.title).casefold(), memory.slug.replace("-", " ")):
        return "the line only repeats the title"
    if same[line] > 1:
        return "another memory has the same line"
    if len(memory.trigger) > LONG:
        return f"the line has {len(memory.trigger)} characters; it is read at a glance"
    return ""


def tidy(store: Store, scribe: Role, brief: Brief, *, dry: bool = False) -> Tidied:
    """Repair the lines that need it; with `dry` only say which lines would change. Raises ModelUnavailable in an outage (what
    was repaired until then stays), WriteRefused on a frozen store, before any call."""
    if store.policy == "frozen":
        raise WriteRefused(store.policy, f'the store "{store.name}" is frozen; its lines stay as they are')
    found, left = untidy(store)
    lines: list[tuple[str, str, str]] = []
    refused: list[tuple[str, str, str]] = []
    for at in range(0, len(found), _SHOWN_MOST):
        good, fallen = _repaired(found[at : at + _SHOWN_MOST], store, scribe, brief)
        refused += fallen
        for memory, line in good:
            if not dry:
                retrigger(store, memory.slug, line, was=memory.trigger, reason="tidied by the scribe")
            lines.append((memory.slug, memory.trigger, line))
    counts = {"untidy": len(found), "tidied": len(lines), "refused": len(refused), **left}
    return Tidied(tuple(lines), tuple(refused), counts)


def _repaired(
    part: Sequence[Untidy], store: Store, scribe: Role, brief: Brief
) -> tuple[list[tuple[Memory, str]], list[tuple[str, str, str]]]:
    evidence = {u.memory.slug: quotes_behind(store, u.memory) for u in part}
    shown = boxed("memory", *(_shown(u, evidence[u.memory.slug]) for u in part))
    left = {u.memory.slug: u.memory for u in part}
    good: list[tuple[Memory, str]] = []
    fallen: dict[str, tuple[str, Refusal]] = {}
    again = ""
    for _ in range(2):
        try:
            answer = scribe.ask(
                messages(brief, fill("tidy", memories=shown, again=again)), task=task_of("tidy")
            )
        except ModelFailure as failure:
            if failure.outage:
                raise
            break
        said = answers.line_by_slug(objects_of(answer.text).objects, list(left))
        fallen = {}
        for slug, line in sorted(said.items()):
            refusals = _against(left[slug], line, evidence[slug], store, brief)
            if refusals:
                fallen[slug] = (line, refusals[0])
            else:
                good.append((left.pop(slug), line))
        if not fallen:
            break
        told = "\n".join(
            f"- {slug}: {boxed('line', line)} {r.reason} {r.token}: {r.note}"
            for slug, (line, r) in fallen.items()
        )
        again = f"\nThese lines were refused; write them without that, or leave them out:\n{told}\n"
    return good, [(slug, line, r.reason) for slug, (line, r) in fallen.items()]


def _against(
    memory: Memory, line: str, quotes: Sequence[Quote], store: Store, brief: Brief
) -> tuple[Refusal, ...]:
    others = {fold(m.trigger).casefold() for m in store.memories() if m.slug != memory.slug}
    if fold(line).casefold() in others or fold(line).casefold() == fold(memory.trigger).casefold():
        return (Refusal("line", "same", place="trigger", note="it is the line of a memory already"),)
    texts = (memory.title, memory.summary)
    old = memory.trigger if memory.trigger.strip() else memory.summary
    return line_refusals(
        line, quotes, texts, brief, links=store.slugs(), old=old, most=min(LONG, TRIGGER_MAX)
    )


def _shown(one: Untidy, quotes: Sequence[Quote]) -> str:
    m = one.memory
    said = [f"[{q.cls.value}] {q.text}" for q in quotes[:8]]
    return "\n".join(
        (
            f"slug: {m.slug}",
            f"title: {m.title}",
            f"line: {m.trigger}",
            f"wrong: {one.fault}",
            m.summary[:600],
            *said,
        )
    )
