"""The store asked as it stood: what was not there yet, what held before it was retired, what a history no longer tells."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kura_runtime.cli.main import run
from kura_runtime.errors import BadInput
from kura_runtime.recall.past import at, recall_past
from kura_runtime.recall.recall import Tiers
from kura_runtime.recall.reply import Reply
from kura_runtime.store.store import Store
from tests.store import workshop
from tests.store.workshop import draft, no_floor, quote, surface

DAY = {"n": 0}


def clock() -> datetime:
    return datetime(2026, 3, 1 + DAY["n"], 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Revision 1 on 2026-03-01, one more a day: created, extended, another created, retired, archived, annotated."""
    DAY["n"] = 0
    made = Store.create(tmp_path / "store", name="maker", clock=clock, floor=no_floor)
    for step in (
        lambda: workshop.poured(made, draft(made)),
        lambda: workshop.poured(
            made,
            draft(
                made, surface(heading="Later", body="存档 also goes to tape."), extends="archive-on-slow-disk",
                quotes=(quote("also to tape"),),
            ),
        ),
        lambda: made.remember("archive-on-tape", "the archive lives on tape now; the slow disk was sold", "Tape robot in bay 3."),
        lambda: made.retire("archive-on-slow-disk", "archive-on-tape"),
        lambda: made.remember("tea-room", "the tea room closes at 18:30", "Ask Mina."),
        lambda: made.archive("tea-room"),
        lambda: made.annotate("archive-on-tape", keep="which bay"),
    ):  # fmt: skip
        step()
        DAY["n"] += 1
    assert made.revision == 7
    return made


def ask(
    store: Store, when: str | int, question: str = "does the archive live on the slow disk or on tape?"
) -> Reply:
    return recall_past(Store.open(store.path, name="maker"), question, when, tiers=Tiers())


def test_each_revision_answers_as_it_stood(store: Store) -> None:
    first = ask(store, 1, "the archive lives on the slow disk")
    assert first.picked == ("archive-on-slow-disk",) and "tape" not in first.context.split("⟧", 1)[1]
    assert (first.revision, first.as_of, first.degraded) == (
        1,
        "revision 1 (2026-03-01T12:00:00+00:00)",
        False,
    )
    assert "as the store stood at revision 1" in first.context
    assert "存档 also goes to tape" in ask(store, 2, "the archive lives on the slow disk").context
    third = ask(store, 3, "the archive lives on the slow disk")
    assert "archive-on-slow-disk" in third.picked and "RETIRED" not in third.context
    fourth = ask(store, 4, "the archive lives on the slow disk")
    assert "RETIRED" in fourth.context and fourth.included[0] == "archive-on-tape"
    tea = "when does the tea room close, 18:30?"
    assert [ask(store, n, tea).picked for n in (4, 5)] == [(), ("tea-room",)]
    assert (
        "ARCHIVED" in ask(store, 6, "tea-room").context
        and "ARCHIVED" not in ask(store, 5, "tea-room").context
    )
    assert ask(store, 0).picked == () and at(store, 0).memories == ()


def test_the_present_by_its_number_is_the_present(store: Store) -> None:
    from kura_runtime.recall.snapshot import everything

    assert sorted(at(store, 7).memories, key=lambda m: m.slug) == sorted(
        everything(store), key=lambda m: m.slug
    )
    assert at(store, 7).doubts == ()


@pytest.mark.parametrize(
    ("when", "revision"),
    [
        ("2026-02-28", 0), ("2026-03-01", 1), ("2026-03-02T11:59:59", 1), ("2026-03-02T12:00:00+00:00", 2),
        ("2026-03-02T13:00:00+02:00", 1), ("2026-03-04", 4), ("2030-01-01", 7), ("3", 3), (5, 5),
    ],
)  # fmt: skip
def test_a_date_is_the_last_revision_by_its_end(store: Store, when: str | int, revision: int) -> None:
    assert at(store, when).revision == revision


@pytest.mark.parametrize("when", ["yesterday", "", "2026-13-01", -1, "8", 8, True, "٣"])
def test_what_is_no_moment_is_refused_with_what_is_one(store: Store, when: str | int) -> None:
    with pytest.raises(BadInput, match="as_of"):
        at(store, when)


def lines(store: Store, slug: str) -> list[str]:
    return (store.path / "_kura" / "history" / f"{slug}.jsonl").read_text(encoding="utf-8").splitlines(True)


def rewrite(store: Store, slug: str, change: Callable[[list[str]], list[str]]) -> None:
    path = store.path / "_kura" / "history" / f"{slug}.jsonl"
    path.write_text("".join(change(lines(store, slug))), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "when", "said"),
    [
        (lambda x: [x[0], *x[2:]], 3, "lost the line of revision 2"),
        (lambda x: x[1:], 1, "begins later"),
        (lambda x: [x[0], x[1].replace("tape", "cloud"), *x[2:]], 2, "cannot be believed"),
        (lambda x: [x[0], x[1][:50] + "\n", *x[2:]], 2, "cannot be believed"),
        (lambda x: x[:2], 7, "edited by hand"),
        (lambda x: ["torn\n"], 2, "nothing of its history can be read"),
    ],
    ids=["middle gone", "beginning gone", "forged", "torn", "end gone", "all torn"],
)
def test_a_gap_in_the_history_is_said_and_nothing_is_made_up(
    store: Store, change: Callable[[list[str]], list[str]], when: int, said: str
) -> None:
    rewrite(store, "archive-on-slow-disk", change)
    reply = ask(store, when, "the archive lives on the slow disk")
    assert reply.degraded and any("archive-on-slow-disk" in w and said in w for w in reply.warnings), (
        reply.warnings
    )
    assert "cloud" not in reply.context


def test_hand_work_and_older_histories_are_doubts(store: Store) -> None:
    (store.path / "by-hand.md").write_text(
        "---\nname: by-hand\ndescription: the feldspar order\n---\nHello.\n"
    )
    assert any("by-hand" in d and "no history" in d for d in at(store, 7).doubts)
    (store.path / "by-hand.md").unlink()
    (store.path / "archive-on-tape.md").unlink()
    assert any("archive-on-tape: its page is gone" in d for d in at(store, 7).doubts)
    (
        store.path / "_kura" / "gate.key"
    ).unlink()  # nothing to check the seals with: lines of an older version have no text
    rewrite(
        store, "archive-on-slow-disk",
        lambda x: [json.dumps({k: v for k, v in json.loads(line).items() if k not in ("content", "prior")}) + "\n" for line in x],
    )  # fmt: skip
    assert any("keeps no text" in d and "left out" in d for d in at(store, 1).doubts)
    assert any("as its page stands now" in d for d in at(store, 7).doubts)


def test_the_past_is_the_same_in_any_process_and_asks_no_model(store: Store) -> None:
    class Never:
        def think(self, *_: object) -> object:
            raise AssertionError("a model was asked")

    asked = [
        recall_past(
            Store.open(store.path, name="maker"),
            "what do we do with things nobody looked at?",
            4,
            tiers=Tiers(thinker=Never()),
        )  # type: ignore[arg-type]
        for _ in range(2)
    ]
    assert asked[0].context == asked[1].context and asked[0].picked == asked[1].picked and asked[0].degraded


def test_why_stays_short_and_the_history_holds_what_was_said(store: Store) -> None:
    assert all("content" not in e for e in store.why("archive-on-slow-disk").to_json()["history"])
    kept = store.history("archive-on-slow-disk")
    assert [e["prior"] for e in kept] == [0, 1, 2] and "slow disk" in kept[0]["content"]["summary"]


def test_the_command_asks_the_past(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kura.toml").write_text('[stores.maker]\npath = "store"\n')
    more = ["-c", str(tmp_path / "kura.toml")]
    assert run(["recall", "the archive lives on the slow disk", "--as-of", "2026-03-01", *more]) == 0
    told = capsys.readouterr().out
    assert "as of: revision 1" in told and "tape" not in told
    assert run(["recall", "the archive lives on the slow disk", "--as-of", "2026-01-01", *more]) == 2
    assert run(["recall", "anything", "--as-of", "tomorrow", *more]) == 64
