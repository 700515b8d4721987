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
_REACH = 220  # characters: longer than any phrase that the rules describe
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
    names = tuple(dict.fromkeys(n for n in (plain(name).strip() for name in (people or People()).names) if n))
    return _attributions(plain(text), names)


@lru_cache(maxsize=256)
def _attributions(view: str, names: tuple[str, ...]) -> tuple[Attribution, ...]:
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
        rules, anchors = _compiled(language, names)
        windows = _windows(seen, anchors, language.named)
        for low, high in windows:
            heads: dict[re.Pattern[str], list[tuple[int, int]]] = {}
            for credit in rules:
                for start, end in _matches(credit, seen, low, high, heads):
                    clause = max((m.end() for m in _CLAUSE_END.finditer(seen, 0, start)), default=0)
                    if not credit.taken_away(seen[clause:start], seen[start:end], seen[end:]):
                        token = view[start:end] if len(seen) == len(view) else seen[start:end]
                        yield Attribution(token.strip(), start, end, language.name, credit.saying)


def _matches(
    credit: Credit, seen: str, low: int, high: int, heads: dict[re.Pattern[str], list[tuple[int, int]]]
) -> Iterator[tuple[int, int]]:
    """Where the rule's phrase stands in a window; `heads` remembers the subjects found there."""
    if credit.head is None:
        yield from (m.span() for m in credit.pattern.finditer(seen, low, high))
        return
    if credit.head not in heads:
        heads[credit.head] = [m.span() for m in credit.head.finditer(seen, low, high)]
    for start, end in heads[credit.head]:
        if match := credit.pattern.match(seen, end, high):
            yield start, match.end()


@lru_cache(maxsize=64)
def _compiled(language: Language, names: tuple[str, ...]) -> tuple[tuple[Credit, ...], re.Pattern[str]]:
    stems = {*language.anchors, *(re.escape(language.prepare(n.casefold())) for n in names)}
    return language.credits(names), re.compile("|".join(sorted(stems, key=lambda s: (-len(s), s))))


def _windows(seen: str, anchors: re.Pattern[str], named: re.Pattern[str]) -> list[tuple[int, int]]:
    """The stretches of the text near a word that any credit needs; elsewhere the long patterns need not run."""
    folded = seen.casefold()
    if len(folded) != len(seen):  # ß and its like: the offsets would not fit
        folded = seen.lower() if len(seen.lower()) == len(seen) else ""
    if not folded:
        return [(0, len(seen))]
    windows: list[tuple[int, int]] = []
    spans = sorted([m.span() for m in anchors.finditer(folded)] + [m.span() for m in named.finditer(seen)])
    for start, end in spans:
        low, high = max(0, start - _REACH), min(len(seen), end + _REACH)
        if windows and low <= windows[-1][1]:
            windows[-1] = (windows[-1][0], high)
        else:
            windows.append((low, high))
    return windows
