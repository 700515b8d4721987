"""The Dagster side: graphs load, the idle sensor claims in quiet hours, automation weaves when it is quiet."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from kura_pipeline.definitions import build_defs
from kura_runtime.config.load import load
from kura_runtime.ledger.ledger import Ledger
from tests.pipeline.project import Project

warnings.filterwarnings("ignore")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "p", extra="idle_min = 1\nmin_drink = 100\n")


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.instance_for_test() as opened:
        yield opened


def tick(
    defs: dg.Definitions, instance: dg.DagsterInstance, name: str = "idle__main", cursor: str | None = None
) -> Any:
    """One sensor tick, as the daemon evaluates it. `build_sensor_context` cannot validate partitions added in the tick."""
    with dg.SensorEvaluationContext(
        instance_ref=instance.get_ref(), last_tick_completion_time=None, last_run_key=None, cursor=cursor, log_key=None,
        repository_name=None, repository_def=defs.get_repository_def(), sensor_name=name,
    ) as context:  # fmt: skip
        return defs.resolve_sensor_def(name).evaluate_tick(context)


def age(path: Path, minutes: float) -> None:
    at = time.time() - minutes * 60
    os.utime(path, (at, at))


def test_every_store_becomes_one_graph_of_its_own(tmp_path: Path) -> None:
    config = tmp_path / "kura.toml"
    config.write_text('[stores.maker]\npath = "a"\n[stores.e-q]\npath = "b"\n', encoding="utf-8")
    defs = build_defs(load(config))
    dg.Definitions.validate_loadable(defs)
    steps = {"journals", "evidence", "candidates", "gated", "drafts", "memories", "woven", "snapshot"}
    keys = {tuple(k.path) for k in defs.resolve_asset_graph().get_all_asset_keys()}
    assert keys == {(store, step) for store in ("maker", "e-q") for step in steps}
    checks = {(c.asset_key.path[0], c.name) for c in defs.resolve_asset_graph().asset_check_keys}
    assert {("maker", "gate_holds"), ("maker", "no_line_lost"), ("e-q", "gate_holds")} <= checks


def test_a_broken_kura_toml_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "kura.toml"
    config.write_text("[stores.maker]\npaht = 1\n", encoding="utf-8")
    monkeypatch.setenv("KURA_CONFIG", str(config))
    import kura_pipeline.definitions as module
    from kura_runtime.errors import ConfigError

    with pytest.raises(ConfigError, match="paht"):
        module.defs()


def test_the_workspace_file_loads_in_dagster_itself(project: Project) -> None:
    workspace = Path(__file__).resolve().parents[2] / "workspace.yaml"
    done = subprocess.run(
        [sys.executable, "-m", "dagster", "definitions", "validate", "-w", str(workspace)], text=True, capture_output=True,
        cwd=project.folder, env={**project.env, "KURA_CONFIG": str(project.config)}, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_an_active_journal_is_left_alone_and_the_skip_says_so(
    project: Project, instance: dg.DagsterInstance
) -> None:
    project.write_session()
    result = tick(build_defs(load(project.config)), instance)
    assert not result.run_requests and "active" in result.skip_message


def test_a_quiet_journal_is_claimed_and_one_run_a_batch_is_requested(
    project: Project, instance: dg.DagsterInstance
) -> None:
    age(project.write_session(), 5)
    defs = build_defs(load(project.config))
    result = tick(defs, instance)
    assert len(result.run_requests) == 1
    request = result.run_requests[0]
    assert request.run_key == f"{request.partition_key}#0"
    assert result.dynamic_partitions_requests[0].partition_keys == [request.partition_key]
    assert request.tags["kura/store"] == "main"


def test_a_tick_lost_to_a_crash_is_asked_for_again_with_the_same_keys(
    project: Project, instance: dg.DagsterInstance
) -> None:
    age(project.write_session(), 5)
    defs = build_defs(load(project.config))
    first, second = tick(defs, instance), tick(defs, instance)  # nothing of the first one reached the daemon
    assert [r.run_key for r in first.run_requests] == [r.run_key for r in second.run_requests]


def test_a_requested_run_distils_the_batch_and_the_next_tick_has_nothing_to_do(
    project: Project, instance: dg.DagsterInstance
) -> None:
    age(project.write_session(), 5)
    defs = build_defs(load(project.config))
    batch = tick(defs, instance).run_requests[0].partition_key
    instance.add_dynamic_partitions("batches__main", [batch])
    assert (
        defs.resolve_job_def("distill__main")
        .execute_in_process(partition_key=batch, instance=instance)
        .success
    )
    assert project.memories()
    result = tick(defs, instance)
    assert not result.run_requests and "nothing is unread" in result.skip_message


def test_a_parked_batch_is_not_requested_and_the_skip_names_it(
    project: Project, instance: dg.DagsterInstance
) -> None:
    age(project.write_session(), 5)
    config = load(project.config)
    defs = build_defs(config)
    batch = tick(defs, instance).run_requests[0].partition_key
    ledger = Ledger.open(config.ledger_url)
    for n in range(3):
        ledger.claims.failed(batch, f"error {n}")
    ledger.close()
    result = tick(defs, instance)
    assert not result.run_requests and "1 batches are parked" in result.skip_message
    doctor = project.kura("doctor")
    assert doctor.returncode == 1 and batch in doctor.stdout and "error 2" in doctor.stdout


def test_too_little_unread_text_waits(project: Project, instance: dg.DagsterInstance) -> None:
    project.config.write_text(project.config.read_text().replace("min_drink = 100", "min_drink = 1000000"))
    age(project.write_session(), 5)
    result = tick(build_defs(load(project.config)), instance)
    assert not result.run_requests and "worth a batch" in result.skip_message


def test_little_unread_text_is_read_once_it_is_old(project: Project, instance: dg.DagsterInstance) -> None:
    project.config.write_text(
        project.config.read_text().replace("min_drink = 100", "min_drink = 1000000\nflush_max_h = 1")
    )
    age(project.write_session(), 120)
    assert len(tick(build_defs(load(project.config)), instance).run_requests) == 1


def test_weaving_waits_for_running_batches_and_is_not_blocked_by_a_claimed_one(
    project: Project, instance: dg.DagsterInstance
) -> None:
    age(project.write_session(), 5)
    defs = build_defs(load(project.config))
    batch = tick(defs, instance).run_requests[0].partition_key
    instance.add_dynamic_partitions(
        "batches__main", [batch, "20260101T000000-deadbeef"]
    )  # the second is never poured
    before = dg.evaluate_automation_conditions(defs=defs, instance=instance)
    assert (
        defs.resolve_job_def("distill__main")
        .execute_in_process(partition_key=batch, instance=instance)
        .success
    )
    after = dg.evaluate_automation_conditions(defs=defs, instance=instance, cursor=before.cursor)
    assert after.get_num_requested(dg.AssetKey(["main", "woven"])) == 1
    quiet = dg.evaluate_automation_conditions(defs=defs, instance=instance, cursor=after.cursor)
    assert quiet.get_num_requested(dg.AssetKey(["main", "woven"])) == 0


def test_the_shipped_dagster_files_say_the_same_as_the_checkouts() -> None:
    root = Path(__file__).resolve().parents[2]
    own = (root / "dagster.yaml").read_text()
    shipped = (root / "kura_pipeline" / "home" / "dagster.yaml").read_text()
    assert own[own.index("telemetry:") :] == shipped[shipped.index("telemetry:") :]
    assert (root / "workspace.yaml").read_text() == (
        root / "kura_pipeline" / "home" / "workspace.yaml"
    ).read_text()
