"""The search index follows the journals: everything once, whatever was distilled of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kura_pipeline.distil import rawtier
from kura_pipeline.distil.batch import catch_up, claim
from kura_pipeline.distil.rawtier import RawIndexed, index_journals
from kura_runtime.raw.sessions import FILE, count, search
from tests.journals.samples import SAMPLES, claude, line
from tests.journals.stores import NOW, ledger, store


def test_every_event_of_every_kind_is_found_again(tmp_path: Path) -> None:
    samples = {kind: s for kind, s in SAMPLES.items() if kind == s.name}
    cfg = store(tmp_path, {kind: kind for kind in samples})
    for kind, sample in samples.items():
        sample.write(tmp_path / kind)
    done = index_journals(cfg)
    assert done.failures == ()
    assert done.events == count(cfg.path) == sum(len(s.said) for s in samples.values()) + 7
    # seven stand in the second sessions of the databases
    assert search(cfg.path, "ディスク")
    assert search(cfg.path, "导入器")[0]["session"] == "dsh-one"
    assert index_journals(cfg).journals == 0


def test_what_a_catch_up_passed_over_is_searched_all_the_same(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    catch_up(cfg, book, now=NOW)
    assert index_journals(cfg).events == 5


def test_growth_and_rewriting_add_only_what_is_new(tmp_path: Path) -> None:
    cfg = store(tmp_path, {"claude": "j"})
    path = SAMPLES["claude"].write(tmp_path / "j")
    index_journals(cfg)
    path.write_bytes(path.read_bytes() + line(claude("user", "zebra", uuid="z")))
    assert index_journals(cfg).events == 1
    path.write_bytes(line(claude("user", "giraffe", uuid="g")) + path.read_bytes())
    assert index_journals(cfg).events == 1
    assert len(search(cfg.path, "zebra")) == 1


def test_a_bounded_call_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rawtier, "CHARS", 100)
    cfg = store(tmp_path, {"claude": "j"})
    (tmp_path / "j").mkdir()
    rows = b"".join(line(claude("user", f"word {i} " + "x" * 60, uuid=f"u{i}")) for i in range(20))
    (tmp_path / "j" / "s.jsonl").write_bytes(rows)
    calls = 0
    while not index_journals(cfg, most=300).finished:
        calls += 1
    assert calls >= 3
    assert count(cfg.path) == 20


def test_what_stands_before_a_tear_is_indexed_and_the_tear_is_named(tmp_path: Path) -> None:
    cfg = store(tmp_path, {"dsh": "j"})
    SAMPLES["dsh"].write(tmp_path / "j", SAMPLES["dsh"].data[:-300])
    done = index_journals(cfg)
    assert done.events > 0
    assert "torn after" in done.failures[0]


def test_a_claim_indexes_what_it_walks_and_nothing_is_walked_for_it_again(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}, chunk_chars=1000), ledger(tmp_path)
    path = tmp_path / "j" / "s.jsonl"
    path.parent.mkdir()
    rows = [line(claude("user", f"word {i} " + "x " * 60, uuid=f"u{i}")) for i in range(200)]
    path.write_bytes(b"".join(rows[:150]))
    made = claim(cfg, book, now=NOW).batches
    assert len(made) > 10
    assert count(cfg.path) == 150
    assert index_journals(cfg) == RawIndexed(0, 0)
    path.write_bytes(b"".join(rows))
    claim(cfg, book, now=NOW)
    assert count(cfg.path) == 200
    assert index_journals(cfg) == RawIndexed(0, 0)


def test_a_claim_that_stops_early_leaves_the_rest_to_the_index(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}, chunk_chars=1000), ledger(tmp_path)
    path = tmp_path / "j" / "s.jsonl"
    path.parent.mkdir()
    path.write_bytes(
        b"".join(line(claude("user", f"word {i} " + "x " * 60, uuid=f"u{i}")) for i in range(100))
    )
    claim(cfg, book, now=NOW, limit=1)
    fed = count(cfg.path)
    assert 0 < fed < 100
    assert index_journals(cfg).events == 100 - fed
    claim(cfg, book, now=NOW)
    assert count(cfg.path) == 100


def test_a_walk_that_begins_beyond_the_index_leaves_no_gap(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    path = SAMPLES["claude"].write(tmp_path / "j")
    catch_up(cfg, book, now=NOW)  # read past, and indexed by nobody
    path.write_bytes(path.read_bytes() + line(claude("user", "zebra", uuid="z")))
    claim(cfg, book, now=NOW)
    index_journals(cfg)
    assert (count(cfg.path), len(search(cfg.path, "zebra"))) == (6, 1)


def test_an_index_that_cannot_be_written_stops_no_claim_and_is_named(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    (cfg.path / FILE).parent.mkdir()
    (cfg.path / FILE).write_bytes(b"not a database at all, but a note\n" * 200)
    report = claim(cfg, book, now=NOW)
    assert len(report.batches) == 1
    assert ["sessions.db" in line for line in report.failures] == [True]
