"""`kura drain`: the drafts that wait, judged alone; its exit codes, and what a kill leaves."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.pipeline.test_model import good_cast, with_model
from tests.scripted_model import ScriptedModel, status

POUR = {"slug": "harvester-nightly-backup", "verdict": "POUR"}


def test_a_drain_pours_what_waited_and_says_so_by_its_exit_code(tmp_path: Path) -> None:
    cast = good_cast(judge="hm, hard to say")
    with ScriptedModel(cast) as model:
        project = with_model(tmp_path / "p", model)
        assert project.kura("run").returncode == 0
        assert not project.memories()
        still = project.kura("drain")
        assert still.returncode == 1 and "SKIP" in still.stdout, (
            "the judge was asked anew, and said nothing again"
        )
        cast.set("judge", status(500))
        cast.asked.clear()
        out = project.kura("drain")
        assert out.returncode == 1 and "1 drafts wait, nothing is lost" in out.stderr
        cast.set("judge", POUR)
        cast.asked.clear()
        done = project.kura("drain", "-s", "main")
        assert done.returncode == 0, done.stderr
        assert cast.asked == ["judge"], "nothing but the judge is asked"
        assert set(project.memories()) == {"harvester-nightly-backup"}
        rest = project.kura("drain")
        assert (rest.returncode, rest.stdout.strip()) == (2, "main: no draft waits")


@pytest.mark.slow
def test_a_drain_that_is_killed_while_the_judge_thinks_loses_nothing(tmp_path: Path) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def thinking(_request: object) -> object:
        asked.set()
        go_on.wait(60)
        return POUR

    cast = good_cast(judge="hm")
    with ScriptedModel(cast) as model:
        project = with_model(tmp_path / "p", model)
        assert project.kura("run").returncode == 0
        cast.set("judge", thinking)
        process = project.start("drain")
        assert asked.wait(60)
        process.kill()
        process.wait(30)
        go_on.set()
        assert not project.memories()
        done = project.json("drain")
        assert [r["action"] for r in done[0]["drafts"]] == ["created"]
        assert set(project.memories()) == {"harvester-nightly-backup"}


@pytest.mark.slow
def test_a_pass_with_work_of_its_own_tries_waiting_drafts_first_and_one_without_costs_nothing(
    tmp_path: Path,
) -> None:
    cast = good_cast(judge="hm")
    with ScriptedModel(cast) as model:
        project = with_model(tmp_path / "p", model)
        assert project.kura("run").returncode == 0
        cast.set("judge", POUR)
        cast.asked.clear()
        project.kura("run")
        assert cast.asked == [], "a pass with nothing new does not pester the judge"
        cast.set("spot", "[]")
        project.write_session(("The weather was fine today.",), "bbbbbbbb-0000-4000-8000-000000000002")
        done = project.kura("run")
        assert done.returncode == 0, done.stderr
        assert cast.asked[0] == "judge"
        assert set(project.memories()) == {"harvester-nightly-backup"}
