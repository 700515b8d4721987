"""Callsigns: words that a person and the agent share for one memory, verified when they were poured."""

from __future__ import annotations

from kura_runtime.recall.corpus import Corpus
from kura_runtime.recall.heads import is_dense
from kura_runtime.recall.question import Probe

LONGEST = 5  # words of a callsign


def named_by_callsign(corpus: Corpus, asked: Probe) -> tuple[int, ...]:
    """Rows whose callsign stands in the question as a whole name. A callsign inside a longer one that also stands there
    does not count."""
    if not corpus.callsigns:
        return ()
    words = asked.spoken
    found: list[tuple[int, int, tuple[int, ...]]] = []
    for begin in range(len(words)):
        for end in range(begin + 1, min(len(words), begin + LONGEST) + 1):
            if named := corpus.callsigns.get(" ".join(words[begin:end])):
                found.append((begin, end, named))
    whole = [f for f in found if not any(o != f and o[0] <= f[0] and f[1] <= o[1] for o in found)]
    rows = {row for _, _, held in whole for row in held}
    for run in words:
        if is_dense(run) and run not in corpus.callsigns:
            rows.update(_inside(corpus, run))
    return tuple(sorted(rows))


def _inside(corpus: Corpus, run: str) -> set[int]:
    """Callsigns of scripts without spaces, which have no word boundary to stand at."""
    held = [c for c in corpus.dense_callsigns if c in run]
    longest = [c for c in held if not any(c != other and c in other for other in held)]
    return {row for c in longest for row in corpus.callsigns[c]}
