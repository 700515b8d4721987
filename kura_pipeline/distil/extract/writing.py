"""The memory's text: fixed phrases and verbatim quotations, nothing else.

What a quote is for is read from the quote itself (and from the topic, which is the leading one), because between the
steps only the candidate and its quotes survive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from kura_pipeline.distil.extract import naming
from kura_pipeline.distil.extract.languages import language_of
from kura_pipeline.distil.extract.naming import counts
from kura_pipeline.distil.extract.phrases import Phrases, phrases
from kura_pipeline.distil.extract.picking import INCIDENT, REASON
from kura_pipeline.distil.extract.terms import weight
from kura_pipeline.distil.extract.values import shape
from kura_pipeline.distil.extract.weighing import weigh
from kura_runtime.domain.candidate import CandidateVerdict
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.domain.memory import SUMMARY_MAX
from kura_runtime.text.normalise import visible

TOPIC_MAX = 200
_NOTE_SUFFIXES = {".md", ".txt", ".log"}


@dataclass(slots=True)
class Roles:
    """The quotes of a memory by what they do in it. `said` begins with the leading one."""

    said: list[Quote] = field(default_factory=list)
    before: list[Quote] = field(default_factory=list)
    why: list[Quote] = field(default_factory=list)
    happened: list[Quote] = field(default_factory=list)
    then: list[Quote] = field(default_factory=list)
    earlier: list[Quote] = field(default_factory=list)
    asked: list[Quote] = field(default_factory=list)
    tool: list[Quote] = field(default_factory=list)
    act: list[Quote] = field(default_factory=list)

    def sections(self) -> list[tuple[str, list[Quote]]]:
        """(name of the phrase, quotes) of what stands below the leading words, the dispensable last."""
        return [
            ("earlier", self.earlier), ("why", self.why), ("happened", self.happened), ("before", self.before),
            ("asked", self.asked), ("then", self.then), ("act", self.act), ("tool", self.tool),
        ]  # fmt: skip


def roles(verdict: CandidateVerdict) -> Roles:
    """Read the part of every surviving quote. Where the leading quote fell at the gate, the first lasting one leads."""
    found = Roles()
    topic = visible(verdict.candidate.topic)
    reversal = "reversal" in verdict.candidate.tags
    quotes = list(dict.fromkeys(verdict.quotes))
    users = [q for q in quotes if q.cls is EvidenceClass.USER]
    lead = next((q for q in users if visible(q.text).startswith(topic)), None)
    lead = lead or next((q for q in users if _lasting(q.text)), users[-1] if users else None)
    passed = False
    for quote in quotes:
        if quote is lead:
            passed = True
            found.said.insert(0, quote)
        elif quote.cls is EvidenceClass.TOOL:
            found.tool.append(quote)
        elif quote.cls is EvidenceClass.SELF:
            found.asked.append(quote)
        elif quote.cls is EvidenceClass.ACT:
            found.act.append(quote)
        elif REASON.search(quote.text):
            found.why.append(quote)
        elif _lasting(quote.text):
            (found.earlier if reversal else found.said).append(quote)
        elif INCIDENT.search(quote.text):
            found.happened.append(quote)
        else:
            (found.then if passed else found.before).append(quote)
    return found


def write(verdict: CandidateVerdict, language: str, *, stamp: str, plain: bool = False) -> Surface | None:
    """The surface, or None where no human words survived. `language` is the store's, or "" for that of the words.
    `plain` is the second try: everything in quotation marks, and nothing that could be left out."""
    parts = roles(verdict)
    if not parts.said or parts.said[0].cls is not EvidenceClass.USER:
        return None
    lead = visible(parts.said[0].text)
    own = language_of(lead)
    words = phrases(language or own)
    said = [visible(q.text) for q in parts.said]
    # a reversal is recognised by both words, the last one first
    recognised = [*said, *(visible(q.text) for q in (*parts.earlier, *parts.before, *parts.asked))]
    marks = words.marks_for(recognised)
    foreign = bool(language) and language.split("-")[0].lower() != own
    context = (
        [visible(q.text) for q in (*parts.before, *parts.asked)]
        if weigh(lead).pointing or weight(lead) < 4
        else []
    )
    return Surface(
        slug=naming.slug(" ".join((*context[:1], lead)), recognised[1:]),
        title=_title(lead, said, context, marks, quoted=plain or foreign),
        trigger=naming.trigger(recognised, marks),
        body=_body(parts, words, stamp, plain=plain),
        belongs_because=words.belongs,
        keep=words.keep,
        may_fade=words.may_fade,
        heading="",
    )


def _title(
    lead: str, said: Sequence[str], context: Sequence[str], marks: tuple[str, str], *, quoted: bool
) -> str:
    """The statement in one line; what it points at stands in front. Quoted where a figure or a foreign language asks for
    it."""
    if _sheet(said):
        named = naming.title(lead, said)
        if not quoted and not counts(named):
            return named
    room = naming.TITLE_MAX
    pieces = [naming.title(lead, strict=quoted)]
    if context and len(context[0]) + len(pieces[0]) <= room - 5:
        pieces.insert(0, context[0])
        quoted = True  # two utterances in one line must be told apart
    if quoted or any(counts(p) for p in pieces):
        pieces = [f"{marks[0]}{p}{marks[1]}" for p in pieces]
    return " — ".join(pieces)


def section(
    verdict: CandidateVerdict, language: str, *, stamp: str, plain: bool = False
) -> tuple[str, str] | None:
    """Heading and body of a section that is appended to an older memory; None where no human words survived."""
    parts = roles(verdict)
    if not parts.said:
        return None
    words = phrases(language or language_of(visible(parts.said[0].text)))
    return words.heading, _body(parts, words, stamp, plain=plain)


def _body(parts: Roles, words: Phrases, stamp: str, *, plain: bool) -> str:
    body = _leading(parts.said, words, "" if plain else stamp)
    for name, quotes in parts.sections():
        if not quotes or (plain and name in ("asked", "then", "act", "tool")):
            continue
        fresh = [q for q in quotes if visible(q.text) not in body]
        if not fresh:
            continue
        block = f"\n\n**{getattr(words, name)}:** " + " ".join(words.enclose(visible(q.text)) for q in fresh)
        if len(body) + len(block) <= SUMMARY_MAX:
            body += block
    return body


def _leading(said: Sequence[Quote], words: Phrases, stamp: str) -> str:
    notes = PurePath(said[0].journal_key).suffix.lower() in _NOTE_SUFFIXES
    dated = bool(stamp) and (said[0].ts or "")[:10] == stamp
    quoted = [words.enclose(visible(q.text)) for q in said]
    text = quoted[0] if len(quoted) == 1 else "\n" + "\n".join(f"- {q}" for q in quoted)
    shape_ = (
        (words.wrote if dated else words.wrote_undated) if notes else (words.said if dated else words.undated)
    )
    whole = shape_.format(date=stamp, quotes=text)
    while len(whole) > SUMMARY_MAX and len(quoted) > 1:
        quoted.pop()
        whole = shape_.format(date=stamp, quotes="\n" + "\n".join(f"- {q}" for q in quoted))
    return "\n".join(line.rstrip() for line in whole.splitlines())


def _lasting(text: str) -> bool:
    return weigh(text).lasting or weigh(text, notes=True).lasting


def _sheet(said: Sequence[str]) -> bool:
    return len(said) > 2 and sum(shape(t) == "hex" or shape(t) == "address" for t in said) > len(said) / 2
