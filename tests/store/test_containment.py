"""Every case is an escape attempt: nothing that is not the store's own is read, listed, written or replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kura_runtime.errors import KuraError, StoreDamaged, StoreUnwritable, UnknownMemory
from kura_runtime.store import gatekey
from kura_runtime.store.store import Store
from tests.store import workshop
from tests.store.workshop import draft, make, tree

SECRET = "---\nname: secret\ndescription: outside\n---\nthe outside secret\n"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(SECRET)
    one = make(tmp_path / "store")
    one.remember("own-memory", "a line of our own", "our own text")
    return one


@pytest.mark.parametrize(
    "spelling",
    [
        "../outside/secret", "../outside/secret.md", "..", ".", "/", "", "own-memory.md", "./own-memory", "own-memory/", "own-memory\0", "own-memory\0.md",
        "OWN-MEMORY", "Own-Memory", "own_memory", "own-memory ", " own-memory", "own-memory\n", "ｏｗｎ-memory", "own‐memory", "‥/outside/secret",
        "．．/outside/secret", "..%2foutside%2fsecret", "..\\outside\\secret", "~/secret", "MEMORY", "_kura/gate", "_kura/gate.key", "_evidence/x",
        "_archive/own-memory", "/etc/passwd", "file:///etc/passwd", "a" * 5000, "[[own-memory]]", "own-memory/../own-memory", "\ud800", "*", "own-*",
    ],
)  # fmt: skip
def test_no_spelling_reaches_anything_but_the_stores_own_slugs(store: Store, spelling: str) -> None:
    for ask in (
        store.get,
        store.page,
        store.history,
        store.why,
        lambda s: store.annotate(s, keep="x"),
        store.archive,
        store.unarchive,
    ):
        with pytest.raises(UnknownMemory):
            ask(spelling)
    assert not store.holds(spelling)
    with pytest.raises(KuraError):
        store.retire(spelling, "own-memory")
    with pytest.raises(KuraError):
        store.retire("own-memory", spelling)
    assert store.revision == 1


def test_absolute_paths_of_what_exists_are_no_slugs(store: Store, tmp_path: Path) -> None:
    for path in (
        tmp_path / "outside" / "secret.md",
        tmp_path / "outside" / "secret",
        store.path / "own-memory.md",
    ):
        with pytest.raises(UnknownMemory):
            store.get(str(path))


def test_a_symlink_is_no_memory_and_the_doctor_says_so(store: Store, tmp_path: Path) -> None:
    (store.path / "secret.md").symlink_to(tmp_path / "outside" / "secret.md")
    (store.path / "dangling.md").symlink_to(tmp_path / "nowhere")
    (store.path / "inward.md").symlink_to(store.path / "own-memory.md")
    assert store.slugs() == {"own-memory"}
    assert len(store.memories()) == 1
    for slug in ("secret", "dangling", "inward"):
        with pytest.raises(UnknownMemory):
            store.get(slug)
    assert {f.where for f in store.doctor().findings} == {"secret.md", "dangling.md", "inward.md"}


def test_a_hard_link_out_of_the_store_is_no_memory(store: Store, tmp_path: Path) -> None:
    os.link(tmp_path / "outside" / "secret.md", store.path / "secret.md")
    assert store.slugs() == {"own-memory"}
    with pytest.raises(UnknownMemory):
        store.get("secret")
    assert "hard link" in store.doctor().findings[0].message


def test_a_memory_that_becomes_a_link_after_the_scan_is_not_followed(store: Store, tmp_path: Path) -> None:
    store.memories()
    path = store.path / "own-memory.md"
    path.unlink()
    path.symlink_to(tmp_path / "outside" / "secret.md")
    with pytest.raises((UnknownMemory, StoreDamaged)):
        store.get("own-memory")
    assert store.memories() == []


def test_folders_pipes_and_giants_are_no_memories(store: Store) -> None:
    (store.path / "folder.md").mkdir()
    os.mkfifo(store.path / "pipe.md")
    with (store.path / "giant.md").open("wb") as giant:
        giant.truncate(5 * 1024 * 1024)
    assert store.slugs() == {"own-memory"}
    assert {f.where for f in store.doctor().findings} == {"pipe.md", "giant.md"}


def test_hidden_and_reserved_and_ill_named_files_are_no_memories(store: Store) -> None:
    for name in (
        ".hidden.md",
        "_private.md",
        "README.md",
        "charter.md",
        "UPPER.md",
        "sp ace.md",
        "‥.md",
        "a..b.md",
        "нет.md",
        "own-memory.md.md",
    ):
        (store.path / name).write_text(SECRET)
    assert store.slugs() == {"own-memory"}
    assert {f.where for f in store.doctor().findings} == {
        "UPPER.md",
        "sp ace.md",
        "‥.md",
        "a..b.md",
        "нет.md",
        "own-memory.md.md",
    }


def test_an_index_line_that_points_elsewhere_names_no_file(store: Store, tmp_path: Path) -> None:
    index = store.path / "MEMORY.md"
    index.write_text(index.read_text() + "- [x](../outside/secret.md) — y\n- [z](/etc/passwd.md) — w\n")
    assert [line.slug for line in store.index().lines] == ["own-memory"]
    with pytest.raises(UnknownMemory):
        store.get("../outside/secret")
    assert {f.where for f in store.doctor().findings} == {"../outside/secret", "/etc/passwd"}
    store.remember("more-text", "another line", "entirely different words")
    assert (tmp_path / "outside" / "secret.md").read_text() == SECRET


@pytest.mark.parametrize("link", ["symlink", "hard"])
def test_a_linked_index_is_neither_read_nor_written(store: Store, tmp_path: Path, link: str) -> None:
    target = tmp_path / "outside" / "index.md"
    target.write_text("- [Planted](own-memory.md) — a planted line\n")
    index = store.path / "MEMORY.md"
    index.unlink()
    if link == "symlink":
        index.symlink_to(target)
    else:
        os.link(target, index)
    assert [x.trigger for x in store.index().lines] == ["a line of our own"]
    with pytest.raises(StoreDamaged, match=r"MEMORY\.md"):
        store.remember("more-text", "another line", "entirely different words")
    assert target.read_text() == "- [Planted](own-memory.md) — a planted line\n"
    assert store.slugs() == {"own-memory"}
    assert "index" in {f.kind for f in store.doctor().findings}


@pytest.mark.parametrize(
    "folder", ["_kura", "_evidence", "_proposals", "_archive", "_still", "_kura/history", "_kura/wal"]
)
def test_nothing_is_written_through_a_linked_folder(tmp_path: Path, folder: str) -> None:
    store = make(tmp_path / "store")
    outside = tmp_path / "outside"
    outside.mkdir()
    if folder == "_kura":
        import shutil

        shutil.rmtree(store.path / "_kura")
    (store.path / folder).symlink_to(outside, target_is_directory=True)
    one = Store.open(store.path, name="maker", floor=workshop.no_floor)
    for write in (
        lambda: one.remember("own-memory", "a line", "text"),
        lambda: workshop.poured(one, draft(one)),
    ):
        with pytest.raises((StoreDamaged, StoreUnwritable)):
            write()
    assert list(outside.iterdir()) == []


def test_a_linked_evidence_folder_vouches_for_nothing(store: Store, tmp_path: Path) -> None:
    slug = workshop.poured(store, draft(store))
    digest = store.get(slug).evidence_manifest
    (store.path / "_evidence").rename(tmp_path / "elsewhere")
    (store.path / "_evidence").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert digest is not None
    with pytest.raises(StoreDamaged, match="symlink"):
        store.manifest(digest)
    assert store.why(slug).problems


def test_a_linked_draft_is_not_judged(store: Store, tmp_path: Path) -> None:
    path = store.stage(draft(store))
    path.rename(tmp_path / "outside" / "d.md")
    path.symlink_to(tmp_path / "outside" / "d.md")
    assert store.drafts() == []
    assert (tmp_path / "outside" / "d.md").exists()


def test_a_link_in_the_place_of_a_new_memory_is_not_replaced(store: Store, tmp_path: Path) -> None:
    (store.path / "new-memory.md").symlink_to(tmp_path / "outside" / "secret.md")
    before = tree(tmp_path / "outside")
    assert store.remember("new-memory", "a line", "entirely different words").slug == "new-memory-2"
    assert (store.path / "new-memory.md").is_symlink()
    assert tree(tmp_path / "outside") == before


def test_a_persons_own_file_is_never_overwritten_by_a_memory_of_its_name(store: Store) -> None:
    for name in ("shopping-list.md", "_archive/old-list.md"):
        (store.path / name).parent.mkdir(exist_ok=True)
        (store.path / name).write_text("bread\n")
    assert store.remember("shopping-list", "what to buy", "Lamps for the attic.").slug == "shopping-list-2"
    assert workshop.poured(store, draft(store, workshop.surface("old-list"))) == "old-list-2"
    assert (
        (store.path / "shopping-list.md").read_text()
        == (store.path / "_archive" / "old-list.md").read_text()
        == "bread\n"
    )


def test_a_root_reached_through_a_link_is_fixed_when_it_is_opened(store: Store, tmp_path: Path) -> None:
    door = tmp_path / "door"
    door.symlink_to(store.path, target_is_directory=True)
    one = Store.open(door, name="maker")
    assert one.path == store.path.resolve()
    door.unlink()
    door.symlink_to(tmp_path / "outside", target_is_directory=True)
    assert one.slugs() == {"own-memory"}
    with pytest.raises(UnknownMemory):
        one.get("secret")


# -- the key -------------------------------------------------------------------------------------------------------------------


def test_the_key_is_made_once_with_nobody_else_reading(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        store = make(tmp_path / "s")
        key = store.gate_key()
    finally:
        os.umask(old)
    path = store.path / "_kura" / "gate.key"
    assert (len(key), path.stat().st_mode & 0o777, path.stat().st_nlink) == (32, 0o600, 1)
    assert Store.open(store.path, name="x").gate_key() == key
    assert sorted(p.name for p in (store.path / "_kura").iterdir()) == [
        "gate.fingerprint",
        "gate.key",
        "lock",
        "version",
    ]


@pytest.mark.parametrize("damage", ["short", "empty", "long", "readable", "gone", "other", "link", "folder"])
def test_an_unusable_key_is_an_error_that_says_what_to_do_and_is_never_made_anew(
    store: Store, tmp_path: Path, damage: str
) -> None:
    path = store.path / "_kura" / "gate.key"
    key = path.read_bytes()
    wanted = {
        "short": "backup", "empty": "backup", "long": "backup", "readable": "chmod 600", "gone": "backup", "other": "another key", "link": "restore",
        "folder": "backup",
    }[damage]  # fmt: skip
    if damage == "readable":
        path.chmod(0o644)
    else:
        path.unlink()
        if damage == "link":
            (tmp_path / "k").write_bytes(key)
            path.symlink_to(tmp_path / "k")
        elif damage == "folder":
            path.mkdir()
        elif damage != "gone":
            path.write_bytes(
                {"short": key[:31], "empty": b"", "long": key + b"x", "other": bytes(32)}[damage]
            )
            path.chmod(0o600)
    before = tree(store.path)
    for use in (
        store.gate_key,
        lambda: store.remember("more-text", "line", "different words"),
        lambda: store.stage(draft(store)),
    ):
        with pytest.raises(StoreDamaged, match=wanted):
            use()
    assert {k: v for k, v in tree(store.path).items() if not k.startswith("_evidence/")} == before
    report = store.doctor()
    assert "gate-key" in {f.kind for f in report.findings}
    why = store.why("own-memory")
    assert why.signed is None
    assert why.problems


def test_two_makers_of_a_key_get_the_same_one(tmp_path: Path) -> None:
    import threading

    store = make(tmp_path / "s")
    keys: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: keys.append(Store.open(store.path, name="x").gate_key()))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1


def test_a_key_that_exists_is_not_overwritten_by_a_late_maker(tmp_path: Path) -> None:
    durable = tmp_path / "_kura"
    first = gatekey.make_key(durable)
    with pytest.raises(FileExistsError):
        gatekey._place(durable, bytes(32))
    assert gatekey.read_key(durable) == first
