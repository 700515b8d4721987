"""Copies of the journals that were read, because the programs that write them delete them after some weeks.

`.kura/archive/<sha256>.jsonl.zst` holds a journal as it stood, named after the bytes of its file, so that the same content
is kept once; `index.jsonl` beside it has one line for each state of each journal (`mtime` in nanoseconds). A journal that
only grew is held whole by its newest copy: the one before is taken away. A copy is a journal as it is, with whatever secrets
stand in it: the folder and its files are readable by their owner alone.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from kura_pipeline.distil.batch import find
from kura_pipeline.journals.discover import JournalFile
from kura_pipeline.journals.files import open_regular
from kura_pipeline.journals.held import Container
from kura_pipeline.journals.sniff import adapter
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.errors import JournalUnreadable
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.disk import append_at

FOLDER, INDEX = "archive", "index.jsonl"
LOCK_SECONDS = 60
_PARTIAL = ".partial-"
_STEP = 1 << 20
_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Archived:
    """Journals whose present state was noted: `kept` with a new copy, `same` whose content was there already under
    another name or time; `unchanged` since their last copy, `changing` while they were copied (the next pass takes them),
    `left` because `most` was reached; `superseded` counts copies taken away because a newer one begins with them. `failures` has one line for each that could not be kept."""

    kept: int = 0
    same: int = 0
    unchanged: int = 0
    changing: int = 0
    left: int = 0
    superseded: int = 0
    failures: tuple[str, ...] = ()

    @property
    def moved(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.kept or self.same or self.changing or self.left)

    def to_json(self) -> dict[str, Any]:
        """The numbers, for reports."""
        return {
            "kept": self.kept, "same": self.same, "unchanged": self.unchanged, "changing": self.changing, "left": self.left,
            "superseded": self.superseded,
        }  # fmt: skip


class _Changing(Exception):
    """The file was written while it was copied."""


def archive_journals(
    config: Config, cfg: StoreConfig, ledger: Ledger, *, now: datetime, most: int | None = None
) -> Archived:
    """Keep a copy of every journal that the store has read and that changed since its last copy; nothing where `[distill]
    archive` is off. At most about `most` bytes are copied; the rest is for the next call. Never raises for a journal or a
    full disk: those are failures of the archive, and what was claimed is distilled all the same."""
    if not cfg.distill.archive:
        return Archived()
    folder = config.home / FOLDER
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(folder / "lock", timeout=LOCK_SECONDS):
            return _archive(folder, cfg, ledger, now, most)
    except Timeout:
        return Archived(
            failures=(
                f"{folder}: another process has been archiving for {LOCK_SECONDS} s; the next pass goes on",
            )
        )
    except OSError as error:
        return Archived(
            failures=(f"{error.filename or folder}: no copies can be kept ({error.strerror or error})",)
        )


def last_copies(folder: Path) -> tuple[dict[str, dict[str, Any]], int, tuple[str, ...]]:
    """Path → its last line of the index; the bytes of whole lines; a line for each that does not read. A last line that a
    crash cut short is no line."""
    path = folder / INDEX
    data = path.read_bytes() if path.exists() else b""
    whole = data.rfind(b"\n") + 1
    found: dict[str, dict[str, Any]] = {}
    bad: list[str] = []
    for number, line in enumerate(data[:whole].splitlines(), 1):
        try:
            row = json.loads(line)
            found[row["path"]] = {k: row[k] for k in ("path", "size", "mtime", "sha256", "time")} | {
                "pruned": row.get("pruned", ""),
                "state": row.get("state", ""),
            }
        except (ValueError, KeyError, TypeError):
            bad.append(f"{path}: line {number} does not read; take the line out, its journal is copied anew")
    return found, whole, tuple(bad)


def _archive(folder: Path, cfg: StoreConfig, ledger: Ledger, now: datetime, most: int | None) -> Archived:
    for dead in folder.glob(f"{_PARTIAL}*"):  # the lock is ours: whoever wrote it is gone
        dead.unlink()
    known, base, bad = last_copies(folder)
    failures = list(bad)
    kept = same = unchanged = changing = left = superseded = copied = 0
    for file in _read_journals(cfg, ledger):
        last = known.get(file.key)
        if (
            last is not None
            and _is_as_it_was(last, file)
            and (last["pruned"] or (folder / copy_name(str(last["sha256"]))).exists())
        ):
            unchanged += 1
            continue
        if most is not None and copied >= most:
            left += 1
            continue
        try:
            row, new, grown = _copy(folder, file, now, last)
        except _Changing:
            changing += 1
            continue
        except JournalUnreadable as error:
            failures.append(f"not archived: {error}")
            continue
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
        append_at(folder / INDEX, base, line)
        base += len(line)
        copied += int(row["size"])
        kept, same = kept + new, same + (not new)
        known[file.key] = {**row, "pruned": ""}
        if last is not None and grown and all(r["sha256"] != last["sha256"] for r in known.values()):
            (folder / copy_name(str(last["sha256"]))).unlink(missing_ok=True)
            superseded += 1
    return Archived(kept, same, unchanged, changing, left, superseded, tuple(failures))


def _read_journals(cfg: StoreConfig, ledger: Ledger) -> Iterator[JournalFile]:
    """Those with a mark in the ledger, so that a copy that a crash prevented is made by the next pass."""
    marks = ledger.claims.marks(cfg.name)
    for file in find(cfg, marks).readable:
        if file.key in marks:
            yield file


def _is_as_it_was(last: dict[str, Any], file: JournalFile) -> bool:
    if file.held:
        return bool(last["state"] == file.state)
    return (last["size"], last["mtime"]) == (file.size, file.mtime_ns)


class _Source:
    """The bytes of a journal: those of its file, or of a session inside a database as its adapter writes it out.

    Iterating raises _Changing where the file was written meanwhile, JournalUnreadable, OSError."""

    def __init__(self, file: JournalFile) -> None:
        self._file = file
        self.mtime_ns = file.mtime_ns

    def __iter__(self) -> Iterator[bytes]:
        one = adapter(self._file.adapter or "")
        if self._file.held and isinstance(one, Container):
            yield from one.copy(self._file.path)
            return
        with open_regular(self._file.path) as source:
            before, size = os.fstat(source.fileno()), 0
            while part := _part(source, self._file.path):
                size += len(part)
                yield part
            after = os.fstat(source.fileno())
        if (before.st_size, before.st_mtime_ns) != (size, after.st_mtime_ns) or size != after.st_size:
            raise _Changing
        self.mtime_ns = after.st_mtime_ns


def _copy(
    folder: Path, file: JournalFile, now: datetime, last: dict[str, Any] | None
) -> tuple[dict[str, Any], bool, bool]:
    """Copy one journal; its line of the index, whether its content is new, and whether it begins with the content of the
    `last` copy. The copy has its name only when it is whole and on the disk. Raises _Changing, JournalUnreadable, OSError."""
    import zstandard

    partial = folder / f"{_PARTIAL}{os.getpid()}"
    digest = hashlib.sha256()
    upto, grown = int(last["size"]) if last is not None else -1, False
    source = _Source(file)
    try:
        fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as out:
            size = 0
            with zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).stream_writer(
                out, closefd=False
            ) as packed:
                for part in source:
                    if size < upto <= size + len(part) and last is not None:
                        begun = digest.copy()
                        begun.update(part[: upto - size])
                        grown = begun.hexdigest() == last["sha256"]
                    digest.update(part)
                    packed.write(part)
                    size += len(part)
            out.flush()
            os.fsync(out.fileno())
        target = folder / copy_name(digest.hexdigest())
        new = not target.exists()
        if new:
            partial.replace(target)
            _settle(folder)
    finally:
        partial.unlink(missing_ok=True)
    return {
        "path": file.key, "size": size, "mtime": source.mtime_ns, "sha256": digest.hexdigest(),
        "time": now.astimezone(UTC).isoformat(timespec="seconds"),
        **({"state": file.state} if file.held else {}),
    }, new, grown and size > upto  # fmt: skip


def _part(source: Any, path: Path) -> bytes:
    try:
        data: bytes = source.read(_STEP)
    except OSError as error:
        raise JournalUnreadable(path, f"cannot be read ({error.strerror or error})") from None
    return data


def copy_name(sha256: str) -> str:
    """The file of a copy."""
    return f"{sha256}.jsonl.zst"


def _settle(folder: Path) -> None:
    """Have the folder's entries on the disk before the index speaks of them."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
