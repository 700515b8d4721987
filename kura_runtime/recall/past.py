"""Recall as the store stood at a revision or a date, from the history of every memory. Lexical: no model is asked.

Each line of a history holds what the memory said after that change. What nothing vouches for is not guessed at: it is left
out or shown with its doubt, and the reply is degraded and says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import BadInput
from kura_runtime.recall.corpus import Corpus, build
from kura_runtime.recall.recall import Tiers, recall
from kura_runtime.recall.reply import Reply
from kura_runtime.recall.served import ServedLog
from kura_runtime.recall.snapshot import everything
from kura_runtime.store.history import Entry, memory_of
from kura_runtime.store.looking import Look

SAID = 5  # doubts that are spelled out in a reply; the others are counted
_BEGIN = ("create", "import")


class Remembering(Protocol):
    """What the past needs of a store."""

    @property
    def name(self) -> str: ...

    @property
    def revision(self) -> int: ...

    @property
    def path(self) -> Any: ...

    def memories(self) -> Sequence[Memory]: ...

    def get(self, slug: str) -> Memory: ...

    def look(self) -> Look: ...

    def histories(self) -> tuple[dict[str, list[Entry]], tuple[str, ...]]: ...


@dataclass(frozen=True, slots=True)
class Past:
    """The memories of a store at `revision`; `time` is that of the last change by then, "" before the first. `doubts` say
    what the history does not tell."""

    revision: int
    time: str
    memories: tuple[Memory, ...]
    doubts: tuple[str, ...]

    @property
    def when(self) -> str:
        """The state by name."""
        return f"revision {self.revision}" + (f" ({self.time})" if self.time else "")


class _PastShelf:
    """A past state, as recall wants it."""

    def __init__(self, name: str, past: Past) -> None:
        self.name, self.when, self._past = name, past.when, past
        self._corpus = build(past.memories)

    def corpus(self) -> tuple[Corpus, int, tuple[str, ...]]:
        """See `recall.Shelf`."""
        more = len(self._past.doubts) - SAID
        said = self._past.doubts[:SAID] + ((f"and {more} more doubts of this kind",) if more > 0 else ())
        return self._corpus, self._past.revision, said


def recall_past(
    store: Remembering,
    question: str,
    as_of: str | int,
    *,
    tiers: Tiers,
    hops: int = 1,
    top: int = 3,
    chars: int = 6000,
    total_chars: int | None = None,
    served: ServedLog | None = None,
) -> Reply:
    """`recall` on the store as it stood. Degraded where the history leaves doubts. Raises BadInput."""
    past = at(store, as_of)
    reply = recall(
        _PastShelf(store.name, past), question, tiers=replace(tiers, thinker=None), hops=hops, top=top, chars=chars,
        total_chars=total_chars, served=served,
    )  # fmt: skip
    return replace(reply, as_of=past.when, degraded=reply.degraded or bool(past.doubts))


def at(store: Remembering, as_of: str | int) -> Past:
    """The store at a revision or a moment. The same history gives the same past. Raises BadInput."""
    histories, closed = store.histories()
    wanted = _revision(store, as_of, histories)
    now = {m.slug: m for m in everything(store)}
    memories: list[Memory] = []
    doubts = list(closed)
    times: list[tuple[int, str]] = []
    histories = {name: entries for name, entries in histories.items() if _NAME.fullmatch(name)}
    for name, entries in sorted(histories.items()):
        slug = _slug(name, entries)
        memory, doubt = _then(slug, entries, wanted, now)
        if memory is not None:
            memories.append(memory)
        if doubt:
            doubts.append(f"{slug}: {doubt}")
        times += [
            (r, str(e.get("time", ""))) for e in entries if _holds(e) and (r := e["revision"]) <= wanted
        ]
    known = {_slug(name, entries) for name, entries in histories.items()}
    by_hand = sorted(now.keys() - known)
    if by_hand:
        doubts.append(
            f"{len(by_hand)} memories were laid there by hand and have no history ({', '.join(by_hand[:3])}{' …' if len(by_hand) > 3 else ''}); "
            "they are left out"
        )
    return Past(wanted, max(times, default=(0, ""))[1], tuple(memories), tuple(doubts))


def _then(
    slug: str, entries: Sequence[Entry], wanted: int, now: dict[str, Memory]
) -> tuple[Memory | None, str]:
    """(the memory after the last change by then, what is in doubt about it)."""
    by_then = [i for i, e in enumerate(entries) if _holds(e) and e["revision"] <= wanted]
    good = [i for i, e in enumerate(entries) if _holds(e)]
    if not good:
        return None, "nothing of its history can be read; it is left out"
    first = entries[good[0]]
    if not by_then:
        began = first.get("action") in _BEGIN
        return (
            None,
            "" if began else "its history begins later, and it may have been there before; it is left out",
        )
    at_, last = by_then[-1], by_then[-1] == good[-1]
    entry, there = entries[at_], now.get(slug)
    doubt = _missing(entries, at_)
    content = entry.get("content")
    memory = memory_of(slug, content) if isinstance(content, dict) else None
    if memory is None:
        if not last or there is None:
            return None, "the history keeps no text of that time; it is left out"
        return there, "the history keeps no text of that time; it is shown as its page stands now"
    if last and there is None:
        doubt = "its page is gone, and nothing says since when"
    elif last and there != memory:
        doubt = "its page was edited by hand, and nothing says when; it is shown as it was last written through a door"
    return memory, doubt


def _missing(entries: Sequence[Entry], at_: int) -> str:
    """What is wrong with the line that follows: torn, forged, or not the next one that there was."""
    if at_ + 1 == len(entries):
        return ""
    after = entries[at_ + 1]
    if not _holds(after):
        return "a line of its history cannot be believed (torn, or its seal does not hold); it may have changed by then"
    if isinstance(prior := after.get("prior"), int) and prior != entries[at_]["revision"]:
        return f"its history lost the line of revision {prior}; it may have changed by then"
    return ""


def _holds(entry: Entry) -> bool:
    revision = entry.get("revision")
    return isinstance(revision, int) and not isinstance(revision, bool) and entry.get("sealed") is not False


def _slug(name: str, entries: Sequence[Entry]) -> str:
    """The memory that a history is about: what its lines say, where that fits the file's name."""
    said = next((str(e["slug"]) for e in entries if e.get("slug")), name)
    return said if said.replace("/", "--") == name else name


_NAME = re.compile(
    r"[a-z0-9][a-z0-9_-]*"
)  # what a door can have written; a name is shown, so no other is believed
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _revision(store: Remembering, as_of: str | int, histories: dict[str, list[Entry]]) -> int:
    text = str(as_of).strip()
    if not isinstance(as_of, bool) and re.fullmatch(r"[0-9]{1,12}", text):
        if int(text) > store.revision:
            raise BadInput(
                "as_of", f"revision {text} is not there yet; the store is at revision {store.revision}"
            )
        return int(text)
    moment = _moment(text)
    if moment is None:
        raise BadInput(
            "as_of", f'"{text[:40]}": wants a revision, a date such as 2026-03-01 or a time in ISO 8601'
        )
    return max(
        (
            e["revision"]
            for entries in histories.values()
            for e in entries
            if _holds(e) and (made := _moment(str(e.get("time", "")))) is not None and made <= moment
        ),
        default=0,
    )


def _moment(text: str) -> datetime | None:
    """A moment in UTC; a date alone is its last one."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if _DAY.fullmatch(text):
        found += timedelta(days=1) - timedelta(microseconds=1)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
