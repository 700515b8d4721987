"""`kura bench search`: how long `kura search` takes in an index of so many events, in several languages.

The events are generated, as for `kura bench intake`. A few hundred of them carry planted words, so that rare words, common
words, identifiers and words that do not exist are all asked for.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from kura_pipeline.bench.intake import machine
from kura_pipeline.bench.synthetic import texts
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.raw.filling import Filling
from kura_runtime.raw.sessions import search

TARGET_MS = 50.0
ROUNDS = 5
_TOGETHER = 5_000  # events of one transaction
_BEGUN = datetime(2025, 1, 1, tzinfo=UTC)
_CLASSES = {
    "user": EvidenceClass.USER, "self": EvidenceClass.SELF, "act": EvidenceClass.ACT, "tool": EvidenceClass.TOOL,
}  # fmt: skip
# every so many events one carries these words
PLANTED = (
    (3, "the archive is on the slow disk"), (997, "决定不再使用旧的导入器"), (1009, "アーカイブは遅いディスクに置く"),
    (4999, "ERR_CONN-17 in foo_bar.baz"), (5003, "느린 디스크에 보관한다"), (7001, "القرص البطيء"), (9001, "kura-distill"),
    (10007, "Straßenbau à la carte"), (20011, "देवनागरी में लिखो"),
)  # fmt: skip
# query, filters
QUERIES: tuple[tuple[str, dict[str, str]], ...] = (
    ("archive", {}), ("slow disk", {}), ("the archive is on the slow disk", {}), ('"slow disk"', {}),
    ("archive", {"cls": "USER"}), ("disk", {"tool": "Bash"}), ("disk", {"session": "s7"}), ("archive disk", {"since": "2025-03-01"}),
    ("archive", {"until": "2025-01-02"}), ("导入", {}), ("导入器", {}), ("旧的导入器", {}), ("器", {}), ("ディスク", {}), ("遅い", {}),
    ("디스크", {}), ("القرص", {}), ("लिखो", {}), ("ERR_CONN-17", {}), ("foo_bar.baz", {}), ("CONN", {}), ("distill", {}),
    ("kura-distill", {}), ("strassenbau", {}), ("carte", {}), ("no such word anywhere", {}), ("what was the archive disk", {}),
    ("導入器 そんな言葉", {}), ("foo_bar.qux", {}), ("slow-disk", {}),
)  # fmt: skip


def measure(events: int = 1_000_000) -> dict[str, Any]:
    """The common shape of benches: milliseconds (wall) of one search, over every query of the list several times."""
    with tempfile.TemporaryDirectory(prefix="kura-bench-") as folder:
        store = Path(folder)
        begun = time.process_time()
        with Filling.of(store) as filling:
            made = said(events)
            while block := list(islice(made, _TOGETHER)):
                filling.add(block)
        built = time.process_time() - begun
        size = sum(f.stat().st_size for f in (store / "_still").iterdir()) / 1e6
        table = [_asked(store, query, filters) for query, filters in QUERIES]
    times = sorted(t for row in table for t in row.pop("times"))
    cpu = [row["cpu_ms"] for row in table]
    figures = {
        "events": events,
        "median_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(len(times) * 0.95)], 1),
        "p99_ms": round(times[int(len(times) * 0.99)], 1),
        "median_cpu_ms": round(statistics.median(cpu), 1),
        "slowest_query_ms": max(row["median_ms"] for row in table),
        "build_cpu_s": round(built, 1),
        "index_mb": round(size, 1),
        "target_ms": TARGET_MS,
    }
    return {"bench": "search", "figures": figures, "table": table, "machine": machine()}


def said(events: int) -> Iterator[Event]:
    """So many events of sessions of a thousand, a second apart; the planted words at the end of their texts."""
    made = (said for said in texts() if said.kind != "progress")
    for n, one in enumerate(islice(made, events)):
        planted = "".join(f"\n{words}" for every, words in PLANTED if n % every == every - 1)
        tool = "Bash" if one.kind in ("act", "tool") else None
        yield Event(
            event_id=f"e{n}",
            seq=n,
            cls=_CLASSES[one.kind],
            text=one.text[:1500] + planted,
            ts=(_BEGUN + timedelta(seconds=n)).isoformat(),
            session=f"s{n // 1000}",
            journal_key=f"/journals/s{n // 1000}.jsonl",
            byte_start=n * 1000,
            byte_end=n * 1000 + 999,
            tool=tool,
        )


def _asked(store: Path, query: str, filters: dict[str, str]) -> dict[str, Any]:
    times, cpu, found = [], [], 0
    for _ in range(ROUNDS):
        begun, busy = time.perf_counter(), time.process_time()
        found = len(search(store, query, **filters))  # type: ignore[arg-type]
        times.append((time.perf_counter() - begun) * 1000)
        cpu.append((time.process_time() - busy) * 1000)
    return {
        "query": query,
        "filters": filters,
        "found": found,
        "median_ms": round(statistics.median(times), 1),
        "cpu_ms": round(statistics.median(cpu), 1),
        "times": times,
    }
