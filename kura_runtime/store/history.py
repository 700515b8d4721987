"""The history of a memory: one line for everything that was done to it, sealed, appended, never rewritten."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged
from kura_runtime.store.containment import read_own
from kura_runtime.store.gatekey import seal_of

Entry = dict[str, Any]


def line(key: bytes, entry: Mapping[str, Any]) -> bytes:
    """One entry, sealed, as the bytes to append."""
    kept = {k: v for k, v in entry.items() if v not in (None, "", (), [], {})}
    kept["seal"] = seal_of(key, "history", kept)
    return json.dumps(kept, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def read(path: Path, key: bytes | None = None) -> list[Entry]:
    """The entries, oldest first; [] where nothing was recorded. With a key each carries `sealed`: does its seal hold?

    A line that cannot be read (an edit, a torn disk) is kept as `{"unreadable": its number}`. Raises StoreDamaged only
    where the file itself cannot be opened.
    """
    try:
        data, _ = read_own(path)
    except FileNotFoundError:
        return []
    return entries_of(data, key)


def entries_of(data: bytes, key: bytes | None = None) -> list[Entry]:
    """See `read`."""
    found: list[Entry] = []
    for n, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            entry = json.loads(raw)
            if not isinstance(entry, dict):
                raise ValueError("no object")
        except ValueError:
            found.append({"unreadable": n})
            continue
        if key is not None:
            given = entry.pop("seal", "")
            entry = {**entry, "sealed": given == seal_of(key, "history", entry), "seal": given}
        found.append(entry)
    return found


def content_of(memory: Memory) -> dict[str, Any]:
    """A memory as a history line keeps it: its fields but for the slug, without those that say nothing."""
    value = {f.name: getattr(memory, f.name) for f in fields(Memory) if f.name != "slug"}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in value.items() if v not in (None, "", ())}


def memory_of(slug: str, content: Mapping[str, Any]) -> Memory | None:
    """`content_of` read back; None where that is no memory's content."""
    known = {f.name for f in fields(Memory)} - {"slug"}
    kept = {k: tuple(map(str, v)) if isinstance(v, list) else v for k, v in content.items() if k in known}
    if any(not isinstance(v, str | tuple) for v in kept.values()):
        return None
    values: dict[str, Any] = {"title": "", "trigger": "", **kept}
    return Memory(slug=slug, **values)


def all_of(folder: Path, key: bytes | None = None) -> tuple[dict[str, list[Entry]], tuple[str, ...]]:
    """(file name without its ending → entries, the files that cannot be opened) of a history folder."""
    found: dict[str, list[Entry]] = {}
    closed: list[str] = []
    for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else []:
        try:
            found[path.stem] = read(path, key)
        except (StoreDamaged, FileNotFoundError) as error:
            closed.append(str(error))
    return found, tuple(closed)


def last_revision(path: Path) -> int:
    """The revision of a history's last line, 0 where there is none that says so."""
    try:
        entries = read(path)
    except StoreDamaged:
        return 0
    return next((r for e in reversed(entries) if isinstance(r := e.get("revision"), int)), 0)


def curation_seal(key: bytes, memory: Memory) -> str:
    """The seal over what is said *about* a memory: tags, callsigns and the three sentences."""
    value = [
        memory.slug, list(memory.tags), list(memory.callsigns), memory.belongs_because, memory.keep, memory.may_fade,
    ]  # fmt: skip
    return seal_of(key, "curation", value)


def curation_state(key: bytes, memory: Memory, entries: Iterable[Entry]) -> str:
    """ "none" (nothing to sign), "signed", "unsigned" (no door ever signed any) or "tampered" (another was signed)."""
    if not (memory.tags or memory.callsigns or memory.belongs_because or memory.keep or memory.may_fade):
        return "none"
    seals = [e["curation"] for e in entries if e.get("curation") and e.get("sealed") is not False]
    if not seals:
        return "unsigned"
    return "signed" if seals[-1] == curation_seal(key, memory) else "tampered"


def rows_of(path: Path) -> list[Entry]:
    """The objects of any append-only file of ours; lines that cannot be read are left out (a torn last line)."""
    return [e for e in read(path) if "unreadable" not in e]
