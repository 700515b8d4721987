"""A run can be bound to what was written since a date; what stands outside is counted and stays unread."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.pipeline.project import RULES, Project


def test_a_bound_run_counts_what_it_passes_over_and_an_unbound_one_reads_it(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    new = project.write_session(RULES[:2])
    old = project.write_session(RULES[2:], name="bbbbbbbb-0000-4000-8000-000000000001")
    os.utime(old, (1_700_000_000, 1_700_000_000))  # November 2023
    (report,) = project.json("run", "--since", "2024-01-01")
    assert report["skipped"] == {"older-than-window": 1} and len(report["batches"]) == 1
    rows = {r["path"]: r for r in project.json("journals")["files"]}
    assert (rows[str(new)]["unread"], rows[str(new)]["last_read"] is None) == (0, False)
    assert rows[str(old)]["unread"] > 0 and rows[str(old)]["last_read"] is None
    listed = project.json("journals")
    assert listed["older_than_window"] == {"journals": 1, "unread": rows[str(old)]["unread"]}
    (rest,) = project.json("run")
    assert rest["skipped"] == {} and len(rest["batches"]) == 1
    assert project.json("journals")["coverage"]["distilled"] == 2
    assert project.json("journals")["older_than_window"]["journals"] == 0


@pytest.mark.parametrize("bad", ["yesterday", "2024-13-01", "１"])
def test_a_bound_that_is_no_date_is_named(tmp_path: Path, bad: str) -> None:
    done = Project(tmp_path / "p").kura("run", "--since", bad)
    assert done.returncode == 64 and "--since" in done.stderr and "2025-03-01" in done.stderr


def test_the_journals_step_says_in_the_interface_what_lies_where(tmp_path: Path) -> None:
    """The metadata of a real materialisation."""
    from kura_pipeline import home
    from kura_pipeline.definitions import build_defs
    from kura_runtime.config.load import load

    project = Project(tmp_path / "p")
    project.write_session()
    old = project.write_session(RULES[2:], name="bbbbbbbb-0000-4000-8000-000000000001")
    os.utime(old, (1_700_000_000, 1_700_000_000))
    (project.journals / "odd.jsonl").write_bytes(b'{"what": "is this"}\n')
    assert project.kura("run", "--since", "2024-01-01").returncode == 1, (
        "the odd file is a failure, and named"
    )
    config = load(project.config)
    with home.instance(config) as instance:
        done = build_defs(config).resolve_job_def("observe__main").execute_in_process(instance=instance)
        (made,) = done.asset_materializations_for_node("main__journals")
    said = {k: v.value for k, v in made.metadata.items()}
    assert said["files"] == 3 and said["sessions"] == 2 and said["bytes"] > 0
    assert said["unread_characters"] == said["older_than_window_characters"] > 0
    assert said["coverage"] == "1 of 2 sessions distilled, 1 failed (1 unread)" and said["failed"] == 1
    assert "odd.jsonl" in said["failures"] and "unknown format" in said["failures"]
    assert said["older_than_window_journals"] == 1
