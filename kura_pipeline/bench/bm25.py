"""BM25 (Robertson and Zaragoza 2009), the yardstick of lexical retrieval. Words in lower case, Han and kana in pairs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kura_runtime.recall.heads import stem
from kura_runtime.text.normalise import fold

K1, B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")


def tokens(text: str) -> list[str]:
    """Words of a text, folded; no stop words and no stemming, as in the plain form of the measure."""
    flat = fold(text).casefold()
    found: list[str] = []
    for word in _WORD.findall(flat):
        dense = _DENSE.fullmatch(word)
        found += [word[i : i + 2] for i in range(max(1, len(word) - 1))] if dense else [word]
    return found


def stems(text: str) -> list[str]:
    """The same, each word cut to its stem as the recogniser cuts it."""
    return [stem(word) for word in tokens(text)]


class Bm25:
    """An index over texts. `scores(question)` gives one number a text; 0 where it shares no word."""

    def __init__(self, texts: Sequence[str], words: Callable[[str], list[str]] = tokens) -> None:
        self._words = words
        counts = [Counter(words(text)) for text in texts]
        lengths = np.array([sum(c.values()) for c in counts], np.float64)
        mean = float(lengths.mean()) if len(lengths) else 1.0
        self._norm = K1 * (1 - B + B * lengths / (mean or 1.0))
        postings: dict[str, list[tuple[int, int]]] = {}
        for row, count in enumerate(counts):
            for word, n in count.items():
                postings.setdefault(word, []).append((row, n))
        self._postings = {w: np.array(p, np.int64) for w, p in postings.items()}
        self._size = len(texts)

    def scores(self, question: str) -> NDArray[np.float64]:
        """The score of every text for the question."""
        total = np.zeros(self._size)
        for word in dict.fromkeys(self._words(question)):
            held = self._postings.get(word)
            if held is None:
                continue
            rows, n = held[:, 0], held[:, 1].astype(np.float64)
            rarity = np.log(1 + (self._size - len(rows) + 0.5) / (len(rows) + 0.5))
            total[rows] += rarity * n * (K1 + 1) / (n + self._norm[rows])
        return total
