"""What was lost or altered in the durable folder is named by the doctor, whatever the policy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kura_runtime.errors import StoreUnwritable
from kura_runtime.recall import snapshot
from kura_runtime.recall.past import at
from kura_runtime.recall.recall import Tiers, recall
from kura_runtime.recall.shelf import Shelf
from kura_runtime.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store.create(tmp_path / "store", name="maker")
    made.remember("kiln-note", "which version the kiln note has", "kiln version 0.")
    made.remember("tea-room", "the tea room closes at 18:30", "Ask Mina.")
    snapshot.build(made)
    assert made.doctor().healthy
    return made


def history(store: Store) -> Path:
    return store.path / "_kura" / "history" / "kiln-note.jsonl"


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        (lambda s: shutil.rmtree(s.path / "_kura"), "durable-gone"),
        (lambda s: shutil.rmtree(s.path / "_kura" / "history"), "history-gone"),
        (lambda s: (s.path / "_kura" / "revision").unlink(), "revision"),
        (lambda s: history(s).write_bytes(b"\xff\xfe{\n"), "history-torn"),
        (lambda s: history(s).write_text(history(s).read_text().replace("kiln", "oven")), "history-seal"),
        (lambda s: (history(s).unlink(), history(s).mkdir()), "history"),
    ],
)
def test_a_loss_is_named_once_and_recall_goes_on(
    store: Store, damage: Callable[[Store], object], kind: str
) -> None:
    damage(store)
    again = Store.open(store.path, name="maker")
    assert [f.kind for f in again.doctor().findings] == [kind]
    assert recall(Shelf(again), "which version does the kiln note have?", tiers=Tiers()).picked == (
        "kiln-note",
    )


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"", b"9" * 40, None])
def test_a_current_that_names_nothing_is_read_past_and_written_anew(
    store: Store, damage: bytes | None
) -> None:
    current = store.path / snapshot.FOLDER / "CURRENT"
    current.unlink()
    current.mkdir() if damage is None else current.write_bytes(damage)
    assert not snapshot.fresh(store)
    assert recall(Shelf(store), "which version does the kiln note have?", tiers=Tiers()).picked == (
        "kiln-note",
    )
    snapshot.build(store)
    assert snapshot.fresh(store)


@pytest.mark.parametrize("place", ["_still", "_still/snapshot"])
def test_a_file_in_the_way_of_the_workshop_is_named(store: Store, place: str) -> None:
    shutil.rmtree(store.path / place)
    (store.path / place).write_text("in the way")
    assert recall(Shelf(store), "which version does the kiln note have?", tiers=Tiers()).picked == (
        "kiln-note",
    )
    with pytest.raises(StoreUnwritable, match="move it away"):
        snapshot.build(store)


def test_a_history_under_a_name_that_no_door_writes_is_not_believed(store: Store) -> None:
    (store.path / "_kura" / "gate.key").unlink()  # so that nothing can be checked
    (history(store).parent / "..--..--etc.jsonl").write_text(
        '{"revision": 1, "slug": "../../etc", "content": {"title": "t", "trigger": "x", "summary": "y"}}\n'
    )
    assert {m.slug for m in at(store, 2).memories} == {"kiln-note", "tea-room"}
