"""Ordered-list markers: "1." and "2)" at the head of lines number the lines and claim nothing.

Only a marker that goes on counting is one: a list begins with 1 and rises by one. "12. hosts were lost" at the head of a
line is a claim that looks like a marker.
"""

from __future__ import annotations

import re

_MARK = re.compile(
    r"^[ \t>#*]*(?:[-+]\s+)?(?:(?:Step|Schritt|Étape|Etape|Paso|步骤|ステップ|手順|단계|الخطوة)\s?)?[(（\[]?(\d{1,2})(?:[.)、:：）\]](?=\s|\D|$)|단계[.:]?)",
    re.MULTILINE | re.IGNORECASE,
)
_INLINE = re.compile(r"(?<![\w)])\((\d)\)(?=\s?[^\s\d])")


def list_marks(view: str) -> frozenset[int]:
    """The offsets of the digits that only number a list, in lines or inline as (1) … (2) …."""
    marks: set[int] = set()
    expected = 1
    for match in _MARK.finditer(view):
        number = int(match.group(1))
        if number == 1 or number == expected:
            marks.add(match.start(1))
            expected = number + 1
    inline = [(m.start(1), int(m.group(1))) for m in _INLINE.finditer(view)]
    if len(inline) > 1 and [n for _, n in inline] == list(range(1, len(inline) + 1)):
        marks.update(at for at, _ in inline)
    return frozenset(marks)
