"""What is damaged, missing or misplaced is either mended by the next command or named with a way out that works."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from kura_runtime.cli.main import run
from tests.pipeline.project import Project as Files


@dataclass
class Done:
    """What one command line ended with, as of a process of its own."""

    returncode: int
    stdout: str
    stderr: str


class Project(Files):
    """The same project, with the commands run in this process: what is tested here is what they say and leave."""

    capsys: pytest.CaptureFixture[str]

    def kura(self, *arguments: str) -> Done:  # type: ignore[override]
        code = run([*arguments, "-c", str(self.config)])
        return Done(code, *self.capsys.readouterr())


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("KURA_CONFIG", "KURA_STORE", "DAGSTER_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Project, "capsys", capsys, raising=False)


def evidence_of(project: Project) -> list[Path]:
    return sorted((project.folder / ".kura" / "storage" / "main" / "evidence").glob("*.parquet"))


# --- evidence -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["garbage", "gone"])
def test_refresh_reads_damaged_evidence_again_from_the_claimed_stretch(tmp_path: Path, fault: str) -> None:
    project = Project(tmp_path / "p")
    journal = project.write_session()
    assert project.kura("run").returncode == 0
    memories = project.memories()
    (path,) = evidence_of(project)
    whole = path.read_bytes()
    journal.write_text(
        journal.read_text(encoding="utf-8") + "\n", encoding="utf-8"
    )  # what came later is no part of it
    path.write_bytes(b"garbage") if fault == "garbage" else path.unlink()
    done = project.kura("run", "--refresh", path.stem)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == whole and "the same as before" in done.stderr
    assert project.memories() == memories


def test_an_open_batch_with_damaged_evidence_is_mended_by_the_next_run(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    assert project.kura("run", "--until", "evidence").returncode == 0
    (path,) = evidence_of(project)
    path.write_bytes(b"garbage")
    done = project.kura("run")
    assert done.returncode == 0 and "damaged" in done.stderr, done.stderr
    assert project.memories()


def test_damaged_evidence_of_a_rewritten_journal_is_never_replaced_by_other_words(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    journal = project.write_session()
    assert project.kura("run").returncode == 0
    memories = project.memories()
    (path,) = evidence_of(project)
    path.write_bytes(b"garbage")
    journal.write_text(
        journal.read_text(encoding="utf-8").replace("Never restart", "Always reboot"), encoding="utf-8"
    )
    done = project.kura("run", "--refresh", path.stem)
    assert done.returncode == 1 and path.read_bytes() == b"garbage"
    (line,) = [x for x in done.stderr.splitlines() if path.stem in x and "damaged" in x]
    assert str(journal) in line and "put the file or the journal back" in line
    assert project.memories() == memories


def test_a_batch_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    done = Project(tmp_path / "p").kura("run", "--refresh", "20200101T000000-00000000")
    assert done.returncode == 64 and "--refresh" in done.stderr


def test_failure_lines_hold_the_message_and_no_class(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    assert project.kura("run", "--until", "gated").returncode == 0
    for step in ("candidates", "gated"):
        for path in (project.folder / ".kura" / "storage" / "main" / step).glob("*.parquet"):
            path.unlink()
            path.mkdir()
    done = project.kura("run")
    assert done.returncode == 1
    failed = [line for line in done.stderr.splitlines() if "failed:" in line]
    assert failed and not any(re.search(r"\w+Error\b|kura_\w+\.|Errno", line) for line in failed), failed


# --- a store that is not there ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["run", "tick", "catchup"])
@pytest.mark.parametrize("there", [True, False])
def test_no_command_makes_a_store_where_there_is_none(tmp_path: Path, command: str, there: bool) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    shutil.rmtree(project.store)
    if there:
        project.store.mkdir()  # such as where a disk was to be mounted
    done = project.kura(command)
    assert done.returncode == 64, done.stderr
    assert str(project.store) in done.stderr and "`kura init main`" in done.stderr
    assert not (list(project.store.iterdir()) if there else project.store.exists())
    assert project.kura("init", "main").returncode == 0
    if command == "run" and there:
        assert project.kura("run").returncode == 0 and project.memories()


def test_one_store_that_is_missing_does_not_keep_the_others_waiting(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    project.config.write_text('[stores.absent]\npath = "absent"\n' + project.config.read_text())
    done = project.kura("run")
    assert done.returncode == 64 and "absent" in done.stderr and project.memories()
    assert json.loads(project.kura("run", "--json").stdout)[0]["error"]


def test_init_of_a_store_that_is_there_or_elsewhere_is_refused(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    again = project.kura("init", "main")
    assert again.returncode == 64 and "there already" in again.stderr
    elsewhere = project.kura("init", "main", "--path", str(tmp_path / "other"))
    assert elsewhere.returncode == 64 and str(project.store) in elsewhere.stderr
    assert not (tmp_path / "other").exists()


# --- a file that is no journal ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["photos [old]/scan: 1.md", "写真/図.md"])
def test_a_file_that_is_no_journal_fails_every_run_until_it_is_excluded(tmp_path: Path, name: str) -> None:
    project = Project(tmp_path / "p")
    notes = project.folder / "notes"
    (notes / name).parent.mkdir(parents=True)
    (notes / name).write_bytes(bytes(range(256)) * 64)
    (notes / "day.md").write_text(
        "We decided that the harvest ledger is closed on the last day of every month.\n"
    )
    project.config.write_text(project.config.read_text() + 'text = "notes"\n')
    done = project.kura("run")
    assert done.returncode == 1 and project.memories()
    assert project.kura("run").returncode == 1
    way_out = re.search(r"under \[stores\.main\.distill\].*(exclude = \[.*\])", done.stderr)
    assert way_out, done.stderr
    project.config.write_text(
        project.config.read_text().replace(
            "[stores.main.distill]\n", f"[stores.main.distill]\n{way_out[1]}\n"
        )
    )
    after = project.kura("run")
    assert after.returncode == 2 and "not read" not in after.stderr, after.stderr
    rows = {Path(r["path"]).name: r["status"] for r in project.json("journals")["files"]}
    assert rows[Path(name).name] == "excluded"


def test_a_missing_root_names_its_key(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.config.write_text(project.config.read_text().replace('claude = "journals"', 'claude = "gone"'))
    done = project.kura("run")
    assert done.returncode == 1 and "exclude" not in done.stderr
    assert re.search(r"journals\] claude = \S+gone: no such folder; create it or take it out", done.stderr), (
        done.stderr
    )
