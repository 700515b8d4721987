"""The nearest memories, in any script."""

from __future__ import annotations

from kura_pipeline.distil.neighbours import Nearest
from kura_runtime.text.grams import cosine, grams
from tests.distil.material import memory

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
