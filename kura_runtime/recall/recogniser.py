"""Tier 0: recognise a memory that a question names, without a model, or stay silent.

Five heads vote over the index: exact names, rare words, character 3-grams, 2-grams, and the opening of the body. Each vote
is divided by what the head could have reached for this question, so that one lucky gram cannot fake confidence. The
winner is then cross-examined (`exam`). Whatever is not certain is left to the next tier.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kura_runtime.recall.callsigns import named_by_callsign
from kura_runtime.recall.corpus import Corpus, spaced_out
from kura_runtime.recall.exam import Finding, cross_examine, marks_missing
from kura_runtime.recall.heads import unit_of, word_key
from kura_runtime.recall.lookup import grams_of
from kura_runtime.recall.question import Probe, probe

WORDS, TRIGRAMS, PAIRS, OPENING, NAME = 0.95, 0.45, 0.25, 0.35, 0.4  # what each head can add to a vote
FINALISTS = 6
BODY_ONLY = (
    0.8  # a memory whose index line lacks the question's identifier is not the one that line was written for
)
GATE, MARGIN = 1.0, 1.15


@dataclass(frozen=True, slots=True)
class Recognition:
    """What tier 0 says: `picked` slugs (none: silence), `how` (fastpath, fastpath-cue or ""), the `verdict` in a few words,
    the winner's `score` (1.0 is enough at the default gate) and the `nearest` index lines, unconfirmed."""

    picked: tuple[str, ...]
    how: str
    verdict: str
    score: float = 0.0
    nearest: tuple[str, ...] = ()


def recognise(corpus: Corpus, question: str, *, gate: float = GATE, margin: float = MARGIN) -> Recognition:
    """Name the one memory that `question` is about, or say why not."""
    return recognise_probe(corpus, probe(question), gate=gate, margin=margin)


def recognise_probe(
    corpus: Corpus, asked: Probe, *, gate: float = GATE, margin: float = MARGIN
) -> Recognition:
    """`recognise` for a question that was taken apart already."""
    if not corpus.size or asked.empty:
        return Recognition((), "", "silent: nothing to recognise")
    cue = named_by_callsign(corpus, asked)
    if len(cue) == 1:
        row = _today(corpus, cue[0])
        if not marks_missing(corpus, row, asked):
            picked = _with_old(corpus, row, cue[0])
            return Recognition(picked, "fastpath-cue", f"hit: callsign of {corpus.slugs[row]}", 1.0)
    standing = votes(corpus, asked)
    ranking = _finalists(corpus, asked, standing)
    nearest = tuple(corpus.slugs[row] for row, vote in ranking[:3] if vote > 0.0)
    if len(cue) > 1:
        return Recognition((), "", f"silent: a callsign names {len(cue)} memories", 0.0, nearest)
    if asked.marks:
        ranking = _with_marks(corpus, ranking, asked)
    if not ranking or ranking[0][1] <= 0.0:
        return Recognition((), "", "silent: no memory holds the question's identifiers", 0.0, nearest)
    return _judge(corpus, asked, ranking, nearest, gate, margin)


def _judge(
    corpus: Corpus,
    asked: Probe,
    ranking: list[tuple[int, float]],
    nearest: tuple[str, ...],
    gate: float,
    margin: float,
) -> Recognition:
    first, vote = ranking[0]
    row = _today(corpus, first)
    rival = next((r for r in ranking[1:] if _today(corpus, r[0]) != row), None)
    if rival and vote < margin * rival[1]:
        return Recognition(
            (), "", f"silent: margin {vote / rival[1]:.2f} < {margin:.2f}, {corpus.slugs[first]} or {corpus.slugs[rival[0]]}",
            0.0, nearest,
        )  # fmt: skip
    old = first if first != row else next((r for r, _ in ranking[1:] if _today(corpus, r) == row), None)
    if asked.past and old is not None:
        votes_of = dict(ranking)
        new_vote = votes_of.get(row, 0.0)
        if first == old and vote >= margin * new_vote:
            row = old  # the question is about how it used to be
        elif first == old:
            return Recognition((), "", f"silent: {corpus.slugs[old]} or its successor", 0.0, nearest)
    finding = cross_examine(corpus, row, asked)
    if finding.score < gate:
        return Recognition((), "", _why(corpus, row, finding, gate), finding.score, nearest)
    picked = (
        (corpus.slugs[row], corpus.slugs[_today(corpus, row)])
        if row == old
        else _with_old(corpus, row, first)
    )
    return Recognition(picked, "fastpath", f"hit: {finding.score:.2f}", finding.score, nearest)


def _why(corpus: Corpus, row: int, finding: Finding, gate: float) -> str:
    if finding.missing:
        return f"silent: {corpus.slugs[row]} lacks {', '.join(finding.missing)}"
    said = f"silent: gate {finding.score:.2f} < {gate:.2f}"
    return said + (f", not answered: {', '.join(finding.unanswered[:4])}" if finding.unanswered else "")


def votes(corpus: Corpus, asked: Probe) -> NDArray[np.float64]:
    """The vote for every memory of the four heads that read features, one number a row."""
    keyed = {key for w in asked.words for key in unit_of(w).forms}
    keyed.update(word_key(i) for i in asked.initials)
    keyed.update(word_key(run) for run in asked.dense if len(run) > 1)
    words = list(keyed)
    content, runs = " ".join(asked.words), " ".join(asked.dense)
    pairs, triples = grams_of(f"{content} {runs}" if runs else content)
    look = corpus.lookup
    heads = (
        (look.words(words), WORDS),
        (look.grams(triples), TRIGRAMS),
        (look.grams(pairs), PAIRS),
        (look.opening(words, grams_of(runs)[0] if runs else []), OPENING),
    )
    voting = [(places, share) for places, share in heads if places]
    if not voting:
        return np.zeros(corpus.size)
    at = np.array([place for places, _ in voting for place in places], np.int64)
    weight = look.vote_weights.take(at)
    begin = 0
    for places, share in voting:
        mine = weight[begin : begin + len(places)]
        reach = float(mine.sum())
        mine *= share / reach if reach > 0.0 else 0.0
        begin += len(places)
    spans = look.spans.take(at)
    ends = spans.cumsum()
    table = corpus.arrays
    where = np.arange(ends[-1]) + np.repeat(table.starts.take(at) - ends + spans, spans)
    return np.bincount(table.holders.take(where), np.repeat(weight, spans), corpus.size).astype(
        np.float64, copy=False
    )


def _finalists(corpus: Corpus, asked: Probe, standing: NDArray[np.float64]) -> list[tuple[int, float]]:
    """The best rows, with the head of exact names added; best first, ties to the smaller slug. An archived memory
    comes only when it is named in full."""
    count = min(FINALISTS, corpus.size)
    best = standing.argpartition(corpus.size - count)[corpus.size - count :]
    spaced = spaced_out(asked.folded)
    found = []
    for row, vote in zip(best.tolist(), standing[best].tolist(), strict=True):
        share = corpus.name_share(row, spaced)
        if corpus.arrays.hidden[row] and not share:
            continue
        found.append((row, vote + NAME * share))
    return sorted(found, key=lambda r: (-r[1], r[0]))


def _with_marks(corpus: Corpus, ranking: list[tuple[int, float]], asked: Probe) -> list[tuple[int, float]]:
    """A memory that lacks an identifier of the question is out; one that names it only in its body stands back."""
    marks = [corpus.lookup.marked(mark) for mark in asked.marks]
    found = [
        (row, vote if all(row in line for line, _ in marks) else vote * BODY_ONLY)
        for row, vote in ranking
        if all(row in anywhere for _, anywhere in marks)
    ]
    return sorted(found, key=lambda r: (-r[1], r[0]))


def _today(corpus: Corpus, row: int) -> int:
    """The memory that stands in for this one now."""
    successor = int(corpus.arrays.successors[row])
    return row if successor < 0 else successor


def _with_old(corpus: Corpus, row: int, first: int) -> tuple[str, ...]:
    """The successor, and after it the memory that the question named."""
    return (corpus.slugs[row],) if first == row else (corpus.slugs[row], corpus.slugs[first])


def rank(corpus: Corpus, asked: Probe) -> list[tuple[int, float]]:
    """(row, vote) of the best rows, those without the question's identifiers left out, retired ones replaced by what holds
    now; best first."""
    ranking = _finalists(corpus, asked, votes(corpus, asked))
    if asked.marks:
        ranking = _with_marks(corpus, ranking, asked)
    best: dict[int, float] = {}
    for row, vote in ranking:
        best.setdefault(_today(corpus, row), vote)
    return list(best.items())
