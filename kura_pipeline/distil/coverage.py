"""Coverage: every file of the journal roots, what it holds, what was read of it, and what could not be.

Nothing is claimed here. Counting walks each file once; the figures are kept in the ledger until the file changes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from kura_pipeline.distil.batch import find, window_start
from kura_pipeline.distil.claiming import file_time, is_same
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
    reason; `error` names the byte and the reason where something could not be read, `reason` says why a file that is no
    fault is not read either. `last_read` (ISO 8601, UTC) is when its mark was last set, "" for never."""

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
    last_read: str = ""
    reason: str = ""
    mtime_ns: int = 0

    def to_json(self) -> dict[str, Any]:
        """A row of `kura journals --json`."""
        return {
            "path": self.path,
            "kind": self.kind,
            "adapter": self.adapter,
            "session": self.session,
            "events": self.events,
            "sessions": list(self.sessions),
            "unread": self.unread,
            "last_read": self.last_read or None,
            "error": self.error,
            "status": self.status,
            "reason": self.reason or None,
            "bytes": self.size,
            "left_out": self.left_out,
        }


@dataclass(frozen=True, slots=True)
class Survey:
    """The journals of a store. `sessions` with anything in them, of which `distilled` are distilled to their end; `failed`
    counts journals and sessions that could not be; `failures` has one line for each. `waiting` counts the other sessions
    by what they wait for (WAITING); `lost` counts stretches that were rewritten before they were kept, in journals that were
    read anew since. `older` counts unread journals (and their characters) that were last written before `[distill]
    window_days`: the nightly run leaves them. `idle_globs` of `exclude` mean no file. `digest` moves with any file."""

    files: tuple[JournalRow, ...]
    failures: tuple[str, ...]
    sessions: int
    distilled: int
    failed: int
    digest: str
    waiting: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    older: tuple[int, int] = (0, 0)
    idle_globs: tuple[str, ...] = ()

    @property
    def coverage(self) -> str:
        """Coverage on one line: how much of what there is, and why not the rest."""
        rest = ", ".join(f"{n} {why}" for why, n in self.waiting.items())
        return f"{self.distilled} of {self.sessions} sessions distilled, {self.failed} failed" + (
            f" ({rest})" if rest else ""
        )

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
            "coverage": {
                "sessions": self.sessions,
                "distilled": self.distilled,
                "failed": self.failed,
                "waiting": self.waiting,
                "lost": self.lost,
            },
            "older_than_window": {"journals": self.older[0], "unread": self.older[1]},
            "failures": list(self.failures),
            "exclude_without_file": list(self.idle_globs),
        }


def survey(cfg: StoreConfig, ledger: Ledger, *, now: datetime | None = None) -> Survey:
    """Look at every file of the store's roots. `now` (default: now) is where the nightly window is counted from."""
    marks = ledger.claims.marks(cfg.name)
    found = find(cfg)
    known = ledger.counts.of(f"{cfg.name}\x1f{f.key}" for f in found.readable)
    fresh: dict[str, tuple[str, Mapping[str, Any]]] = {}
    rows: list[JournalRow] = []
    for file in found.files:
        if file.status != "ok":
            error = file.reason if file.status in FAULTY else None
            reason = "" if error else file.reason
            rows.append(
                JournalRow(
                    file.key, file.kind, file.adapter, "", file.status, file.size, error=error, reason=reason
                )
            )
            continue
        one, mark, key = adapter(file.adapter or ""), marks.get(file.key), f"{cfg.name}\x1f{file.key}"
        stamp = _stamp(file, one, mark)
        cached = known.get(key)
        figures = cached[1] if cached is not None and cached[0] == stamp else None
        if figures is None:
            figures = _count(file, one, mark)
            fresh[key] = (stamp, figures)
        rows.append(_row(file, figures, mark))
    ledger.counts.keep(fresh)
    claims, lost = _standing(ledger.claims.of_store(cfg.name), marks)
    failures = [*found.problems, *(f"{r.path}: {r.error}" for r in rows if r.status in FAULTY)]
    failures += [
        f"{c.journal_key}: batch {c.batch_id} is {c.state} ({c.last_error})"
        for c in claims
        if c.state in ("parked", "lost")
    ]
    sessions, distilled, waiting = _covered(rows, claims)
    digest = hashlib.sha256(json.dumps([(f.key, f.stamp) for f in found.files]).encode()).hexdigest()
    return Survey(
        tuple(rows), tuple(failures), sessions, distilled, len(failures), digest, waiting, lost,
        _older(rows, window_start(cfg, now or datetime.now(UTC))), found.idle_globs,
    )  # fmt: skip


def _standing(claims: list[Claim], marks: Mapping[str, Mark]) -> tuple[list[Claim], int]:
    """The claims without those that were lost of a journal that was read anew since, and how many these are."""
    kept = [
        c
        for c in claims
        if c.state != "lost" or c.journal_key not in marks or marks[c.journal_key].generation <= c.generation
    ]
    return kept, len(claims) - len(kept)


def _older(rows: list[JournalRow], since: datetime) -> tuple[int, int]:
    left = [r for r in rows if r.unread and r.mtime_ns / 1e9 < since.timestamp()]
    return len(left), sum(r.unread for r in left)


def _stamp(file: JournalFile, one: Adapter, mark: Mark | None) -> str:
    read = f"{mark.generation}:{mark.read_to}:{mark.fingerprint[:16]}" if mark is not None else "unread"
    return f"{file.stamp}:{one.name}:{one.version}:{read}"


def _count(file: JournalFile, one: Adapter, mark: Mark | None) -> dict[str, Any]:
    events: Counter[str] = Counter()
    sessions: dict[str, None] = {}
    unread, error = 0, ""
    reading = one.read(file.path, 0, caps=Caps(redact=False), file_time=file_time(file), settled=True)
    try:
        read_to = mark.read_to if mark is not None and is_same(one, file, mark) else 0
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


def _row(file: JournalFile, figures: Mapping[str, Any], mark: Mark | None) -> JournalRow:
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
        last_read=mark.updated_at if mark is not None else "",
        mtime_ns=file.mtime_ns,
    )


def _covered(rows: list[JournalRow], claims: list[Claim]) -> tuple[int, int, dict[str, int]]:
    """Sessions that hold anything, those of them that are distilled to their end, and what the others wait for. A session
    that was only passed over by a catch-up is not distilled; a file that only repeats another one has no claims, and asks
    for none."""
    at_work: dict[str, set[str]] = {}
    for c in claims:
        at_work.setdefault(c.journal_key, set()).add(c.state)
    waits: dict[str, int] = {}  # session → the place of the first thing of WAITING that it waits for
    begun: set[str] = set()
    for row in rows:
        states = at_work.get(row.path, set())
        why = next(i for i, holds in enumerate(_WAITS) if holds(row, states))
        for session in row.sessions:
            waits[session] = min(waits.get(session, why), why)
            if "done" in states:
                begun.add(session)
    left = Counter(
        WAITING[min(why, len(WAITING) - 1)]
        for session, why in waits.items()
        if why < len(WAITING) - 1 or session not in begun
    )
    waiting = {name: left[name] for name in WAITING if left[name]}
    return len(waits), len(waits) - sum(waiting.values()), waiting


# What a session that is not distilled waits for, the first that holds; passed over is what asks for nothing any more.
WAITING = ("parked or lost", "unread", "claimed and not distilled yet", "passed over by a catch-up")
_WAITS: tuple[Callable[[JournalRow, set[str]], bool], ...] = (
    lambda _, states: bool(states & {"parked", "lost"}),
    lambda row, _: row.unread > 0,
    lambda _, states: bool(states & {"claimed", "evidence"}),
    lambda _, __: True,
)
