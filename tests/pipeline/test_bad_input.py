"""Bad journals and folders: one clear line each, the right exit code, and nothing lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.pipeline.project import RULES, Project


def lines_about(text: str, word: str) -> list[str]:
    return [line for line in text.splitlines() if word in line]


def test_a_missing_root_is_named_and_the_other_roots_are_read(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    project.config.write_text(
        project.config.read_text().replace('claude = "journals"', 'claude = ["journals", "gone"]')
    )
    done = project.kura("run")
    assert done.returncode == 1
    assert lines_about(done.stderr, "gone")
    assert project.memories(), "the root that is there was read"


def test_a_root_that_is_a_file_is_named(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    (tmp_path / "p" / "afile").write_text("x")
    project.config.write_text(project.config.read_text().replace('claude = "journals"', 'claude = "afile"'))
    done = project.kura("run")
    assert done.returncode == 1 and lines_about(done.stderr, "afile")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("binary.jsonl", bytes(range(256)) * 64),
        ("words.jsonl", b"this is no json at all\n" * 10),
        ("utf16.jsonl", '{"type":"user"}\n'.encode("utf-16")),
    ],
)
def test_an_unreadable_journal_is_named_and_the_others_are_read(
    tmp_path: Path, name: str, content: bytes
) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    (project.journals / "proj" / name).write_bytes(content)
    done = project.kura("run")
    assert done.returncode == 1
    assert lines_about(done.stderr, name)
    assert "Traceback" not in done.stderr
    assert project.memories()


def test_a_folder_named_like_a_journal_and_an_empty_journal_harm_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    (project.journals / "proj" / "folder.jsonl").mkdir()
    (project.journals / "proj" / "empty.jsonl").touch()
    done = project.kura("run")
    assert done.returncode in (0, 1) and "Traceback" not in done.stderr
    assert project.memories()
    rows = project.json("journals")["files"]
    assert any(r["path"].endswith("empty.jsonl") for r in rows)


def test_invalid_utf8_and_a_truncated_last_line(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    path = project.write_session()
    whole = path.read_bytes()
    broken = whole.replace(b"Understood", b"Under\xffstood", 1)
    path.write_bytes(broken + b'{"type":"user","uuid":"half')
    done = project.kura("run")
    assert done.returncode == 0, done.stderr
    path.write_bytes(broken + whole.splitlines(keepends=True)[0].replace(b"000000000000", b"000000000777"))
    assert project.kura("run").returncode in (0, 2)


def test_an_unknown_store_is_a_usage_error(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    done = project.kura("run", "-s", "mian")
    assert done.returncode == 64 and '"mian"' in done.stderr and "main" in done.stderr


def test_a_mistyped_option_is_a_usage_error_not_nothing_to_do(tmp_path: Path) -> None:
    done = Project(tmp_path / "p").kura("run", "--untill", "drafts")
    assert done.returncode == 64 and "Traceback" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root ignores folder modes")
def test_a_read_only_store_is_one_clear_line_and_nothing_is_lost(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    assert project.kura("run", "--until", "evidence").returncode == 0
    frozen = project.store
    if os.geteuid() == 0:  # root writes anywhere: a file where the folder of drafts must be says the same
        shutil.rmtree(frozen / "_still", ignore_errors=True)
        (frozen / "_still").write_text("in the way")
    else:
        frozen.chmod(0o500)
    try:
        done = project.kura("run")
        assert done.returncode == 1
        assert lines_about(done.stderr, str(frozen)), done.stderr
        assert "Traceback" not in done.stderr
    finally:
        if os.geteuid() == 0:
            (frozen / "_still").unlink()
        else:
            frozen.chmod(0o700)
    assert project.kura("run").returncode == 0
    assert len(project.memories()) >= 3, f"all of {len(RULES)} rules were read once the folder was writable"


def test_a_damaged_parquet_file_is_named_with_the_way_out(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    assert project.kura("run", "--until", "gated").returncode == 0
    damaged = next((project.folder / ".kura" / "storage" / "main" / "gated").glob("*.parquet"))
    damaged.write_bytes(b"garbage")
    done = project.kura("dropped")
    assert done.returncode == 1 and str(damaged) in done.stderr and "re-run the step" in done.stderr
    assert project.kura("run").returncode == 0, "the gate is run again over the stored evidence"
    assert project.memories()
