"""Rule G4 for candidates: agent prose alone may be kept as the agent's judgement, never as a fact.

The agent guesses all day, and a guess that is written down as a fact is believed by every later session.
"""

from __future__ import annotations

from collections.abc import Sequence

from kura_runtime.domain.candidate import Candidate, Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.judgement import claims_fact, hardened, is_judgement, is_report


def self_only(quotes: Sequence[Quote]) -> bool:
    """Is the agent's own prose all there is?"""
    return bool(quotes) and all(q.cls is EvidenceClass.SELF for q in quotes)


def as_judgement(candidate: Candidate, quotes: Sequence[Quote]) -> Refusal | None:
    """None where the candidate says in the first person what the agent thinks, else the refusal `self-as-fact`.

    A report ("I verified that …") is a fact without evidence in whatever grammar, and so is an opinion in the title whose
    reason takes the matter as proven.
    """
    for place, text in (("topic", candidate.topic), ("why", candidate.why)):
        if is_report(text):
            return _fact(place, text, "reports something as found out; only a tool's output would show that")
        if hard := hardened(text):
            return _fact(place, hard[0], "states it as established")
    for quote in quotes:
        if is_report(quote.text):
            return _fact("quote [SELF]", quote.text, "the agent's report of a check is not the check")
    if is_judgement(candidate.topic) or (is_judgement(candidate.why) and not claims_fact(candidate.topic)):
        return None
    return _fact("topic", candidate.topic, "not worded as the agent's own judgement")


def _fact(place: str, token: str, note: str) -> Refusal:
    return Refusal(
        "G4", "self-as-fact", token=token[:120], place=place, note=f"only agent prose supports it: {note}"
    )
