"""Rule G12: a negation is neither lost nor gained against the only quote that supports a clause.

"Do NOT run the seeder" and "run the seeder" share every word but one. For each clause of the surface the clause of the
evidence that says the same words is looked up; where every such clause has the other polarity, the surface is refused.
Clauses that only set a condition ("when the seeder is run") assert nothing and pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import Quote
from kura_runtime.text.negation import Clause, any_polarity, clauses
from kura_runtime.text.plainview import plain

_ENOUGH = 0.6  # how much of two clauses' content words they must share to say the same
_PLACES = ("title", "trigger", "heading", "body", "belongs_because", "keep", "may_fade")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]{3,}")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0621-\u064a]")


def check_polarity(surface: Surface, quotes: Sequence[Quote]) -> Iterator[Refusal]:
    """Every clause of the surface whose polarity no quote that says the same words shares."""
    texts = [*(q.text for q in quotes), *(text for place, text in surface.places() if place in _PLACES)]
    if not any(any_polarity(plain(text)) for text in texts if text):
        return
    sources = [clause for quote in quotes for clause in clauses(quote.text)]
    if not sources:
        return
    parts = {place: clauses(text) for place, text in surface.places() if place in _PLACES and text}
    kept = {
        s.text
        for s in sources
        for c in parts.get("body", ())
        if s.negated and _same_words(c, s) >= _ENOUGH and _agree(c, s)
    }
    for place, found in parts.items():
        for clause in found:
            if clause.condition or clause.mixed:
                continue
            against = _contradicted(clause, sources)
            if against is None or (place != "body" and not clause.complete and against.text in kept):
                continue  # a bare topic line beside a body that keeps the negation
            kind = "lost" if against.negated else "gained"
            yield Refusal(
                "G12", "polarity", clause.text[:80], place, f"negation {kind} against: {against.text[:80]}"
            )
            return
    yield from _across_languages(surface, quotes, sources)


def _contradicted(clause: Clause, sources: Sequence[Clause]) -> Clause | None:
    scored = [(score, s) for s in sources if (score := _same_words(clause, s)) >= _ENOUGH]
    if not scored:
        return None
    best = max(score for score, _ in scored)
    nearest = [s for score, s in scored if score >= best - 0.15]
    if any(_agree(clause, s) for s in nearest):
        return None
    for source in nearest:
        if source.mixed:
            return None
    return nearest[0]


def _same_words(clause: Clause, source: Clause) -> float:
    """How far two clauses speak of the same: twice the shared content stems over all of them. One clause that says all
    that the other says, and more, counts as enough; fewer than two shared stems (three pairs of characters) as nothing."""
    mine, theirs = clause.stems, source.stems
    shared = mine & theirs
    needed = 2 if all(s.isascii() for s in shared) else min(3, len(theirs), len(mine))
    if len(shared) < max(2, needed):
        return 0.0
    score = 2 * len(shared) / (len(mine) + len(theirs))
    within = mine <= theirs or (theirs <= mine and len(theirs) > 2)
    return max(score, _ENOUGH) if within else score


def _agree(clause: Clause, source: Clause) -> bool:
    """True where the two have the same polarity, or where it cannot be told."""
    mine, theirs = dict(clause.words), dict(source.words)
    turned = sum(1 for word in mine.keys() & theirs.keys() if mine[word] != theirs[word])
    if clause.negated ^ source.negated ^ bool(turned % 2):
        if turned:
            return False
        lacking, negative = (clause, source) if source.negated else (source, clause)
        if lacking.weak and not _said_outright(lacking, negative):
            return True
        return not negative.falls_on & lacking.stems
    return True


def _said_outright(lacking: Clause, negative: Clause) -> bool:
    """Does the clause without a negation say nearly all the words of the negated one? Then a weak word saves nothing."""
    mine, theirs = lacking.stems, negative.stems
    return bool(theirs) and theirs <= mine and len(mine) <= len(theirs) + 1 and negative.falls_on <= mine


def _across_languages(
    surface: Surface, quotes: Sequence[Quote], sources: Sequence[Clause]
) -> Iterator[Refusal]:
    """One quote, wholly negative, told in another script without a single negative word: the negation is gone."""
    if len(quotes) != 1 or not all(c.negated and not c.mixed for c in sources):
        return
    body = plain(surface.body)
    quote = plain(quotes[0].text)
    foreign = bool(_WIDE.search(quote)) != bool(_WIDE.search(body)) and bool(_LATIN.search(quote)) != bool(
        _LATIN.search(body)
    )
    if not foreign:
        return
    told = [c for text in (surface.body, surface.title) for c in clauses(text)]
    if (
        told
        and not any(c.negated or c.mixed or c.weak or c.condition for c in told)
        and not any(t for c in told for _, t in c.words)
    ):
        yield Refusal("G12", "polarity", body[:80], "body", f"negation lost against: {quote[:80]}")
