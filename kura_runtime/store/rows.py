"""Append-only lists beside the memories: seeds, refusals, pours. A torn last line costs that line and no other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kura_runtime.errors import StoreUnwritable
from kura_runtime.store import disk, history


class RowsByKey:
    """The rows of a growing file by one of their fields. Only what was appended since the last look is read."""

    def __init__(self, path: Path, key: str) -> None:
        self._path, self._key = path, key
        self._rows: dict[str, history.Entry] = {}
        self._read = 0
        self._inode = -1

    def all(self) -> Mapping[str, history.Entry]:
        """Field → the first row that has it."""
        try:
            status = os.lstat(self._path)
        except FileNotFoundError:
            self._rows, self._read = {}, 0
            return self._rows
        if status.st_ino != self._inode or status.st_size < self._read:
            self._rows, self._read, self._inode = {}, 0, status.st_ino
        if status.st_size > self._read:
            with self._path.open("rb") as file:
                file.seek(self._read)
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            for row in history.entries_of(whole):
                if isinstance(value := row.get(self._key), str):
                    self._rows.setdefault(value, row)
            self._read += len(whole)
        return self._rows


def add(path: Path, new: Iterable[Mapping[str, Any]], key: Sequence[str] | None) -> int:
    """Append rows that are not there yet (same `key` fields; None: the same whole row). The lock is held. Returns how many."""

    def identity(row: Mapping[str, Any]) -> str:
        value = {k: row.get(k) for k in key} if key else dict(row)
        return json.dumps(value, sort_keys=True, default=str)

    seen = {identity(row) for row in history.rows_of(path)}
    lines: list[bytes] = []
    for row in new:
        if (named := identity(row)) not in seen:
            seen.add(named)
            lines.append(
                json.dumps(row, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace") + b"\n"
            )
    if not lines:
        return 0
    try:
        disk.make_folder(path.parent)
        size = path.stat().st_size if path.exists() else 0
        torn = size > 0 and path.read_bytes()[-1:] != b"\n"
        disk.append_at(path, size, (b"\n" if torn else b"") + b"".join(lines))
    except OSError as error:
        raise StoreUnwritable(path, f"cannot write ({error.strerror or error})") from None
    return len(lines)
