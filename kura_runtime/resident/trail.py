"""The Hot Trail: the lines that changed last, once more, whole, behind the map."""

from __future__ import annotations

from kura_runtime.resident.cloth import Cloth
from kura_runtime.text.tokens import estimate


def trail(cloth: Cloth, tokens: int) -> list[str]:
    """Fresh and pinned lines with a date, the newest first, as many whole ones as fit into `tokens`."""
    dated = [line for line in cloth.lines if line.date and line.layer == "fresh"]
    dated.sort(key=lambda line: line.slug)
    dated.sort(key=lambda line: line.date, reverse=True)
    kept: list[str] = []
    used = 0
    for line in dated:
        used += estimate(line.text)
        if used > tokens:
            break
        kept.append(line.text)
    return kept
