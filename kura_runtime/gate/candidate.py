"""The candidate gate: what a model proposes is kept only as far as the journal's own words carry it.

Each rule stands in its own module; here is their order, and nothing else: find the quotes (G1), take out the echoes (G3), see
whether anything is left (G2), send ideas to the seeds (G9), refuse agent prose dressed as fact (G4) and credit to the human
that no human's words support (G15), then tags (G10) and callsigns (G11). No model, no clock, no I/O: the same batch, the same
candidate and the same echo give the same verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

from kura_runtime.domain.candidate import Candidate, CandidateVerdict, Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.attribution import People, attributions
from kura_runtime.gate.callsigns import callsigns
from kura_runtime.gate.echo import EchoSource
from kura_runtime.gate.idea import as_fact, is_idea
from kura_runtime.gate.quote import found, fresh
from kura_runtime.gate.self_only import as_judgement, self_only
from kura_runtime.gate.tags import judge_tags
from kura_runtime.text.quotes import BatchIndex

__all__ = ["EchoSource", "judge", "new_quotes"]


def judge(candidate: Candidate, index: BatchIndex, echo: EchoSource, people: People) -> CandidateVerdict:
    """The verdict on one candidate against the events of its batch.

    A verdict "keep" whose quotes all `repeats` brings nothing new: it goes on to novelty, to be noted as a recurrence.
    """
    quotes, refusals = _surviving(candidate, index, echo)
    news = new_quotes(quotes)
    if is_idea(candidate.kind):
        if fault := as_fact(candidate, people):
            return _drop(candidate, quotes, [*refusals, fault])
        return CandidateVerdict(candidate, "seed", "none", quotes, refusals=tuple(refusals))
    if fault := nothing_left(quotes, refusals):
        return _drop(candidate, quotes, [*refusals, fault])
    judgement = self_only(news)
    if judgement and (fault := as_judgement(candidate, news)):
        return _drop(candidate, quotes, [*refusals, fault])
    if fault := credit(candidate, quotes, people):
        return _drop(candidate, quotes, [*refusals, fault])
    tags, refused_tags = judge_tags(candidate.tags, quotes)
    names, refused_names = callsigns(candidate.callsigns, quotes)
    return CandidateVerdict(
        candidate,
        "keep",
        "none",
        quotes,
        judgement=judgement,
        tags_kept=tags,
        callsigns_kept=names,
        refusals=(*refusals, *refused_tags, *refused_names),
    )


def new_quotes(quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """The quotes that no memory of the store holds yet."""
    return tuple(q for q in quotes if not q.repeats)


def credit(candidate: Candidate, quotes: Sequence[Quote], people: People) -> Refusal | None:
    """G15: machine output says what it likes about the human; a topic that credits him needs his own words."""
    if any(q.cls is EvidenceClass.USER for q in quotes):
        return None
    for one in attributions(candidate.topic, people):
        return Refusal(
            "G15", "attribution", one.token[:120], "topic", "credits the human, and no surviving quote is his"
        )
    return None


def _surviving(
    candidate: Candidate, index: BatchIndex, echo: EchoSource
) -> tuple[tuple[Quote, ...], list[Refusal]]:
    quotes: dict[tuple[str, str], Quote] = {}
    refusals: list[Refusal] = []
    for proposed in candidate.quotes:
        quote = found(proposed, index)
        if isinstance(quote, Quote):
            quote = fresh(quote, index, echo)
        if isinstance(quote, Refusal):
            refusals.append(quote)
        else:
            quotes.setdefault((quote.event_id, quote.text), quote)
    return tuple(quotes.values()), refusals


def nothing_left(quotes: Sequence[Quote], refusals: Sequence[Refusal]) -> Refusal | None:
    """G2: without a quote of the journal there is no candidate."""
    if quotes:
        return None
    if any(r.reason == "echo" for r in refusals):
        return Refusal("G3", "echo", note="every quote that was found is an echo")
    return Refusal("G2", "not-found", note="no quote was found" if refusals else "it has no quotes")


def _drop(candidate: Candidate, quotes: tuple[Quote, ...], refusals: list[Refusal]) -> CandidateVerdict:
    """Dropped for the last refusal."""
    return CandidateVerdict(candidate, "drop", refusals[-1].reason, quotes, refusals=tuple(refusals))
