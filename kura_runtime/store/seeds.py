"""Seeds: ideas that wait for evidence, and what became of them.

Two append-only lists: the seeds, and which draft or memory confirms which. A seed has sprouted once that draft was poured, so
a draft that the judge tosses leaves its seed waiting, and nothing has to be written at the pour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kura_runtime.store import history, rows

if TYPE_CHECKING:
    from kura_runtime.store.store import Store


def seeds(store: Store) -> list[dict[str, Any]]:
    """Every seed with its `state`, waiting or sprouted, and where it sprouted the `memory` that confirmed it."""
    confirmed = _confirmed(store)
    found: list[dict[str, Any]] = []
    for seed in history.rows_of(store.path / store.durable("seeds.jsonl")):
        memory = confirmed.get(str(seed.get("id", "")))
        found.append(
            {**seed, "state": "sprouted", "memory": memory} if memory else {**seed, "state": "waiting"}
        )
    return found


def add_sprouts(store: Store, sprouts: Iterable[Mapping[str, Any]]) -> int:
    """Note which seed (`seed`) a staged draft (`draft`, its digest) or a memory (`memory`) confirms; returns how many were
    new."""
    with store.lock():
        return rows.add(store.path / store.durable("sprouts.jsonl"), sprouts, ("seed", "draft", "memory"))


def _confirmed(store: Store) -> dict[str, str]:
    """Seed id → the slug that confirmed it first."""
    poured, slugs = store.poured(), store.slugs() | store.archived()
    found: dict[str, str] = {}
    for row in history.rows_of(store.path / store.durable("sprouts.jsonl")):
        slug = str(row.get("memory") or poured.get(str(row.get("draft")), {}).get("slug", ""))
        if slug in slugs:
            found.setdefault(str(row.get("seed", "")), slug)
    return found
