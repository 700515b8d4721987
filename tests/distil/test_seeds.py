"""Seeds: an idea waits until another session gives its evidence. The editor may say which; the rule decides whether."""

from __future__ import annotations

import re

import pytest

from kura_pipeline.distil.seeds import against_confirming
from kura_runtime.domain.evidence import EvidenceClass
from kura_runtime.errors import ModelUnavailable
from tests.distil.material import ARCHIVE, ARCHIVE_SURFACE, IDEA, batch, quote, verdict
from tests.distil.test_steps import good_cast
from tests.distil.workshop import workshop
from tests.scripted_model import items_of, say, status

DONE = "We now mirror the archive to tape every Sunday night."
TAPE = {**ARCHIVE, "topic": "The archive is mirrored to tape", "quotes": [f"[USER] {DONE}"]}
TAPE_SURFACE = {
    **ARCHIVE_SURFACE,
    "slug": "archive-mirrored-to-tape",
    "title": "The archive is mirrored to tape",
    "trigger": "archive: mirrored to tape every Sunday night",
    "body": "The archive is mirrored to tape every Sunday night.",
}
SEED = {
    "id": "s" * 16,
    "topic": "tape",
    "batch": "b",
    "quotes": [{"class": "USER", "text": "tape", "session": "s1"}],
}


def naming(request):
    """Every pair that was shown."""
    said = []
    for name, text in items_of(request).items():
        near = re.search(r"^near: (.*)$", text, re.MULTILINE).group(1)
        said += [{"id": name, "seed": seed} for seed in near.split(", ")]
    return said


def tape(w, sprout=naming, *, said=DONE, session="s2", judge="POUR", **item):
    w.cast.set("spot", [{**TAPE, "quotes": [f"[USER] {said}"], **item}])
    w.cast.set("compose", TAPE_SURFACE)
    w.cast.set("judge", {"verdict": judge, "reason": "so"})
    w.cast.set("sprout", sprout)
    return w.run(batch((("USER", said),), "20261205T080000-aaaabbbb", session=session))


def states(w):
    return [(s["state"], s.get("memory", "")) for s in w.store.seeds()]


def test_another_sessions_evidence_confirms_a_seed(tmp_path):
    with workshop(tmp_path, good_cast(spot=[IDEA])) as w:
        w.run()
        assert states(w) == [("waiting", "")]
        run = tape(w)
        assert run.drafted.counts["sprouted"] == 1
        assert states(w) == [("sprouted", "archive-mirrored-to-tape")]
        (asked,) = [r for r in w.model.requests if "waiting ideas" in r["messages"][1]["content"]]
        assert "mirror the archive to tape" in asked["messages"][1]["content"]


def test_a_rerun_asks_nobody_and_a_confirmed_seed_is_not_shown_again(tmp_path):
    with workshop(tmp_path, good_cast(spot=[IDEA])) as w:
        w.run()
        tape(w)
        asked = len(w.model.requests)
        tape(w)
        assert len(w.model.requests) == asked
        assert len(w.store.seeds()) == 1
        w.run(batch((("USER", DONE + " And it works."),), "20261206T080000-aaaabbbb", session="s3"))
        assert w.cast.asked.count("sprout") == 1


def test_a_seed_whose_draft_is_tossed_goes_on_waiting(tmp_path):
    with workshop(tmp_path, good_cast(spot=[IDEA])) as w:
        w.run()
        tape(w, judge="TOSS")
        assert states(w) == [("waiting", "")]


def test_a_draft_that_waits_confirms_its_seed_when_a_drain_pours_it(tmp_path):
    with workshop(tmp_path, good_cast(spot=[IDEA])) as w:
        w.run()
        tape(w, judge="hm")
        assert states(w) == [("waiting", "")]
        w.cast.set("judge", {"verdict": "POUR"})
        w.drain()
        assert states(w) == [("sprouted", "archive-mirrored-to-tape")]


def test_the_same_session_cannot_confirm_itself_and_is_not_even_asked(tmp_path):
    with workshop(tmp_path, good_cast(spot=[IDEA])) as w:
        w.run()
        tape(w, session="s1")
        assert "sprout" not in w.cast.asked
        assert states(w) == [("waiting", "")]


def test_an_idea_raised_again_confirms_nothing(tmp_path):
    with workshop(tmp_path, good_cast(spot=[IDEA])) as w:
        w.run()
        tape(
            w,
            said="Idea: one day we could mirror the archive to tape, really.",
            kind="idea",
            topic="Mirror to tape one day",
        )
        assert "sprout" not in w.cast.asked
        assert {state for state, _ in states(w)} == {"waiting"}


@pytest.mark.parametrize(
    "smuggled",
    [
        [{"id": "deadbeef", "seed": "s"}],
        lambda r: [{"id": name, "seed": "0" * 16} for name in items_of(r)],
        lambda r: [{"id": "0" * 8, "seed": one["seed"]} for one in naming(r)],
        lambda r: [{"seed": one["seed"]} for one in naming(r)],
        [],
        "All of them are confirmed!",
        say(""),
    ],
)
def test_a_seed_is_confirmed_by_no_answer_that_does_not_name_a_shown_pair(tmp_path, smuggled):
    with workshop(tmp_path, good_cast(spot=[IDEA])) as w:
        w.run()
        run = tape(w, smuggled)
        assert run.poured.counts["created"] == 1, "the item itself loses nothing"
        assert states(w) == [("waiting", "")]


def test_an_outage_of_the_sprout_call_stages_nothing_and_is_made_good(tmp_path):
    with workshop(tmp_path, good_cast(spot=[IDEA])) as w:
        w.run()
        with pytest.raises(ModelUnavailable):
            tape(w, status(500))
        assert w.files() == {}
        w.cast.asked.clear()
        tape(w)
        assert "compose" not in w.cast.asked, "what was answered is not asked again"
        assert states(w) == [("sprouted", "archive-mirrored-to-tape")]


@pytest.mark.parametrize(
    ("seed", "item", "against"),
    [
        (SEED, verdict(quotes=(quote("words of the human"),)), "same session"),
        ({**SEED, "quotes": []}, verdict(), "which session"),
        ({**SEED, "quotes": [{"text": "t", "session": ""}]}, verdict(), "which session"),
        (SEED, verdict(verdict="seed"), "not kept"),
        (SEED, verdict(verdict="drop"), "not kept"),
        (SEED, verdict(judgement=True), "agent's own prose"),
    ],
)
def test_the_rule_says_no(seed, item, against):
    assert against in against_confirming(seed, item)


def test_prose_of_the_agent_and_what_the_store_knows_already_confirm_nothing():
    from dataclasses import replace

    other = replace(quote("words of the human"), session="s2")
    assert against_confirming(SEED, verdict(quotes=(other,))) == ""
    assert "new" in against_confirming(SEED, verdict(quotes=(replace(other, repeats=True),)))
    assert "new" in against_confirming(SEED, verdict(quotes=(replace(other, cls=EvidenceClass.SELF),)))
