"""Many literals in one pass: where in a text does one of some hundred anchors stand?

Journals are large and clean: almost none of their text holds a secret. So the scan that every character must pay for is
this one (vectorised, some hundred megabytes a second), and a regular expression runs only where an anchor was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

T = TypeVar("T")

_SIZE = 1 << 16
_PIECE = 1 << 14  # characters
ODD_PIECE = 1 << 11  # where only the pieces that are not ASCII are looked at, and those should be few
_FACTOR32, _SHIFT32 = np.uint32(0x9E3779B1), np.uint32(16)
_FACTOR64, _SHIFT64 = np.uint64(0x9E3779B97F4A7C15), np.uint64(48)
# Clears the difference between upper and lower case (and between a few signs, which costs nothing).
_CASE = 0x20202020
_BY_FREQUENCY = "etaoinsrhldcumfpgwybvkxjqz"


class Anchors(Generic[T]):
    """`Anchors({"ghp_": [rule], …})`: ASCII literals of four characters and more, in lower case. Only the rarest four
    characters of a literal are looked for (those after a "|", where it has one); what the value says about the rest is the caller's."""

    def __init__(self, values: Mapping[str, Iterable[T]]) -> None:
        self._by_code: dict[int, list[tuple[int, T]]] = {}
        for literal, found in values.items():
            marked = literal.find("|")
            literal = literal.replace("|", "")
            offset = marked if marked >= 0 else _rarest(literal)
            code = int.from_bytes(literal[offset : offset + 4].encode("ascii"), "little") | _CASE
            here = self._by_code.setdefault(code, [])
            here += [(offset, v) for v in found if (offset, v) not in here]
        self._mask = np.uint32(_CASE)
        self._table = _table(np.array(list(self._by_code), dtype=np.uint32), _FACTOR32, _SHIFT32)

    def __call__(self, text: str) -> Iterator[tuple[int, T]]:
        """(offset, value) wherever an anchor may begin in the text, in no particular order; case does not matter."""
        for base, piece in pieces(text, 3):
            size = len(piece) - 3
            if size < 1:
                return
            data = piece.encode("ascii", "replace")  # one byte a character, so offsets stay offsets
            codes = np.ndarray((size,), dtype="<u4", buffer=data, strides=(1,)) | self._mask
            hits = self._table.take(codes * _FACTOR32 >> _SHIFT32).nonzero()[0]
            if len(hits):
                for at, code in zip(hits.tolist(), codes[hits].tolist(), strict=True):
                    for offset, value in self._by_code.get(code, ()):
                        if base + at >= offset:
                            yield base + at - offset, value


class Pairs:
    """`Pairs(["密码", …])`: words that are not all ASCII, each found by two of its characters."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_code: dict[int, list[int]] = {}
        for word in words:
            offset = next(i for i in range(len(word) - 1) if not word[i : i + 2].isascii())
            code = int.from_bytes(word[offset : offset + 2].encode("utf-32-le"), "little")
            here = self._by_code.setdefault(code, [])
            if offset not in here:
                here.append(offset)
        self._table = _table(np.array(list(self._by_code), dtype=np.uint64), _FACTOR64, _SHIFT64)

    def __call__(self, text: str) -> Iterator[int]:
        """Every offset where a word may begin."""
        for base, piece in pieces(text, 1, ODD_PIECE):
            size = len(piece) - 1
            if size < 1 or piece.isascii():
                continue
            data = piece.encode("utf-32-le", "surrogatepass")
            codes = np.ndarray((size,), dtype="<u8", buffer=data, strides=(4,))
            for at in self._table.take(codes * _FACTOR64 >> _SHIFT64).nonzero()[0].tolist():
                for offset in self._by_code.get(int(codes[at]), ()):
                    if base + at >= offset:
                        yield base + at - offset


def pieces(text: str, overlap: int, size: int = _PIECE) -> Iterator[tuple[int, str]]:
    """(offset, stretch) of the text in stretches that stay in the processor's cache, each reaching `overlap` characters into
    the next."""
    if len(text) <= size:
        yield 0, text
        return
    for base in range(0, len(text) - overlap, size):
        yield base, text[base : base + size + overlap]


def _table(codes: Any, factor: Any, shift: Any) -> Any:
    table = np.zeros(_SIZE, dtype=np.bool_)
    table[codes * factor >> shift] = True
    return table


def _rarest(literal: str) -> int:
    """Where in the literal its four least common characters begin."""
    rank = [_BY_FREQUENCY.find(c) if c in _BY_FREQUENCY else 12 if c in "-_ .\"'=:" else 20 for c in literal]
    return max(
        range(len(literal) - 3), key=lambda i: (len(set(literal[i : i + 4])) > 1, sum(rank[i : i + 4]))
    )
