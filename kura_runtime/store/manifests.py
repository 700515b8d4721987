"""Evidence manifests on disk: named by the hash of their bytes, re-hashed on every read."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from kura_runtime.domain.manifest import Manifest
from kura_runtime.errors import StoreDamaged, StoreUnwritable
from kura_runtime.store import disk
from kura_runtime.store.containment import own_folder, read_own

DIGEST = re.compile(r"[0-9a-f]{64}")


def is_digest(text: str) -> bool:
    """A bare sha256 in hex."""
    return DIGEST.fullmatch(text) is not None


def write(folder: Path, manifest: Manifest) -> str:
    """Write a manifest; returns its digest. The same manifest is the same file. Raises StoreUnwritable, StoreDamaged."""
    data = manifest.to_bytes()
    digest = hashlib.sha256(data).hexdigest()
    path = own_folder(folder) / f"{digest}.json"
    try:
        if read_own(path)[0] == data:
            return digest
        raise StoreDamaged(
            path, "the bytes do not match the file's name; move the file away and run this again"
        )
    except FileNotFoundError:
        pass
    try:
        disk.put(path, data)
    except OSError as error:
        raise StoreUnwritable(
            folder, f"cannot write a manifest ({error.strerror or error}); nothing was changed"
        ) from None
    return digest


def read(folder: Path, digest: str) -> Manifest:
    """Read a manifest by digest (with or without `sha256:`). Raises StoreDamaged where it is malformed, lost or tampered."""
    bare = digest.removeprefix("sha256:")
    if not is_digest(bare):
        raise StoreDamaged(folder, f'"{digest[:80]}" is no manifest digest (64 hex digits)')
    path = own_folder(folder) / f"{bare}.json"
    try:
        data, _ = read_own(path)
    except FileNotFoundError:
        raise StoreDamaged(path, "the evidence manifest is missing; restore it from a backup") from None
    if hashlib.sha256(data).hexdigest() != bare:
        raise StoreDamaged(
            path,
            "the evidence manifest was changed: its bytes do not match its name; restore it from a backup",
        )
    try:
        return Manifest.from_bytes(data)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise StoreDamaged(path, f"not an evidence manifest ({error})") from None
