"""The human turns of a batch, each cut into weighed units: the part of a sentence that carries its meaning, verbatim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kura_pipeline.distil.extract.clauses import Span, clauses, sentences, trim
from kura_pipeline.distil.extract.norms import embedded, opening
from kura_pipeline.distil.extract.passages import passages
from kura_pipeline.distil.extract.weighing import Weighed, weigh
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.text.normalise import fold, visible
from kura_runtime.text.scripts import mostly_cjk

QUOTE_MAX = 380  # characters; the gate takes 400
_CLAUSES_MAX = 9
_KEEP_TOGETHER = 0.5  # a shorter piece must weigh this much more than the whole sentence


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence of a turn. `start`, `end` bound its weighty part, `whole` the sentence; `passage` counts the human
    passages of the turn."""

    start: int
    end: int
    whole: Span
    weighed: Weighed
    passage: int


@dataclass(frozen=True, slots=True)
class Turn:
    """`n` counts the human turns of the batch; `at` is the event's place in it. `asked` is what the agent said last
    before this turn."""

    n: int
    at: int
    event: Event
    units: tuple[Unit, ...]
    asked: str = ""

    def text(self, start: int, end: int) -> str:
        """That stretch on one line."""
        return visible(self.event.text[start:end])


def is_notes(events: Sequence[Event]) -> bool:
    """A batch without an agent is a person's notes."""
    return not any(e.cls is not EvidenceClass.USER for e in events if not e.context)


def turns(events: Sequence[Event], *, notes: bool) -> list[Turn]:
    """The human turns in order. Turns without a human passage keep their number: they are steps of the conversation."""
    found: list[Turn] = []
    asked = ""
    for at, event in enumerate(events):
        if event.cls is EvidenceClass.SELF:
            asked = event.text
        if event.cls is not EvidenceClass.USER or event.context:
            continue
        units = []
        for p, passage in enumerate(passages(event.text, notes=notes)):
            for sentence in sentences(event.text, passage):
                units.append(_unit(event.text, sentence, p, notes))
        found.append(Turn(len(found), at, event, tuple(units), asked))
        asked = ""
    return found


def long_enough(text: str) -> bool:
    """Is it a quote by length: 12 characters, 6 where most of them are Chinese, Japanese or Korean?"""
    folded = fold(text)
    return (6 if mostly_cjk(folded) else 12) <= len(folded) <= 400


def _unit(text: str, sentence: Span, passage: int, notes: bool) -> Unit:
    whole = weigh(text[sentence.start : sentence.end], notes=notes)
    best, span = whole, sentence
    if whole.language == "en":
        skip = embedded(text[sentence.start : sentence.end])
        if skip:
            span = trim(text, Span(sentence.start + skip, sentence.end))
            best = weigh(text[span.start : span.end], notes=notes)
    if not notes and span == sentence:
        span, best = _weightiest(text, sentence, whole)
    start = span.start
    if best.language == "en":
        start += opening(text[span.start : span.end])
    end = start + len(text[start : span.end].rstrip(" ,;:，；、-–—"))
    end = min(end, start + QUOTE_MAX)
    if end == start + QUOTE_MAX:  # at a word border
        cut = text.rfind(" ", start, end)
        end = cut if cut > start + 12 else end
    return Unit(start, end, sentence, best, passage)


def _weightiest(text: str, sentence: Span, whole: Weighed) -> tuple[Span, Weighed]:
    """The whole sentence; where a part of it is a chore or speaks of the moment, the run of clauses that weighs most."""
    parts = clauses(text, sentence)
    best_span, best = sentence, whole
    if not 2 <= len(parts) <= _CLAUSES_MAX:
        return best_span, best
    if whole.acts.get(
        "retract"
    ):  # "you can undo that, it was …": what was taken back stands in another sentence
        rest = Span(parts[1].start, sentence.end)
        weighed, first = weigh(text[rest.start : rest.end]), weigh(text[parts[0].start : parts[0].end])
        if weighed.lasting and (first.thin or first.score == 0):
            return rest, replace(weighed, acts=weighed.acts | {"retract": whole.acts["retract"]})
    if not whole.mixed and not any(w < 0 for w in whole.acts.values()):
        return best_span, best
    for size in range(len(parts) - 1, 0, -1):
        for i in range(len(parts) - size + 1):
            span = Span(parts[i].start, parts[i + size - 1].end)
            weighed = weigh(text[span.start : span.end])
            gain = weighed.score - best.score
            if gain >= _KEEP_TOGETHER or (best.mixed and not weighed.mixed and weighed.lasting and gain >= 0):
                best_span, best = span, weighed
    return best_span, best
