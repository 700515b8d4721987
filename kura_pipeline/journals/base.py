"""What every journal adapter is: one file in, classed events out, with a count of everything that was left out.

One walk serves the claim and the read: `Adapter.read` yields records in journal order, each with its span, its events
and what it left out. A record is the smallest stretch that can be claimed; a batch ends only between two of them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from kura_runtime.domain.evidence import Event

Unit = Literal["byte", "sequence", "message"]
RECORD_CAP = 32 * 1024 * 1024  # bytes; a longer record is skipped and counted, never held in memory
LONGEST_NAME = 200  # characters of a session's or a tool's name
ENTRY_POINTS = "kura.journals"


@dataclass(frozen=True, slots=True)
class Caps:
    """Characters kept of one segment: of a TOOL event, and of any other. `redact` is off only where the text is counted
    and thrown away."""

    tool: int = 1500
    text: int = 4000
    redact: bool = True


class Node(NamedTuple):
    """Where a record stands in the conversation's tree. `prompt`: the human speaks here; `result`: a tool answers here;
    `turn` groups the records of one message of the model."""

    id: str
    parent: str
    prompt: bool = False
    result: bool = False
    turn: str = ""


class Record(NamedTuple):
    """One record of a journal. `start`/`end` are in the adapter's unit. `key` names the record across files and
    rewrites ("" where it has no events): the same key is the same record, and is distilled once."""

    start: int
    end: int
    events: tuple[Event, ...] = ()
    left_out: Mapping[str, int] = MappingProxyType({})
    key: str = ""
    session: str = ""
    node: Node | None = None


@dataclass(slots=True)
class Fault:
    """One record that could not be used: where, and why."""

    at: int
    reason: str


class Reading:
    """One walk over one journal. Iterate it once; the figures below are those of the part walked so far.

    `end` is where the next walk starts; `partial` counts the bytes (or records) of an unfinished tail that were left for
    next time. `open_end`: the last record ends where the file does, and may grow. `faults` are the records that could not be read, the first hundred of them.
    """

    def __init__(self, journal_key: str, start: int, records: Callable[[Reading], Iterator[Record]]) -> None:
        self.journal_key = journal_key
        self.session = ""
        self.start = start
        self.end = start
        self.partial = 0
        self.open_end = False
        self.left_out: Counter[str] = Counter()
        self.faults: list[Fault] = []
        self._records = records

    def __iter__(self) -> Iterator[Record]:
        left_out, session = self.left_out, ""
        for record in self._records(self):
            if record.left_out:
                for reason, n in record.left_out.items():
                    left_out[reason] += n
            self.end = record.end
            if self.session is not session:
                session = self.session = plain_name(self.session)
            yield _named(record)

    def fault(self, at: int, reason: str) -> None:
        """Note a record that could not be read."""
        if len(self.faults) < 100:
            self.faults.append(Fault(at, reason))


@runtime_checkable
class Adapter(Protocol):
    """One journal format. Adapters keep no state between walks; found through the entry-point group `kura.journals`."""

    @property
    def name(self) -> str:
        """The KIND of `[distill.journals]`."""
        ...

    @property
    def unit(self) -> Unit:
        """What `start` and `end` count. Only `byte` spans are positions in the file."""
        ...

    @property
    def version(self) -> str:
        """Moves whenever the same file may give other events."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How its files end (lower case). Another file below a root of this kind is no journal, and no fault."""
        ...

    def sniff(self, path: Path, head: bytes) -> bool:
        """True where name and content (its first 64 KiB) are this format's."""
        ...

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
        """Walk the journal from a record border. `end` stops the walk there. `file_time` (ISO 8601) dates text that has
        no date of its own; `settled` says that nobody is writing the file any more.

        Raises JournalUnreadable, here or while iterating, with the byte where reading stopped.
        """
        ...

    def fingerprint(self, path: Path, upto: int) -> str:
        """Hash that tells whether the journal up to `upto` is still the same one."""
        ...

    def digest(self, path: Path, start: int, end: int) -> str:
        """sha256 (hex) of the stretch."""
        ...

    def superseded(self, paths: frozenset[Path]) -> dict[Path, str]:
        """Files that are older states of another one, with the reason; most formats have none."""
        ...


def plain_name(name: str) -> str:
    """A name out of a journal (session, tool, id) as every table and terminal takes it: printable, valid Unicode, not
    endless. Two names that differ stay different."""
    if name.isprintable() and len(name) <= LONGEST_NAME:
        return name
    kept = "".join(c if c.isprintable() else "\ufffd" for c in name[: LONGEST_NAME - 9])
    return f"{kept}~{stable_id(name)[:8]}"


@lru_cache(maxsize=4096)
def _is_plain(name: str) -> bool:
    return name.isprintable() and len(name) <= LONGEST_NAME


def _named(record: Record) -> Record:
    """The record with plain names; almost all have them already."""
    events, session = record.events, record.session
    if _is_plain(session) and record.key.isprintable():
        for e in events:
            if not (
                e.event_id.isprintable()
                and (e.session is session or _is_plain(e.session))
                and (e.tool is None or _is_plain(e.tool))
            ):
                break
        else:
            return record
    events = tuple(
        replace(
            e,
            session=plain_name(e.session),
            event_id=plain_name(e.event_id),
            tool=e.tool and plain_name(e.tool),
        )
        for e in events
    )
    return record._replace(session=plain_name(record.session), key=plain_name(record.key), events=events)


def stable_id(*parts: object) -> str:
    """A short hash (24 hex) of what identifies a record."""
    joined = "\x1f".join(str(p) for p in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:24]
