"""One recall: tiers in order, links, states, budget, and honesty about all of it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kura_runtime.errors import BadInput, ModelUnavailable
from kura_runtime.recall.fit import fit
from kura_runtime.recall.framing import block_of
from kura_runtime.recall.recall import Tiers, recall
from kura_runtime.recall.thinker import IndexThinker, slugs_in
from kura_runtime.recall.walk import resolve, walk
from tests.recall.shelves import PORTS, FixedShelf, memory

SHELF = FixedShelf(*PORTS)


class Scripted:
    """A chat client that answers from a list; an exception in it is raised."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers, self.asked = list(answers), []

    def complete(self, messages):
        self.asked.append(messages)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(text=answer)


def thinking(*answers: str | Exception, **options) -> tuple[Tiers, Scripted]:
    client = Scripted(*answers)
    return Tiers(thinker=IndexThinker(client, **options)), client


PARAPHRASE = "how tightly do we pack what we put away for years?"


def test_the_thinker_is_not_asked_where_the_recogniser_knows() -> None:
    tiers, client = thinking()
    reply = recall(SHELF, "zstd level of archives?", tiers=tiers)
    assert reply.how == "fastpath" and reply.picked == ("zstd-level",) and not client.asked
    assert reply.fastpath_verdict.startswith("hit") and reply.fastpath_ms <= reply.elapsed_ms


def test_the_thinker_answers_what_the_recogniser_leaves() -> None:
    tiers, _ = thinking('["zstd-level"]')
    reply = recall(SHELF, PARAPHRASE, tiers=tiers)
    assert (reply.how, reply.picked, reply.degraded) == ("meaning", ("zstd-level",), False)
    assert "level 19" in reply.context


def test_an_explicit_none_is_an_answer_and_words_never_override_it() -> None:
    tiers, _ = thinking("[]")
    reply = recall(SHELF, "was zstd ever discussed for archives level by the board?", tiers=tiers)
    assert (reply.how, reply.picked, reply.context, reply.degraded) == ("meaning→none", (), "", False)


@pytest.mark.parametrize("kind", ["unreachable", "timeout", "http", "empty", "malformed"])
def test_an_outage_falls_back_to_words_and_says_so(kind: str) -> None:
    tiers, _ = thinking(ModelUnavailable("thinker", kind))
    reply = recall(SHELF, PARAPHRASE, tiers=tiers)
    assert reply.how == "words(thinker unreachable)" and reply.degraded and reply.picked == ()
    assert any(kind in w for w in reply.warnings)


def test_without_a_thinker_the_reply_is_degraded_and_refuses_what_no_memory_says() -> None:
    reply = recall(SHELF, "where does grafana keep the dashboards of the chat server", tiers=Tiers())
    assert reply.how == "words(no thinker)" and reply.degraded and reply.picked == () and reply.context == ""
    assert 0 < len(reply.suggestions) <= 3
    assert not any(line in reply.context for line in reply.suggestions)


def test_a_model_cannot_invent_a_memory() -> None:
    tiers, _ = thinking('["zstd-level", "made-up-thing", "../../etc/passwd", "ZSTD Level"]')
    reply = recall(SHELF, PARAPHRASE, tiers=tiers)
    assert reply.picked == ("zstd-level",)
    assert "2 memories that are not in this store" in " ".join(reply.warnings)


@pytest.mark.parametrize(
    "answer", ["zstd-level", '{"slugs": []}', '["a", 1]', "I think [] fits", "", '"zstd-level"', "[" * 5000]
)
def test_prose_is_no_answer(answer: str) -> None:
    with pytest.raises(ModelUnavailable, match="malformed"):
        slugs_in(answer)


def test_a_fence_around_the_array_is_forgiven() -> None:
    assert slugs_in('```json\n["a-b"]\n```') == ["a-b"]


def test_the_prompt_is_the_same_bytes_for_every_question_and_holds_no_retired_trick() -> None:
    tiers, client = thinking("[]", "[]", charter="What belongs here.", mark="own-mark")
    for question in (PARAPHRASE, "und jetzt?"):
        recall(SHELF, question, tiers=tiers)
    one, two = (m[0]["content"] for m in client.asked)
    assert one == two and one.startswith("What belongs here.") and "own-mark" in one
    # the question stands alone but for our mark: many hosts keep no other turn of a session in its journal
    assert [m[1]["content"] for m in client.asked] == [
        f"{q}\n\n[own-mark]" for q in (PARAPHRASE, "und jetzt?")
    ]


def test_an_index_larger_than_the_window_is_asked_in_shards_and_merged() -> None:
    many = [
        memory(f"note-{i}", f"Note {i}", f"remark number {i} about something long winded and wordy")
        for i in range(120)
    ]
    answers = ['["note-3"]', '["note-77"]', "[]", "[]", '["note-77"]']
    client = Scripted(*answers)
    thinker = IndexThinker(client, window_tokens=3300)
    shelf = FixedShelf(*many)
    prompts = thinker.shards(shelf.corpus()[0], 1)
    assert 1 < len(prompts) <= 4
    lines = [line for p in prompts for line in p.splitlines() if line.startswith("note-")]
    assert sorted(lines) == sorted(set(lines)) and len(lines) == 120  # every line once
    client.answers = ['["note-3"]', '["note-77"]', *["[]"] * (len(prompts) - 2), '["note-77"]']
    assert thinker.think(shelf.corpus()[0], "what?", 1).picked == ("note-77",)


def test_verification_may_turn_a_pick_into_none_and_never_adds_one() -> None:
    tiers, _ = thinking('["zstd-level"]', "[]", verify=True)
    assert recall(SHELF, PARAPHRASE, tiers=tiers).how == "meaning→none"
    tiers, client = thinking('["zstd-level", "anna-lind"]', '["anna-bell", "zstd-level"]', verify=True)
    assert recall(SHELF, PARAPHRASE, tiers=tiers).picked == ("zstd-level",)
    assert "Level 22 needs too much memory" in client.asked[1][1]["content"]


def test_a_retired_pick_is_led_by_what_holds_now() -> None:
    tiers, _ = thinking('["chat-port-8081"]')
    reply = recall(SHELF, "where did the talk thing live?", tiers=tiers)
    assert reply.picked == ("chat-port-8411", "chat-port-8081")
    assert "RETIRED: this no longer holds; what holds now: [[chat-port-8411]]" in reply.context


def test_a_conflict_comes_with_its_other_side_even_without_hops() -> None:
    shelf = FixedShelf(
        memory("lunch-at-noon", "Lunch hour", "lunch is at noon in the canteen", "See [[lunch-at-one]] and [[menu]].", state="conflict"),
        memory("lunch-at-one", "Lunch hour, other word", "lunch is at one", "Against [[lunch-at-noon]].", state="conflict"),
        memory("menu", "Menu", "soup on Mondays", "x"),
    )  # fmt: skip
    reply = recall(shelf, "lunch is at noon in the canteen?", tiers=Tiers(), hops=0)
    assert reply.picked == ("lunch-at-noon",) and reply.walked == ("lunch-at-one",)
    assert reply.context.count("CONFLICT") == 2


def test_stale_picks_go_last_and_say_so() -> None:
    shelf = FixedShelf(
        memory("one-thing", "One", "aaa bbb", "t", state="stale"), memory("two-thing", "Two", "ccc ddd", "t")
    )
    tiers, _ = thinking('["one-thing", "two-thing"]')
    reply = recall(shelf, "something else entirely", tiers=tiers)
    assert reply.picked == ("two-thing", "one-thing") and "STALE" in reply.context


def test_links_are_walked_breadth_first_and_only_inside_the_store() -> None:
    shelf = FixedShelf(
        memory(
            "root-note", "Root", "the root of it all", "[[second]] [[third-one]] [[/etc/passwd]] [[nowhere]]"
        ),
        memory("second", "Second", "s", "[[deep-note]]"),
        memory("ns/third-one", "Third", "t", "[[root-note]]"),
        memory("deep-note", "Deep", "d", ""),
        memory("put-away", "Away", "w", "", state="archived"),
    )
    corpus = shelf.corpus()[0]
    assert walk(corpus, ("root-note",), 0) == ()
    assert walk(corpus, ("root-note",), 1) == ("second", "ns/third-one")
    assert walk(corpus, ("root-note",), 2) == ("second", "ns/third-one", "deep-note")
    assert resolve(corpus, "Deep Note") == "deep-note"
    assert resolve(corpus, "../second.md") == "second"
    assert resolve(corpus, "../../etc/shadow") is None


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("question", {"question": "  "}),
        ("question", {"question": "x" * 20_001}),
        ("hops", {"hops": -1}),
        ("hops", {"hops": True}),
        ("top", {"top": 0}),
        ("chars", {"chars": 0}),
        ("total_chars", {"total_chars": 0}),
        ("total_chars", {"total_chars": 1.5}),
    ],
)
def test_bad_input_names_its_field(field: str, options: dict) -> None:
    with pytest.raises(BadInput) as caught:
        recall(SHELF, options.pop("question", "x y"), tiers=Tiers(), **options)
    assert caught.value.field == field


def test_a_reply_is_plain_json() -> None:
    reply = recall(SHELF, "zstd level of archives?", tiers=Tiers())
    told = json.loads(json.dumps(reply.to_json()))
    assert told["picked"] == ["zstd-level"] and told["how"] == "fastpath" and told["tokens"] > 0
    for name in (
        "walked",
        "included",
        "dropped_for_budget",
        "context",
        "degraded",
        "suggestions",
        "fastpath_verdict",
        "elapsed_ms",
        "store",
    ):
        assert name in told


LONG = memory(
    "long-one", "Long memory", "a long memory about kilns",
    "\n".join(["First paragraph, plain filler words without an end in sight, more and more of them, really."] * 12
              + ["The glaze recipe needs 40 parts of feldspar."] + ["Filler again, of no use to anybody, and still it goes on."] * 12
              + ["Conclusion: never open the kiln above 100 degrees."]),
)  # fmt: skip


def test_a_cut_memory_keeps_its_head_the_paragraph_asked_for_and_its_conclusion() -> None:
    fitted = fit(
        [block_of(LONG, "fake")], store="fake", words=lambda: ["feldspar"], chars=900, total_chars=None
    )
    assert fitted.cut == ("long-one",) and len(fitted.texts[0]) <= 900
    for part in (
        "Long memory — a long memory about kilns",
        "40 parts of feldspar",
        "never open the kiln",
        "cut, ",
        "⟦kura:end long-one⟧",
    ):
        assert part in fitted.context


def test_the_best_memory_is_cut_and_labelled_where_nothing_else_fits() -> None:
    blocks = [block_of(m, "fake") for m in (LONG, *PORTS[:3])]
    fitted = fit(blocks, store="fake", words=list, chars=6000, total_chars=180)
    assert fitted.included == ("long-one",) == fitted.cut and "cut⟧" in fitted.context
    assert set(fitted.dropped) == {m.slug for m in PORTS[:3]}
    fitted = fit(blocks, store="fake", words=list, chars=6000, total_chars=30)
    assert (fitted.included, fitted.context) == ((), "⟦kura: no room⟧")
    assert fit(blocks, store="fake", words=list, chars=6000, total_chars=5).context == ""


@pytest.mark.parametrize(("chars", "total"), [(1, None), (10, None), (6000, 40), (6000, 15), (6000, 3)])
def test_what_was_found_and_does_not_fit_is_never_an_empty_answer(chars: int, total: int | None) -> None:
    reply = recall(SHELF, "zstd level of archives", tiers=Tiers(), chars=chars, total_chars=total)
    assert reply.picked == ("zstd-level",) == reply.dropped_for_budget and reply.included == ()
    assert "zstd-level" in reply.warnings[0] and "raise chars" in reply.warnings[0]
    assert len(reply.context) <= (total or 1000)
    assert total == 3 or reply.context.startswith("⟦kura: ")
    assert reply.tokens > 0 or total == 3


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=60), st.text(max_size=1500)), min_size=1, max_size=5),
    st.integers(1, 3000),
    st.integers(1, 2500),
    st.lists(st.text(min_size=1, max_size=8), max_size=4),
)
def test_the_context_never_exceeds_its_ceiling_and_every_memory_is_accounted_for(
    parts, chars, total, words
) -> None:
    blocks = [
        block_of(memory(f"memory-{i}", title, "trigger line", body), "fake")
        for i, (title, body) in enumerate(parts)
    ]
    fitted = fit(blocks, store="fake", words=lambda: words, chars=chars, total_chars=total)
    assert len(fitted.context) <= total
    assert all(len(text) <= chars for text in fitted.texts)
    assert [*fitted.included, *fitted.dropped] != [] and {*fitted.included, *fitted.dropped} == {
        b.slug for b in blocks
    }
    assert set(fitted.cut) <= set(fitted.included)
