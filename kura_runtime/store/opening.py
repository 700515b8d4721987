"""Founding and recognising a store's folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from kura_runtime.errors import BadInput, ConfigError, StoreDamaged, StoreUnwritable
from kura_runtime.store import disk
from kura_runtime.store.layouts.base import Layout
from kura_runtime.store.layouts.kura import INDEX, KuraLayout

FORMAT = 1
_BESIDE = frozenset(
    {"charter.md", "profile.md", "README.md", "rules", "LICENSE"}
)  # may stand in a store-to-be


def layouts() -> dict[str, Layout]:
    """Every layout by name."""
    return {"kura": KuraLayout()}


def layout_of(root: Path, wanted: str | None) -> Layout:
    """The layout of a folder, by what it says of itself. Raises ConfigError where that contradicts the wish."""
    known = layouts()
    said = _version(root).get("layout")
    name = said or wanted or ("topics" if (root / "memory" / "topics").is_dir() else "kura")
    if name not in known:
        raise ConfigError(f'{root}: layout "{name}" is unknown; use one of {", ".join(known)}')
    if wanted and name != wanted:
        raise ConfigError(f'{root}: the store has layout "{name}", not "{wanted}"; set layout = "{name}"')
    return known[name]


def found(root: Path, name: str, layout_name: str) -> None:
    """Make a store's folder and files. One that is there stays as it is. Raises BadInput, StoreUnwritable, ConfigError."""
    root = root.expanduser()
    if root.exists() and not root.is_dir():
        raise BadInput("path", f"{root} is a file; name a folder")
    layout = layouts().get(layout_name)
    if layout is None:
        raise BadInput("layout", f'"{layout_name}" is unknown; use one of {", ".join(layouts())}')
    there = [p.name for p in root.iterdir() if not p.name.startswith(".")] if root.is_dir() else []
    if not is_store(root, layout) and any(e not in _BESIDE for e in there):
        raise BadInput("path", f"{root} holds other things and no memories; name an empty folder")
    layout_of(root, layout_name)
    try:
        disk.make_folder(root)
        if not os.path.lexists(root / INDEX) and not layout.scan(root).held:
            for op in layout.founding(name):
                disk.put(root / op.path, op.data)
        prepare(root, layout)
    except OSError as error:
        raise StoreUnwritable(root, f"cannot make a store here ({error.strerror or error})") from None


def is_store(root: Path, layout: Layout) -> bool:
    """Does the folder hold memories, an index or our own folder?"""
    if not root.is_dir():
        return False
    return (root / layout.places.durable).is_dir() or (root / INDEX).exists() or bool(layout.scan(root).held)


def prepare(root: Path, layout: Layout) -> None:
    """Before the first change: no folder of ours is a link, and the durable folder says what wrote it."""
    for name in layout.places.all():
        if (root / name).is_symlink():
            raise StoreDamaged(root / name, "a symlink; replace it by a folder of its own")
    path = root / layout.places.durable / "version"
    if not path.exists():
        try:
            disk.put(path, (json.dumps({"format": FORMAT, "layout": layout.name}) + "\n").encode())
        except OSError as error:
            raise StoreUnwritable(
                root, f"cannot write ({error.strerror or error}); nothing was changed"
            ) from None


def _version(root: Path) -> dict[str, Any]:
    for durable in {layout.places.durable for layout in layouts().values()}:
        path = root / durable / "version"
        try:
            said = json.loads(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            raise StoreDamaged(
                path, f'cannot be read ({error}); it should be {{"format": 1, "layout": "kura"}}'
            ) from None
        if not isinstance(said, dict) or not isinstance(said.get("format"), int):
            raise StoreDamaged(path, 'it should be {"format": 1, "layout": "kura"}')
        if said["format"] > FORMAT:
            raise ConfigError(
                f"{root}: written by a newer version (format {said['format']}); upgrade to open it"
            )
        return said
    return {}


def quarantined(folder: Path) -> list[dict[str, Any]]:
    """Files of the quarantine, each with the reason that was noted."""
    found: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.md")) if folder.is_dir() else []:
        reason = folder / f"{path.name}.reason"
        said = (
            reason.read_text(encoding="utf-8", errors="replace").strip()
            if reason.is_file()
            else "no reason was noted"
        )
        found.append({"file": str(path), "reason": said})
    return found
