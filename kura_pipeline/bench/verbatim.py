"""Does a memory of the embedded editor say anything that nobody said? Checked from outside, not by the code that wrote it.

Every piece of its text (between quotation marks, separators and the fixed words) must stand, in one stretch, in one of the
quotes of its evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields

from kura_pipeline.distil.extract.phrases import PHRASES
from kura_runtime.domain.draft import Surface
from kura_runtime.text.normalise import fold

_DATE = r"\d{4}-\d{2}-\d{2}"
_BREAK = "\n"
# marks that the editor sets between pieces, and those that a cut leaves
_SEPARATORS = re.compile(r"\*\*|^\s*-\s|\s—\s|\s[-|·/]\s|[“”\x22«»「」『』…]|\.\.\.|;\s|；", re.MULTILINE)
_LIST = 3  # names; two with a comma between them read as a sentence
_EDGE = " \t.,;:!?…。，、；：！？-–—*()（）[]"


_WHOLE = ("said", "undated", "wrote", "wrote_undated", "belongs", "keep", "may_fade", "heading")


def _fixed() -> re.Pattern[str]:
    words: set[str] = set()
    for phrases in PHRASES.values():
        for field in fields(phrases):
            value = getattr(phrases, field.name)
            if not isinstance(value, str):
                continue
            shape = re.escape(fold(value)).replace(r"\{date\}", _DATE).replace(r"\{quotes\}", "")
            shape = re.sub(r"(?:\\ )+$", "", shape).replace(r"\ ", r"\s*")
            words.add(shape if field.name in _WHOLE else rf"\*\*{shape}:\*\*")
    return re.compile("|".join(sorted(words, key=len, reverse=True)))


_FIXED = _fixed()


def pieces(text: str, quotes: Sequence[str]) -> list[str]:
    """The pieces of `text` that are ours neither by the fixed words nor by being one of the quotes whole."""
    left = text
    for quote in sorted({q for q in quotes if q}, key=len, reverse=True):
        left = left.replace(quote, _BREAK)
    left = _SEPARATORS.sub(_BREAK, _FIXED.sub(_BREAK, left))
    return [piece for line in left.split(_BREAK) if (piece := line.strip(_EDGE))]


def unsaid(surface: Surface, quotes: Iterable[str]) -> list[tuple[str, str]]:
    """(place, piece) of everything in title, trigger, heading, body and curation that stands in no quote. () is as it
    should be. Slugs are made of letters of the words and are left out."""
    said = [fold(q) for q in quotes]
    held = [s.casefold() for s in said]
    found = []
    for place, text in surface.places():
        if place == "slug":
            continue
        for piece in pieces("\n".join(fold(line) for line in text.splitlines()), said):
            # the title of a list of values names them, each in its own words
            listed = re.split(r", |、|，", piece) if place == "title" else []
            for part in listed if len(listed) >= _LIST else [piece]:
                if not any(part.casefold() in quote for quote in held):
                    found.append((place, part))
    return found


def count(surface: Surface) -> int:
    """How many texts of a surface are looked at."""
    return sum(bool(text) for place, text in surface.places() if place != "slug")
