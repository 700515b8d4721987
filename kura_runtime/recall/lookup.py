"""Where a feature stands in a corpus, remembered. Questions of one store repeat their words and grams all the time.

Everything here is a cache over arrays that never change: it may be cleared at any moment, and two threads that fill it at
once write the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kura_runtime.recall.arrays import BODY_MARK, OPENING_MARK, Arrays
from kura_runtime.recall.heads import Keys, pair_key, word_key

MEMO = 200_000  # entries a memo may hold before it starts anew
ROWS = 1024  # memories whose features are kept as a set
_SHIFT = 21

T = TypeVar("T")
V = TypeVar("V")


class Lookup:
    """Positions and weights of features, and the feature sets of rows."""

    def __init__(self, arrays: Arrays, rarest: float, unknown: float) -> None:
        """`rarest` is the rarity of what no memory holds, `unknown` what a gram that no memory holds weighs in a vote."""
        self._arrays, self._rarest = arrays, rarest
        self._nowhere = len(arrays.keys) - 1  # the sentinel: no postings
        self.vote_weights: NDArray[np.float64] = arrays.weights.astype(np.float64)
        self.vote_weights[self._nowhere] = unknown
        self.spans: NDArray[np.int64] = np.diff(arrays.starts)
        self._grams: dict[str, int] = {}
        self._words: dict[int, int] = {}
        self._opening_words: dict[int, int] = {}
        self._opening_pairs: dict[str, int] = {}
        self._facts: dict[int, tuple[float, bool, bool]] = {}
        self._rows: dict[int, frozenset[int]] = {}
        self._marks: dict[str, tuple[frozenset[int], frozenset[int]]] = {}

    def grams(self, grams: list[str]) -> list[int]:
        """Positions of character grams (2 or 3 characters, or one)."""
        return self._places(self._grams, grams, lambda new: _array(gram_key(g) for g in new))

    def words(self, keys: list[int]) -> list[int]:
        """Positions of word keys."""
        return self._places(self._words, keys, _array)

    def opening(self, words: list[int], pairs: list[str]) -> list[int]:
        """Positions of word keys and of pairs as the opening of a body holds them."""
        found = self._places(self._opening_words, words, lambda new: _array(new) ^ OPENING_MARK)
        if pairs:
            found += self._places(
                self._opening_pairs, pairs, lambda new: _array(map(pair_key, new)) | OPENING_MARK
            )
        return found

    def fact(self, key: int) -> tuple[float, bool, bool]:
        """(rarity, is it a name, does any memory hold it) of a word key or a packed pair."""
        kept = self._facts.get(key)
        if kept is None:
            at = int(self._arrays.keys.searchsorted(np.uint64(key)))
            if int(self._arrays.keys[at]) == key:
                kept = float(self._arrays.weights[at]), bool(self._arrays.named[at]), True
            else:
                kept = self._rarest, False, False
            self._keep(self._facts, key, kept, MEMO)
        return kept

    def row(self, row: int) -> frozenset[int]:
        """Every feature of a memory's whole text."""
        kept = self._rows.get(row)
        if kept is None:
            a, b = self._arrays.row_starts[row : row + 2]
            kept = frozenset(self._arrays.row_keys[a:b].tolist())
            self._keep(self._rows, row, kept, ROWS)
        return kept

    def marked(self, mark: str) -> tuple[frozenset[int], frozenset[int]]:
        """Rows whose recognition line holds this number or identifier, and rows that hold it anywhere."""
        kept = self._marks.get(mark)
        if kept is None:
            key = np.uint64(word_key(mark))
            kept = self._holders(key), self._holders(key ^ BODY_MARK)
            self._keep(self._marks, mark, kept, ROWS)
        return kept

    def _holders(self, key: np.uint64) -> frozenset[int]:
        at = int(self._arrays.keys.searchsorted(key))
        if self._arrays.keys[at] != key:
            return frozenset()
        a, b = self._arrays.starts[at : at + 2]
        return frozenset(self._arrays.holders[a:b].tolist())

    def _places(self, memo: dict[T, int], items: list[T], keys_of: Callable[[list[T]], Keys]) -> list[int]:
        try:
            return [memo[item] for item in items]
        except KeyError:
            new = list(dict.fromkeys(item for item in items if item not in memo))
        keys = keys_of(new)
        at = self._arrays.keys.searchsorted(keys)
        places = np.where(self._arrays.keys[at] == keys, at, self._nowhere).tolist()
        found = dict(zip(new, places, strict=True))
        answer = [memo[item] if item in memo else found[item] for item in items]
        if len(memo) > MEMO:
            memo.clear()
        memo.update(found)
        return answer

    @staticmethod
    def _keep(memo: dict[T, V], key: T, value: V, most: int) -> None:
        if len(memo) >= most:
            memo.clear()
        memo[key] = value


def gram_key(gram: str) -> int:
    """The key of a gram: its code points, packed."""
    packed = 0
    for char in gram:
        packed = packed << _SHIFT | ord(char)
    return packed


def grams_of(text: str) -> tuple[list[str], list[str]]:
    """The 2-grams and 3-grams of a folded text, as `heads.gram_keys` reads them."""
    padded = f" {text} "
    pairs = [
        padded[i : i + 2] for i in range(1, len(padded) - 2) if padded[i] != " " and padded[i + 1] != " "
    ]
    return pairs, [padded[i : i + 3] for i in range(len(padded) - 2) if padded[i + 1] != " "]


def _array(keys: Iterable[int]) -> Keys:
    return np.array(keys if isinstance(keys, Sequence) else list(keys), np.uint64)
