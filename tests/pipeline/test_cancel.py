"""A run that is stopped while a model thinks: the call is dropped, nothing is recorded as its answer, the claim stays open."""

from __future__ import annotations

import signal
import subprocess
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kura_runtime.config.load import load
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.store import Store
from tests.pipeline.project import RULES, Project
from tests.pipeline.test_model import CANDIDATE, RULE, SURFACE
from tests.scripted_model import Cast, ScriptedModel, say, task_of

SECOND = {
    **CANDIDATE, "topic": "the archive's disk", "quotes": ["[USER] We decided to keep the archive on the slow disk"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("part", "slots", "how"),
    [("spot", 1, signal.SIGINT), ("compose", 2, signal.SIGINT), ("judge", 1, signal.SIGTERM)],
)
def test_a_run_stopped_in_the_middle_of_a_call_ends_without_its_answer(
    tmp_path: Path, part: str, slots: int, how: signal.Signals
) -> None:
    reached, never = threading.Event(), threading.Event()

    def hang(request: dict[str, Any]) -> Any:
        reply = cast(request)
        if task_of(request) == part and not never.is_set():
            reached.set()
            never.wait(120)
        return reply

    cast = Cast(
        spot=say([CANDIDATE, SECOND]),
        compose=SURFACE,
        judge={"slug": "harvester-nightly-backup", "verdict": "POUR"},
    )
    with ScriptedModel(hang, parallel=True) as model:
        project = Project(tmp_path / "p", extra=f"scribe_slots = {slots}\n")
        project.config.write_text(
            project.config.read_text().replace('editor = "extractive"', 'editor = "model"')
            + f'\n[models.thinker]\nurl = "{model.url}"\nmodel = "scripted"\n'
        )
        project.write_session((RULE, RULES[1]))
        Store.create(project.store, name="main")
        run = project.start("run")
        while not reached.wait(0.2):
            assert run.poll() is None, run.communicate()[1]
        run.send_signal(how)
        try:
            run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            run.kill()
            raise AssertionError("the run waited for the model") from None
        assert not never.is_set()
        with closing(Ledger.open(load(project.config).ledger_url)) as ledger:
            claims = ledger.claims.open("main")
            assert [(c.state in ("open", "evidence"), c.errors) for c in claims] == [(True, 0)]
            said = [call.params["prompt"].split()[0] for _, call in ledger.calls.walk() if not call.failure]
            assert part not in said, "a dropped call has no answer"
        never.set()
        asked = len(cast.asked)
        assert project.kura("run").returncode == 0
        if part == "compose":
            assert "spot" not in cast.asked[asked:], "what was answered before is replayed"
    assert "harvester-nightly-backup" in project.memories()
