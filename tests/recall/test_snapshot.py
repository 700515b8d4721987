"""Snapshots: whole or not at all, the same bytes for the same memories, and a shelf that sees changes."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path

import pytest

from kura_runtime.recall import snapshot
from kura_runtime.recall.recall import Tiers, recall
from kura_runtime.recall.recogniser import recognise
from kura_runtime.recall.shelf import Shelf
from tests.recall.shelves import PORTS, FakeStore, memory


@pytest.fixture
def store(tmp_path: Path) -> FakeStore:
    return FakeStore(tmp_path, list(PORTS))


def files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def test_a_snapshot_opens_as_what_was_built(store: FakeStore) -> None:
    built = snapshot.build(store)
    opened = snapshot.open_newest(store.path)
    assert (
        opened is not None
        and opened.revision == 1 == snapshot.current_revision(store.path)
        and opened.warnings == ()
    )
    assert built.counts["memories"] == len(PORTS) == opened.corpus.size
    assert [opened.corpus.get(m.slug) for m in PORTS] == list(PORTS)
    for question in (
        "zstd level of archives",
        "素焼きは何度まで",
        "embeddings port 8412",
        "which port has the chat server, 8081?",
    ):
        assert (
            recognise(opened.corpus, question).picked
            == recognise(Shelf(store).corpus()[0], question).picked
            != ()
        )


def test_the_same_memories_are_the_same_bytes(tmp_path: Path) -> None:
    one, two = FakeStore(tmp_path / "a", list(PORTS)), FakeStore(tmp_path / "b", list(reversed(PORTS)))
    for s in (one, two):
        s.path.mkdir()
    a, b = snapshot.build(one), snapshot.build(two)
    assert a.digest == b.digest and files(a.path) == files(b.path)


def test_a_revision_is_written_once(store: FakeStore) -> None:
    built = snapshot.build(store)
    before = {p: p.stat().st_mtime_ns for p in built.path.iterdir()}
    assert snapshot.build(store).digest == built.digest
    assert {p: p.stat().st_mtime_ns for p in built.path.iterdir()} == before


def test_two_snapshots_are_kept_and_nothing_half_built_stays(store: FakeStore) -> None:
    for i in range(4):
        store.change(PORTS[3].with_(summary=f"version {i}"))
        snapshot.build(store)
    root = store.path / snapshot.FOLDER
    assert sorted(p.name for p in root.iterdir()) == ["4", "5", "CURRENT"]


@pytest.mark.parametrize("damage", ["truncated", "flipped", "gone", "meta"])
def test_a_damaged_snapshot_is_skipped_loudly_for_the_one_before(
    store: FakeStore, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    snapshot.build(store)
    store.change(PORTS[3].with_(summary="newer text"))
    newest = snapshot.build(store).path
    target = newest / ("meta.json" if damage == "meta" else "features.arrow")
    data = target.read_bytes()
    if damage == "gone":
        target.unlink()
    elif damage == "flipped":
        target.write_bytes(
            data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 0xFF]) + data[len(data) // 2 + 1 :]
        )
    else:
        target.write_bytes(data[: len(data) // 2])
    with caplog.at_level(logging.WARNING):
        opened = snapshot.open_newest(store.path)
    assert opened is not None and opened.revision == 1
    assert "snapshot 2 was skipped" in opened.warnings[0] and "snapshot 2" in caplog.text
    assert snapshot.damaged(store.path)
    reply = recall(Shelf(store), "zstd level of archives", tiers=Tiers())
    assert (
        "newer text" in reply.context and reply.warnings
    )  # the files lie over the older snapshot, and the reply says so
    snapshot.build(store)  # and it is made anew
    assert snapshot.open_newest(store.path).warnings == () and not snapshot.damaged(store.path)  # type: ignore[union-attr]


def test_all_snapshots_damaged_means_the_files(store: FakeStore) -> None:
    built = snapshot.build(store)
    (built.path / "rows.arrow").write_bytes(b"")
    assert snapshot.open_newest(store.path) is None
    assert recall(Shelf(store), "zstd level of archives", tiers=Tiers()).picked == ("zstd-level",)


def test_a_build_that_dies_leaves_the_old_snapshot(store: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot.build(store)
    store.change(PORTS[3].with_(summary="never shown"))

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(snapshot, "_make_current", dies)
    with pytest.raises(KeyboardInterrupt):
        snapshot.build(store)
    assert snapshot.current_revision(store.path) == 1
    opened = snapshot.open_newest(store.path)
    assert opened is not None and opened.revision == 1


def test_a_direct_write_is_recallable_at_once_after_a_refresh(store: FakeStore) -> None:
    snapshot.build(store)
    shelf = Shelf(store)
    assert recall(shelf, "when does the tea room close", tiers=Tiers()).picked == ()
    store.change(memory("tea-room", "Tea room", "the tea room closes at 18:30"))
    shelf.refresh()
    reply = recall(shelf, "when does the tea room close", tiers=Tiers())
    assert reply.picked == ("tea-room",) and reply.revision == 2


def test_a_change_behind_our_back_is_seen_at_the_next_look(store: FakeStore) -> None:
    shelf = Shelf(store)
    shelf.corpus()
    store.change(memory("tea-room", "Tea room", "the tea room closes at 18:30"))
    shelf._next_look = 0.0
    assert recall(shelf, "when does the tea room close", tiers=Tiers()).picked == ("tea-room",)


def test_a_hand_edit_without_a_revision_is_seen_by_the_files_own_stamp(store: FakeStore) -> None:
    shelf = Shelf(store)
    shelf.corpus()
    store._memories = [
        m.with_(summary="edited by hand") if m.slug == "zstd-level" else m for m in store._memories
    ]
    shelf._next_look = shelf._next_scan = 0.0
    assert "edited by hand" in recall(shelf, "zstd level of archives", tiers=Tiers()).context


def test_a_snapshot_older_than_a_hand_edit_is_not_believed(store: FakeStore) -> None:
    snapshot.build(store)
    store._memories = [
        m.with_(summary="edited by hand") if m.slug == "zstd-level" else m for m in store._memories
    ]
    shelf = Shelf(store)
    assert "edited by hand" in recall(shelf, "zstd level of archives", tiers=Tiers()).context


def test_threads_that_read_during_a_write_see_the_old_or_the_new_state(store: FakeStore) -> None:
    shelf = Shelf(store)
    shelf.corpus()
    seen: set[str] = set()
    failed: list[BaseException] = []
    stop = threading.Event()

    def read() -> None:
        try:
            while not stop.is_set():
                context = recall(shelf, "zstd level of archives", tiers=Tiers()).context
                seen.add(next((w for w in context.split() if w.startswith("version-")), "none"))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for t in threads:
        t.start()
    for i in range(12):
        store.change(PORTS[3].with_(summary=f"version-{i} stands here"))
        shelf.refresh()
    stop.set()
    for t in threads:
        t.join()
    assert not failed
    assert "version-11" in recall(shelf, "zstd level of archives", tiers=Tiers()).context
    assert seen <= {"none", *(f"version-{i}" for i in range(12))}


def test_memories_of_every_shape_survive_the_round_trip(tmp_path: Path) -> None:
    odd = memory(
        "odd-one", "題名 [x] 🌸", "line with \"quotes\" and ⚠", "مرحبا\nשלום\n素焼き", tags=("decision",), callsigns=("Teapot",),
        extra=("custom: [1, 2]",), superseded_by=None, origin_manifest="ab" * 32, state="conflict",
    )  # fmt: skip
    store = FakeStore(tmp_path, [odd])
    snapshot.build(store)
    opened = snapshot.open_newest(tmp_path)
    assert opened is not None and opened.corpus.get("odd-one") == odd
    meta = json.loads((opened.path / "meta.json").read_text())
    assert meta["revision"] == 1 and set(meta["files"]) == {
        "memories.arrow",
        "features.arrow",
        "postings.arrow",
        "rows.arrow",
        "links.arrow",
    }


def test_an_empty_store_has_a_snapshot_too(tmp_path: Path) -> None:
    store = FakeStore(tmp_path, [])
    snapshot.build(store)
    opened = snapshot.open_newest(tmp_path)
    assert opened is not None and opened.corpus.size == 0
    assert recall(Shelf(store), "anything?", tiers=Tiers()).picked == ()
