"""Rule G3: what this system remembered or handed out is no evidence when it comes back.

An agent reads a memory, a tool prints it, the agent repeats it, and each time it looks like fresh material: a memory that
witnesses for itself would live for ever. So a quote is compared with the text of the store, and the sentences round it with
what was served. The comparison sees through what happens to text on such a way: other line breaks and case, list marks, quotation
marks, Markdown, line numbers, JSON escapes. It does not see through more: a quote that says anything beyond the
stored words is news.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from kura_runtime.text.locate import Locator
from kura_runtime.text.lost_negation import loses_negation
from kura_runtime.text.normalise import fold
from kura_runtime.text.scripts import UNSPACED, has_cjk, mostly_cjk

ECHO_MIN, ECHO_MIN_CJK = 12, 6  # characters; less is said by chance


class EchoSource(Protocol):
    """What the gate asks. Both take any text; how it is written does not matter."""

    def stored(self, folded: str) -> bool: ...

    def served(self, folded: str) -> bool: ...


@dataclass(frozen=True)
class Echo:
    """The words of a store and the hashes of what was handed out."""

    keys: tuple[str, ...] = ()
    hashes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, store_texts: Iterable[str], served: frozenset[str]) -> Echo:
        """`store_texts`: the whole text of each memory. `served`: what `served_hashes` gave for everything handed out."""
        return cls(tuple(key(text) for text in store_texts), served)

    def stored(self, folded: str) -> bool:
        """Does this text stand, whole, in a memory of the store?"""
        return next(self._places(folded), None) is not None

    def holders(self, folded: str) -> tuple[int, ...]:
        """The numbers (in the order given to `of`) of the texts in which this text stands whole."""
        return tuple(dict.fromkeys(bisect_right(self._starts, at) - 1 for at in self._places(folded)))

    def served(self, folded: str) -> bool:
        """Was every sentence of this text handed out?"""
        return bool(self.hashes) and any(
            units and all(any(_hash(v) in self.hashes for v in _variants(u)) for u in units)
            for units in _views(folded)
        )

    def _places(self, text: str) -> Iterator[int]:
        needle = key(text)
        if not self._locator.text or not _long_enough(needle):
            return
        for at in self._locator.places(needle):
            if _whole(self._locator.text, at, at + len(needle), needle):
                yield at

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for one in self.keys:
            starts.append(at)
            at += len(one) + 1
        return starts

    @cached_property
    def _locator(self) -> Locator:
        text = "\n".join(self.keys)
        return Locator(text, 4, 11) if has_cjk(text) else Locator(text, 8, 21)


def served_hashes(text: str) -> tuple[str, ...]:
    """A hash for each sentence of a text that is handed out (12 characters and more, 6 in Chinese, Japanese or Korean), for the
    served ledger. The words cannot be read back from it."""
    found: dict[str, None] = {}
    for units in _views(text):
        for unit in units:
            for variant in _variants(unit):
                found[_hash(variant)] = None
    return tuple(found)


def unframed(text: str) -> Iterator[str]:
    """The text without what only frames it: list marks and line numbers at line starts, a leading "memory x says:"."""
    bare = _LINE_MARK.sub("", unescaped(text))
    if bare != text:
        yield bare
    match = _FRAME.match(bare)
    if match and match.end() < len(bare):
        yield bare[match.end() :]


# --- the form in which texts are compared -------------------------------------------------------------------------

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nrtbf\"'/\\]))")
_PLAIN = {"n": "\n", "r": "\n", "t": " ", "b": " ", "f": " "}
_LINE_MARK = re.compile(
    r"^[ \t]*(?:(?:\d{1,6}(?:→|\t|:\s|\s?\|)|[-*+•‣◦▪–—>#|]+(?=\s|\[)|\(?\d{1,3}[.)](?=\s)|\[[ xX]\])[ \t]*)+",
    re.MULTILINE,
)
_FRAME = re.compile(
    r"\s*(?:[{\[,\s]*[\"'][\w-]+[\"']|[\w./-]*[-/.][\w./-]*|[^\n:：。.]{0,60}?(?:memor(?:y|ies|ia)|note[sd]?|recall(?:ed|s)?|remember(?:ed|s)?|kura|stored|souvenir|mémoire|erinner\w*|gedächtnis|notiz|recuerd\w+|nota|"
    r"记忆|記憶|记录|記録|メモ|覚え|기억|메모|ذاكرة|الذاكرة|память|памят\w+)[^\n:：。]{0,40}?)(?:[:：]|\s[—–-])\s*",
    re.IGNORECASE,
)
_GUARDED = re.compile(r"(?<=\d)[.,:/](?=\d)|(?<![\w.,-])[-−+](?=[.\d])|(?<=\d)\s?%")
_GUARD = {
    ".": "\ue010",
    ",": "\ue011",
    ":": "\ue012",
    "/": "\ue013",
    "-": "\ue014",
    "−": "\ue014",
    "+": "",
    "%": "\ue015",
}
_NO_WORD = re.compile(r"[^\w\ue010-\ue015]+|_+")
_BESIDE_UNSPACED = re.compile(f" (?:(?<={UNSPACED} )|(?={UNSPACED}))")


def unescaped(text: str) -> str:
    """JSON escapes undone, also where they were escaped again."""
    for _ in range(3):
        if "\\" not in text:
            break
        text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _PLAIN.get(m[2], m[2]), text)
    return text


def key(text: str) -> str:
    """The words and numbers of a text and nothing else: case, punctuation, markup, escapes and line breaks gone. Signs,
    decimal marks and per cent stay with their numbers: -3.2 is not 3.2."""
    text = fold(_LINE_MARK.sub("", unescaped(text))).casefold().replace("'", "")
    text = _GUARDED.sub(lambda m: _GUARD.get(m.group().strip(), ""), text)
    text = _NO_WORD.sub(" ", text).strip()
    return text if text.isascii() else _BESIDE_UNSPACED.sub("", text)


def _long_enough(words: str) -> bool:
    return len(words) >= (ECHO_MIN_CJK if mostly_cjk(words) else ECHO_MIN)


def _hash(words: str) -> str:
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


# --- sentences of what was served ---------------------------------------------------------------------------------

_STOP = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？؟।])")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*+•>#|]+\s|\d{1,3}[.)]\s))")


def _views(text: str) -> tuple[list[str], list[str]]:
    """The sentences of a text twice: with every line break an end, and with only those between paragraphs. One of the two
    agrees with the other side, however the text was wrapped."""
    bare = unescaped(text)
    lines = [_LINE_MARK.sub("", line) for line in bare.splitlines()]
    blocks = [" ".join(_LINE_MARK.sub("", b).split("\n")) for b in _PARAGRAPH.split(bare)]
    return _units(lines), _units(blocks)


def _units(stretches: Iterable[str]) -> list[str]:
    units = []
    for stretch in stretches:
        for sentence in _STOP.split(stretch):
            words = key(sentence)
            # a short one is said by chance, unless it carries a number: that could be the news
            if _long_enough(words) or any(c.isdigit() for c in words):
                units.append(sentence)
    return units if any(_long_enough(key(u)) for u in units) else []


def _variants(sentence: str) -> Iterator[str]:
    """The sentence, and what is left of it without its frame ("slug: …")."""
    yield key(sentence)
    match = _FRAME.match(sentence)
    if match and _long_enough(rest := key(sentence[match.end() :])):
        yield rest


def sentences_around(before: str, quote: str, after: str) -> str:
    """The quote widened to whole sentences of the event it stands in: what was served can be recognised in half of a
    sentence only by the other half."""
    before, quote, after = unescaped(before), unescaped(quote), unescaped(after)
    start = max((m.end() for m in _EDGE.finditer(before)), default=0)
    # a quote that ends with its own stop is whole at its end
    stop = None if _ENDED.search(quote) else _EDGE.search(after)
    end = 0 if _ENDED.search(quote) else stop.start() if stop else len(after)
    return before[start:] + quote + after[:end]


_EDGE = re.compile(r"[.!?…][\"'”’)\]]*(?=\s|$)|[。！？؟।]|\n\s*\n|\n(?=[ \t]*(?:[-*+•>#|]+\s|\d{1,3}[.)]\s))")
_ENDED = re.compile(r"[.!?…。！？؟।][\"'”’)\]]*\s*$")


# --- a find that says the same ------------------------------------------------------------------------------------


def _whole(text: str, start: int, end: int, needle: str) -> bool:
    """Does the store say here what the needle says: whole words, and no negation that the needle left out?"""
    before, after = text[start - 1 : start], text[end : end + 1]
    if (before and _joined(before, needle[0])) or (after and _joined(needle[-1], after)):
        return False
    ahead = text[max(0, start - 40) : start].rpartition("\n")[2]
    behind = text[end : end + 16].partition("\n")[0]
    return not loses_negation(ahead, behind)


_SPACED = re.compile(rf"(?!{UNSPACED})[\w\ue010-\ue015]")


def _joined(left: str, right: str) -> bool:
    return bool(_SPACED.match(left) and _SPACED.match(right)) and not (left in "\ue014" or right in "\ue015")
