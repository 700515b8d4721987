"""The three standard streams of the process, whatever the caller did to them.

A reader that goes away (`kura index | head -1`) and a stream that was never open (`kura run >&-`) are no reason to leave
work half done: the command goes on to its end, and its exit code says how that was. Text is UTF-8 in every locale.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

_stdout: _Patient | None = None


class _Patient(io.RawIOBase):
    """Bytes to a file descriptor. Once the reader is gone the rest goes nowhere; a full disk is remembered for the end."""

    def __init__(self, fd: int) -> None:
        self._fd, self.fault = fd, ""

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        try:
            if not self.fault:
                return os.write(self._fd, view)
        except BrokenPipeError:
            self._to_nowhere()
        except OSError as error:
            self.fault = error.strerror or str(error)
        return len(view)

    def _to_nowhere(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._fd)  # a child process that inherits it must not fail either
        os.close(nowhere)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd

    def isatty(self) -> bool:
        return os.isatty(self._fd)


def prepare() -> None:
    """Make stdout and stderr usable, before anything else is opened: a descriptor that is free would be given to the next
    file, and what is printed would be written into it. A closed stdin stays None, so that nothing is read from it."""
    global _stdout
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    _stdout = _Patient(1)
    sys.stdout = _text(_stdout)
    sys.stderr = _text(_Patient(2), at_once=True)


def settle() -> str:
    """Write out what waits. Returns why the output is not whole ("" where it is): a full disk, say."""
    sys.stdout.flush()
    return _stdout.fault if _stdout is not None else ""


def _text(raw: _Patient, *, at_once: bool = False) -> io.TextIOWrapper:
    # half a surrogate pair in a file's name is printed as its escape, which JSON reads back
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=at_once or raw.isatty(),
        write_through=at_once,
    )
