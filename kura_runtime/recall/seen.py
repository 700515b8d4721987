"""seen.arrow: from which files, by their stamps, a snapshot was built. The one file of a snapshot that is of this disk."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from kura_runtime.store.looking import Seen

if TYPE_CHECKING:
    import pyarrow as pa

SEEN = "seen.arrow"
_STAMP = ("archived", "inode", "mtime", "ctime", "size")


def write_seen(folder: Path, seen: Seen) -> None:
    """Lay the stamps into a snapshot's folder, whole or not at all."""
    import pyarrow as pa

    slugs = sorted(seen.stamps.keys() | seen.lines.keys())
    nothing = (0,) * 5
    stamps = [seen.stamps.get(s, nothing) for s in slugs]
    columns = {name: pa.array([s[i] for s in stamps], pa.int64()) for i, name in enumerate(_STAMP)}
    columns["line"] = pa.array([seen.lines.get(s) for s in slugs], pa.int64())
    table = pa.table({"slug": pa.array(slugs, pa.string()), **columns})
    table = table.replace_schema_metadata({"index": json.dumps(seen.index)})
    handle, beside = tempfile.mkstemp(prefix=".seen-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        Path(beside).chmod(0o644)
        if (folder / SEEN).is_dir():
            shutil.rmtree(folder / SEEN)
        Path(beside).replace(folder / SEEN)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def read_seen(folder: Path) -> Seen:
    """What a snapshot was built from. One that is lost or damaged knows nothing, and every page is read again."""
    import pyarrow as pa

    try:
        table = mapped(folder / SEEN)
        slugs = table["slug"].to_pylist()
        stamps = zip(*(table[name].to_pylist() for name in _STAMP), strict=True)
        lines = table["line"].to_pylist()
        index = tuple(int(n) for n in json.loads(table.schema.metadata[b"index"]))
    except (pa.ArrowInvalid, pa.ArrowKeyError, OSError, KeyError, ValueError, TypeError):
        return Seen({}, (-1,), {})
    return Seen(
        {slug: stamp for slug, stamp in zip(slugs, stamps, strict=True) if stamp[1]},
        index,
        {slug: line for slug, line in zip(slugs, lines, strict=True) if line is not None},
    )


def mapped(file: Path) -> pa.Table:
    """An Arrow file, mapped into memory. Raises OSError, pyarrow.ArrowInvalid."""
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(file), "r")).read_all()
