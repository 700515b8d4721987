"""The gate's mark: HMAC-SHA256 over exactly the bytes that were judged.

Between the floor and the pour a draft lies in a plain file. Whoever edits it (a person, an agent with a shell, a half-written
disk) must not get the edit into the store under the gate's authority, so the mark binds everything that will be stored:
gate version, slug, kind, manifest and the whole draft. Every field is written with its length before it: no two different
drafts share an encoding, whatever characters stand in them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from kura_runtime.domain.draft import Draft

# Raise it when a rule changes what passes: drafts staged under other rules are then judged by none and quarantined.
GATE_VERSION = "1"
KEY_BYTES = 32  # a shorter key is an error of its owner, see `sign`

_FORM = b"kura-gate-mark\x01"


def packed(fields: Iterable[str | bytes]) -> bytes:
    """The fields, each as its length in bytes (8 bytes, big-endian) and itself. Injective: two different sequences never
    give the same bytes."""
    out = bytearray()
    for field in fields:
        # lone surrogates of a broken journal have no UTF-8; they must still sign and verify
        data = field.encode("utf-8", "surrogatepass") if isinstance(field, str) else field
        out += len(data).to_bytes(8, "big") + data
    return bytes(out)


def draft_body(draft: Draft) -> bytes:
    """Canonical bytes of all of a draft that its slug, kind and manifest do not say: the surface part by part, what it
    extends or contradicts, its date, quotes, tags and callsigns. The mark itself is left out."""
    surface = draft.surface
    fields: list[str] = [
        *(part for place in surface.places() for part in place),
        draft.batch_id, draft.stamp, draft.editor,
        "" if draft.extends is None else f"={draft.extends}",
        "" if draft.conflicts is None else f"={draft.conflicts}",
        "judgement" if draft.judgement else "",
        str(len(draft.tags)), *draft.tags,
        str(len(draft.callsigns)), *draft.callsigns,
        str(len(draft.quotes)),
    ]  # fmt: skip
    for q in draft.quotes:
        fields += [
            q.cls.value,
            q.text,
            q.event_id,
            q.session,
            q.journal_key,
            str(q.byte_start),
            str(q.byte_end),
        ]
        fields += ["" if q.ts is None else f"={q.ts}", "repeats" if q.repeats else ""]
    return packed(fields)


def sign(key: bytes, *, slug: str, kind: str, manifest: str, body: bytes | str) -> str:
    """The mark (hex) of a draft with this body (see `draft_body`). Raises ValueError on a key under 32 bytes: signing with
    the bytes of an empty or torn key file would be a mark that anybody can make."""
    if len(key) < KEY_BYTES:
        raise ValueError(f"the gate key has {len(key)} bytes; it must have at least {KEY_BYTES}")
    message = _FORM + packed([GATE_VERSION, slug, kind, manifest, body])
    return hmac.new(key, message, hashlib.sha256).hexdigest()


def verify(key: bytes, mark: str, *, slug: str, kind: str, manifest: str, body: bytes | str) -> bool:
    """Was exactly this draft signed with this key by this version of the gate? In constant time."""
    expected = sign(key, slug=slug, kind=kind, manifest=manifest, body=body)
    return hmac.compare_digest(expected.encode(), mark.encode("utf-8", "surrogatepass"))
