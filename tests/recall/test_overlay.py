"""A change laid over a corpus is the corpus that would have been built anew."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kura_runtime.domain.memory import Memory
from kura_runtime.recall.corpus import Corpus, build
from kura_runtime.recall.overlay import overlay, rebuild
from tests.recall.shelves import PORTS, memory

WORDS = [
    "kiln",
    "glaze",
    "8411",
    "v1.2",
    "素焼き",
    "夜间备份",
    "Anna",
    "the",
    "shelf",
    "zstd-19",
    "مرحبا",
    "🌸",
]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
slugs = st.sampled_from([f"note-{c}" for c in "abcdefghijklmn"])
pages = st.builds(
    lambda slug, title, trigger, body, state, after, cue: memory(
        slug, title or slug, trigger, body, state=state, superseded_by=after, callsigns=(cue,) if cue else ()
    ),
    slugs, texts, texts, texts, st.sampled_from(["active", "archived", "retired"]), st.none() | slugs,
    st.sampled_from(["", "Teapot", "朝"]),
)  # fmt: skip
steps = st.lists(st.tuples(st.lists(pages, max_size=3), st.lists(slugs, max_size=2)), min_size=1, max_size=4)


def told(corpus: Corpus) -> dict[str, Any]:
    """Everything a corpus says, but for the grams that either way were judged too common, and the names."""
    a = corpus.arrays
    holders = {
        int(key): (a.holders[a.starts[i] : a.starts[i + 1]].tolist(), float(a.weights[i]))
        for i, key in enumerate(a.keys)
        if a.weights[i]
    }
    return {
        "slugs": corpus.slugs, "memories": [corpus.memory_at(i) for i in range(corpus.size)], "place": corpus.place,
        "names": [corpus.names(i) for i in range(corpus.size)], "callsigns": corpus.callsigns, "superseded": corpus.superseded,
        "rows": [a.row_keys[a.row_starts[i] : a.row_starts[i + 1]].tolist() for i in range(corpus.size)],
        "successors": a.successors.tolist(), "hidden": a.hidden.tolist(), "holders": holders,
        "spread": dict(zip(a.keys.tolist(), a.spread.tolist(), strict=True)), "ordered": bool((a.keys[1:] > a.keys[:-1]).all()),
    }  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(pages, max_size=8), steps)
def test_any_row_of_changes_gives_what_building_anew_gives(
    begin: list[Memory], changes: list[tuple[list[Memory], list[str]]]
) -> None:
    held = {m.slug: m for m in (*PORTS, *begin)}
    corpus = build(list(held.values()))
    for put, gone in changes:
        there = {m.slug: m for m in put}
        corpus = overlay(corpus, there, gone)
        held = {s: m for s, m in held.items() if s not in gone or s in there} | there
        mine, anew = told(corpus), told(build(list(held.values())))
        both = mine["holders"].keys() & anew["holders"].keys()
        for one in (mine, anew):
            one["holders"] = {k: one["holders"][k] for k in both}
            one["callsigns"] = {c: sorted(at) for c, at in one["callsigns"].items()}
            one["spread"] = {k: one["spread"][k] for k in both}
        assert mine == anew


def test_a_long_row_of_writes_is_no_tower_of_overlays() -> None:
    corpus = build(PORTS)
    for n in range(30):
        corpus = overlay(
            corpus, {f"note-{n % 7}": memory(f"note-{n % 7}", f"Note {n}", f"version {n} of it")}
        )
    laid = corpus.memory_at.__self__  # type: ignore[attr-defined]
    assert not hasattr(laid._memory, "fresh") and corpus.get("note-1").title == "Note 29"  # type: ignore[union-attr]


def test_what_was_taken_out_is_unknown_again() -> None:
    more = build([*PORTS, memory("tea-room", "Tea room", "the tea room closes at 18:30")])
    less = overlay(more, {}, ["tea-room"])
    assert told(less)["holders"].keys() <= told(build(PORTS))["holders"].keys()


def test_nothing_changed_is_the_same_corpus() -> None:
    corpus = build(PORTS)
    assert overlay(corpus, {PORTS[0].slug: PORTS[0]}, ["not-there"]) is corpus is rebuild(corpus, list(PORTS))
    assert overlay(corpus, {}, [m.slug for m in PORTS]).size == 0
