"""Reading the archive back: which copies there are, one session's journals as they were, and taking old copies away.

A copy is the journal's own bytes, checked against the hash it is named after: what comes out of the archive is what went in.
Copies belong to the project; a store sees those of the journals that it has read.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock

from kura_pipeline.distil.archive import FOLDER, INDEX, LOCK_SECONDS, copy_name, last_copies
from kura_pipeline.journals.base import Caps
from kura_pipeline.journals.held import is_there
from kura_pipeline.journals.sniff import adapter
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.errors import JournalUnreadable, KuraError
from kura_runtime.ledger.ledger import Ledger

_STEP = 1 << 20


@dataclass(frozen=True, slots=True)
class Copy:
    """The newest copy of one journal: `path` is where the journal stood, `adapter` how it was read, `file` the copy."""

    path: str
    adapter: str
    size: int
    mtime_ns: int
    sha256: str
    file: Path


@dataclass(frozen=True, slots=True)
class Pruned:
    """Copies that were (or would be) taken away, their bytes on disk, and how many of them were the only copy there is: the
    journal itself is gone. `kept` are those that stay."""

    removed: int
    bytes: int
    only: int
    kept: int

    def to_json(self) -> dict[str, int]:
        """Plain values for `--json`."""
        return {"removed": self.removed, "bytes": self.bytes, "only_copies": self.only, "kept": self.kept}


def copies(config: Config, cfg: StoreConfig, ledger: Ledger) -> list[Copy]:
    """The newest copy of each journal that this store has read, newest journal first."""
    folder = config.home / FOLDER
    known, _, _ = last_copies(folder)
    found = []
    for path, mark in ledger.claims.marks(cfg.name).items():
        row = known.get(path)
        if row is not None and (file := folder / copy_name(str(row["sha256"]))).exists():
            found.append(
                Copy(path, mark.adapter, int(row["size"]), int(row["mtime"]), str(row["sha256"]), file)
            )
    return sorted(found, key=lambda c: (-c.mtime_ns, c.path))


def unpack(copy: Copy, target: Path) -> None:
    """Write the journal as it was; never over a file that is there. Raises KuraError where the copy is damaged (and leaves
    nothing) or the target cannot be written."""
    import zstandard

    digest = hashlib.sha256()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise KuraError(
            f"{target}: is there already, and nothing is written over; restore into another folder"
        ) from None
    except OSError as error:
        raise KuraError(f"{target}: cannot be written ({error.strerror or error})") from None
    try:
        with os.fdopen(fd, "wb") as out, copy.file.open("rb") as packed:
            for part in _parts(packed, zstandard.ZstdDecompressor()):
                digest.update(part)
                out.write(part)
        if digest.hexdigest() != copy.sha256:
            raise KuraError(
                f"{copy.file}: damaged: it does not hold what its name says; take it from a backup"
            )
        os.utime(target, ns=(copy.mtime_ns, copy.mtime_ns))
    except BaseException as error:
        target.unlink(missing_ok=True)
        if isinstance(error, zstandard.ZstdError):
            raise KuraError(f"{copy.file}: damaged ({error}); take it from a backup") from None
        if isinstance(error, OSError):
            raise KuraError(f"{target}: cannot be written ({error.strerror or error})") from None
        raise


@contextmanager
def unpacked(copy: Copy) -> Iterator[Path]:
    """The journal of a copy as a file of its own name, for as long as it is looked at."""
    with tempfile.TemporaryDirectory(prefix="kura-copy-") as folder:
        target = Path(folder) / Path(copy.path).parent.name / Path(copy.path).name
        unpack(copy, target)
        yield target


def sessions_of(copy: Copy, cfg: StoreConfig, ledger: Ledger) -> tuple[str, ...]:
    """The sessions of which the journal holds a part: as they were counted when it was there, else by reading the copy."""
    counted = ledger.counts.of([f"{cfg.name}\x1f{copy.path}"])
    if counted:
        return tuple(next(iter(counted.values()))[1].get("sessions", ()))
    found: dict[str, None] = {}
    with unpacked(copy) as file:
        try:
            for record in adapter(copy.adapter).read(file, caps=Caps(redact=False), settled=True):
                for event in record.events:
                    found.setdefault(event.session)
        except JournalUnreadable:
            pass  # what stands before the fault is known
    return tuple(found)


def restore(
    config: Config, cfg: StoreConfig, ledger: Ledger, session: str, to: Path
) -> list[tuple[Copy, Path]]:
    """Write the journals of a session out of the archive into `to`, byte for byte, under their own names. Raises KuraError
    for a session of which there is no copy."""
    found = copies(config, cfg, ledger)
    named: dict[str, list[Copy]] = {}
    for copy in found:
        for name in sessions_of(copy, cfg, ledger):
            named.setdefault(name, []).append(copy)
    matching = (
        [session]
        if session in named
        else sorted(n for n in named if len(session) >= 4 and n.startswith(session))
    )
    if len(matching) != 1:
        why = (
            f"several begin so: {', '.join(matching[:5])}"
            if matching
            else f"{len(found)} journals are archived"
        )
        hint = "" if cfg.distill.archive or matching else "; [distill] archive is off"
        raise KuraError(f'no copy of a session "{session}" of store {cfg.name} ({why}{hint})')
    written: list[tuple[Copy, Path]] = []
    for copy in named[matching[0]]:
        target = to / Path(copy.path).name
        if any(
            target == other for _, other in written
        ):  # two journals of one name: their folders tell them apart
            target = to / Path(copy.path).parent.name / Path(copy.path).name
        unpack(copy, target)
        written.append((copy, target))
    return written


def prune(config: Config, *, before: datetime, dry: bool = False) -> Pruned:
    """Take away the copies of journals that were last written before `before`. Their lines stay in the index, marked, so that
    the same state of a journal is not copied again. A copy stays where a younger journal holds the same content."""
    folder = config.home / FOLDER
    if not folder.is_dir():
        return Pruned(0, 0, 0, 0)
    with FileLock(folder / "lock", timeout=LOCK_SECONDS):
        rows = _rows(folder)
        limit = before.timestamp() * 1e9
        young = {str(r["sha256"]) for r in rows if int(r["mtime"]) >= limit}
        there = {p.name: p for p in folder.glob("*.jsonl.zst")}
        old: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            digest = str(row["sha256"])
            if digest not in young and copy_name(digest) in there:
                old.setdefault(digest, []).append(row)
        size = sum(there[copy_name(d)].stat().st_size for d in old)
        only = sum(not any(is_there(Path(str(r["path"]))) for r in held) for held in old.values())
        if old and not dry:
            at = datetime.now(UTC).isoformat(timespec="seconds")
            for row in rows:
                if str(row["sha256"]) in old:
                    row.setdefault("pruned", at)
            _write_index(folder, rows)
            for digest in old:
                (folder / copy_name(digest)).unlink(missing_ok=True)
    return Pruned(len(old), size, only, len(there) - len(old))


def _rows(folder: Path) -> list[dict[str, Any]]:
    """Every line of the index. Raises KuraError for one that does not read: nothing is taken away on a guess."""
    path = folder / INDEX
    data = path.read_bytes() if path.exists() else b""
    rows = []
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        try:
            row = json.loads(line)
            int(row["mtime"]), str(row["sha256"]), str(row["path"])
        except (ValueError, KeyError, TypeError):
            raise KuraError(f"{path}: line {number} does not read; take the line out first") from None
        rows.append(row)
    return rows


def _write_index(folder: Path, rows: list[dict[str, Any]]) -> None:
    beside = folder / f".{INDEX}.new"
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "wb") as out:
        out.write(b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows))
        out.flush()
        os.fsync(out.fileno())
    beside.replace(folder / INDEX)


def _parts(packed: BinaryIO, decompressor: Any) -> Iterator[bytes]:
    with decompressor.stream_reader(packed, read_across_frames=True) as plain:
        while part := plain.read(_STEP):
            yield part
