"""`kura demo`: the whole job once, and what a person does next with its store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def kura(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in ("KURA_CONFIG", "KURA_STORE", "DAGSTER_HOME")}
    code = "from kura_runtime.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        text=True,
        capture_output=True,
        timeout=300,
        env=env,
        check=False,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    folder = tmp_path_factory.mktemp("demo") / "d"
    done = kura("demo", "--dir", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_memories_with_evidence_and_three_honest_answers(demo: tuple[Path, dict[str, object]]) -> None:
    folder, said = demo
    memories, answers = said["memories"], said["answers"]
    assert isinstance(memories, list) and isinstance(answers, list)
    assert len(memories) >= 8 and all(m["quotes"] >= 1 for m in memories)
    assert [bool(a["picked"]) for a in answers] == [True, False, False]
    assert said["store"] == str(folder / "store")


def test_a_folder_with_something_in_it_is_not_written_to(demo: tuple[Path, dict[str, object]]) -> None:
    again = kura("demo", "--dir", str(demo[0]))
    assert again.returncode == 64 and "not empty" in again.stderr


def test_a_conflict_waits_for_a_person_and_the_ruling_retires_one_side(
    demo: tuple[Path, dict[str, object]],
) -> None:
    config = ["-c", str(demo[0] / "kura.toml")]
    waiting = json.loads(kura("proposals", "list", *config, "--json").stdout)
    assert len(waiting) == 1
    shown = kura("proposals", "show", waiting[0]["id"], *config)
    assert shown.returncode == 0 and "SQLite" in shown.stdout
    assert kura("proposals", "rule", waiting[0]["id"], "--keep", "new", *config).returncode == 0
    states = {m["slug"]: m["state"] for m in json.loads(kura("index", *config, "--json").stdout)["memories"]}
    assert states[waiting[0]["old"]["slug"]] == "retired" and states[waiting[0]["new"]["slug"]] == "active"
    assert kura("proposals", "list", *config).returncode == 2
    assert kura("doctor", *config).returncode == 0


def test_raw_journals_are_searched_in_any_script(demo: tuple[Path, dict[str, object]]) -> None:
    config = ["-c", str(demo[0] / "kura.toml")]
    assert "家族" in kura("search", "家族", *config).stdout
    assert kura("search", "zeppelinfahrt", *config).returncode == 2
