"""A question taken apart: which words can tell memories apart, which are chatter, and what the answer must hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kura_runtime.recall.heads import fold, identifiers_of, initials_of, is_dense, numbers_of, words_of


@cache
def ordinary() -> dict[str, frozenset[str]]:
    """The word list by section: `silent`, `plain`, `cut` (strings) and `light` (single characters)."""
    found: dict[str, set[str]] = {}
    section = ""
    for line in (files(__package__) / "ordinary.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            found.setdefault(section, set()).update(line.split() if section != "light" else line)
    return {name: frozenset(words) for name, words in found.items()}


@dataclass(frozen=True, slots=True)
class Probe:
    """A question taken apart.

    `words` are the words that could tell memories apart; `plain` and `sought` say which of them are ordinary and which
    name what is asked for. `dense` are the runs of scripts without spaces, ordinary strings cut out. `marks` are the
    numbers and identifiers that the answer must hold. `past` is set where the question asks how something used to be.
    """

    folded: str
    words: tuple[str, ...]
    plain: frozenset[str]
    sought: frozenset[str]
    dense: tuple[str, ...]
    marks: tuple[str, ...]
    initials: tuple[str, ...]
    past: bool
    spoken: tuple[str, ...]  # every word and run in order, ordinary ones too

    @property
    def empty(self) -> bool:
        """True where nothing is left to recognise anything by."""
        return not (self.words or self.dense or self.marks)


# "the chat one not X", "(…, not X)", "X 那个不是 Y", "Y じゃない方": Y is named only to rule it out. After "why", "do" or
# "it" a "not" belongs to the question itself.
_RULED_OUT = re.compile(
    r"([^\W_]+|[,(;])\s*\b(?:not|nicht|pas)\b (?:(?:the|der|die|das|den|le|la|les) )?([^\s,.;:?()]+(?: [a-z]\.)?)"
)
_RULED_OUT_DENSE = (
    re.compile(
        r"(?:那个|这个|[,，、(（])\s*(?:不是|而不是|而非)\s*([^\s,，。;；?？)）]{2,12})(?=\s*(?:$|[)），,。?？]))"
    ),
    re.compile(r"[^\s、。,（(]{2,24}?\s?(?:では|じゃ)な(?:く|い(?:方|ほう))"),
)


def without_ruled_out(folded: str) -> str:
    """The question without what it names only to rule it out."""
    own = ordinary()["own-not"]
    if " not " in folded or " nicht " in folded or " pas " in folded or "(not " in folded:
        folded = _RULED_OUT.sub(lambda m: m.group() if m.group(1) in own else m.group(1) + " ", folded)
    if not folded.isascii():
        for pattern in _RULED_OUT_DENSE:
            folded = pattern.sub(" ", folded)
    return folded


@cache
def _cutter() -> re.Pattern[str]:
    strings = sorted(ordinary()["cut"], key=lambda s: (-len(s), s))
    return re.compile("|".join(map(re.escape, strings)))


_DIGIT = re.compile(r"\d")


def probe(question: str) -> Probe:
    """Take a question apart."""
    whole = fold(question)
    folded = without_ruled_out(whole)
    lists = ordinary()
    silent, plain_words, sought_words = lists["silent"], lists["plain"], lists["sought"]
    words: dict[str, None] = {}
    dense: list[str] = []
    plain: set[str] = set()
    sought: set[str] = set()
    spoken = words_of(folded)
    for word in spoken:
        if not word.isascii() and is_dense(word):
            dense += _cutter().sub(" ", word).split()
            continue
        if word in silent or (len(word) == 1 and word.isascii()):
            continue
        words[word] = None
        if word in sought_words:
            sought.add(word)
        elif word in plain_words:
            plain.add(word)
    if not folded.isascii():
        sought.update(s for s in lists["sought-dense"] for run in dense if s in run)
    marks = sorted(numbers_of(folded) | identifiers_of(spoken)) if _DIGIT.search(folded) else []
    return Probe(
        folded=folded,
        words=tuple(words),
        plain=frozenset(plain),
        sought=frozenset(sought),
        dense=tuple(dense),
        marks=tuple(marks),
        initials=tuple(initials_of(folded)) if "." in folded else (),
        past=not lists["past"].isdisjoint(spoken)
        or "used to" in whole
        or (not whole.isascii() and any(word in whole for word in lists["past-dense"])),
        spoken=tuple(spoken),
    )
