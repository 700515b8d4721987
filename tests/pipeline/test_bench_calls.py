"""What a poured memory costs, together and one call a step."""

from __future__ import annotations

import pytest

from kura_pipeline.bench.calls import measure, new_tokens
from kura_runtime.text.tokens import estimate


def said(*contents: str):
    return [
        ("scribe", [{"role": "system", "content": "house"}, {"role": "user", "content": c}]) for c in contents
    ]


def test_a_beginning_that_was_sent_before_is_not_counted_twice():
    first = "Task: write. " + "word " * 200
    whole = estimate("system\nhouse\nuser\n" + first)
    assert new_tokens(said(first)) == whole
    assert new_tokens(said(first, first + "tail")) == whole + estimate("tail")
    assert new_tokens(said(first, "Other " + first)) > 2 * whole - 10, (
        "only a beginning counts, not a part in the middle"
    )


def test_roles_share_nothing():
    (one,) = said("word " * 100)
    assert new_tokens([one, ("brain", one[1])]) == 2 * new_tokens([one])


@pytest.mark.slow
def test_asking_together_ends_in_the_same_drafts_and_costs_forty_percent_less():
    result = measure()
    figures = result["figures"]
    assert figures["same_drafts"] == 1
    assert figures["fewer_after_prefix_sharing"] >= figures["target_fewer_after_prefix_sharing"] == 0.4
    assert figures["fewer_if_both_share_prefixes"] > 0
    together, alone = result["table"]
    assert together["calls"] < alone["calls"]
    assert (together["poured"], alone["poured"]) == (together["poured"],) * 2
    assert together["poured"] > 10
