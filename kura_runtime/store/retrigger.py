"""The door of tidying: another recognition line for a memory. Nothing else of it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kura_runtime.domain.memory import TRIGGER_MAX
from kura_runtime.errors import BadInput, WriteRefused
from kura_runtime.store.direct import Written, live

if TYPE_CHECKING:
    from kura_runtime.store.store import Store


def retrigger(store: Store, slug: str, line: str, *, was: str, reason: str = "") -> Written:
    """Write a new line where the old one is still `was`: a line that changed meanwhile is newer than what was judged.
    Raises WriteRefused, BadInput, UnknownMemory."""
    if not line.strip() or "\n" in line or len(line) > TRIGGER_MAX:
        raise BadInput("trigger", f"one line of at most {TRIGGER_MAX} characters")
    with store.changing("tidy", "distiller") as change:
        memory = live(store, slug)
        if memory.trigger != was:
            raise WriteRefused(store.policy, f"the line of {slug} changed meanwhile; look at it again")
        if memory.trigger == line:
            return Written("unchanged", slug, store.revision)
        change.put(memory.with_(trigger=line), "tidy", was={"trigger": was}, reason=reason)
        return Written("annotated", slug, change.commit(), "its line was tidied; its history has the old one")
