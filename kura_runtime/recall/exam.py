"""The cross-examination of a winner: what the question is about must be answered by the memory's own text.

A vote says which memory is nearest; it cannot say that the memory is near enough. So every word of the question is put to
it: those that it holds count for it by their rarity, those that it lacks count against it. Numbers and identifiers are
not weighed at all: 8081 is not 8411, and a memory without the one that was asked for is the wrong memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from kura_runtime.recall.corpus import Corpus, whole_text
from kura_runtime.recall.heads import pair_key, unit_of, word_key, words_of
from kura_runtime.recall.question import Probe, ordinary

COMMON = 1.0  # rarity that is forgiven: a word that half the store holds says little by its absence
NEED = 0.87  # share of the question that must be answered, …
LENIENCE = 0.012  # … less this for every unit of rarity answered beyond ENOUGH, …
ENOUGH, PLENTY = 8.0, 24.0  # … up to PLENTY: much evidence bears a stray word, little evidence bears none
STRAY = (
    0.6  # what an ordinary word weighs that the memory lacks: little, but a short question holds little else
)
SOUGHT = 1.5  # times the greatest rarity: what is asked for, and not there
FOREIGN = 3  # rare words that must stand in a memory whose script cannot answer the rest of the question


@dataclass(frozen=True, slots=True)
class Finding:
    """`score` 1.0 is enough at the default gate. `answered` and `open` are sums of rarity; `missing` are identifiers the memory
    lacks, `unanswered` the words."""

    score: float
    answered: float = 0.0
    open: float = 0.0
    missing: tuple[str, ...] = ()
    unanswered: tuple[str, ...] = ()


def marks_missing(corpus: Corpus, row: int, asked: Probe) -> tuple[str, ...]:
    """The numbers and identifiers of the question that stand nowhere in this memory."""
    return tuple(mark[1:] for mark in asked.marks if row not in corpus.lookup.marked(mark)[1])


def cross_examine(corpus: Corpus, row: int, asked: Probe) -> Finding:
    """Put the whole question to memory `row`."""
    if asked.marks and (missing := marks_missing(corpus, row, asked)):
        return Finding(0.0, missing=missing)
    tally = _Tally(corpus, row, asked)
    tally.words()
    tally.initials()
    if asked.dense:
        tally.dense()
    total = tally.answered + tally.open
    if total <= 0.0:
        return Finding(0.0)
    surplus = min(max(tally.answered - ENOUGH, 0.0), PLENTY - ENOUGH)
    score = (tally.answered / total + LENIENCE * surplus) / NEED
    return Finding(score, tally.answered, tally.open, (), tuple(tally.unanswered))


class _Tally:
    def __init__(self, corpus: Corpus, row: int, asked: Probe) -> None:
        self.corpus, self.row, self.asked = corpus, row, asked
        self.held = corpus.lookup.row(row)
        self.fact = corpus.lookup.fact
        self.answered = self.open = 0.0
        self.rare_words = 0
        self.unanswered: list[str] = []
        self.top = corpus.rarest

    def words(self) -> None:
        """Latin and other spaced words, one unit each; a compound is answered whole, joined, or by all its parts."""
        held = self.held
        for word in self.asked.words:
            unit = unit_of(word)
            facts = [self.fact(key) for key in (*unit.whole, *unit.parts)]
            ok = not held.isdisjoint(unit.whole) or held.issuperset(unit.parts)
            self._word(word, ok, max(f[0] for f in facts), any(f[1] for f in facts), any(f[2] for f in facts))

    def _word(self, word: str, ok: bool, weight: float, named: bool, known: bool) -> None:
        if ok:
            self.answered += weight
            self.rare_words += weight >= self.top / 2
        elif word in self.asked.sought:
            self._against(word, SOUGHT * self.top)
        elif word in self.asked.plain:
            self.open += STRAY
        elif known:
            self._against(word, max(weight, 0.8 * self.top) if named else weight)
        elif not _slip(word, ordinary()["plain"], ordinary()["silent"]):
            if _slip(word, _lower_words(self.corpus, self.row)):
                self.answered += 0.5 * weight
            else:
                self._against(word, weight)

    def _against(self, word: str, weight: float) -> None:
        self.open += (
            max(0.0, weight - COMMON) * self.top / (self.top - COMMON) if self.top > COMMON else weight
        )
        self.unanswered.append(word)

    def initials(self) -> None:
        """A name with its initial: Anna L. is not Anna B."""
        for mark in self.asked.initials:
            if word_key(mark) in self.held:
                self.answered += self.top
            else:
                self._against(mark.replace("_", " "), 2 * self.top)

    def dense(self) -> None:
        """Scripts without spaces, character by character: one is answered by either of the pairs it belongs to."""
        if not self.corpus.reads_dense(self.row):
            if self.open or self.rare_words < FOREIGN:
                self._against("".join(self.asked.dense), 4 * self.top)
            return
        light = ordinary()["light"]
        for run in self.asked.dense:
            keys = _pairs(run)
            self._run(run, [self.fact(key)[0] for key in keys], [key in self.held for key in keys], light)
        for word in self.asked.sought:
            if not word.isascii() and not self.held.issuperset(_pairs(word)):
                self._against(word, SOUGHT * self.top)

    def _run(self, run: str, weights: list[float], held: list[bool], light: frozenset[str]) -> None:
        lone = len(run) == 1
        missed = []
        for i, char in enumerate(run):
            near = (0,) if lone else tuple(j for j in (i - 1, i) if 0 <= j < len(weights))
            best = max((weights[j] for j in near if held[j]), default=0.0)
            kana = "\u3040" <= char <= "\u309f" or char == "ー"
            if best:
                self.answered += 0.5 * (
                    max(0.0, best - 0.4 * self.top) if kana else min(best, 3.0) if lone else best
                )
            elif not kana and char not in light:
                self.open += 0.5 * min((weights[j] for j in near if weights[j] > 0.0), default=self.top)
                missed.append(char)
        if missed:
            self.unanswered.append("".join(missed))


def _pairs(run: str) -> list[int]:
    """Keys of the pairs of a run, or of its only character."""
    return [pair_key(run[i : i + 2]) for i in range(len(run) - 1)] or [pair_key(run)]


@lru_cache(maxsize=256)
def _lower_words_of(text: str, names: frozenset[str]) -> frozenset[str]:
    return frozenset(w for w in words_of(text) if w.isalpha() and len(w) > 4 and w not in names)


def _lower_words(corpus: Corpus, row: int) -> frozenset[str]:
    """The ordinary words of a memory: a slip of the pen is forgiven in these, never in a name."""
    memory = corpus.memory_at(row)
    raw = " ".join((memory.title, memory.trigger, memory.summary))
    names = frozenset(w.casefold() for w in words_of(raw) if w[:1].isupper())
    return _lower_words_of(whole_text(memory), names)


def _slip(word: str, *known: frozenset[str]) -> bool:
    """True where `word` is one letter away from a known one: missing, doubled, swapped or (in long words) mistyped."""
    if len(word) < 5 or not word.isalpha():
        return False
    return any(not words.isdisjoint(_one_off(word)) for words in known)


@lru_cache(maxsize=1024)
def _one_off(word: str) -> frozenset[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    splits = [(word[:i], word[i:]) for i in range(1, len(word) + 1)]
    off = {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    off |= {a + c + b for a, b in splits for c in letters}
    if len(word) > 5:
        off |= {a + b[1:] for a, b in splits if b}
    if len(word) > 7:  # shorter words that differ in a letter are different words
        off |= {a + c + b[1:] for a, b in splits if b for c in letters}
    return frozenset(off)
