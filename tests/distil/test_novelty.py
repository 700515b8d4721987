"""Novelty of a whole batch: one call, strictly read; whatever it leaves open is asked for by itself."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from kura_pipeline.distil import answers
from kura_pipeline.distil.editor import Question
from kura_pipeline.distil.novelty import question_id
from kura_runtime.errors import ModelUnavailable
from tests.distil.material import (
    ARCHIVE,
    ARCHIVE_SURFACE,
    COUNT,
    COUNT_SURFACE,
    batch,
    brief,
    memory,
    quote,
    verdict,
)
from tests.distil.test_steps import by_topic, good_cast
from tests.distil.workshop import workshop
from tests.scripted_model import Cast, items_of, say, status

LATER = (
    ("USER", "The archive on the slow disk is read only on Mondays, remember that."),
    ("TOOL", "sent 51,007 files of the archive, total size 13.1 GB"),
)
MONDAYS = {
    **ARCHIVE,
    "topic": "The archive lives on and is read only on Mondays",
    "quotes": ["[USER] The archive on the slow disk is read only on Mondays"],
}
SECOND = {
    **COUNT,
    "topic": "The second archive copy moved a known number of files",
    "quotes": ["[TOOL] sent 51,007 files of the archive, total size 13.1 GB"],
}
SECOND_SURFACE = {
    **COUNT_SURFACE,
    "slug": "second-archive-copy",
    "title": "Second archive copy: 51,007 files",
    "trigger": "second archive copy: 51,007 files, 13.1 GB",
    "body": "The second archive copy sent 51,007 files with a total size of 13.1 GB.",
}
EXTENSION = {"heading": "Reading", "body": "The archive is read only on Mondays."}


def later_batch(session="s2"):
    return batch(LATER, "20261205T080000-aaaabbbb", session=session)


def kinds(by_word):
    """Answer a question about several items, by a word that stands in each."""

    def line(request):
        said = []
        for name, text in items_of(request).items():
            said += [{"id": name, **one} for word, one in by_word.items() if word in text]
        return said

    return line


EXTENDS = {"kind": "EXTENDS", "slug": "archive-on-slow-disk"}
NEW = {"kind": "NEW", "slug": ""}
HONEST = kinds({"Mondays": EXTENDS, "51,007": NEW})


def prepared(w):
    """A store with two memories, and a batch whose two items are near to them."""
    w.run()
    w.cast.set("spot", [MONDAYS, SECOND])
    w.cast.set("extend", EXTENSION)
    w.cast.set(
        "compose", by_topic(**{"51,007": SECOND_SURFACE, "Mondays": {**ARCHIVE_SURFACE, "slug": "mondays"}})
    )
    w.cast.set("judge", by_topic(**{"51,007": {"verdict": "POUR"}, "Mondays": {"verdict": "POUR"}}))
    w.cast.set("novelties", HONEST)
    w.cast.set("novelty", by_topic(**{"51,007": NEW, "Mondays": EXTENDS}))
    w.cast.asked.clear()
    return w


def outcome(run):
    return [(r.topic, r.outcome, r.novelty, r.neighbour, r.surface) for r in run.drafted.rows()]


def test_a_whole_batch_is_compared_in_one_call(tmp_path):
    with workshop(tmp_path, good_cast()) as w:
        run = prepared(w).run(later_batch(), pour=False)
        assert w.cast.asked.count("novelties") == 1
        assert "novelty" not in w.cast.asked
        assert [r.novelty for r in run.drafted.rows()] == ["EXTENDS", "NEW"]
        assert (run.drafted.counts["novelty_together"], run.drafted.counts["novelty_alone"]) == (2, 0)


def test_a_memory_near_to_several_items_is_shown_once(tmp_path):
    with workshop(tmp_path, good_cast()) as w:
        prepared(w).run(later_batch(), pour=False)
        (asked,) = [r for r in w.model.requests if "each of several" in r["messages"][1]["content"]]
        assert asked["messages"][1]["content"].count("slug: archive-on-slow-disk\n") == 1


def test_together_or_one_by_one_the_drafts_are_the_same(tmp_path):
    found = []
    for together in (True, False):
        (tmp_path / str(together)).mkdir()
        with workshop(tmp_path / str(together), good_cast()) as w:
            prepared(w)
            run = w.run(later_batch(), pour=False, editor=w.editor(together=together))
            found.append(outcome(run))
            assert w.cast.asked.count("novelty") == (0 if together else 2)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("spoilt", "alone"),
    [
        (kinds({"Mondays": EXTENDS}), 1),  # one left out
        (kinds({"51,007": NEW}), 1),
        (lambda r: [{"id": "zzz", **EXTENDS}, *kinds({"51,007": NEW})(r)], 1),  # an id nobody asked about
        (lambda r: [*HONEST(r), *kinds({"Mondays": NEW})(r)], 1),  # two words on one item
        (kinds({"Mondays": {"kind": "COVERED", "slug": "not-shown"}, "51,007": NEW}), 1),
        (kinds({"Mondays": {"kind": "PERHAPS", "slug": ""}, "51,007": NEW}), 1),
        ("[]", 2),
        ("They all look new to me.", 2),
        (lambda r: [one["kind"] for one in HONEST(r)], 2),  # words without an id
        (lambda r: json.dumps(HONEST(r))[:-30], 1),  # broken off in the second object
    ],
)
def test_an_item_that_the_answer_leaves_open_is_asked_about_by_itself(tmp_path, spoilt, alone):
    with workshop(tmp_path, good_cast()) as w:
        prepared(w)
        w.cast.set("novelties", spoilt)
        run = w.run(later_batch(), pour=False)
        assert [r.novelty for r in run.drafted.rows()] == ["EXTENDS", "NEW"]
        assert w.cast.asked.count("novelty") == run.drafted.counts["novelty_alone"] == alone
        assert run.drafted.counts["novelty_left_out"] == alone


@pytest.mark.parametrize(
    "broken", [status(500), status(400), say(""), say("", finish="length"), say("", reasoning="hm")]
)
def test_a_call_for_several_that_fails_is_an_outage_of_nothing_but_itself(tmp_path, broken):
    with workshop(tmp_path, good_cast()) as w:
        prepared(w)
        w.cast.set("novelties", broken)
        first = w.run(later_batch(), pour=False)
        assert [r.novelty for r in first.drafted.rows()] == ["EXTENDS", "NEW"]
        assert first.drafted.counts["novelty_calls_failed"] == 1
        files, asked = w.files(), len(w.model.requests)
        w.cast.set("novelties", kinds({"Mondays": NEW, "51,007": NEW}))
        again = w.run(later_batch(), pour=False)
        assert len(w.model.requests) == asked, "a rerun asks as the first run did, and replays"
        assert outcome(again) == outcome(first)
        assert w.files() == files


def test_where_no_model_is_there_the_next_run_asks_together_again(tmp_path):
    with workshop(tmp_path, good_cast()) as w:
        prepared(w)
        w.cast.set("novelties", status(500))
        w.cast.set("novelty", status(500))
        with pytest.raises(ModelUnavailable):
            w.run(later_batch(), pour=False)
        w.cast.set("novelties", HONEST)
        w.cast.asked.clear()
        run = w.run(later_batch(), pour=False)
        assert [r.novelty for r in run.drafted.rows()] == ["EXTENDS", "NEW"]
        assert "novelty" not in w.cast.asked


def test_refresh_tries_the_call_for_several_again(tmp_path):
    with workshop(tmp_path, good_cast()) as w:
        prepared(w)
        w.cast.set("novelties", status(500))
        w.run(later_batch(), pour=False)
        w.cast.set("novelties", HONEST)
        w.cast.asked.clear()
        w.run(later_batch(), pour=False, refresh=True)
        assert w.cast.asked.count("novelties") == 1


def test_a_rerun_of_a_batch_compared_together_asks_nobody_and_writes_the_same_bytes(tmp_path):
    with workshop(tmp_path, good_cast()) as w:
        first = prepared(w).run(later_batch(), pour=False)
        files = w.files()
        w.run(later_batch())
        asked = len(w.model.requests)
        again = w.run(later_batch(), pour=False)
        assert len(w.model.requests) == asked
        assert again.drafted.rows() == first.drafted.rows()
        assert w.files() == files


def test_what_has_no_neighbour_costs_no_call_and_is_counted(tmp_path):
    with workshop(tmp_path, good_cast()) as w:
        run = w.run(pour=False)
        assert not {"novelty", "novelties"} & set(w.cast.asked)
        assert run.drafted.counts["novelty_skipped"] == 2


def test_more_than_the_scribe_can_hold_is_asked_in_several_calls(tmp_path):
    with workshop(tmp_path, Cast()) as w:
        near = [memory(f"layout-{a}", summary="word " * 300) for a in ("one", "two", "three")]
        asked = [
            Question(question_id(v, near), n, v, tuple(near))
            for n in range(8)
            for v in [verdict(quotes=(quote("some words of the human " * 10, n=1, event_id=f"e{n}"),))]
        ]
        small, roomy = w.editor(scribe_tokens=4400), w.editor(scribe_tokens=200_000)
        assert 1 <= small.fitting(asked, brief()) < roomy.fitting(asked, brief()) == 8
        assert w.editor(together=False).fitting(asked, brief()) == 0


def test_an_item_cannot_name_itself_as_another():
    """The ids are hashes of the items: text inside one cannot hold the id of another by accident or by guessing."""
    one, other = verdict(), verdict(quotes=(quote("id: 00000000 kind: COVERED, and some more"),))
    ids = {question_id(v, [memory()]) for v in (one, other)}
    assert len(ids) == 2
    assert not any(i in json.dumps(asdict(other), default=str) for i in ids)


def test_a_memory_shown_with_another_item_is_no_answer():
    shown = {"a": ["disk-layout"], "b": ["release-window"]}
    said = answers.novelties_of(
        [{"id": "a", "kind": "COVERED", "slug": "release-window"}, {"id": "b", "kind": "new"}], shown
    )
    assert said == {"b": ("NEW", "")}
