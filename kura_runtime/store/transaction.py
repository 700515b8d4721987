"""All or nothing: a change to several files of a store that a crash leaves undone or done, never half done.

The final bytes are written to `wal/<txid>/` first, then an intent that names them by hash; renaming the intent into place
is the moment of commitment. After it, appends come before renames: an append can still fail for want of space, and is
undone by truncating, while a rename needs none. What a crash leaves behind is replayed before the next change.

A transaction is written, replayed and cleared under the store's lock; nothing here takes it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kura_runtime.errors import StoreDamaged, StoreUnwritable
from kura_runtime.store import disk
from kura_runtime.store.containment import inside, own_folder

log = logging.getLogger(__name__)

_INTENT = "intent"


@dataclass(frozen=True, slots=True)
class Op:
    """One file's change. `path` is relative to the store, with forward slashes. `append` adds `data` at the end."""

    kind: Literal["replace", "append", "remove"]
    path: str
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What was found left over: `done` completed, `quarantined` (entry, reason) set aside, `undone` never committed."""

    done: tuple[str, ...] = ()
    quarantined: tuple[tuple[str, str], ...] = ()
    undone: int = 0


class Journal:
    """The write-ahead log of one store, below its durable folder."""

    def __init__(self, root: Path, durable: str) -> None:
        self.root = root
        self.durable = root / durable
        self._revision_path = f"{durable}/revision"

    @property
    def wal(self) -> Path:
        """Where entries lie. Raises StoreDamaged where it is a link: what is written there is moved into the store."""
        return own_folder(own_folder(self.durable) / "wal")

    @property
    def revision(self) -> int:
        """How often the store was changed through its doors; 0 for one that never was."""
        try:
            return int((self.durable / "revision").read_bytes())
        except FileNotFoundError:
            return 0
        except (ValueError, OSError) as error:
            raise StoreDamaged(
                self.durable / "revision",
                f"not a number ({error}); write the last number of the history there",
            ) from None

    def waiting(self) -> bool:
        """Is anything left over from a crash?"""
        return self.wal.is_dir() and any(self.wal.iterdir())

    def commit(self, ops: Sequence[Op]) -> int:
        """Make the change; returns the new revision. The lock is held and nothing is left over. Raises StoreUnwritable,
        whose message says whether the old state stands or the new one is on its way."""
        revision = self.revision + 1
        everything = [*ops, Op("replace", self._revision_path, f"{revision}\n".encode())]
        entry = self.wal / f"{revision:010d}"
        try:
            steps = self._write(entry, revision, everything)
        except OSError as error:
            self._abandon(entry)
            raise StoreUnwritable(self.root, f"{_reason(error)}; nothing was changed") from None
        moved = False
        try:
            self._append(entry, steps)
            for step in steps:
                self._move(entry, step)
                moved = moved or step["kind"] != "append"
            self._settle(steps)
        except OSError as error:
            if not moved and self._undo(entry, steps):
                raise StoreUnwritable(self.root, f"{_reason(error)}; nothing was changed") from None
            raise StoreUnwritable(
                self.root,
                f"{_reason(error)}; the change is committed and will be completed by the next write",
            ) from None
        try:
            self._clear(entry)
        except OSError as error:  # the change stands; what is left is replayed to no effect
            log.warning("%s: could not clear a finished entry (%s)", entry, error)
        return revision

    def replay(self) -> Replayed:
        """Complete what was committed, drop what was not, set aside what fails its own hashes. The lock is held."""
        done: list[str] = []
        quarantined: list[tuple[str, str]] = []
        undone = 0
        for entry in sorted(self.wal.iterdir()) if self.wal.is_dir() else []:
            try:
                if not entry.is_dir() or entry.is_symlink():
                    raise _Damaged("not an entry")
                if not (entry / _INTENT).is_file():
                    self._clear(entry)
                    undone += 1
                    continue
                steps = self._read(entry)
                self._append(entry, steps)
                for step in steps:
                    self._move(entry, step)
                self._settle(steps)
                self._clear(entry)
                done.append(entry.name)
                log.warning(
                    "%s: replayed the change %s that a crash had left unfinished", self.root, entry.name
                )
            except _Damaged as damage:
                quarantined.append((entry.name, str(damage)))
                self._set_aside(entry, str(damage))
            except OSError as error:
                raise StoreUnwritable(
                    self.root, f"{_reason(error)}; the change {entry.name} still waits to be completed"
                ) from None
        return Replayed(tuple(done), tuple(quarantined), undone)

    # -- writing an entry ------------------------------------------------------------------------------------------

    def _write(self, entry: Path, revision: int, ops: Sequence[Op]) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = []
        for op in ops:
            target = inside(self.root, op.path)
            step: dict[str, Any] = {"kind": op.kind, "path": op.path}
            if op.kind != "remove":
                step["sha256"] = hashlib.sha256(op.data).hexdigest()
                disk.make_folder(target.parent)
            if op.kind == "append":
                step["base"] = target.stat().st_size if target.exists() else 0
            steps.append(step)
        disk.make_folder(self.wal)
        disk.make_folder(entry)
        for n, op in enumerate(ops):
            if op.kind != "remove":
                disk.write_file(entry / f"{n:06d}", op.data)
                steps[n]["blob"] = f"{n:06d}"
        disk.sync_folder(entry)
        body = json.dumps({"revision": revision, "steps": steps}, ensure_ascii=True, sort_keys=True).encode()
        disk.write_file(entry / "intent.part", hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        disk.replace(entry / "intent.part", entry / _INTENT)
        disk.sync_folder(entry)
        disk.sync_folder(self.wal)
        return steps

    def _abandon(self, entry: Path) -> None:
        """Back out before the commitment; the intent, if it is there, goes first."""
        with suppress(OSError):
            disk.remove(entry / _INTENT)
            self._clear(entry)

    def _undo(self, entry: Path, steps: Sequence[dict[str, Any]]) -> bool:
        """Back out after the commitment, where no rename was made yet."""
        try:
            for step in steps:
                if step["kind"] == "append":
                    disk.cut_to(inside(self.root, step["path"]), step["base"])
            disk.remove(entry / _INTENT)
            self._clear(entry)
        except OSError:
            return False
        return True

    # -- applying an entry (each step may be repeated to no effect) ---------------------------------------------------

    def _append(self, entry: Path, steps: Sequence[dict[str, Any]]) -> None:
        for step in steps:
            if step["kind"] == "append":
                target = inside(self.root, step["path"])
                disk.make_folder(target.parent)
                disk.append_at(target, step["base"], (entry / step["blob"]).read_bytes())

    def _move(self, entry: Path, step: dict[str, Any]) -> None:
        target = inside(self.root, step["path"])
        if step["kind"] == "remove":
            disk.remove(target)
        elif step["kind"] == "replace" and (entry / step["blob"]).exists():
            disk.make_folder(target.parent)
            disk.replace(entry / step["blob"], target)

    def _settle(self, steps: Sequence[dict[str, Any]]) -> None:
        for folder in sorted({inside(self.root, s["path"]).parent for s in steps}):
            if folder.is_dir():
                disk.sync_folder(folder)

    def _clear(self, entry: Path) -> None:
        disk.remove(entry / _INTENT)
        disk.sync_folder(entry)
        for left in sorted(entry.iterdir()):
            disk.remove(left)
        disk.remove_folder(entry)

    # -- reading an entry --------------------------------------------------------------------------------------------

    def _read(self, entry: Path) -> list[dict[str, Any]]:
        """The steps of a committed entry, every byte of it checked before the first is applied."""
        head, _, body = (entry / _INTENT).read_bytes().partition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != head:
            raise _Damaged("the intent fails its own hash")
        try:
            steps: list[dict[str, Any]] = json.loads(body)["steps"]
            for step in steps:
                self._check(entry, step)
        except (ValueError, KeyError, TypeError) as error:
            raise _Damaged(f"the intent cannot be read ({error})") from None
        return steps

    def _check(self, entry: Path, step: dict[str, Any]) -> None:
        try:
            target = inside(self.root, step["path"])
        except StoreDamaged as error:
            raise _Damaged(str(error)) from None
        if step["kind"] == "remove":
            return
        blob = entry / Path(step["blob"]).name
        if blob.is_file() and not blob.is_symlink():
            data = blob.read_bytes()
        elif step["kind"] == "replace" and target.is_file():
            data = target.read_bytes()  # it has been renamed into place already
        else:
            raise _Damaged(f"the bytes for {step['path']} are missing")
        if hashlib.sha256(data).hexdigest() != step["sha256"]:
            raise _Damaged(f"the bytes for {step['path']} fail their hash")

    def _set_aside(self, entry: Path, reason: str) -> None:
        aside = own_folder(self.durable / "wal-quarantine")
        disk.make_folder(aside)
        n, target = 1, aside / entry.name
        while os.path.lexists(target):
            n, target = n + 1, aside / f"{entry.name}-{n}"
        disk.replace(entry, target)
        with suppress(OSError):
            disk.write_file(aside / f"{target.name}.reason", f"{reason}\n".encode())
        log.error("%s: set aside a damaged change: %s", target, reason)


class _Damaged(Exception):
    pass


def _reason(error: OSError) -> str:
    return f"cannot write ({error.strerror or error})"
