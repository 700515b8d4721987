"""Rule G7: words in quotation marks stand verbatim in a surviving quote; words put into the human's mouth, in a USER one.

A paraphrase in quotation marks is the commonest way a memory lies: it lends the model's wording the human's authority.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.attribution import Attribution, People, attributions
from kura_runtime.gate.wording import stands_in
from kura_runtime.text.plainview import plain
from kura_runtime.text.quotation import Quotation, introduced, quotations, reads_as_speech

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")


def check_quotations(place: str, text: str, quotes: Sequence[Quote], people: People) -> Iterator[Refusal]:
    """The quotations of one part of a surface that no quote of the right class has word for word."""
    view = plain(text)
    spans = quotations(text)
    if not spans:
        return
    human = attributions(text, people)
    for quotation in spans:
        if quotation.block:
            if not _block_is_speech(view, quotation, human):
                continue
        elif not reads_as_speech(view, quotation):
            continue
        if quotation.open and not introduced(view, quotation):
            continue
        sources = quotes
        if introduced(view, quotation) and any(_credits(view, a.end, quotation) for a in human):
            sources = [q for q in quotes if q.cls is EvidenceClass.USER]
        if not any(stands_in(quotation.text, q.text) for q in sources):
            yield Refusal(
                "G7",
                "quotation",
                quotation.text.strip()[:80],
                place,
                "not word for word in a surviving quote",
            )


def _block_is_speech(view: str, quotation: Quotation, human: Sequence[Attribution]) -> bool:
    """A block quote is speech where the line before it presents it ("The user wrote:"); otherwise it may be a note."""
    before = view[: quotation.start].rstrip("> \t\n")
    return len(quotation.text.strip()) >= 8 and bool(human) and before.endswith((":", "："))


def _credits(view: str, end: int, quotation: Quotation) -> bool:
    """Does the credit that ends at `end` stand in front of the quotation, in the same sentence?"""
    return end <= quotation.start and not _SENTENCE_END.search(view[end : quotation.start])
