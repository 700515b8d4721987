"""Opening journal files: regular files only, never waiting on a pipe, and hashing stretches of them."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

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


def read_head(path: Path, size: int = 65536) -> bytes:
    """The first bytes of a regular file."""
    with open_regular(path) as file:
        try:
            return file.read(size)
        except OSError as error:
            raise JournalUnreadable(path, _why(error), 0) from None


def span_digest(path: Path, start: int, end: int) -> str:
    """sha256 (hex) of the bytes [start, end). Raises JournalUnreadable where the file ends earlier."""
    digest = hashlib.sha256()
    with open_regular(path) as file:
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
    with open_regular(path) as file:
        try:
            if os.fstat(file.fileno()).st_size < upto:
                return ""
            digest.update(file.read(min(HEAD, upto)))
            file.seek(max(0, upto - TAIL))
            digest.update(file.read(min(TAIL, upto)))
        except OSError as error:
            raise JournalUnreadable(path, _why(error)) from None
    return digest.hexdigest()


def _why(error: OSError) -> str:
    return f"cannot be read ({error.strerror or error})"
