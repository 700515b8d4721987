"""`[distill] archive`: what was read is kept, once for each content, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kura_pipeline.distil import archive as room
from kura_pipeline.distil.archive import Archived, archive_journals
from kura_pipeline.distil.batch import claim
from kura_pipeline.distil.copies import copies as found
from kura_pipeline.distil.copies import prune, restore
from kura_pipeline.distil.coverage import survey
from kura_runtime.config.load import resolve
from kura_runtime.config.model import Config
from kura_runtime.errors import KuraError
from tests.journals.samples import claude, line
from tests.journals.stores import NOW, ledger
from tests.pipeline.project import Project, session


def project(base: Path, archive: bool = True) -> Config:
    (base / "store").mkdir(parents=True, exist_ok=True)
    (base / "j").mkdir(exist_ok=True)
    raw = {
        "stores": {"maker": {"path": "store"}},
        "distill": {"journals": {"claude": "j"}, "archive": archive},
    }
    return resolve(raw, base / "kura.toml")


def said(words: str, name: str = "u1") -> bytes:
    return line(claude("user", words, uuid=name, sessionId="mine"))


def read_and_archive(config: Config, **options: Any) -> Archived:
    cfg, book = config.stores["maker"], ledger(config.home.parent)
    claim(cfg, book, now=NOW)
    try:
        return archive_journals(config, cfg, book, now=NOW, **options)
    finally:
        book.close()


def copies(base: Path) -> dict[str, bytes]:
    """sha256 in the name → what the copy unpacks to."""
    found = {}
    for path in (base / ".kura" / "archive").glob("*.jsonl.zst"):
        with path.open("rb") as file:
            found[path.name.partition(".")[0]] = zstandard.ZstdDecompressor().stream_reader(file).read()
    return found


def index(base: Path) -> list[dict[str, Any]]:
    text = (base / ".kura" / "archive" / "index.jsonl").read_text(encoding="utf-8")
    return [json.loads(row) for row in text.splitlines()]


def test_a_journal_that_was_read_is_kept_under_the_hash_of_its_bytes(tmp_path: Path) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "日本 a.jsonl"
    path.write_bytes(said("存档盘在慢盘上"))
    assert read_and_archive(config) == Archived(kept=1)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert copies(tmp_path) == {digest: path.read_bytes()}
    at = path.stat()
    assert index(tmp_path) == [
        {
            "path": str(path), "size": at.st_size, "mtime": at.st_mtime_ns, "sha256": digest,
            "time": "2025-06-01T12:00:00+00:00",
        }
    ]  # fmt: skip
    folder = tmp_path / ".kura" / "archive"
    assert folder.stat().st_mode & 0o77 == 0 and (folder / f"{digest}.jsonl.zst").stat().st_mode & 0o77 == 0


def test_nothing_is_kept_where_it_is_off_or_where_a_journal_was_not_read(tmp_path: Path) -> None:
    off, path = project(tmp_path, archive=False), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    assert read_and_archive(off) == Archived() and not (tmp_path / ".kura" / "archive").exists()
    (tmp_path / "j" / "late.jsonl").write_bytes(said("two", "u2"))
    on, book = project(tmp_path), ledger(tmp_path)
    assert archive_journals(on, on.stores["maker"], book, now=NOW) == Archived(kept=1)
    assert [row["path"] for row in index(tmp_path)] == [str(path)]


def test_an_unchanged_journal_is_not_opened_again_and_a_grown_one_is_kept_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    read_and_archive(config)
    with monkeypatch.context() as patched:
        patched.setattr(room, "open_regular", lambda _: pytest.fail("an unchanged journal was opened"))
        assert read_and_archive(config) == Archived(unchanged=1)
    first = path.read_bytes()
    path.write_bytes(first + said("two", "u2"))
    assert read_and_archive(config) == Archived(kept=1, superseded=1)
    assert list(copies(tmp_path).values()) == [path.read_bytes()], "the newest copy holds the one before"


def test_a_rewritten_journal_keeps_both_of_its_states(tmp_path: Path) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    read_and_archive(config)
    path.write_bytes(said("something else", "u2") + said("one"))
    assert read_and_archive(config) == Archived(kept=1)
    assert len(copies(tmp_path)) == 2


def test_the_same_content_is_kept_once_under_however_many_names(tmp_path: Path) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    read_and_archive(config)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (tmp_path / "j" / "b.jsonl").write_bytes(path.read_bytes())
    assert read_and_archive(config).same >= 1
    assert len(copies(tmp_path)) == 1
    assert {row["sha256"] for row in index(tmp_path)} == set(copies(tmp_path)) and len(index(tmp_path)) >= 2


def test_a_copy_outlives_its_journal_and_a_lost_copy_is_made_again(tmp_path: Path) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    read_and_archive(config)
    (copy,) = (tmp_path / ".kura" / "archive").glob("*.zst")
    copy.unlink()
    assert read_and_archive(config) == Archived(kept=1)
    path.unlink()
    assert read_and_archive(config) == Archived() and list(copies(tmp_path).values()) == [said("one")]


def test_a_journal_written_while_it_is_copied_is_left_for_the_next_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    reading = room._part

    def growing(source: Any, name: Path) -> bytes:
        part = reading(source, name)
        if part:
            with path.open("ab") as out:
                out.write(said("two", "u2"))
            monkeypatch.setattr(room, "_part", reading)
        return part

    monkeypatch.setattr(room, "_part", growing)
    assert read_and_archive(config) == Archived(changing=1)
    assert copies(tmp_path) == {} and list((tmp_path / ".kura" / "archive").glob(".partial*")) == []
    assert read_and_archive(config) == Archived(kept=1)
    assert list(copies(tmp_path).values()) == [path.read_bytes()]


def test_what_is_beyond_the_bound_is_counted_and_kept_by_the_next_call(tmp_path: Path) -> None:
    config = project(tmp_path)
    for n in range(3):
        (tmp_path / "j" / f"{n}.jsonl").write_bytes(said(f"word {n}", f"u{n}"))
    assert read_and_archive(config, most=1) == Archived(kept=1, left=2)
    assert read_and_archive(config) == Archived(kept=2, unchanged=1)


KILL = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from kura_pipeline.distil import archive as room
from kura_runtime.store.disk import set_hook
from tests.journals.test_archive import project, read_and_archive
end = lambda *_, **__: os._exit(9)
if sys.argv[2] == "before the copy is whole": room._part = lambda source, path: source.read(10) if source.tell() < 10 else end()
if sys.argv[2] == "before it has its name": Path.replace = end
if sys.argv[2] == "before the index": room.append_at = end
if sys.argv[2] == "within the index line":
    set_hook(lambda operation, path: end() if operation == "fsync" and path.endswith("index.jsonl") else None)
read_and_archive(project(Path(sys.argv[1])))
"""


@pytest.mark.parametrize(
    "place",
    ["before the copy is whole", "before it has its name", "before the index", "within the index line"],
)
def test_a_killed_process_leaves_no_half_copy_and_the_next_pass_makes_it_good(
    tmp_path: Path, place: str
) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    root = Path(__file__).resolve().parents[2]
    died = subprocess.run(
        [sys.executable, "-c", KILL, str(tmp_path), place, str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert died.returncode == 9, died.stderr
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert set(copies(tmp_path).items()) <= {(digest, path.read_bytes())}, "a half copy under a whole name"
    after = read_and_archive(config)
    assert after.failures == () and after.kept + after.same + after.unchanged == 1
    assert copies(tmp_path) == {digest: path.read_bytes()} and [r["sha256"] for r in index(tmp_path)] == [
        digest
    ]
    assert list((tmp_path / ".kura" / "archive").glob(".partial*")) == []


def test_a_last_index_line_cut_short_is_replaced_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    read_and_archive(config)
    file = tmp_path / ".kura" / "archive" / "index.jsonl"
    file.write_bytes(file.read_bytes() + b'{"path": "/tor')
    path.write_bytes(said("one") + said("two", "u2"))
    assert read_and_archive(config) == Archived(kept=1, superseded=1) and len(index(tmp_path)) == 2
    file.write_bytes(b"nonsense\n" + file.read_bytes())
    (failure,) = read_and_archive(config).failures
    assert "index.jsonl" in failure and "line 1" in failure


def test_a_folder_that_cannot_be_made_is_a_failure_and_the_claim_stands(tmp_path: Path) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    config.home.mkdir()
    (config.home / "archive").write_bytes(b"a file in the way")
    (failure,) = read_and_archive(config).failures
    assert "archive" in failure and len(ledger(tmp_path).claims.of_store("maker")) == 1


def test_a_run_keeps_copies_and_counts_them_in_its_report(tmp_path: Path) -> None:
    one = Project(tmp_path / "p", "archive = true")
    path = one.write_session()
    (report,) = one.json("run")
    assert report["archived"] == {
        "kept": 1,
        "same": 0,
        "unchanged": 0,
        "changing": 0,
        "left": 0,
        "superseded": 0,
    }
    assert list(copies(one.folder).values()) == [path.read_bytes()]
    again = one.kura("run")
    assert again.returncode == 2, again.stdout
    path.write_text(path.read_text(encoding="utf-8") + session([("assistant", "Done.")], "b" * 36))
    assert "1 journals archived" in one.kura("run").stdout


def test_pruning_takes_old_copies_away_for_good_and_leaves_the_young(tmp_path: Path) -> None:
    config = project(tmp_path)
    old, new = tmp_path / "j" / "old.jsonl", tmp_path / "j" / "new.jsonl"
    old.write_bytes(said("old words"))
    os.utime(old, (1_000_000_000, 1_000_000_000))
    new.write_bytes(said("new words", "u2"))
    read_and_archive(config)
    limit = datetime(2020, 1, 1, tzinfo=UTC)
    counted = prune(config, before=limit, dry=True)
    assert (counted.removed, counted.only, counted.kept) == (1, 0, 1) and len(copies(tmp_path)) == 2
    assert prune(config, before=limit) == counted
    assert list(copies(tmp_path).values()) == [new.read_bytes()]
    assert read_and_archive(config) == Archived(unchanged=2), "what was pruned is not copied again"
    assert prune(config, before=limit).removed == 0


def test_a_copy_that_a_young_journal_shares_is_not_pruned(tmp_path: Path) -> None:
    config = project(tmp_path)
    for name, mtime in (("old", 1_000_000_000), ("new", 1_900_000_000)):
        (tmp_path / "j" / f"{name}.jsonl").write_bytes(said("same words"))
        os.utime(tmp_path / "j" / f"{name}.jsonl", (mtime, mtime))
    read_and_archive(config)
    assert prune(config, before=datetime(2020, 1, 1, tzinfo=UTC)).removed == 0


def test_a_damaged_copy_is_named_and_nothing_of_it_is_restored(tmp_path: Path) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    read_and_archive(config)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    (copy,) = (tmp_path / ".kura" / "archive").glob("*.zst")
    for harm in (copy.read_bytes()[:-9], b"no archive at all", zstandard.compress(said("another"))):
        copy.write_bytes(harm)
        with pytest.raises(KuraError, match=r"\.zst: damaged.*take it from a backup"):
            restore(config, cfg, book, "mine", tmp_path / "out")
        assert list((tmp_path / "out").rglob("*.jsonl")) == []


def test_another_store_sees_no_copy_of_a_journal_it_did_not_read(tmp_path: Path) -> None:
    config, path = project(tmp_path), tmp_path / "j" / "a.jsonl"
    path.write_bytes(said("one"))
    read_and_archive(config)
    (tmp_path / "other").mkdir()
    raw = {"stores": {"maker": {"path": "store"}, "other": {"path": "other"}}}
    both = resolve(raw, tmp_path / "kura.toml")
    assert found(both, both.stores["other"], ledger(tmp_path)) == []
    assert len(found(both, both.stores["maker"], ledger(tmp_path))) == 1


def test_a_project_below_a_journal_root_is_never_read_as_journals(tmp_path: Path) -> None:
    """The archive, the ledger and the steps' files are not what was said, whatever the root's kind takes."""
    base = tmp_path / "store-elsewhere"
    base.mkdir()
    home = tmp_path / "work"
    home.mkdir()
    for kind in ("claude", "text", "codex"):
        raw = {
            "stores": {"maker": {"path": str(base)}},
            "distill": {"journals": {kind: "."}, "archive": True},
        }
        config = resolve(raw, home / "kura.toml")
        (home / "a.jsonl").write_bytes(said("one"))
        (home / "note.md").write_text("We decided to keep it.")
        for _ in range(3):
            read_and_archive(config)
        (home / ".kura" / "note.md").write_text("words in the project's own folder")
        book = ledger(home)
        seen = {Path(c.journal_key).name for c in book.claims.of_store("maker")}
        assert seen <= {"a.jsonl", "note.md"}
        row = next(r for r in survey(config.stores["maker"], book).files if r.path == str(home / ".kura"))
        assert row.to_json()["status"] == "store" and "project" in row.reason


def test_a_store_of_another_project_below_a_journal_root_is_never_read(tmp_path: Path) -> None:
    config = project(tmp_path)
    alien = tmp_path / "j" / "theirs"
    (alien / "_kura").mkdir(parents=True)
    (alien / "session.jsonl").write_bytes(said("a memory's words"))
    (tmp_path / "j" / "a.jsonl").write_bytes(said("one", "u2"))
    read_and_archive(config)
    book = ledger(tmp_path)
    assert {Path(c.journal_key).name for c in book.claims.of_store("maker")} == {"a.jsonl"}
    rows = survey(config.stores["maker"], book).files
    assert [(r.path, r.status) for r in rows if r.status != "ok"] == [(str(alien), "store")]
