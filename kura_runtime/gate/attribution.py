"""Rule G6, first half: where does a text credit the human with deciding, asking, approving, saying or wanting?

A memory that says "the user approved this" is believed for years. So every such phrase is found here, in any of the
languages the gate knows, active, passive or as a noun ("with the owner's consent"); whether it is *licensed* is for the
caller: the surface floor and the candidate gate ask for a surviving USER quote.

Not every mention of a user is a credit: the user guide, the user-agent, "when a user asks for a reset", "needs the
user's approval" say nothing about what the human did. Each language lists what takes the credit away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kura_runtime.gate import attribution_arabic, attribution_cjk, attribution_en, attribution_europe
from kura_runtime.gate.credit import Credit, Language
from kura_runtime.text.plainview import plain

LANGUAGES: tuple[Language, ...] = (
    *attribution_en.LANGUAGES,
    *attribution_europe.LANGUAGES,
    *attribution_cjk.LANGUAGES,
    *attribution_arabic.LANGUAGES,
)
_CLAUSE_END = re.compile(r"[.;!?\n。！？；؛؟](?=\s|$)|[。！？；\n]")


@dataclass(frozen=True, slots=True)
class People:
    """The persons who count as the human beside the word "user" in all its languages: names as the store's
    configuration lists them (given names, surnames, handles)."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attribution:
    """One phrase that credits the human. `token` is the phrase; `start`, `end` are its offsets in `plain(text)`;
    `language` names the rule that found it; `saying` is true where the credit is for words said or written."""

    token: str
    start: int
    end: int
    language: str
    saying: bool = False


def attributions(text: str, people: People | None = None) -> tuple[Attribution, ...]:
    """Every credit to the human in `text`, by place, overlapping finds merged into the first and longest."""
    view = plain(text)
    names = tuple(dict.fromkeys(n for n in (plain(name).strip() for name in (people or People()).names) if n))
    found = sorted(_found(view, names), key=lambda a: (a.start, -a.end, a.language))
    kept: list[Attribution] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def _found(view: str, names: tuple[str, ...]) -> Iterator[Attribution]:
    for language in LANGUAGES:
        if not language.script.search(view):
            continue
        seen = language.prepare(view)
        for credit in _compiled(language, names):
            for match in credit.pattern.finditer(seen):
                start = 0
                for stop in _CLAUSE_END.finditer(seen, 0, match.start()):
                    start = stop.end()
                if not credit.taken_away(seen[start : match.start()], match.group(), seen[match.end() :]):
                    token = view[match.start() : match.end()] if len(seen) == len(view) else match.group()
                    yield Attribution(token.strip(), match.start(), match.end(), language.name, credit.saying)


@lru_cache(maxsize=64)
def _compiled(language: Language, names: tuple[str, ...]) -> tuple[Credit, ...]:
    return language.credits(names)
