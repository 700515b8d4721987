"""How long the quotes of a batch take: a fixed mix of 100 candidates × 6 quotes against 200,000 characters.

`python -m kura_pipeline.bench.quotes` prints the figures as one JSON document.
"""

from __future__ import annotations

import json
import platform
import random
import sys
import time
from typing import Any

from kura_runtime.domain.candidate import ProposedQuote
from kura_runtime.domain.evidence import Event, EvidenceClass, Quote
from kura_runtime.text.quotes import BatchIndex

_SEED, _QUOTES, _CHARACTERS, _RUNS = 7, 600, 200_000, 5


def measure() -> dict[str, Any]:
    """Milliseconds of CPU (best of five) to index a batch and resolve 600 quotes, a fifth of them not in it: English and
    Chinese; and the English batch at half and at double size, where the work should halve and double."""
    figures: dict[str, float] = {}
    for name, cjk, size in (
        ("english_ms", False, _CHARACTERS),
        ("chinese_ms", True, _CHARACTERS),
        ("english_100k_ms", False, _CHARACTERS // 2),
        ("english_400k_ms", False, _CHARACTERS * 2),
    ):
        events, quotes = _batch(cjk, size)
        figures[name] = round(min(_once(events, quotes) for _ in range(_RUNS)), 1)
    events, quotes = _batch(False, _CHARACTERS)
    index = BatchIndex(events)
    figures["found"] = sum(isinstance(index.resolve(q), Quote) for q in quotes)
    return {
        "bench": "quotes",
        "figures": figures,
        "table": [],
        "machine": {"python": platform.python_version()},
    }


def _once(events: list[Event], quotes: list[ProposedQuote]) -> float:
    begun = time.process_time()
    index = BatchIndex(events)
    for quote in quotes:
        index.resolve(quote)
    return (time.process_time() - begun) * 1000


def _batch(cjk: bool, size: int) -> tuple[list[Event], list[ProposedQuote]]:
    rng = random.Random(_SEED)  # noqa: S311  a fixed mix, not a secret
    gap = "" if cjk else " "
    if cjk:
        words = ["".join(chr(rng.randint(0x4E00, 0x5FFF)) for _ in range(2)) for _ in range(3000)]
    else:
        words = [
            "".join(rng.choice("etaoinshrdlucmfwypvbgk") for _ in range(rng.randint(2, 9)))
            for _ in range(4000)
        ]
    classes = list(EvidenceClass)
    events: list[Event] = []
    written = 0
    while written < size:
        text = gap.join(rng.choice(words) for _ in range(rng.randint(20, 300)))
        written += len(text)
        events.append(Event(f"e{len(events)}", len(events), rng.choice(classes), text, None, "s", "j", 0, 1))
    quotes = []
    for number in range(_QUOTES):
        event = rng.choice(events)
        parts = list(event.text) if cjk else event.text.split(" ")
        start = rng.randint(0, max(0, len(parts) - 20))
        text = gap.join(parts[start : start + rng.randint(8, 20)])
        quotes.append(ProposedQuote(event.cls, text + (f"{gap}qq" if number % 5 == 0 else "")))
    return events, quotes


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(), indent=2) + "\n")
