"""Sessions inside a database: each a journal of its own, read in a snapshot, once, however the host writes on."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kura_pipeline.distil.archive import archive_journals
from kura_pipeline.distil.batch import ClaimReport, batch_of, claim, read_batch
from kura_pipeline.distil.copies import copies, unpacked
from kura_pipeline.distil.coverage import survey
from kura_pipeline.journals.discover import discover
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.held import inside, parted
from kura_pipeline.journals.sniff import adapter, identify
from kura_runtime.config.load import resolve
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.errors import JournalUnreadable
from kura_runtime.store.journal_state import Journals
from tests.journals import hosts
from tests.journals.hosts import message, request, response, spoken, tool, words
from tests.journals.samples import SAMPLES, events, said
from tests.journals.stores import NOW, ledger, store

NAMES = {"opencode": "opencode.db", "goose": "sessions.db"}
SCRIPTS = {"opencode": hosts.OPENCODE, "goose": hosts.GOOSE}
MAKERS = {"opencode": hosts.opencode_rows, "goose": hosts.goose_rows}


class Host:
    """A database that its program writes, and a store that reads it."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.kind, self.path = kind, folder / "j" / NAMES[kind]
        self.path.parent.mkdir()
        hosts.fill(self.path, SCRIPTS[kind], {})
        self.db = sqlite3.connect(self.path, isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.cfg, self.book, self.minute = store(folder, {kind: "j"}), ledger(folder), 0

    def add(self, rows: dict[str, list[tuple[Any, ...]]]) -> None:
        for table, many in rows.items():
            for row in many:
                self.db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({','.join('?' * len(row))})", row)

    def run(self, sql: str, *values: Any) -> None:
        self.db.execute(sql, values)

    def claim(self) -> ClaimReport:
        self.minute += 1
        return claim(self.cfg, self.book, now=NOW + timedelta(minutes=self.minute))

    def claimed(self) -> list[tuple[str, str]]:
        """What a new claim gives as evidence."""
        report = self.claim()
        assert report.failures == ()
        batches = [batch_of(read_batch(self.cfg, self.book, c.batch_id)) for c in report.batches]
        return [(e.cls.value, e.text) for b in batches for e in b.events if not e.context]

    def journals(self) -> list[str]:
        return sorted(f.path.name for f in discover({self.kind: [self.path.parent]}).readable)


@pytest.fixture
def opencode(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path, "opencode")
    yield host
    host.db.close()


@pytest.fixture
def goose(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path, "goose")
    yield host
    host.db.close()


def talk(*texts: str, at: int = 1) -> Sequence[hosts.Turn]:
    """Prompts and answers in turn, as OpenCode keeps them."""
    return [
        (message("user", at + n), [words(t)])
        if n % 2 == 0
        else (message("assistant", at + n), [words(t, at + n)])
        for n, t in enumerate(texts)
    ]


def test_a_name_of_a_session_in_a_file_comes_apart_again(tmp_path: Path) -> None:
    for session in ("ses_1", "my session", "a/b", "#", "50%", "会議"):
        path = inside(tmp_path / "x.db", session)
        assert path.parent == tmp_path
        assert parted(path) == (tmp_path / "x.db", session)
    (tmp_path / "a#b.jsonl").write_text("x")
    assert parted(tmp_path / "a#b.jsonl") == (tmp_path / "a#b.jsonl", "")


@pytest.mark.parametrize("kind", ["opencode", "goose"])
def test_every_session_of_a_database_is_found_as_a_journal_with_its_own_state(
    tmp_path: Path, kind: str
) -> None:
    host = Host(tmp_path, kind)
    host.add(MAKERS[kind]("one"))
    host.add(MAKERS[kind]("two"))
    assert host.journals() == [f"{NAMES[kind]}#one", f"{NAMES[kind]}#two"]
    before = {f.key: f.stamp for f in discover({kind: [host.path.parent]}).readable}
    host.add(MAKERS[kind]("three"))
    after = {f.key: f.stamp for f in discover({kind: [host.path.parent]}).readable}
    assert {k: after[k] for k in before} == before
    assert len(set(after) - set(before)) == 1


def test_a_session_that_grows_is_read_on_and_the_others_are_left_alone(opencode: Host) -> None:
    opencode.add(hosts.opencode_rows("one", talk("first", "second")))
    opencode.add(hosts.opencode_rows("two", talk("other", at=20)))
    assert sorted(opencode.claimed()) == [("SELF", "second"), ("USER", "first"), ("USER", "other")]
    opencode.add(hosts.opencode_rows("one", talk("first", "second", "third")))
    assert opencode.claimed() == [("USER", "third")]
    assert opencode.claim().batches == ()


def test_a_part_that_is_still_written_waits_with_everything_behind_it_and_comes_once(opencode: Host) -> None:
    open_ = message("assistant", 2, done=False)
    asked, answered = (message("user", 1), [words("go")]), words("Half a", 2, done=False)
    opencode.add(hosts.opencode_rows("one", [asked, (open_, [words("Going.", 2), answered])]))
    assert opencode.claimed() == [("USER", "go"), ("SELF", "Going.")]
    queued = (message("user", 3), [words("and stop")])
    opencode.add(hosts.opencode_rows("one", [asked, (open_, [words("Going.", 2), answered]), queued]))
    assert opencode.claimed() == []
    done = (message("assistant", 2), [words("Going.", 2), words("Half a word more.", 3)])
    opencode.add(hosts.opencode_rows("one", [asked, done, queued]))
    assert opencode.claimed() == [("SELF", "Half a word more."), ("USER", "and stop")]


def test_a_running_tool_waits_for_its_result(opencode: Host) -> None:
    open_ = message("assistant", 2, done=False)
    opencode.add(
        hosts.opencode_rows(
            "one", [(message("user", 1), [words("go")]), (open_, [tool("bash", "c", 2, None)])]
        )
    )
    assert opencode.claimed() == [("USER", "go")]
    done = message("assistant", 2)
    opencode.add(
        hosts.opencode_rows(
            "one", [(message("user", 1), [words("go")]), (done, [tool("bash", "c", 2, "91%")])]
        )
    )
    assert opencode.claimed() == [("ACT", "bash\n"), ("TOOL", "91%")]


def test_a_crashed_turn_does_not_hold_up_what_came_after_it(opencode: Host) -> None:
    crashed = (
        message("assistant", 2, done=False),
        [words("Going.", 2), tool("bash", "c", 3, None, command="ls")],
    )
    after = (message("assistant", 5), [words("Here again.", 5)])
    opencode.add(hosts.opencode_rows("one", [crashed, after]))
    assert opencode.claimed() == [("SELF", "Going."), ("ACT", "bash\ncommand: ls"), ("SELF", "Here again.")]


def test_a_part_edited_after_it_was_claimed_is_not_claimed_again(opencode: Host) -> None:
    opencode.add(
        hosts.opencode_rows(
            "one", [*talk("keep it cold", "I will."), (message("assistant", 5), [tool("sh", "c", 5, "91%")])]
        )
    )
    assert len(opencode.claimed()) == 4
    opencode.run(
        "UPDATE part SET data = replace(data, 'I will.', 'I shall.'), time_updated = time_updated + 1"
    )
    opencode.run("UPDATE part SET data = replace(data, '91%', '[cleared]'), time_updated = time_updated + 1")
    assert opencode.claim().batches == ()


def test_a_message_taken_out_before_the_mark_moves_nothing_back_into_reading(opencode: Host) -> None:
    opencode.add(hosts.opencode_rows("one", talk("first", "second", "third")))
    assert len(opencode.claimed()) == 3
    opencode.run("DELETE FROM part WHERE id = 'prt_one_001_00'")
    opencode.run("DELETE FROM message WHERE id = 'msg_one_001'")
    assert opencode.claim().batches == ()
    rows = hosts.opencode_rows("one", talk("first", "second", "third", "fourth"))
    opencode.add({table: many[-1:] for table, many in rows.items()})
    assert opencode.claimed() == [("SELF", "fourth")]


def test_a_fork_repeats_nothing(opencode: Host) -> None:
    opencode.add(hosts.opencode_rows("one"))
    assert len(opencode.claimed()) == len(hosts.OPENCODE_SAID)
    opencode.add(hosts.opencode_rows("fork", [*hosts.OPENCODE_TURNS, *talk("and now another way", at=30)]))
    assert opencode.claimed() == [("USER", "and now another way")]


def test_a_session_moved_from_files_into_the_database_is_read_once(opencode: Host) -> None:
    for name, data in hosts.opencode_files("ses_one").items():
        path = opencode.path.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert len(opencode.claimed()) == len(hosts.OPENCODE_SAID)
    opencode.add(hosts.opencode_rows("ses_one"))
    assert opencode.claim().batches == ()


def test_a_deleted_session_is_no_journal_any_more_and_no_failure(opencode: Host) -> None:
    opencode.add(hosts.opencode_rows("one"))
    opencode.add(hosts.opencode_rows("two", talk("other", at=20)))
    opencode.claimed()
    for table, column in (("part", "session_id"), ("message", "session_id"), ("session", "id")):
        opencode.run(f"DELETE FROM {table} WHERE {column} = 'one'")
    assert opencode.journals() == ["opencode.db#two"]
    assert opencode.claim().failures == ()


def test_a_session_deleted_between_claim_and_evidence_is_a_named_error(opencode: Host) -> None:
    opencode.add(hosts.opencode_rows("one"))
    (made,) = opencode.claim().batches
    opencode.run("DELETE FROM session")
    with pytest.raises(
        JournalUnreadable, match=r"opencode\.db#one: the session is not in the database any more"
    ):
        read_batch(opencode.cfg, opencode.book, made.batch_id)


def test_what_the_host_has_not_committed_is_not_read_and_what_stands_in_its_log_is(opencode: Host) -> None:
    opencode.add(hosts.opencode_rows("one", talk("committed")))
    opencode.run("BEGIN")
    opencode.add(hosts.opencode_rows("one", talk("committed", "not yet")))
    assert opencode.path.with_name("opencode.db-wal").stat().st_size > 0
    assert opencode.claimed() == [("USER", "committed")]
    opencode.run("ROLLBACK")


@pytest.mark.parametrize("kind", ["opencode", "goose"])
def test_a_walk_sees_one_moment_and_the_host_may_write_meanwhile(tmp_path: Path, kind: str) -> None:
    host = Host(tmp_path, kind)
    host.add(MAKERS[kind]("one"))
    steps = iter(adapter(kind).read(inside(host.path, "one")))
    got = [next(steps)]
    host.run("DELETE FROM " + ("part" if kind == "opencode" else "messages"))
    host.run("PRAGMA wal_checkpoint")
    got += steps
    assert len([e for r in got for e in r.events]) == len(SAMPLES[kind].said)


@pytest.mark.parametrize("kind", ["opencode", "goose"])
def test_reading_leaves_nothing_beside_a_database_whose_host_is_gone(tmp_path: Path, kind: str) -> None:
    host = Host(tmp_path, kind)
    host.add(MAKERS[kind]("one"))
    host.db.close()
    assert [p.name for p in host.path.parent.iterdir()] == [NAMES[kind]]
    assert len(host.claimed()) == len(SAMPLES[kind].said)
    assert [p.name for p in host.path.parent.iterdir()] == [NAMES[kind]]


@pytest.mark.parametrize("kind", ["opencode", "goose"])
def test_a_database_locked_by_its_host_is_a_failure_by_name_and_read_later(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kura_pipeline.journals.database.BUSY_SECONDS", 0.05)
    host = Host(tmp_path, kind)
    host.add(MAKERS[kind]("one"))
    host.run("PRAGMA journal_mode=DELETE")
    host.run("BEGIN EXCLUSIVE")
    report = host.claim()
    assert report.batches == ()
    assert len(report.failures) == 1
    assert f"{NAMES[kind]}: the database is locked" in report.failures[0]
    host.run("COMMIT")
    assert len(host.claimed()) == len(SAMPLES[kind].said)


@pytest.mark.parametrize(
    ("damage", "status", "reason"),
    [
        ("torn", "unreadable", "torn"),
        ("garbage", "unreadable", "damaged"),
        ("foreign", "unknown", "unknown format"),
        ("views", "unreadable", "is no"),
        ("no-column", "unknown", "unknown format"),
        ("no-database", "unknown", "unknown format"),
        ("empty", "empty", "holds nothing"),
        ("no-session", "empty", "holds no session"),
        ("pipe", "special", "not a regular file"),
        ("encrypted", "unknown", "unknown format"),
    ],
)
@pytest.mark.parametrize("kind", ["opencode", "goose"])
def test_a_database_that_is_not_what_it_should_be_has_its_status_and_reason_and_nothing_hangs(
    tmp_path: Path, kind: str, damage: str, status: str, reason: str
) -> None:
    path = tmp_path / "j" / NAMES[kind]
    path.parent.mkdir()
    data = hosts.database(SCRIPTS[kind], MAKERS[kind]("one"))
    tables = [t for t in ("session", "message", "sessions", "messages") if f"TABLE {t} " in SCRIPTS[kind]]
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n AS id FROM r"
    made: dict[str, bytes] = {
        "torn": data[:-700],
        "garbage": data[:600] + b"\xff" * (len(data) - 600),
        "foreign": hosts.database("CREATE TABLE notes (id INTEGER, text TEXT)", {}),
        "views": hosts.database("".join(f"CREATE VIEW {t} AS {endless};" for t in tables), {}),
        "no-column": hosts.database("".join(f"CREATE TABLE {t} (id TEXT);" for t in tables), {}),
        "no-database": b"not a database at all\n" * 50,
        "empty": b"",
        "no-session": hosts.database(SCRIPTS[kind], {}),
        "pipe": b"",
        "encrypted": bytes(range(1, 256)) * 20,
    }
    if damage == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(made[damage])
    (found,) = discover({kind: [path.parent]}).files
    assert found.status == status, found
    assert reason in found.reason


def test_sub_agents_synthetic_parts_compactions_and_commands_are_not_the_humans_words(tmp_path: Path) -> None:
    turns: list[hosts.Turn] = [
        (
            message("user", 1),
            [words("typed"), words("read for you", synthetic=True), words("x", ignored=True)],
        ),
        (
            message("user", 2),
            [words("Please analyze this codebase and create an AGENTS.md file containing:")],
        ),
        (message("user", 3), [{"type": "subtask", "prompt": "do it", "agent": "a", "description": "d"}]),
        (message("user", 4), [words("<system-reminder>plan mode</system-reminder>\nstill typed")]),
        (message("assistant", 5, summary=True), [words("The human wants this and that.", 5)]),
    ]
    path = tmp_path / "opencode.db"
    rows = hosts.merged(hosts.opencode_rows("a", turns), hosts.opencode_rows("b", turns[:1], parent="a"))
    hosts.fill(path, hosts.OPENCODE, rows)
    reading = adapter("opencode").read(inside(path, "a"))
    assert said(reading) == [("USER", "typed"), ("USER", "still typed")]
    assert reading.left_out == {"synthetic": 2, "local-command": 2, "system-reminder": 1, "compaction": 1}
    assert said(adapter("opencode").read(inside(path, "b"))) == [("SELF", "typed")]


def test_what_the_human_took_back_is_dead(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    rows = hosts.opencode_rows("a", talk("one", "two", "three"), revert={"messageID": "msg_a_001"})
    hosts.fill(path, hosts.OPENCODE, rows)
    assert [e.dead for e in events(adapter("opencode").read(inside(path, "a")))] == [False, True, True]


@pytest.mark.parametrize("kind", ["scheduled", "sub_agent", "hidden", "something new"])
def test_the_prompts_of_a_goose_session_in_which_nobody_types_are_not_the_humans(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "sessions.db"
    hosts.fill(path, hosts.GOOSE, hosts.goose_rows("a", kind=kind))
    assert {c for c, _ in said(adapter("goose").read(inside(path, "a")))} == {"SELF", "ACT", "TOOL"}


def test_a_goose_schedule_and_text_beside_an_answer_are_not_the_humans(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    messages = [
        spoken("user", 1, request("c", "x")),
        spoken("user", 2, response("c", "out"), words("Go on with the task.")),
    ]
    rows = hosts.merged(
        hosts.goose_rows("a", messages),
        hosts.goose_rows("b", [spoken("user", 1, words("hi"))], schedule="s1"),
    )
    hosts.fill(path, hosts.GOOSE, rows)
    reading = adapter("goose").read(inside(path, "a"))
    assert said(reading) == [("ACT", "x\n"), ("TOOL", "out")]
    assert reading.left_out == {"injected": 1}
    assert said(adapter("goose").read(inside(path, "b"))) == [("SELF", "hi")]


def test_a_goose_compaction_that_writes_every_row_anew_repeats_nothing(goose: Host) -> None:
    goose.add(hosts.goose_rows("a"))
    assert len(goose.claimed()) == len(hosts.GOOSE_SAID)
    goose.run("DELETE FROM messages")
    summary = spoken("user", 8, words("Summary of it all: the user agreed."), visible=False)
    rows = hosts.goose_rows("a", [*hosts.GOOSE_MESSAGES, summary, spoken("user", 9, words("next"))])
    goose.add(rows)
    assert goose.claimed() == [("USER", "next")]


def test_a_goose_file_taken_over_into_the_database_repeats_nothing(goose: Host) -> None:
    SAMPLES["goose-lines"].write(goose.path.parent)
    assert len(goose.claimed()) == len(hosts.GOOSE_SAID)
    goose.add(hosts.goose_rows("20250301_100000"))
    assert goose.claim().batches == ()


@pytest.mark.parametrize("kind", ["opencode", "goose"])
def test_a_copy_of_a_session_reads_as_the_session_and_holds_no_other(tmp_path: Path, kind: str) -> None:
    sample = SAMPLES[kind]
    path = sample.write(tmp_path)
    data = b"".join(sample.adapter.copy(path))  # type: ignore[attr-defined]
    copy = tmp_path / path.name / "x.jsonl"
    copy.parent.mkdir()
    copy.write_bytes(data)
    assert said(sample.adapter.read(copy)) == list(sample.said)
    assert [r.key for r in sample.adapter.read(copy)] == [r.key for r in sample.adapter.read(path)]
    assert all(json.loads(row) is not None for row in data.splitlines())


def test_parts_of_the_older_storage_are_no_journals_and_credentials_are_never_opened(tmp_path: Path) -> None:
    SAMPLES["opencode-files"].write(tmp_path)
    (tmp_path / "auth.json").write_text('{"key": "sk-secret"}')
    found = discover({"opencode": [tmp_path]})
    told = {f.path.relative_to(tmp_path).as_posix(): (f.status, f.reason) for f in found.files}
    assert told["storage/session/p/ses_old.json"] == ("ok", "")
    assert told["storage/message"] == ("other", "parts of sessions: read with the session they belong to")
    assert told["auth.json"] == ("other", "holds credentials: never opened")
    assert len(told) == 4


def test_a_part_added_to_the_older_storage_moves_its_sessions_state(tmp_path: Path) -> None:
    SAMPLES["opencode-files"].write(tmp_path)
    before = discover({"opencode": [tmp_path]}).readable[0].stamp
    extra = tmp_path / "storage" / "part" / "msg_ses_old_005" / "prt_z.json"
    extra.write_text('{"type": "text", "text": "more"}')
    assert discover({"opencode": [tmp_path]}).readable[0].stamp != before


def test_coverage_counts_each_session_of_a_database(opencode: Host) -> None:
    opencode.add(hosts.opencode_rows("one"))
    opencode.add(hosts.opencode_rows("two", talk("other", at=20)))
    opencode.claimed()
    looked = survey(opencode.cfg, opencode.book)
    assert looked.sessions == 2
    assert looked.failed == 0
    rows = {Path(r.path).name: r for r in looked.files if r.adapter}
    assert rows["opencode.db#two"].events == {"USER": 1}
    assert all(r.unread == 0 and r.size > 0 for r in rows.values())


@pytest.mark.parametrize("kind", ["opencode", "goose"])
def test_the_archive_keeps_each_session_alone_follows_its_growth_and_gives_it_back(
    tmp_path: Path, kind: str
) -> None:
    host = Host(tmp_path, kind)
    host.add(MAKERS[kind]("one"))
    host.add(MAKERS[kind]("two"))
    host.cfg = store(tmp_path, {kind: "j"}, archive=True)
    config = load_of(host)
    host.claim()
    first = archive_journals(config, host.cfg, host.book, now=NOW)
    # the two say the same, under two names
    assert (first.kept, first.failures) == (2, ())
    assert archive_journals(config, host.cfg, host.book, now=NOW).unchanged == 2
    more = MAKERS[kind]("three")
    host.add(more)
    host.claim()
    again = archive_journals(config, host.cfg, host.book, now=NOW)
    assert (again.kept, again.unchanged) == (1, 2)
    kept = {Path(c.path).name: c for c in copies(config, host.cfg, host.book)}
    assert set(kept) == {f"{NAMES[kind]}#{s}" for s in ("one", "two", "three")}
    with unpacked(kept[f"{NAMES[kind]}#one"]) as path:
        assert said(adapter(kind).read(path)) == list(SAMPLES[kind].said)
        assert identify(path, read_head(path)) == (kind,)
        # read from below another root, a copy repeats nothing that was claimed
        other = store(tmp_path, {kind: str(path.parent)})
        report = claim(other, host.book, now=NOW + timedelta(hours=9))
        assert (report.batches, report.failures) == ((), ())
        assert report.repeated > 0


def load_of(host: Host) -> Any:
    return resolve(
        {"stores": {"maker": {"path": "store"}}, "distill": {"archive": True}},
        host.cfg.path.parent / "kura.toml",
    )


def test_what_the_programs_keep_beside_their_sessions_fails_no_run_and_is_not_opened(tmp_path: Path) -> None:
    home = tmp_path / ".gemini"
    SAMPLES["gemini"].write(home)
    for name in ("settings.json", "oauth_creds.json", "tmp/abc/checkpoint-x.json", "history/abc/x.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text('{"token": "x"}')
    told = {f.path.name: f.status for f in discover({"gemini": [home]}).files}
    assert told.pop(Path(SAMPLES["gemini"].file).name) == "ok"
    assert set(told.values()) == {"other"}
    own = tmp_path / "opencode"
    SAMPLES["opencode"].write(tmp_path)
    (own / "auth.json").write_text('{"key": "x"}')
    (own / "state.json").write_text('{"a": 1}')
    (own / "log").mkdir()
    found = discover({"opencode": [own]}).files
    assert {f.status for f in found if not f.adapter} == {"other"}
    assert len([f for f in found if f.adapter]) == 2


def test_why_does_not_call_a_session_of_a_database_missing_while_the_database_is_there(
    tmp_path: Path,
) -> None:
    path = SAMPLES["opencode"].write(tmp_path)
    quote = Quote(EvidenceClass.USER, "x" * 20, "e#0", "ses_one", str(path), 0, 1, None)
    assert Journals().state(quote).state == "unchecked"
    parted(path)[0].unlink()
    assert Journals().state(quote).state == "missing"
