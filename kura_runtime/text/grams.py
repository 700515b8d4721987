"""Character n-grams: likeness of two texts in any script, without a dictionary and without a model."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

_WORD = re.compile(r"\w+")
_DENSE = re.compile(  # scripts written without spaces: two characters are as telling as a word
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f\u0e00-\u0e7f]+"
)


def grams(text: str) -> Counter[str]:
    """Counts of 3-grams of each word with its edges marked, and of 2-grams where the script has no spaces. Case, width
    and accents composed differently do not matter."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: Counter[str] = Counter()
    for word in _WORD.findall(folded):
        dense = "".join(_DENSE.findall(word))
        found.update(dense[i : i + 2] for i in range(len(dense) - 1))
        for part in _DENSE.split(word):
            if part:
                edged = f"^{part}$"
                found.update(edged[i : i + 3] for i in range(len(edged) - 2))
    return found


def cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Cosine of two sparse vectors, 0.0 where one is empty."""
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    dot = sum(value * large[key] for key, value in small.items() if key in large)
    if not dot:
        return 0.0
    norms = math.sqrt(sum(v * v for v in a.values())) * math.sqrt(sum(v * v for v in b.values()))
    return dot / norms
