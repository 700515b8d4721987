"""The gate's mark on drafts: put on after the floor, checked before anybody judges or pours."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from kura_runtime.domain.draft import Draft
from kura_runtime.gate.sign import draft_body, sign, verify


class HasGateKey(Protocol):
    """A store, as far as signing is concerned."""

    def gate_key(self) -> bytes: ...


def marked(draft: Draft, store: HasGateKey) -> Draft:
    """The draft, signed. Only `drafting` and `pouring` call this, after the floor passed."""
    mark = sign(
        store.gate_key(),
        slug=draft.surface.slug,
        kind=draft.kind,
        manifest=draft.manifest,
        body=draft_body(draft),
    )
    return replace(draft, mark=mark)


def mark_holds(draft: Draft, store: HasGateKey) -> bool:
    """Did this store's gate sign exactly this draft?"""
    return verify(
        store.gate_key(),
        draft.mark,
        slug=draft.surface.slug,
        kind=draft.kind,
        manifest=draft.manifest,
        body=draft_body(draft),
    )
