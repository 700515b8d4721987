"""A person edits, deletes and adds pages with an editor. Every recall after that speaks of the pages as they are."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kura_runtime.config.model import PrefillConfig
from kura_runtime.recall import snapshot
from kura_runtime.recall.recall import Tiers, recall
from kura_runtime.recall.reply import Reply
from kura_runtime.recall.seen import SEEN
from kura_runtime.recall.shelf import Shelf
from kura_runtime.resident.weave import weave
from kura_runtime.store.layouts.kura import KuraLayout
from kura_runtime.store.store import Store

ASKED = "which zstd level do the archives use?"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store.create(tmp_path / "store", name="maker")
    made.remember(
        "zstd-level", "archives use zstd level 19", "Window 27, says the old text.", title="Archive zstd"
    )
    made.remember("tea-room", "the tea room closes at 18:30", "Ask Mina.")
    made.remember("oven-curve", "素焼きは 800 度まで", "冷却は自然放冷。")
    made.archive("oven-curve")
    snapshot.build(made)
    return made


def ask(store: Store, question: str = ASKED) -> Reply:
    """As a new process would: nothing is known but the files."""
    return recall(Shelf(Store.open(store.path, name="maker")), question, tiers=Tiers())


def edit(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def same_size_and_time(path: Path) -> None:
    was = path.stat()
    edit(path, "the old text", "the new text")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


@pytest.mark.parametrize(
    "how",
    [
        lambda p: edit(p, "the old text", "the new text"),
        lambda p: edit(p, "the old text", "a much longer text, the new text"),
        same_size_and_time,
        lambda p: (
            p.rename(p.with_suffix(".bak")),
            p.write_text(p.with_suffix(".bak").read_text().replace("old", "new")),
        ),
    ],
    ids=["same size", "longer", "time put back", "another file"],
)
def test_a_page_edited_by_hand_is_served_as_it_is_by_the_first_recall_of_a_process(
    store: Store, how: Callable[[Path], object]
) -> None:
    assert "the old text" in ask(store).context
    how(store.path / "zstd-level.md")
    context = ask(store).context
    assert "the new text" in context and "the old text" not in context
    snapshot.build(store)
    assert "the new text" in ask(store).context


def test_a_page_deleted_by_hand_is_gone_and_one_laid_there_is_found(store: Store) -> None:
    (store.path / "zstd-level.md").unlink()
    assert ask(store).picked == ()
    (store.path / "new-page.md").write_text(
        "---\nname: new-page\ndescription: the studio key hangs by the door\n---\nYes.\n"
    )
    assert ask(store, "where does the studio key hang?").picked == ("new-page",)


def test_the_archive_is_looked_at_too(store: Store) -> None:
    edit(store.path / "_archive" / "oven-curve.md", "自然放冷", "強制空冷")
    assert "強制空冷" in ask(store, "oven-curve").context
    (store.path / "_archive" / "oven-curve.md").unlink()
    assert ask(store, "oven-curve").picked == ()


def test_an_index_line_that_stands_for_a_title_is_looked_at_too(store: Store) -> None:
    (store.path / "bare-page.md").write_text("Only a body.\n")
    index = store.path / "MEMORY.md"
    index.write_text(index.read_text() + "- [Bare](bare-page.md) — the feldspar order\n")
    snapshot.build(store)
    assert ask(store, "what about the feldspar order?").picked == ("bare-page",)
    edit(index, "feldspar order", "porcelain order")
    assert ask(store, "what about the feldspar order?").picked == ()
    assert ask(store, "what about the porcelain order?").picked == ("bare-page",)


def test_a_page_that_an_edit_broke_is_left_out_and_every_reply_says_so(store: Store) -> None:
    (store.path / "zstd-level.md").write_bytes(b"---\nname: \xff\xfe\n")
    for _ in range(2):
        reply = ask(store)
        assert reply.picked == () and any("zstd-level.md" in w and "UTF-8" in w for w in reply.warnings)
        snapshot.build(store)
    (store.path / "zstd-level.md").write_text(
        "---\nname: zstd-level\ndescription: archives use zstd level 3\n---\nMended.\n"
    )
    assert "Mended" in ask(store).context and ask(store).warnings == ()


def test_a_reader_that_stays_never_hands_out_text_that_its_file_no_longer_has(store: Store) -> None:
    shelf = Shelf(store)
    assert "the old text" in recall(shelf, ASKED, tiers=Tiers()).context
    shelf._next_look = shelf._next_scan = time.monotonic() + 3600  # no look at the folder is due
    edit(store.path / "zstd-level.md", "the old text", "the new text")
    assert "the new text" in recall(shelf, ASKED, tiers=Tiers()).context
    shelf._next_look = shelf._next_scan = time.monotonic() + 3600
    (store.path / "zstd-level.md").unlink()
    assert recall(shelf, ASKED, tiers=Tiers()).picked == ()


def test_a_page_that_does_not_read_and_a_note_that_is_no_memory_make_nothing_due_for_ever(
    store: Store,
) -> None:
    (store.path / "tea-room.md").write_bytes(b"---\nname: \xff\n")
    (store.path / "shopping.md").write_text("milk\n")
    assert not snapshot.fresh(store)
    snapshot.build(store)
    assert snapshot.fresh(store)
    assert any("tea-room.md" in w for w in ask(store).warnings), "and every new process says it all the same"
    (store.path / "shopping.md").write_text("milk, eggs\n")
    assert not snapshot.fresh(store)


def test_only_the_pages_that_changed_are_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = KuraLayout.read

    def counting(self: KuraLayout, holding: object, line: object) -> object:
        read.append(holding.slug)  # type: ignore[attr-defined]
        return real(self, holding, line)  # type: ignore[arg-type]

    monkeypatch.setattr(KuraLayout, "read", counting)
    ask(store)
    assert read == []
    edit(store.path / "tea-room.md", "Mina", "Anna")
    ask(store)
    assert read == ["tea-room"]


def test_a_snapshot_whose_stamps_are_lost_believes_no_page(store: Store) -> None:
    place = store.path / snapshot.FOLDER / str(store.revision)
    for damage in (b"", b"ARROW1 no more", None):
        if damage is None:
            (place / SEEN).unlink()
        else:
            (place / SEEN).write_bytes(damage)
        edit(store.path / "zstd-level.md", "text", "text.")
        assert "old text." in ask(store).context


def test_what_is_derived_is_due_after_a_hand_edit_and_not_after_that(store: Store) -> None:
    from kura_pipeline.runs import stale

    weave(store, PrefillConfig())
    assert not stale(store)
    for change in (
        lambda: edit(store.path / "zstd-level.md", "old", "new"),
        lambda: (store.path / "tea-room.md").unlink(),
        lambda: edit(store.path / "MEMORY.md", "tea", "coffee"),
        lambda: (store.path / "_still" / "cloth.md").unlink(),
        lambda: (store.path / snapshot.FOLDER / str(store.revision) / "rows.arrow").unlink(),
    ):
        change()
        assert stale(store)
        weave(store, PrefillConfig())
        snapshot.build(store)
        assert not stale(store)


def test_a_store_copied_elsewhere_is_read_once_and_its_snapshot_is_mended_not_rebuilt(
    store: Store, tmp_path: Path
) -> None:
    import shutil

    shutil.copytree(store.path, tmp_path / "copy")
    copy = Store.open(tmp_path / "copy", name="maker")
    assert "the old text" in ask(copy).context and not snapshot.fresh(copy)
    place = copy.path / snapshot.FOLDER / str(copy.revision)
    before = (place / "memories.arrow").stat().st_ino
    snapshot.build(copy)
    assert snapshot.fresh(copy) and (place / "memories.arrow").stat().st_ino == before
