"""Clauses with their polarity: what a clause is about, whether it is negated, and which words the negation falls on.

No parser: negation words of eight languages, minus the phrases in which they negate nothing ("not only", "no later
than", しなければならない, 不仅, "don't forget"), and prefixes or pairs that turn a word round (unsupported, 無効/有効).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kura_runtime.text.negation_words import (
    ANTONYMS,
    CONDITION,
    FUNCTION_WORDS,
    HARMLESS,
    NEGATIONS,
    PREFIX,
    PROHIBITIONS,
    SPLIT,
    WEAK,
)
from kura_runtime.text.plainview import plain

_LATIN_WORD = re.compile(r"(?<![\w])[A-Za-zÀ-ɏа-яёА-ЯЁ][A-Za-z0-9_À-ɏа-яёА-ЯЁ']*")
_WIDE_RUN = re.compile(r"[\u4e00-\u9fff\u30a0-\u30ffー]+")
_HANGUL = re.compile(r"[가-힣]{2,}")
_ARABIC = re.compile(r"[\u0621-\u064a]{2,}")
_ZH_FUNCTION = re.compile(r"[的了在把被将將请請会會能可以都也就先再是和与與或及这那這个個]")
_LINK = re.compile(r"\[\[[^\]\n]*\]\]")
_NE_PAS = re.compile(
    r"\b(?:ne|n['’])(?=\s?\S+(?:\s\S+){0,2}?\s(?:pas|jamais|plus|rien|aucune?|personne|point)\b)",
    re.IGNORECASE,
)
_SUFFIX = re.compile(
    r"(?:ations?|ments?|ings?|edly|ed|ies|es|s|ando|iendo|ados?|adas?|idos?|idas?|ción|tion|ungen|ung|est|en|er|ez|ons|ar|ir|ées?|és?|e|a|o|t|y|n)$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause. `words` maps each content stem to whether it is turned round ("un-"), `stems` are their keys; `negated` is the parity of its
    negation words (a prohibition counts as one); `falls_on` are the stems the negation governs; `condition` marks "when …", which asserts nothing."""

    text: str
    words: tuple[tuple[str, bool], ...]
    stems: frozenset[str]
    negated: bool
    falls_on: frozenset[str]
    condition: bool
    complete: bool  # ends like a sentence
    mixed: bool = False  # negation and prohibition together: no telling

    @property
    def weak(self) -> bool:
        """Does it hold a word that may stand for a negation (missing, instead, only)? Asked seldom, so found when asked."""
        return bool(WEAK.search(self.text))


@lru_cache(maxsize=512)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of `text` (its plain view) that have any content."""
    view = HARMLESS.sub(" ", _LINK.sub(" ", plain(text)))
    made: list[Clause] = []
    at, lead = 0, ""
    for start, end in [*(m.span() for m in SPLIT.finditer(view)), (len(view), len(view))]:
        stop = view[start:end]
        if view[at:start].strip():
            made.append(_clause(view[at:start], lead, stop))
        at, lead = end, stop if any(c.isalpha() for c in stop) else ""
    return tuple(c for c in made if c.words)


def _clause(body: str, lead: str, stop: str) -> Clause:
    negations = list(NEGATIONS.finditer(body))
    prohibitions = list(PROHIBITIONS.finditer(body))
    bare = NEGATIONS.sub(" ", PROHIBITIONS.sub(" ", body)) if negations or prohibitions else body
    # "ne … pas" is one negation in two words
    count = len(negations) - (len(_NE_PAS.findall(body)) if negations else 0)
    content = content_words(bare)
    falls: set[str] = set()
    for match in (*negations, *prohibitions):
        falls |= _governed(body, match)
    return Clause(
        text=body.strip(),
        words=tuple(sorted(content.items())),
        stems=frozenset(content),
        negated=bool(count % 2) or (bool(prohibitions) and count == 0),
        falls_on=frozenset(falls),
        condition=bool(CONDITION.search(f"{lead} {body}".strip())),
        complete=bool(re.match(r"\s*[.!。！]", stop)),
        mixed=(bool(prohibitions) and count > 0) or (count > 1 and count % 2 == 0),
    )


def _governed(body: str, match: re.Match[str]) -> set[str]:
    """The stems a negation falls on: what follows it in most languages, what stands before it in Japanese and Korean."""
    behind = list(content_words(NEGATIONS.sub(" ", body[match.end() :][:60]), ordered=True))
    before = list(content_words(NEGATIONS.sub(" ", body[: match.start()][-40:]), ordered=True))
    found = match.group()
    if re.search(r"[ぁ-ん]", found) or re.search(r"禁止|不可|않|말|마[라세]|못하|없|금지", found):
        return set(before[-1:])
    if re.search(r"[\u4e00-\u9fff]", found):
        return set(content_words(body[match.end() :][:6], ordered=True))
    if re.search(r"\bnicht\b|\bkein|\bnie\b", found, re.IGNORECASE):
        return set(behind) | set(before)
    if re.fullmatch(r"(?:pas|jamais|plus|rien)", found.strip(), re.IGNORECASE):
        verb = re.search(r"\b(?:ne\s|n['’])(.*)$", body[: match.start()], re.IGNORECASE)
        between = list(content_words(verb.group(1), ordered=True)) if verb else []
        return set(between[:1] or behind[:1])
    return set(behind[:1]) or set(before[-2:])


def content_words(text: str, *, ordered: bool = False) -> dict[str, bool]:
    """Content stems of `text` → whether a prefix or an antonym turns them round. `ordered` keeps the order of the text."""
    found: dict[str, bool] = _TurnedOnce()
    for match in _LATIN_WORD.finditer(text):
        word = match.group().casefold().removesuffix("'s").strip("'")
        if word not in FUNCTION_WORDS and len(word) > 1:
            stem_, turned = root(word)
            found[stem_] = turned
    if text.isascii():
        return dict(found) if ordered else dict(sorted(found.items()))
    if re.search(r"[\u3040-\u9fff]", text):
        kana = bool(re.search(r"[ぁ-ん]", text))
        for match in _WIDE_RUN.finditer(text if kana else _ZH_FUNCTION.sub(" ", text)):
            run, turned = match.group(), False
            for negative, positive in ANTONYMS:
                if negative in run and not negative.isascii():
                    run, turned = run.replace(negative, positive), True
            for i in range(max(1, len(run) - 1)):
                found[run[i : i + 2]] = turned
    for match in _HANGUL.finditer(text):
        word, turned = match.group(), False
        for negative, positive in ANTONYMS:
            if word.startswith(negative):
                word, turned = positive + word[len(negative) :], True
        found[word[:2]] = turned
    for match in _ARABIC.finditer(text):
        skeleton = _arabic(match.group())
        if len(skeleton) > 1 and match.group() not in FUNCTION_WORDS:
            found[skeleton] = False
    return dict(found) if ordered else dict(sorted(found.items()))


class _TurnedOnce(dict[str, bool]):
    """Words with their direction; one that stands there both ways ("12 passed, 3 failed") has none."""

    def __setitem__(self, word: str, turned: bool) -> None:
        super().__setitem__(word, turned and self.get(word, True))


_WORDS = re.compile(r"[a-zà-ɏ]+")
_TURNING = tuple(negative for negative, _ in ANTONYMS if not negative.isascii())


def any_polarity(text: str) -> bool:
    """Is there anything in `text` (plain view) that could make a clause negative? Most texts have nothing, and cheaply so."""
    folded = text.casefold()
    return bool(
        NEGATIONS.search(text)
        or PROHIBITIONS.search(text)
        or any(turning in text for turning in _TURNING)
        or any(root(word)[1] for word in set(_WORDS.findall(folded)))
    )


@lru_cache(maxsize=8192)
def root(word: str) -> tuple[str, bool]:
    """(stem, turned round?) of one word of a European language: unsupported → (support, True)."""
    for negative, positive in ANTONYMS:
        if negative.isalpha() and word.startswith(negative):
            return stem(positive), True
    if (prefixed := PREFIX.match(word)) and len(word) - prefixed.end() > 3:
        return stem(word[prefixed.end() :]), True
    return stem(word), False


def stem(word: str) -> str:
    """A crude stem, the same for the forms of a word that notes use (run, runs, running; merge, merged)."""
    if not word.isalpha():
        return word
    short = _SUFFIX.sub("", word) if len(word) > 4 else word.rstrip("s") if len(word) > 3 else word
    short = short if len(short) > 2 else word[:3]
    if len(short) > 3 and short[-1] == short[-2]:
        short = short[:-1]
    return short.removesuffix("e")[:6]


def _arabic(word: str) -> str:
    bare = re.sub(r"^[وفبلك]?ال", "", word.translate(str.maketrans("أإآىةؤئ", "ااايهوي")))
    return re.sub(r"[اويتنمهأ]", "", bare)
