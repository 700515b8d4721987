"""Taking what was handed out to agents into the ledger, so that it is never evidence when it comes back.

Serving paths append hashes of sentences to segments of their own below the store (`_kura/log/served-*.jsonl`); the ledger
is where all processes and machines of a project meet. A segment that was taken in whole is not needed any more.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kura_runtime.config.model import StoreConfig
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.recall.served import FOLDER

log = logging.getLogger(__name__)

TOGETHER = 20_000  # hashes of one transaction
LAG = 600  # seconds that a busy process may need until it notes what it served
_ALWAYS = "0001-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Ingested:
    """Segments that held something new, and the hashes read of them; `broken` lines were no lines of a segment and were
    skipped; `failures` has one line for each segment that could not be read."""

    segments: int = 0
    hashes: int = 0
    broken: int = 0
    failures: tuple[str, ...] = ()


def ingest_served(cfg: StoreConfig, ledger: Ledger) -> Ingested:
    """Bring the ledger up to the store's segments. A stretch and how far its segment was read are kept in one transaction: a
    killed process repeats at most what it had not kept, and repeating changes nothing. A last line without its line break
    is left for next time. Raises KuraError where the ledger cannot be written."""
    segments = hashes = broken = 0
    failures: list[str] = []
    known = ledger.served.segments(cfg.name)
    for file in sorted((cfg.path / FOLDER).glob("served-*.jsonl")):
        start = known.get(file.name, 0)
        try:
            size = file.stat().st_size
            if size == start:
                continue
            for upto, at, part, bad in _parts(
                file, start if start < size else 0
            ):  # a shorter one was put there anew
                ledger.served.ingest(cfg.name, file.name, upto, part, at)
                hashes += len(part)
                broken += bad
            segments += 1
        except OSError as error:
            failures.append(
                f"{file}: cannot be read ({error.strerror or error}); what it says was served is not known"
            )
    if broken:
        log.warning("%s: %d unreadable lines of served segments were skipped", cfg.path / FOLDER, broken)
    for line in failures:
        log.warning("%s", line)
    return Ingested(segments, hashes, broken, tuple(failures))


def served_before(cfg: StoreConfig, ledger: Ledger, claimed_at: str = "") -> frozenset[str]:
    """Every sentence hash that this system had handed out for the store when a batch was claimed ("" for until now), by
    whichever process. What was served later is left out: looking a thing up must not make its own source an echo."""
    ingest_served(cfg, ledger)
    return ledger.served.hashes(cfg.name, _after(claimed_at, LAG))


def _after(time: str, seconds: int) -> str:
    return (
        (datetime.fromisoformat(time) + timedelta(seconds=seconds)).isoformat(timespec="seconds")
        if time
        else ""
    )


def _time(value: object) -> str:
    """A row's time as the ledger compares it; one that does not read counts as always."""
    try:
        return datetime.fromisoformat(str(value)).astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return _ALWAYS


def _parts(file: Path, start: int) -> Iterator[tuple[int, str, list[str], int]]:
    """Stretches of the segment's whole lines: where each ends, when it was served, its hashes, and how many lines were
    broken. Lines of one second come together."""
    found: list[str] = []
    broken, upto, at = 0, start, _ALWAYS
    with file.open("rb") as source:
        source.seek(start)
        for line in source:
            if not line.endswith(b"\n"):
                break
            try:
                row = json.loads(line)
                hashes = [h for h in row["hashes"] if isinstance(h, str) and len(h) <= 64 and h.isalnum()]
                time = _time(row.get("ts"))
            except (ValueError, KeyError, TypeError):
                broken += 1
            else:
                if found and (time != at or len(found) >= TOGETHER):
                    yield upto, at, found, broken
                    found, broken = [], 0
                found += hashes
                at = time
            upto += len(line)
    if upto > start:
        yield upto, at, found, broken
