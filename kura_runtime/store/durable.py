"""What the doctor looks for in the durable folder: a revision, histories and seals that were lost or altered by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged
from kura_runtime.store import gatekey, history

if TYPE_CHECKING:
    from kura_runtime.store.store import Store

Found = tuple[str, str, str]  # kind, where, message


def losses(store: Store, memories: Sequence[Memory]) -> Iterator[Found]:
    """What is missing or does not read, each with the way out."""
    places = store.layout.places
    ours = [m for m in memories if m.provenance in ("direct", "imported")]
    folder = store.path / places.durable
    if not folder.exists():
        if ours or (store.path / places.evidence).is_dir():
            yield (
                "durable-gone", str(folder),
                f"{folder} is gone, with the key, the history and the revision: the memories can be read, and nothing vouches for "
                "them any more; restore the folder from a backup",
            )  # fmt: skip
        return
    highest = 0
    key = None
    with suppress(StoreDamaged):
        key = gatekey.read_key(folder)
    try:
        histories, closed = history.all_of(folder / "history", key)
    except OSError as error:
        yield "history", str(folder / "history"), f"the histories cannot be listed ({error.strerror})"
        return
    for said in closed:
        yield (
            "history",
            said.partition(":")[0],
            f"a history cannot be opened: {said}; restore it from a backup",
        )
    for name, entries in histories.items():
        torn = [str(e["unreadable"]) for e in entries if "unreadable" in e]
        forged = [str(e.get("revision", "?")) for e in entries if e.get("sealed") is False]
        if torn:
            yield (
                "history-torn",
                name,
                f"{name}: line {', '.join(torn)} of its history cannot be read; restore it from a backup",
            )
        if forged:
            yield (
                "history-seal", name,
                f"{name}: the seal of its history does not hold at revision {', '.join(forged)}: somebody changed that line; "
                "restore it from a backup",
            )  # fmt: skip
        highest = max((highest, *(r for e in entries if isinstance(r := e.get("revision"), int))))
    if ours and not histories and not closed:
        yield (
            "history-gone",
            str(folder / "history"),
            "the histories of all memories are gone; restore them from a backup",
        )
    with suppress(StoreDamaged):  # one that does not read is named elsewhere
        if store.revision < highest:
            yield (
                "revision", str(folder / "revision"),
                f"the store says revision {store.revision}, its history {highest}: write {highest} into {folder / 'revision'}",
            )  # fmt: skip
