"""A verdict binds the bytes that were judged."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kura_runtime.domain.draft import Draft, Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.sign import draft_body, packed, sign, verify

KEY = bytes(range(32))
QUOTE = Quote(EvidenceClass.USER, "keep the seed data", "e1", "s1", "j1", 10, 90, "2025-01-01T00:00:00Z")
DRAFT = Draft(
    Surface("seed-data", "Seed data", "when seeding", "Keep the seed data.", "b", "k", "m", "h"),
    "project", "batch-1", "ab" * 32, "2025-01-01", "extractive", (QUOTE,), ("decision",), ("night heron",), None, None,
)  # fmt: skip


def mark_of(draft: Draft, key: bytes = KEY) -> str:
    return sign(
        key, slug=draft.surface.slug, kind=draft.kind, manifest=draft.manifest, body=draft_body(draft)
    )


def holds(draft: Draft, mark: str, key: bytes = KEY) -> bool:
    return verify(
        key, mark, slug=draft.surface.slug, kind=draft.kind, manifest=draft.manifest, body=draft_body(draft)
    )


def test_a_signed_draft_verifies_and_the_mark_is_stable() -> None:
    assert holds(DRAFT, mark_of(DRAFT))
    assert mark_of(DRAFT) == mark_of(replace(DRAFT, mark="anything"))


@pytest.mark.parametrize("name", [f.name for f in fields(Draft) if f.name not in ("mark", "surface")])
def test_no_field_of_a_signed_draft_can_be_changed(name: str) -> None:
    old: Any = getattr(DRAFT, name)
    new: Any = "x" if old is None or isinstance(old, str) else (not old) if isinstance(old, bool) else ()
    changed = replace(DRAFT, **{name: new})
    assert changed != DRAFT and not holds(changed, mark_of(DRAFT))


@pytest.mark.parametrize("name", [f.name for f in fields(Surface)])
def test_no_part_of_a_signed_surface_can_be_changed(name: str) -> None:
    changed = replace(DRAFT, surface=replace(DRAFT.surface, **{name: getattr(DRAFT.surface, name) + " "}))
    assert not holds(changed, mark_of(DRAFT))


@pytest.mark.parametrize("name", [f.name for f in fields(Quote) if f.name != "cls"])
def test_no_part_of_a_signed_quote_can_be_changed(name: str) -> None:
    old: Any = getattr(QUOTE, name)
    new: Any = (not old) if isinstance(old, bool) else old + 1 if isinstance(old, int) else f"{old}x"
    changed = replace(DRAFT, quotes=(replace(QUOTE, **{name: new}),))
    assert not holds(changed, mark_of(DRAFT))


def test_text_cannot_move_between_fields_under_one_mark() -> None:
    moved = replace(DRAFT, surface=replace(DRAFT.surface, title="Seed", trigger=" datawhen seeding"))
    assert not holds(moved, mark_of(DRAFT))
    assert not holds(replace(DRAFT, extends=""), mark_of(DRAFT))
    assert not holds(replace(DRAFT, tags=(), callsigns=("decision", "night heron")), mark_of(DRAFT))


def test_another_key_or_another_version_of_the_gate_does_not_verify(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = mark_of(DRAFT)
    assert not holds(DRAFT, mark, bytes(32))
    monkeypatch.setattr("kura_runtime.gate.sign.GATE_VERSION", "0")
    assert not holds(DRAFT, mark)


@pytest.mark.parametrize("key", [b"", b"short", bytes(31)])
def test_a_short_key_signs_and_verifies_nothing(key: bytes) -> None:
    with pytest.raises(ValueError, match="32"):
        mark_of(DRAFT, key)
    with pytest.raises(ValueError, match="32"):
        holds(DRAFT, "00" * 32, key)


@pytest.mark.parametrize("mark", ["", "é", "\ud800", "0" * 64, "G" * 64])
def test_garbage_is_no_mark(mark: str) -> None:
    assert not holds(DRAFT, mark)


@given(st.lists(st.text(max_size=6), max_size=5), st.lists(st.text(max_size=6), max_size=5))
def test_two_sequences_of_fields_never_share_an_encoding(a: list[str], b: list[str]) -> None:
    assert (packed(a) == packed(b)) == (a == b)
