"""From a text to the things it can be recognised by: words, identifiers, numbers and character grams, in any script.

A feature is a 64-bit key, the same on every machine: grams are packed code points, words are the first bytes of their
BLAKE2 hash. A question and a memory meet wherever their keys are equal, so nothing has to be looked up by string.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

_HASHED = 1 << 63  # set in every hashed key: no packed gram reaches it
_SHIFT = 21  # bits of a code point
_ONE, _SPACE = np.uint64(_SHIFT), np.uint64(32)
DENSE = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f\u0e00-\u0edf\u1000-\u109f\u1780-\u17ff"
_DENSE_RUN = re.compile(f"[{DENSE}]+")
_WORD = re.compile(r"[^\W_]+(?:[-_./+@:#][^\W_]+)*\+*")
_PART = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_IDENTIFIER = re.compile(r"[^\W\d_]+[-_#]?\d+(?:\.\d+)*")
_SPACED_IDENTIFIER = re.compile(r"(?<![^\W_])([^\W\d_]{1,12})[ .]\s?(\d+(?:\.\d+)*)(?![\d.]*\d)")
_INITIAL = re.compile(r"(?<![^\W_])([^\W\d_]{2,}) ([^\W\d_])\.")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ENDINGS = ("ing", "ed", "es", "ly", "en", "er", "s", "e")
_COUNT_WORDS = {
    w: str(n + 1)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for n, w in enumerate(words.split())
}
_COUNT_CHARS = {c: str(n + 1) for n, c in enumerate("一二三四五六七八九十")}
_DIGIT = re.compile(r"\d")


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """`text` as heads see it: NFKC, case folded, Latin accents taken off, white space collapsed."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", folded)))
    return " ".join(folded.split())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its commonest endings. Words that hold a digit, and scripts other than Latin, stay whole."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (3 if ending == "s" else 4):
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=131072)
def word_key(word: str) -> int:
    """The key of a word, an identifier ("@kn4") or a number ("#8411")."""
    return (
        int.from_bytes(
            hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
        )
        | _HASHED
    )


@lru_cache(maxsize=131072)
def pair_key(pair: str) -> int:
    """The key of two neighbouring characters, or of one."""
    return ord(pair) if len(pair) == 1 else ord(pair[0]) << _SHIFT | ord(pair[1])


def gram_keys(text: str) -> tuple[Keys, Keys]:
    """Keys of the 2-grams and of the 3-grams of a folded text (unsorted, with repeats). A 2-gram holds no space; a 3-gram may
    begin or end at one and never runs across it."""
    codes = np.frombuffer(f" {text} ".encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    if len(codes) < 3:
        return codes[:0], codes[:0]
    letter = codes != _SPACE
    pairs = codes[:-1] << _ONE | codes[1:]
    triples = pairs[:-1] << _ONE | codes[2:]
    return pairs[letter[:-1] & letter[1:]], triples[letter[1:-1]]


def words_of(folded: str) -> list[str]:
    """Words, compounds ("llama-server") and dense runs, in order, with repeats."""
    if "'" in folded:
        folded = folded.replace("n't", "nt").replace("'s", "").replace("'", " ")
    if not folded.isascii():
        folded = _DENSE_RUN.sub(r" \g<0> ", folded)
    return _WORD.findall(folded)


def is_dense(word: str) -> bool:
    """True for a run of a script that is written without spaces."""
    return not word.isascii() and bool(_DENSE_RUN.match(word))


def numbers_of(folded: str) -> set[str]:
    """Number marks of a folded text: "#8411", "#1.20", "#10.20.0.53"; thousands commas and leading zeros do not matter."""
    found: set[str] = set()
    for match in _NUMBER.findall(_THOUSANDS.sub("", folded)):
        found.add(_number(match))
        if ":" in match or "," in match:
            found.update(_number(part) for part in re.split("[:,]", match))
    return found


def _number(digits: str) -> str:
    plain = ":".join(part.lstrip("0") or "0" for part in digits.split(":"))
    return "#" + plain


def identifiers_of(words: Iterable[str]) -> set[str]:
    """Marks of letters bound to digits: "@kn4" for kn-4, "@v1.20" for v1.20. The hyphen does not matter, the digits do."""
    told = " ".join(w for w in words if _DIGIT.search(w))
    return {"@" + re.sub("[-_#]", "", m) for m in _IDENTIFIER.findall(told)}


def marks_of(folded: str, words: Collection[str]) -> set[str]:
    """Every number and identifier a text (and its words) can answer for; "port 8411" answers for port-8411, "three" for 3."""
    marks = numbers_of(folded) | identifiers_of(words)
    marks.update(f"@{w}{n}" for w, n in _SPACED_IDENTIFIER.findall(folded))
    marks.update("#" + _COUNT_WORDS[w] for w in _COUNT_WORDS.keys() & set(words))
    marks.update("#" + n for c, n in _COUNT_CHARS.items() if c in folded)
    return marks


def initials_of(folded: str) -> list[str]:
    """ "anna_l" for "Anna L.": a name with its initial is another name than the name alone."""
    return [f"{name}_{letter}" for name, letter in _INITIAL.findall(folded)]


def parts_of(word: str) -> list[str]:
    """The words inside a compound, without single Latin letters."""
    return [p for p in _PART.findall(word) if len(p) > 1 or p.isdigit() or not p.isascii()]


def forms_of(word: str) -> list[str]:
    """What a word of a text is found by: its stem; for a compound also itself, its parts, and itself without the joints."""
    parts = parts_of(word)
    if len(parts) == 1 and parts[0] == word:
        return [stem(word)]
    forms = [stem(p) for p in parts]
    if len(parts) > 1:
        forms += [word, "".join(parts)]
    elif word.endswith("+") or not forms:
        forms.append(word)
    return forms


@dataclass(frozen=True, slots=True)
class Unit:
    """One word of a question as keys: `forms` are all it can be found by; it is answered by any of `whole`, or by all `parts`."""

    forms: tuple[int, ...]
    whole: tuple[int, ...]
    parts: tuple[int, ...]


@lru_cache(maxsize=65536)
def unit_of(word: str) -> Unit:
    """The keys of a word. Parts that are bare numbers are left to the question's marks."""
    forms = forms_of(word)
    parts = [stem(p) for p in parts_of(word) if not p.isdigit()]
    whole = forms if len(forms) == 1 else forms[-2:] if len(forms) > 2 else forms[-1:]
    return Unit(*(tuple(word_key(w) for w in ws) for ws in (forms, whole, parts)))


def text_keys(folded: str) -> tuple[set[int], set[int], str]:
    """Of a text of a memory: the keys of its words, the keys of its marks, and its runs of scripts without spaces, joined by
    spaces."""
    found: set[int] = set()
    dense: list[str] = []
    words = words_of(folded)
    for word in words:
        if word.isascii() or not is_dense(word):
            found.update(unit_of(word).forms)
        else:
            dense.append(word)
            found.add(word_key(word))
            found.update(word_key(run) for run in _RUNS.findall(word))
    if "." in folded:
        found.update(word_key(mark) for mark in initials_of(folded))
    return found, {word_key(mark) for mark in marks_of(folded, words)}, " ".join(dense)


# Katakana runs and Han runs inside a dense run are the words of a text that marks none.
_RUNS = re.compile("[\u30a0-\u30ff]{2,}|[\u3400-\u4dbf\u4e00-\u9fff々]{2,}")
