"""`kura journals`: one row a file, and coverage that is said, never assumed."""

from __future__ import annotations

import json
from pathlib import Path

from kura_pipeline.distil.batch import catch_up, claim
from kura_pipeline.distil.coverage import JournalRow, Survey, survey
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
    assert found.failed == len(found.failures) == 2
    document = json.loads(json.dumps(found.to_json()))
    assert set(document["coverage"]) == {"sessions", "distilled", "failed"}
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
