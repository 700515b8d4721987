"""What the steps refused, read back from their Parquet files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from upath import UPath

from kura_pipeline.storage import read_whole


def refused(root: str, store: str, batch: str = "") -> list[dict[str, Any]]:
    """One row a refusal: batch, stage (gate, floor, judge), reason, topic, note. Batches in order, newest last."""
    rows = [
        *_rows(root, store, "gated", batch, _gate),
        *_rows(root, store, "drafts", batch, _floor),
        *_rows(root, store, "memories", batch, _judge),
    ]
    return sorted(rows, key=lambda r: (r["batch"], ("gate", "floor", "judge").index(r["stage"])))


def _rows(root: str, store: str, step: str, batch: str, of: Any) -> Iterator[dict[str, Any]]:
    folder = UPath(root) / store / step
    if not folder.exists():
        return
    for path in sorted(folder.glob(f"{batch or '*'}.parquet"), key=str):
        for line in read_whole(path).to_pylist():
            found = of(line, json.loads(line["data"]))
            if found:
                yield {"batch": path.stem, **found}


def _gate(line: dict[str, Any], data: dict[str, Any]) -> dict[str, Any] | None:
    if line["verdict"] != "drop":
        return None
    return {
        "stage": "gate",
        "reason": line["reason"],
        "topic": line["topic"],
        "note": _notes(data["verdict"]["refusals"]),
    }


def _floor(line: dict[str, Any], data: dict[str, Any]) -> dict[str, Any] | None:
    if line["outcome"] == "staged":
        return None
    reason = line["reason"] or line["outcome"]
    return {
        "stage": "floor",
        "reason": reason,
        "topic": line["topic"],
        "note": _notes(data["refusals"]) or data["neighbour"],
    }


def _judge(line: dict[str, Any], _data: dict[str, Any]) -> dict[str, Any] | None:
    if line["action"] not in ("discarded", "quarantined", "refused"):
        return None
    return {
        "stage": "judge",
        "reason": line["verdict"].lower(),
        "topic": line["slug"],
        "note": line["reason"],
    }


def _notes(refusals: list[dict[str, Any]]) -> str:
    return "; ".join(f"{r['rule']} {r['reason']}: {r['token']}".rstrip(": ") for r in refusals)
