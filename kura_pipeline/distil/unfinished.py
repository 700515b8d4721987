"""Why characters stay unread although a run found nothing to do: the last line of a journal has no end yet."""

from __future__ import annotations

from kura_pipeline.distil.batch import find
from kura_pipeline.journals.files import open_regular
from kura_pipeline.journals.sniff import adapter
from kura_runtime.config.model import StoreConfig
from kura_runtime.errors import JournalUnreadable
from kura_runtime.ledger.ledger import Ledger


def unfinished(cfg: StoreConfig, ledger: Ledger) -> list[str]:
    """One line for each journal whose last line waits for its end. Reads the tails of those that moved since their mark."""
    marks = ledger.claims.marks(cfg.name)
    found: list[str] = []
    for file in find(cfg, marks).readable:
        mark = marks.get(file.key)
        if file.held or (mark is not None and mark.stamp == file.stamp):
            continue
        unit = mark.unit if mark is not None else adapter(file.adapter or "").unit
        start = mark.read_to if mark is not None and mark.read_to <= file.size else 0
        if unit != "byte" or file.size <= start:
            continue
        try:
            with open_regular(file.path) as source:
                source.seek(start)
                tail = source.read(file.size - start)
        except (JournalUnreadable, OSError):
            continue
        left = len(tail) - (tail.rfind(b"\n") + 1)
        if left:
            found.append(
                f"{file.key}: its last line is not finished ({left} bytes without a line end); it is read once the program that "
                "writes it ends the line"
            )
    return found
