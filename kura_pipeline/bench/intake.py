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


def measure(mb: int = 64) -> dict[str, Any]:
    """The common shape of benches, for journals of a quarter, a half and the whole of `mb` million bytes. Rates are bytes
    of the file by seconds of one process's CPU."""
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
        "with_index_mb_s_per_core": round(
            whole["mb"] / max(whole["evidence_cpu_s"] + whole["index_cpu_s"], 1e-9), 1
        ),
        "peak_mb": whole["peak_mb"],
        "peak_with_index_mb": whole["peak_with_index_mb"],
        # 1.0: the whole costs four times the quarter
        "cost_growth": round(small["mb_s"] / max(whole["mb_s"], 1e-9), 2),
        "target_mb_s": TARGET_MB_S,
        "target_peak_mb": TARGET_PEAK_MB,
    }
    machine = {"python": platform.python_version(), "system": platform.platform()}
    return {"bench": "intake", "figures": figures, "table": table, "machine": machine}


def read_one(folder: Path) -> dict[str, Any]:
    """Take in the one journal below `folder`, as a run would, and say what it cost this process. `walk` is reading with
    redaction alone, `evidence` claiming it with its Parquet files written, `index` the search index after that."""
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
    events = {"USER": 0, "TOOL": 0, "ACT": 0, "SELF": 0}
    redactions = 0
    reading = adapter("claude").read(path)
    for record in reading:
        for event in record.events:
            events[event.cls.value] += 1
            redactions += sum(event.redactions.values())
    walk, begun = time.process_time() - begun, time.process_time()
    with closing(Ledger.open(config.ledger_url)) as ledger:
        claimed = claim(
            cfg,
            ledger,
            now=datetime.now(UTC),
            sink=lambda made, found: keep_evidence(config.storage_root, made, found),
        )
    evidence, peak, begun = time.process_time() - begun, _peak_mb(), time.process_time()
    indexed = index_journals(cfg)
    index = time.process_time() - begun
    return {
        "mb": round(size, 2),
        "mb_s": round(size / max(evidence, 1e-9), 1),
        "walk_mb_s": round(size / max(walk, 1e-9), 1),
        "index_mb_s": round(size / max(index, 1e-9), 1),
        "evidence_cpu_s": round(evidence, 3),
        "index_cpu_s": round(index, 3),
        "peak_mb": peak,
        "peak_with_index_mb": _peak_mb(),
        "before_mb": before,
        "events": events,
        "redactions": redactions,
        "batches": len(claimed.batches),
        "indexed": indexed.events,
        "left_out": dict(sorted(reading.left_out.items())),
        "failures": [*claimed.failures, *indexed.failures],
    }


def _peak_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / MB if sys.platform == "darwin" else peak * 1024 / MB, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Take in the journal of one prepared folder.")
    parser.add_argument("folder", type=Path)
    sys.stdout.write(json.dumps(read_one(parser.parse_args().folder)) + "\n")
