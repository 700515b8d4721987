"""Walk `[[links]]` outwards from what was picked: breadth first, picked order first, inside the store only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kura_runtime.domain.memory import Memory
from kura_runtime.domain.slug import slugify
from kura_runtime.recall.corpus import Corpus

MOST = 24  # memories a walk brings at the most; the budget decides how many are shown


def resolve(corpus: Corpus, target: str) -> str | None:
    """The slug a link means: exact, else the same words as a slug, else the one memory of this name in any namespace. Never a
    path: the answer is always one of the slugs the store holds."""
    if target in corpus.place:
        return target
    plain = slugify(target.rsplit("/", 1)[-1].removesuffix(".md"))
    if plain in corpus.place:
        return plain
    ends = corpus.tails.get(plain, ())
    return ends[0] if len(ends) == 1 else None


def walk(corpus: Corpus, picked: Sequence[str], hops: int) -> tuple[str, ...]:
    """Slugs reached within `hops` links, nearest first, without the picked ones. What holds now instead of a retired memory and
    the other side of a conflict come along at any number of hops: half of such a story is a wrong answer."""
    seen = set(picked)
    found: list[str] = []
    for slug in picked:
        memory = corpus.get(slug)
        for side in _other_side(corpus, memory) if memory else ():
            if side not in seen:
                seen.add(side)
                found.append(side)
    edge = list(picked)
    for _ in range(hops):
        following: list[str] = []
        for slug in edge:
            memory = corpus.get(slug)
            for target in memory.links if memory else ():
                other = resolve(corpus, target)
                if other is None or other in seen or len(found) >= MOST:
                    continue
                reached = corpus.get(other)
                if reached is None or reached.state == "archived":
                    continue
                seen.add(other)
                found.append(other)
                following.append(other)
        edge = following
    return tuple(found)


def _other_side(corpus: Corpus, memory: Memory) -> Iterable[str]:
    if memory.superseded_by:
        now = resolve(corpus, memory.superseded_by)
        if now:
            yield now
    if memory.state == "conflict":
        for target in memory.links:
            side = resolve(corpus, target)
            against = corpus.get(side) if side else None
            if against is not None and against.state == "conflict":
                yield against.slug
