"""One session out of the journals as a person reads it: what was said, by whom, when. Nothing is claimed here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from kura_pipeline.distil.batch import find
from kura_pipeline.distil.claiming import time_of
from kura_pipeline.distil.copies import Copy, copies, sessions_of, unpacked
from kura_pipeline.distil.coverage import survey
from kura_pipeline.distil.stretch import walk_window
from kura_pipeline.journals.base import Caps
from kura_pipeline.journals.held import is_there
from kura_pipeline.journals.sniff import adapter
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.domain.evidence import Event
from kura_runtime.errors import KuraError
from kura_runtime.ledger.ledger import Ledger

_PREFIX = 4  # characters of a session's name that are enough where only one begins so
_NEAR = 5


class UnknownSession(KuraError):
    """No journal of the store holds this session."""

    def __init__(self, store: str, session: str, near: list[str], known: int) -> None:
        self.session, self.near = session, near
        hint = f"near: {', '.join(near)}" if near else f"`kura journals -s {store}` lists the files"
        super().__init__(
            f'no journal of store {store} holds a session "{session}" ({known} are known); {hint}'
        )


@dataclass(frozen=True, slots=True)
class Transcript:
    """The events of a session, redacted and capped as evidence is, in the order of its files (oldest first).

    `repeated` counts records that a later file or line repeats, shown once; `failures` has one line for each file, or
    record, that could not be read.
    """

    session: str
    files: tuple[str, ...]
    events: tuple[Event, ...]
    left_out: dict[str, int]
    repeated: int
    failures: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        shown = [
            {
                "event_id": e.event_id, "class": e.cls.value, "ts": e.ts, "tool": e.tool, "text": e.text, "cut": e.cut,
                "redactions": dict(sorted(e.redactions.items())), "dead": e.dead, "journal": e.journal_key,
                "span": [e.byte_start, e.byte_end],
            }
            for e in self.events
        ]  # fmt: skip
        return {
            "session": self.session, "files": list(self.files), "events": shown, "left_out": self.left_out,
            "repeated": self.repeated, "failures": list(self.failures),
        }  # fmt: skip


def transcript(cfg: StoreConfig, ledger: Ledger, session: str, *, config: Config | None = None) -> Transcript:
    """Read a session again from every journal that holds a part of it; with `config` also from the archived copies of
    journals that are gone. Its name may be cut short where only one session begins so. Raises UnknownSession with the
    nearest names."""
    holding: dict[str, list[str]] = {}
    for row in survey(cfg, ledger).files:
        for name in row.sessions:
            holding.setdefault(name, []).append(row.path)
    archived = [c for c in copies(config, cfg, ledger) if not is_there(Path(c.path))] if config else []
    kept_in: dict[str, list[Copy]] = {}
    for copy in archived:
        for said in sessions_of(copy, cfg, ledger):
            kept_in.setdefault(said, []).append(copy)
            holding.setdefault(said, [])
    name = _named(cfg.name, session, list(holding))
    wanted = set(holding[name])
    told = _Told(cfg, name)
    for copy in reversed(kept_in.get(name, [])):  # what the host deleted is older than what it kept
        told.files.append(f"{copy.path} (deleted; read from its archived copy)")
        try:
            with unpacked(copy) as path:
                told.read(path, copy.adapter, copy.path, copy.mtime_ns)
        except KuraError as error:
            told.failures.append(str(error))
    for file in reversed(find(cfg).readable):
        if file.key in wanted:
            told.files.append(file.key)
            told.read(file.path, file.adapter or "", file.key, file.mtime_ns)
    return Transcript(
        name, tuple(told.files), tuple(told.events), dict(sorted(told.left_out.items())), told.repeated,
        tuple(told.failures),
    )  # fmt: skip


class _Told:
    """What the files tell of one session, one file after another."""

    def __init__(self, cfg: StoreConfig, name: str) -> None:
        self._cfg, self._name = cfg, name
        self._seen: set[str] = set()
        self.files: list[str] = []
        self.events: list[Event] = []
        self.left_out: Counter[str] = Counter()
        self.failures: list[str] = []
        self.repeated = 0

    def read(self, path: Path, kind: str, key: str, mtime_ns: int) -> None:
        """Walk `path`, which is (a copy of) the journal `key`."""
        reading = adapter(kind).read(
            path,
            caps=Caps(self._cfg.distill.tool_cap, self._cfg.distill.text_cap),
            file_time=time_of(mtime_ns),
            settled=True,
        )
        window = walk_window(reading, 0, None)
        for record in window.records:
            self.left_out.update(record.left_out)
            mine = [e for e in record.events if e.session == self._name]
            if mine and record.key in self._seen:
                self.repeated += 1
                continue
            if mine and record.key:
                self._seen.add(record.key)
            self.events += mine if str(path) == key else [replace(e, journal_key=key) for e in mine]
        self.failures += [f"{key}: byte {f.at}: {f.reason}; passed over" for f in reading.faults]
        if window.fault is not None:
            self.failures.append(str(window.fault).replace(str(path), key))


def _named(store: str, asked: str, known: list[str]) -> str:
    if asked in known:
        return asked
    begin = sorted(name for name in known if name.startswith(asked)) if len(asked) >= _PREFIX else []
    if len(begin) == 1:
        return begin[0]
    holds = sorted(name for name in known if asked and asked in name)
    near = begin or holds or get_close_matches(asked, known, n=_NEAR, cutoff=0.5)
    raise UnknownSession(store, asked, near[:_NEAR], len(known))
