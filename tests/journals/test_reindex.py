"""The search index is disposable: whatever becomes of it, it is made anew from journals, archive and kept evidence."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from kura_pipeline.distil.archive import archive_journals
from kura_pipeline.distil.batch import claim
from kura_pipeline.distil.rawtier import index_journals
from kura_pipeline.distil.reindex import indexed, reindex
from kura_pipeline.distil.transcript import transcript
from kura_pipeline.storage import keep_evidence
from kura_runtime.config.load import resolve
from kura_runtime.config.model import Config
from kura_runtime.raw.sessions import FILE, count, search
from tests.journals.samples import SAMPLES, claude, line
from tests.journals.stores import NOW, ledger
from tests.pipeline.project import Project

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def project(base: Path, *, archive: bool) -> Config:
    (base / "store").mkdir(parents=True, exist_ok=True)
    (base / "j").mkdir(exist_ok=True)
    raw = {
        "stores": {"maker": {"path": "store"}},
        "distill": {"journals": {"claude": "j"}, "archive": archive},
    }
    return resolve(raw, base / "kura.toml")


def read(config: Config) -> None:
    """As a run reads: claimed, the evidence kept, archived and indexed."""
    cfg, book = config.stores["maker"], ledger(config.home.parent)
    claim(cfg, book, now=NOW, sink=partial(keep_evidence, config.storage_root))
    archive_journals(config, cfg, book, now=NOW)
    index_journals(cfg)


@pytest.mark.parametrize("harm", ["missing", "garbage", "torn", "empty"])
def test_an_index_in_any_state_is_made_anew(tmp_path: Path, harm: str) -> None:
    config = project(tmp_path, archive=False)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    read(config)
    file, whole = cfg.path / FILE, count(cfg.path)
    if harm == "missing":
        file.unlink()
    elif harm == "garbage":
        file.write_bytes(b"a letter, not a database\n" * 300)
    elif harm == "torn":
        file.write_bytes(file.read_bytes()[:5000])
    else:
        file.write_bytes(b"")
    made = reindex(config, cfg, book)
    assert (made.journals, made.failures) == (whole, ())
    assert count(cfg.path) == whole and search(cfg.path, "ディスク")
    assert index_journals(cfg).events == 0, "the new index knows how far it goes"
    assert sorted(p.name for p in file.parent.iterdir()) == ["sessions.db"]


def test_what_the_host_deleted_is_indexed_from_the_evidence_that_was_kept(tmp_path: Path) -> None:
    config = project(tmp_path, archive=False)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    path = SAMPLES["claude"].write(tmp_path / "j")
    read(config)
    before = search(cfg.path, "アーカイブ")
    path.unlink()
    (cfg.path / FILE).unlink()
    made = reindex(config, cfg, book)
    assert (made.journals, made.archive, made.evidence) == (0, 0, 5)
    assert search(cfg.path, "アーカイブ") == before


def test_the_archive_gives_more_than_the_evidence_and_nothing_twice(tmp_path: Path) -> None:
    config = project(tmp_path, archive=True)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    path = SAMPLES["claude"].write(tmp_path / "j")
    read(config)
    before = search(cfg.path, "アーカイブ")
    path.unlink()
    made = reindex(config, cfg, book)
    assert (made.journals, made.archive, made.evidence) == (0, 5, 0)
    assert search(cfg.path, "アーカイブ") == before


def test_a_secret_in_old_evidence_does_not_come_back_through_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Evidence of the days before a rule was added holds what the rule would have taken out."""
    config = project(tmp_path, archive=False)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    path = tmp_path / "j" / "a.jsonl"
    path.write_bytes(line(claude("user", f"giraffe token {SECRET}", uuid="u1", sessionId="s")))
    with monkeypatch.context() as before:
        before.setattr("kura_pipeline.journals.intake.suspects", lambda texts: [False] * len(texts))
        claim(cfg, book, now=NOW, sink=partial(keep_evidence, config.storage_root))
    path.unlink()
    assert reindex(config, cfg, book).evidence == 1
    assert SECRET not in str(search(cfg.path, "giraffe"))
    assert SECRET.encode() not in (cfg.path / FILE).read_bytes()


def test_a_damaged_evidence_file_is_named_and_the_rest_is_indexed(tmp_path: Path) -> None:
    config = project(tmp_path, archive=False)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    path = SAMPLES["claude"].write(tmp_path / "j")
    read(config)
    path.unlink()
    bad = Path(config.storage_root) / "maker" / "evidence" / "20200101T000000-00000000.parquet"
    bad.write_bytes(b"PAR1 no")
    made = reindex(config, cfg, book)
    assert made.evidence == 5
    assert len(made.failures) == 1 and bad.name in made.failures[0]


def test_the_journals_step_repairs_a_damaged_index_and_says_so(tmp_path: Path) -> None:
    config = project(tmp_path, archive=False)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    read(config)
    (cfg.path / FILE).write_bytes(b"a letter, not a database\n" * 300)
    done = indexed(config, cfg, book)
    assert done.events == 5 and "made anew from 5 events" in done.failures[0]
    assert indexed(config, cfg, book).failures == ()


_KILLED = """
import os, signal, sys
from pathlib import Path
from kura_pipeline.distil import reindex as room
from tests.journals.stores import ledger
from tests.journals.test_reindex import project
base, fatal = Path(sys.argv[1]), int(sys.argv[2])
config = project(base, archive=False)
count = 0
def step(frame, event, _):
    global count
    if frame.f_code.co_filename == room.__file__:
        if event == "line":
            count += 1
            if count == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return step
book = ledger(base)
sys.settrace(step)
room.reindex(config, config.stores["maker"], book)
"""


@pytest.mark.parametrize("fatal", [3, 8, 14, 20, 26, 32, 38, 44, 50, 56])
def test_a_rebuild_that_is_killed_leaves_the_old_index_or_the_new_one(tmp_path: Path, fatal: int) -> None:
    config = project(tmp_path, archive=False)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    read(config)
    subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path), str(fatal)], cwd=Path(__file__).parents[2], env=dict(os.environ),
        check=False, capture_output=True,
    )  # fmt: skip
    assert count(cfg.path) == 5 and search(cfg.path, "ディスク")
    assert reindex(config, cfg, book).events == 5


def test_a_deleted_session_is_shown_from_its_copy_with_the_journals_own_name(tmp_path: Path) -> None:
    config = project(tmp_path, archive=True)
    cfg, book = config.stores["maker"], ledger(tmp_path)
    path = SAMPLES["claude"].write(tmp_path / "j")
    read(config)
    before = transcript(cfg, book, "session-one", config=config)
    path.unlink()
    found = transcript(cfg, book, "session-one", config=config)
    assert found.events == before.events
    assert found.files == (f"{path} (deleted; read from its archived copy)",)


def test_the_commands_rebuild_restore_and_prune(tmp_path: Path) -> None:
    made = Project(tmp_path / "p", extra="archive = true")
    path = made.write_session()
    words = path.read_bytes()
    assert made.kura("run").returncode == 0
    (made.store / FILE).write_bytes(b"a letter, not a database\n" * 300)
    lost = made.kura("search", "migration")
    assert lost.returncode == 1 and "kura journals reindex" in lost.stderr
    built = made.json("journals", "reindex")
    assert built["events"] == built["from_journals"] == 10 and built["failures"] == []
    assert made.kura("search", "migration").returncode == 0
    (made.store / FILE).unlink()
    missing = made.kura("search", "migration")
    assert missing.returncode == 2 and "degraded: there is no search index" in missing.stderr
    assert made.kura("journals", "reindex").returncode == 0
    path.unlink()
    shown = made.kura("journals", "show", path.stem)
    assert shown.returncode == 0 and "always run the migration" in shown.stdout
    out = tmp_path / "out"
    (row,) = made.json("journals", "restore", path.stem[:8], "--to", str(out))
    assert Path(row["file"]).read_bytes() == words and row["journal"] == str(path)
    assert Path(row["file"]).stat().st_mode & 0o777 == 0o600
    again = made.kura("journals", "restore", path.stem, "--to", str(out))
    assert again.returncode == 1 and "nothing is written over" in again.stderr
    assert made.json("journals", "prune", "--older-than", "0", "--dry-run")["only_copies"] == 1
    assert made.json("journals", "prune", "--older-than", "0")["removed"] == 1
    assert made.kura("journals", "prune", "--older-than", "0").returncode == 2
    gone = made.kura("journals", "restore", path.stem, "--to", str(out / "x"))
    assert gone.returncode == 1 and "no copy of a session" in gone.stderr
