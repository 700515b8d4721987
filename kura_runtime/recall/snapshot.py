"""The snapshot: a corpus as Arrow files, written once, mapped into memory by every reader.

`_still/snapshot/<revision>/` holds memories.arrow, features.arrow, postings.arrow, rows.arrow, links.arrow and meta.json
(sizes and hashes of the others). It is built beside its place and renamed into it, then `CURRENT` is replaced; a reader
sees a whole snapshot or none. One that does not match its hashes is skipped loudly. The bytes depend on the memories
alone, so that the same revision is the same files; only seen.arrow beside them, the stamps of the pages they were built
from, is of this disk: by it a reader knows which pages were edited or deleted since.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreUnwritable
from kura_runtime.recall.arrays import Arrays
from kura_runtime.recall.corpus import Corpus, callsigns_of, names_of
from kura_runtime.recall.corpus import build as build_corpus
from kura_runtime.recall.seen import mapped, read_seen, write_seen
from kura_runtime.store.looking import GRAIN, Look, Seen

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger(__name__)

FORMAT = 3
FOLDER = Path("_still") / "snapshot"
HASH_AT_ONCE = (
    24 * 1024 * 1024
)  # bytes that are hashed before a snapshot is used; a larger one is checked beside its use
KEEP = 2  # the newest and the one before it
_FILES = ("memories.arrow", "features.arrow", "postings.arrow", "rows.arrow", "links.arrow")
_TEXTS = tuple(f.name for f in fields(Memory) if f.name not in ("tags", "callsigns", "links", "extra"))
_LISTS = ("tags", "callsigns", "links", "extra")


class Readable(Protocol):
    """What a snapshot needs of a store."""

    @property
    def path(self) -> Path: ...

    @property
    def revision(self) -> int: ...

    def memories(self) -> Sequence[Memory]: ...

    def get(self, slug: str) -> Memory: ...

    def look(self) -> Look: ...


@dataclass(frozen=True, slots=True)
class Built:
    """A snapshot on disk. `digest` is the sha256 over its files; `counts` are plain numbers for metadata."""

    path: Path
    revision: int
    digest: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Opened:
    """A snapshot mapped into memory. `seen` is what it was built from."""

    corpus: Corpus
    revision: int
    path: Path
    seen: Seen
    warnings: tuple[str, ...] = ()
    checked: bool = True  # False: the bytes still have to be read against their hashes (`damaged_at`)


def everything(store: Readable) -> list[Memory]:
    """All memories of a store, those of its archive marked as such: they are recalled only where they are named."""
    archived = getattr(store, "archived", None)
    live = list(store.memories())
    names = sorted(set(archived()) - {m.slug for m in live}) if archived else []
    return [*live, *(store.get(slug).with_(state="archived") for slug in names)]


def build(store: Readable, path: Path | None = None) -> Built:
    """Write the snapshot of the store's present revision below `path` (default: the store's own workshop) and make it
    current. A revision that is there already, whole, is left as it is."""
    root = path if path is not None else store.path / FOLDER
    try:
        root.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise StoreUnwritable(
            root, "a file stands where the snapshots' folder belongs; move it away and run this again"
        ) from None
    revision = store.revision
    seen = _look(store).as_seen()  # before the pages: what changes while they are read is seen as changed
    memories = everything(store)
    place = root / str(revision)
    with contextlib.suppress(_Damaged):
        meta = _meta(place)
        _verify(place, meta, whole=True)
        if meta["memories_digest"] == _memories_digest(memories):
            if read_seen(place) != seen:  # other stamps on the same words
                write_seen(place, seen)
            _make_current(root, revision)
            return Built(place, revision, meta["digest"], meta["counts"])
    corpus = build_corpus(memories)
    beside = Path(tempfile.mkdtemp(prefix=f".{revision}-", dir=root))
    try:
        meta = _write(beside, corpus, revision, memories)
        write_seen(beside, seen)
        if place.exists():  # damaged, or of other memories under the same number: never mended in place
            aside = Path(tempfile.mkdtemp(prefix=".old-", dir=root))
            place.rename(aside / "was")
            beside.rename(place)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            beside.rename(place)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    _make_current(root, revision)
    _prune(root, revision)
    return Built(place, revision, meta["digest"], meta["counts"])


def fresh(store: Readable) -> bool:
    """Is there a whole snapshot of the store as its pages and its index stand now? Looks at stamps; reads no page."""
    revision = current_revision(store.path)
    if revision is None or revision != store.revision:
        return False
    place = store.path / FOLDER / str(revision)
    try:
        _verify(place, _meta(place), whole=_small(place))
    except _Damaged:
        return False
    look, seen = store.look(), read_seen(place)
    return look.index == seen.index and not look.changed_since(seen)


def _look(store: Readable) -> Look:
    """A look at files that are older than the clock's grain, so that their stamps mean something: a moment's wait."""
    for _ in range(5):
        look = store.look()
        if look.settled:
            break
        time.sleep(GRAIN / 1e9)
    return look


def current_revision(store_path: Path | str) -> int | None:
    """The revision that `CURRENT` names, or None where there is no snapshot."""
    try:
        text = (Path(store_path) / FOLDER / "CURRENT").read_bytes().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() and len(text) < 20 else None


def open_newest(store_path: Path | str) -> Opened | None:
    """The newest whole snapshot of a store: the current one, else the newest before it; None where there is none.

    A damaged one is skipped, with a warning in the log and in the result.
    """
    root = Path(store_path) / FOLDER
    current = current_revision(store_path)
    warnings: list[str] = []
    for revision in _candidates(root, current):
        try:
            corpus = _open(root / str(revision))
        except _Damaged as damage:
            warnings.append(f"snapshot {revision} was skipped: {damage}")
            log.warning("%s: %s", root / str(revision), warnings[-1])
            continue
        place = root / str(revision)
        return Opened(corpus, revision, place, read_seen(place), tuple(warnings), _small(place))
    return None


def damaged_at(folder: Path) -> str:
    """What is wrong with one snapshot, by reading every byte of it; "" for nothing."""
    try:
        _verify(folder, _meta(folder), whole=True)
    except _Damaged as damage:
        return str(damage)
    return ""


def damaged(store_path: Path | str) -> tuple[str, ...]:
    """What is wrong with the snapshots of a store, by reading every byte of them."""
    root = Path(store_path) / FOLDER
    found = ((revision, damaged_at(root / str(revision))) for revision in _candidates(root, None))
    return tuple(f"snapshot {revision}: {what}" for revision, what in found if what)


# --- writing ------------------------------------------------------------------------------------------------------------


def _write(folder: Path, corpus: Corpus, revision: int, memories: Sequence[Memory]) -> dict[str, Any]:
    import pyarrow as pa

    a = corpus.arrays
    ordered = [corpus.memory_at(i) for i in range(corpus.size)]
    columns: dict[str, Any] = {
        name: pa.array([getattr(m, name) for m in ordered], pa.string()) for name in _TEXTS
    }
    columns |= {
        name: pa.array([list(getattr(m, name)) for m in ordered], pa.list_(pa.string())) for name in _LISTS
    }
    columns["successor"] = pa.array(a.successors, pa.int32())
    columns["hidden"] = pa.array(a.hidden.astype(np.int8), pa.int8())
    columns["row_end"] = pa.array(a.row_starts[1:], pa.int64())
    edges = [(i, corpus.place[t]) for i, m in enumerate(ordered) for t in m.links if t in corpus.place]
    tables = {
        "memories.arrow": pa.table(columns),
        "features.arrow": pa.table(
            {
                "key": pa.array(a.keys, pa.uint64()),
                "weight": pa.array(a.weights, pa.float32()),
                "spread": pa.array(a.spread, pa.int32()),
                "named": pa.array(a.named.astype(np.int8), pa.int8()),
                "end": pa.array(a.starts[1:], pa.int64()),
            }
        ),
        "postings.arrow": pa.table({"row": pa.array(a.holders, pa.int32())}),
        "rows.arrow": pa.table({"key": pa.array(a.row_keys, pa.uint64())}),
        "links.arrow": pa.table(
            {
                "from": pa.array([e[0] for e in edges], pa.int32()),
                "to": pa.array([e[1] for e in edges], pa.int32()),
            }
        ),
    }
    hashes: dict[str, dict[str, Any]] = {}
    for name, table in tables.items():
        file = folder / name
        with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table.combine_chunks())
        data = file.read_bytes()
        hashes[name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        _sync(file)
    digest = hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()
    counts = {
        "memories": corpus.size,
        "features": len(a.keys),
        "postings": len(a.holders),
        "links": len(edges),
        "bytes": sum(h["bytes"] for h in hashes.values()),
    }
    meta = {
        "format": FORMAT,
        "revision": revision,
        "digest": digest,
        "memories_digest": _memories_digest(memories),
        "counts": counts,
        "files": hashes,
    }
    (folder / "meta.json").write_text(json.dumps(meta, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    _sync(folder / "meta.json")
    folder.chmod(0o755)
    return meta


def memory_digest(memory: Memory) -> str:
    """sha256 over every field of a memory."""
    value = [getattr(memory, f.name) for f in fields(Memory)]
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


def _memories_digest(memories: Iterable[Memory]) -> str:
    return hashlib.sha256("".join(sorted(memory_digest(m) for m in memories)).encode()).hexdigest()


def _make_current(root: Path, revision: int) -> None:
    with tempfile.NamedTemporaryFile(
        "w", dir=root, prefix=".CURRENT-", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"{revision}\n")
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).chmod(0o644)
    if (root / "CURRENT").is_dir():
        shutil.rmtree(root / "CURRENT")
    Path(file.name).replace(root / "CURRENT")
    _sync(root)


def _prune(root: Path, current: int) -> None:
    """Old snapshots go, and what a killed build left. Readers that have one mapped keep it: the pages outlive the name."""
    for revision in _candidates(root, current)[KEEP:]:
        shutil.rmtree(root / str(revision), ignore_errors=True)
    for left in root.glob(".*-*"):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < (root / "CURRENT").stat().st_mtime - 3600:
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()


def _sync(path: Path) -> None:
    with contextlib.suppress(OSError):  # some file systems cannot sync a folder; the rename is still atomic
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# --- reading ------------------------------------------------------------------------------------------------------------


class _Damaged(Exception):
    """This snapshot cannot be used; the message says why."""


def _candidates(root: Path, current: int | None) -> list[int]:
    """Revisions there are, the current one first, then from the newest to the oldest."""
    try:
        there = sorted((int(p.name) for p in root.iterdir() if p.name.isdigit() and p.is_dir()), reverse=True)
    except OSError:
        return []
    first = [current] if current is not None and current in there else []
    return first + [r for r in there if r != current]


def _meta(folder: Path) -> dict[str, Any]:
    try:
        meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        if meta["format"] != FORMAT:
            raise _Damaged(f"format {meta['format']}, this version reads {FORMAT}")
        _ = meta["files"], meta["counts"], meta["digest"], meta["memories_digest"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _Damaged(f"meta.json: {error}") from None
    return meta


def _verify(folder: Path, meta: dict[str, Any], *, whole: bool) -> None:
    for name in _FILES:
        expected = meta["files"].get(name, {})
        try:
            size = (folder / name).stat().st_size
            if size != expected.get("bytes"):
                raise _Damaged(f"{name} has {size} bytes, not {expected.get('bytes')}")
            if whole and hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected.get("sha256"):
                raise _Damaged(f"{name} does not match its hash")
        except OSError as error:
            raise _Damaged(f"{name}: {error.strerror}") from None


def _open(folder: Path) -> Corpus:
    import pyarrow as pa

    meta = _meta(folder)
    _verify(folder, meta, whole=_small(folder))
    try:
        tables = {name: mapped(folder / name) for name in _FILES}
        features, memories = tables["features.arrow"], tables["memories.arrow"]
        arrays = Arrays(
            keys=_numbers(features["key"]),
            weights=_numbers(features["weight"]),
            named=_numbers(features["named"]).view(np.bool_),
            starts=np.concatenate((np.zeros(1, np.int64), _numbers(features["end"]))),
            holders=_numbers(tables["postings.arrow"]["row"]),
            row_starts=np.concatenate((np.zeros(1, np.int64), _numbers(memories["row_end"]))),
            row_keys=_numbers(tables["rows.arrow"]["key"]),
            successors=_numbers(memories["successor"]),
            hidden=_numbers(memories["hidden"]).view(np.bool_),
            spread=_numbers(features["spread"]),
        )
        slugs = tuple(memories["slug"].to_pylist())
        replaced = {slugs[i]: to for i, to in enumerate(memories["superseded_by"].to_pylist()) if to}
        callsigns = callsigns_of((i, c) for i, c in enumerate(memories["callsigns"].to_pylist()) if c)
    except (pa.ArrowInvalid, pa.ArrowKeyError, OSError, KeyError, ValueError) as error:
        raise _Damaged(f"{type(error).__name__}: {error}") from None
    rows = _Rows(memories)
    places = {s: i for i, s in enumerate(slugs)}
    return Corpus(slugs, arrays, rows.memory, places, rows.names, callsigns, replaced)


def _small(folder: Path) -> bool:
    return sum(f.stat().st_size for f in folder.glob("*.arrow")) <= HASH_AT_ONCE


def _numbers(column: Any) -> Any:
    """The column as a numpy array over the same mapped pages."""
    if column.num_chunks == 0:
        return np.empty(0, column.type.to_pandas_dtype())
    return column.chunk(0).to_numpy(zero_copy_only=True)


class _Rows:
    """Memories read out of the mapped table one by one, as they are asked for."""

    def __init__(self, table: pa.Table) -> None:
        self._texts = {name: table[name] for name in _TEXTS}
        self._lists = {name: table[name] for name in _LISTS}
        self._kept: dict[int, Memory] = {}
        self._names: dict[int, tuple[str, str]] = {}

    def memory(self, row: int) -> Memory:
        """The memory of a row."""
        kept = self._kept.get(row)
        if kept is None:
            values: dict[str, Any] = {name: column[row].as_py() for name, column in self._texts.items()}
            values |= {name: tuple(column[row].as_py()) for name, column in self._lists.items()}
            kept = self._kept[row] = Memory(**values)
        return kept

    def names(self, row: int) -> tuple[str, str]:
        """Slug and title of a row as they would stand in a question."""
        kept = self._names.get(row)
        if kept is None:
            kept = self._names[row] = names_of(self.memory(row))
        return kept
