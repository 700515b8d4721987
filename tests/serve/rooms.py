"""Projects for the tests of the doors: two small stores, and a server of its own process where the wire itself is tested."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kura_runtime.store.store import Store

OWN = "http://127.0.0.1"


def project(folder: Path, extra: str = "") -> Path:
    """kura.toml with the stores `maker` (open) and `eq` (distiller-only), each with memories; the path of the file."""
    file = folder / "kura.toml"
    file.write_text(
        f'[stores.maker]\npath = "{folder / "maker"}"\nlabel = "maker mode"\n'
        f'[stores.eq]\npath = "{folder / "eq"}"\nwrite_policy = "distiller-only"\n[modes]\ntalk = "eq"\n{extra}',
        encoding="utf-8",
    )
    maker = Store.create(folder / "maker", name="maker")
    maker.remember(
        "archive-on-slow-disk",
        "the archive lives on the slow disk; port 8081 serves it",
        "See [[kelp-cache]].",
    )
    maker.remember(
        "kelp-cache", "kelp-cache keeps the parsed journals for one week", "Nothing else is kept there."
    )
    maker.remember("evening-report", "晚上的报告最多五行，第一行是要决定的事", "写得短。")
    eq = Store.create(folder / "eq", name="eq")
    eq.remember("quiet-evenings", "quiet evenings help more than long talks", "Said twice.")
    return file


@contextmanager
def serving(
    config: Path, *options: str, env: dict[str, str] | None = None, command: str = "serve"
) -> Iterator[int]:
    """A real `kura serve` (or `mcp`) on a free port; yields the port, and ends with the process gone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kura = str(Path(sys.executable).with_name("kura"))
    line = [kura, command, "-c", str(config), "--port", str(port), *options]
    process = subprocess.Popen(
        line, env=os.environ | (env or {}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        for _ in range(600):
            if process.poll() is not None:
                assert process.stdout is not None
                raise AssertionError(process.stdout.read())
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(20)
