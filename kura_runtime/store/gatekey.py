"""The store's own secret: 32 random bytes that sign drafts, provenance and curation.

Made once, never again: a new key in the place of a lost one would turn every mark in the store into a forgery, silently. So
the key's fingerprint stands beside it, and a key that is missing, short, readable by others or not the one it was is an
error that says what to do.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from kura_runtime.errors import StoreDamaged, StoreUnwritable
from kura_runtime.gate.sign import packed
from kura_runtime.store import disk

KEY_BYTES = 32
_SEAL = b"kura-store-seal\x01"


def read_key(durable: Path) -> bytes | None:
    """The key; None where this store has none yet. Raises StoreDamaged where there should be one and it cannot be used."""
    path = durable / "gate.key"
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        if (durable / "gate.fingerprint").exists():
            raise StoreDamaged(
                path,
                "the store's key is gone; bring it back from a backup. (To start over with a new key, so that old marks "
                "count as unsigned, delete gate.fingerprint beside it.)",
            ) from None
        return None
    except OSError as error:
        raise StoreDamaged(
            path,
            f"the store's key cannot be read ({error.strerror}); run as its owner, or restore it from a backup",
        ) from None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise StoreDamaged(path, "the store's key is not a regular file; restore it from a backup")
        if status.st_mode & 0o077:
            mode = oct(stat.S_IMODE(status.st_mode))[2:]
            raise StoreDamaged(path, f"others can read the store's key (mode {mode}); run: chmod 600 {path}")
        key = os.read(fd, KEY_BYTES + 1)
    finally:
        os.close(fd)
    if len(key) != KEY_BYTES:
        size = f"{status.st_size} bytes instead of {KEY_BYTES}"
        raise StoreDamaged(
            path, f"the store's key has {size}; restore it from a backup, it is never made anew"
        )
    _compare(durable, key)
    return key


def make_key(durable: Path) -> bytes:
    """The key, made where the store has none. The store's lock is held. Raises StoreDamaged, StoreUnwritable."""
    key = read_key(durable)
    try:
        if key is None:
            key = secrets.token_bytes(KEY_BYTES)
            _place(durable, key)
        for left in durable.glob(".gate.key.*"):  # of a maker that a crash ended
            left.unlink(missing_ok=True)
        if not (durable / "gate.fingerprint").exists():
            disk.put(durable / "gate.fingerprint", f"{_fingerprint(key)}\n".encode())
    except OSError as error:
        raise StoreUnwritable(durable, f"cannot write the store's key ({error.strerror or error})") from None
    return key


def seal(key: bytes, purpose: str, *fields: str) -> str:
    """HMAC-SHA256 (hex) over a purpose and fields. Unlike the gate's mark it outlives a change of the gate's rules."""
    return hmac.new(key, _SEAL + packed((purpose, *fields)), hashlib.sha256).hexdigest()


def seal_of(key: bytes, purpose: str, value: object) -> str:
    """The seal of a JSON value, whatever the order of its keys."""
    return seal(key, purpose, json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":")))


def _place(durable: Path, key: bytes) -> None:
    """Whole or not at all: a key torn by a crash would lock the store for good."""
    disk.make_folder(durable)
    beside = durable / f".gate.key.{secrets.token_hex(8)}"
    try:
        disk.write_file(beside, key, mode=0o600, exclusive=True)
        try:
            os.link(beside, durable / "gate.key")  # exclusive, like O_EXCL: an existing key is never replaced
        except FileExistsError:
            raise
        except OSError:  # no hard links here: exclusive creation, without the promise against a crash
            disk.write_file(durable / "gate.key", key, mode=0o600, exclusive=True)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    disk.sync_folder(durable)


def _fingerprint(key: bytes) -> str:
    return hashlib.sha256(b"kura-gate-key\x01" + key).hexdigest()[:32]


def _compare(durable: Path, key: bytes) -> None:
    try:
        known = (durable / "gate.fingerprint").read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise StoreDamaged(durable / "gate.fingerprint", f"cannot be read ({error})") from None
    if not hmac.compare_digest(known, _fingerprint(key)):
        raise StoreDamaged(
            durable / "gate.key",
            "this is another key than the one the store was signed with; restore that one from a backup",
        )
