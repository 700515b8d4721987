"""A store at one revision, ready to be asked: its arrays, built once from memories or opened from a snapshot, and its pages."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kura_runtime.domain.memory import Memory
from kura_runtime.recall.arrays import BODY_MARK, OPENING_MARK, SENTINEL, Arrays
from kura_runtime.recall.framing import Block, block_of
from kura_runtime.recall.heads import (
    Keys,
    fold,
    gram_keys,
    is_dense,
    stem,
    text_keys,
    word_key,
    words_of,
)
from kura_runtime.recall.lookup import Lookup

OPENING = 320  # characters of the body that one head reads
STOP_SHARE = 0.2  # a gram in more than a fifth of the memories drowns in its own collisions
STOP_COUNT = 400  # and in a large store no gram is worth more postings than this
STOP_FLOOR = 4  # in a tiny store a fifth is nothing
UNKNOWN = 0.6  # share of the greatest rarity that a gram unknown to the store weighs in a head's reach
BLOCKS = 4096  # framed memories kept in memory
DENSE_ENOUGH = 12  # keys of dense script in a memory that can be asked in it
NAME_LEAST = 3  # characters of a name that stands for itself
_PACKED = np.uint64(1 << 42)  # below it only characters and pairs of dense scripts stand in a row


@dataclass(frozen=True)
class Corpus:
    """A store at one revision, ready to be asked. Safe to share between threads: nothing in it changes."""

    slugs: tuple[str, ...]
    arrays: Arrays
    memory_at: Callable[[int], Memory]
    place: dict[str, int] = field(repr=False)
    names: Callable[[int], tuple[str, str]] = field(repr=False)  # folded slug and title, as words
    callsigns: dict[str, tuple[int, ...]] = field(repr=False)
    superseded: dict[str, str] = field(repr=False)  # slug → what replaced it, where something did
    blocks: dict[tuple[int, str], Block] = field(repr=False, default_factory=dict)  # framed once, kept
    answers: dict[Any, Any] = field(
        repr=False, default_factory=dict
    )  # what tier 0 said, by question and strictness

    @cached_property
    def dense_callsigns(self) -> tuple[str, ...]:
        """Callsigns in a script without spaces."""
        return tuple(c for c in self.callsigns if is_dense(c))

    @cached_property
    def tails(self) -> dict[str, tuple[str, ...]]:
        """Name without its namespace → the slugs that end in it."""
        found: dict[str, list[str]] = {}
        for slug in self.slugs:
            found.setdefault(slug.rsplit("/", 1)[-1], []).append(slug)
        return {name: tuple(slugs) for name, slugs in found.items()}

    @property
    def size(self) -> int:
        """How many memories."""
        return len(self.slugs)

    def get(self, slug: str) -> Memory | None:
        """The memory of exactly this slug, or None."""
        at = self.place.get(slug)
        return None if at is None else self.memory_at(at)

    def block(self, slug: str, store: str = "") -> Block:
        """The memory of this slug, framed. Raises KeyError for a slug that is not held."""
        row = self.place[slug]
        kept = self.blocks.get((row, store))
        if kept is None:
            if len(self.blocks) >= BLOCKS:
                self.blocks.clear()
            kept = self.blocks[row, store] = block_of(self.memory_at(row), store)
        return kept

    @cached_property
    def rarest(self) -> float:
        """The rarity of what no memory holds."""
        return math.log1p(self.size)

    @cached_property
    def lookup(self) -> Lookup:
        """Features by name, remembered."""
        return Lookup(self.arrays, self.rarest, self.rarest * UNKNOWN)

    def reads_dense(self, row: int) -> bool:
        """True where the memory is written (also) in a script without spaces."""
        a, b = self.arrays.row_starts[row : row + 2]
        return int(self.arrays.row_keys[a:b].searchsorted(_PACKED)) >= DENSE_ENOUGH

    def name_share(self, row: int, spaced: str) -> float:
        """How much of the question the memory's name makes up, 0 where slug and title do not stand in it whole. `spaced` is
        the folded question with every joint as a space."""
        slug, title = self.names(row)  # each with a space at both ends
        best = len(title) if title in spaced else 0
        if slug in spaced:
            best = max(best, len(slug))
        return min(1.0, 2.0 * best / len(spaced)) if best > NAME_LEAST + 1 else 0.0


def spaced_out(folded: str) -> str:
    """A folded text with every joint between words as one space, and a space at both ends."""
    return f" {_BOUNDARY.sub(' ', folded)} "


def names_of(memory: Memory) -> tuple[str, str]:
    """Slug and title as they would stand in a question: folded, joints as spaces, a space at both ends."""
    return tuple(
        f" {' '.join(spaced_out(fold(n)).split())} " for n in (memory.slug.rsplit("/", 1)[-1], memory.title)
    )  # type: ignore[return-value]


def callsigns_of(memories: Iterable[tuple[int, Iterable[str]]]) -> dict[str, tuple[int, ...]]:
    """Folded callsign → the rows that carry it."""
    found: dict[str, list[int]] = {}
    for row, callsigns in memories:
        for callsign in callsigns:
            found.setdefault(" ".join(words_of(fold(callsign))), []).append(row)
    return {c: tuple(rows) for c, rows in found.items() if c}


_BOUNDARY = re.compile(r"[^\w]+|_")
_CAPITAL = re.compile(r"(?<=[^.!?:;\n] )[A-Z\u00c0-\u00de][^\W\d_]+")
_LOWER = re.compile(r"\b[a-z\u00df-\u00ff][^\W\d_]+")


def index_text(memory: Memory) -> str:
    """The text a memory is recognised by: slug as words, title, recognition line, callsigns; folded."""
    name = memory.slug.replace("/", " ").replace("-", " ")
    return fold(" \n".join((name, memory.title, memory.trigger, *memory.callsigns)))


def whole_text(memory: Memory) -> str:
    """Everything a memory says, folded."""
    return f"{index_text(memory)} {_rest(memory)}"


def _rest(memory: Memory) -> str:
    parts = (memory.summary, memory.detail, memory.keep, memory.belongs_because, memory.may_fade)
    return fold(" \n".join((memory.slug, *parts)))


def _superseded(memories: Iterable[Memory]) -> dict[str, str]:
    return {m.slug: m.superseded_by for m in memories if m.superseded_by}


def build(memories: Sequence[Memory]) -> Corpus:
    """The corpus of these memories. Their order does not matter: rows are sorted by slug."""
    ordered = sorted(memories, key=lambda m: m.slug)
    features = [features_of(m) for m in ordered]
    flat, owners = _flat([column for column, _ in features], range(len(ordered)))
    rows, lengths = _flat([row for _, row in features], None), [len(row) for _, row in features]
    return _corpus(ordered, _tables(flat, owners, rows[0], lengths, proper_names(ordered), ordered))


_NO_KEYS: Keys = np.empty(0, np.uint64)


def _flat(lists: Sequence[Keys], owners: Iterable[int] | None) -> tuple[Keys, NDArray[np.int32]]:
    """One array of all keys, and for each the row it belongs to."""
    flat = np.concatenate(lists) if lists else _NO_KEYS
    if owners is None:
        return flat, np.empty(0, np.int32)
    return flat, np.repeat(np.fromiter(owners, np.int32, len(lists)), [len(keys) for keys in lists])


def _corpus(ordered: Sequence[Memory], arrays: Arrays) -> Corpus:
    by_row = [names_of(m) for m in ordered]
    return Corpus(
        slugs=tuple(m.slug for m in ordered),
        arrays=arrays,
        memory_at=ordered.__getitem__,
        place={m.slug: i for i, m in enumerate(ordered)},
        names=by_row.__getitem__,
        callsigns=callsigns_of((i, m.callsigns) for i, m in enumerate(ordered)),
        superseded=_superseded(ordered),
    )


def features_of(memory: Memory) -> tuple[Keys, Keys]:
    """What a memory is found by (its column features), and all it can be asked about (its row)."""
    line, rest, opening = index_text(memory), _rest(memory), fold(memory.summary[:OPENING])
    line_words, line_marks, line_dense = text_keys(line)
    rest_words, rest_marks, rest_dense = text_keys(rest)
    opening_words, _, opening_dense = text_keys(opening)
    dense = f"{line_dense} {rest_dense}"
    column = np.concatenate(
        (
            _array(line_words | line_marks),
            *gram_keys(line),
            _array(opening_words) ^ OPENING_MARK,
            gram_keys(opening_dense)[0] | OPENING_MARK,
            _array(line_marks | rest_marks) ^ BODY_MARK,
        )
    )
    row = np.concatenate(
        (
            _array(line_words | rest_words | line_marks | rest_marks),
            gram_keys(dense)[0],
            _array({ord(c) for c in dense if c != " "}),
        )
    )
    return _sorted(column), _sorted(row)


def _array(keys: set[int]) -> Keys:
    return np.fromiter(keys, np.uint64, len(keys))


def _sorted(keys: Keys) -> Keys:
    """Sorted, each key once. (`numpy.unique` costs ten times as much on arrays as short as these.)"""
    keys.sort()
    return keys[np.concatenate((_TRUE, keys[1:] != keys[:-1]))] if len(keys) else keys


_TRUE = np.ones(1, np.bool_)


def proper_names(memories: Sequence[Memory]) -> Keys:
    """Words that this store writes with a capital in the middle of a sentence and never without: its proper names."""
    upper: set[str] = set()
    lower: set[str] = set()
    for memory in memories:
        text = "\n".join((memory.title, memory.trigger, memory.summary))
        upper.update(fold(w) for w in _CAPITAL.findall(text))
        lower.update(fold(w) for w in _LOWER.findall(text))
    return _sorted(_array({word_key(stem(w)) for w in upper - lower}))


def _tables(
    flat: Keys,
    owners: NDArray[np.int32],
    row_keys: Keys,
    row_lengths: Sequence[int],
    names: Keys,
    memories: Sequence[Memory],
) -> Arrays:
    count = len(memories)
    order = np.lexsort((owners, flat))  # by feature, its holders in row order
    flat, owners = flat[order], owners[order]
    col_keys, col_spread = np.unique(flat, return_counts=True)
    in_rows, row_spread = np.unique(row_keys, return_counts=True)
    keys = np.append(np.union1d(col_keys, in_rows), SENTINEL)
    spread = np.zeros(len(keys), np.int64)
    sizes = np.zeros(len(keys), np.int64)
    at_col = np.searchsorted(keys, col_keys)
    sizes[at_col] = spread[at_col] = col_spread
    at_row = np.searchsorted(keys, in_rows)
    spread[at_row] = np.maximum(
        spread[at_row], row_spread
    )  # rarity counts the whole text, where the word stands there
    rows_spread = np.zeros(len(keys), np.int32)
    rows_spread[at_row] = row_spread
    weights = rarity(count, spread)
    gram = (keys >> np.uint64(63)) == 0
    stop = gram & (sizes > max(STOP_FLOOR, min(STOP_COUNT, int(count * STOP_SHARE))))
    drop = stop[np.searchsorted(keys, flat)]
    sizes[stop] = 0
    weights[stop] = 0.0
    place = {m.slug: i for i, m in enumerate(memories)}
    return Arrays(
        keys=keys,
        weights=weights,
        named=np.isin(keys, names),
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        holders=owners[~drop],
        row_starts=np.concatenate(([0], np.cumsum(row_lengths))).astype(np.int64),
        row_keys=row_keys,
        successors=successors_of(_superseded(memories), place),
        hidden=np.fromiter((m.state == "archived" for m in memories), np.bool_, count),
        spread=rows_spread,
    )


def successors_of(superseded: Mapping[str, str], place: Mapping[str, int]) -> NDArray[np.int32]:
    """For each row the end of its chain of successors, or -1; a chain that bites its own tail leads nowhere."""
    found = np.full(len(place), -1, np.int32)
    for slug in superseded:
        seen, here = {slug}, slug
        while (after := superseded.get(here)) is not None and after in place:
            if after in seen:
                here = slug
                break
            seen.add(after)
            here = after
        if here != slug and slug in place:
            found[place[slug]] = place[here]
    return found


def rarity(count: int, spread: NDArray[np.int64]) -> NDArray[np.float32]:
    """What a feature weighs that so many of `count` memories hold."""
    weights: NDArray[np.float32] = np.log1p(count / np.maximum(spread, 1)).astype(np.float32)
    return weights
