"""Claims under real processes: two at once, and one that is killed at any moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from kura_pipeline.distil.batch import batch_of, claim, read_batch
from tests.journals.samples import claude, line, text
from tests.journals.stores import NOW, ledger, store
from tests.ledger import postgres

_CLAIMER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from kura_pipeline.distil.batch import claim
from tests.journals.stores import ledger, store
base = Path(sys.argv[1])
cfg, book = store(base, {"claude": sys.argv[3]}, chunk_chars=2000), ledger(base)
print("ready", flush=True)
sys.stdin.readline()
while claim(cfg, book, now=datetime.now(UTC), limit=int(sys.argv[2])).batches:
    pass
"""


def journals(base: Path, files: int, turns: int) -> set[str]:
    (base / "j").mkdir()
    said = set()
    for f in range(files):
        rows = []
        for t in range(turns):
            rows.append(claude("user", f"q {f} {t} " + "x" * 80, uuid=f"u{f}-{t}", sessionId=f"s{f}"))
            rows.append(
                claude("assistant", [text(f"a {f} {t} " + "y" * 80)], uuid=f"a{f}-{t}", sessionId=f"s{f}")
            )
            said |= {f"q {f} {t}", f"a {f} {t}"}
        (base / "j" / f"{f}.jsonl").write_bytes(b"".join(line(r) for r in rows))
    return said


def start(base: Path, limit: int, roots: str = "j") -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", _CLAIMER, str(base), str(limit), roots],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()


def close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def distilled(base: Path) -> Counter[str]:
    cfg, book = store(base, {"claude": "j"}, chunk_chars=2000), ledger(base)
    said: Counter[str] = Counter()
    for c in book.claims.of_store("maker"):
        events = batch_of(read_batch(cfg, book, c.batch_id)).events
        said.update(e.text.rsplit(" ", 1)[0] for e in events if not e.context)
    return said


@pytest.fixture(params=["sqlite", "postgresql"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder whose ledger lies in it, or in a database that several machines could share."""
    if request.param == "postgresql":
        (tmp_path / "ledger.url").write_text(postgres.fresh(request.getfixturevalue("postgres_server")))
    return tmp_path


def test_two_processes_that_claim_at_once_give_every_record_to_one_batch(base: Path) -> None:
    tmp_path = base
    said = journals(tmp_path, files=6, turns=40)
    both = [start(tmp_path, limit=2) for _ in range(2)]
    for process in both:
        go(process)
    assert [p.wait(120) for p in both] == [0, 0]
    for process in both:
        close(process)
    assert distilled(tmp_path) == Counter(dict.fromkeys(said, 1))


def test_two_machines_that_share_journals_and_a_ledger_give_every_record_to_one_batch(
    tmp_path: Path, postgres_server: str
) -> None:
    """Each has its own folder of the store, so that no file lock stands between them."""
    shared = postgres.fresh(postgres_server)
    said = journals(tmp_path, files=4, turns=40)
    machines = [tmp_path / "one", tmp_path / "two"]
    for machine in machines:
        machine.mkdir()
        (machine / "ledger.url").write_text(shared)
    both = [start(machine, limit=2, roots=str(tmp_path / "j")) for machine in machines]
    for process in both:
        go(process)
    assert [p.wait(120) for p in both] == [0, 0]
    for process in both:
        close(process)
    assert distilled(machines[0]) == Counter(dict.fromkeys(said, 1))


@pytest.mark.parametrize("seed", range(3))
def test_a_claimer_killed_at_any_moment_loses_nothing_and_doubles_nothing(tmp_path: Path, seed: int) -> None:
    said = journals(tmp_path, files=4, turns=30)
    dice = random.Random(seed)
    for _ in range(3):
        process = start(tmp_path, limit=1)
        go(process)
        time.sleep(dice.uniform(0.0, 0.12))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        close(process)
    cfg, book = store(tmp_path, {"claude": "j"}, chunk_chars=2000), ledger(tmp_path)
    claim(cfg, book, now=NOW + timedelta(days=1))
    assert distilled(tmp_path) == Counter(dict.fromkeys(said, 1))


_STATEMENTS = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from sqlalchemy import event
from kura_pipeline.distil.batch import claim
from tests.journals.stores import ledger, store
base, fatal = Path(sys.argv[1]), int(sys.argv[2])
cfg, book = store(base, {"claude": "j"}, chunk_chars=2000), ledger(base)
count = 0
@event.listens_for(book.database.engine, "before_cursor_execute")
def _count(*_):
    global count
    count += 1
    if count == fatal:
        os.kill(os.getpid(), signal.SIGKILL)
claim(cfg, book, now=datetime(2025, 1, 1, tzinfo=UTC))
print(count)
"""


def test_a_claimer_killed_before_each_of_its_statements_loses_nothing_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    fatal = 1
    while True:
        base = tmp_path / str(fatal)
        base.mkdir()
        said = journals(base, files=1, turns=12)
        done = subprocess.run(
            [sys.executable, "-c", _STATEMENTS, str(base), str(fatal)],
            capture_output=True,
            cwd=Path(__file__).parents[2],
        )
        cfg, book = store(base, {"claude": "j"}, chunk_chars=2000), ledger(base)
        claim(cfg, book, now=NOW)
        assert distilled(base) == Counter(dict.fromkeys(said, 1)), f"killed before statement {fatal}"
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
        fatal += 3 if fatal > 1 else 1
    assert fatal > 4
