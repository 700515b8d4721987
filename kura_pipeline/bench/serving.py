"""`kura bench serving`: how fast a generated store answers: in process, from a cold start, and over HTTP while a writer writes.

The store is generated from a fixed seed: titles of common words, a fifth of them Chinese, each with one identifier of its
own. Half the questions name a memory, half ask for what is not there.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import random
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SEED = 5
SIZES = (320, 10_000)
QUESTIONS = 200
HTTP_SECONDS = 5.0
CONNECTIONS = 4
WRITE_EVERY = 0.5  # seconds between two direct writes while HTTP is measured
_NAME = "bench"
_WORDS = [
    "archive",
    "cable",
    "cache",
    "chart",
    "clock",
    "court",
    "depot",
    "draft",
    "field",
    "filter",
    "garden",
    "harbour",
    "index",
    "journal",
    "kettle",
    "ladder",
    "market",
    "metric",
    "mirror",
    "motor",
    "needle",
    "order",
    "panel",
    "pilot",
    "plan",
    "press",
    "pump",
    "queue",
    "radio",
    "relay",
    "report",
    "river",
    "route",
    "sample",
    "sensor",
    "shelf",
    "signal",
    "table",
    "tide",
    "timer",
    "tower",
    "track",
    "valve",
    "vessel",
    "window",
    "worker",
]
_HANZI = [
    "报告",
    "缓存",
    "传感器",
    "端口",
    "服务器",
    "归档",
    "花园",
    "计划",
    "记录",
    "接口",
    "仓库",
    "阀门",
    "温度",
    "线路",
    "窗口",
]


def memories(count: int) -> Iterator[dict[str, Any]]:
    """`count` memories as `kura import` reads them; the same count is the same memories."""
    rng = random.Random(SEED)  # noqa: S311  a fixed mix, not a secret
    for number in range(count):
        chinese = number % 5 == 4
        words = rng.sample(_HANZI if chinese else _WORDS, 4)
        code = f"{rng.choice('abcdefghkmnpqrstvwxyz')}{rng.choice('aeiou')}{rng.choice('bdfgklmnprstvz')}-{number}"
        gap = "" if chinese else " "
        said = gap.join(rng.choice(_HANZI if chinese else _WORDS) for _ in range(40))
        yield {
            "slug": f"{'item' if chinese else '-'.join(words[:2])}-{code}", "title": f"{gap.join(words[:3])} {code}",
            "trigger": f"{gap.join(words)} of {code} is kept at port {20000 + number}", "type": "project",
            "body": f"{said}. {code} was set on 2026-01-{1 + number % 28:02d}.", "created": "2026-01-01", "updated": "2026-01-01",
        }  # fmt: skip


def questions(count: int, size: int) -> list[str]:
    """`count` questions about a store of `size` memories: every second one names a memory, the others nothing that is there."""
    rng = random.Random(SEED + 1)  # noqa: S311  a fixed mix, not a secret
    titles = [m["title"] for m in memories(size)]
    return [
        f"what do we know about {rng.choice(titles)}?"
        if n % 2 == 0
        else f"who moved the {rng.choice(_WORDS)} of zeppelin-{n}?"
        for n in range(count)
    ]


def measure(sizes: Sequence[int] = SIZES, *, http: bool = True, workers: int = 2) -> dict[str, Any]:
    """The common shape of benches. Times are milliseconds, memory is MB of the whole process; each size is opened and asked in
    a process of its own. HTTP is asked by `wrk` where it is installed (`client` in the table), else by httpx, whose own cost is
    then the larger part."""
    table = [_size(size, http=http, workers=workers) for size in sizes]
    figures = {
        f"{key}_{row['memories']}": value
        for row in table
        for key, value in row.items()
        if isinstance(value, int | float) and key != "memories"
    }
    machine = {
        "python": platform.python_version(),
        "cores": os.cpu_count() or 0,
        "load": round(os.getloadavg()[0], 1),
    }
    return {"bench": "serving", "figures": figures, "table": table, "machine": machine}


def _size(size: int, *, http: bool, workers: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="kura-bench-") as folder:
        config = _project(Path(folder), size)
        asked = questions(QUESTIONS, size)
        (Path(folder) / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", __name__, folder], capture_output=True, text=True, check=True
        )
        row: dict[str, Any] = {"memories": size, **json.loads(done.stdout)}
        if http:
            row |= _over_http(config, asked, workers)
        return row


def _project(folder: Path, size: int) -> Path:
    from kura_runtime.recall import snapshot
    from kura_runtime.store.store import Store

    config = folder / "kura.toml"
    config.write_text(f'[stores.{_NAME}]\npath = "{folder / _NAME}"\n', encoding="utf-8")
    lines = "".join(json.dumps(m, ensure_ascii=False) + "\n" for m in memories(size))
    (folder / "memories.jsonl").write_text(lines, encoding="utf-8")
    store = Store.create(folder / _NAME, name=_NAME)
    store.import_jsonl(folder / "memories.jsonl", who="bench")
    snapshot.build(store, store.path)
    return config


def _child(folder: Path) -> dict[str, Any]:
    """Asked in a process of its own: import, open, the first recall, then every question; and a direct write's overlay."""
    asked = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    began = time.perf_counter()
    import kura_runtime

    imported = time.perf_counter()
    handle = kura_runtime.open(folder / "kura.toml").store(_NAME)
    handle.recall(asked[0])
    opened = time.perf_counter()
    times = {True: [], False: []}  # type: dict[bool, list[float]]
    wrong = 0
    for number, question in enumerate(asked):
        start = time.perf_counter()
        reply = handle.recall(question)
        times[number % 2 == 0].append((time.perf_counter() - start) * 1000)
        named = re.search(r"[a-z]{3}-\d+(?=\?)", question) if number % 2 == 0 else None
        wrong += (
            bool(reply.picked)
            if named is None
            else (reply.picked[:1] != () and not reply.picked[0].endswith(named[0]))
        )
    start = time.perf_counter()
    handle.remember(
        "entry-of-the-bench", "the entry of the bench is quokka-99", "quokka-99 was written directly."
    )
    fresh = handle.recall("what about quokka-99?").picked == ("entry-of-the-bench",)
    overlay = (time.perf_counter() - start) * 1000
    return {
        "import_ms": _ms(imported - began), "open_ms": _ms(opened - imported),
        "direct_p50_ms": _at(times[True], 0.5), "direct_p99_ms": _at(times[True], 0.99),
        "absent_p50_ms": _at(times[False], 0.5), "absent_p99_ms": _at(times[False], 0.99), "wrong": wrong,
        "write_to_recall_ms": round(overlay, 1), "write_recalled": int(fresh),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }  # fmt: skip


def _over_http(config: Path, asked: list[str], workers: int) -> dict[str, Any]:
    import httpx

    with _serving(config, workers) as url:
        for question in asked[: 8 * workers]:  # every worker has opened the store before anything is timed
            httpx.post(f"{url}/recall", json={"question": question}, timeout=60).raise_for_status()
        with _writing(config):
            wrk = shutil.which("wrk")
            return _by_wrk(wrk, url, asked, config.parent) if wrk else asyncio.run(_by_httpx(url, asked))


@contextmanager
def _serving(config: Path, workers: int) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = "import sys; from kura_runtime.cli.main import main; sys.argv[0] = 'kura'; main()"
    line = [
        sys.executable,
        "-c",
        program,
        "serve",
        "-c",
        str(config),
        "--port",
        str(port),
        "--workers",
        str(workers),
    ]
    server = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


@contextmanager
def _writing(config: Path) -> Iterator[None]:
    """A writer beside the readers."""
    import kura_runtime

    handle, stop = kura_runtime.open(config).store(_NAME), threading.Event()

    def write() -> None:
        number = 0
        while not stop.wait(WRITE_EVERY):
            number += 1
            handle.remember(
                f"beside-{number}", f"written beside the readers, yak-{number}", f"yak-{number} " * 3
            )

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(60)


def _by_wrk(wrk: str, url: str, asked: list[str], folder: Path) -> dict[str, Any]:
    bodies = ", ".join(f"[[{json.dumps({'question': q}, ensure_ascii=False)}]]" for q in asked)
    script = folder / "ask.lua"
    script.write_text(
        f'wrk.method = "POST"\nlocal bodies = {{{bodies}}}\nlocal n = 0\n'
        'request = function() n = n + 1; return wrk.format(nil, "/recall", nil, bodies[n % #bodies + 1]) end\n'
        "done = function(s, latency, r)\n"
        '  io.write(string.format("RESULT %d %d %f %f %f\\n", s.requests, s.errors.status + s.errors.connect + s.errors.read'
        " + s.errors.write + s.errors.timeout, s.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))\nend\n",
        encoding="utf-8",
    )
    line = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{HTTP_SECONDS:.0f}s", "-s", str(script), url]
    found = re.search(
        r"RESULT (\d+) (\d+) (\S+) (\S+) (\S+)",
        subprocess.run(line, capture_output=True, text=True, check=True).stdout,
    )
    assert found is not None, "wrk printed no result"
    requests, errors, seconds, p50, p99 = (float(x) for x in found.groups())
    return {"http_rps": round(requests / seconds), "http_p50_ms": round(p50, 2), "http_p99_ms": round(p99, 2),
            "http_errors": int(errors), "client": "wrk"}  # fmt: skip


async def _by_httpx(url: str, asked: list[str]) -> dict[str, Any]:
    import httpx

    times: list[float] = []
    errors = 0
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        end = time.perf_counter() + HTTP_SECONDS

        async def ask(offset: int) -> None:
            nonlocal errors
            number = offset
            while time.perf_counter() < end:
                start = time.perf_counter()
                answer = await client.post("/recall", json={"question": asked[number % len(asked)]})
                times.append((time.perf_counter() - start) * 1000)
                errors += answer.status_code != 200
                number += CONNECTIONS

        await asyncio.gather(*(ask(n) for n in range(CONNECTIONS)))
    return {"http_rps": round(len(times) / HTTP_SECONDS), "http_p50_ms": _at(times, 0.5), "http_p99_ms": _at(times, 0.99),
            "http_errors": errors, "client": "httpx"}  # fmt: skip


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def _at(times: list[float], share: float) -> float:
    return round(sorted(times)[min(len(times) - 1, int(len(times) * share))], 3) if times else 0.0


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_child(Path(sys.argv[1]))) + "\n")
