"""What a record says, as the same text every time: what keys are made of."""

from __future__ import annotations

import json
from typing import Any

import orjson


def told(value: Any, raw: bytes) -> str:
    """The value as a text for a hash; what no JSON writer takes (a lone surrogate, a nest too deep) by its raw bytes."""
    try:
        return orjson.dumps(value).hex()
    except TypeError:
        pass
    try:
        return json.dumps(value)
    except (RecursionError, ValueError, TypeError):
        return raw.strip().hex()
