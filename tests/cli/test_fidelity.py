"""What older notes print works as printed: read out of a list, and run."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from kura_runtime.cli.main import run
from tests.cli.process import COMMAND, environment
from tests.pipeline.project import Project

LINES = [
    tuple(part.strip() for part in line.split("|"))
    for line in (Path(__file__).parents[1] / "fidelity.txt").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]
WORKS = [(kind, what, int(state.split()[1])) for kind, what, state in LINES if state.startswith("works")]
STAYS = [what for _, what, state in LINES if state == "stays"]
LATER = [what for _, what, state in LINES if state.startswith("later")]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("fidelity") / "p")
    made.write_session()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("KURA_CONFIG", "KURA_STORE"):
            patch.delenv(name, raising=False)
        assert run(["run", "-c", str(made.config)]) == 0
    return made


@pytest.fixture
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("KURA_CONFIG", "KURA_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project.folder)
    return project


@pytest.mark.parametrize(("kind", "what", "code"), WORKS, ids=[w for _, w, _ in WORKS])
def test_a_printed_line_works_as_printed(
    kind: str,
    what: str,
    code: int,
    here: Project,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if kind == "fresh":
        monkeypatch.chdir(tmp_path)
    words = shlex.split(what.format(project=here.folder, folder=tmp_path))
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        monkeypatch.setenv(name, value)
    assert words[0] == "kura"
    assert run(words[1:]) == code, capsys.readouterr().err


@pytest.mark.parametrize("what", STAYS)
def test_a_line_that_stays_resident_ends_cleanly_on_a_signal(what: str, here: Project) -> None:
    child = subprocess.Popen(
        [*COMMAND, *shlex.split(what)[1:]], cwd=here.folder, env=environment(KURA_CONFIG=str(here.config)),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        first = os.read(child.stderr.fileno(), 1)  # type: ignore[union-attr]  # it said something: it is up
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert first and child.returncode in (0, 2, 143, -signal.SIGTERM), errors
    assert "Traceback" not in errors, errors


@pytest.mark.parametrize("what", LATER)
def test_what_does_not_work_yet_is_refused_and_not_misread(
    what: str, here: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(shlex.split(what)[1:]) == 64, "it works now: say so in tests/fidelity.txt"
    capsys.readouterr()
