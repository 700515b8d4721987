"""Eight threads and four processes read while one process writes: nobody sees half a change, fails, or goes back in time.

KURA_TEST_SECONDS makes it last longer than a test run should.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import kura_runtime
from kura_runtime.store.store import Store

SECONDS = float(os.environ.get("KURA_TEST_SECONDS", "8"))
# every memory says the same number in its line, its text and its tag: a torn read would mix two
_WRITER = """
import hashlib, sys, time
import kura_runtime
from kura_runtime.recall import snapshot
handle = kura_runtime.open(sys.argv[1]).store("s")
end, n = time.monotonic() + float(sys.argv[2]), 1
while time.monotonic() < end:
    n += 1
    words = " ".join(hashlib.sha256(b"%d %d" % (n, i)).hexdigest()[:9].translate(str.maketrans("0123456789", "ghijklmnop")) for i in range(30))
    handle.remember(f"entry-{n}", f"{words[:60]} mark{n}x", f"mark{n}x {words} mark{n}x")  # no two alike: none is merged
    if n > 3:
        handle.annotate(f"entry-{n-2}", keep=f"mark{n-2}x")
    if n > 5 and n % 4 == 0:
        handle.retire(f"entry-{n-4}", f"entry-{n}")
    if n % 7 == 0:
        snapshot.build(handle.files, handle.files.path)
print(n)
"""
_READER = """
import sys
sys.path.insert(0, sys.argv[4])
from tests.recall.test_side_by_side import read_until
import json, kura_runtime
print(json.dumps(read_until(kura_runtime.open(sys.argv[1]).store("s"), float(sys.argv[2]), int(sys.argv[3]))))
"""


def read_until(handle: kura_runtime.StoreHandle, seconds: float, seed: int) -> dict[str, int]:
    """Recall and read until the time is over; raises at the first answer that cannot be of one state."""
    end, last, asked, found = time.monotonic() + seconds, -1, 0, 0
    turn = seed
    while time.monotonic() < end or not found:
        turn += 1
        number = 1 + turn % max(1, found + 5)
        reply = handle.recall(f"what about entry-{number}?", hops=0, top=1)
        asked += 1
        assert reply.revision >= last, f"back in time: {reply.revision} after {last}"
        last = reply.revision
        for slug in reply.picked:
            found += 1
            own = slug.removeprefix("entry-")
            body = reply.context.split("⟦kura:begin", 1)[1]
            marks = set(re.findall(r"mark(\d+)x", body.split("RETIRED")[0]))
            assert marks <= {own}, f"{slug} speaks of {marks}"
            whole = handle.read(slug)
            assert f"mark{own}x" in whole.summary, f"{slug} was read half: {whole.summary[:80]!r}"
        if turn % 50 == 0:
            lines = handle.index()["memories"]
            assert len({line["slug"] for line in lines}) == len(lines)
            handle.prefill()
        if time.monotonic() > end + 60:
            raise AssertionError("nothing was ever found")
    return {"asked": asked, "found": found, "revision": last}


@pytest.mark.slow
def test_readers_beside_a_writer_see_whole_states_that_never_go_back(tmp_path: Path) -> None:
    file = tmp_path / "kura.toml"
    file.write_text(f'[stores.s]\npath = "{tmp_path / "s"}"\n', encoding="utf-8")
    Store.create(tmp_path / "s", name="s").remember("entry-1", "entry 1 is marked mark1x", "mark1x " * 20)
    root = str(Path(__file__).resolve().parents[2])
    start = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    writer = subprocess.Popen(
        [
            sys.executable,
            "-c",
            _WRITER,
            str(file),
            str(SECONDS),
        ],
        **start,
    )
    readers = [
        subprocess.Popen([sys.executable, "-c", _READER, str(file), str(SECONDS), str(i), root], **start)
        for i in range(4)
    ]
    handle = kura_runtime.open(file).store("s")
    failures: list[BaseException] = []
    totals: list[dict[str, int]] = []

    def work(seed: int) -> None:
        try:
            totals.append(read_until(handle, SECONDS, seed))
        except BaseException as error:  # told below: a thread's own traceback is lost
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    for process in readers:
        out, err = process.communicate(timeout=180)
        assert process.returncode == 0, err[-2000:]
        totals.append(json.loads(out))
    out, err = writer.communicate(timeout=180)
    assert writer.returncode == 0, err[-2000:]
    assert len(totals) == 12 and all(t["found"] for t in totals)
    handle.shelf.refresh()
    assert handle.recall(f"entry-{int(out)}", hops=0).picked == (f"entry-{int(out)}",)
    assert handle.doctor()["healthy"]
