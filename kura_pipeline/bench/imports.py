"""`kura bench import`: what `import kura_runtime` costs on top of the interpreter, and what it must not load."""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

FORBIDDEN = ("dagster", "duckdb", "fastapi", "starlette", "sqlalchemy", "uvicorn", "kura_pipeline")
ROUNDS = 7
TARGET_MS = 150.0

_PROBE = """
import json, sys, time
before = set(sys.modules)
began = time.perf_counter()
import kura_runtime
alone = time.perf_counter() - began
kura_runtime.open, kura_runtime.Kura
whole = time.perf_counter() - began
import kura_runtime.store.store
store = time.perf_counter() - began
roots = sorted({name.partition(".")[0] for name in set(sys.modules) - before})
print(json.dumps({"import_ms": alone * 1e3, "api_ms": whole * 1e3, "store_ms": store * 1e3, "roots": roots}))
"""


@dataclass(frozen=True, slots=True)
class ImportBench:
    """Medians over fresh interpreters, milliseconds: the bare import, with the reading API loaded, with the store too.
    `loaded` are forbidden packages that came along even so."""

    import_ms: float
    api_ms: float
    store_ms: float
    loaded: tuple[str, ...]
    roots: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Nothing forbidden was loaded and the bare import stays within its target."""
        return not self.loaded and self.import_ms <= TARGET_MS

    def to_json(self) -> dict[str, Any]:
        """The common shape of benches."""
        figures = {
            "import_ms": round(self.import_ms, 2), "api_ms": round(self.api_ms, 2), "store_ms": round(self.store_ms, 2),
            "target_ms": TARGET_MS,
        }  # fmt: skip
        machine = {"python": platform.python_version(), "system": platform.platform()}
        table = [
            {"package": root, "forbidden": root in FORBIDDEN}
            for root in self.roots
            if not root.startswith("_")
        ]
        return {"bench": "import", "figures": figures, "forbidden_loaded": list(self.loaded), "ok": self.ok, "table": table, "machine": machine}  # fmt: skip


def run(rounds: int = ROUNDS) -> ImportBench:
    """Import in `rounds` fresh interpreters, each with its file cache warm."""
    samples = [_sample() for _ in range(max(1, rounds))]
    roots = sorted({root for s in samples for root in s["roots"]})
    bare, api, store = (statistics.median(s[k] for s in samples) for k in ("import_ms", "api_ms", "store_ms"))
    return ImportBench(bare, api, store, tuple(r for r in roots if r in FORBIDDEN), tuple(roots))


def _sample() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", _PROBE], capture_output=True, text=True, check=True, timeout=120
    )
    sample: dict[str, Any] = json.loads(done.stdout)
    return sample
