"""The shape of a cue: words that show what a sentence does, and how much they say for its lasting."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Act = Literal[
    "entrusted",  # the human asks to keep it
    "rule",  # how things are always, or never, to be done
    "preference",
    "decision",
    "correction",
    "constraint",  # a limit, a deadline, what is allowed
    "warning",
    "cause",  # what it really was
    "value",  # a name, port, colour, path that something has
    "procedure",
    "commitment",
    "opinion",
    "fact",
    "contrast",  # this and not that: strengthens what stands beside it
    "reason",
    "condition",
    "chore",  # something to be done now, and then over
    "moment",  # speaks of this very moment
    "retract",  # takes back what was said before
]


@dataclass(frozen=True, slots=True)
class Cue:
    """`weight` counts towards lasting (2.0 is enough alone); `notes_only` cues say nothing in a conversation."""

    act: Act
    weight: float
    pattern: re.Pattern[str]
    notes_only: bool = False


def table(rows: list[tuple[Act, float, str]], *, notes_only: bool = False) -> tuple[Cue, ...]:
    """Cues out of plain rows; case does not matter."""
    return tuple(
        Cue(act, weight, re.compile(source, re.IGNORECASE), notes_only) for act, weight, source in rows
    )
