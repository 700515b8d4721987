"""The surface floor: the rules that every model-written text passes before it may be signed, poured or indexed.

One call checks a whole surface against the quotes that survived the candidate gate. The verdict is a tuple of refusals;
an empty one passes. Nothing here asks a model, a clock or a file, and the order of the quotes does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.attribution import People, attributions
from kura_runtime.gate.judgement import claims_fact, hardened, is_judgement, is_report
from kura_runtime.gate.links import check_links
from kura_runtime.gate.markers import check_markers
from kura_runtime.gate.numbers import Vouched, check_numbers, check_slug
from kura_runtime.gate.polarity import check_polarity
from kura_runtime.gate.quotation import check_quotations

_OTHERS_WORDS = ("slug", "trigger", "may_fade")  # parts that state no claim of their own


def check(
    surface: Surface,
    quotes: Sequence[Quote],
    *,
    links: Container[str],
    people: People,
    stamp: str = "",
    judgement: bool = False,
) -> tuple[Refusal, ...]:
    """Check a surface against its surviving quotes.

    `links` holds the slugs of the store and of staged drafts; `stamp` is the evidence date set by code (YYYY-MM-DD), the
    only number that needs no quote; `judgement` says that only the agent's own prose stands behind the candidate.
    Reasons: number, attribution, quotation, dead-link, polarity, marker, self-as-fact. Refusals come in a fixed
    order: by rule, then by place.
    """
    ordered = tuple(sorted(quotes, key=lambda q: (-q.cls.trust, q.event_id, q.text)))
    user = [q.text for q in ordered if q.cls is EvidenceClass.USER]
    vouched = Vouched.by(ordered, judgement=judgement)
    parts = [(place, text) for place, text in surface.places() if text]
    found: list[Refusal] = []
    if judgement:
        found.extend(_hardening(surface))
    for place, text in parts:
        if place == "slug":
            found.extend(check_slug(text, vouched, stamp=stamp))
        else:
            found.extend(check_numbers(place, text, vouched, user, stamp=stamp))
    if not user:
        found.extend(_credits(parts, people))
    for place, text in parts:
        if place != "slug":
            found.extend(check_quotations(place, text, ordered, people))
            found.extend(check_links(place, text, links, surface.slug))
        found.extend(check_markers(place, text, ordered))
    found.extend(check_polarity(surface, ordered))
    return tuple(dict.fromkeys(found))


def _credits(parts: Sequence[tuple[str, str]], people: People) -> Iterator[Refusal]:
    """Rule G6, second half: without a surviving USER quote nobody is credited with anything."""
    for place, text in parts:
        for one in attributions(re.sub(r"[-/]", " ", text) if place == "slug" else text, people):
            yield Refusal("G6", "attribution", one.token, place, "no surviving USER quote stands behind this")


def _hardening(surface: Surface) -> Iterator[Refusal]:
    """Rule G4 on a draft: an opinion is told as an opinion, in the body and wherever the draft states it again."""
    if not is_judgement(surface.body):
        yield Refusal(
            "G4",
            "self-as-fact",
            surface.body[:80],
            "body",
            "only the agent's prose stands behind this: say it as its opinion",
        )
    for place, text in surface.places():
        if not text or place in _OTHERS_WORDS:
            continue
        if place == "title" and claims_fact(text) and not is_judgement(text):
            yield Refusal("G4", "self-as-fact", text, place, "states as a fact what the agent only thinks")
        for sentence in hardened(text):
            if place != "title" or is_report(text):
                yield Refusal(
                    "G4", "self-as-fact", sentence[:80], place, "states as a fact what the agent only thinks"
                )
