"""Opening journal files: regular files only, never waiting on a pipe, archives unpacked, and hashing stretches of them."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from pathlib import Path
from typing import BinaryIO

from kura_pipeline.journals.packed import Unpacked, is_packed, plain_head
from kura_runtime.errors import JournalUnreadable

HEAD, TAIL, STEP = 4096, 1024, 1 << 20


def open_regular(path: Path) -> BinaryIO:
    """Open for reading. Raises JournalUnreadable for anything but a regular file; never blocks on a pipe or a device."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        raise JournalUnreadable(path, _why(error)) from None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise JournalUnreadable(path, "not a regular file; it was not opened for reading")
        return os.fdopen(fd, "rb", buffering=STEP)
    except BaseException:
        os.close(fd)
        raise


def open_journal(path: Path) -> BinaryIO:
    """The plain bytes of a regular file: an archive is unpacked as it is read. See `open_regular`."""
    file = open_regular(path)
    return io.BufferedReader(Unpacked(file, path), STEP) if is_packed(path) else file


def read_head(path: Path, size: int = 65536) -> bytes:
    """The first plain bytes of a regular file; those of an archive are unpacked as far as they can be."""
    with open_regular(path) as file:
        try:
            return plain_head(file.read(size), size)
        except OSError as error:
            raise JournalUnreadable(path, _why(error), 0) from None


def span_digest(path: Path, start: int, end: int) -> str:
    """sha256 (hex) of the plain bytes [start, end). Raises JournalUnreadable where the file ends earlier."""
    digest = hashlib.sha256()
    with open_journal(path) as file:
        try:
            file.seek(start)
            left = end - start
            while left > 0:
                part = file.read(min(STEP, left))
                if not part:
                    raise JournalUnreadable(path, f"ends before byte {end}", end - left)
                digest.update(part)
                left -= len(part)
        except OSError as error:
            raise JournalUnreadable(path, _why(error), start) from None
    return digest.hexdigest()


def prefix_fingerprint(path: Path, upto: int) -> str:
    """Hash of the head of the file and of what stands just before `upto`: a file that was only appended to keeps it.

    "" where the file is shorter than `upto`: it cannot be the one that was read.
    """
    digest = hashlib.sha256(str(upto).encode())
    with open_journal(path) as file:
        try:
            digest.update(file.read(min(HEAD, upto)))
            file.seek(max(0, upto - TAIL))
            tail = file.read(min(TAIL, upto))
        except OSError as error:
            raise JournalUnreadable(path, _why(error)) from None
    if len(tail) < min(TAIL, upto):
        return ""
    digest.update(tail)
    return digest.hexdigest()


def _why(error: OSError) -> str:
    return f"cannot be read ({error.strerror or error})"
