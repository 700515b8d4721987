"""Bench `compress`: how large a store is beside the journals it was distilled from.

    store_ratio = tokens of the memories and their index lines / tokens of the evidence that was read for them
    map_ratio   = tokens of the resident map / tokens of the memories in it

Only memories whose manifest names a recorded batch are set against the evidence of the recorded batches: a whole store
over a few batches' evidence would be off by an order of magnitude. The others are `unattributed`, with the reason. A
batch that gave no memory was read all the same, and its evidence counts. The ratio belongs to the material as much as to
the tool: filler is left out, and dense material grows by what each memory says about itself.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from kura_pipeline.bench.tokens import ESTIMATE, Tokenizer
from kura_pipeline.distil.evidence import batch_of
from kura_pipeline.distil.frozen import memory_text
from kura_runtime.domain.manifest import Manifest
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import KuraError

CHARS_A_TOKEN = 4.0  # for a batch of which only the number of characters is left


class Measured(Protocol):
    """What the bench needs of a store."""

    def memories(self) -> list[Memory]: ...

    def manifest(self, digest: str) -> Manifest: ...


@dataclass(frozen=True, slots=True)
class Source:
    """What is known of one recorded batch: its evidence, or only what the ledger noted of it."""

    evidence: Callable[[], pa.Table | None]
    figures: Mapping[str, Any]


def run(
    store: Measured, sources: Mapping[str, Source], cloth: str, *, tokenizer: Tokenizer = ESTIMATE
) -> dict[str, Any]:
    """`{"bench","counted","figures","table","unattributed","machine"}`. `sources` are the batches that were distilled to
    their end, by id; `cloth` is the text of the woven map. `counted` is `exact` where the tokeniser counted both sides,
    `mixed` where a batch's evidence is gone and its tokens are an estimate, `estimated` without a tokeniser.

    A ratio is left out where it would divide by nothing."""
    count = tokenizer.count
    memories = store.memories()
    mine: dict[str, list[Memory]] = {batch: [] for batch in sources}
    unattributed: dict[str, list[str]] = {}
    for memory in memories:
        batch, why_not = _batch_of(store, memory, sources)
        if batch:
            mine[batch].append(memory)
        else:
            unattributed.setdefault(why_not, []).append(memory.slug)
    table: list[dict[str, Any]] = []
    estimated = 0
    for batch, source in sorted(sources.items()):
        raw, exact = _raw(source, tokenizer)
        estimated += not exact
        said = sum(count(memory_text(m)) for m in mine[batch])
        lines = sum(count(_line(m)) for m in mine[batch])
        table.append(
            {
                "batch": batch,
                "raw_tokens": raw,
                "counted": exact,
                "memories": len(mine[batch]),
                "memory_tokens": said,
                "index_tokens": lines,
            }
        )
    sums: Counter[str] = Counter()
    for row in table:
        sums.update({k: row[k] for k in ("raw_tokens", "memories", "memory_tokens", "index_tokens")})
        if row["memories"]:
            sums["raw_tokens_of_sources"] += row["raw_tokens"]
    bodies = sum(count(_body(m)) for m in memories)
    map_tokens = count(cloth)
    figures: dict[str, float] = {
        "memories": len(memories),
        "attributed": sums["memories"],
        "unattributed": len(memories) - sums["memories"],
        "batches": len(table),
        "batches_with_memories": sum(bool(row["memories"]) for row in table),
        "raw_tokens": sums["raw_tokens"],
        "memory_tokens": sums["memory_tokens"],
        "index_tokens": sums["index_tokens"],
        "body_tokens": bodies,
        "map_tokens": map_tokens,
    }
    stored = sums["memory_tokens"] + sums["index_tokens"]
    for name, above, below in (
        ("store_ratio", stored, sums["raw_tokens"]),
        ("store_ratio_of_sources", stored, sums["raw_tokens_of_sources"]),
        ("map_ratio", map_tokens, bodies),
    ):
        if below:
            figures[name] = round(above / below, 4)
    return {
        "bench": "compress",
        "counted": "estimated" if not tokenizer.exact else "mixed" if estimated else "exact",
        "figures": figures,
        "table": table,
        "unattributed": {reason: sorted(slugs) for reason, slugs in sorted(unattributed.items())},
        "machine": {"python": platform.python_version()},
    }


def _batch_of(store: Measured, memory: Memory, sources: Mapping[str, Source]) -> tuple[str, str]:
    """The recorded batch a memory came from, or why it is set against none."""
    if not memory.origin_manifest:
        return "", f"no manifest ({memory.provenance})"
    try:
        batch = store.manifest(memory.origin_manifest).batch_id
    except (KuraError, OSError, ValueError, KeyError, TypeError):
        return "", "manifest lost or damaged"
    return (batch, "") if batch in sources else ("", "its batch is not recorded here")


def _raw(source: Source, tokenizer: Tokenizer) -> tuple[int, bool]:
    """Tokens of a batch's evidence, and whether they were counted (by whichever tokeniser) on the texts themselves."""
    table = source.evidence()
    if table is not None:
        texts = [e.text for e in batch_of(table).events if not e.context]
        return tokenizer.count("\n".join(texts)), True
    noted = source.figures.get("evidence_tokens")
    if isinstance(noted, int):
        return noted, False
    return round(int(source.figures.get("characters", 0)) / CHARS_A_TOKEN), False


def _line(memory: Memory) -> str:
    return f"- {memory.title} — {memory.trigger}"


def _body(memory: Memory) -> str:
    return "\n\n".join(part for part in (memory.summary, memory.detail) if part)
