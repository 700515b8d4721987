"""The budget at work: what stops a call, what does not, and what is counted."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from kura_runtime.domain.spending import Limits, Price
from kura_runtime.models.budget import Budget, BudgetSpent, MemoryPurse, estimated_tokens
from kura_runtime.models.calls import MemoryCalls, Meter, RecordingRole
from kura_runtime.models.dialect import Parameters
from kura_runtime.models.endpoint import ChatEndpoint
from kura_runtime.models.failures import ModelFailure
from tests.scripted_model import Reply, ScriptedModel, say, status


def ask(n: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"question {n} " + "of many words " * 24}]


class Clock:
    """A clock that is set by hand."""

    def __init__(self, at: str) -> None:
        self.at = datetime.fromisoformat(at)

    def __call__(self) -> datetime:
        return self.at


def role(model: ScriptedModel, budget: Budget, ledger: MemoryCalls | None = None, **more) -> RecordingRole:
    endpoint = ChatEndpoint(
        role="scribe",
        url=model.url,
        model="tiny",
        timeout=20,
        sleep=lambda _: None,
        parameters=Parameters(max_tokens=50),
    )
    return RecordingRole(endpoint, ledger, role="scribe", meter=Meter(budget=budget), **more)


def test_the_night_is_over_at_noon_and_the_next_one_may_spend_again():
    clock = Clock("2026-03-05T23:00:00+00:00")
    budget = Budget(Limits(tokens_per_night=200), store="main", run="r", now=clock)
    with ScriptedModel(lambda _: say("ok")) as model:
        r = role(model, budget)
        r.ask(ask(1))
        clock.at = datetime(2026, 3, 6, 4, tzinfo=UTC)
        r.ask(ask(2))
        with pytest.raises(BudgetSpent, match="tokens_per_night: 220 of 200"):
            r.ask(ask(3))
        clock.at = datetime(2026, 3, 6, 12, tzinfo=UTC)
        r.ask(ask(3))
        assert len(model.requests) == 3


def test_money_is_counted_by_the_prices_of_the_role():
    budget = Budget(
        Limits(money_per_night=0.5), store="main", run="r", prices={"scribe": Price(2000.0, 10000.0)}
    )
    with ScriptedModel(lambda _: say("ok")) as model:
        r = role(model, budget)
        r.ask(ask(1))
        r.ask(ask(2))  # 0.3 of 0.5 are spent: 100 tokens in at 2000 and 10 out at 10000 the million
        with pytest.raises(BudgetSpent, match=r"money_per_night: 0\.6000 of 0\.5"):
            r.ask(ask(3))


def test_a_replay_costs_nothing_even_when_everything_is_spent():
    ledger, budget = MemoryCalls(), Budget(Limits(tokens_per_run=1), run="r")
    with ScriptedModel(lambda _: say("ok")) as model:
        r = role(model, budget, ledger)
        r.ask(ask(1))
        with pytest.raises(BudgetSpent):
            r.ask(ask(2))
        assert r.ask(ask(1)).replayed


def test_a_silence_that_was_paid_for_counts():
    budget = Budget(Limits(tokens_per_run=100), run="r")
    with ScriptedModel(lambda _: say("", reasoning="hm")) as model:
        r = role(model, budget)
        with pytest.raises(ModelFailure):
            r.ask(ask(1))
        with pytest.raises(BudgetSpent, match="110 of 100"):
            r.ask(ask(2))
    assert r.meter.counts()["calls_failed"] == 1
    assert r.meter.counts()["tokens_in"] == 100


def test_an_outage_costs_nothing():
    budget = Budget(Limits(tokens_per_run=100), run="r")
    with ScriptedModel(lambda _: status(401)) as model:
        r = role(model, budget)
        for n in range(3):
            with pytest.raises(ModelFailure):
                r.ask(ask(n))


def test_an_endpoint_that_states_no_usage_is_counted_by_estimate_and_not_as_free():
    body = b'{"choices": [{"message": {"content": "%s"}}]}' % (b"word " * 60)
    budget = Budget(Limits(tokens_per_run=100), run="r")
    with ScriptedModel(lambda _: Reply(body=body)) as model:
        r = role(model, budget)
        r.ask(ask(1))
        with pytest.raises(BudgetSpent):
            r.ask(ask(2))


def test_two_runs_with_four_slots_each_pass_the_nights_limit_by_no_more_than_one_call():
    purse = MemoryPurse()
    limits = Limits(tokens_per_night=1000)
    with ScriptedModel(lambda _: say("ok"), parallel=True) as model:

        def work(run: str, n: int) -> None:
            budget = Budget(limits, purse, store="main", run=run, pause=lambda _: None)
            mine = role(model, budget)
            try:
                for i in range(20):
                    mine.ask(ask(100 * n + i))
            except BudgetSpent:
                pass

        threads = [threading.Thread(target=work, args=(f"run{n % 2}", n)) for n in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        spent = 110 * len(model.requests)
    assert 1000 <= spent < 1000 + 110


def test_a_dropped_call_counts_its_prompt_and_records_no_answer():
    class Back(Exception):
        pass

    reached, never, ledger = threading.Event(), threading.Event(), MemoryCalls()
    budget = Budget(Limits(tokens_per_run=20), run="r")

    def hang(_):
        reached.set()
        never.wait(60)
        return say("too late")

    def look():
        if reached.is_set():
            raise Back

    with ScriptedModel(hang, parallel=True) as model:
        with pytest.raises(Back):
            role(model, budget, ledger, between=look).ask(ask(1))
        assert (ledger.rows, ledger.uses) == ([], [])
        with pytest.raises(BudgetSpent):
            role(model, budget, ledger).ask(ask(2))
        never.set()


@pytest.mark.parametrize(
    "text", ["", "plain words of English", "設定を変更してください", "نص عربي", "🦊🦊", "ＦＵＬＬ width"]
)
def test_the_estimate_is_an_upper_one(text):
    assert estimated_tokens(text) >= len(text.split())
    assert estimated_tokens(text) >= sum(not c.isascii() for c in text)
