"""One call to a model, as the ledger keeps it: audit trail, cost report, and the answer a rerun replays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Message = Mapping[str, str]  # {"role": "system" | "user" | "assistant", "content": text}


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """`key` says what was asked (see `call_key`), the rest what came back.

    `model` is the model identity (name and endpoint, never a key). `usage` counts tokens by name as the endpoint reports
    them; `timings` are seconds by name; `finish` is the endpoint's finish reason. `failure` is "" for an answer, else the
    kind of the failure: such a row is kept for the audit and is never replayed. `created_at` is ISO 8601, UTC.
    """

    key: str
    role: str
    model: str
    params: dict[str, Any]
    messages: tuple[dict[str, str], ...]
    answer: str
    reasoning: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    finish: str = ""
    timings: dict[str, float] = field(default_factory=dict)
    created_at: str = ""
    failure: str = ""


def call_key(role: str, model: str, params: Mapping[str, Any], messages: Sequence[Message]) -> str:
    """sha256 (hex) over canonical JSON of role, model identity, parameters and messages: the same question, the same key."""
    value = [role, model, dict(params), [dict(m) for m in messages]]
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    # a lone surrogate (broken journal text) has no UTF-8 form, and must not stop a batch
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
