"""What every composed text must pass: its form (length, markup, language, no retold example), then the gate's floor.

One function for first drafts, for a judge's FIX and for the check that re-verifies drafts: there is no second door.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace

from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.prompting import canaries_in
from kura_pipeline.distil.tongue import script_language, wrong_language
from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.domain.memory import SUMMARY_MAX, TRIGGER_MAX
from kura_runtime.domain.slug import is_slug
from kura_runtime.gate.attribution import People
from kura_runtime.gate.surface import check

LIMITS = {
    "title": 120, "trigger": TRIGGER_MAX, "heading": 80, "body": SUMMARY_MAX, "belongs_because": 300, "keep": 300,
    "may_fade": 300,
}  # fmt: skip
_MARKUP = re.compile(r"<!--|-->|^---\s*$|⟦[^⟧\n]*⟧", re.MULTILINE)
_BLOB = re.compile(r"[A-Za-z0-9+/=_-]{120,}")


def refusals_of(
    surface: Surface,
    quotes: Sequence[Quote],
    brief: Brief,
    *,
    links: Container[str],
    stamp: str = "",
    extends: str | None = None,
    judgement: bool = False,
) -> tuple[Refusal, ...]:
    """Everything that speaks against a surface; () passes. In an extension slug, title and trigger are the old memory's
    and nobody's new words, so only heading and body (and curation) are looked at."""
    if extends is not None:
        surface = replace(surface, slug="", title="", trigger="")
    people = brief.people if brief.people is not None else People(())
    floor = check(surface, quotes, links=links, people=people, stamp=stamp, judgement=judgement)
    return (*_form(surface, quotes, brief, extends), *floor)


def _form(surface: Surface, quotes: Sequence[Quote], brief: Brief, extends: str | None) -> list[Refusal]:
    found: list[Refusal] = []
    wanted = ("heading", "body") if extends is not None else ("title", "trigger", "body")
    for place, text in surface.places():
        if place in wanted and not text.strip():
            found.append(Refusal("form", "missing", place=place, note="this field is needed"))
        limit = LIMITS.get(place)
        if limit is not None and len(text) > limit:
            note = f"{len(text)} characters; at most {limit} are allowed"
            found.append(Refusal("form", "length", place=place, note=note))
        if place not in ("slug", "body") and "\n" in text:
            found.append(Refusal("form", "lines", place=place, note="this field is one line"))
        for match in _MARKUP.finditer(text):
            note = "this mark is not allowed in a memory"
            found.append(Refusal("form", "markup", token=match.group()[:40], place=place, note=note))
        if _BLOB.search(text):
            found.append(Refusal("form", "blob", place=place, note="a long run of encoded characters"))
    if extends is None and not is_slug(surface.slug):
        found.append(Refusal("form", "slug", token=surface.slug, place="slug", note="not a kebab-case slug"))
    everything = "\n".join(text for _, text in surface.places())
    for word in canaries_in(everything, [q.text for q in quotes]):
        found.append(
            Refusal("form", "example", token=word, note="a word of the prompt's example, not of the evidence")
        )
    return found + _language(surface, quotes, brief)


def _language(surface: Surface, quotes: Sequence[Quote], brief: Brief) -> list[Refusal]:
    language = brief.language
    if not language:
        # the human's own words show the language, where their script gives it away
        language = script_language(tuple(q.text for q in quotes if q.cls is EvidenceClass.USER))
    text = "\n".join((surface.title, surface.trigger, surface.heading, surface.body))
    against = wrong_language(text, language) if language else ""
    if not against:
        return []
    return [
        Refusal("form", "language", token=language, note=f"must be written in {language}, but: {against}")
    ]
