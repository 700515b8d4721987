"""Zstandard archives as a stream of plain bytes. Such a file is made of many frames, and a one-shot decompression would
return the first of them only, silently; a torn tail is an error here, never an end."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from kura_runtime.errors import JournalUnreadable

MAGIC = b"\x28\xb5\x2f\xfd"
MOST = 8 << 30  # bytes one archive may unpack to; more is a trap, not a journal
_STEP = 1 << 18


def is_packed(path: Path) -> bool:
    """True for the names of zstandard archives."""
    return path.name.lower().endswith((".zst", ".zstd"))


def plain_head(head: bytes, size: int = 65536) -> bytes:
    """The first bytes of a file as they read: unpacked where they are the beginning of an archive."""
    if not head.startswith(MAGIC):
        return head
    out = b""
    try:
        while head and len(out) < size:
            frame = zstandard.ZstdDecompressor().decompressobj()
            out += frame.decompress(head)
            head = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError:
        pass
    return out[:size]


class Unpacked(io.RawIOBase):
    """The plain bytes of an archive. Reading raises JournalUnreadable at a torn or damaged place, after everything before
    it was handed out, with the number of lines and bytes that were read."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self._restart()

    def _restart(self) -> None:
        self._file.seek(0)
        self._frame: Any = None
        self._packed = b""
        self._ready = memoryview(b"")
        self._at = 0
        self._lines = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("an archive has no known end")
        if offset < self._at:
            self._restart()
        while self._at < offset:
            if not self._fill():
                break
            self._take(min(len(self._ready), offset - self._at))
        return self._at

    def readinto(self, buffer: Any) -> int:
        if not self._fill():
            return 0
        part = self._take(min(len(self._ready), len(buffer)))
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    def _take(self, n: int) -> bytes:
        part = bytes(self._ready[:n])
        self._ready = self._ready[n:]
        self._at += n
        self._lines += part.count(b"\n")
        return part

    def _fill(self) -> bool:
        """Unpack until something is ready; False at a proper end."""
        while not self._ready:
            if not self._packed:
                self._packed = self._file.read(_STEP)
                if not self._packed:
                    if self._frame is not None:
                        raise self._torn("the archive is torn")
                    return False
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            try:
                made = self._frame.decompress(self._packed)
            except zstandard.ZstdError as error:
                raise self._torn(f"the archive is damaged ({error})") from None
            self._packed = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = None
            self._ready = memoryview(made)
            if self._at + len(made) > MOST:
                raise self._torn(f"the archive unpacks to more than {MOST >> 30} GiB")
        return True

    def _torn(self, what: str) -> JournalUnreadable:
        return JournalUnreadable(
            self._path, f"{what} after {self._lines} whole lines; what stands before is read", self._at
        )
