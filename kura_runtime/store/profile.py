"""The learned profile on disk: a draft that waits in the workshop, and `profile.md`, which only a person's act writes.

A draft is applied by its digest: what is written are the bytes that the person was shown, and no others.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kura_runtime.errors import BadInput, StoreUnwritable
from kura_runtime.store import disk, gatekey
from kura_runtime.store.containment import read_own

if TYPE_CHECKING:
    from kura_runtime.store.store import Store

PROFILE, DRAFT = "profile.md", "profile-draft.md"
_PURPOSE = "profile"
_DIGITS = 8  # of a digest that a person types


@dataclass(frozen=True, slots=True)
class StagedProfile:
    """A draft of the profile. `digest` is the sha256 (hex) of its text; `sealed`: did this store's pipeline write it so?"""

    text: str
    digest: str
    sealed: bool


@dataclass(frozen=True, slots=True)
class Applied:
    """What applying did: `written` False where the profile was these bytes already."""

    written: bool
    digest: str
    revision: int


def stage(store: Store, text: str) -> StagedProfile:
    """Lay a draft into the workshop, sealed. The same text is the same bytes. Raises StoreUnwritable."""
    data = text.encode("utf-8")
    digest = hashlib.sha256(data).hexdigest()
    folder = store.workshop(DRAFT).parent
    try:
        with store.lock():
            seal = gatekey.seal(store.gate_key(), _PURPOSE, digest)
            disk.make_folder(folder)
            disk.put(folder / DRAFT, data)
            disk.put(folder / f"{DRAFT}.seal", f"{seal}\n".encode())
    except OSError as error:
        raise StoreUnwritable(folder, f"cannot stage the profile ({error.strerror or error})") from None
    return StagedProfile(text, digest, True)


def staged(store: Store) -> StagedProfile | None:
    """The draft that waits, or None."""
    try:
        data, _ = read_own(store.workshop(DRAFT))
    except FileNotFoundError:
        return None
    digest = hashlib.sha256(data).hexdigest()
    try:
        given = read_own(store.workshop(f"{DRAFT}.seal"))[0].decode("ascii", "replace").strip()
    except FileNotFoundError:
        given = ""
    return StagedProfile(
        data.decode("utf-8", "replace"), digest, given == gatekey.seal(store.gate_key(), _PURPOSE, digest)
    )


def apply(store: Store, digest: str, *, who: str) -> Applied:
    """A person's act: write the draft of this digest (at least its first 8 digits) to `profile.md`. What stood there before
    is kept in the store's durable list. Raises BadInput, WriteRefused (a frozen store), StoreUnwritable."""
    wanted = digest.strip().lower()
    with store.changing("rule", who) as change:
        draft = staged(store)
        if draft is None:
            raise BadInput("DIGEST", "no draft of the profile waits; make one with `kura profile draft`")
        if len(wanted) < _DIGITS or not draft.digest.startswith(wanted):
            raise BadInput(
                "DIGEST",
                f'"{digest[:64]}" is not the draft that waits ({draft.digest[:_DIGITS]}); read it with `kura profile show`',
            )
        if not draft.sealed:
            raise BadInput(
                "DIGEST",
                "the draft was edited since it was checked; apply it as it was drafted, and edit profile.md afterwards",
            )
        try:
            before = read_own(store.path / PROFILE)[0]
        except FileNotFoundError:
            before = b""
        if before == draft.text.encode("utf-8"):
            return Applied(False, draft.digest, store.revision)
        change.file(PROFILE, draft.text.encode("utf-8"))
        change.row(
            store.durable("profile.jsonl"),
            {
                "time": change.time,
                "who": who,
                "digest": draft.digest,
                "was": before.decode("utf-8", "replace"),
            },
        )
        return Applied(True, draft.digest, change.commit())
