"""Recorded calls as a data set."""

from __future__ import annotations

import json
import os
from pathlib import Path

from kura_pipeline.called import calls_of, fate_of_judge, fates, pours_of
from kura_runtime.errors import BadInput
from kura_runtime.ledger.ledger import Ledger


def export_calls(
    ledger: Ledger, store: str, root: str, file: Path, *, role: str = "", since: str = ""
) -> int:
    """Write one JSON object a line, in the order the calls were recorded, and return their number. The file appears whole
    or not at all. `downstream` is null where nothing is known of what became of an answer."""
    if not file.parent.is_dir():
        raise BadInput("FILE", f"{file.parent}: no such folder")
    known, pours = fates(root, store), pours_of(root, store)
    beside = file.with_name(f"{file.name}.{os.getpid()}.new")
    written = 0
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as out:
            for called in calls_of(ledger, store, role=role, since=since):
                fate = known.get(called.call.key) or fate_of_judge(called, pours)
                row = called.whole() | {"downstream": fate.to_json() if fate else None}
                # an ASCII form: a lone surrogate of a broken journal has no other
                out.write(json.dumps(row, ensure_ascii=True, sort_keys=True) + "\n")
                written += 1
            out.flush()
            os.fsync(out.fileno())
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
    return written
