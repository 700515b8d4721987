"""Terms of a text and of a query, the same on both sides.

Scripts without spaces are cut into overlapping pairs (neither a word list nor trigrams find a word of two characters);
identifiers stay whole and are also split at `-_./`; case, width and accents composed differently do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# Han, kana, bopomofo, hangul, Thai, Lao, Khmer, Burmese
_DENSE = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u109f\u1780-\u17d3"
# letters and marks of the Indic scripts, which `\w` would split at the marks
_JOINED = "\u0300-\u036f\u0900-\u0dff"
_WORD = f"(?:(?![{_DENSE}])[\\w{_JOINED}])+"
_PIECE = re.compile(f"(?P<dense>[{_DENSE}]+)|(?P<word>{_WORD}(?:[-_./]{_WORD})*)")
_RUN = re.compile(f"[{_DENSE}]+")
_PLAIN = re.compile(r"\w+(?:[-_./]\w+)*")  # the same for ASCII, where it costs a tenth
_LEVELS = (re.compile(r"/+"), re.compile(r"\.+"), re.compile(r"[-_]+"))
_UNWRITTEN = re.compile("[\u0640\u064b-\u065f\u0670\u0591-\u05bd\u200b-\u200f\u2060\ufeff\u00ad]")
LONGEST = 80  # characters of a term; longer ones are data, not words


def folded(text: str) -> str:
    """The text as terms are cut from it: NFKC, case folded, without vowel points and format characters."""
    return (
        _UNWRITTEN.sub("", unicodedata.normalize("NFKC", text).casefold())
        if not text.isascii()
        else text.lower()
    )


def indexed(text: str) -> str:
    """The terms of a text in order, separated by spaces."""
    text = folded(text)
    return " ".join(_plain_terms(text) if text.isascii() else _terms(text))


def signs(text: str) -> str:
    """The single characters of scripts without spaces, each once: one alone can be asked for."""
    return "" if text.isascii() else " ".join(dict.fromkeys("".join(_RUN.findall(folded(text)))))


def _plain_terms(text: str) -> Iterator[str]:
    for word in _PLAIN.findall(text):
        if word.isalnum() and len(word) <= LONGEST:
            yield word
        else:
            yield from identifier(word)


def _terms(text: str) -> Iterator[str]:
    for found in _PIECE.finditer(text):
        dense = found.group("dense")
        if dense:
            yield from pairs(dense)
            continue
        word = found.group("word")
        if word.isalnum() and len(word) <= LONGEST:
            yield word
        else:
            yield from identifier(word)


def identifier(word: str) -> list[str]:
    """The word whole, and its parts at every level: `src/my_mod.py` is also `my_mod.py`, `my_mod`, `my`, `mod`, `py`."""
    found = {word: None}
    level = [word]
    for sign in _LEVELS:
        level = [part for one in level for part in sign.split(one) if part]
        found.update(dict.fromkeys(level))
    return [part for part in found if len(part) <= LONGEST]


def pairs(run: str) -> list[str]:
    """Overlapping pairs of a run of characters."""
    return [run[i : i + 2] for i in range(len(run) - 1)]


def asked(query: str) -> list[tuple[str, bool]]:
    """The parts of a query: (text, dense). A dense part is a run of a script without spaces."""
    parts = []
    for found in _PIECE.finditer(folded(query)):
        dense = found.group("dense")
        parts.append((dense, True) if dense else (found.group("word")[:LONGEST], False))
    return list(dict.fromkeys(parts))


def expression(part: tuple[str, bool]) -> str:
    """One part of a query as an FTS5 expression over the columns `words` and `signs`."""
    text, dense = part
    if dense and len(text) == 1:
        return f'signs:"{text}"'
    return f'words:"{" ".join(pairs(text)) if dense else text}"'
