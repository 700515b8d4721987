"""The idle sensor keeps copies of what it claims, as a run does."""

from __future__ import annotations

from pathlib import Path

import dagster as dg

from kura_pipeline.definitions import build_defs
from kura_runtime.config.load import load
from tests.journals.test_archive import copies
from tests.pipeline.project import Project
from tests.pipeline.test_definitions import age, tick


def test_what_the_idle_sensor_claims_is_archived_and_said(tmp_path: Path) -> None:
    project = Project(tmp_path / "p", "archive = true\nmin_drink = 0")
    path = project.write_session()
    age(path, 60)
    defs = build_defs(load(project.config))
    with dg.instance_for_test() as instance:
        done = tick(defs, instance, "idle__main")
        assert done.run_requests
        assert list(copies(project.folder).values()) == [path.read_bytes()]
        assert "archive: kept 1" in (done.cursor or "")
