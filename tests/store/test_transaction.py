"""A change is made or not made, whatever strikes, wherever it strikes."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from kura_runtime.errors import StoreUnwritable
from kura_runtime.store import disk
from kura_runtime.store.store import Store
from kura_runtime.store.transaction import Journal, Op
from tests.store import workshop
from tests.store.workshop import make, no_floor, tree

FORK = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def _no_hook_left() -> Iterator[None]:
    yield
    disk.set_hook(None)


def _store(path: Path) -> Store:
    """A store with a memory, and a draft that would extend it."""
    store = make(path)
    workshop.poured(store, workshop.draft(store))
    return store


def _open(path: Path) -> Store:
    return Store.open(path, name="maker", floor=no_floor, clock=lambda: workshop.NOW)


def _extension(store: Store) -> object:
    more = workshop.surface(heading="The figures", body="The second disk came later.")
    return workshop.draft(
        store, more, extends="archive-on-slow-disk", quotes=(workshop.quote("the second disk came later"),)
    )


def _pour_first(store: Store) -> None:
    waiting = store.drafts()[0]
    store.pour(waiting, verdict=workshop.yes(waiting))


def _state(path: Path) -> dict[str, str]:
    """What a store says: its durable files and memories, without the workshop and the leftovers of a crash."""
    return {p: h for p, h in tree(path).items() if not p.startswith(("_still/", "_kura/wal/"))}


def _killed_at(path: Path, k: int) -> bool:
    """Pour in a child that is killed at its k-th operation on the disk. False where it ended before that."""

    def child() -> None:
        reached = 0

        def strike(_operation: str, _path: str) -> None:
            nonlocal reached
            reached += 1
            if reached == k:
                os.kill(os.getpid(), signal.SIGKILL)

        disk.set_hook(strike)
        _pour_first(_open(path))
        os._exit(0)

    process = FORK.Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def _copy(source: Path, target: Path) -> None:
    """A copy of a store with the modes kept (the key's matters)."""
    import shutil

    shutil.copytree(source, target)


def test_a_writer_killed_at_every_operation_leaves_the_old_or_the_new_state(tmp_path: Path) -> None:
    base = tmp_path / "base"
    store = _store(base)
    store.stage(_extension(store))  # type: ignore[arg-type]
    old = _state(base)
    done = tmp_path / "done"
    _copy(base, done)
    _pour_first(_open(done))
    new = _state(done)
    assert old != new
    seen = {"old": 0, "new": 0}
    for k in range(1, 500):
        path = tmp_path / f"k{k}"
        _copy(base, path)
        if not _killed_at(path, k):
            break
        survivor = _open(path)
        replayed = survivor.journal.replay()
        assert replayed.quarantined == ()
        state = _state(path)
        assert state in (old, new), (
            f"killed at operation {k}: neither old nor new: {sorted(set(state.items()) ^ set(old.items()))}"
        )
        seen["old" if state == old else "new"] += 1
        assert list(survivor.journal.wal.iterdir()) == []
        # and the store goes on from there
        for waiting in survivor.drafts():
            assert survivor.pour(waiting, verdict=workshop.yes(waiting)).action in ("extended", "already")
        assert survivor.get("archive-on-slow-disk").summary.count("The second disk came later.") == 1
    else:
        pytest.fail("the writer never ended")
    assert seen["old"] > 5, seen
    assert seen["new"] > 5, seen


def test_a_first_write_killed_at_every_operation_leaves_a_store_that_works(tmp_path: Path) -> None:
    """Nothing is there yet: not the lock's folder, not the version, not the key."""
    for k in range(1, 200):
        root = tmp_path / f"k{k}"
        root.mkdir()
        (root / "old-note.md").write_text("---\nname: old-note\ndescription: d\n---\nbody\n")

        def child(root: Path = root, k: int = k) -> None:
            reached = 0

            def strike(_operation: str, _path: str) -> None:
                nonlocal reached
                reached += 1
                if reached == k:
                    os.kill(os.getpid(), signal.SIGKILL)

            disk.set_hook(strike)
            _open(root).remember("new-note", "a line", "wholly different text")
            os._exit(0)

        process = FORK.Process(target=child)
        process.start()
        process.join(60)
        after = _open(root)
        assert after.doctor().to_json()["counts"]["memories"] in (1, 2)
        again = after.remember("new-note", "a line", "wholly different text")
        assert (again.action, again.slug) in (("created", "new-note"), ("covered", "new-note"))
        assert after.why("new-note").signed is True
        assert [p.name for p in (root / "_kura").iterdir() if p.name.startswith(".gate.key")] == []
        if process.exitcode == 0:
            assert k > 20
            return
    pytest.fail("the writer never ended")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_an_error_at_every_operation_is_clear_and_leaves_nothing_half_written(
    tmp_path: Path, code: int
) -> None:
    base = tmp_path / "base"
    store = _store(base)
    store.stage(_extension(store))  # type: ignore[arg-type]
    old = _state(base)
    done = tmp_path / "done"
    _copy(base, done)
    _pour_first(_open(done))
    new = _state(done)
    refused = 0
    for k in range(1, 500):
        path = tmp_path / f"k{k}"
        _copy(base, path)
        one = _open(path)
        reached = 0

        def strike(operation: str, _path: str, k: int = k) -> None:
            nonlocal reached
            reached += 1
            if reached >= k and operation not in ("unlink", "rmdir", "truncate", "sync"):
                raise OSError(code, os.strerror(code))

        disk.set_hook(strike)
        try:
            _pour_first(one)
        except StoreUnwritable as error:
            refused += 1
            said_unchanged = "nothing was changed" in str(error)
            assert os.strerror(code) in str(error)
            disk.set_hook(None)
            if said_unchanged:
                assert _state(path) == old, f"operation {k}: said unchanged, and was not"
                assert not one.journal.waiting()
            one.journal.replay()
            assert _state(path) in (old, new)
        else:
            disk.set_hook(None)
            assert _state(path) == new
        if reached < k:
            break
    assert refused > 10


def test_a_full_disk_refuses_the_change_and_loses_nothing(tmp_path: Path) -> None:
    store = _store(tmp_path / "s")
    before = tree(tmp_path / "s")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    was = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, hard))
    try:
        with pytest.raises(StoreUnwritable, match="nothing was changed"):
            store.remember("long-story", "a long story about the attic", "x" * 5 + " words" * 600)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, was)
    assert tree(tmp_path / "s") == before
    assert store.remember("long-story", "a long story about the attic", "words " * 600).action == "created"


def test_a_read_only_folder_refuses_before_anything_is_written(tmp_path: Path) -> None:
    root = tmp_path / "s"
    root.mkdir()
    (root / "old-note.md").write_text("---\nname: old-note\ndescription: d\n---\nbody\n")
    store = _open(root)

    def read_only(_operation: str, _path: str) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    disk.set_hook(read_only)
    with pytest.raises(StoreUnwritable, match="Read-only"):
        store.remember("new-note", "a new note", "text")
    assert store.slugs() == {"old-note"}
    assert tree(root).keys() == {"old-note.md"}


def test_a_damaged_entry_is_set_aside_and_never_applied(tmp_path: Path) -> None:
    store = _store(tmp_path / "s")
    before = _state(store.path)
    disk.set_hook(lambda op, p: _die_on_rename(op, p))
    with pytest.raises(_Crash):
        store.journal.commit([Op("replace", "another.md", b"---\nname: another\n---\n")])
    disk.set_hook(None)
    entry = next(store.journal.wal.iterdir())
    (entry / "000000").write_bytes(b"not what was promised")
    replayed = store.journal.replay()
    assert [reason for _, reason in replayed.quarantined] == ["the bytes for another.md fail their hash"]
    assert not (store.path / "another.md").exists()
    aside = store.path / "_kura" / "wal-quarantine"
    assert (aside / entry.name / "000000").read_bytes() == b"not what was promised"
    assert {k: v for k, v in _state(store.path).items() if "wal-quarantine" not in k} == before
    assert not store.journal.waiting()


def test_an_intent_that_points_out_of_the_store_is_set_aside(tmp_path: Path) -> None:
    import hashlib

    store = _store(tmp_path / "s")
    entry = store.journal.wal / "0000000099"
    entry.mkdir(parents=True)
    (entry / "000000").write_bytes(b"gotcha")
    step = {
        "kind": "replace",
        "path": "../outside.md",
        "blob": "000000",
        "sha256": hashlib.sha256(b"gotcha").hexdigest(),
    }
    body = json.dumps({"revision": 99, "steps": [step]}).encode()
    (entry / "intent").write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    assert len(store.journal.replay().quarantined) == 1
    assert not (tmp_path / "outside.md").exists()


def test_what_a_crash_left_is_replayed_by_the_next_change_of_another_process(tmp_path: Path) -> None:
    store = _store(tmp_path / "s")
    disk.set_hook(lambda op, p: _die_on_rename(op, p))
    with pytest.raises(_Crash):
        store.remember("half-done", "a note that was interrupted", "It was interrupted.")
    disk.set_hook(None)
    other = _open(store.path)
    assert not other.holds("half-done")
    assert (
        other.remember(
            "next-note", "another subject entirely", "Something else was written afterwards."
        ).action
        == "created"
    )
    assert other.get("half-done").summary == "It was interrupted."
    assert other.revision == 3


def test_the_same_append_done_twice_is_done_once(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    disk.append_at(path, 4, b"two\n")
    disk.append_at(path, 4, b"two\n")
    path.write_bytes(b"one\ntw")  # torn
    disk.append_at(path, 4, b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"


def test_revision_counts_changes_and_a_broken_one_is_named(tmp_path: Path) -> None:
    from kura_runtime.errors import StoreDamaged

    journal = Journal(tmp_path, "_kura")
    assert journal.revision == 0
    assert journal.commit([Op("replace", "a.md", b"x")]) == 1
    assert journal.commit([Op("remove", "a.md")]) == 2
    assert journal.revision == 2
    assert not (tmp_path / "a.md").exists()
    (tmp_path / "_kura" / "revision").write_text("many")
    with pytest.raises(StoreDamaged, match="revision"):
        _ = journal.revision


def test_two_processes_writing_at_once_lose_nothing(tmp_path: Path) -> None:
    store = make(tmp_path / "s")

    def write(me: int) -> None:
        one = _open(tmp_path / "s")
        for n in range(5):
            word = "abcdefghij"[n] * 8
            one.remember(
                f"note-{'xyz'[me]}-{word}",
                f"about {word} of {'xyz'[me] * 9}",
                f"{word} {'xyz'[me] * 12} stands alone.",
            )
        os._exit(0)

    children = [FORK.Process(target=write, args=(me,)) for me in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join(120)
    assert [c.exitcode for c in children] == [0, 0, 0]
    assert len(store.slugs()) == 15
    assert store.revision == 15
    assert len(store.index().lines) == 15


class _Crash(BaseException):
    pass


def _die_on_rename(operation: str, path: str) -> None:
    if operation == "rename" and path.endswith((".md", "revision")):
        raise _Crash
