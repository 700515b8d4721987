"""Terms of a text and of a query, the same on both sides.

The index cuts words itself, at everything that is no letter, digit or mark, so that an identifier is found by each of its
parts; an identifier asked for whole is the sequence of its parts, and then looked for in the text as it is written.
Scripts without spaces are cut into overlapping pairs here (neither a word list nor trigrams find a word of two
characters). Case, width and accents do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import add

# Han, kana, bopomofo, hangul, Thai, Lao, Khmer, Burmese
_DENSE = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u109f\u1780-\u17d3"


def _marks() -> str:
    """Accents, vowel signs and the like, which are part of a word though `\\w` does not match them."""
    return "".join(c for c in map(chr, range(0x300, 0x10000)) if unicodedata.category(c)[0] == "M")


_WORD = f"(?:(?![{_DENSE}])[\\w{_marks()}])+"
_PIECE = re.compile(f"(?P<dense>[{_DENSE}]+)|(?P<word>{_WORD}(?:[-_./]{_WORD})*)")
_RUN = re.compile(f"[{_DENSE}]+")
_UNWRITTEN = re.compile(
    "[\u0640\u064b-\u065f\u0670\u0591-\u05bd\u200b-\u200f\u2060\u20d0-\u20ff\ufe00-\ufe0f\ufeff\u00ad]"
)
_ACCENTS = re.compile("[\u0300-\u036f]+")
# signs that separate words like a space does and fold to nothing else; most text that is not ASCII has only these
_SIGNS = re.compile("[⟦⟧–—“”‘’•·→←↑↓⇒✓✔✗✘✅❌⎿⏺●○│├└┌┐┘─█■▌×÷≥≤≈≠°§«»©€£]+")

Part = tuple[str, bool]


def folded(text: str) -> str:
    """The text as terms are cut from it: NFKC, case folded, without vowel points and format characters."""
    return (
        _UNWRITTEN.sub("", unicodedata.normalize("NFKC", text).casefold())
        if not text.isascii()
        else text.lower()
    )


def bare(text: str) -> str:
    """The folded text without accents."""
    text = folded(text)
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def indexed(text: str) -> tuple[str, str]:
    """What the index is given of a text: the words, with runs of scripts without spaces as pairs; and the single characters
    of such scripts, each once (one alone can be asked for)."""
    if text.isascii():
        return text, ""
    plain = _SIGNS.sub(" ", text)
    if plain.isascii():
        return plain, ""
    plain = folded(plain)
    signs = "".join(_RUN.findall(plain))
    return (_RUN.sub(_paired, plain), " ".join(dict.fromkeys(signs))) if signs else (plain, "")


def _paired(found: re.Match[str]) -> str:
    run = found.group()
    return f" {' '.join(map(add, run, run[1:]))} "


def pairs(run: str) -> list[str]:
    """Overlapping pairs of a run of characters."""
    return list(map(add, run, run[1:]))


def asked(query: str) -> list[Part]:
    """The parts of a query: (text, dense). A dense part is a run of a script without spaces."""
    parts = []
    for found in _PIECE.finditer(folded(query)):
        dense, word = found.group("dense"), found.group("word")
        if dense:
            parts.append((dense, True))
        elif not set(word) <= set("-_./"):
            parts.append((word, False))
    return list(dict.fromkeys(parts))


def expression(part: Part) -> str:
    """One part of a query as an FTS5 expression over the columns `words` and `signs`."""
    text, dense = part
    if dense and len(text) == 1:
        return f'signs:"{text}"'
    return f'words:"{" ".join(pairs(text)) if dense else text}"'


def checker(parts: Sequence[Part], exact: Sequence[str] = ()) -> Callable[[str], bool] | None:
    """A test of what the index cannot say of a text: that an identifier, or a run of three characters and more, stands
    there as it is written, and every one of `exact` (folded); None where there is nothing to test."""
    unsure = [(t, dense) for t, dense in parts if (len(t) > 2 if dense else not t.isalnum())]
    wanted = [(bare(text), _standing(text, dense)) for text, dense in unsure]
    if not wanted and not exact:
        return None

    def stands(text: str) -> bool:
        low = folded(text) if exact else ""
        plain = bare(text) if wanted else ""
        # most texts that are only alike fail the plain look, which costs a tenth of the pattern
        return all(e in low for e in exact) and all(w in plain and p.search(plain) for w, p in wanted)

    return stands


@lru_cache(maxsize=256)
def _standing(text: str, dense: bool) -> re.Pattern[str]:
    plain = re.escape(bare(text))
    return re.compile(plain if dense else whole(plain))


def whole(pattern: str) -> str:
    """A pattern that matches only where no letter or digit of a script with spaces goes on at either side."""
    return f"(?<!(?![{_DENSE}])[^\\W_]){pattern}(?!(?![{_DENSE}])[^\\W_])"
