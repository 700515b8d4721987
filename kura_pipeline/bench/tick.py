"""`kura bench tick`: what a look at journals costs that nobody has written since, as a tender makes it every half minute."""

from __future__ import annotations

import statistics
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kura_pipeline.bench.intake import machine
from kura_pipeline.distil.batch import find
from kura_pipeline.quiet import look
from kura_runtime.config.load import resolve
from kura_runtime.config.model import StoreConfig
from kura_runtime.ledger.claims import Mark
from kura_runtime.ledger.ledger import Ledger

TARGET_S = 0.5
ROUNDS = 7
_ROW = (
    b'{"type":"user","uuid":"u%d","sessionId":"s%d","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z",'
    b'"message":{"role":"user","content":"word %d"}}\n'
)


def measure(files: int = 10_000) -> dict[str, Any]:
    """The common shape of benches: seconds of CPU and of the clock for one look at so many unchanged journals."""
    with tempfile.TemporaryDirectory(prefix="kura-bench-") as folder:
        cfg, url = lay_out(Path(folder), files)
        now = datetime.now(UTC) + timedelta(hours=1)
        table: list[dict[str, Any]] = []
        with closing(Ledger.open(url)) as ledger:
            read_all(cfg, ledger)
            for _ in range(ROUNDS):
                busy, begun = time.process_time(), time.perf_counter()
                weather = look(cfg, ledger, now)
                table.append(
                    {
                        "cpu_s": round(time.process_time() - busy, 3),
                        "wall_s": round(time.perf_counter() - begun, 3),
                        "says": weather.why_not,
                    }
                )
    figures = {
        "files": files,
        "cpu_s": statistics.median(row["cpu_s"] for row in table),
        "wall_s": statistics.median(row["wall_s"] for row in table),
        "target_s": TARGET_S,
    }
    return {"bench": "tick", "figures": figures, "table": table, "machine": machine()}


def lay_out(folder: Path, files: int) -> tuple[StoreConfig, str]:
    """A store with so many journals in nested folders, and the URL of its ledger."""
    (folder / "store").mkdir(parents=True)
    for i in range(files):
        deep = folder / "journals" / f"-home-dev-{i % 100}" / f"part-{i % 7}"
        deep.mkdir(parents=True, exist_ok=True)
        (deep / f"{i:08x}.jsonl").write_bytes(_ROW % (i, i, i))
    raw = {"stores": {"bench": {"path": "store"}}, "distill": {"journals": {"claude": "journals"}}}
    config = resolve(raw, folder / "kura.toml")
    return config.stores["bench"], config.ledger_url


def read_all(cfg: StoreConfig, ledger: Ledger) -> None:
    """Mark every journal as read to its end, as claiming all of them would."""
    for file in find(cfg).readable:
        mark = Mark(
            cfg.name, file.key, file.adapter or "", "byte", "", 0, file.size, file.size, "read", file.stamp
        )
        ledger.claims.reserve([], mark, [])
