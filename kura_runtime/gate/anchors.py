"""Many literals in one pass: where in a text does one of some hundred four-letter anchors stand?

Journals are large and clean: almost none of their text holds a secret. So the scan that every character must pay for is
this one (vectorised, some hundred megabytes a second), and a regular expression runs only where an anchor was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")
_WIDTH = 4
_MASK = 0x20202020  # clears the difference between upper and lower case (and between a few signs, which costs nothing)
_FACTOR, _SHIFT, _SIZE = 0x9E3779B1, 14, 1 << 18


class Anchors(Generic[T]):
    """`Anchors({"ghp_": rule, …})`: literals of at least four ASCII characters, in lower case. Only their first four
    count; what the value says about the rest is the caller's."""

    def __init__(self, values: Mapping[str, Iterable[T]]) -> None:
        self._by_code: dict[int, tuple[T, ...]] = {}
        for literal, found in values.items():
            code = int.from_bytes(literal[:_WIDTH].encode("ascii"), "little") | _MASK
            self._by_code[code] = (*self._by_code.get(code, ()), *found)
        self._table = np.zeros(_SIZE, dtype=np.bool_)
        codes = np.array(list(self._by_code), dtype=np.uint32)
        self._table[(codes * np.uint32(_FACTOR)) >> np.uint32(_SHIFT)] = True

    def __call__(self, text: str) -> Iterator[tuple[int, T]]:
        """(offset, value) for every anchor in the text, by offset; case does not matter."""
        size = len(text) - _WIDTH + 1
        if size < 1:
            return
        data = text.encode("ascii", "replace")  # one byte a character, so offsets stay offsets
        codes = np.ndarray((size,), dtype="<u4", buffer=data, strides=(1,)) | np.uint32(_MASK)
        hits = np.flatnonzero(self._table[(codes * np.uint32(_FACTOR)) >> np.uint32(_SHIFT)])
        for at in hits.tolist():
            for value in self._by_code.get(int(codes[at]), ()):
                yield at, value
