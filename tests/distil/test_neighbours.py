"""The nearest memories, in any script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kura_pipeline.distil.neighbours import Nearest
from kura_runtime.text.grams import cosine, grams
from tests.distil.material import memory

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
STORE = [
    memory("disk-layout"),
    memory("release-window", title="Releases on Friday evening", trigger="release window: Friday evening", summary="Releases go out on Friday."),
    memory("ja-archive", title="アーカイブの置き場所", trigger="アーカイブは遅いディスク", summary="アーカイブは遅いディスクに置く。"),
    memory("zh-merge", title="分支合并需等待审阅", trigger="先别合并分支", summary="合并之前等待审阅。"),
]  # fmt: skip


def slugs(text, memories=STORE, k=3):
    return [m.slug for m in Nearest(memories).of(text, k)]


def test_the_memory_about_the_same_thing_is_first():
    assert slugs("the fast disk stays scratch, the slow disk takes the archive")[0] == "disk-layout"
    assert slugs("アーカイブを遅いディスクへ移した")[0] == "ja-archive"
    assert slugs("这个分支先别合并")[0] == "zh-merge"
    assert slugs("ｒｅｌｅａｓｅ　ｗｉｎｄｏｗ ＦＲＩＤＡＹ")[0] == "release-window"


def test_strangers_are_no_neighbours():
    assert slugs("Quantenchromodynamik") == []
    assert slugs("anything", []) == []


def test_the_order_of_the_store_does_not_matter():
    text = "disk release archive アーカイブ"
    assert slugs(text) == slugs(text, STORE[::-1])


def test_a_retired_memory_is_no_neighbour():
    assert slugs("disk layout", [memory("disk-layout", state="retired")]) == []


def test_at_most_three():
    many = [memory(f"disk-{n}") for n in "abcdef"]
    assert slugs("fast disk for scratch", many) == ["disk-a", "disk-b", "disk-c"]


def test_cosine_of_a_text_with_itself_is_one_and_with_a_stranger_nothing():
    assert abs(cosine(grams("the slow disk"), grams("THE SLOW DISK")) - 1) < 1e-9
    assert cosine(grams("disk"), grams("磁盘")) == cosine(grams(""), grams("x")) == 0.0


@pytest.mark.skipif(not SHARED.is_dir(), reason="no shared data beside this checkout")
def test_what_was_noted_from_a_text_is_always_among_its_neighbours():
    """The floor under which novelty is not asked loses no pair that says the same."""

    def rows(path):
        return [json.loads(line) for line in (SHARED / path).read_text(encoding="utf-8").splitlines()]

    store = [
        memory(r["slug"], title=r["title"], trigger=r["trigger"], summary=r["body"])
        for r in rows("house/memories.jsonl")
    ]
    noted = {r["id"]: r["memories"] for r in rows("memory-extraction/memory_extraction.labels.jsonl")}
    for name, memories in noted.items():
        store += [
            memory(
                f"{name.replace('_', '-')}-{n}",
                title=m["content"][:60],
                trigger=m["content"],
                summary=m["content"],
            )
            for n, m in enumerate(memories)
        ]
    nearest = Nearest(store)
    texts = {r["id"]: r["text"] for r in rows("memory-extraction/memory_extraction.jsonl")}
    missed = [
        (name, n)
        for name, memories in noted.items()
        for n in range(len(memories))
        if f"{name.replace('_', '-')}-{n}"
        not in [m.slug for m in nearest.of(texts[name], max(3, len(memories)))]
    ]
    assert missed == []
