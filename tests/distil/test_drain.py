"""Draining: the waiting drafts before the judge, beside other drains, through outages and kill -9."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import threading
from contextlib import closing
from pathlib import Path

import pytest

from kura_pipeline.distil.llm import LlmEditor
from kura_pipeline.distil.pouring import drain
from kura_pipeline.distil.turns import turn
from kura_runtime.errors import ModelUnavailable
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.models.calls import RecordingRole
from kura_runtime.models.endpoint import ChatEndpoint
from kura_runtime.store import disk
from kura_runtime.store.store import Store
from tests.distil.material import ARCHIVE, POUR, brief
from tests.distil.test_steps import by_topic, good_cast
from tests.distil.workshop import workshop
from tests.scripted_model import say, status

FORK = multiprocessing.get_context("fork")


def test_a_draft_that_another_drain_is_judging_is_left_to_it_and_costs_no_call(tmp_path):
    asked, answer = threading.Event(), threading.Event()

    def slow(_request):
        asked.set()
        answer.wait(20)
        return POUR

    with workshop(tmp_path, good_cast(spot=[ARCHIVE], judge=slow)) as w:
        w.run(pour=False)
        results = []
        first = threading.Thread(target=lambda: results.append(w.drain()))
        first.start()
        assert asked.wait(20)
        second = drain(Store.open(w.store.path, name="maker"), w.editor(), brief())
        assert [r.action for r in second.rows()] == ["elsewhere"]
        assert second.counts["elsewhere"] == 1
        answer.set()
        first.join()
        assert results[0].counts["created"] == 1
        assert w.cast.asked.count("judge") == 1


def test_a_draft_that_was_poured_meanwhile_is_not_judged_again(tmp_path):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run(pour=False)
        other = Store.open(w.store.path, name="maker")
        (staged,) = other.drafts()
        staged.path.unlink()
        listed = other.drafts
        other.drafts = lambda: [staged]  # as a drain sees it that listed a moment before
        done = drain(other, w.editor(), brief())
        other.drafts = listed
        assert [r.action for r in done.rows()] == ["gone"]
        assert "judge" not in w.cast.asked


def test_a_turn_ends_with_its_process(tmp_path):
    draft = tmp_path / "draft.md"
    draft.write_text("x")

    def child() -> None:
        with turn(tmp_path / "judging", "d" * 64, draft) as ours:
            assert ours
            os.kill(os.getpid(), signal.SIGKILL)

    process = FORK.Process(target=child)
    process.start()
    process.join(30)
    assert process.exitcode == -signal.SIGKILL
    with turn(tmp_path / "judging", "d" * 64, draft) as ours:
        assert ours
    draft.unlink()
    with turn(tmp_path / "judging", "d" * 64, draft):
        pass
    assert list((tmp_path / "judging").iterdir()) == [], "a lock goes with its draft"


@pytest.mark.parametrize("outage", [status(500), say(POUR, hang_up=True), say("", finish="length")])
def test_an_outage_in_the_middle_of_a_drain_loses_nothing_and_repeats_nothing(tmp_path, outage):
    good = good_cast().parts["judge"][0]
    with workshop(tmp_path, good_cast()) as w:
        w.run(pour=False)
        w.cast.set("judge", (good, outage))
        try:
            w.drain()
        except ModelUnavailable as failure:
            assert failure.role == "scribe"
        assert len(w.store.slugs()) == 1
        assert len(w.files()) == 1, "the other draft waits"
        w.cast.set("judge", good)
        w.cast.asked.clear()
        assert w.drain().counts["created"] == 1
        assert w.cast.asked.count("judge") == 1, "what was judged is not judged again"
        assert (len(w.store.slugs()), w.files()) == (2, {})


def _ledgered(ledger: Ledger, url: str) -> LlmEditor:
    roles = []
    for name in ("brain", "scribe"):
        endpoint = ChatEndpoint(role=name, url=url, model="tiny", timeout=20, sleep=lambda _: None)
        roles.append(RecordingRole(endpoint, ledger.calls, role=name))
    return LlmEditor(*roles)


def _drain_in_child(root: Path, url: str, k: int) -> bool:
    """Drain in a process that is killed at its k-th operation on the store's disk. False where it ended before that."""

    def child() -> None:
        reached = 0

        def strike(_operation: str, _path: str) -> None:
            nonlocal reached
            reached += 1
            if reached == k:
                os.kill(os.getpid(), signal.SIGKILL)

        with closing(Ledger.open(f"sqlite:///{root}/ledger.db")) as ledger:
            disk.set_hook(strike)
            drain(Store.open(root / "store", name="maker"), _ledgered(ledger, url), brief())
        os._exit(0)

    process = FORK.Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


@pytest.mark.slow
def test_a_drain_killed_at_every_operation_pours_each_draft_once_and_repeats_no_call(tmp_path):
    cast = good_cast(judge=by_topic(**{"48,210": {**POUR, "slug": "archive-copy-size"}, "scratch": POUR}))
    base = tmp_path / "base"
    base.mkdir()
    with workshop(base, cast) as w:
        w.run(pour=False)
        killed = 0
        for k in range(1, 300, 4):  # every fourth: some hundred operations, a process each
            root = tmp_path / f"k{k}"
            root.mkdir()
            shutil.copytree(w.store.path, root / "store")
            cast.asked.clear()
            if not _drain_in_child(root, w.model.url, k):
                break
            killed += 1
            with closing(Ledger.open(f"sqlite:///{root}/ledger.db")) as ledger:
                store = Store.open(root / "store", name="maker")
                drain(store, _ledgered(ledger, w.model.url), brief())
                assert cast.asked.count("judge") == 2, (
                    f"killed at {k}: a judgement was paid for twice, or not at all"
                )
            assert store.slugs() == {"archive-on-slow-disk", "archive-copy-size"}
            assert store.drafts() == [] and not store.quarantined()
            for slug in store.slugs():
                assert [e["action"] for e in store.history(slug)] == ["create"]
            shutil.rmtree(root)
        else:
            pytest.fail("the drain never ended")
        assert killed > 5
