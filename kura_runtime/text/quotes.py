"""Rule G1: a quote is found verbatim inside one event of the class it claims, or of a lower class, or not at all.

The whole batch is folded once and laid end to end, events parted by a character that folding takes out of every text: no
quote can contain it, so no quote can reach from one event into the next. Quotes are then looked up in an index of that
text, not searched for one by one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property

from kura_runtime.domain.candidate import ProposedQuote, Refusal
from kura_runtime.domain.evidence import Event, EvidenceClass, Quote
from kura_runtime.text.locate import Locator
from kura_runtime.text.lost_negation import loses_negation
from kura_runtime.text.normalise import MARK, Folded, fold, unhidden, visible
from kura_runtime.text.scripts import WORD_LETTER, has_cjk, mostly_cjk

QUOTE_MIN, QUOTE_MIN_CJK, QUOTE_MAX = 12, 6, 400  # characters after folding

_BREAK = "\x00"  # folding removes it, so it stands in no folded text
_DIGIT = re.compile(r"\d")
_NOT_FOUND = "not-found"


class BatchIndex:
    """The events of one batch, searchable. Events shown for context only are not evidence and are left out.

    The order in which the events are given does not matter: journal order (`seq`) decides which of several equal places
    a quote gets.
    """

    def __init__(self, events: Iterable[Event]) -> None:
        self.events: tuple[Event, ...] = tuple(
            sorted((e for e in events if not e.context), key=lambda e: (e.seq, e.event_id))
        )
        self._folded = [fold(e.text) for e in self.events]
        self._starts: list[int] = []
        at = 0
        for text in self._folded:
            self._starts.append(at)
            at += len(text) + 1
        self._text = _BREAK.join(self._folded)
        self._maps: dict[int, Folded] = {}
        self._numbers = {e.event_id: n for n, e in reversed(list(enumerate(self.events)))}

    @cached_property
    def _locator(self) -> Locator:
        # from 10 (17) characters on by index; the shortest quotes, which are few, by plain search
        return Locator(self._text, 3, 8) if has_cjk(self._text) else Locator(self._text, 6, 12)

    @cached_property
    def _marks(self) -> list[tuple[int, int]]:
        return [m.span() for m in MARK.finditer(self._text)] if "⟦" in self._text else []

    def resolve(self, quote: ProposedQuote) -> Quote | Refusal:
        """The quote with its event and span, its text as the journal has it; or the reason why it cannot stand.

        Found in its own class it keeps it, found only in a lower class it is re-classed down. Found only in a higher class
        it is refused: a human's guess must not become a tool's measurement.
        """
        wanted = fold(quote.text)
        if (length := _length_fault(wanted)) is not None:
            return _refused(quote, length)
        best: tuple[int, int, int] | None = (
            None  # (-trust, event, offset): highest allowed class, then journal order
        )
        fault = ""
        for at in self._locator.places(wanted):
            number = bisect_right(self._starts, at) - 1
            cls = self.events[number].cls
            if cls.trust > quote.cls.trust:
                fault = fault or f"stands only in a {cls.value} event; a class is never raised"
                continue
            if (unsound := self._unsound(at, at + len(wanted))) is not None:
                fault = unsound
                continue
            here = (-cls.trust, number, at)
            best = here if best is None else min(best, here)
        if best is None:
            reason = "placeholder" if fault.startswith("touches") else _NOT_FOUND
            return _refused(quote, fault or "in no event of the batch", reason)
        return self._quote(best[1], best[2], len(wanted))

    def around(self, quote: Quote) -> tuple[str, str, str]:
        """What stands before a resolved quote in its event, the quote, and what stands after it, as written."""
        number = self._numbers[quote.event_id]
        text, wanted = self._folded[number], fold(quote.text)
        at = text.find(wanted)
        span = self._map_of(number).span(at, at + len(wanted)) if at >= 0 else None
        if span is None:
            return ("", quote.text, "") if at < 0 else (text[:at], wanted, text[at + len(wanted) :])
        written = self.events[number].text
        return written[: span[0]], written[span[0] : span[1]], written[span[1] :]

    def event(self, event_id: str) -> Event | None:
        """The event of this id, None where the batch has none (or only a context event)."""
        number = self._numbers.get(event_id)
        return None if number is None else self.events[number]

    def _quote(self, number: int, at: int, length: int) -> Quote:
        event = self.events[number]
        start = at - self._starts[number]
        folded = self._folded[number][start : start + length]
        text = self._as_written(number, start, start + length)
        return Quote(
            cls=event.cls,
            # the journal's own writing, where it says exactly this and no more
            text=text if fold(text) == folded else folded,
            event_id=event.event_id,
            session=event.session,
            journal_key=event.journal_key,
            byte_start=event.byte_start,
            byte_end=event.byte_end,
            ts=event.ts,
        )

    def _as_written(self, number: int, start: int, end: int) -> str:
        """The stretch with its own white space, so that the journal's record contains it to the letter; characters that
        hide or reorder text are taken out."""
        written, folded = self.events[number].text, self._folded[number][start:end]
        if folded in written:
            return folded
        if written.isascii():
            spaced = re.compile(r"\s+".join(re.escape(word) for word in folded.split(" "))).search(written)
            if spaced:
                return spaced.group()
        return unhidden(self._map_of(number).original(start, end))

    def _map_of(self, number: int) -> Folded:
        if number not in self._maps:
            self._maps[number] = Folded(self.events[number].text, self._folded[number])
        return self._maps[number]

    def _unsound(self, start: int, end: int) -> str | None:
        """Why the words at this place do not say what the quote says, None where they do."""
        text = self._text
        before, first = text[start - 1 : start], text[start]
        last, after = text[end - 1], text[end : end + 1]
        for mark_start, mark_end in self._marks_near(start, end):
            cut = text.startswith("⟦cut", mark_start)
            if mark_start < end and start < mark_end:
                return "touches a placeholder: the words there are not the journal's"
            # a word or a number next to a cut may be only half of itself
            if cut and mark_end == start and first.isalnum():
                return "touches a cut: its first word may be half a word"
            if cut and mark_start == end and last.isalnum():
                return "touches a cut: its last word may be half a word"
        if splits(before, first, text[max(0, start - 2) : start - 1]) or splits(
            last, after, following=text[end + 1 : end + 2]
        ):
            return "begins or ends inside a word or a number, which changes what is said"
        if loses_negation(
            text[max(0, start - 40) : start].rpartition(_BREAK)[2], text[end : end + 16].partition(_BREAK)[0]
        ):
            return "leaves out the negation right beside it, which turns what is said round"
        return None

    def _marks_near(self, start: int, end: int) -> list[tuple[int, int]]:
        if not self._marks:
            return []
        first = bisect_right(self._marks, (start, 0)) - 1
        near = []
        for mark in self._marks[max(0, first) :]:
            if mark[0] > end:
                break
            if mark[1] >= start:
                near.append(mark)
        return near


def splits(left: str, right: str, before: str = "", following: str = "") -> bool:
    """Does an edge between these two characters cut a word or a number in half, or a sign off its number?

    `before` is the character before `left`, `following` the one after `right`. Only scripts in which a word's beginning
    and end are its meaning ("able" out of "unable"); Korean, Arabic or Hebrew particles come off honestly.
    """
    if not left or not right or left == _BREAK or right == _BREAK:
        return False
    if _DIGIT.match(left) and _DIGIT.match(right):
        return True
    if left in ".,'" and _DIGIT.match(right) and before and _DIGIT.match(before):
        return True
    if right in ".,'" and _DIGIT.match(left) and following and _DIGIT.match(following):
        return True
    if left in "-−" and _DIGIT.match(right) and not (before and (before.isalnum() or before in "-−")):
        return True
    if left == "'" and before and WORD_LETTER.match(before) and WORD_LETTER.match(right):
        return True
    if right == "'" and WORD_LETTER.match(left) and following and WORD_LETTER.match(following):
        return following in "tT"  # "do" out of "don't"; "the user" out of "the user's" is whole
    return bool(WORD_LETTER.match(left) and WORD_LETTER.match(right))


def _length_fault(folded: str) -> str | None:
    least = QUOTE_MIN_CJK if mostly_cjk(folded) else QUOTE_MIN
    if len(folded) < least:
        return f"{len(folded)} characters; a quote has at least {least}"
    if len(folded) > QUOTE_MAX:
        return f"{len(folded)} characters; a quote has at most {QUOTE_MAX}"
    return None


def _refused(quote: ProposedQuote, note: str, reason: str = _NOT_FOUND) -> Refusal:
    return Refusal(
        "G1", reason, token=visible(quote.text)[:120], place=f"quote [{quote.cls.value}]", note=note
    )


def evidence_class(name: str) -> EvidenceClass | None:
    """USER, TOOL, ACT or SELF by name in any case; None for anything else."""
    try:
        return EvidenceClass(name.strip().upper())
    except ValueError:
        return None
