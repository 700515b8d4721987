"""`kura bench intake`: the generated journal is what it says, and the whole of it goes the real way."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from kura_pipeline.bench.intake import measure
from kura_pipeline.bench.synthetic import MIX, rows, write_journal


def test_the_same_size_is_the_same_journal(tmp_path: Path) -> None:
    sizes = [write_journal(tmp_path / name, 300_000) for name in ("a", "b")]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sizes == [(tmp_path / "a").stat().st_size] * 2 and sizes[0] >= 300_000


def test_the_mix_of_rows_is_the_one_stated_with_every_class_secrets_and_chinese() -> None:
    made = [json.loads(row) for row in islice(rows(), 4000)]
    kinds: Counter[str] = Counter()
    for row in made:
        content = row.get("message", {}).get("content")
        block = content[0]["type"] if isinstance(content, list) else ("user" if content else row["type"])
        kinds[{"tool_result": "tool", "tool_use": "act", "text": "self"}.get(block, block)] += 1
    assert sum(MIX.values()) == 100
    assert all(abs(kinds[kind] / 40 - share) < 3 for kind, share in MIX.items()), kinds
    text = json.dumps(made, ensure_ascii=False)
    assert "ghp_" in text and any("\u4e00" <= c <= "\u9fff" for c in text)


def test_all_that_was_generated_becomes_redacted_evidence_and_is_indexed() -> None:
    result = measure(2)
    assert result["bench"] == "intake" and set(result) == {"bench", "figures", "table", "machine"}
    assert [round(row["mb"] * 2) / 2 for row in result["table"]] == [0.5, 1.0, 2.0]
    for row in result["table"]:
        messages = sum(row["events"].values())
        assert min(row["events"].values()) > 0 and row["redactions"] > 0 and row["batches"] > 0
        assert row["indexed"] == messages and row["late"] == 0 and row["failures"] == []
        assert row["left_out"]["line:progress"] > messages / 5
    assert result["figures"]["mb_s_per_core"] > 0 and result["figures"]["peak_mb"] > 0


@pytest.mark.slow
def test_memory_does_not_grow_with_the_journal() -> None:
    """From about eight million bytes on every window is full; four times the journal is not four times the memory."""
    result = measure(48)
    first, *_, last = (row["peak_mb"] - row["before_mb"] for row in result["table"])
    assert last < 2 * first
    assert result["figures"]["peak_mb"] < result["figures"]["target_peak_mb"]
