"""`[[slug]]` links in prose; double brackets inside code are not links."""

from __future__ import annotations

import re

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LINK = re.compile(r"\[\[([^\[\]\n]{1,120})\]\]")


def links_of(text: str) -> tuple[str, ...]:
    """The targets of every `[[…]]` outside inline code and fences, first occurrence first, without repeats."""
    bare = _CODE.sub(" ", text)
    return tuple(dict.fromkeys(m.group(1).split("|", 1)[0].strip() for m in _LINK.finditer(bare)))
