"""Candidates (what an editor proposes) and the verdicts the gate gives on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kura_runtime.domain.evidence import EvidenceClass, Quote

CandidateKind = Literal["user", "feedback", "project", "reference", "idea"]


@dataclass(frozen=True, slots=True)
class ProposedQuote:
    """A quote as the editor claims it: not yet looked for in the batch."""

    cls: EvidenceClass
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the brain proposes. Nothing in it is believed before `gate.candidate` has judged it."""

    topic: str
    kind: str
    why: str
    quotes: tuple[ProposedQuote, ...]
    tags: tuple[str, ...] = ()
    callsigns: tuple[str, ...] = ()
    belongs_because: str = ""
    keep: str = ""
    may_fade: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing that did not pass: `rule` (G1…G15, markers), the `token` it is about, the `place` and the `reason`.

    `reason` is a short fixed word (not-found, echo, self-as-fact, number, attribution, …); `note` says it in full.
    """

    rule: str
    reason: str
    token: str = ""
    place: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class CandidateVerdict:
    """The gate's word on one candidate. `keep` and `seed` carry reason "none"."""

    candidate: Candidate
    verdict: Literal["keep", "seed", "drop"]
    reason: str
    quotes: tuple[Quote, ...]
    judgement: bool = False  # only SELF survives, written as the agent's own judgement
    tags_kept: tuple[tuple[str, str], ...] = ()  # (tag, its basis: the event id or "word")
    callsigns_kept: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()  # every quote, tag and callsign that fell, with its reason
