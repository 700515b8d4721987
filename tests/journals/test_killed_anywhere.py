"""`kill -9` between any two statements of Python or of the database, from the claim to evidence, archive and search index.

A child process is forked for each place: it runs the whole pass and kills itself before the n-th line that this project's own
writing code is about to execute, or the n-th step of a transaction. Then the pass is run again and everything must be there once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import zstandard

import kura_pipeline
import kura_runtime
from kura_pipeline.distil.archive import archive_journals
from kura_pipeline.distil.batch import batch_of, claim, read_batch
from kura_pipeline.distil.rawtier import index_journals
from kura_pipeline.storage import keep_evidence, kept_evidence
from kura_runtime.config.load import resolve
from kura_runtime.config.model import Config
from kura_runtime.gate.echo import served_hashes
from kura_runtime.raw.sessions import count, search
from kura_runtime.recall.served import FOLDER
from tests.journals.samples import claude, line, text
from tests.journals.stores import NOW, ledger

WORDS = "Archives of this house are packed with zstd at level nineteen."
TURNS = 8
# the rooms that write anything: their lines are the places to die at
_WRITING = (
    "distil/batch.py", "distil/claiming.py", "distil/served.py", "distil/indexing.py", "distil/archive.py", "distil/rawtier.py",
    "pipeline/storage.py", "ledger/claims.py", "ledger/database.py", "ledger/records.py", "raw/database.py", "raw/filling.py",
    "raw/sessions.py", "store/disk.py",
)  # fmt: skip
_ROOTS = tuple(str(Path(m.__file__ or "").parent) for m in (kura_pipeline, kura_runtime))


def project(base: Path) -> Config:
    (base / "store").mkdir(parents=True)
    (base / "j").mkdir()
    rows = []
    for n in range(TURNS):
        rows.append(claude("user", f"question {n} " + "x" * 200, uuid=f"u{n}"))
        rows.append(claude("assistant", [text(f"answer {n} " + "y" * 200)], uuid=f"a{n}"))
    (base / "j" / "s.jsonl").write_bytes(b"".join(line(r) for r in rows))
    segment = base / "store" / FOLDER / "served-1-a.jsonl"
    segment.parent.mkdir(parents=True)
    segment.write_text(
        json.dumps({"ts": "2025-06-01T00:00:00+00:00", "hashes": list(served_hashes(WORDS))}) + "\n"
    )
    return configured(base)


def configured(base: Path) -> Config:
    raw = {
        "stores": {"maker": {"path": "store"}},
        "distill": {"journals": {"claude": "j"}, "archive": True, "chunk_chars": 1500},
    }
    return resolve(raw, base / "kura.toml")


def work(base: Path) -> None:
    """What a run does before any model is asked."""
    config = configured(base)
    cfg, book = config.stores["maker"], ledger(base)
    claim(cfg, book, now=NOW, sink=partial(keep_evidence, config.storage_root))
    archive_journals(config, cfg, book, now=NOW)
    index_journals(cfg)
    book.close()


def lines_of(base: Path, fatal: int) -> int:
    """Run `work` in a child that dies before its `fatal`-th line of writing code; how many lines there were, 0 where it died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            _traced(partial(work, base), fatal, writer)
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        said = told.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return 0
    assert status == 0, said.decode()
    return int(said)


def _traced(run: Callable[[], None], fatal: int, writer: int) -> None:
    met = 0

    def on_line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal met
        if event == "line":
            met += 1
            if met == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return on_line

    def on_call(frame: FrameType, event: str, _: Any) -> Any:
        name = frame.f_code.co_filename
        return on_line if name.startswith(_ROOTS) and name.endswith(_WRITING) else None

    sys.settrace(on_call)
    try:
        run()
    except BaseException as error:
        sys.settrace(None)
        os.write(writer, repr(error).encode())
        os._exit(1)
    sys.settrace(None)
    os.write(writer, str(met).encode())
    os._exit(0)


def is_whole(base: Path, place: int) -> None:
    """Everything that was said is evidence, found and archived once."""
    config = configured(base)
    cfg, book = config.stores["maker"], ledger(base)
    said: Counter[str] = Counter()
    for c in book.claims.of_store("maker"):
        kept = kept_evidence(config.storage_root, "maker", c.batch_id)
        table = read_batch(cfg, book, c.batch_id, kept=kept)
        said.update(" ".join(e.text.split()[:2]) for e in batch_of(table).events if not e.context)
    expected = Counter({f"{who} {n}": 1 for n in range(TURNS) for who in ("question", "answer")})
    assert said == expected, f"killed before line {place}"
    assert count(cfg.path) == 2 * TURNS, f"killed before line {place}"
    assert len(search(cfg.path, "question", limit=50)) == TURNS
    assert set(served_hashes(WORDS)) <= book.served.hashes("maker")
    folder = base / ".kura" / "archive"
    rows = [json.loads(r) for r in (folder / "index.jsonl").read_text().splitlines()]
    copies = sorted(p.name for p in folder.glob("*.zst"))
    assert copies == sorted({f"{r['sha256']}.jsonl.zst" for r in rows}) and len(copies) == 1
    with (folder / copies[0]).open("rb") as packed:
        assert (
            zstandard.ZstdDecompressor().stream_reader(packed).read() == (base / "j" / "s.jsonl").read_bytes()
        )
    assert not list(folder.glob(".partial*"))
    book.close()


def killed_at(tmp_path: Path, places: range) -> None:
    for place in places:
        base = tmp_path / str(place)
        project(base)
        if lines_of(base, place):
            break
        work(base)
        is_whole(base, place)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> int:
    base = tmp_path_factory.mktemp("whole")
    os.rmdir(base)
    project(base)
    met = lines_of(base, -1)
    is_whole(base, 0)
    return met


def test_a_pass_killed_at_places_spread_over_all_its_lines_loses_nothing_and_doubles_nothing(
    tmp_path: Path, lines: int
) -> None:
    assert lines > 300, "the trace reaches the writing code"
    killed_at(tmp_path, range(1, lines + 1, max(1, lines // 40)))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(int(os.environ.get("KURA_KILL_STRIDES", "1"))))
def test_a_pass_killed_before_many_of_its_lines_loses_nothing_and_doubles_nothing(
    tmp_path: Path, lines: int, first: int
) -> None:
    """Every sixteenth line; KURA_KILL_STRIDES=16 dies before each of them."""
    killed_at(tmp_path, range(1 + first, lines + 1, 16))
