"""The nearest memories of a store: what a new item is compared with before anything is written."""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from kura_runtime.domain.memory import Memory
from kura_runtime.text.grams import grams

NEAREST = 3
# Below this likeness two texts share no more than the grams of their language, and novelty is not asked. Measured: a text and
# what was noted from it have at least 0.38 (55 pairs, among 375 memories); of memories that link each other, which need not
# say the same, one in fifteen lies below; of Chinese texts before an English store half do.
_FLOOR = 0.08
_COMPARED = (
    "active",
    "conflict",
    "stale",
)  # a retired memory must not make the new state of things look covered


class Nearest:
    """An index over memories, built once; ties go to the smaller slug, so the answer never depends on their order."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = sorted((m for m in memories if m.state in _COMPARED), key=lambda m: m.slug)
        counts = [grams(_face(m)) for m in self._memories]
        spread = Counter(gram for count in counts for gram in count)
        self._weight = {g: math.log(1 + len(counts) / n) for g, n in spread.items()}
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._norms: list[float] = []
        for i, count in enumerate(counts):
            vector = {g: (1 + math.log(n)) * self._weight[g] for g, n in count.items()}
            self._norms.append(math.sqrt(sum(v * v for v in vector.values())) or 1.0)
            for gram, value in vector.items():
                self._postings[gram].append((i, value))

    def of(self, text: str, k: int = NEAREST) -> tuple[Memory, ...]:
        """At most `k` memories, the nearest first."""
        query = {g: (1 + math.log(n)) * self._weight.get(g, 0.0) for g, n in grams(text).items()}
        norm = math.sqrt(sum(v * v for v in query.values())) or 1.0
        scores: defaultdict[int, float] = defaultdict(float)
        for gram, value in query.items():
            for i, other in self._postings.get(gram, ()):
                scores[i] += value * other
        likeness = ((s / (norm * self._norms[i]), -i) for i, s in scores.items())
        best = heapq.nlargest(k, (pair for pair in likeness if pair[0] >= _FLOOR))
        return tuple(self._memories[-i] for _, i in best)


def _face(memory: Memory) -> str:
    """What a memory is recognised by: its name, its line, and the beginning of its text."""
    name = memory.slug.replace("-", " ").replace("/", " ")
    return " ".join((name, memory.title, memory.trigger, *memory.callsigns, memory.summary[:600]))
