"""A short run of the fuzzer, the same files every time; and what longer runs found, one claim each."""

from __future__ import annotations

from pathlib import Path

import pytest

from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.sniff import adapter, identify
from kura_runtime.errors import JournalUnreadable
from tests.journals.fuzz import fuzz
from tests.journals.samples import CODEX_META, PI_HEADER, SAMPLES, codex, events, line, pi, said

ROUNDS = 25


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_damaged_journal_is_read_in_part_or_refused_by_name_and_every_span_resolves(name: str) -> None:
    tally = fuzz([name], seed=0, rounds=range(ROUNDS))
    assert tally.failures == []
    assert tally.rounds == ROUNDS
    assert tally.events > 0


def test_the_fuzzer_sees_a_crash_and_a_lost_event(monkeypatch: pytest.MonkeyPatch) -> None:
    pi_adapter = type(adapter("pi"))
    whole = pi_adapter.read
    monkeypatch.setattr(
        pi_adapter, "read", lambda self, path, start=0, **how: whole(self, path, 10**9 if start else 0, **how)
    )
    assert fuzz(["pi"], seed=0, rounds=range(10)).failures
    monkeypatch.setattr(pi_adapter, "read", lambda *_, **__: 1 / 0)
    assert "ZeroDivisionError" in fuzz(["pi"], seed=0, rounds=range(1)).failures[0]


@pytest.mark.parametrize("kind", [[], {}, None, 7])
def test_a_row_whose_type_is_no_text_is_no_rollout_and_no_crash(tmp_path: Path, kind: object) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line({"type": kind, "payload": {}}))
    assert identify(path, read_head(path)) == ()


def test_a_rollout_header_that_holds_nothing_is_passed_over_also_by_a_walk_from_its_middle(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rollout-x.jsonl"
    head = line({"type": "session_meta", "payload": "x"})
    path.write_bytes(head + line(codex("event_msg", 1, type="user_message", message="keep it cold")))
    assert said(adapter("codex").read(path, len(head))) == [("USER", "keep it cold")]


def test_a_repeated_rollout_header_renames_no_session_so_that_any_span_gives_the_same_ids(
    tmp_path: Path,
) -> None:
    parent = codex("session_meta", 0, id="the-parent", source="cli")
    told = line(codex("event_msg", 1, type="user_message", message="keep it cold"))
    path = tmp_path / "rollout-x.jsonl"
    path.write_bytes(line(CODEX_META) + line(parent) + told)
    (event,) = events(adapter("codex").read(path))
    (again,) = events(adapter("codex").read(path, event.byte_start, end=event.byte_end))
    assert (event.session, event.event_id) == (again.session, again.event_id) == ("codex-one", again.event_id)


def test_an_agents_turn_is_known_for_one_by_a_walk_that_begins_inside_it(tmp_path: Path) -> None:
    begun = codex("event_msg", 1, type="task_started", turn_attribution={"initiating_agent_path": "/root/a"})
    told = line(codex("event_msg", 2, type="user_message", message="report back"))
    path = tmp_path / "rollout-x.jsonl"
    before = line(CODEX_META) + line(begun)
    path.write_bytes(before + told)
    assert said(adapter("codex").read(path, len(before))) == [("SELF", "report back")]


@pytest.mark.parametrize("role", [[], {"a": 1}])
def test_a_pi_role_that_is_no_text_is_counted(tmp_path: Path, role: object) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(line(PI_HEADER) + line({"type": "message", "message": {"role": role, "content": "x"}}))
    reading = adapter("pi").read(path)
    assert events(reading) == []
    assert sum(n for reason, n in reading.left_out.items() if reason.startswith("role:")) == 1


def test_a_lone_surrogate_or_a_number_beyond_64_bits_has_a_key_all_the_same(tmp_path: Path) -> None:
    rows = [pi("user", "x", 1), pi("user", "y", 2)]
    rows[0]["message"]["size"] = 10**40
    path = tmp_path / "s.jsonl"
    path.write_bytes(line(PI_HEADER) + b"".join(line(r) for r in rows).replace(b'"y"', rb'"y\ud800"'))
    assert said(adapter("pi").read(path)) == [("USER", "x"), ("USER", "y\ufffd")]
    header = b'{"type":"session","id":"d","createdAt":1,"delegationDepth":0}\n'
    row = rb'{"type":"user/message","seq":%d,"time":1740823200000,"data":{"source":{"kind":"user"},"n":%s,"content":"%s"}}'
    path.write_bytes(
        header + row % (1, b"1" + b"0" * 40, b"x") + b"\n" + row % (2, b"1", rb"y\ud800") + b"\n"
    )
    found = events(adapter("dsh").read(path))
    assert [e.text for e in found] == ["x", "y\ufffd"]
    assert len({e.event_id for e in found}) == 2


def test_a_gemini_type_that_is_no_text_is_counted(tmp_path: Path) -> None:
    sample = SAMPLES["gemini-lines"]
    path = sample.write(tmp_path, sample.data + line({"id": "odd", "type": ["user"], "content": "x"}))
    reading = sample.adapter.read(path)
    assert said(reading) == list(sample.said)
    assert reading.left_out["line:['user']"] == 1


@pytest.mark.parametrize("damage", [b"\xfe\xff", b"\n,("])
def test_a_database_whose_damaged_schema_has_no_name_that_reads_is_refused_in_one_line(
    tmp_path: Path, damage: bytes
) -> None:
    sample = SAMPLES["opencode"]
    at = sample.data.index(b"CREATE TABLE message")
    path = sample.write(tmp_path, sample.data[: at - 12] + damage + sample.data[at - 12 + len(damage) :])
    with pytest.raises(JournalUnreadable, match="the database is damaged") as refused:
        list(sample.adapter.read(path))
    assert "\n" not in str(refused.value)


def test_a_head_with_a_lone_surrogate_is_copied(tmp_path: Path) -> None:
    sample = SAMPLES["goose-lines"]
    first, rest = sample.data.split(b"\n", 1)
    path = sample.write(tmp_path, first.replace(b'"A disk"', rb'"A \ud800"') + b"\n" + rest)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(b"".join(sample.adapter.copy(path)))  # type: ignore[attr-defined]
    assert said(sample.adapter.read(copy)) == list(sample.said)
