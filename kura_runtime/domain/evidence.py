"""Events, quotes and batches: what a journal says, by whom, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class EvidenceClass(StrEnum):
    """Who speaks. The trust order is USER > TOOL > ACT > SELF (see `trust`)."""

    USER = "USER"  # the human's own words
    TOOL = "TOOL"  # machine output
    ACT = "ACT"  # a tool call that the agent made
    SELF = "SELF"  # the agent's own prose

    @property
    def trust(self) -> int:
        """4 for USER down to 1 for SELF."""
        return {"USER": 4, "TOOL": 3, "ACT": 2, "SELF": 1}[self.value]


@dataclass(frozen=True, slots=True)
class Event:
    """One classed piece of a journal, redacted and capped.

    `event_id` is stable over re-reads. `byte_start`/`byte_end` bound the journal *record* (the JSON line, or the
    stretch of a text file) that holds the event; for adapters whose unit is a sequence number they are that number and
    the next. `ts` is ISO 8601 with its own offset, or None where the record has no time. `cut` counts characters that
    the cap left out; `redactions` counts the secrets replaced, by kind. A `context` event is shown to the editor for
    understanding and is never evidence. A `dead` event stands on a branch of the conversation that was rewound: it was
    said, but it is not what was settled.
    """

    event_id: str
    seq: int
    cls: EvidenceClass
    text: str
    ts: str | None
    session: str
    journal_key: str
    byte_start: int
    byte_end: int
    tool: str | None = None
    redactions: dict[str, int] = field(default_factory=dict)
    cut: int = 0
    context: bool = False
    dead: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """A reserved stretch of one journal, as events in journal order."""

    batch_id: str
    store: str
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A surviving quote: `text` stands verbatim (after normalisation) inside the one event it names."""

    cls: EvidenceClass
    text: str
    event_id: str
    session: str
    journal_key: str
    byte_start: int
    byte_end: int
    ts: str | None
    repeats: bool = False  # a USER quote that a memory of the store already holds (goes on to novelty)
