"""Names that carry digits: esp32-s3, v1.3.0, gpt-4, 10.0.0.1, src/v2/index.ts, 2024-03-01, 10:30.

Digits inside a name are no number; the whole name must stand in the evidence. A part cut off by a path separator
(a file's base name, a host without its port) is still a name of its own; a part cut out at a dot or a hyphen is not:
v1.2 is not v1.2.3, and esp32 is not esp32-s3.
"""

from __future__ import annotations

import re

_EDGE = re.compile(r"^[.:,/\\~@+*^'-]+|[.:,/\\~@+*^'-]+$")
_PART = re.compile(r"[/\\:@]+")
_EXTENSION = re.compile(r"\.[a-z]{1,5}$")
_NOT_ALNUM = re.compile(r"[\W_]+")
_VERSION = re.compile(r"^v(?=\d+\.\d)", re.IGNORECASE)


def canonical(name: str) -> str:
    """The form in which two spellings of one identifier are equal: no case, no punctuation at its edges."""
    return _VERSION.sub("", _EDGE.sub("", name)).casefold()


def compact(name: str) -> str:
    """`canonical` without hyphens, underscores and spaces: GPT-4, gpt_4 and "GPT 4" are one name."""
    return re.sub(r"[-_\s]", "", canonical(name))


def dashed(name: str) -> str:
    """The form a slug can hold: everything that is no letter or digit becomes one hyphen (v1.3.0 → v1-3-0)."""
    return _NOT_ALNUM.sub("-", _EDGE.sub("", name).casefold()).strip("-")


def names_within(name: str) -> set[str]:
    """The canonical names that one identifier of the evidence vouches for: itself, its path parts in a row, a base
    name without its extension."""
    whole = canonical(name)
    names = {whole}
    pieces = [p for p in _PART.split(whole) if p]
    if len(pieces) > 1:
        cuts = [m.span() for m in _PART.finditer(whole)][:12]
        starts, ends = [0, *(b for _, b in cuts)], [*(a for a, _ in cuts), len(whole)]
        names.update(whole[a:b] for i, a in enumerate(starts) for b in ends[i:] if b > a)
    names.update({_EXTENSION.sub("", n) for n in names if _EXTENSION.search(n)})
    return {canonical(n) for n in names if n}
