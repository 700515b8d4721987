"""A large store is read once, and after that only what changed is."""

from __future__ import annotations

from pathlib import Path

import pytest

from kura_runtime.store.layouts.kura import KuraLayout
from kura_runtime.store.store import Store

PAGE = '---\nname: note-{n}\ndescription: line {n} of many\nmetadata:\n  title: Note {n}\n  type: project\n  tags: ["a", "b"]\nkeep: the number {n}\n---\n\nBody {n}. See [[note-{m}]].\n'


def _many(root: Path, count: int) -> Store:
    root.mkdir()
    for n in range(count):
        (root / f"note-{n}.md").write_text(PAGE.format(n=n, m=(n + 1) % count))
    (root / "MEMORY.md").write_text(
        "## Many\n\n" + "".join(f"- [Note {n}](note-{n}.md) — line {n}\n" for n in range(count))
    )
    return Store.open(root, name="many")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The slugs whose files are read."""
    seen: list[str] = []
    real = KuraLayout.read

    def counting(self: KuraLayout, holding: object, line: object) -> object:
        seen.append(holding.slug)  # type: ignore[attr-defined]
        return real(self, holding, line)  # type: ignore[arg-type]

    monkeypatch.setattr(KuraLayout, "read", counting)
    return seen


def test_getting_one_memory_reads_one_file(tmp_path: Path, reads: list[str]) -> None:
    store = _many(tmp_path / "s", 300)
    store.get("note-7")
    store.get("note-7")
    assert store.holds("note-8")
    assert len(store.slugs()) == 300
    assert reads == ["note-7"]


def test_listing_again_reads_nothing_and_a_hand_edit_costs_one_file(tmp_path: Path, reads: list[str]) -> None:
    store = _many(tmp_path / "s", 300)
    assert len(store.memories()) == 300
    reads.clear()
    assert len(store.memories()) == 300
    store.index()
    assert reads == []
    path = store.path / "note-9.md"
    path.write_text(path.read_text().replace("Body", "Other"))
    assert next(m for m in store.memories() if m.slug == "note-9").summary.startswith("Other")
    assert reads == ["note-9"]


@pytest.mark.slow
def test_ten_thousand_memories_are_all_there(tmp_path: Path) -> None:
    store = _many(tmp_path / "s", 10_000)
    assert len(store.memories()) == 10_000
    assert store.doctor().counts["memories"] == 10_000
    assert store.doctor().healthy
