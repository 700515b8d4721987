"""The fallback: recognise by words alone, for when no model can be asked. It is always marked as degraded.

It asks less than tier 0 (no margin over a rival) and never more than the truth: a question whose own words do not stand
in a memory is refused, because a wrong memory costs more than none.
"""

from __future__ import annotations

from kura_runtime.recall.corpus import Corpus
from kura_runtime.recall.exam import cross_examine
from kura_runtime.recall.question import Probe
from kura_runtime.recall.recogniser import rank

WORDS_GATE = 0.95  # of what tier 0 wants of the best memory
NEAR = 1 / 1.15  # rivals within tier 0's margin come along, where they answer the question too


def by_words(corpus: Corpus, asked: Probe, top: int) -> tuple[str, ...]:
    """At most `top` slugs that answer the question's words, best first; none where the best one does not."""
    if asked.empty:
        return ()
    picked: list[str] = []
    best = 0.0
    for row, vote in rank(corpus, asked):
        if len(picked) >= top or vote <= 0.0 or vote < NEAR * best:
            break
        if cross_examine(corpus, row, asked).score >= WORDS_GATE:
            picked.append(corpus.slugs[row])
        elif not picked:
            return ()
        best = best or vote
    return tuple(picked)
