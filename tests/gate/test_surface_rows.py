"""The surface floor on draft cases in eight languages: what is smuggled is refused by its rule, what is honest passes."""

from __future__ import annotations

import re

import pytest

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.attribution import People
from kura_runtime.gate.surface import check
from tests.gate.surface_rows import HONEST, SMUGGLED, Row

LINKS = frozenset({"known-memory"})


def quotes_of(text: str) -> list[Quote]:
    """ "[TOOL] a || [USER] b" as surviving quotes."""
    quotes = []
    for n, part in enumerate(text.split(" || ")):
        cls, words = part[1:].split("] ", 1)
        quotes.append(Quote(EvidenceClass(cls), words, f"e{n}", "s", "j", n, n + 1, None))
    return quotes


def verdict(
    quotes: str, text: str, *, judgement: bool = False, people: People | None = None
) -> tuple[Refusal, ...]:
    """The refusals on a surface whose named part is `text` ("title:…"; the body without a name)."""
    parts = {"slug": "own-draft", "title": "", "trigger": "", "body": ""}
    named = re.match(r"(slug|title|trigger|heading|keep|may_fade|belongs_because):", text)
    parts[named.group(1) if named else "body"] = text[named.end() :] if named else text
    return check(
        Surface(**parts), quotes_of(quotes), links=LINKS, people=people or People(), judgement=judgement
    )


@pytest.mark.parametrize("row", SMUGGLED, ids=lambda r: f"{r[3]}-{r[0]}-{r[2][:40]}")
def test_what_the_evidence_does_not_hold_is_refused_by_its_rule(row: Row) -> None:
    _, quotes, body, reason = row
    assert {r.reason for r in verdict(quotes, body)} == {reason}


@pytest.mark.parametrize("row", HONEST, ids=lambda r: f"{r[0]}-{r[2][:40]}")
def test_an_honest_draft_passes_whole(row: Row) -> None:
    _, quotes, body, _ = row
    assert verdict(quotes, body) == ()
