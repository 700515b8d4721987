"""`kura bench serving` measures what it says: the generated store is the same each time, and its answers are judged."""

from __future__ import annotations

import pytest

from kura_pipeline.bench import serving


def test_the_generated_memories_and_questions_are_the_same_each_time() -> None:
    assert list(serving.memories(50)) == list(serving.memories(50))
    assert len({m["slug"] for m in serving.memories(2000)}) == 2000
    assert serving.questions(20, 50) == serving.questions(20, 50)


def test_a_small_store_is_asked_in_process_and_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HTTP_SECONDS", 1.0)
    report = serving.measure([40], workers=1)
    row = report["table"][0]
    assert (
        row["wrong"] == 0 and row["write_recalled"] == 1 and row["http_errors"] == 0 and row["http_rps"] > 0
    )
    assert report["figures"]["direct_p50_ms_40"] == row["direct_p50_ms"]
    assert report["bench"] == "serving" and report["machine"]["cores"]
