"""The search index fed from a walk that was made for the evidence: a journal that is claimed is not walked twice.

What claiming does not walk (journals passed over, and what lies before a mark) is left to `index_journals`, which goes on
from the same marks.
"""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from kura_pipeline.distil.claiming import Walked, is_same
from kura_runtime.config.model import StoreConfig
from kura_runtime.errors import JournalUnreadable, KuraError
from kura_runtime.raw.filling import Filling, IndexMark


class Feed:
    """Opens the store's index at the first walk it is given. An index that cannot be written stops no claim: it is one line
    in `failures`, and nothing more is fed."""

    def __init__(self, cfg: StoreConfig) -> None:
        self.failures: list[str] = []
        self._store = cfg.path
        self._open = ExitStack()
        self._filling: Filling | None = None
        self._marks: dict[str, IndexMark] = {}
        self._reached: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def take(self, walked: Walked | None) -> None:
        """Index what the walk met beyond the journal's mark, and move the mark, in one transaction. A walk that began
        beyond the mark is left alone."""
        if walked is None or self.failures:
            return
        try:
            if self._filling is None:
                self._filling = self._open.enter_context(Filling.of(self._store))
                self._marks = self._filling.marks()
            self._add(self._filling, walked)
        except (KuraError, JournalUnreadable) as error:
            self.failures.append(str(error))

    def _add(self, filling: Filling, walked: Walked) -> None:
        file, one, end = walked.file, walked.adapter, walked.records[-1].end
        reached = self._reached.get(file.key)
        if reached is None:
            known = self._marks.get(file.key)
            reached = known.read_to if known is not None and is_same(one, file, known) else 0
        if walked.start <= reached < end:
            events = [e for r in walked.records if r.start >= reached for e in r.events]
            stamp = file.stamp if walked.whole else ""
            mark = IndexMark(end, one.fingerprint(file.path, end), stamp)
            filling.add(events, journal=file.key, mark=mark)
            reached = end
        self._reached[file.key] = reached
