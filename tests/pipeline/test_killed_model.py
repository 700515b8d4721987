"""The model server is killed in the middle of its work, with SIGKILL: the next run completes, nothing is asked twice and nothing is
lost. The server is a process of its own; it writes down what it answered."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from kura_pipeline.draining import drain_store
from kura_pipeline.runs import PassReport, run_pass
from kura_runtime.config.load import load
from kura_runtime.errors import ModelUnavailable
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.store import Store
from tests.models.llama import free_port
from tests.pipeline.project import RULES, Project
from tests.pipeline.test_model import CANDIDATE, RULE, SURFACE
from tests.scripted_model import Cast, Reply, ScriptedModel, task_of

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = {
    **CANDIDATE, "topic": "the archive's disk", "quotes": ["[USER] We decided to keep the archive on the slow disk"],
}  # fmt: skip
ARCHIVE_SURFACE = {
    **SURFACE, "slug": "archive-slow-disk", "title": "The archive is on the slow disk",
    "trigger": "archive: on the slow disk", "body": "We decided to keep the archive on the slow disk.",
}  # fmt: skip
SLUGS = {"harvester-nightly-backup", "archive-slow-disk"}


def serve(port: int, log: str, hang_part: str, hang_at: int, judge: str) -> None:
    """The child: answers well, but hangs for ever in the n-th request of one part."""
    count: Counter[str] = Counter()
    lock = threading.Lock()

    def shown(request: dict[str, Any]) -> str:
        return str(request["messages"][-1]["content"])

    def write(word: str, request: dict[str, Any]) -> None:
        with lock, Path(log).open("a", encoding="utf-8") as out:
            out.write(json.dumps([word, task_of(request), json.dumps(request, sort_keys=True)]) + "\n")

    cast = Cast(
        spot=[CANDIDATE, ARCHIVE],
        compose=lambda r: SURFACE if "harvester" in shown(r).split("</item-")[0] else ARCHIVE_SURFACE,
        judge=lambda r: {"slug": next(s for s in SLUGS if f"slug: {s}" in shown(r)), "verdict": judge},
    )  # type: ignore[arg-type]

    def script(request: dict[str, Any]) -> Reply:
        with lock:
            count[task_of(request)] += 1
            here = count[task_of(request)]
        if (task_of(request), here) == (hang_part, hang_at):
            write("hang", request)
            time.sleep(600)
        reply = cast(request)
        write("answered", request)
        return reply

    with ScriptedModel(script, parallel=True, port=port):
        write("up", {"messages": [{"content": ""}]})
        time.sleep(600)


@contextmanager
def server(port: int, log: Path, *, hang: tuple[str, int] = ("", 0), judge: str = "POUR"):
    code = "import sys, json; from tests.pipeline.test_killed_model import serve; serve(*json.loads(sys.argv[1]))"
    lines = len(log.read_text().splitlines()) if log.exists() else 0
    child = subprocess.Popen(
        [sys.executable, "-c", code, json.dumps([port, str(log), *hang, judge])], cwd=ROOT
    )
    try:
        until(lambda: any(w == "up" for w, _, _ in written(log)[lines:]) or child.poll() is not None)
        assert child.poll() is None, "the server did not start"
        yield child
    finally:
        child.kill()
        child.wait()


def written(log: Path) -> list[list[str]]:
    return [json.loads(x) for x in log.read_text().splitlines()] if log.exists() else []


def until(true: Any) -> None:
    for _ in range(1200):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it never came to that")


def kill_when_hanging(child: subprocess.Popen[bytes], log: Path) -> threading.Thread:
    def wait_and_kill() -> None:
        until(lambda: any(w == "hang" for w, _, _ in written(log)))
        child.send_signal(signal.SIGKILL)

    thread = threading.Thread(target=wait_and_kill, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(("part", "at"), [("spot", 1), ("compose", 2), ("judge", 2), ("drain", 2)])
def test_a_killed_model_server_costs_no_call_twice_and_loses_nothing(
    tmp_path: Path, part: str, at: int
) -> None:
    port, log = free_port(), tmp_path / "log.jsonl"
    project = Project(tmp_path / "p")
    project.config.write_text(
        project.config.read_text().replace('editor = "extractive"', 'editor = "model"')
        + f'\n[models.thinker]\nurl = "http://127.0.0.1:{port}/v1"\nmodel = "scripted"\ntimeout = 300\n'
    )
    project.write_session((RULE, RULES[1]))
    store = Store.create(project.store, name="main")
    config = load(project.config)
    cfg = config.stores["main"]

    def work() -> PassReport:
        return run_pass(config, cfg)

    if part == "drain":
        with server(port, log, judge="PERHAPS"):
            assert work().code == 0
        assert len(store.drafts()) == 2, "no verdict: both wait"

        def drained() -> None:
            with closing(Ledger.open(config.ledger_url)) as ledger:
                drain_store(cfg, ledger, Store.open(project.store, name="main"), run_id="drain")

        with server(port, log, hang=("judge", at)) as child:
            kill_when_hanging(child, log)
            with pytest.raises(ModelUnavailable):
                drained()
        assert len(store.drafts()) == 1, "the one that was judged is poured, the other waits"
        with server(port, log):
            drained()
    else:
        with server(port, log, hang=(part, at)) as child:
            kill_when_hanging(child, log)
            report = work()
            assert report.code == 1 and "unreachable" in str(report.failed)
        with server(port, log):
            assert work().code == 0
    assert set(project.memories()) == SLUGS
    assert not Store.open(project.store, name="main").drafts()
    asked = Counter(body for word, _, body in written(log) if word == "answered")
    allowed = 2 if part == "drain" else 1  # a judge that gave no verdict is asked again, and that once
    assert max(asked.values()) <= allowed
    with closing(Ledger.open(config.ledger_url)) as ledger:
        answered = Counter(c.key for _, c in ledger.calls.walk() if not c.failure)
        assert max(answered.values()) <= allowed
        failed = [c.failure for _, c in ledger.calls.walk() if c.failure]
        assert failed == ["unreachable"], "the call that was cut off is recorded as what it was"
        assert not ledger.claims.open("main")
