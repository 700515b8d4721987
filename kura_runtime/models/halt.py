"""The end of a run, told to the calls that are under way in other threads."""

from __future__ import annotations

import threading

from kura_runtime.errors import KuraError


class Halted(KuraError):
    """The run was stopped while this call was under way; nothing is recorded as its answer."""


class Halt:
    """Set once, by whoever stops the run; `check` stands before and beside every call."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Stop: no further call is sent, those under way are dropped."""
        self._event.set()

    def check(self) -> None:
        """Raises Halted once `set` was called."""
        if self._event.is_set():
            raise Halted("the run was stopped while a model was being asked")
