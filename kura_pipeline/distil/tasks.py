"""The tasks a model is given: the prompt's name and version, and the form its answer is held to where an endpoint can do
so. A form spares broken JSON and shortens nothing of what is checked afterwards."""

from __future__ import annotations

from functools import cache
from typing import Any

from kura_pipeline.distil.answers import KINDS
from kura_pipeline.distil.prompting import prompt_version
from kura_runtime.models.dialect import Shape, Task

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_CURATION = dict.fromkeys(("belongs_because", "keep", "may_fade"), _TEXT)
_NOVELTY = {"kind": {"type": "string", "enum": ["COVERED", "EXTENDS", "CONFLICTS", "NEW"]}, "slug": _TEXT}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """Every field stands in it: some endpoints take no optional ones."""
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


def _array(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": _object(properties)}


_ITEMS = _array({
    "topic": _TEXT, "kind": {"type": "string", "enum": list(KINDS)}, "why": _TEXT, "quotes": _TEXTS, "tags": _TEXTS,
    "callsigns": _TEXTS, **_CURATION,
})  # fmt: skip
_FIXED = _object({**dict.fromkeys(("title", "trigger", "heading", "body"), _TEXT), **_CURATION})
_SHAPES: dict[str, dict[str, Any]] = {
    "spot": _ITEMS,
    "coverage": _ITEMS,
    "novelty": _object(_NOVELTY),
    "novelties": _array({"id": _TEXT, **_NOVELTY}),
    "compose": _object({**dict.fromkeys(("slug", "title", "trigger", "body"), _TEXT), **_CURATION}),
    "extend": _object({"heading": _TEXT, "body": _TEXT, **_CURATION}),
    "sprout": _array({"id": _TEXT, "seed": _TEXT}),
    "tidy": _array({"slug": _TEXT, "line": _TEXT}),
    "trigger": _array({"slug": _TEXT, "line": _TEXT}),
    "profile": _array({"line": _TEXT, "slugs": _TEXTS}),
    "judge": _object({
        "slug": _TEXT, "verdict": {"type": "string", "enum": ["POUR", "FIX", "TOSS"]}, "reason": _TEXT,
        "fixed": {"anyOf": [{"type": "null"}, _FIXED]},
    }),
}  # fmt: skip


@cache
def task(name: str) -> Task:
    """The task of a prompt file."""
    shape = _SHAPES.get(name)
    return Task(name, prompt_version(name), Shape(name, shape) if shape is not None else None)
