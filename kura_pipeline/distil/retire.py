"""Supersession, only where it is explicit: the human's own words name the old memory, carry a replacement construction and
name the new one, all in one sentence. Anything less leaves both memories standing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kura_pipeline.distil.replacement import says_replaced
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.domain.memory import Memory
from kura_runtime.text.sentences import sentences

_LATIN_MIN, _DENSE_MIN = 4, 3  # characters of a name that is telling enough to retire a memory by


@dataclass(frozen=True, slots=True)
class Supersession:
    """The old memory, and the sentence of the human that says so."""

    old: str
    new: str
    sentence: str
    event_id: str


def supersessions(
    new: Surface,
    callsigns: Sequence[str],
    quotes: Sequence[Quote],
    memories: Iterable[Memory],
) -> tuple[Supersession, ...]:
    """Which memories the human's own words retire in favour of the new one. Pure."""
    spoken = [(s, q.event_id) for q in quotes if q.cls is EvidenceClass.USER for s in sentences(q.text)]
    if not spoken:
        return ()
    own = names_of(new.slug, new.title, callsigns)
    found: list[Supersession] = []
    for memory in sorted(memories, key=lambda m: m.slug):
        if memory.slug == new.slug or memory.state in ("retired", "archived"):
            continue
        theirs = names_of(memory.slug, memory.title, memory.callsigns)
        for sentence, event_id in spoken:
            if says_replaced(sentence, theirs, own):
                found.append(Supersession(memory.slug, new.slug, sentence, event_id))
                break
    return tuple(found)


def names_of(slug: str, title: str, callsigns: Sequence[str]) -> tuple[str, ...]:
    """What a human could call this memory: its slug (with hyphens or with spaces), its title, its callsigns."""
    name = slug.rsplit("/", 1)[-1]
    names = (name, name.replace("-", " "), title, *callsigns)
    return tuple(dict.fromkeys(n for n in names if _telling(n)))


def _telling(name: str) -> bool:
    letters = re.sub(r"[\W_]", "", name)
    return len(letters) >= (_LATIN_MIN if letters.isascii() else _DENSE_MIN)
