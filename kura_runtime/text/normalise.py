"""The canonical form of text in which quotes are looked for, and the way back from it to the text as written.

Two writings of the same words must be one text here, or honest quotes are refused: full-width and half-width forms,
composed and decomposed accents, line breaks and runs of spaces, curly and straight quotation marks. Characters that no
reader sees (zero-width, bidirectional controls, terminal colours) are taken out, so that they can neither hide words nor
break a match. Case is kept: a quote is verbatim, and in half of the world's languages case carries meaning.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from kura_runtime.text.scripts import UNSPACED
from kura_runtime.text.sentences import sentences

__all__ = ["CUT_MARK", "MARK", "Folded", "cut_mark", "fold", "sentences", "visible"]

CUT_MARK = "⟦cut:{n}⟧"  # what a cap leaves where it took n characters out
# Placeholders that the intake writes: a cut, or a redacted secret. They are ours, not the journal's words.
MARK = re.compile(r"⟦(?:cut|secret):[^⟦⟧\n]{0,80}⟧")

_JOINERS = (
    "\u200c\u200d\ufe00-\ufe0f"  # they shape letters and emoji: invisible to a search, kept in what is shown
)
_FORMAT = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"
)
_CONTROL = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_ANSI = "\x1b\\[[0-9;?]*[ -/]*[@-~]"
HIDDEN = re.compile(f"{_ANSI}|[{_CONTROL}{_FORMAT}{_JOINERS}]")
UNSEEN = re.compile(f"[{_CONTROL}{_FORMAT}{_JOINERS}]")
_COLOUR = re.compile(_ANSI)
_ASCII_CONTROL = dict.fromkeys((*range(9), *range(14, 28), 127))
_UNSHOWN = re.compile(f"{_ANSI}|[{_CONTROL}{_FORMAT}]")
_CURLY = "‘’‚‛ʼ“”„‟"
_QUOTES = str.maketrans(_CURLY, "'''''\"\"\"\"")
_UNSPACED_GAP = re.compile(f" (?<={UNSPACED} )(?={UNSPACED})")

# Characters that normalisation may fuse with the one before them: marks, Hangul vowels and finals, kana voicing.
_FUSING = "\u1160-\u11ff\u3099\u309a\uff9e\uff9f\ud7b0-\ud7ff"
# Characters that fold one to one whatever stands beside them, if nothing that fuses follows: Latin, Greek, Cyrillic and
# Hebrew letters without decomposition, Hangul syllables, kana, Han, their punctuation, full-width ASCII.
_STEADY = "!-~à-åç-öø-ÿÀ-ÅÇ-ÖØ-ßα-ωΑ-ΡΣ-Ωа-яА-Яא-ת가-힣、-】ぁ-ゖァ-ヺー一-鿿！-～"


def cut_mark(n: int) -> str:
    """The mark that stands where a cap took `n` characters out."""
    return CUT_MARK.format(n=n)


def fold(text: str) -> str:
    """NFKC, nothing invisible, straight quotation marks, white space collapsed to single spaces (to nothing between two
    Chinese or Japanese characters) and stripped. Idempotent; case is kept."""
    if text.isascii():
        if "\x1b" in text:
            text = _COLOUR.sub("", text)
        return " ".join(text.translate(_ASCII_CONTROL).split())
    folded = _fold_once(text)
    # a character or a space that went can bring together what then composes
    while not unicodedata.is_normalized("NFKC", folded):
        folded = _fold_once(folded)
    return folded


def _fold_once(text: str) -> str:
    return _UNSPACED_GAP.sub("", " ".join(_char_fold(text).split()))


def _char_fold(text: str) -> str:
    """Everything but white space: what one cluster of characters becomes."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if UNSEEN.search(text):
        text = UNSEEN.sub("", text)
    text = unicodedata.normalize("NFKC", text)
    if any(mark in text for mark in _CURLY):
        text = text.translate(_QUOTES)
    return text


def visible(text: str) -> str:
    """`text` as it may be shown on one line: its own letters, white space collapsed, controls that hide or reorder text
    taken out; joiners and variation selectors stay (they shape Persian and Indic words and emoji)."""
    return " ".join(unhidden(text).split())


def unhidden(text: str) -> str:
    """`text` with its own white space, without the controls that hide or reorder text."""
    return _UNSHOWN.sub("", text)


class Folded:
    """A text, its folded form, and the map between their offsets. The map is made on first use: few texts need it."""

    def __init__(self, text: str, folded: str | None = None) -> None:
        self.text = text
        self.folded = fold(text) if folded is None else folded

    def original(self, start: int, end: int) -> str:
        """The stretch of the text as written that folds to `folded[start:end]`; the folded stretch itself where the
        text is so unusual that no map can be made."""
        span = self.span(start, end)
        return self.folded[start:end] if span is None else self.text[span[0] : span[1]]

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Offsets in `text` of `folded[start:end]`, whole characters only; None where no map can be made."""
        if self._map is None or not 0 <= start < end <= len(self.folded):
            return None
        froms, pieces = self._map
        begin, _, run = pieces[first := bisect_right(froms, start) - 1]
        _, finish, last_run = pieces[last := bisect_right(froms, end - 1) - 1]
        if run:
            begin += start - froms[first]
        if last_run:
            finish = pieces[last][0] + end - froms[last]
        return begin, finish

    @cached_property
    def _map(self) -> tuple[list[int], list[tuple[int, int, bool]]] | None:
        """Where each piece of the folded text begins, and (start, end, is a run) of it in the original; in a run both
        advance together."""
        froms: list[int] = []
        spans: list[tuple[int, int, bool]] = []
        built: list[str] = []
        at = 0
        for begin, end, piece, run in _pieces(self.text):
            froms.append(at)
            spans.append((begin, end, run))
            built.append(piece)
            at += len(piece)
        # what folds across pieces in a way not foreseen here shows as a difference: then there is no map
        return (froms, spans) if froms and "".join(built) == self.folded else None


_CLUSTER = re.compile(
    rf"(?P<gap>(?:{_ANSI}|\s|[{_CONTROL}{_FORMAT}{_JOINERS}])+)"
    rf"|(?P<run>(?:[!-~]+(?: [!-~]+)*|[{_STEADY}]+)(?![{_CONTROL}{_FORMAT}{_JOINERS}{_FUSING}\u0300-\u036f\u0591-\u05c7\u0483-\u0489]))"
    r"|(?P<one>.)",
    re.DOTALL,
)
_FUSES = re.compile(f"[{_FUSING}{_FORMAT}{_JOINERS}]")


def _pieces(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """(start, end, folded form, is a run) of every piece of `text` that folds to something, in order; a gap of white space
    folds to one space, or to nothing at the ends and between unspaced characters."""
    at, size = 0, len(text)
    space = -1  # where the open gap began
    last = ""
    while at < size:
        match = _CLUSTER.match(text, at)
        assert match is not None  # every character is a cluster
        end = match.end()
        if match.lastgroup == "gap":
            if space < 0 and HIDDEN.sub("", match.group()):
                space = at
            at = end
            continue
        run = match.lastgroup == "run"
        if not run:
            while end < size and _fuses(text[end]):
                end += 1
        piece = _char_fold(text[at:end])
        run = run and len(piece) == end - at
        if piece.isspace():
            space = at if space < 0 else space
        elif piece:
            if space >= 0 and last and not _UNSPACED_GAP.search(f"{last} {piece[0]}"):
                yield space, at, " ", False
            space, last = -1, piece[-1]
            yield at, end, piece, run
        at = end


def _fuses(char: str) -> bool:
    return ord(char) > 0x7F and (unicodedata.category(char)[0] == "M" or _FUSES.match(char) is not None)
