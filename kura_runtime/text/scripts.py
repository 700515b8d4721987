"""Scripts: which characters stand without spaces between words, and which are drawn as letters that join into words."""

from __future__ import annotations

import re

# Han, kana, bopomofo and their punctuation: written without spaces, so a line break between two of them is no space.
_UNSPACED = "\u2e80-\u2fdf\u3001-\u3029\u3030-\u303f\u3041-\u3096\u309b-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
_CJK_LETTER = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"

UNSPACED = f"[{_UNSPACED}]"  # one character, for use inside other patterns
# Cased scripts and their marks: a quote that begins or ends inside such a word says something else than the word
# ("able" out of "unable"). Hangul, Arabic and Hebrew glue particles to their words, so there an edge proves nothing.
WORD_LETTER = re.compile(
    r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u0370-\u03ff\u0400-\u052f\u1e00-\u1fff]"
)

_CJK = re.compile(f"[{_CJK_LETTER}{_HANGUL}]")
_LETTER = re.compile(r"[^\W_]")


def has_cjk(text: str) -> bool:
    """Does any Chinese, Japanese or Korean letter stand in `text`?"""
    return not text.isascii() and _CJK.search(text) is not None


def mostly_cjk(text: str) -> bool:
    """Are more than half of the letters and digits of `text` Chinese, Japanese or Korean? Such text says in six
    characters what takes twelve elsewhere."""
    if text.isascii():
        return False
    return 2 * len(_CJK.findall(text)) > len(_LETTER.findall(text))
