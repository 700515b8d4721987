"""`kura bench intake`: what it costs to take a journal in, from the file to its evidence as Parquet, and to index it.

The journal is generated: a fixed mix from a fixed seed, in the format of Claude's sessions. Each size is read in a
process of its own, so that its peak of memory is its own, and the sizes N/4, N/2 and N show whether the cost is linear.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kura_pipeline.bench.synthetic import SESSION, write_journal

MB = 1_000_000
TARGET_MB_S, TARGET_PEAK_MB = 40.0, 300.0
TOGETHER = 1_600_000  # characters indexed in one transaction, as in a walk that claims


def measure(mb: int = 64) -> dict[str, Any]:
    """The common shape of benches, for journals of a quarter, a half and the whole of `mb` million bytes. Rates are bytes
    of the file by seconds of one process's CPU; `mb_s_per_core` is that of the whole way, from the file to the evidence as
    Parquet and to the search index."""
    table = []
    for size in (mb * MB // 4, mb * MB // 2, mb * MB):
        with tempfile.TemporaryDirectory(prefix="kura-bench-") as folder:
            (Path(folder) / "journals").mkdir()
            write_journal(Path(folder) / "journals" / f"{SESSION}.jsonl", size)
            done = subprocess.run(
                [sys.executable, "-m", __name__, folder], capture_output=True, text=True, check=True
            )
            table.append(json.loads(done.stdout))
    small, whole = table[0], table[-1]
    figures = {
        "mb_s_per_core": whole["mb_s"],
        "walk_mb_s_per_core": whole["walk_mb_s"],
        "index_mb_s_per_core": whole["index_mb_s"],
        "peak_mb": whole["peak_mb"],
        # 1.0: the whole costs four times the quarter; the memory of the whole by that of the quarter
        "cost_growth": round(small["mb_s"] / max(whole["mb_s"], 1e-9), 2),
        "peak_growth": round(whole["peak_mb"] / small["peak_mb"], 2),
        "target_mb_s": TARGET_MB_S,
        "target_peak_mb": TARGET_PEAK_MB,
    }
    return {"bench": "intake", "figures": figures, "table": table, "machine": machine()}


def machine() -> dict[str, Any]:
    """What the figures were taken on. `loop_s`: CPU seconds for ten million additions, to compare two machines by, or one
    that is busy with itself."""
    begun, total = time.process_time(), 0
    for i in range(10_000_000):
        total += i
    loop = round(time.process_time() - begun, 2)
    return {"python": platform.python_version(), "system": platform.platform(), "loop_s": loop}


def read_one(folder: Path) -> dict[str, Any]:
    """Take in the one journal below `folder`, as a run would, and say what it cost this process: `whole` the way from the
    file to Parquet and index, in one walk; `walk` another walk, with redaction, that keeps nothing; `index` what the search
    index alone costs."""
    from kura_pipeline.distil.batch import claim
    from kura_pipeline.distil.rawtier import index_journals
    from kura_pipeline.journals.sniff import adapter
    from kura_pipeline.storage import keep_evidence
    from kura_runtime.config.load import resolve
    from kura_runtime.ledger.ledger import Ledger

    (folder / "store").mkdir()
    (path,) = (folder / "journals").iterdir()
    raw = {"stores": {"bench": {"path": "store"}}, "distill": {"journals": {"claude": "journals"}}}
    config = resolve(raw, folder / "kura.toml")
    cfg = config.stores["bench"]
    size = path.stat().st_size / MB
    before, begun = _peak_mb(), time.process_time()
    with closing(Ledger.open(config.ledger_url)) as ledger:
        claimed = claim(
            cfg,
            ledger,
            now=datetime.now(UTC),
            sink=lambda made, found: keep_evidence(config.storage_root, made, found),
        )
    late = index_journals(cfg)  # what claiming has left to it: nothing
    whole, peak, begun = time.process_time() - begun, _peak_mb(), time.process_time()
    reading = adapter("claude").read(path)
    events = {"USER": 0, "TOOL": 0, "ACT": 0, "SELF": 0}
    kept = redactions = 0
    for record in reading:
        for event in record.events:
            events[event.cls.value] += 1
            kept += len(event.text.encode())
            redactions += sum(event.redactions.values())
    walk = time.process_time() - begun
    index, indexed = _indexed(folder / "index", path)
    return {
        "mb": round(size, 2),
        "mb_s": round(size / max(whole, 1e-9), 1),
        "walk_mb_s": round(size / max(walk, 1e-9), 1),
        "index_mb_s": round(size / max(index, 1e-9), 1),
        "whole_cpu_s": round(whole, 3),
        "walk_cpu_s": round(walk, 3),
        "index_cpu_s": round(index, 3),
        "peak_mb": peak,
        "before_mb": before,
        "events": events,
        "kept_share": round(kept / MB / size, 3),
        "redactions": redactions,
        "batches": len(claimed.batches),
        "indexed": indexed,
        "late": late.events,
        "left_out": dict(sorted(reading.left_out.items())),
        "failures": [*claimed.failures, *late.failures],
    }


def _indexed(store: Path, path: Path) -> tuple[float, int]:
    """CPU seconds of indexing alone, and how many events were indexed: the same events once more, into another index."""
    from kura_pipeline.journals.sniff import adapter
    from kura_runtime.domain.evidence import Event
    from kura_runtime.raw.filling import Filling

    spent, indexed = 0.0, 0
    waiting: list[Event] = []
    chars = 0
    with Filling.of(store) as filling:
        for record in adapter("claude").read(path):
            waiting += record.events
            chars += sum(len(e.text) for e in record.events)
            if chars >= TOGETHER:
                begun = time.process_time()
                indexed += filling.add(waiting)
                spent += time.process_time() - begun
                waiting, chars = [], 0
        begun = time.process_time()
        indexed += filling.add(waiting)
    return spent + time.process_time() - begun, indexed


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / MB if sys.platform == "darwin" else peak * 1024 / MB, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Take in the journal of one prepared folder.")
    parser.add_argument("folder", type=Path)
    sys.stdout.write(json.dumps(read_one(parser.parse_args().folder)) + "\n")
