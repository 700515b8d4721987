"""Recorded calls: asked once, replayed for ever, never replayed from a failure."""

from __future__ import annotations

import threading
import time

import pytest

from kura_runtime.domain.call import call_key
from kura_runtime.models.calls import BudgetSpent, MemoryCalls, Meter, RecordingRole
from kura_runtime.models.dialect import Parameters
from kura_runtime.models.endpoint import ChatEndpoint
from kura_runtime.models.failures import ModelFailure
from tests.scripted_model import ScriptedModel, say, status

ASK = [{"role": "system", "content": "charter"}, {"role": "user", "content": "何を残す？ 🦊"}]


def role(model: ScriptedModel, ledger: MemoryCalls, **more) -> RecordingRole:
    endpoint = ChatEndpoint(role="scribe", url=model.url, model="tiny", timeout=5, sleep=lambda _: None)
    return RecordingRole(endpoint, ledger, role="scribe", asset="s/drafts", partition="b", run_id="r", **more)


def test_a_second_run_replays_without_a_request():
    ledger = MemoryCalls()
    with ScriptedModel(lambda _: say("one", reasoning="why")) as model:
        first = role(model, ledger).ask(ASK)
        second = role(model, ledger).ask(ASK)
        assert len(model.requests) == 1
    assert (first.text, first.reasoning, first.key) == (second.text, second.reasoning, second.key)
    assert (first.replayed, second.replayed) == (False, True)
    assert [u[1:] for u in ledger.uses] == [("s/drafts", "b", "r", False), ("s/drafts", "b", "r", True)]


def test_refresh_asks_again_once_a_run():
    ledger = MemoryCalls()
    answers = iter("abc")
    with ScriptedModel(lambda _: say(next(answers))) as model:
        role(model, ledger).ask(ASK)
        fresh = role(model, ledger, refresh=True)
        assert [fresh.ask(ASK).text, fresh.ask(ASK).text] == ["b", "b"]
        assert role(model, ledger).ask(ASK).text == "b", "the newest answer is the recorded one"


def test_a_failed_call_is_a_row_and_never_an_answer():
    ledger = MemoryCalls()
    replies = [say(""), say("now")]
    with ScriptedModel(lambda _: replies.pop(0)) as model:
        with pytest.raises(ModelFailure):
            role(model, ledger).ask(ASK)
        assert [(r.failure, r.answer) for r in ledger.rows] == [("empty", "")]
        assert role(model, ledger).ask(ASK).text == "now"


def test_a_failed_refresh_leaves_the_old_answer_in_place():
    ledger = MemoryCalls()
    replies = [say("old"), status(401)]
    with ScriptedModel(lambda _: replies.pop(0)) as model:
        role(model, ledger).ask(ASK)
        with pytest.raises(ModelFailure):
            role(model, ledger, refresh=True).ask(ASK)
        assert role(model, ledger).ask(ASK).text == "old"


def test_two_threads_with_one_question_pay_once():
    ledger = MemoryCalls()

    def slow(_):
        time.sleep(0.05)
        return say("once")

    with ScriptedModel(slow) as model:
        shared = role(model, ledger)
        threads = [threading.Thread(target=shared.ask, args=(ASK,)) for _ in range(5)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(model.requests) == 1


@pytest.mark.parametrize("other", ["role", "model", "params", "messages"])
def test_the_key_moves_with_everything_that_may_change_the_answer(other):
    base = {"role": "scribe", "model": "m@u", "params": Parameters().as_dict(), "messages": ASK}
    changed = dict(base)
    changed[other] = {
        "role": "brain",
        "model": "n@u",
        "params": Parameters(effort="high").as_dict(),
        "messages": ASK[:1],
    }[other]
    assert call_key(**base) == call_key(**base)
    assert call_key(**base) != call_key(**changed)


def test_a_lone_surrogate_in_a_journal_does_not_stop_the_batch():
    broken = [{"role": "user", "content": "half an emoji \ud83e"}]
    with ScriptedModel(lambda _: say("ok")) as model:
        assert role(model, MemoryCalls()).ask(broken).text == "ok"


def test_the_budget_stops_the_next_call_and_not_a_replay():
    ledger, meter = MemoryCalls(), Meter(limit=100)
    with ScriptedModel(lambda _: say("ok")) as model:
        spending = role(model, ledger, meter=meter)
        spending.ask(ASK)
        assert spending.ask(ASK).replayed
        with pytest.raises(BudgetSpent, match="110 of 100"):
            spending.ask([*ASK, {"role": "user", "content": "more"}])
        assert len(model.requests) == 1
    assert meter.counts() == {
        "calls": 1, "calls_replayed": 1, "calls_failed": 0, "tokens_in": 100, "tokens_out": 10,
        "model_seconds": meter.counts()["model_seconds"],
    }  # fmt: skip


def test_the_returning_human_is_looked_for_before_a_call_and_not_before_a_replay():
    ledger = MemoryCalls()

    class Back(Exception):
        pass

    def look():
        raise Back

    with ScriptedModel(lambda _: say("ok")) as model:
        role(model, ledger).ask(ASK)
        stopping = role(model, ledger, between=look)
        assert stopping.ask(ASK).text == "ok"
        with pytest.raises(Back):
            stopping.ask(ASK[:1])
        assert len(model.requests) == 1
