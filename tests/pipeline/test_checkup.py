"""The doctor calls nothing healthy that is not: overwritten pages, damaged step files, a lost ledger, journals nobody can read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kura_runtime.cli.main import run
from tests.pipeline.project import Project


@pytest.fixture(scope="module")
def distilled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was run once."""
    project = Project(tmp_path_factory.mktemp("checkup") / "p")
    project.write_session()
    assert project.kura("run").returncode == 0
    return project.folder


@pytest.fixture
def project(distilled: Path, tmp_path: Path) -> Path:
    shutil.copytree(distilled, tmp_path / "p")
    return tmp_path / "p"


def doctor(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = run(["doctor", "--json", "-c", str(folder / "kura.toml")])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (code == 0) == report["healthy"] == (not report["findings"])
    return code, report


def finding(report: dict[str, Any], kind: str) -> dict[str, str]:
    found: list[dict[str, str]] = [f for f in report["findings"] if f["kind"] == kind]
    assert len(found) == 1, report["findings"]
    return found[0]


def test_a_store_that_was_distilled_is_healthy_and_its_step_files_are_counted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = doctor(project, capsys)
    assert code == 0, report["findings"]
    assert report["counts"]["step_files"] >= 4 and report["counts"]["step_files_damaged"] == 0


def test_a_signed_page_overwritten_by_plain_text_has_lost_its_signature(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = next(p for p in sorted((project / "store").glob("*.md")) if p.name != "MEMORY.md")
    page.write_text("just a text\n")
    found = finding(doctor(project, capsys)[1], "signature-lost")
    assert found["where"] == page.stem and "was distilled" in found["message"]
    index = project / "store" / "MEMORY.md"
    index.write_text("".join(x for x in index.read_text().splitlines(True) if f"({page.name})" not in x))
    assert finding(doctor(project, capsys)[1], "signature-lost")["where"] == page.stem, (
        "also where its index line went with it"
    )
    page.write_text("---\nname: x\ndescription: d\n---\nA text.\n")
    index.write_text(index.read_text() + f"- [x]({page.name}) — d\n")
    assert finding(doctor(project, capsys)[1], "signature-lost")["where"] == page.stem


@pytest.mark.parametrize("damage", ["cut", "emptied", "text"])
def test_damaged_step_files_are_named_and_counted(
    project: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = next((project / ".kura" / "storage" / "main" / "candidates").glob("*.parquet"))
    file.write_bytes({"cut": file.read_bytes()[:-30], "emptied": b"", "text": b"no parquet at all"}[damage])
    report = doctor(project, capsys)[1]
    assert str(file) == finding(report, "step-file-damaged")["where"]
    assert f"--refresh {file.stem}" in report["findings"][0]["message"]
    assert report["counts"]["step_files_damaged"] == 1
    if damage == "cut":  # the way out that is named is one
        assert run(["run", "--refresh", file.stem, "-c", str(project / "kura.toml")]) == 0
        capsys.readouterr()
        assert doctor(project, capsys)[0] == 0


def test_a_lost_ledger_is_named_with_what_it_means_and_is_not_made_by_looking(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(project / ".kura")
    for _ in range(2):
        message = finding(doctor(project, capsys)[1], "ledger-gone")["message"]
        assert "1 batches were poured" in message and "kura catchup -s main" in message
    assert not (project / ".kura").exists()


def test_a_deleted_workshop_is_named_and_rebuilt_by_a_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(project / "store" / "_still")
    assert "kura run" in finding(doctor(project, capsys)[1], "workshop-gone")["message"]
    assert run(["run", "-c", str(project / "kura.toml")]) == 0
    capsys.readouterr()
    assert doctor(project, capsys)[0] == 0


def test_roots_and_files_that_fail_every_run_are_named_with_the_way_out(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = project / "kura.toml"
    text = config.read_text()
    config.write_text(text + 'text = ["notes", "nowhere"]\n')
    (project / "notes" / "sub").mkdir(parents=True)
    (project / "notes" / "sub" / "bad[1].md").write_bytes(b"good line\n\xff\xfe\x00\xd8 broken \xff\n" * 3)
    report = doctor(project, capsys)[1]
    assert "nowhere" in finding(report, "journal-root")["message"]
    found = finding(report, "journal-unreadable")
    assert found["where"].endswith("bad[1].md")
    assert run(["run", "-c", str(config)]) == 1
    capsys.readouterr()
    pattern = json.loads(found["message"].split("exclude = ")[1].split(" under ")[0])
    assert pattern == ["sub/bad[[]1].md"]
    (project / "nowhere").mkdir()
    config.write_text(
        text.replace('editor = "extractive"', f'editor = "extractive"\nexclude = {json.dumps(pattern)}')
        + 'text = ["notes", "nowhere"]\n'
    )
    assert doctor(project, capsys)[0] == 0
    assert run(["run", "-c", str(config)]) in (0, 2)
    capsys.readouterr()


def test_nothing_to_do_says_which_last_line_is_not_finished(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(project / "kura.toml")
    run(["run", "-c", config])
    assert run(["run", "-c", config]) == 2
    assert capsys.readouterr().out.endswith("main: nothing to do\n")
    journal = next((project / "journals").rglob("*.jsonl"))
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"type": "user", "message": {"role": "user", "content": "half a li')
    assert run(["run", "-c", config]) == 2
    told = capsys.readouterr().out
    assert f"still unread: {journal}: its last line is not finished (66 bytes" in told
    assert run(["run", "--json", "-c", config]) == 2
    assert str(journal) in json.loads(capsys.readouterr().out)[0]["waiting"][0]
