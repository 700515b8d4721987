"""How much a store holds, in four units, and how near to its limit. What happens to a full shelf is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kura_runtime.domain.memory import Memory
from kura_runtime.text.tokens import estimate


@dataclass(frozen=True, slots=True)
class Capacity:
    """Tokens are estimates by script. `limit` (memories) and `pressure` (share of it) are None where none is set."""

    memories: int
    index_tokens: int
    body_tokens: int
    bytes: int
    limit: int | None = None
    pressure: float | None = None


def measure(memories: Iterable[Memory], sizes: Iterable[int], limit: int | None) -> Capacity:
    """`sizes` are the files' bytes."""
    count = index = body = 0
    for memory in memories:
        count += 1
        index += estimate(f"- {memory.title} — {memory.trigger}")
        body += estimate(memory.summary) + (estimate(memory.detail) if memory.detail else 0)
    return Capacity(count, index, body, sum(sizes), limit, round(count / limit, 3) if limit else None)
