"""From turns to findings: each a lasting statement with the words it needs to be understood.

A statement that points outside itself ("that should never happen", "needs to be set to 1") is taken together with what
it points at, or not at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kura_pipeline.distil.extract.clauses import Span, clauses
from kura_pipeline.distil.extract.norms import opening
from kura_pipeline.distil.extract.terms import terms, weight
from kura_pipeline.distil.extract.turns import QUOTE_MAX, Turn, long_enough
from kura_pipeline.distil.extract.values import bare_value
from kura_pipeline.distil.extract.weighing import Weighed
from kura_runtime.domain.candidate import ProposedQuote
from kura_runtime.domain.evidence import Event, EvidenceClass

INCIDENT = re.compile(
    r"\b(?:exploded|crash(?:ed|es)?|got a crash|broke(?:n)?|failed|lost|wiped|deleted|overwr(?:ote|itten)|corrupted|hung|burned|took down|"
    r"went down|leaked|cost us|ran out|filled up)\b|崩|丢(?:了|失)|挂(?:了|掉)|出错|被(?:删|覆盖)|满了|"
    r"壊れ|落ち(?:た|て)|消え(?:た|て)|失敗し|溢れ|abgestürzt|gelöscht|kaputt|planté|perdu|cassé|falló|perdió",
    re.IGNORECASE,
)
REASON = re.compile(
    r"^(?:and |but )?(?:because|since|otherwise|or else|that way|so that|the (?:reason|point|idea|argument)\b|(?:her|his|their|my|our) (?:reason(?:ing)?|argument)\b|"
    r"it'?s because|which (?:means|is why)|this (?:way|keeps|avoids|makes|lets)|weil|sonst|denn|damit|parce que|sinon|porque|si no)\b"
    r"|\btoo (?:noisy|slow|expensive|unreliable|big|heavy|brittle|fragile|complicated|risky)\b|\bso (?:we|they|it|users?) (?:would|could|will)\b|(?:ので|から|ため)、|からです|ためです"
    r"|^(?:因为|由于|否则|不然|免得|这样|理由|原因是|他们的理由|她的理由|论点)|^(?:なぜなら|理由は|そうしないと|さもないと|でないと|でないと)",
    re.IGNORECASE,
)
# a statement that gives something up is half a statement: what holds instead stands behind it
_GIVEN_UP = re.compile(
    r"\b(?:no longer|not\b[^.;]* any ?more|stop(?:ped)? using|rid of)\b|不再|不用|停用|(?:は|を)やめ|(?:使|送|行)わ?ず",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"^\W*(?:from (?:now|today|here)|now|instead|we|it|they|use|take)\b|^(?:今後|今日から|これから|代わりに|从|改|现在|而是)",
    re.IGNORECASE,
)
_ACCEPTED = re.compile(
    r"^\W*(?:ok(?:ay)?|yes|yeah|yep|great|nice|cool|perfect|good|works|awesome|excellent|sure)\b",
    re.IGNORECASE,
)
_PROPOSAL = re.compile(
    r"^\W*(?:hm+\W*)?(?:(?:could|can|should|shall) we|what if we|how about)\b", re.IGNORECASE
)
_NO_CHOICE = "sure great good nice none neither please right wrong let maybe perfect cool"
_NOT_A_CHOICE = frozenset(_NO_CHOICE.split())


_SCRAP = 3  # telling words
_SCRAPPY = ("opinion", "commitment", "fact")


@dataclass(frozen=True, slots=True)
class Finding:
    """A lasting statement: `text` of the event (class USER, or ACT where the human's answer was a bare value and the
    agent wrote it down). `before` are quotes it needs in front of it, `after` quotes that give its reason."""

    turn: int
    order: int
    at: int
    cls: EvidenceClass
    text: str
    weighed: Weighed
    before: tuple[ProposedQuote, ...] = ()
    after: tuple[ProposedQuote, ...] = ()

    def words(self) -> Counter[str]:
        """Its telling terms, those of what it points at included."""
        found = terms(self.text)
        for quote in self.before:
            if quote.cls is EvidenceClass.USER:
                found |= terms(quote.text)
        return found


@dataclass(slots=True)
class Picked:
    """All findings of a batch in order, and what was passed over, by reason."""

    findings: list[Finding] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)


def pick(turns: Sequence[Turn], events: Sequence[Event]) -> Picked:
    """Every lasting statement of the human."""
    picked = Picked()
    for n, turn in enumerate(turns):
        previous = turns[n - 1] if n else None
        following = turns[n + 1] if n + 1 < len(turns) else None
        until = following.at if following else len(events)
        found = [
            f
            for f in (_of_unit(turn, i, previous, picked.lost) for i in range(len(turn.units)))
            if f is not None
        ]
        found = _without_scraps(_leaning_on_each_other(found))
        if not found:
            other = (
                _choice(turn)
                or _proposal(turn, following)
                or _written_down(turn, events[turn.at + 1 : until])
            )
            found = [other] if other else []
        picked.findings += found
    return picked


def _of_unit(turn: Turn, i: int, previous: Turn | None, lost: Counter[str]) -> Finding | None:
    unit = turn.units[i]
    weighed = unit.weighed
    if not weighed.lasting:
        return None
    start, end = unit.start, unit.end
    before: list[ProposedQuote] = []
    text = turn.text(start, end)
    if weighed.pointing or weighed.thin or not long_enough(text):
        widened = _widen(turn, i)
        if widened is not None:
            start, end = widened
        elif weighed.pointing or weighed.thin:
            antecedent = _antecedent(previous, text)
            if antecedent is None:
                lost["points-nowhere"] += 1
                return None
            before.append(ProposedQuote(EvidenceClass.USER, antecedent))
        text = turn.text(start, end)
    if not long_enough(text):
        lost["too-short"] += 1
        return None
    return Finding(
        turn.n, i, turn.at, EvidenceClass.USER, text, weighed, tuple(before), _around(turn, i, text)
    )


def _widen(turn: Turn, i: int) -> tuple[int, int] | None:
    """A longer stretch of the same passage that says what the unit points at: its whole sentence, else the sentence
    before as well; for a line too short to quote, the line after."""
    unit = turn.units[i]
    source = turn.event.text
    if unit.start > unit.whole.start + opening(source[unit.whole.start : unit.whole.end]):
        start = unit.whole.start + opening(source[unit.whole.start : unit.whole.end])
        if weight(source[start : unit.start]) >= 2 and unit.end - start <= QUOTE_MAX:
            return start, unit.end
    for j in (i - 1, i + 1):
        if 0 <= j < len(turn.units) and turn.units[j].passage == unit.passage:
            other = turn.units[j]
            if j > i and unit.weighed.pointing:
                continue
            start = min(unit.start, other.whole.start + opening(source[other.whole.start : other.whole.end]))
            end = max(unit.end, other.whole.end)
            if end - start <= QUOTE_MAX and weight(source[other.whole.start : other.whole.end]) >= 1:
                return start, end
    return None


def _antecedent(previous: Turn | None, text: str) -> str | None:
    """The clause of the turn before that the statement goes on from: one that shares a word with it, else the last."""
    if previous is None:
        return None
    own = terms(text)
    best, most = None, 0.0
    n = 0
    for unit in previous.units:
        for part in clauses(previous.event.text, unit.whole) or (unit.whole,):
            said = previous.text(part.start, part.end)
            n += 1
            if (
                weight(said) < 2
                or not long_enough(said)
                or len(said) > 200
                or said.count("(") != said.count(")")
            ):
                continue
            score = 3.0 * len(own.keys() & terms(said).keys()) + 0.1 * n
            if score > most:
                best, most = said, score
    return best


def _leaning_on_each_other(found: list[Finding]) -> list[Finding]:
    """A statement that points leans on another one of its own turn rather than on the turn before."""
    if not any(not f.before for f in found):
        return found
    return [replace(f, before=()) if f.before else f for f in found]


def _without_scraps(found: list[Finding]) -> list[Finding]:
    """Beside a full statement of the same turn, a pointing scrap of two words ("I'll be there") says nothing more."""
    full = [f for f in found if weight(f.text) >= _SCRAP or f.weighed.value]
    if not full:
        return found
    return [f for f in found if f in full or not (f.weighed.thin or f.weighed.main() in _SCRAPPY)]


def _around(turn: Turn, i: int, text: str) -> tuple[ProposedQuote, ...]:
    """The sentences beside it that give the reason (after it), or tell what had happened (on either side)."""
    found = []
    for j, signs in ((i + 1, (REASON, INCIDENT)), (i - 1, (INCIDENT,))):
        if not 0 <= j < len(turn.units):
            continue
        other = turn.units[j]
        said = turn.text(other.whole.start, other.whole.end)
        said = said[opening(said) :] if other.weighed.language == "en" else said
        if other.weighed.lasting or said in text or not long_enough(said) or other.weighed.question:
            continue
        if any(sign.search(said) for sign in signs) or (
            j > i and _GIVEN_UP.search(text) and _INSTEAD.match(said)
        ):
            found.append(ProposedQuote(EvidenceClass.USER, said))
    return tuple(found)


def _choice(turn: Turn) -> Finding | None:
    """A short answer that takes one of the options the agent had put in a question."""
    if not turn.units or not turn.asked or len(turn.units) > 2:
        return None
    unit = turn.units[0]
    text = turn.text(unit.whole.start, unit.whole.end)
    words = re.findall(r"[A-Za-z][\w-]+", text)
    tail = turn.asked[-800:]
    if (
        not words
        or not terms(words[0])
        or words[0].lower() in _NOT_A_CHOICE
        or not 2 <= len(words) <= 14
        or unit.weighed.question
    ):
        return None
    option = re.compile(rf"\b{re.escape(words[0])}\b", re.IGNORECASE)
    if (
        "?" not in tail
        or not re.search(r"\bor\b", tail, re.IGNORECASE)
        or not option.search(tail)
        or not long_enough(text)
    ):
        return None
    if unit.weighed.acts.get("chore", 0) < 0:
        return None
    clause = _clause_with(option, turn.asked)
    if clause is None:
        return None
    weighed = replace(unit.weighed, score=2.0, acts={"decision": 2.0})
    return Finding(
        turn.n, 0, turn.at, EvidenceClass.USER, text, weighed, (ProposedQuote(EvidenceClass.SELF, clause),)
    )


def _clause_with(option: re.Pattern[str], asked: str) -> str | None:
    """A clause of the agent's that names the option, without figures (the agent's words are no source of numbers)."""
    for line in reversed(asked.splitlines()):
        if not option.search(line) or line.lstrip().startswith(("`", "#", "npm", "$")):
            continue
        for sentence in re.split(r"(?<=[.!?])\s+", line):
            for part in clauses(sentence, Span(0, len(sentence))):
                text = sentence[part.start : part.end].strip()
                if (
                    option.search(text)
                    and not re.search(r"\d|[⟦`*]", text)
                    and 12 <= len(text) <= 160
                    and text in asked
                ):
                    return text
    return None


def _proposal(turn: Turn, following: Turn | None) -> Finding | None:
    """ "Could we …? That way …": a proposal with its reason, which the human went on with in the next turn."""
    if following is None or not following.units or not _ACCEPTED.match(following.event.text):
        return None
    for i, unit in enumerate(turn.units):
        said = turn.text(unit.whole.start, unit.whole.end)
        if not _PROPOSAL.match(said):
            continue
        last = max(
            (
                j
                for j in range(i, len(turn.units))
                if j == i or REASON.search(turn.text(turn.units[j].whole.start, turn.units[j].whole.end))
            ),
            default=i,
        )
        reasoned = last > i or unit.weighed.acts.get("reason")
        start = unit.whole.start + opening(turn.event.text[unit.whole.start : unit.whole.end])
        end = turn.units[last].whole.end
        if reasoned and end - start <= QUOTE_MAX and turn.units[last].passage == unit.passage:
            weighed = replace(unit.weighed, score=2.0, acts={"decision": 2.0}, question=False)
            went_on = following.units[0]
            said = following.text(went_on.whole.start, went_on.whole.end)
            after = (ProposedQuote(EvidenceClass.USER, said),) if long_enough(said) else ()
            return Finding(
                turn.n, i, turn.at, EvidenceClass.USER, turn.text(start, end), weighed, after=after
            )
    return None


def _written_down(turn: Turn, events: Sequence[Event]) -> Finding | None:
    """A turn that is nothing but a value: too short to quote, but the agent's next call wrote it down with its name."""
    value = bare_value(turn.event.text)
    if not value or not turn.units:
        return None
    pair = re.compile(
        rf"[\"']?[\w.-]+[\"']?\s*[:=]\s*[\"']?#?{re.escape(value.lstrip('#'))}[\"']?", re.IGNORECASE
    )
    for event in events:
        if event.cls is EvidenceClass.ACT and not event.context:
            found = pair.search(event.text[event.text.rfind("newText:") + 1 :]) or pair.search(event.text)
            if found and long_enough(found.group()):
                return Finding(
                    turn.n,
                    0,
                    turn.at,
                    EvidenceClass.ACT,
                    " ".join(found.group().split()),
                    turn.units[0].weighed,
                )
    return None


def settled(turn: Turn, earlier: Finding) -> Finding | None:
    """The sentence of a turn that says what holds instead of an earlier statement which the turn takes back: the one that
    shares most words with it, were it a chore by its form ("move it to 04:30 instead")."""
    own = earlier.words()
    best, most = None, 1
    for i, unit in enumerate(turn.units):
        text = turn.text(unit.start, unit.end)
        shared = len(own.keys() & terms(text).keys())
        if shared > most and long_enough(text) and not unit.weighed.question:
            weighed = replace(unit.weighed, score=2.0, acts={"correction": 2.0})
            best, most = (
                Finding(turn.n, i, turn.at, EvidenceClass.USER, text, weighed, after=_around(turn, i, text)),
                shared,
            )
    return best
