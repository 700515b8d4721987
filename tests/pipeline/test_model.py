"""The model editor through the real pipeline, against a scripted server on a socket: recorded, replayed, gated."""

from __future__ import annotations

from pathlib import Path

from tests.pipeline.project import Project
from tests.scripted_model import Cast, ScriptedModel, status

RULE = "Never restart the harvester while the nightly backup is running, it corrupts the index."
CANDIDATE = {
    "topic": "harvester and the nightly backup", "kind": "feedback", "why": "it corrupts the index",
    "quotes": [{"class": "USER", "text": "Never restart the harvester while the nightly backup is running"}],
    "tags": ["decision"], "callsigns": [],
}  # fmt: skip
INVENTED = {
    **CANDIDATE,
    "topic": "invented",
    "quotes": [{"class": "USER", "text": "Always restart the harvester twice a day"}],
}
SURFACE = {
    "slug": "harvester-nightly-backup", "title": "Harvester and the nightly backup",
    "trigger": "never restart the harvester while the nightly backup is running",
    "body": "Never restart the harvester while the nightly backup is running: it corrupts the index.",
    "belongs_because": "It guards the index.", "keep": "The rule.", "may_fade": "The moment.",
}  # fmt: skip
LYING = {
    **SURFACE,
    "body": "Never restart the harvester while the nightly backup is running; it failed 17 times.",
}


def with_model(folder: Path, model: ScriptedModel) -> Project:
    project = Project(folder)
    project.config.write_text(
        project.config.read_text().replace('editor = "extractive"', 'editor = "model"')
        + f'\n[models.thinker]\nurl = "{model.url}"\nmodel = "scripted"\ntimeout = 20\n'
    )
    project.write_session((RULE,))
    return project


def good_cast(**parts: object) -> Cast:
    return Cast(
        **{
            "spot": [CANDIDATE, INVENTED],
            "compose": SURFACE,
            "judge": {"slug": "harvester-nightly-backup", "verdict": "POUR"},
            **parts,
        }
    )  # type: ignore[arg-type]


def test_a_model_proposes_and_only_what_the_journal_holds_is_poured(tmp_path: Path) -> None:
    with ScriptedModel(good_cast()) as model:
        project = with_model(tmp_path / "p", model)
        done = project.kura("run")
    assert done.returncode == 0, done.stderr
    assert set(project.memories()) == {"harvester-nightly-backup"}
    why = project.json("why", "harvester-nightly-backup")
    assert [q["text"] for q in why["quotes"]] == [
        "Never restart the harvester while the nightly backup is running"
    ]
    assert why["calls"], "the model calls behind the memory are named"
    fell = project.json("dropped")
    assert [(r["stage"], r["reason"], r["topic"]) for r in fell] == [("gate", "not-found", "invented")]


def test_a_rerun_asks_the_model_nothing_and_refresh_asks_again(tmp_path: Path) -> None:
    cast = good_cast()
    with ScriptedModel(cast) as model:
        project = with_model(tmp_path / "p", model)
        assert project.kura("run").returncode == 0
        steps = project.folder / ".kura" / "storage" / "main"
        batch = next((steps / "drafts").glob("*.parquet")).stem
        drafts, asked = (steps / "drafts" / f"{batch}.parquet").read_bytes(), len(cast.asked)
        assert asked
        rerun = project.start_dagster("distill__main", batch)
        assert rerun.returncode == 0, rerun.stderr[-2000:]
        assert len(cast.asked) == asked, "a rerun replays the recorded answers"
        assert (steps / "drafts" / f"{batch}.parquet").read_bytes() == drafts
        again = project.kura("run", "--refresh", batch)
        assert again.returncode == 0, again.stderr
        assert len(cast.asked) > asked, "refresh asks the model again"


def test_a_number_without_evidence_never_reaches_the_store(tmp_path: Path) -> None:
    with ScriptedModel(good_cast(compose=LYING)) as model:
        project = with_model(tmp_path / "p", model)
        assert project.kura("run").returncode == 0
    assert not project.memories()
    assert ("floor", "number") in {(r["stage"], r["reason"]) for r in project.json("dropped")}


def test_an_outage_is_no_verdict_and_the_next_run_completes(tmp_path: Path) -> None:
    cast = good_cast(judge=status(500))
    with ScriptedModel(cast) as model:
        project = with_model(tmp_path / "p", model)
        failed = project.kura("run")
        assert failed.returncode == 1 and "failed" in failed.stderr
        assert not project.memories()
        spotted = cast.asked.count("spot")
        cast.set("judge", {"slug": "harvester-nightly-backup", "verdict": "POUR"})
        assert project.kura("run").returncode == 0
        assert cast.asked.count("spot") == spotted, "what was answered before the outage is not asked again"
    assert set(project.memories()) == {"harvester-nightly-backup"}
