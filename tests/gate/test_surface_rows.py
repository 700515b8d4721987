"""The surface floor on draft cases in eight languages: what is smuggled is refused by its rule, what is honest passes."""

from __future__ import annotations

import re

import pytest

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.attribution import People
from kura_runtime.gate.surface import check
from tests.gate import surface_rows, surface_rows_second, surface_rows_third
from tests.gate.surface_rows import Row

LINKS = frozenset({"known-memory"})
HONEST = surface_rows.HONEST + surface_rows_second.HONEST + surface_rows_third.HONEST
SMUGGLED = surface_rows.SMUGGLED + surface_rows_second.SMUGGLED + surface_rows_third.SMUGGLED


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


OPINION = "[SELF] I think the queue is the bottleneck; it reads that way to me"


@pytest.mark.parametrize(
    "body",
    [
        "I think the queue is the bottleneck.",
        "My judgement: I believe that the queue is the bottleneck. It reads that way.",
        "In my view the queue is the bottleneck.",
        "Ich halte die Warteschlange für den Engpass.",
        "À mon avis, la file est le goulot.",
        "A mi juicio, la cola es el cuello de botella.",
        "我认为队列是瓶颈。",
        "キューがボトルネックだと思う。",
        "큐가 병목이라고 생각한다.",
        "أعتقد أن الطابور هو عنق الزجاجة.",
    ],
)
def test_an_opinion_told_as_an_opinion_passes(body: str) -> None:
    assert verdict(OPINION, body, judgement=True) == ()


@pytest.mark.parametrize(
    "body",
    [
        "The queue is the bottleneck.",
        "I verified that the queue is the bottleneck.",
        "I think so. The queue is the root cause of every delay.",
        "Die Warteschlange ist der Engpass.",
        "La file est le goulot.",
        "La cola es el cuello de botella.",
        "队列是瓶颈。",
        "キューがボトルネックである。",
        "큐가 병목이다.",
        "الطابور هو عنق الزجاجة.",
    ],
)
def test_an_opinion_hardened_into_a_fact_is_refused(body: str) -> None:
    assert {r.reason for r in verdict(OPINION, body, judgement=True)} == {"self-as-fact"}


def test_a_title_hardens_an_opinion_too() -> None:
    surface = Surface("own-draft", "The queue is the bottleneck", "", "I think the queue is the bottleneck.")
    found = check(surface, quotes_of(OPINION), links=LINKS, people=People(), judgement=True)
    assert [(r.reason, r.place) for r in found] == [("self-as-fact", "title")]
    named = Surface("own-draft", "My view on the queue", "", "I think the queue is the bottleneck.")
    assert check(named, quotes_of(OPINION), links=LINKS, people=People(), judgement=True) == ()


def test_the_evidence_date_is_allowed_as_it_was_stamped_and_in_no_other_form() -> None:
    def told(body: str) -> tuple[Refusal, ...]:
        return check(
            Surface("own-draft", "", "", body),
            quotes_of("[TOOL] done"),
            links=(),
            people=People(),
            stamp="2025-01-02",
        )

    assert told("Seen on 2025-01-02.") == ()
    for other in ("2025-01-03", "2 January 2025", "02.01.2025", "2025"):
        assert {r.reason for r in told(f"Seen on {other}.")} == {"number"}, other


def test_a_refusal_names_rule_token_and_place() -> None:
    (one,) = verdict("[TOOL] took 43.7 ms", "title:Took 43.7 s")
    assert (one.rule, one.reason, one.token, one.place) == ("G5", "number", "43.7 s", "title")
    assert one.note == "the evidence has 43.7 with ms"


def test_a_configured_person_is_the_human() -> None:
    assert verdict("[TOOL] done", "Nekomata approved it.") == ()
    found = verdict("[TOOL] done", "Nekomata approved it.", people=People(("Nekomata",)))
    assert [r.reason for r in found] == ["attribution"]
