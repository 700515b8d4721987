"""The embedded editor: no model, the same answer for the same batch, every time.

It picks by the gate's own rules (what the human settled, asked for to last, preferred, corrected, warned of, entrusted;
failures and figures of the machine beside it), writes fixed phrases round verbatim quotations, and judges by fixed
rules. It may miss; it cannot invent. Precision goes before recall.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from kura_pipeline.distil.editor import Brief, Composed, Novelty, Spotted
from kura_pipeline.distil.extract import judging, naming, writing
from kura_pipeline.distil.extract.evidence import is_failure, nearby
from kura_pipeline.distil.extract.gathering import Group, gather
from kura_pipeline.distil.extract.norms import norm
from kura_pipeline.distil.extract.picking import pick
from kura_pipeline.distil.extract.terms import Rarity
from kura_pipeline.distil.extract.turns import is_notes, turns
from kura_pipeline.distil.extract.values import shape
from kura_runtime.domain.candidate import Candidate, CandidateVerdict, ProposedQuote, Refusal
from kura_runtime.domain.draft import Draft, JudgeVerdict, Surface
from kura_runtime.domain.evidence import Batch, EvidenceClass
from kura_runtime.domain.memory import Memory
from kura_runtime.text.normalise import visible

_STRETCH = 40  # human turns: a model reads long batches in several passes, and each may bring `max_items`
_TAGS = {
    "entrusted": ("fact", "entrusted"), "rule": ("decision",), "preference": ("preference",), "decision": ("decision",),
    "correction": ("correction",), "constraint": ("decision",), "warning": ("lesson", "landmine"), "cause": ("lesson",),
    "value": ("fact",), "procedure": ("procedure",), "commitment": ("commitment",), "fact": ("fact",), "opinion": (),
}  # fmt: skip
_WHY = {
    "entrusted": "the human asks to keep it", "rule": "a standing rule in the human's words", "preference": "a stated preference",
    "decision": "a decision in the human's words", "correction": "a correction by the human", "constraint": "a limit that the human set",
    "warning": "a warning by the human", "cause": "what it was, in the human's words", "value": "values that the human gave",
    "procedure": "how it is done, in the human's words", "commitment": "a promise", "fact": "a fact that the human noted",
    "opinion": "an opinion that the human noted",
}  # fmt: skip
_OF_THEMSELVES = re.compile(r"\bmy name\b|\bi (?:work|live)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i'd|my|me|ich|je|yo)\b|我|私|僕|俺", re.IGNORECASE)


class ExtractiveEditor:
    """See `Editor`. Needs no configuration and keeps no state."""

    name = "extractive"
    version = "1"

    def models(self) -> dict[str, str]:
        """No model."""
        return {}

    def prompts(self) -> dict[str, str]:
        """No prompt."""
        return {}

    def spot(self, batch: Batch, brief: Brief) -> Spotted:
        """The lasting statements of a batch, one candidate a subject. `lost` counts what was found and passed over:
        taken-back, points-nowhere, too-short. `cut` counts the weakest beyond `max_items` a stretch of 40 turns."""
        events = batch.events
        notes = is_notes(events)
        said = turns(events, notes=notes)
        picked = pick(said, events)
        groups, lost = gather(picked.findings, said)
        room = brief.max_items * max(1, math.ceil(len(said) / _STRETCH))
        kept = sorted(
            sorted(groups, key=lambda g: (-g.score, g.lead.at))[:room],
            key=lambda g: (g.findings[0].at, g.findings[0].order),
        )
        rarity = Rarity(t.event.text for t in said if t.units)
        candidates = tuple(_candidate(g, [] if notes else nearby(g, events, said, rarity)) for g in kept)
        passed = Counter(picked.lost) + lost
        return Spotted(candidates, cut=len(groups) - len(kept), lost=dict(sorted(passed.items())))

    def novelty(self, verdict: CandidateVerdict, neighbours: Sequence[Memory], brief: Brief) -> Novelty:  # noqa: ARG002
        """See `Editor.novelty`."""
        return judging.novelty(verdict, neighbours)

    def compose(
        self,
        verdict: CandidateVerdict,
        brief: Brief,
        *,
        refusals: Sequence[Refusal] = (),
        before: Surface | None = None,  # noqa: ARG002
        extends: Memory | None = None,
        neighbours: Sequence[Memory] = (),  # noqa: ARG002
    ) -> Composed:
        """See `Editor.compose`. A second try leaves out whatever could have been refused."""
        stamp = max((q.ts[:10] for q in verdict.quotes if q.ts), default="")
        plain = bool(refusals)
        if extends is not None:
            made = writing.section(verdict, brief.language, stamp=stamp, plain=plain)
            if made is None:
                return Composed(None, reason="declined")
            return Composed(Surface(extends.slug, "", "", made[1], heading=made[0]))
        surface = writing.write(verdict, brief.language, stamp=stamp, plain=plain)
        return Composed(surface, reason="" if surface else "declined")

    def judge(self, draft: Draft, brief: Brief, *, digest: str = "") -> JudgeVerdict:  # noqa: ARG002
        """See `Editor.judge`. A draft that another editor wrote is left for that editor: these rules know quotations, not
        prose."""
        if draft.editor != self.name:
            return JudgeVerdict("SKIP", digest, f"written by the editor {draft.editor}")
        against = judging.worth(draft)
        return JudgeVerdict("TOSS" if against else "POUR", digest, against or "the human's own words")


def _candidate(group: Group, near: Sequence[ProposedQuote]) -> Candidate:
    lead = group.lead
    act = lead.weighed.main() or "fact"
    ordered = [lead, *(f for f in group.findings if f is not lead)] if group.reversal else group.findings
    quotes: list[ProposedQuote] = []
    for f in ordered:
        quotes += [*f.before, ProposedQuote(f.cls, f.text), *f.after]
    quotes += near
    users = [q.text for q in quotes if q.cls is EvidenceClass.USER]
    return Candidate(
        topic=naming.cut(visible(lead.text), writing.TOPIC_MAX),
        kind=_kind(act, lead.text),
        why=_WHY[act],
        quotes=tuple(dict.fromkeys(quotes)),
        tags=_tags(group, near),
        callsigns=naming.callsigns(users),
    )


def _kind(act: str, text: str) -> str:
    if act == "fact" and _OF_THEMSELVES.search(text):
        return "user"
    if act == "preference":
        return "user" if _FIRST_PERSON.search(text) else "feedback"
    if act == "correction" or (act == "rule" and norm(text) < 1.5):
        return "feedback"
    return "reference" if act == "value" and shape(text) == "address" else "project"


def _tags(group: Group, near: Sequence[ProposedQuote]) -> tuple[str, ...]:
    tags: list[str] = []
    for f in (group.lead, *group.findings):
        tags += _TAGS[f.weighed.main() or "fact"]
    tools = [q.text for q in near if q.cls is EvidenceClass.TOOL]
    if any(is_failure(t) for t in tools):
        tags.append("landmine")
    if any(shape(t) == "figure" and not is_failure(t) for t in tools):
        tags.append("measurement")
    if group.reversal:
        tags.append("reversal")
    return tuple(dict.fromkeys(tags))
