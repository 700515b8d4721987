"""JSON out of answers: what can be rescued is rescued, what cannot is counted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kura_runtime.models.salvage import object_of, objects_of

A, B = (
    {"topic": "braces } in { strings", "quotes": ['[USER] a "quoted" word']},
    {"topic": "日本語 🦊", "quotes": []},
)
GOOD = json.dumps([A, B], ensure_ascii=False)


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here they are:\n\n```\n{GOOD}\n```\nI hope this helps {{smile}}.",
        f"Sure: {GOOD}",
        json.dumps({"items": [A, B]}),
        json.dumps({"candidates": [A, B], "note": "two"}),
        GOOD.replace("}]", "},]"),
    ],
)
def test_whole_answers_in_any_wrapping_lose_nothing(answer):
    read = objects_of(answer)
    assert list(read.objects) == [A, B]
    assert read.lost == {}


def test_an_empty_array_is_a_clean_answer_with_nothing_in_it():
    assert objects_of("[]").clean
    assert objects_of("```json\n[]\n```").objects == ()
    assert objects_of("[]").lost == {}


def test_a_truncated_array_keeps_its_complete_items():
    read = objects_of(GOOD[:-5])
    assert (list(read.objects), read.salvaged, read.lost) == ([A], 1, {"cut": 1})


def test_a_truncated_wrapped_array_keeps_its_complete_items():
    read = objects_of('{"items": [' + json.dumps(A) + ", " + json.dumps(B)[:10])
    assert (list(read.objects), read.lost) == ([A], {"cut": 1})


def test_one_broken_item_does_not_take_its_neighbours_along():
    read = objects_of(f"[{json.dumps(A)}, {{topic: no quotes}}, {json.dumps(B)}]")
    assert (list(read.objects), read.salvaged, read.lost) == ([A, B], 2, {"broken": 1})


def test_items_of_a_wrong_shape_are_counted():
    read = objects_of(json.dumps(["text", 7, A]))
    assert (list(read.objects), read.lost) == ([A], {"shape": 2})


@pytest.mark.parametrize("answer", ["I cannot help with that.", "", "null", "42", '"text"'])
def test_prose_is_no_empty_answer(answer):
    read = objects_of(answer)
    assert (read.objects, read.lost) == ((), {"prose": 1})


def test_raw_newlines_inside_strings_are_forgiven():
    assert objects_of('[{"body": "line one\nline two"}]').objects == ({"body": "line one\nline two"},)


def test_a_single_object_is_asked_for_and_further_ones_are_counted():
    read = object_of('{"verdict": "POUR"}\n{"verdict": "TOSS"}')
    assert (read.objects, read.lost) == (({"verdict": "POUR"},), {"extra": 1})


def test_a_hostile_answer_costs_little():
    for answer in ('{"a":' * 50_000, '{"a' * 50_000, "[" * 100_000, "{" * 100_000):
        assert objects_of(answer).objects == ()


@given(st.text(max_size=200))
def test_no_text_makes_it_raise(text):
    objects_of(text)
    objects_of('[{"a": "' + text)


_VALUES = st.dictionaries(
    st.text(max_size=5), st.one_of(st.text(max_size=20), st.integers(), st.booleans()), min_size=1, max_size=3
)


@given(st.lists(_VALUES.map(lambda d: {"topic": "t", **d}), min_size=1, max_size=4), st.integers(0, 400))
def test_cutting_an_answer_anywhere_never_invents_an_item(items, at):
    whole = json.dumps(items, ensure_ascii=False)
    assert all(found in items for found in objects_of(whole[:at]).objects)
