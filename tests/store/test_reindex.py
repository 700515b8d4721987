"""An index that somebody deleted comes back whole with the next write, from the pages alone."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from kura_runtime.store.store import Store
from tests.store import workshop
from tests.store.workshop import draft, make, surface


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = make(tmp_path / "store")
    made.remember("kiln-curve", "窯の焼成曲線 [素焼き] — 800 度", "毎時 100 度。", title="窯 [A]")
    made.remember("studio-door", "the studio door sticks", "Lift it.", type="feedback", heading="Rooms")
    made.remember("answer-short", "she likes short answers", "Two lines.", type="user")
    workshop.poured(made, draft(made))
    made.archive("studio-door")
    made.unarchive("studio-door")
    return made


def index(store: Store) -> list[str]:
    return (store.path / "MEMORY.md").read_text(encoding="utf-8").split("\n")


@pytest.mark.parametrize("loss", ["deleted", "emptied"])
def test_the_next_pour_brings_every_line_back_under_its_heading_and_says_so(
    store: Store, loss: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = index(store)
    file = store.path / "MEMORY.md"
    file.unlink() if loss == "deleted" else file.write_bytes(b"")
    waiting = workshop.staged(
        store, draft(store, surface("glaze-recipe", title="Glaze", trigger="the glaze", body="Ash."))
    )
    with caplog.at_level(logging.WARNING):
        result = store.pour(waiting, verdict=workshop.yes(waiting))
    assert "rebuilt from 4 pages" in result.note and "rebuilt from 4 pages" in caplog.text
    after = index(store)
    assert {x for x in before if x} <= set(after), "no heading and no line is lost"
    assert set(after) - set(before) == {"- [Glaze](glaze-recipe.md) — the glaze"}
    assert store.heading("studio-door") == "Rooms" and store.heading("answer-short") == "User"
    assert store.doctor().healthy


def test_the_same_pages_give_the_same_index_in_any_process(store: Store, tmp_path: Path) -> None:
    import shutil

    (store.path / "MEMORY.md").unlink()
    shutil.copytree(store.path, tmp_path / "copy")
    copy = Store.open(tmp_path / "copy", name="maker", clock=store.clock)
    for one in (store, copy):
        assert "rebuilt" in one.remember("one-more", "a line about feldspar in the cellar").note
    assert index(store) == index(copy)


def test_a_page_that_cannot_be_read_keeps_a_line(store: Store) -> None:
    (store.path / "MEMORY.md").unlink()
    (store.path / "kiln-curve.md").write_bytes(b"---\nname: \xff\n")
    (store.path / "answer-short.md").write_text("overwritten by a text without front matter\n")
    (store.path / "shopping-list.md").write_text("milk\n")
    store.annotate("studio-door", keep="how to open it")
    assert "- [kiln curve](kiln-curve.md)" in index(store)
    assert "- [answer short](answer-short.md)" in index(store)
    assert not any("shopping" in line for line in index(store)), (
        "no door wrote it, and it does not say that it is a memory"
    )


def test_a_write_that_changes_nothing_rebuilds_nothing_and_does_not_say_so(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    (store.path / "MEMORY.md").unlink()
    with caplog.at_level(logging.WARNING):
        assert store.annotate("studio-door").action == "unchanged"
    assert not (store.path / "MEMORY.md").exists() and "rebuilt" not in caplog.text


def test_the_doctor_names_the_loss_once_and_not_for_every_memory(store: Store) -> None:
    (store.path / "MEMORY.md").unlink()
    assert [f.kind for f in store.doctor().findings] == ["index-gone"]


def test_an_index_with_a_persons_own_words_is_left_alone(store: Store) -> None:
    file = store.path / "MEMORY.md"
    file.write_text("# mine\n\nonly these words\n")
    store.remember("one-more", "a line about feldspar in the cellar")
    assert "only these words" in file.read_text() and "kiln-curve" not in file.read_text()
