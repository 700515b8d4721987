"""Verbatim, as the gate means it: the same letters and digits, whatever the marks, dashes, case and line breaks."""

from __future__ import annotations

import re
from functools import lru_cache

from kura_runtime.text.plainview import plain

_SPACE = re.compile(r"\s+")
_MARKS = str.maketrans(
    {"’": "'", "‘": "'", "‛": "'", "`": "", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "…": "..."}
)
_EDGE = " \t\n.,;:!?。，、！？；：…\"'“”«»「」『』()（）"


@lru_cache(maxsize=512)
def worded(text: str) -> str:
    """`text` folded for comparison: plain view, case-folded, white space and kinds of quotation marks evened out."""
    return _SPACE.sub(" ", plain(text).translate(_MARKS)).strip().casefold()


def stands_in(run: str, source: str) -> bool:
    """True where `run` (its outer punctuation aside) stands word for word in `source`, cut at word boundaries."""
    needle, hay = worded(run.strip(_EDGE)).strip(_EDGE), worded(source)
    if not needle:
        return True
    at = hay.find(needle)
    while at >= 0:
        end = at + len(needle)
        left_cut = at > 0 and _same_word(hay[at - 1], hay[at])
        right_cut = end < len(hay) and _same_word(hay[end - 1], hay[end])
        if not left_cut and not right_cut:
            return True
        at = hay.find(needle, at + 1)
    return False


def _same_word(left: str, right: str) -> bool:
    """Do two neighbouring characters belong to one word? Scripts without spaces have no such edge."""
    return left.isalnum() and right.isalnum() and not (_wide(left) or _wide(right))


def _wide(char: str) -> bool:
    return "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af"
