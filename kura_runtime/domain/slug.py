"""Slugs: kebab names, 3 to 48 characters, with an optional `namespace/`."""

from __future__ import annotations

import hashlib
import re
import unicodedata

SLUG = re.compile(r"^(?:[a-z0-9]+(?:-[a-z0-9]+)*/)?[a-z0-9]+(?:-[a-z0-9]+)*$")
SLUG_MIN, SLUG_MAX = 3, 48


def is_slug(text: str) -> bool:
    """True for a well-formed slug; the length rule counts the name after the namespace."""
    return bool(SLUG.fullmatch(text)) and SLUG_MIN <= len(text.rsplit("/", 1)[-1]) <= SLUG_MAX


def slugify(text: str) -> str:
    """A slug made of the Latin words and digits of `text`; text with none of them gets `memory-<8 hex of its hash>`."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text)).casefold()
    words = re.findall(r"[a-z0-9]+", "".join(c for c in folded if not unicodedata.combining(c)))
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word
        if len(longer) > SLUG_MAX:
            break
        slug = longer
    if len(slug) < SLUG_MIN or not any(c.isalpha() for c in slug):
        return "memory-" + hashlib.sha256(text.encode()).hexdigest()[:8]
    return slug
