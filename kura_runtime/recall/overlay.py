"""A corpus with some memories put in or taken out, made from the arrays of the one before: what did not change is not read.

Everything stays sorted, so that a change of one memory is a few insertions into long arrays, not a new sort of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kura_runtime.domain.memory import Memory
from kura_runtime.recall.arrays import SENTINEL, Arrays
from kura_runtime.recall.corpus import (
    Corpus,
    build,
    callsigns_of,
    features_of,
    names_of,
    proper_names,
    rarity,
    successors_of,
)
from kura_runtime.recall.heads import Keys

_NONE: Keys = np.empty(0, np.uint64)


def rebuild(base: Corpus, memories: Sequence[Memory]) -> Corpus:
    """The corpus of `memories`; `base` itself where nothing changed."""
    there = {m.slug: m for m in memories}
    return overlay(base, there, base.place.keys() - there.keys())


def overlay(base: Corpus, put: Mapping[str, Memory], gone: Collection[str] = ()) -> Corpus:
    """`base` with the memories of `put` in place of, or beside, its own, and without those of `gone`; `base` itself where
    that changes nothing. Grams that were too common for `base` stay so, and a name stays a name."""
    put = {s: m for s, m in put.items() if s not in base.place or base.memory_at(base.place[s]) != m}
    out = sorted(base.place[s] for s in {*gone, *put} if s in base.place)
    if not put and not out:
        return base
    if 2 * (base.size - len(out)) < base.size - len(out) + len(put):
        away = set(out)
        return build([*(base.memory_at(i) for i in range(base.size) if i not in away), *put.values()])
    kept = np.ones(base.size, np.bool_)
    kept[out] = False
    old_slugs = base.slugs if not out else tuple(s for s, k in zip(base.slugs, kept, strict=True) if k)
    slugs = tuple(sorted((*old_slugs, *put)))
    place = {slug: i for i, slug in enumerate(slugs)}
    fresh = {place[slug]: memory for slug, memory in sorted(put.items())}
    stays = np.ones(len(slugs), np.bool_)
    stays[list(fresh)] = False
    moved = np.full(base.size, -1, np.int32)
    moved[kept] = np.flatnonzero(stays)
    rows = np.full(len(slugs), -1, np.int64)
    rows[stays] = np.flatnonzero(kept)
    laid = _Laid.over(base, rows, fresh)
    calls = {c: tuple(int(moved[r]) for r in at if moved[r] >= 0) for c, at in base.callsigns.items()}
    for callsign, at in callsigns_of((i, m.callsigns) for i, m in fresh.items()).items():
        calls[callsign] = tuple(sorted((*calls.get(callsign, ()), *at)))
    replaced = {s: to for s, to in base.superseded.items() if s in place and s not in put}
    replaced |= {s: m.superseded_by for s, m in put.items() if m.superseded_by}
    return Corpus(
        slugs=slugs,
        arrays=_arrays(base.arrays, kept, moved, stays, fresh, successors_of(replaced, place)),
        memory_at=laid.memory,
        place=place,
        names=laid.names,
        callsigns={c: at for c, at in calls.items() if at},
        superseded=replaced,
    )


class _Laid:
    """Memories of an older corpus under new numbers, and new ones between them."""

    def __init__(
        self,
        old: tuple[Callable[[int], Memory], Callable[[int], tuple[str, str]]],
        rows: NDArray[np.int64],
        fresh: dict[int, Memory],
    ) -> None:
        self._memory, self._name = old
        self.rows, self.fresh = rows, fresh
        self._names = {i: names_of(m) for i, m in fresh.items()}

    @classmethod
    def over(cls, base: Corpus, rows: NDArray[np.int64], fresh: dict[int, Memory]) -> _Laid:
        """Laid over `base`. One that lies on another is laid on what is below both: a year of writes is no tower."""
        below = getattr(base.memory_at, "__self__", None)
        if not isinstance(below, _Laid):
            return cls((base.memory_at, base.names), rows, fresh)
        through = np.where(rows >= 0, below.rows[np.maximum(rows, 0)], -1)
        carried = {i: below.fresh[at] for i, at in enumerate(rows.tolist()) if at in below.fresh}
        return cls((below._memory, below._name), through, carried | fresh)

    def memory(self, row: int) -> Memory:
        found = self.fresh.get(row)
        return found if found is not None else self._memory(int(self.rows[row]))

    def names(self, row: int) -> tuple[str, str]:
        found = self._names.get(row)
        return found if found is not None else self._name(int(self.rows[row]))


def _arrays(
    a: Arrays,
    kept: NDArray[np.bool_],
    moved: NDArray[np.int32],
    stays: NDArray[np.bool_],
    fresh: Mapping[int, Memory],
    successors: NDArray[np.int32],
) -> Arrays:
    count, features = len(stays), {row: features_of(m) for row, m in fresh.items()}
    new_rows = np.fromiter(features, np.int64, len(features))
    columns = np.concatenate([c for c, _ in features.values()]) if features else _NONE
    owners = np.repeat(new_rows, [len(c) for c, _ in features.values()])
    words = np.concatenate([w for _, w in features.values()]) if features else _NONE
    extra = np.setdiff1d(np.concatenate((columns, words)), a.keys)
    keys = np.insert(a.keys, np.searchsorted(a.keys, extra), extra)
    at = np.arange(len(a.keys)) + np.searchsorted(extra, a.keys)  # where each old key stands now
    stopped = np.zeros(len(keys), np.bool_)
    stopped[at] = (a.weights == 0.0) & (a.keys != SENTINEL)

    # the columns
    still = kept[a.holders]
    lost = np.searchsorted(a.starts, np.flatnonzero(~still), side="right") - 1
    sizes_old = np.diff(a.starts) - np.bincount(lost, minlength=len(a.keys))
    key_of = np.searchsorted(keys, columns)
    wanted = ~stopped[key_of]
    key_of, owners = key_of[wanted], owners[wanted]
    order = np.lexsort((owners, key_of))
    key_of, owners = key_of[order], owners[order]
    holders = moved[a.holders[still]]
    place = np.repeat(at * count, sizes_old) + holders  # by feature, then by row
    holders = np.insert(
        holders, np.searchsorted(place, key_of * count + owners), owners.astype(np.int32)
    ).astype(np.int32)
    sizes = np.bincount(key_of, minlength=len(keys))
    sizes[at] += sizes_old

    # the rows
    old_lengths = np.diff(a.row_starts)
    element = np.repeat(kept, old_lengths)
    taken = a.row_keys[~element]
    rows_old = a.row_keys[element] if len(taken) else a.row_keys
    lengths = np.zeros(count, np.int64)
    lengths[stays] = old_lengths[kept]
    before = np.concatenate(([0], np.cumsum(lengths)))[new_rows]  # kept keys that stand before each new row
    new_lengths = [len(w) for _, w in features.values()]
    row_keys = np.insert(rows_old, np.repeat(before, new_lengths), words)
    lengths[new_rows] = new_lengths
    spread = np.bincount(np.searchsorted(keys, words), minlength=len(keys)).astype(np.int32)
    spread[at] += a.spread
    spread -= np.bincount(np.searchsorted(keys, taken), minlength=len(keys)).astype(np.int32)

    named = np.zeros(len(keys), np.bool_)
    named[at] = a.named
    named |= np.isin(keys, proper_names(list(fresh.values())))
    alive = (sizes > 0) | (spread > 0) | stopped | (keys == SENTINEL)
    if not alive.all():  # what no memory holds any more is unknown again
        keys, sizes, spread, named, stopped = (x[alive] for x in (keys, sizes, spread, named, stopped))
    weights = rarity(count, np.maximum(sizes, spread))
    weights[stopped] = 0.0
    hidden = np.zeros(count, np.bool_)
    hidden[stays] = a.hidden[kept]
    hidden[new_rows] = [m.state == "archived" for m in fresh.values()]
    return Arrays(
        keys=keys,
        weights=weights,
        named=named,
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        holders=holders,
        row_starts=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        row_keys=row_keys,
        successors=successors,
        hidden=hidden,
        spread=spread,
    )
