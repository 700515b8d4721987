"""A model that answers from a fixture's labels: right about the facts, and wrong about the distractors as models are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kura_pipeline.bench.planted import Fixture, Plant
from tests.scripted_model import Cast

_SLUG = re.compile(r"^slug: (\S+)$", re.MULTILINE)


def cast(*fixtures: Fixture) -> Cast:
    """Brain and scribe for these fixtures."""
    model = _Model([p for f in fixtures for p in f.plants])
    return Cast(
        spot=model.spot,
        novelties=[[]],
        novelty=model.novelty,
        compose=model.compose,
        extend=model.extend,
        judge=model.judge,
    )


class _Model:
    def __init__(self, plants: list[Plant]) -> None:
        self._plants = plants

    def spot(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        evidence = _asked(request)
        found = []
        for plant in self._plants:
            seen = plant.say or plant.by_agent or (plant.tool[1] if plant.tool else "")
            if seen and seen in evidence:
                found.append(_candidate(plant, plant.title, plant.quotes))
            if plant.later and plant.later in evidence:
                found.append(_candidate(plant, f"{plant.title}, again", plant.later_quotes))
        return found

    def novelty(self, request: dict[str, Any]) -> dict[str, str]:
        asked = _asked(request)
        for plant, later in self._meant(asked):
            if later and f"slug: {plant.id}\n" in asked:
                return {"kind": "EXTENDS" if plant.kind == "reversal" else "COVERED", "slug": plant.id}
        return {"kind": "NEW", "slug": ""}

    def compose(self, request: dict[str, Any]) -> dict[str, str]:
        for plant, later in self._meant(_asked(request)):
            quotes = plant.later_quotes if later else plant.quotes
            said = " ".join(_told(cls, text) for cls, text in quotes)
            return {"slug": plant.id, "title": plant.title, "trigger": said[:200], "body": said}
        return {}

    def extend(self, request: dict[str, Any]) -> dict[str, str]:
        for plant, _ in self._meant(_asked(request)):
            return {"heading": plant.heading, "body": _told("USER", plant.later)}
        return {}

    def judge(self, request: dict[str, Any]) -> dict[str, str]:
        found = _SLUG.search(_asked(request))
        return {"slug": found.group(1) if found else "", "verdict": "POUR", "reason": "clear"}

    def _meant(self, asked: str) -> Iterator[tuple[Plant, bool]]:
        """The plant whose item is asked about, and whether it is its second mention."""
        for plant in self._plants:
            if f"topic: {plant.title}, again\n" in asked:
                yield plant, True
            elif f"topic: {plant.title}\n" in asked:
                yield plant, False


def _told(cls: str, text: str) -> str:
    """The human's words in quotation marks: only there may they carry a number."""
    return f"“{text}”" if cls == "USER" else text


def _asked(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


def _candidate(plant: Plant, topic: str, quotes: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    return {
        "topic": topic,
        "kind": plant.label or "project",
        "why": "it will be asked for",
        "quotes": [f"[{cls}] {text}" for cls, text in quotes],
        "tags": [],
        "callsigns": [],
    }
