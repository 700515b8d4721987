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
_UNSHOWN = re.compile(f"{_ANSI}|[{_CONTROL}{_FORMAT}]")
_QUOTES = str.maketrans("‘’‚‛ʼ“”„‟", "'''''\"\"\"\"")
_CURLY = re.compile("[‘’‚‛ʼ“”„‟]")
_UNSPACED_GAP = re.compile(f"(?<={UNSPACED}) (?={UNSPACED})")

# Characters that normalisation may fuse with the one before them: marks, Hangul vowels and finals, kana voicing.
_FUSING = "\u1160-\u11ff\u3099\u309a\uff9e\uff9f\ud7b0-\ud7ff"
_PLAIN_RUN = re.compile(r"[!-~]+(?: [!-~]+)*")


def cut_mark(n: int) -> str:
    """The mark that stands where a cap took `n` characters out."""
    return CUT_MARK.format(n=n)


def fold(text: str) -> str:
    """NFKC, nothing invisible, straight quotation marks, white space collapsed to single spaces (to nothing between two
    Chinese or Japanese characters) and stripped. Idempotent; case is kept."""
    if text.isascii():
        if HIDDEN.search(text):
            text = HIDDEN.sub("", text)
        return " ".join(text.split())
    # taking a character out, or a space from between two characters, can bring together what then composes
    folded = _fold_once(text)
    while (again := _fold_once(folded)) != folded:
        folded = again
    return folded


def _fold_once(text: str) -> str:
    return _UNSPACED_GAP.sub("", " ".join(_char_fold(text).split()))


def _char_fold(text: str) -> str:
    """Everything but white space: what one cluster of characters becomes."""
    return unicodedata.normalize("NFKC", HIDDEN.sub("", text)).translate(_QUOTES)


def visible(text: str) -> str:
    """`text` as it may be shown on one line: its own letters, white space collapsed, controls that hide or reorder text
    taken out; joiners and variation selectors stay (they shape Persian and Indic words and emoji)."""
    return " ".join(_UNSHOWN.sub("", text).split())


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
        froms, tos, lengths = self._map
        first = bisect_right(froms, start) - 1
        last = bisect_right(froms, end - 1) - 1
        begin = tos[first] + (start - froms[first] if lengths[first] < 0 else 0)
        if lengths[last] < 0:
            finish = tos[last] + (end - froms[last])
        else:
            finish = tos[last] + lengths[last]
        return begin, finish

    @cached_property
    def _map(self) -> tuple[list[int], list[int], list[int]] | None:
        """Pieces of the folded text: where each begins, where it begins in the original, and how long it is there; the
        length is -1 for a run in which both advance together."""
        froms: list[int] = []
        tos: list[int] = []
        lengths: list[int] = []
        built: list[str] = []
        at = 0
        gap = -1  # where pending white space began, -1 for none
        last = ""
        text = self.text
        for begin, finish, piece in _pieces(text):
            if piece is None:
                gap = begin if gap < 0 else gap
                continue
            run = finish - begin == len(piece) and text[begin:finish] == piece and len(piece) > 1
            # white space inside a folded cluster (NFKC makes some) is rare: such a text gets no map unless it agrees below
            if gap >= 0 and at and not _UNSPACED_GAP.search(f"{last} {piece[0]}"):
                froms.append(at)
                tos.append(gap)
                lengths.append(begin - gap)
                built.append(" ")
                at += 1
            gap = -1
            froms.append(at)
            tos.append(begin)
            lengths.append(-1 if run else finish - begin)
            built.append(piece)
            at += len(piece)
            last = piece[-1]
        return (froms, tos, lengths) if froms and "".join(built) == self.folded else None


_CLUSTER = re.compile(
    rf"(?P<space>(?:{_ANSI}|\s|[{_CONTROL}{_FORMAT}{_JOINERS}])+)"
    rf"|(?P<run>[!-~]+(?: [!-~]+)*(?![{_CONTROL}{_FORMAT}{_JOINERS}{_FUSING}\u0300-\u036f]))"
    r"|(?P<one>.)",
    re.DOTALL,
)


def _pieces(text: str) -> list[tuple[int, int, str | None]]:
    """(start, end, folded form) of every cluster of `text` in order; the form is None for white space."""
    pieces: list[tuple[int, int, str | None]] = []
    at, size = 0, len(text)
    while at < size:
        match = _CLUSTER.match(text, at)
        assert match is not None
        end = match.end()
        if match.lastgroup == "space":
            hidden_only = not any(c.isspace() for c in HIDDEN.sub("", match.group()))
            if not hidden_only:
                pieces.append((at, end, None))
        elif match.lastgroup == "run":
            pieces.append((at, end, match.group()))
        else:
            while end < size and _fuses(text[end]):
                end += 1
            form = _char_fold(text[at:end])
            if form:
                pieces.append((at, end, form if not form.isspace() else None))
        at = end
    return pieces


_FUSES = re.compile(f"[{_FUSING}{_FORMAT}{_JOINERS}]")


def _fuses(char: str) -> bool:
    return ord(char) > 0x7F and (unicodedata.category(char)[0] == "M" or _FUSES.match(char) is not None)
