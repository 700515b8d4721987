"""The budget through the real pipeline: it stops between two calls, loses nothing, says so, and goes on the next night."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kura_pipeline.budgets import held_tonight, spent_tonight
from kura_pipeline.runs import run_pass
from kura_pipeline.tick import tick_store
from kura_runtime.config.load import load
from kura_runtime.ledger.ledger import Ledger
from tests.pipeline.project import RULES, Project
from tests.pipeline.test_model import CANDIDATE, RULE, SURFACE
from tests.scripted_model import Cast, ScriptedModel

CALL = 110  # tokens of one scripted call


def cast() -> Cast:
    return Cast(
        spot=[CANDIDATE], compose=SURFACE, judge={"slug": "harvester-nightly-backup", "verdict": "POUR"}
    )  # type: ignore[arg-type]


def project_with(
    folder: Path, model: ScriptedModel, budget: str, sessions: int = 2, prices: str = ""
) -> Project:
    project = Project(folder, extra=f"[stores.main.budget]\n{budget}\n")
    project.config.write_text(
        project.config.read_text().replace('editor = "extractive"', 'editor = "model"')
        + f'\n[models.thinker]\nurl = "{model.url}"\nmodel = "scripted"\ntimeout = 20\nmax_tokens = 100\n{prices}\n'
    )
    for n in range(sessions):
        project.write_session((RULE, RULES[n]), f"{n}aaaaaaa-0000-4000-8000-000000000001")
    return project


def ledger_of(project: Project) -> closing[Ledger]:
    return closing(Ledger.open(load(project.config).ledger_url))


@pytest.mark.parametrize(
    ("budget", "prices", "named"),
    [
        ("tokens_per_run = 330", "", "tokens_per_run: 330 of 330"),
        ("tokens_per_night = 330", "", "tokens_per_night: 330 of 330"),
        (
            "money_per_night = 0.8",
            "input_price = 2000.0\noutput_price = 10000.0",
            "money_per_night: 0.9000 of 0.8",
        ),
    ],
)
def test_a_run_stops_at_its_limit_with_its_batches_open_and_says_why(
    tmp_path: Path, budget: str, prices: str, named: str
) -> None:
    with ScriptedModel(cast()) as model:
        project = project_with(tmp_path / "p", model, budget, prices=prices)
        done = project.kura("run", "--json")
        assert done.returncode == 0, "the map and the snapshot of the new store were built"
        assert named in done.stderr and "batches left open: 2" in done.stderr
        assert len(model.requests) == 3
        if "night" in budget:
            again = project.kura("run")
            assert (again.returncode, len(model.requests)) == (2, 3)
            assert named in again.stdout
    with ledger_of(project) as ledger:
        assert len(ledger.claims.open("main")) == 2
        assert all(claim.errors == 0 for claim in ledger.claims.open("main"))
        noted = ledger.batches.of_step("main", "stopped")
        assert [named in n["reason"] for n in noted.values()] == [True]
    assert named in project.kura("doctor").stdout


def test_the_run_of_a_spent_budget_is_cancelled_in_the_interface_and_not_failed(tmp_path: Path) -> None:
    from dagster import DagsterRunStatus

    from kura_pipeline import home

    with ScriptedModel(cast()) as model:
        project = project_with(tmp_path / "p", model, "tokens_per_run = 300", sessions=1)
        config = load(project.config)
        project.kura("init", "main", "--path", str(project.store))
        report = run_pass(config, config.stores["main"])
        assert report.stopped and not report.failed
    with home.instance(config) as instance:
        runs = [r for r in instance.get_runs() if r.job_name.startswith("distill")]
        assert [r.status for r in runs] == [DagsterRunStatus.CANCELED]
        said = " ".join(e.message for e in instance.all_logs(runs[0].run_id))
        assert "tokens_per_run" in said


def test_what_was_answered_before_the_stop_is_replayed_and_the_next_night_finishes(tmp_path: Path) -> None:
    with ScriptedModel(cast()) as model:
        project = project_with(tmp_path / "p", model, "tokens_per_night = 330")
        config = load(project.config)
        cfg = config.stores["main"]
        project.kura("init", "main", "--path", str(project.store))
        project.kura("run")
        sent = len(model.requests)
        now = datetime.now(UTC)
        with ledger_of(project) as ledger:
            assert "tokens_per_night" in spent_tonight(cfg, ledger, now)
            assert len(held_tonight(cfg, ledger, now)) == 1
            assert not spent_tonight(cfg, ledger, now + timedelta(days=1))
            assert not held_tonight(cfg, ledger, now + timedelta(days=1))
        skipped = tick_store(config, cfg, now=now + timedelta(hours=1), say=lambda _: None)
        if (now + timedelta(hours=1)).hour != 12:  # the night ends at noon, whenever this test is run
            assert "tokens_per_night" in skipped.skipped
            assert len(model.requests) == sent
        project.config.write_text(project.config.read_text().replace("tokens_per_night = 330", ""))
        assert project.kura("run").returncode == 0
        bodies = [str(r["messages"]) for r in model.requests]
        assert len(bodies) == len(set(bodies)), "nothing was asked twice"
    assert project.memories()
    with ledger_of(project) as ledger:
        assert not ledger.claims.open("main")
        assert not any(n["reason"] for n in ledger.batches.of_step("main", "stopped").values())
    assert "stopped" not in project.kura("doctor").stdout


def test_the_budget_binds_all_batches_of_one_kura_run_together(tmp_path: Path) -> None:
    with ScriptedModel(cast()) as model:
        project = project_with(tmp_path / "p", model, f"tokens_per_run = {6 * CALL}", sessions=4)
        done = project.kura("run")
        assert done.returncode == 0, done.stderr
        assert len(model.requests) == 6
        assert "stopped: [budget] tokens_per_run" in done.stdout


def test_a_store_without_models_knows_no_budget(tmp_path: Path) -> None:
    project = Project(tmp_path / "p", extra="[stores.main.budget]\ntokens_per_night = 1\n")
    project.write_session()
    assert project.kura("run").returncode == 0
