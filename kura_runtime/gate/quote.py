"""Rules G1 and G3 for the quotes of one candidate: which stand, which repeat a memory, and why the others fell."""

from __future__ import annotations

from dataclasses import replace

from kura_runtime.domain.candidate import ProposedQuote, Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.echo import EchoSource, key, sentences_around, unframed
from kura_runtime.text.normalise import fold
from kura_runtime.text.quotes import BatchIndex


def found(proposed: ProposedQuote, index: BatchIndex) -> Quote | Refusal:
    """G1: the quote as it stands in the batch."""
    return index.resolve(proposed)


def fresh(quote: Quote, index: BatchIndex, echo: EchoSource) -> Quote | Refusal:
    """G3: the quote where it is news, the reason where it is an echo.

    The human may repeat what is remembered: that is no echo but a recurrence, so a USER quote is only marked. A tool, a call
    or the agent's own prose that says what the store holds, or what was served, is this system talking to itself.
    """
    before, written, after = index.around(quote)
    held = _held(quote, written, echo)
    if quote.cls is EvidenceClass.USER:
        return replace(quote, repeats=True) if held else quote
    if held:
        return _echo(quote, "stands in a memory of the store")
    if echo.served(sentences_around(before, written, after)):
        return _echo(quote, "was handed out by this system")
    return quote


def _held(quote: Quote, written: str, echo: EchoSource) -> bool:
    plain = fold(quote.text)
    if echo.stored(plain):
        return True
    asked = {key(plain)}
    for bare in unframed(written):
        if key(bare) not in asked:
            asked.add(key(bare))
            if echo.stored(bare):
                return True
    return False


def _echo(quote: Quote, note: str) -> Refusal:
    return Refusal(
        "G3", "echo", token=quote.text[:120], place=f"quote [{quote.cls.value}] {quote.event_id}", note=note
    )
