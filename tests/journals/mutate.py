"""Damage done to journals: to their bytes, to the structure of their JSON, and to the rows of their databases."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import zstandard

from tests.journals.samples import Sample

# What a value may turn into. Some are the names and marks that adapters look for.
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e308, float("nan"), 2**63, 10**40, "", " ", "\x00", "\ud800", "\udc00x", "user", "assistant",
    "type", "text", "true", "2025-13-45", "9999-12-31T23:59:59Z", "<system-reminder>", "</system-reminder>", "⟦cut:3⟧", "⟧⟦",
    [], {}, [[]], [None], {"type": "text"}, {"type": "text", "text": "x"}, [{"type": "text", "text": ["y"]}], {"": {}},
    "a" * 5000, "終" * 5000, "AKIA" + "Q" * 16, "\u202e\u200b", "👩‍👩‍👧", -(2**31), "1740823200000", 1740823200, b"x".hex(),
)  # fmt: skip
BYTES: tuple[bytes, ...] = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r\n", b"\n", b"\n\n", b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":",
    b"\\u0000", b"\\ud800", b'{"a":', b"[" * 2000, b'{"a":' * 1500, b"\xe3\x81", b"null", b"1e999", b"---\n", b"```\n", b"\x28\xb5\x2f\xfd",
)  # fmt: skip


def mutated(sample: Sample, others: list[bytes], rng: random.Random) -> bytes:
    """The sample's data, damaged a few times."""
    data = sample.data
    if sample.is_database:
        return _rows(data, rng) if rng.random() < 0.7 else _bytes(data, others, rng)
    if sample.is_packed:
        if rng.random() < 0.3:
            return _bytes(data, others, rng)
        plain = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
        damaged = _plain(plain, others, rng)
        frames = [damaged[i : i + 200] for i in range(0, len(damaged), 200)] or [b""]
        return b"".join(zstandard.ZstdCompressor().compress(f) for f in frames)
    return _plain(data, others, rng)


def _plain(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    if rng.random() < 0.6:
        data = _structure(data, rng)
    return _bytes(data, others, rng) if rng.random() < 0.6 else data


def _bytes(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(out) + 1)
        upto = min(len(out), at + rng.choice((1, 2, 7, 40, 300)))
        match rng.randrange(8):
            case 0 | 1 if out and at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case 2:
                out[at:at] = rng.choice(BYTES)
            case 3:
                del out[at:]
            case 4:
                del out[at:upto]
            case 5:
                out[at:at] = out[at:upto]
            case 6:
                other = rng.choice(others)
                begin = rng.randrange(len(other) + 1)
                out[at:upto] = other[begin : begin + rng.choice((10, 100, 1000))]
            case _:
                lines = bytes(out).split(b"\n")
                rng.shuffle(lines) if rng.random() < 0.3 else lines.append(rng.choice(lines))
                out = bytearray(b"\n".join(lines))
    return bytes(out)


def _structure(data: bytes, rng: random.Random) -> bytes:
    """Each line, or the whole, as JSON with some node of it changed."""
    try:
        return _dumped(_changed(json.loads(data), rng), rng)
    except ValueError:
        pass
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        i = rng.randrange(len(lines))
        try:
            lines[i] = _dumped(_changed(json.loads(lines[i]), rng), rng)
        except ValueError:
            continue
    return b"\n".join(lines)


def _dumped(value: Any, rng: random.Random) -> bytes:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.3)
    if rng.random() < 0.1 and text.startswith("{"):  # a key told twice
        text = '{"type":"user","id":"x",' + text[1:]
    return text.encode("utf-8", rng.choice(("surrogatepass", "replace")))


def _changed(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: _changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        i = rng.randrange(len(value))
        match rng.randrange(6):
            case 0:
                return value[:i] + value[i + 1 :]
            case 1:
                return [*value, value[i]]
            case _:
                return [*value[:i], _changed(value[i], rng), *value[i + 1 :]]
    return rng.choice(ODD)


def _rows(data: bytes, rng: random.Random) -> bytes:
    """A database with some of its values changed, rows deleted or told twice, or a table made another."""
    db = sqlite3.connect(":memory:")
    try:
        db.deserialize(data)
        names = [
            n
            for (n,) in db.execute(
                "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        for _ in range(rng.choice((1, 1, 2, 4))):
            table = rng.choice(names)
            try:
                columns = [r[1] for r in db.execute(f"PRAGMA table_info({table})")]
                ids = [r[0] for r in db.execute(f"SELECT rowid FROM {table}")]
                if ids:
                    _one_change(db, table, rng.choice(columns), rng.choice(ids), rng)
            except sqlite3.Error:  # an earlier change took the table or the column away
                continue
        db.commit()
        return bytes(db.serialize())
    finally:
        db.close()


def _one_change(db: sqlite3.Connection, table: str, column: str, row: int, rng: random.Random) -> None:
    (old,) = db.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone() or (None,)
    match rng.randrange(10):
        case 0:
            db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
        case 1:
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        case 2:
            db.execute(f"ALTER TABLE {table} RENAME TO other")
        case 3 | 4:
            odd = rng.choice((None, -1, 2**62, 1e300, "", "x", b"\xff\x00", "{", "[]", "null", "\x00"))
            db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (odd, row))
        case _:
            try:
                new = _dumped(_changed(json.loads(old), rng), rng)
            except (TypeError, ValueError):
                new = b"\xff"
            kept: Any = new if rng.random() < 0.1 else new.decode("utf-8", "replace")
            db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (kept, row))


def spoilt_beside(sample: Sample, folder: Path, others: list[bytes], rng: random.Random) -> None:
    """Damage one of the files that belong to the sample."""
    if sample.beside:
        name = rng.choice(sorted(sample.beside))
        if rng.random() < 0.1:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(_plain(sample.beside[name], others, rng))
