"""`kura journals show`: a session as it was said, out of every file that holds a part of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kura_pipeline.distil.transcript import UnknownSession, transcript
from tests.journals.samples import SAMPLES, claude, line
from tests.journals.stores import ledger, store
from tests.pipeline.project import Project

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def test_a_session_is_told_in_order_with_classes_and_times(tmp_path: Path) -> None:
    cfg = store(tmp_path, {"claude": "j"})
    path = SAMPLES["claude"].write(tmp_path / "j")
    found = transcript(cfg, ledger(tmp_path), "session-one")
    assert tuple((e.cls.value, e.text) for e in found.events) == SAMPLES["claude"].said
    assert found.files == (str(path),) and found.failures == () and all(e.ts for e in found.events)
    assert ledger(tmp_path).claims.of_store("maker") == [], "showing claims nothing"


def test_only_the_named_session_is_told_and_a_resumed_copy_tells_nothing_twice(tmp_path: Path) -> None:
    cfg, folder = store(tmp_path, {"claude": "j"}), tmp_path / "j"
    folder.mkdir()
    mine = [claude("user", f"word {n}", uuid=f"u{n}", sessionId="mine") for n in range(3)]
    other = claude("user", "not mine", uuid="x", sessionId="other")
    (folder / "a.jsonl").write_bytes(b"".join(line(r) for r in [*mine[:2], other]))
    (folder / "b.jsonl").write_bytes(b"".join(line(r) for r in [*mine]))
    found = transcript(cfg, ledger(tmp_path), "mine")
    assert sorted(e.text for e in found.events) == ["word 0", "word 1", "word 2"]
    assert (len(found.files), found.repeated) == (2, 2)


def test_secrets_are_out_and_a_line_that_does_not_read_is_said(tmp_path: Path) -> None:
    cfg, folder = store(tmp_path, {"claude": "j"}), tmp_path / "j"
    folder.mkdir()
    said = claude("user", f"令牌 token = {SECRET}", uuid="u1", sessionId="mine")
    (folder / "a.jsonl").write_bytes(line(said) + b"garbage\n")
    found = transcript(cfg, ledger(tmp_path), "mine")
    assert SECRET not in json.dumps(found.to_json()) and "⟦secret:" in found.events[0].text
    (failure,) = found.failures
    assert "a.jsonl" in failure and str(len(line(said))) in failure


def test_a_beginning_is_enough_where_only_one_session_begins_so(tmp_path: Path) -> None:
    cfg, folder = store(tmp_path, {"claude": "j"}), tmp_path / "j"
    folder.mkdir()
    for name in ("aaaa-1111", "aaaa-2222", "bbbb-3333"):
        (folder / f"{name}.jsonl").write_bytes(line(claude("user", name, uuid=name, sessionId=name)))
    book = ledger(tmp_path)
    assert transcript(cfg, book, "aaaa-2").session == "aaaa-2222"
    with pytest.raises(UnknownSession) as two:
        transcript(cfg, book, "aaaa")
    assert two.value.near == ["aaaa-1111", "aaaa-2222"]
    with pytest.raises(UnknownSession) as close:
        transcript(cfg, book, "bbbb-3334")
    assert close.value.near[0] == "bbbb-3333" and "bbbb-3333" in str(close.value)
    with pytest.raises(UnknownSession, match="kura journals"):
        transcript(cfg, book, "全く別のもの")


def test_the_command_shows_a_session_and_without_one_stays_the_table(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    path = project.write_session()
    listed = project.kura("journals", "--json")
    assert listed.returncode == 0, listed.stderr
    assert {"files", "coverage", "failures", "older_than_window", "exclude_without_file"} == set(
        json.loads(listed.stdout)
    )
    assert "coverage: 0 of 1 sessions" in project.kura("journals").stdout
    shown = project.kura("journals", "show", path.stem)
    assert shown.returncode == 0, shown.stderr
    assert "2026-03-01T00:00:00" in shown.stdout and "  USER\n    From now on, always run" in shown.stdout
    assert "所有的时间戳" in shown.stdout
    document = json.loads(project.kura("journals", "show", path.stem, "--json").stdout)
    assert document["events"][0]["class"] == "USER" and document["session"] == path.stem
    unknown = project.kura("journals", "show", path.stem[:-1] + "9")
    assert unknown.returncode == 1 and unknown.stdout == "" and f"near: {path.stem}" in unknown.stderr


def test_words_that_would_steer_a_terminal_are_shown_without_it(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    path = project.write_session(("plain \x1b[31mred\x1b[0m and \u202ereversed",))
    shown = project.kura("journals", "show", path.stem).stdout
    assert "\x1b" not in shown and "\u202e" not in shown and "red" in shown


def test_a_journal_root_without_files_is_nothing_to_do(tmp_path: Path) -> None:
    assert Project(tmp_path / "p").kura("journals").returncode == 2
