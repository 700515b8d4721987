"""Adapters of other packages, held at arm's length: whatever one raises is an error of the one file it was asked about."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from kura_pipeline.journals.base import Adapter, Caps, Reading, Record, Unit
from kura_pipeline.journals.held import Container, Held
from kura_runtime.errors import JournalUnreadable

log = logging.getLogger(__name__)
_T = TypeVar("_T")


def guarded(one: Adapter) -> Adapter:
    """The adapter, raising nothing but JournalUnreadable, and under the name it was asked for."""
    return _GuardedContainer(one) if isinstance(one, Container) else _Guarded(one)


class _Guarded:
    def __init__(self, one: Adapter) -> None:
        self._one = one
        self.name: str = one.name
        self.unit: Unit = one.unit
        self.version: str = one.version
        self.suffixes: tuple[str, ...] = tuple(one.suffixes)

    def sniff(self, path: Path, head: bytes) -> bool:
        """See Adapter.sniff; raises JournalUnreadable where the adapter fails."""
        return self._ask(path, lambda: bool(self._one.sniff(path, head)))

    def read(
        self,
        path: Path,
        start: int = 0,
        *,
        end: int | None = None,
        caps: Caps = Caps(),
        file_time: str = "",
        settled: bool = False,
    ) -> Reading:
        """See Adapter.read."""

        def records(reading: Reading) -> Iterator[Record]:
            told = self._ask(
                path,
                lambda: self._one.read(path, start, end=end, caps=caps, file_time=file_time, settled=settled),
            )
            steps = self._ask(path, lambda: iter(told))
            while True:
                record = self._ask(path, lambda: next(steps, None))
                reading.session, reading.partial, reading.open_end = told.session, told.partial, told.open_end
                reading.faults = told.faults
                if record is None:
                    return
                yield record

        return Reading(str(path), start, records)

    def fingerprint(self, path: Path, upto: int) -> str:
        """See Adapter.fingerprint."""
        return self._ask(path, lambda: str(self._one.fingerprint(path, upto)))

    def digest(self, path: Path, start: int, end: int) -> str:
        """See Adapter.digest."""
        return self._ask(path, lambda: str(self._one.digest(path, start, end)))

    def superseded(self, paths: frozenset[Path]) -> dict[Path, str]:
        """See Adapter.superseded; {} where the adapter fails."""
        try:
            return dict(self._one.superseded(paths))
        except Exception as error:
            log.warning("the %s adapter failed over %d files: %s", self.name, len(paths), error)
            return {}

    def _ask(self, path: Path, question: Callable[[], _T]) -> _T:
        try:
            return question()
        except JournalUnreadable:
            raise
        except Exception as error:  # somebody else's code: it must not stop the journals that are well
            said = " ".join(str(error).split())
            raise JournalUnreadable(
                path, f"the {self.name} adapter failed on it ({type(error).__name__}: {said})"
            ) from error


class _GuardedContainer(_Guarded):
    def sessions(self, path: Path) -> list[Held] | None:
        """See Container.sessions."""
        held = self._ask(path, lambda: self._inside.sessions(path))
        return None if held is None else self._ask(path, lambda: list(held))

    def inner(self, path: Path, folder: bool) -> str:
        """See Container.inner; "" where the adapter fails."""
        try:
            return str(self._inside.inner(path, folder))
        except Exception as error:
            log.warning("the %s adapter failed on %s: %s", self.name, path, error)
            return ""

    def copy(self, path: Path) -> Iterator[bytes]:
        """See Container.copy."""
        steps = self._ask(path, lambda: iter(self._inside.copy(path)))
        while (part := self._ask(path, lambda: next(steps, None))) is not None:
            yield part

    @property
    def _inside(self) -> Any:
        return self._one
