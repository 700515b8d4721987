"""The purse in the ledger: what counts, from when, and that several spenders cannot pass a limit together."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import create_engine

from kura_runtime.domain.spending import Limits, Outlay, Price, Spent, night_end, night_of
from kura_runtime.ledger.ledger import Ledger

AT, LATER = "2026-03-05T23:30:00+00:00", "2026-03-06T03:00:00+00:00"
NIGHT = "2026-03-05T12:00:00+00:00"
CALL = Outlay(
    store="main", run="r1", run_id="d1", asset="main/drafts", partition="b1", role="scribe", model="m@u", key="k",
    tokens_in=100, tokens_out=400, money=0.5, at=AT, expires_at="2099-01-01T00:00:00+00:00",
)  # fmt: skip


@pytest.fixture
def ledger(tmp_path):
    with closing(Ledger.open(f"sqlite:///{tmp_path}/ledger.db")) as opened:
        yield opened


def settle(ledger: Ledger, outlay: Outlay, tokens: int, money: float = 0.0) -> None:
    verdict, row, _ = ledger.spending.open(outlay, Limits(), night=NIGHT)
    assert verdict == "go"
    ledger.spending.settle(row, tokens_in=tokens, tokens_out=0, money=money)


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (Limits(tokens_per_run=200), "tokens_per_run: 200 of 200"),
        (Limits(tokens_per_night=500), "tokens_per_night: 500 of 500"),
        (Limits(money_per_night=1.5), "money_per_night: 1.5000 of 1.5"),
    ],
)
def test_each_limit_stops_the_next_call_and_says_which_it_is(ledger, limits, named):
    settle(ledger, CALL, 200, 0.5)
    settle(ledger, replace(CALL, run="r2"), 300, 1.0)
    verdict, _, reason = ledger.spending.open(CALL, limits, night=NIGHT)
    assert (verdict, named in reason) == ("spent", True)


def test_another_run_another_night_and_another_store_do_not_count(ledger):
    settle(ledger, replace(CALL, run="r0"), 900, 9.0)
    settle(ledger, replace(CALL, store="other"), 900, 9.0)
    settle(ledger, replace(CALL, at="2026-03-05T11:59:59+00:00", run="r0"), 900, 9.0)
    assert ledger.spending.spent("main", night=NIGHT, run="r1") == Spent(0, 900, 9.0)
    assert ledger.spending.open(CALL, Limits(tokens_per_run=1), night=NIGHT)[0] == "go"
    assert ledger.spending.open(replace(CALL, at=LATER), Limits(tokens_per_night=901), night=LATER)[0] == "go"


def test_a_call_waits_where_those_under_way_may_use_up_what_is_left(ledger):
    limits = Limits(tokens_per_run=450)
    _, first, _ = ledger.spending.open(CALL, limits, night=NIGHT)
    assert ledger.spending.open(CALL, limits, night=NIGHT)[0] == "wait"
    ledger.spending.settle(first, tokens_in=90, tokens_out=10, money=0.1)
    assert ledger.spending.open(CALL, limits, night=NIGHT)[0] == "go"


def test_a_call_whose_process_died_does_not_hold_the_others_up_for_ever(ledger, tmp_path):
    code = (
        "import sys; from tests.ledger.test_spending import CALL, NIGHT; from kura_runtime.domain.spending import Limits\n"
        "from kura_runtime.ledger.ledger import Ledger\n"
        "print(Ledger.open(sys.argv[1]).spending.open(CALL, Limits(), night=NIGHT)[0])"
    )
    url = f"sqlite:///{tmp_path}/ledger.db"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, url], capture_output=True, text=True, cwd=root, check=True
    )
    assert done.stdout.strip() == "go"
    assert ledger.spending.open(CALL, Limits(tokens_per_run=450), night=NIGHT)[0] == "go"
    lost = ledger.spending.rows()[0]
    assert (lost["state"], lost["tokens_in"], lost["tokens_out"]) == ("lost", 100, 0)
    assert lost["money"] == pytest.approx(0.1)


def test_a_call_whose_time_is_over_is_lost_too(ledger):
    ledger.spending.open(replace(CALL, expires_at=AT), Limits(), night=NIGHT)
    assert ledger.spending.open(replace(CALL, at=LATER), Limits(tokens_per_run=450), night=NIGHT)[0] == "go"
    assert ledger.spending.rows()[0]["state"] == "lost"


def test_eight_spenders_pass_a_limit_by_no_more_than_one_call(tmp_path):
    url, spent = f"sqlite:///{tmp_path}/ledger.db", []
    Ledger.open(url).close()
    limits = Limits(tokens_per_night=2000)

    def spend(n: int) -> None:
        with closing(Ledger.open(url)) as mine:
            while True:
                verdict, row, _ = mine.spending.open(replace(CALL, run=f"r{n}"), limits, night=NIGHT)
                if verdict == "spent":
                    return
                if verdict == "go":
                    spent.append(450)
                    mine.spending.settle(row, tokens_in=90, tokens_out=360, money=0.0)

    threads = [threading.Thread(target=spend, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert 2000 <= sum(spent) < 2000 + 450


def test_a_ledger_of_before_gets_the_table_and_keeps_its_rows(tmp_path):
    url = f"sqlite:///{tmp_path}/ledger.db"
    with closing(Ledger.open(url)) as old:
        old.metrics.add("main", {"files": 3.0})
    with create_engine(url).begin() as db:
        db.exec_driver_sql("DROP TABLE spending")
    with closing(Ledger.open(url)) as new:
        settle(new, CALL, 1)
        assert new.metrics.since("main")[0]["value"] == 3.0


@pytest.mark.parametrize(
    ("now", "zone", "start"),
    [
        ("2026-03-05T23:30:00+00:00", "UTC", "2026-03-05T12:00:00+00:00"),
        ("2026-03-06T03:00:00+00:00", "UTC", "2026-03-05T12:00:00+00:00"),
        ("2026-03-06T12:00:00+00:00", "UTC", "2026-03-06T12:00:00+00:00"),
        ("2026-03-05T23:30:00+00:00", "Asia/Tokyo", "2026-03-05T03:00:00+00:00"),
        ("2026-03-06T03:30:00+00:00", "Asia/Tokyo", "2026-03-06T03:00:00+00:00"),
        (
            "2026-03-29T03:00:00+00:00",
            "Europe/Berlin",
            "2026-03-28T11:00:00+00:00",
        ),  # the clocks went forward
    ],
)
def test_a_night_is_counted_from_noon_in_the_stores_time_zone(now, zone, start):
    at, place = datetime.fromisoformat(now), ZoneInfo(zone)
    assert night_of(at, place).astimezone(UTC).isoformat() == start
    assert night_of(at, place) <= at < night_end(at, place)


def test_the_price_is_by_the_million():
    assert Price(3.0, 15.0).of(1_000_000, 200_000) == pytest.approx(6.0)
