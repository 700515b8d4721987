"""Shorter cues for the resident map, written by the scribe behind the floor; whatever fails is trimmed mechanically.

What was written is kept in the workshop, sealed, so that only a new or changed line is asked about. The file can be deleted.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kura_pipeline.distil import answers
from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.lines import line_refusals
from kura_pipeline.distil.llm import Role
from kura_pipeline.distil.prompting import boxed, fill, messages, prompt_version
from kura_pipeline.distil.tasks import task as task_of
from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.memory import TRIGGER_MAX, Memory
from kura_runtime.errors import ModelUnavailable, StoreDamaged
from kura_runtime.models.budget import BudgetSpent
from kura_runtime.models.salvage import objects_of
from kura_runtime.store import disk, gatekey
from kura_runtime.store.proposals import quotes_behind
from kura_runtime.store.store import Store
from kura_runtime.text.tokens import estimate

FILE = "cues.json"
_SHOWN_MOST = 12  # lines in one call
_PURPOSE = "cues"


@dataclass(frozen=True)
class Cues:
    """A `TriggerSource`. `counts`: lines longer than the budget (`cues_wanted`), cues by the scribe (`cues_written`), refused
    by the floor (`cues_refused`), and calls that got no answer (`cues_unanswered`)."""

    tokens: int
    of: dict[str, tuple[str, str]]  # slug → (digest of the line, cue)
    counts: dict[str, int] = field(default_factory=dict)
    refused: tuple[tuple[str, str, str], ...] = ()  # (slug, cue, reason)

    def cue(self, slug: str, trigger: str, tokens: int) -> str | None:
        """See `TriggerSource`: only for this very line and budget."""
        kept = self.of.get(slug)
        return kept[1] if kept and tokens == self.tokens and kept[0] == _digest(trigger) else None


def write_cues(store: Store, scribe: Role, brief: Brief, *, tokens: int, leave: Collection[str] = ()) -> Cues:
    """The cues of a store for a budget of `tokens` a line; memories whose type is in `leave` keep their line whole. Never
    raises for a model: the map is woven without it."""
    wanted = [m for m in sorted(store.memories(), key=lambda m: m.slug) if _wants(m, tokens, leave)]
    version = f"{prompt_version('trigger')} {scribe.identity} {tokens}"
    book = _load(store, version)
    counts: Counter[str] = Counter(cues_wanted=len(wanted))
    refused: list[tuple[str, str, str]] = []
    new = [m for m in wanted if book.get(m.slug, ("", ""))[0] != _digest(m.trigger)]
    for at in range(0, len(new), _SHOWN_MOST):
        part = new[at : at + _SHOWN_MOST]
        try:
            said = _ask(part, scribe, brief, tokens)
        except (ModelUnavailable, BudgetSpent):
            counts["cues_unanswered"] += len(part)
            break
        for memory in part:
            cue = said.get(memory.slug, "")
            refusals = _against(store, memory, cue, brief, tokens) if cue else ()
            if refusals:
                refused.append((memory.slug, cue, refusals[0].reason))
            # an empty cue is an answer too: this line is not asked about again
            book[memory.slug] = (_digest(memory.trigger), "" if refusals else cue)
    kept = {m.slug: book[m.slug] for m in wanted if m.slug in book}
    _save(store, version, kept)
    counts["cues_refused"] = len(refused)
    written = {slug: one for slug, one in kept.items() if one[1]}
    counts["cues_written"] = len(written)
    return Cues(tokens, written, dict(counts), tuple(refused))


def _wants(memory: Memory, tokens: int, leave: Collection[str]) -> bool:
    judged = any(line.strip() == "judgement: true" for line in memory.extra)
    return (
        memory.state == "active"
        and memory.type not in leave
        and not judged  # an opinion has to say that it is one
        and estimate(memory.trigger) > tokens
    )


def _ask(part: Sequence[Memory], scribe: Role, brief: Brief, tokens: int) -> dict[str, str]:
    shown = boxed("memory", *(f"slug: {m.slug}\ntitle: {m.title}\nline: {m.trigger}" for m in part))
    task = fill("trigger", most=str(tokens), words=str(tokens * 3 // 4), memories=shown)
    answer = scribe.ask(messages(brief, task), task=task_of("trigger"))
    return answers.line_by_slug(objects_of(answer.text).objects, [m.slug for m in part])


def _against(store: Store, memory: Memory, cue: str, brief: Brief, tokens: int) -> tuple[Refusal, ...]:
    if estimate(cue) > tokens or len(cue) >= len(memory.trigger):
        return (Refusal("line", "length", place="trigger", note=f"not within {tokens} tokens"),)
    return line_refusals(
        cue,
        quotes_behind(store, memory),
        (memory.title,),
        brief,
        links=store.slugs(),
        old=memory.trigger,
        most=TRIGGER_MAX,
    )


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _load(store: Store, version: str) -> dict[str, tuple[str, str]]:
    """What was written before, where the file is ours, whole, and of this prompt, model and budget."""
    with suppress(OSError, ValueError, KeyError, TypeError, StoreDamaged):
        kept: dict[str, Any] = json.loads(store.workshop(FILE).read_text(encoding="utf-8"))
        seal = kept.pop("seal")
        if kept["version"] == version and seal == gatekey.seal_of(store.gate_key(), _PURPOSE, kept):
            return {slug: (one[0], one[1]) for slug, one in kept["cues"].items()}
    return {}


def _save(store: Store, version: str, cues: dict[str, tuple[str, str]]) -> None:
    kept: dict[str, Any] = {"version": version, "cues": {slug: list(cues[slug]) for slug in sorted(cues)}}
    kept["seal"] = gatekey.seal_of(store.gate_key(), _PURPOSE, kept)
    data = (json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(
        "utf-8", "backslashreplace"
    )
    with (
        suppress(OSError),
        store.lock(),
    ):  # a workshop that takes no file costs the next weave a call, and nothing else
        disk.make_folder(store.workshop(FILE).parent)
        disk.put(store.workshop(FILE), data)
