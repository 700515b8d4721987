"""Rule G8: every [[slug]] leads to a memory of the store, to a staged draft, or to the draft itself."""

from __future__ import annotations

from collections.abc import Container, Iterator

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.links import links_of


def check_links(place: str, text: str, links: Container[str], own: str) -> Iterator[Refusal]:
    """The dead links of one part of a surface; `own` is the slug of the draft. An anchor behind # is not part of a slug."""
    for target in links_of(text):
        slug = target.split("#", 1)[0].strip()
        if slug != own and slug not in links:
            yield Refusal("G8", "dead-link", f"[[{target}]]", place, "no memory or staged draft of this name")
