"""Credits to the human are found in every language, and honest mentions of users are not."""

from __future__ import annotations

import pytest

from kura_runtime.gate.attribution import People, attributions
from tests.gate.attribution_rows import CREDITS, HONEST


def _rows(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(lang, text) for lang, texts in table.items() for text in texts]


@pytest.mark.parametrize(("lang", "text"), _rows(CREDITS))
def test_a_credit_to_the_human_is_found(lang: str, text: str) -> None:
    assert attributions(text, People()), text


@pytest.mark.parametrize(("lang", "text"), _rows(HONEST))
def test_an_honest_mention_credits_nobody(lang: str, text: str) -> None:
    assert not attributions(text, People()), [a.token for a in attributions(text, People())]


@pytest.mark.parametrize(
    "text",
    ["Xanthippe approved the change.", "با xanthippe approved", "经Xanthippe同意", "XANTHIPPE did approve"],
)
def test_a_name_counts_as_the_human_only_where_it_is_configured(text: str) -> None:
    if text.startswith(("Xanthippe", "经")):
        assert attributions(text, People(("Xanthippe",)))
    assert not attributions(text, People())


def test_the_place_of_a_credit_is_its_span_in_the_plain_view() -> None:
    (one,) = attributions("Note: the user approved it.", People())
    assert (one.token, one.language) == ("the user approved", "en")
    assert "Note: the user approved it."[one.start : one.end] == one.token
