"""Every file below a root is listed, with a status and a reason; nothing is opened that should not be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kura_pipeline.journals.discover import Discovery, discover
from kura_runtime.models.roles import OWN_MARK
from tests.journals.samples import SAMPLES, claude, line


def statuses(found: Discovery) -> dict[str, str]:
    return {f.path.name: f.status for f in found.files}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "projects"
    SAMPLES["claude"].write(folder)
    return folder


def test_a_root_lists_what_it_holds_newest_first(root: Path) -> None:
    old = root / "old.jsonl"
    old.write_bytes(SAMPLES["claude"].data)
    os.utime(old, (1000, 1000))
    found = discover({"claude": [root]})
    assert [f.path.name for f in found.readable] == ["session-one.jsonl", "old.jsonl"]
    assert found.problems == ()


def test_every_kind_of_bad_file_has_its_status_and_its_reason(root: Path) -> None:
    (root / "empty.jsonl").write_bytes(b"")
    (root / "garbage.jsonl").write_bytes(b"\x01\x02 what is this\n" * 10)
    (root / "pi.jsonl").write_bytes(SAMPLES["pi"].data)
    (root / "nul.jsonl").write_bytes(b"\x00" * 100)
    (root / "utf16.jsonl").write_bytes("{}".encode("utf-16"))
    (root / "picture.png").write_bytes(b"\x89PNG")
    os.mkfifo(root / "pipe.jsonl")
    own = line(claude("user", f"{OWN_MARK} read this", uuid="u"))
    (root / "own.jsonl").write_bytes(own)
    found = discover({"claude": [root]})
    assert statuses(found) == {
        "session-one.jsonl": "ok",
        "empty.jsonl": "empty",
        "garbage.jsonl": "unknown",
        "pi.jsonl": "mixed",
        "nul.jsonl": "unknown",
        "utf16.jsonl": "unknown",
        "picture.png": "other",
        "pipe.jsonl": "special",
        "own.jsonl": "own",
    }
    assert all(f.reason for f in found.files if f.status != "ok")
    assert "looks like pi" in next(f.reason for f in found.files if f.path.name == "pi.jsonl")
    assert "UTF-16" in next(f.reason for f in found.files if f.path.name == "utf16.jsonl")


def test_a_missing_root_a_file_as_root_and_an_unknown_kind_are_one_line_each_and_the_others_go_on(
    root: Path, tmp_path: Path
) -> None:
    file = tmp_path / "file.txt"
    file.write_text("x")
    found = discover({"claude": [tmp_path / "nope", file, root], "clade": [root]})
    assert [f.status for f in found.files] == ["ok"]
    assert len(found.problems) == 3
    assert f"{tmp_path / 'nope'}: no such folder" in found.problems[0]
    assert f"{file}: is a file, not a folder" in found.problems[1]
    assert '"clade" is no kind of journal; known: ' in found.problems[2]


def test_links_are_not_followed_out_of_a_root_and_not_read_twice_within_it(
    root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    SAMPLES["claude"].write(outside)
    inside = next(root.rglob("*.jsonl"))
    (root / "out.jsonl").symlink_to(next(outside.rglob("*.jsonl")))
    (root / "in.jsonl").symlink_to(inside)
    (root / "folder").symlink_to(outside)
    (root / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (root / "self.jsonl").symlink_to(root / "self.jsonl")
    (root / "up").symlink_to(root)
    found = discover({"claude": [root]})
    assert statuses(found) == {
        "session-one.jsonl": "ok",
        "out.jsonl": "link-out",
        "in.jsonl": "alias",
        "folder": "link-out",
        "gone.jsonl": "unreadable",
        "self.jsonl": "unreadable",
        "up": "alias",
    }


def test_a_hard_link_is_read_once(root: Path) -> None:
    os.link(next(root.rglob("*.jsonl")), root / "zz.jsonl")
    assert sorted(f.status for f in discover({"claude": [root]}).files) == ["alias", "ok"]


def test_a_file_in_two_roots_is_read_once(root: Path) -> None:
    found = discover({"claude": [root, root / "-home-dev-proj"]})
    assert sorted(f.status for f in found.files) == ["alias", "ok"]


def test_a_store_below_a_root_is_no_journal_under_any_name(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    SAMPLES["text"].write(notes)
    store = notes / "kura"
    store.mkdir()
    (store / "a-memory.md").write_text("the archive lives on the slow disk\n")
    os.link(store / "a-memory.md", notes / "copy.md")
    found = discover({"text": [notes]}, stores=[store])
    assert statuses(found) == {"2025-03-01-house.md": "ok", "kura": "store", "copy.md": "store"}


@pytest.mark.parametrize(
    "glob", ["*.jsonl", "session-one.*", "-home-dev-proj/*", "**/-home-dev-proj/**", "*/session-*.jsonl", "-home-dev-proj", "-home-dev-proj/", "-home*",
     "{root}/-home-dev-proj", "{root}/**", "{root}", "{root}/*/session-one.jsonl"],
)  # fmt: skip
def test_excluded_globs_match_path_name_and_place_below_the_root(root: Path, glob: str) -> None:
    found = discover({"claude": [root]}, exclude=[glob.format(root=root)])
    assert [f.status for f in found.files] == ["excluded"]
    assert found.idle_globs == ()


@pytest.mark.parametrize("glob", ["~/{name}", "~/{name}/**", "~/*/-home-dev-proj/"])
def test_the_home_is_known_in_an_excluded_glob(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, glob: str
) -> None:
    monkeypatch.setenv("HOME", str(root.parent))
    found = discover({"claude": [root]}, exclude=[glob.format(name=root.name)])
    assert [f.status for f in found.files] == ["excluded"]


@pytest.mark.parametrize("glob", ["*.jsonx", "session", "home-dev-proj", "/-home", "**/other/**", "", "/"])
def test_a_glob_that_means_no_file_is_said(root: Path, glob: str) -> None:
    found = discover({"claude": [root]}, exclude=[glob])
    assert [f.status for f in found.files] == ["ok"]
    assert found.idle_globs == (glob,)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_and_a_folder_without_permission_are_named(root: Path) -> None:
    closed = root / "closed.jsonl"
    closed.write_bytes(b"x")
    closed.chmod(0)
    (root / "locked").mkdir(mode=0)
    found = discover({"claude": [root]})
    assert statuses(found)["closed.jsonl"] == "unreadable"
    assert "locked: the folder cannot be listed" in found.problems[0]


def test_a_name_that_is_not_utf8_is_reported_and_not_a_traceback(root: Path) -> None:
    try:
        with open(os.fsencode(root) + b"/\xff.jsonl", "wb") as out:
            out.write(SAMPLES["claude"].data)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    found = discover({"claude": [root]})
    assert "\\xff.jsonl" in statuses(found)
    assert statuses(found)["\\xff.jsonl"] == "unreadable"
