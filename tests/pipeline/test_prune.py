"""`kura prune` over a real instance: what is old and finished goes, everything else stays."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from kura_pipeline import home
from kura_pipeline.names import batches_name
from kura_pipeline.pruning import Old, find_old, remove
from kura_runtime.cli.main import run
from kura_runtime.config.load import load
from kura_runtime.ledger.ledger import Ledger
from tests.pipeline.project import Project

NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project(tmp_path_factory.mktemp("prune") / "p", extra="keep_partitions_days = 100\n")
    made.write_session()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("KURA_CONFIG", "KURA_STORE", "DAGSTER_HOME"):
            patch.delenv(name, raising=False)
        assert run(["run", "-c", str(made.config)]) == 0
        made.write_session(
            ("Never prune the orchard before the frost has gone.",), "bbbbbbbb-0000-4000-8000-000000000001"
        )
        assert run(["run", "-c", str(made.config)]) == 0
    return made


def old(project: Project, later: timedelta, *, days: int = 90, take: bool = False) -> Old:
    config = load(project.config)
    with home.instance(config) as instance, closing(Ledger.open(config.ledger_url)) as ledger:
        found = find_old(instance, config, config.stores["main"], ledger, days=days, now=NOW + later)
        if take:
            remove(instance, config, found)
        return found


def test_nothing_young_is_old(project: Project) -> None:
    found = old(project, timedelta(days=1))
    assert not found.runs and not found.partitions and found.code == 2


def test_a_dry_run_names_and_leaves(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    config = load(project.config)
    with home.instance(config) as instance:
        before = instance.get_runs_count()
    assert run(["prune", "--dry-run", "-c", str(project.config)]) == 2
    assert "0 runs" in capsys.readouterr().out
    with home.instance(config) as instance:
        assert instance.get_runs_count() == before


def test_old_runs_go_with_their_events_and_the_last_good_one_of_each_job_stays(project: Project) -> None:
    config = load(project.config)
    before = {p: p.read_bytes() for p in project.folder.joinpath("store").rglob("*.md")}
    evidence = sorted(project.folder.rglob("evidence/*.parquet"))
    found = old(project, timedelta(days=95), take=True)
    assert len(found.runs) == 3 and dict(found.kept) == {"last-good-run": 3} and found.freed > 0
    assert not found.partitions, "they are kept longer than runs"
    with home.instance(config) as instance:
        assert len(instance.get_runs()) == 3
        for run_id in found.runs:
            assert not list((config.home / "dagster").rglob(f"{run_id}*"))
            assert not instance.all_logs(run_id)
        assert instance.get_latest_materialization_event(dg.AssetKey(["main", "snapshot"])) is not None
    assert old(project, timedelta(days=95)).runs == ()
    assert {p: p.read_bytes() for p in project.folder.joinpath("store").rglob("*.md")} == before
    assert sorted(project.folder.rglob("evidence/*.parquet")) == evidence


def test_the_partition_of_an_open_batch_stays_however_old(project: Project) -> None:
    config = load(project.config)
    with home.instance(config) as instance, closing(Ledger.open(config.ledger_url)) as ledger:
        names = sorted(instance.get_dynamic_partitions(batches_name("main")))
        assert len(names) == 2
        for _ in range(3):
            ledger.claims.failed(names[0], "an outage")
        state = ledger.claims.get(names[0])
        assert state is not None
    found = old(project, timedelta(days=101), take=True)
    gone = set(names) - ({names[0]} if state.state == "parked" else set())
    assert set(found.partitions) == gone
    with home.instance(config) as instance:
        assert set(instance.get_dynamic_partitions(batches_name("main"))) == set(names) - gone


def test_a_run_after_a_prune_finds_nothing_lost(project: Project) -> None:
    assert run(["run", "-c", str(project.config)]) in (1, 2)  # 1: the parked batch is still named
    assert run(["doctor", "-c", str(Path(project.config))]) in (0, 1)
