"""Readers in other processes while pages are written through the doors, edited, deleted and snapshotted."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from kura_runtime.recall import snapshot
from kura_runtime.store.store import Store

READER = """
import re, sys, time
from kura_runtime.recall.recall import Tiers, recall
from kura_runtime.recall.shelf import Shelf
from kura_runtime.store.store import Store
path, fresh = sys.argv[1], sys.argv[2] == "fresh"
shelf, last, revision, asked = Shelf(Store.open(path, name="maker")), -1, -1, 0
print("ready", flush=True)
end = time.monotonic() + 120
while time.monotonic() < end:
    if fresh:
        shelf = Shelf(Store.open(path, name="maker"))
    reply = recall(shelf, "which version does the kiln note have?", tiers=Tiers())
    told = re.search(r"kiln version (\\d+)\\.", reply.context)
    assert told or not reply.picked, reply.context
    if told:
        assert int(told[1]) >= last, (int(told[1]), last)
        last = int(told[1])
    assert reply.revision >= revision
    revision, asked = reply.revision, asked + 1
    if last == 99:
        break
print(last, asked)
"""


@pytest.mark.parametrize("kind", ["fresh", "staying"])
def test_no_reader_ever_sees_an_older_text_than_before_and_each_sees_the_last(
    tmp_path: Path, kind: str
) -> None:
    store = Store.create(tmp_path / "store", name="maker")
    for n in range(6):
        store.remember(
            f"filler-{n}",
            f"a remark about {['clay', 'glaze', 'wheel', 'shelf', 'apron', 'sieve'][n]}",
            f"Text {n}.",
        )
    store.remember("kiln-note", "which version the kiln note has", "kiln version 0.")
    snapshot.build(store)
    readers = [
        subprocess.Popen([sys.executable, "-c", READER, str(store.path), kind], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]  # fmt: skip
    for reader in readers:
        assert reader.stdout is not None and reader.stdout.readline() == "ready\n"
    page = store.path / "kiln-note.md"
    for n in range(1, 25):
        text = page.read_text().replace(f"kiln version {n - 1}.", f"kiln version {n}.")
        if n % 3:
            (tmp_path / "beside").write_text(text)
            (tmp_path / "beside").replace(page)  # as an editor saves
        else:
            page.unlink()
            time.sleep(0.01)
            (tmp_path / "beside").write_text(text)
            (tmp_path / "beside").replace(page)
        if n % 4 == 0:
            store.annotate(f"filler-{n % 6}", keep=f"version {n}")
        if n % 5 == 0:
            snapshot.build(store)
    (tmp_path / "beside").write_text(page.read_text().replace("kiln version 24.", "kiln version 99."))
    (tmp_path / "beside").replace(page)
    for reader in readers:
        out, err = reader.communicate(timeout=150)
        assert reader.returncode == 0, err
        assert out.split()[0] == "99", out


def test_a_snapshot_pruned_under_a_reader_stays_readable_for_it(tmp_path: Path) -> None:
    from kura_runtime.recall.recall import Tiers, recall
    from kura_runtime.recall.shelf import Shelf

    store = Store.create(tmp_path / "store", name="maker")
    store.remember("kiln-note", "which version the kiln note has", "kiln version 0.")
    place = snapshot.build(store).path
    shelf = Shelf(store)
    shelf.corpus()
    for n in range(4):
        store.remember(
            f"filler-{n}", f"a remark about {['clay', 'glaze', 'wheel', 'shelf'][n]}", f"Text {n}."
        )
        snapshot.build(store)
    assert not place.exists()
    assert "kiln version 0." in recall(shelf, "which version does the kiln note have?", tiers=Tiers()).context
    shelf.refresh()
    assert recall(shelf, "a remark about the wheel", tiers=Tiers()).picked == ("filler-2",)


@pytest.mark.parametrize("name", ["memories", "features", "postings", "rows", "links", "seen"])
@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "zeros", "folder"])
def test_no_damage_to_any_file_of_a_snapshot_changes_an_answer(
    tmp_path: Path, name: str, damage: str
) -> None:
    from kura_runtime.recall.recall import Tiers, recall
    from kura_runtime.recall.shelf import Shelf

    store = Store.create(tmp_path / "store", name="maker")
    store.remember("kiln-note", "which version the kiln note has", "kiln version 0.")
    file = snapshot.build(store).path / f"{name}.arrow"
    data = file.read_bytes()
    file.unlink()
    if damage == "folder":
        file.mkdir()
    elif damage != "gone":
        file.write_bytes({"empty": b"", "cut": data[: len(data) // 2], "zeros": bytes(len(data))}[damage])
    reply = recall(
        Shelf(Store.open(store.path, name="maker")), "which version does the kiln note have?", tiers=Tiers()
    )
    assert reply.picked == ("kiln-note",) and "kiln version 0." in reply.context
    assert not snapshot.fresh(store)
    snapshot.build(store)
    assert snapshot.fresh(store)
