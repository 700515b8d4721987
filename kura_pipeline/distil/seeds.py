"""Ideas. They are welcome, and they wait beside the store with their evidence: never in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from kura_pipeline.distil.drafting import claimed_at
from kura_pipeline.distil.gating import Gated


def seeds_of(batch_id: str, gated: Sequence[Gated]) -> list[dict[str, Any]]:
    """The seeds among the verdicts, as plain rows. `id` is the same on a rerun, so a seed is never kept twice; `at` is the
    claim's time."""
    rows: list[dict[str, Any]] = []
    for item in gated:
        if item.verdict.verdict != "seed":
            continue
        candidate, quotes = item.verdict.candidate, item.verdict.quotes
        essence = "\x00".join((batch_id, candidate.topic, *(q.event_id + q.text for q in quotes)))
        rows.append(
            {
                "id": hashlib.sha256(essence.encode("utf-8", "surrogatepass")).hexdigest()[:16],
                "batch": batch_id,
                "at": claimed_at(batch_id),
                "topic": candidate.topic,
                "why": candidate.why,
                "quotes": [
                    {
                        "class": q.cls.value,
                        "text": q.text,
                        "event": q.event_id,
                        "session": q.session,
                        "ts": q.ts,
                    }
                    for q in quotes
                ],
            }
        )
    return rows
