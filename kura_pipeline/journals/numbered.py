"""Journals whose records are known by their number: archives and exports that are written anew as a whole. A walk always
begins at the beginning; `start` and `end` only say which records are handed out."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from kura_pipeline.journals.base import Caps, Reading, Record, Unit
from kura_pipeline.journals.intake import Intake


class Numbered(ABC):
    """Base of the adapters whose unit is a sequence number or a message index."""

    name: str
    unit: Unit
    version: str
    suffixes: tuple[str, ...]

    @abstractmethod
    def records(self, reading: Reading, path: Path, intake: Intake) -> Iterator[Record]:
        """Every record of the file, by rising number."""

    def read(
        self,
        path: Path,
        start: int = 0,
        *,
        end: int | None = None,
        caps: Caps = Caps(),
        file_time: str = "",  # noqa: ARG002
        settled: bool = False,  # noqa: ARG002
    ) -> Reading:
        """See Adapter.read."""

        def walk(reading: Reading) -> Iterator[Record]:
            for record in self.records(reading, path, Intake(str(path), caps)):
                if end is not None and record.start >= end:
                    return
                if record.start >= start:
                    yield record
                if end is not None and record.end >= end:
                    return  # what stands behind it may be torn

        return Reading(str(path), start, walk)

    def fingerprint(self, path: Path, upto: int) -> str:
        """See Adapter.fingerprint; "" where the journal has fewer records."""
        digest, last = self._hash(path, 0, upto)
        return digest if last == upto else ""

    def digest(self, path: Path, start: int, end: int) -> str:
        """See Adapter.digest: the records' keys and words, for a number has no bytes."""
        return self._hash(path, start, end)[0]

    def _hash(self, path: Path, start: int, end: int) -> tuple[str, int]:
        digest, last = hashlib.sha256(), 0
        for record in self.read(path, start, end=end, caps=Caps(redact=False)) if end else ():
            digest.update(f"{record.start}\x1f{record.key}\x1e".encode())
            for event in record.events:
                digest.update(f"{event.cls}\x1f{event.text}\x1e".encode())
            last = record.end
        return digest.hexdigest(), last

    def superseded(self, paths: frozenset[Path]) -> dict[Path, str]:  # noqa: ARG002
        """See Adapter.superseded."""
        return {}
