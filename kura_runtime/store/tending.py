"""What looks after a store leaves in it: a sign of life, and what it found for a person to decide."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kura_runtime.errors import StoreDamaged
from kura_runtime.store import disk
from kura_runtime.store.containment import own_folder
from kura_runtime.store.opening import is_store, layouts

if TYPE_CHECKING:
    from kura_runtime.store.store import Store


def holds_store(path: Path) -> bool:
    """Does the folder hold a store of any layout? An empty one does not: it may be where a disk was to be mounted."""
    return any(is_store(path, layout) for layout in layouts().values())


def beat(store: Store, now: datetime) -> bool:
    """Write the heartbeat that doctor reads. False where the store takes none (frozen, read-only, damaged): whoever needs
    to write says why, and a sign of life is no reason to stop."""
    if store.policy == "frozen":
        return False
    said = json.dumps({"at": now.isoformat(timespec="seconds")}) + "\n"
    try:
        disk.put(own_folder(store.path / store.layout.places.durable) / "heartbeat.json", said.encode())
    except (OSError, StoreDamaged):
        return False
    return True


def propose(store: Store, file_name: str, data: bytes, *, by: str) -> Path:
    """Lay a proposal into the store, as one transaction; one of this name that is there stays as it is. Returns its file.
    Raises WriteRefused (policy), StoreUnwritable, StoreBusy."""
    relative = f"{store.layout.places.proposals}/{file_name}"
    with store.changing("tidy", by=by) as change:
        if not (store.path / relative).exists():
            change.file(relative, data)
            change.commit()
    return store.path / relative
