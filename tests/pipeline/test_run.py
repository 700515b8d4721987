"""`kura run`: the whole job in process, exactly once, through crashes and reruns."""

from __future__ import annotations

import itertools
import random
import shutil
import time
from pathlib import Path

import pytest

from tests.pipeline.project import RULES, Project, session


def claims_of(project: Project) -> list[tuple[str, int, int, str]]:
    from kura_runtime.ledger.ledger import Ledger

    ledger = Ledger.open(f"sqlite:///{project.folder / '.kura' / 'ledger.db'}")
    try:
        return sorted((c.journal_key, c.start, c.end, c.state) for c in ledger.claims.of_store("main"))
    finally:
        ledger.close()


def assert_every_byte_claimed_once(project: Project, path: Path) -> None:
    spans = [(start, end) for key, start, end, _ in claims_of(project) if key == str(path)]
    assert spans[0][0] == 0 and spans[-1][1] == path.stat().st_size
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans)), "a gap or an overlap between claims"
    assert {state for *_, state in claims_of(project)} == {"done"}


def test_a_run_pours_memories_and_the_next_one_finds_nothing_to_do(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    first = project.kura("run")
    assert first.returncode == 0, first.stderr
    before = project.memories()
    assert len(before) >= 3
    second = project.kura("run")
    assert second.returncode == 2 and "nothing to do" in second.stdout
    assert project.memories() == before


def test_only_a_new_line_is_read(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    path = project.write_session()
    assert project.kura("run").returncode == 0
    size = path.stat().st_size
    grown = session(
        [
            *[("user", "x")] * len(RULES) * 2,
            ("user", "Always name the batch files after the day they were taken, in UTC."),
        ]
    )
    path.write_text(path.read_text(encoding="utf-8") + grown.splitlines(keepends=True)[-1], encoding="utf-8")
    assert project.kura("run").returncode == 0
    assert [(s, e) for k, s, e, _ in claims_of(project) if s >= size] == [(size, path.stat().st_size)]
    assert any(b"batch files" in text for text in project.memories().values())


def test_why_leads_from_every_memory_to_the_bytes_of_the_journal(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    assert project.kura("run").returncode == 0
    assert project.memories()
    for slug in project.memories():
        why = project.json("why", slug)
        assert why["manifest"] and why["quotes"]
        for quote in why["quotes"]:
            record = Path(quote["journal"]).read_bytes()[quote["byte_start"] : quote["byte_end"]].decode()
            assert quote["text"] in record


def test_a_batch_run_again_gives_byte_identical_drafts(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    assert project.kura("run").returncode == 0
    steps = project.folder / ".kura" / "storage" / "main"
    kept = {p.relative_to(steps): p.read_bytes() for p in steps.rglob("*.parquet")}
    memories = project.memories()
    batch = next((steps / "drafts").glob("*.parquet")).stem
    from kura_pipeline import home
    from kura_pipeline.definitions import build_defs
    from kura_runtime.config.load import load

    config = load(project.config)
    with home.instance(config) as instance:
        job = build_defs(config).resolve_job_def("distill__main")
        assert job.execute_in_process(instance=instance, partition_key=batch).success
    assert {
        p.relative_to(steps): p.read_bytes() for p in steps.rglob("*.parquet") if p.parent.name != "memories"
    } == {k: v for k, v in kept.items() if k.parent.name != "memories"}
    assert project.memories() == memories


@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_run_is_taken_up_again(tmp_path: Path, seed: int) -> None:
    kill_and_resume(tmp_path, random.Random(seed), kills=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_ten_killed_runs_are_taken_up_again(tmp_path: Path, seed: int) -> None:
    kill_and_resume(tmp_path, random.Random(100 + seed), kills=2)


def kill_and_resume(folder: Path, dice: random.Random, kills: int) -> None:
    calm = Project(folder / "calm")
    path = calm.write_session()
    whole = time.monotonic()
    assert calm.kura("run").returncode == 0
    whole = time.monotonic() - whole
    project = Project(folder / "p")
    path = project.write_session()
    for _ in range(kills):
        process = project.start("run")
        time.sleep(dice.uniform(0.2, 1.0) * whole)
        process.kill()
        process.communicate()
    resumed = project.kura("run")
    assert resumed.returncode in (0, 2), resumed.stderr  # 2: the kill came after the end
    assert_every_byte_claimed_once(project, path)
    assert set(project.memories()) == set(calm.memories())
    doctor = project.kura("doctor")
    assert doctor.returncode == 0, doctor.stdout
    assert not list(project.store.glob("*.tmp*")) and not list(project.store.glob("*.new"))


def test_two_runs_at_once_do_the_work_once(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    path = project.write_session()
    pair = [project.start("run"), project.start("run")]
    results = []
    for process in pair:
        _, errors = process.communicate(timeout=300)
        results.append((process.returncode, errors))
    assert any(code == 0 for code, _ in results), results
    for code, errors in results:
        assert code in (0, 2) or "another run is working" in errors, errors
    assert_every_byte_claimed_once(project, path)


def test_a_store_copied_elsewhere_keeps_answering(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    assert project.kura("run").returncode == 0
    shutil.rmtree(project.store / "_still")
    assert project.json("index")["memories"]
    assert project.kura("doctor").returncode in (0, 1)
