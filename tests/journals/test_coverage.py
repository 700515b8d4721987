"""`kura journals`: one row a file, and coverage that is said, never assumed."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kura_pipeline.distil.batch import catch_up, claim, read_batch, window_start
from kura_pipeline.distil.coverage import JournalRow, Survey, survey
from kura_runtime.errors import JournalUnreadable
from tests.journals.samples import SAMPLES, claude, line
from tests.journals.stores import NOW, ledger, store


def row(found: Survey, name: str) -> JournalRow:
    return next(r for r in found.files if Path(r.path).name == name)


def test_a_row_says_what_a_file_holds_and_how_much_is_unread(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    before = survey(cfg, book)
    (only,) = before.files
    assert only.events == {"ACT": 1, "SELF": 2, "TOOL": 1, "USER": 1}
    assert (only.adapter, only.session, only.status, only.error) == ("claude", "session-one", "ok", None)
    assert only.unread == sum(len(words) for _, words in SAMPLES["claude"].said)
    assert (before.sessions, before.distilled, before.failed) == (1, 0, 0)
    (made,) = claim(cfg, book, now=NOW).batches
    middle = survey(cfg, book)
    assert (row(middle, "session-one.jsonl").unread, middle.distilled) == (0, 0)
    book.claims.done(made.batch_id)
    after = survey(cfg, book)
    assert (after.sessions, after.distilled, after.failed) == (1, 1, 0)


def test_every_file_found_has_its_row_and_failures_are_counted(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j", "pi": "nowhere"}), ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    (tmp_path / "j" / "empty.jsonl").write_bytes(b"")
    (tmp_path / "j" / "bad.jsonl").write_bytes(b"not json\n")
    (tmp_path / "j" / "picture.png").write_bytes(b"\x89PNG")
    torn = line(claude("user", "a", uuid="t1")) + b"garbage\n" + line(claude("user", "b", uuid="t2"))
    (tmp_path / "j" / "torn.jsonl").write_bytes(torn)
    found = survey(cfg, book)
    assert {Path(r.path).name: r.status for r in found.files} == {
        "session-one.jsonl": "ok",
        "empty.jsonl": "empty",
        "bad.jsonl": "unknown",
        "picture.png": "other",
        "torn.jsonl": "ok",
    }
    assert row(found, "torn.jsonl").events == {"USER": 2}
    at = torn.index(b"garbage")
    assert row(found, "torn.jsonl").error == f"byte {at}: malformed; passed over"
    assert row(found, "picture.png").error is None
    assert row(found, "picture.png").reason == "not named like a claude journal"
    assert found.failed == len(found.failures) == 2
    document = json.loads(json.dumps(found.to_json()))
    assert {"sessions", "distilled", "failed", "waiting", "lost"} == set(document["coverage"])
    assert {"path", "adapter", "session", "events", "unread", "error", "status"} <= set(document["files"][0])


def test_figures_are_counted_anew_when_the_file_changes_and_only_then(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    path = SAMPLES["claude"].write(tmp_path / "j")
    first = survey(cfg, book)
    assert survey(cfg, book) == first
    path.write_bytes(path.read_bytes() + line(claude("user", "more", uuid="m")))
    second = survey(cfg, book)
    assert second.files[0].events["USER"] == 2
    assert second.digest != first.digest


def test_a_session_passed_over_by_a_catch_up_is_not_distilled(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    catch_up(cfg, book, now=NOW)
    found = survey(cfg, book)
    assert (found.sessions, found.distilled, found.unread) == (1, 0, 0)


def test_a_copy_of_a_distilled_session_does_not_leave_it_undone(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    path = SAMPLES["claude"].write(tmp_path / "j")
    path.with_name("copy.jsonl").write_bytes(path.read_bytes())
    (made,) = claim(cfg, book, now=NOW).batches
    book.claims.done(made.batch_id)
    found = survey(cfg, book)
    assert (found.sessions, found.distilled, found.unread) == (1, 1, 0)


def test_a_parked_batch_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    (made,) = claim(cfg, book, now=NOW).batches
    for _ in range(3):
        book.claims.failed(made.batch_id, "the brain gave no answer")
    found = survey(cfg, book)
    assert found.failed == 1
    assert "is parked (the brain gave no answer)" in found.failures[0]


def test_when_a_journal_was_read_last_is_said_and_never_before_it_was(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    assert survey(cfg, book).files[0].to_json()["last_read"] is None
    before = datetime.now(UTC).replace(microsecond=0)
    claim(cfg, book, now=NOW)
    said = survey(cfg, book).files[0].to_json()["last_read"]
    assert before <= datetime.fromisoformat(said) <= datetime.now(UTC)


def test_coverage_says_what_every_other_session_waits_for(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    (tmp_path / "j").mkdir()

    def said(name: str) -> None:
        row = claude("user", f"words of {name}", uuid=name, sessionId=name)
        (tmp_path / "j" / f"{name}.jsonl").write_bytes(line(row))

    said("passed")
    catch_up(cfg, book, now=NOW)
    said("parked")
    (parked,) = claim(cfg, book, now=NOW).batches
    for _ in range(3):
        book.claims.failed(parked.batch_id, "no answer")
    said("done")
    (done,) = claim(cfg, book, now=NOW + timedelta(minutes=1)).batches
    book.claims.done(done.batch_id)
    said("claimed")
    claim(cfg, book, now=NOW + timedelta(minutes=2))
    said("unread")
    found = survey(cfg, book)
    assert found.waiting == {
        "parked or lost": 1, "unread": 1, "claimed and not distilled yet": 1, "passed over by a catch-up": 1,
    }  # fmt: skip
    assert found.coverage == (
        "1 of 5 sessions distilled, 1 failed (1 parked or lost, 1 unread, 1 claimed and not distilled yet, "
        "1 passed over by a catch-up)"
    )


def test_a_stretch_lost_to_a_rewrite_fails_until_its_journal_is_read_anew(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    path = SAMPLES["claude"].write(tmp_path / "j")
    (made,) = claim(cfg, book, now=NOW).batches
    path.write_bytes(line(claude("user", "something else", uuid="n1")))
    with pytest.raises(JournalUnreadable):
        read_batch(cfg, book, made.batch_id)
    assert survey(cfg, book).failed == 1
    (anew,) = claim(cfg, book, now=NOW + timedelta(hours=1)).batches
    book.claims.done(anew.batch_id)
    found = survey(cfg, book)
    assert (found.sessions, found.distilled, found.failed, found.lost) == (1, 1, 0, 1)


def test_unread_journals_older_than_the_nightly_window_are_counted(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}, window_days=3), ledger(tmp_path)
    old, new = tmp_path / "j" / "old.jsonl", tmp_path / "j" / "new.jsonl"
    old.parent.mkdir()
    for path, days in ((old, 4), (new, 1)):
        path.write_bytes(line(claude("user", f"said {days} days ago", uuid=path.stem)))
        at = (NOW - timedelta(days=days)).timestamp()
        os.utime(path, (at, at))
    assert survey(cfg, book, now=NOW).older == (1, len("said 4 days ago"))
    nightly = claim(cfg, book, now=NOW, since=window_start(cfg, NOW))
    assert [Path(c.journal_key).name for c in nightly.batches] == ["new.jsonl"]
    assert nightly.skipped == {"older-than-window": 1}
    assert [Path(c.journal_key).name for c in claim(cfg, book, now=NOW + timedelta(minutes=1)).batches] == [
        "old.jsonl"
    ]
    assert survey(cfg, book, now=NOW).older == (0, 0)


def test_an_unknown_and_a_mixed_file_are_reported_with_what_to_do(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    SAMPLES["pi"].write(tmp_path / "j")
    (tmp_path / "j" / "odd.jsonl").write_bytes(b'{"hello": "world"}\n')
    found = survey(cfg, book)
    mixed, odd = (next(r for r in found.files if r.status == s) for s in ("mixed", "unknown"))
    assert "looks like pi under a root of kind claude" in str(mixed.error)
    assert "unknown format" in str(odd.error)
    assert found.failed == 2 and all(any(r.path in f for f in found.failures) for r in (mixed, odd))
