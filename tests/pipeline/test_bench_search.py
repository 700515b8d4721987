"""`kura bench search`: every planted word is found where it was planted, in every language."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from kura_pipeline.bench.search import PLANTED, QUERIES, measure, said


def test_the_events_are_the_same_each_time_and_carry_what_is_asked_for() -> None:
    first, again = list(islice(said(2100), 2100)), list(said(2100))
    assert first == again
    assert len({e.event_id for e in first}) == 2100
    planted = Counter(words for e in first for _, words in PLANTED if words in e.text)
    assert planted["决定不再使用旧的导入器"] == 2100 // 997
    assert planted["the archive is on the slow disk"] == 700


def test_the_bench_asks_every_query_and_finds_what_was_planted() -> None:
    result = measure(5100)
    assert set(result) == {"bench", "figures", "table", "machine"}
    rows = {(row["query"], *row["filters"].items()): row["found"] for row in result["table"]}
    assert len(rows) == len(QUERIES)
    assert rows[("archive",)] == rows[("slow disk",)] == 20
    assert rows[("导入器",)] == rows[("导入",)] == 5100 // 997
    assert rows[("ディスク",)] == 5100 // 1009
    assert rows[("ERR_CONN-17",)] == rows[("CONN",)] == rows[("foo_bar.baz",)] == rows[("디스크",)] == 1
    assert rows[("foo_bar.qux",)] == rows[("slow-disk",)] == 0
    assert result["figures"]["median_ms"] > 0
