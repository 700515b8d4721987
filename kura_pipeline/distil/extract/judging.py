"""The embedded editor's judgements by fixed rules: is a draft worth pouring, and is an item news to the store?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from kura_pipeline.distil.editor import Novelty, NoveltyKind
from kura_pipeline.distil.extract.languages import language_of
from kura_pipeline.distil.extract.naming import told_apart
from kura_pipeline.distil.extract.phrases import PHRASES
from kura_pipeline.distil.extract.terms import identifier, terms
from kura_pipeline.distil.extract.values import shape
from kura_pipeline.distil.extract.weighing import weigh
from kura_runtime.domain.candidate import CandidateVerdict
from kura_runtime.domain.draft import Draft
from kura_runtime.domain.evidence import EvidenceClass
from kura_runtime.domain.memory import Memory
from kura_runtime.text.grams import cosine, grams
from kura_runtime.text.normalise import fold, visible

_SAME = 0.9  # cosine of the grams: said again in nearly the same words
_SUBJECT = 0.55  # share of the telling words of the shorter side, for the two to speak of the same
_TURNED = re.compile(
    r"\b(?:no longer|instead of|back to|was a mistake|not any ?more|changed? my mind|nicht mehr|stattdessen|ne .* plus|ya no)\b|不再|改(?:回|用|成)|推翻|やめ|に戻|に変更|ではなく",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|no|don'?t|must ?n'?t|shouldn'?t|nie|nicht|kein\w*|pas|jamais|nunca)\b|不|禁|ない(?!と)|ません|말",
    re.IGNORECASE,
)


def worth(draft: Draft) -> str:
    """ "" where the draft may be poured, else the reason against it."""
    users = [q for q in draft.quotes if q.cls is EvidenceClass.USER]
    if not users:
        return "no words of the human stand behind it"
    weighed = [weigh(q.text) for q in users]
    noted = [weigh(q.text, notes=True) for q in users]
    if not any(w.lasting for w in (*weighed, *noted)):
        if all(w.acts.get("chore", 0.0) < 0 for w in weighed):
            return "a chore of the moment"
        if all(w.thin for w in weighed):
            return "too few telling words"
    if not told_apart(draft.surface.trigger or draft.surface.body):
        return "its recognition line could stand for anything"
    stray = unsourced(draft)
    return f'words that stand in no quote: "{stray}"' if stray else ""


def unsourced(draft: Draft) -> str:
    """What is left of the draft's texts when fixed phrases and quotations are taken out; "" where nothing is."""
    surface = draft.surface
    quotes = sorted((fold(q.text) for q in draft.quotes), key=len, reverse=True)
    for text in (surface.title, surface.trigger, surface.heading, surface.body):
        left = fold(text)
        for quote in quotes:
            left = left.replace(quote, " ")
        left = left.replace(draft.stamp, " ") if draft.stamp else left
        for phrase in _fixed():
            left = left.replace(phrase, " ")
        left = re.sub(r"""[\s*\-:：()（）.,;!?"'«»「」『』…—–]+""", " ", left).strip()
        # a title or a trigger may be the beginning of a quote, or the names in a list of values
        pieces = [p for p in left.split() if not any(p in quote for quote in quotes)]
        if pieces:
            return " ".join(pieces)[:80]
    return ""


@cache
def _fixed() -> tuple[str, ...]:
    """Every fixed phrase of every language, the longer first: one may stand inside another."""
    found: set[str] = set()
    for words in PHRASES.values():
        for phrase in (words.said, words.undated, words.wrote, words.wrote_undated):
            found.update(phrase.replace("{quotes}", "").split("{date}"))
        found.update(
            (words.before, words.why, words.happened, words.then, words.earlier, words.asked, words.tool, words.act, words.heading)
        )  # fmt: skip
    return tuple(sorted({fold(p) for p in found if len(fold(p)) > 1}, key=lambda p: (-len(p), p)))


def novelty(verdict: CandidateVerdict, neighbours: Sequence[Memory]) -> Novelty:
    """COVERED where a memory already holds the words; CONFLICTS where the same subject has another value, or is turned;
    EXTENDS where it is the same subject; else NEW."""
    users = [q.text for q in verdict.quotes if q.cls is EvidenceClass.USER]
    lead = users[0] if users else verdict.quotes[0].text
    own = terms(" ".join(users) or lead)
    best: tuple[float, Novelty] = (0.0, Novelty("NEW"))
    for memory in neighbours:
        text = "\n".join((memory.title, memory.trigger, memory.summary, memory.detail))
        if users and all(fold(u).casefold() in fold(text).casefold() for u in users):
            return Novelty("COVERED", memory.slug)
        if max(cosine(grams(lead), grams(t)) for t in (memory.title, memory.trigger)) >= _SAME and _figures(
            lead
        ) <= _figures(text):
            return Novelty("COVERED", memory.slug)
        near = _nearness(own, terms(f"{memory.title} {memory.trigger}"))
        if near > best[0] and near >= _SUBJECT:
            best = (near, Novelty(_standing(lead, text), memory.slug))
    return best[1]


def _nearness(own: Mapping[str, int], theirs: Mapping[str, int]) -> float:
    shared = [t for t in own if t in theirs]
    if len(shared) < 3:
        return 0.0

    def heavy(words: Iterable[str]) -> int:
        return sum(2 if identifier(t) else 1 for t in words)

    return heavy(shared) / min(heavy(own), heavy(theirs))


def _standing(lead: str, text: str) -> NoveltyKind:
    # the same subject with another value, or turned round: a person has to say which holds
    if _TURNED.search(lead) and language_of(lead) == language_of(text):
        return "CONFLICTS"
    if shape(lead) and _figures(lead) - _figures(text) and _figures(text):
        return "CONFLICTS"
    nearest = max(text.splitlines(), key=lambda line: cosine(grams(lead), grams(line)), default="")
    if cosine(grams(lead), grams(nearest)) >= 0.7 and bool(_NOT.search(lead)) != bool(_NOT.search(nearest)):
        return "CONFLICTS"
    return "EXTENDS"


def _figures(text: str) -> frozenset[str]:
    # the date in a memory's own template is no figure of the subject
    return frozenset(
        re.findall(
            r"#?[0-9a-f]*\d[0-9a-f.,:]*",
            re.sub(r"\(\d{4}-\d\d-\d\d\)|（\d{4}-\d\d-\d\d）", " ", visible(text).lower()),
        )
    )
