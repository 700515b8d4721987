"""The elements of a JSON array as bytes, one after the other: an export of a year is one array of hundreds of megabytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

_STEP = 1 << 20
_SIGN = re.compile(rb'["\[\]{}]')
_STRING_END = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def elements(file: BinaryIO, cap: int) -> Iterator[tuple[int, int, bytes | None]]:
    """(start, end, bytes) of every object or array in the top-level array, with None for those over `cap` bytes.

    Raises ValueError with the byte where the text stops being such an array (torn, or something else).
    """
    scan = _Scan(file)
    opened = scan.next_sign()
    if opened is None or opened[0] != b"[":
        raise ValueError(f"no JSON array at byte {opened[1] if opened else 0}")
    while True:
        sign = scan.next_sign()
        if sign is None:
            raise ValueError(f"torn at byte {scan.size}")
        if sign[0] == b"]":
            return
        if sign[0] == b'"':
            scan.skip_string()
            continue
        if sign[0] == b"}":
            raise ValueError(f"a stray bracket at byte {sign[1]}")
        start = sign[1]
        scan.keep(start)
        end = scan.close()
        if end is None:
            raise ValueError(f"torn at byte {scan.size}")
        yield start, end, scan.kept(start, end, cap)


class _Scan:
    """A window that slides over the file. `_base` is the offset of its first byte."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._window = b""
        self._base = 0
        self._at = 0  # in the window
        self._keep = -1  # offset from which on bytes are held

    @property
    def size(self) -> int:
        return self._base + len(self._window)

    def _more(self) -> bool:
        part = self._file.read(_STEP)
        if not part:
            return False
        held = self._keep - self._base if self._keep >= 0 else self._at
        self._window = self._window[held:] + part
        self._base += held
        self._at -= held
        return True

    def next_sign(self) -> tuple[bytes, int] | None:
        while True:
            found = _SIGN.search(self._window, self._at)
            if found:
                self._at = found.end()
                return found.group(), self._base + found.start()
            self._at = len(self._window)
            if not self._more():
                return None

    def skip_string(self) -> bool:
        while True:
            found = _STRING_END.match(self._window, self._at)
            if found:
                self._at = found.end()
                return True
            if not self._more():
                return False

    def keep(self, start: int) -> None:
        self._keep = start

    def close(self) -> int | None:
        """Offset behind the bracket that closes the one just read; None where the file ends first."""
        depth = 1
        while depth:
            sign = self.next_sign()
            if sign is None:
                return None
            if sign[0] == b'"':
                if not self.skip_string():
                    return None
            else:
                depth += 1 if sign[0] in b"[{" else -1
        return self._base + self._at

    def kept(self, start: int, end: int, cap: int) -> bytes | None:
        self._keep = -1
        return self._window[start - self._base : end - self._base] if end - start <= cap else None
