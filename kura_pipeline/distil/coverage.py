"""Coverage: every file of the journal roots, what it holds, what was read of it, and what could not be.

Nothing is claimed here. Counting walks each file once; the figures are kept in the ledger until the file changes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kura_pipeline.distil.batch import find
from kura_pipeline.distil.claiming import file_time
from kura_pipeline.journals.base import Adapter, Caps
from kura_pipeline.journals.discover import FAULTY, JournalFile
from kura_pipeline.journals.sniff import adapter
from kura_runtime.config.model import StoreConfig
from kura_runtime.errors import JournalUnreadable
from kura_runtime.ledger.claims import Claim, Mark
from kura_runtime.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One file: `events` by class in the whole file, `unread` in characters of events not claimed yet, `left_out` by
    reason; `error` names the byte and the reason where something could not be read."""

    path: str
    kind: str
    adapter: str | None
    session: str
    status: str
    size: int
    events: dict[str, int] = field(default_factory=dict)
    unread: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    error: str | None = None
    sessions: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A row of `kura journals --json`."""
        return {
            "path": self.path,
            "kind": self.kind,
            "adapter": self.adapter,
            "session": self.session,
            "events": self.events,
            "unread": self.unread,
            "error": self.error,
            "status": self.status,
            "bytes": self.size,
            "left_out": self.left_out,
        }


@dataclass(frozen=True, slots=True)
class Survey:
    """The journals of a store. `sessions` with anything in them, of which `distilled` are distilled to their end; `failed`
    counts journals and sessions that could not be; `failures` has one line for each. `digest` moves with any file."""

    files: tuple[JournalRow, ...]
    failures: tuple[str, ...]
    sessions: int
    distilled: int
    failed: int
    digest: str

    @property
    def size(self) -> int:
        """Bytes of all files that are read."""
        return sum(r.size for r in self.files if r.status == "ok")

    @property
    def unread(self) -> int:
        """Characters of evidence not claimed yet."""
        return sum(r.unread for r in self.files)

    def to_json(self) -> dict[str, Any]:
        """The document of `kura journals --json`."""
        return {
            "files": [r.to_json() for r in self.files],
            "coverage": {"sessions": self.sessions, "distilled": self.distilled, "failed": self.failed},
            "failures": list(self.failures),
        }


def survey(cfg: StoreConfig, ledger: Ledger) -> Survey:
    """Look at every file of the store's roots."""
    marks = ledger.claims.marks(cfg.name)
    found = find(cfg)
    known = ledger.counts.of(f"{cfg.name}\x1f{f.key}" for f in found.readable)
    fresh: dict[str, tuple[str, Mapping[str, Any]]] = {}
    rows: list[JournalRow] = []
    for file in found.files:
        if file.status != "ok":
            error = file.reason if file.status in FAULTY else None
            rows.append(
                JournalRow(file.key, file.kind, file.adapter, "", file.status, file.size, error=error)
            )
            continue
        one, mark, key = adapter(file.adapter or ""), marks.get(file.key), f"{cfg.name}\x1f{file.key}"
        stamp = _stamp(file, one, mark)
        cached = known.get(key)
        figures = cached[1] if cached is not None and cached[0] == stamp else None
        if figures is None:
            figures = _count(file, one, mark)
            fresh[key] = (stamp, figures)
        rows.append(_row(file, figures))
    ledger.counts.keep(fresh)
    claims = ledger.claims.of_store(cfg.name)
    failures = [*found.problems, *(f"{r.path}: {r.error}" for r in rows if r.status in FAULTY)]
    failures += [
        f"{c.journal_key}: batch {c.batch_id} is {c.state} ({c.last_error})"
        for c in claims
        if c.state in ("parked", "lost")
    ]
    sessions, distilled = _covered(rows, claims)
    digest = hashlib.sha256(json.dumps([(f.key, f.stamp) for f in found.files]).encode()).hexdigest()
    return Survey(tuple(rows), tuple(failures), sessions, distilled, len(failures), digest)


def _stamp(file: JournalFile, one: Adapter, mark: Mark | None) -> str:
    read = f"{mark.generation}:{mark.read_to}:{mark.fingerprint[:16]}" if mark is not None else "unread"
    return f"{file.stamp}:{one.name}:{one.version}:{read}"


def _count(file: JournalFile, one: Adapter, mark: Mark | None) -> dict[str, Any]:
    events: Counter[str] = Counter()
    sessions: dict[str, None] = {}
    unread, error = 0, ""
    reading = one.read(file.path, 0, caps=Caps(redact=False), file_time=file_time(file), settled=True)
    try:
        same = mark is not None and one.fingerprint(file.path, mark.read_to) == mark.fingerprint
        read_to = mark.read_to if mark is not None and same else 0
        for record in reading:
            if not record.events:
                continue
            events.update(e.cls.value for e in record.events)
            sessions.setdefault(record.session)
            if record.start >= read_to:
                unread += sum(len(e.text) for e in record.events)
    except JournalUnreadable as stopped:
        at = f"byte {stopped.offset}: " if stopped.offset is not None else ""
        error, status = f"{at}{stopped.reason}", "failed"
    else:
        status = "ok"
        if reading.faults:
            first = reading.faults[0]
            more = f" (and {len(reading.faults) - 1} more)" if len(reading.faults) > 1 else ""
            error = f"byte {first.at}: {first.reason}{more}; passed over"
    return {
        "session": reading.session,
        "sessions": list(sessions),
        "events": dict(sorted(events.items())),
        "unread": unread,
        "left_out": dict(sorted(reading.left_out.items())),
        "error": error,
        "status": status,
    }


def _row(file: JournalFile, figures: Mapping[str, Any]) -> JournalRow:
    return JournalRow(
        path=file.key,
        kind=file.kind,
        adapter=file.adapter,
        session=figures["session"],
        status=figures["status"],
        size=file.size,
        events=figures["events"],
        unread=figures["unread"],
        left_out=figures["left_out"],
        error=figures["error"] or None,
        sessions=tuple(figures["sessions"]),
    )


def _covered(rows: list[JournalRow], claims: list[Claim]) -> tuple[int, int]:
    """Sessions that hold anything, and those of them that are distilled to their end. A session that was only passed over
    by a catch-up is not; a file that only repeats another one has no claims, and asks for none."""
    at_work: dict[str, set[str]] = {}
    for c in claims:
        at_work.setdefault(c.journal_key, set()).add(c.state)
    open_ends: dict[str, bool] = {}
    begun: set[str] = set()
    for row in rows:
        states = at_work.get(row.path, set())
        open_end = row.unread > 0 or not states <= {"done", "skipped"}
        for session in row.sessions:
            open_ends[session] = open_ends.get(session, False) or open_end
            if "done" in states:
                begun.add(session)
    return len(open_ends), sum(session in begun and not open_end for session, open_end in open_ends.items())
