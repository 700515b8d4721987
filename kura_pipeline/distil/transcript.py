"""One session out of the journals as a person reads it: what was said, by whom, when. Nothing is claimed here."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from kura_pipeline.distil.batch import find
from kura_pipeline.distil.claiming import file_time
from kura_pipeline.distil.coverage import survey
from kura_pipeline.distil.stretch import walk_window
from kura_pipeline.journals.base import Caps
from kura_pipeline.journals.sniff import adapter
from kura_runtime.config.model import StoreConfig
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


def transcript(cfg: StoreConfig, ledger: Ledger, session: str) -> Transcript:
    """Read a session again from every journal that holds a part of it. Its name may be cut short where only one session
    begins so. Raises UnknownSession with the nearest names."""
    holding: dict[str, list[str]] = {}
    for row in survey(cfg, ledger).files:
        for name in row.sessions:
            holding.setdefault(name, []).append(row.path)
    name = _named(cfg.name, session, list(holding))
    wanted = set(holding[name])
    events: list[Event] = []
    left_out: dict[str, int] = {}
    failures: list[str] = []
    seen: set[str] = set()
    files: list[str] = []
    repeated = 0
    for file in reversed(find(cfg).readable):
        if file.key not in wanted:
            continue
        files.append(file.key)
        reading = adapter(file.adapter or "").read(
            file.path,
            caps=Caps(cfg.distill.tool_cap, cfg.distill.text_cap),
            file_time=file_time(file),
            settled=True,
        )
        window = walk_window(reading, 0, None)
        for record in window.records:
            for reason, n in record.left_out.items():
                left_out[reason] = left_out.get(reason, 0) + n
            mine = [e for e in record.events if e.session == name]
            if mine and record.key in seen:
                repeated += 1
                continue
            if mine and record.key:
                seen.add(record.key)
            events += mine
        failures += [f"{file.key}: byte {f.at}: {f.reason}; passed over" for f in reading.faults]
        if window.fault is not None:
            failures.append(str(window.fault))
    return Transcript(
        name, tuple(files), tuple(events), dict(sorted(left_out.items())), repeated, tuple(failures)
    )


def _named(store: str, asked: str, known: list[str]) -> str:
    if asked in known:
        return asked
    begin = sorted(name for name in known if name.startswith(asked)) if len(asked) >= _PREFIX else []
    if len(begin) == 1:
        return begin[0]
    holds = sorted(name for name in known if asked and asked in name)
    near = begin or holds or get_close_matches(asked, known, n=_NEAR, cutoff=0.5)
    raise UnknownSession(store, asked, near[:_NEAR], len(known))
