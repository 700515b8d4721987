"""A corpus as arrays: which memory holds which feature.

Two tables over one sorted list of keys:
  columns (`starts`, `holders`): feature → the memories whose index line (or opening of the body) holds it: for ranking;
  rows (`row_starts`, `row_keys`): memory → every word, number and pair of its whole text: for the cross-examination.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kura_runtime.recall.heads import Keys

OPENING_MARK = np.uint64(
    1 << 62
)  # turns the key of a word or pair into that of its standing in the opening of a body
BODY_MARK = np.uint64(1 << 61)  # turns the key of a number or identifier into that of its standing anywhere
SENTINEL = np.uint64(0xFFFFFFFFFFFFFFFF)  # ends the sorted features; no memory holds it


@dataclass(frozen=True)
class Arrays:
    """What a snapshot keeps of a corpus, byte for byte."""

    keys: Keys  # features, sorted, a sentinel last
    weights: NDArray[np.float32]  # their rarity (IDF)
    named: NDArray[np.bool_]  # words that the store writes with a capital: names
    starts: NDArray[np.int64]
    holders: NDArray[np.int32]
    row_starts: NDArray[np.int64]
    row_keys: Keys
    successors: NDArray[np.int32]  # the memory to look at instead, or -1
    hidden: NDArray[np.bool_]  # archived: only where it is named
    spread: NDArray[np.int32]  # in how many rows each feature stands
