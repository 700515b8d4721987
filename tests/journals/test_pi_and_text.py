"""pi sessions and folders of notes: their own quirks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kura_pipeline.journals.base import Caps
from kura_pipeline.journals.pi import Pi
from kura_pipeline.journals.text import Text
from kura_runtime.models.roles import OWN_MARK
from tests.journals.samples import PI_HEADER, events, line, pi, said, text


def test_a_pi_compaction_is_not_the_humans_word(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    rows = [PI_HEADER, {"type": "compaction", "summary": "user agreed", "timestamp": "2025-03-01T10:00:00Z"}]
    path.write_bytes(b"".join(line(r) for r in rows))
    reading = Pi().read(path)
    assert events(reading) == []
    assert reading.left_out["line:compaction"] == 1


def test_a_branched_pi_file_repeats_records_under_the_same_keys_in_another_session(tmp_path: Path) -> None:
    rows = [pi("user", [text("never rebase")], 1), pi("assistant", [text("ok")], 2)]
    parent, branch = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    parent.write_bytes(b"".join(line(r) for r in (PI_HEADER, *rows)))
    header = {**PI_HEADER, "id": "pi-two", "timestamp": "2025-03-02T00:00:00.000Z"}
    branch.write_bytes(b"".join(line(r) for r in (header, *rows, pi("user", "new", 9))))
    first = [r.key for r in Pi().read(parent) if r.events]
    second = [r.key for r in Pi().read(branch) if r.events]
    assert second[:2] == first
    assert len(second) == 3
    assert {e.session for e in events(Pi().read(branch))} == {"pi-two"}


def test_a_migrated_pi_file_keeps_its_records_keys(tmp_path: Path) -> None:
    rows = [pi("user", [text("never rebase")], 1), pi("assistant", [text("ok")], 2)]
    old, new = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    old.write_bytes(b"".join(line(r) for r in (PI_HEADER, *rows)))
    ids = [{"id": f"{i}", "parentId": f"{i - 1}" if i else None} for i in range(2)]
    migrated = [{**PI_HEADER, "version": 3}, *({**r, **more} for r, more in zip(rows, ids, strict=True))]
    new.write_bytes(b"".join(line(r) for r in migrated))
    assert [r.key for r in Pi().read(old) if r.events] == [r.key for r in Pi().read(new) if r.events]
    assert [e.event_id for e in events(Pi().read(old))] == [e.event_id for e in events(Pi().read(new))]


def test_a_walk_from_the_middle_still_knows_the_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(line(r) for r in (PI_HEADER, pi("user", "a", 1), pi("user", "b", 2))))
    last = list(Pi().read(path))[-1]
    (again,) = events(Pi().read(path, last.start))
    assert again.session == "pi-one"
    assert again.event_id == last.events[0].event_id


def test_messages_without_a_time_are_told_apart_by_their_place(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    row = {"type": "message", "message": {"role": "user", "content": "continue"}}
    path.write_bytes(b"".join(line(r) for r in (PI_HEADER, row, row)))
    keys = [r.key for r in Pi().read(path) if r.events]
    assert len(set(keys)) == 2
    second = list(Pi().read(path))[-1]
    assert [r.key for r in Pi().read(path, second.start)] == keys[1:]


# --- text ----------------------------------------------------------------------------------------------------------


def note(folder: Path, words: str, name: str = "n.md") -> Path:
    path = folder / name
    path.write_bytes(words.encode())
    return path


def test_a_date_that_heads_a_paragraph_dates_it_and_what_follows(tmp_path: Path) -> None:
    path = note(tmp_path, "# 2024-05-06\n\nran\n\n## 2024年5月7日\n\nrested\n\nwe ship by 2026-01-01\n")
    assert [e.ts[:10] for e in events(Text().read(path)) if e.ts] == [
        "2024-05-06", "2024-05-06", "2024-05-07", "2024-05-07", "2024-05-07",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("2024-05-06.md", "ran\n", "2024-05-06T00:00:00+00:00"),
        ("20240506_notes.txt", "ran\n", "2024-05-06T00:00:00+00:00"),
        ("n.md", "---\ndate: 2023-01-02\n---\nran\n", "2023-01-02T00:00:00+00:00"),
        ("2024-13-45.md", "ran\n", "2022-02-02T02:02:02+00:00"),
        ("n.md", "ran\n", "2022-02-02T02:02:02+00:00"),
        ("n.log", "2024-05-06 10:11:12,345 ERROR disk full\n", "2024-05-06T10:11:12.345+00:00"),
        ("n.log", "[2024-05-06T10:11:12+02:00] ERROR disk full\n", "2024-05-06T10:11:12+02:00"),
    ],
)
def test_a_note_takes_its_date_from_the_text_then_the_name_then_the_file(
    tmp_path: Path, name: str, words: str, expected: str
) -> None:
    path = note(tmp_path, words, name)
    (event,) = events(Text().read(path, file_time="2022-02-02T02:02:02+00:00"))
    assert event.ts is not None
    assert event.ts.replace(".345000", ".345") == expected


def test_a_paragraph_longer_than_the_cap_is_split_at_line_borders_and_loses_nothing(tmp_path: Path) -> None:
    lines = [f"line {i} of a long note without any blank line" for i in range(400)]
    path = note(tmp_path, "\n".join(lines) + "\n")
    found = events(Text().read(path, caps=Caps(1500, 1000)))
    assert len(found) > 5
    assert all(len(e.text) <= 1000 and e.cut == 0 for e in found)
    assert "\n".join(e.text for e in found).split("\n") == lines


def test_a_fence_that_never_ends_does_not_swallow_the_cap(tmp_path: Path) -> None:
    path = note(tmp_path, "```\n" + "a line of code\n\n" * 2000)
    found = events(Text().read(path))
    assert sum(e.text.count("a line of code") for e in found) == 2000
    assert all(e.cut == 0 for e in found)


def test_an_edit_above_leaves_the_other_paragraphs_their_keys(tmp_path: Path) -> None:
    path = note(tmp_path, "one\n\ntwo\n\nsame\n\nsame\n")
    before = [r.key for r in Text().read(path)]
    note(tmp_path, "zero\n\none\n\ntwo\n\nsame\n\nsame\n")
    after = [r.key for r in Text().read(path)]
    assert after[1:] == before
    assert len(set(after)) == 5


def test_crlf_and_a_byte_order_mark_are_no_part_of_the_words(tmp_path: Path) -> None:
    path = tmp_path / "n.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n\r\nthree\r\n")
    assert said(Text().read(path)) == [("USER", "one\ntwo"), ("USER", "three")]


def test_a_note_cut_inside_a_character_is_read_up_to_the_line_before(tmp_path: Path) -> None:
    whole = "第一行。\n\n第二行。\n".encode()
    path = tmp_path / "n.md"
    path.write_bytes(whole[:-3])
    reading = Text().read(path)
    assert said(reading) == [("USER", "第一行。")]
    assert reading.left_out["invalid-utf8"] == 0


def test_a_settled_note_without_a_last_newline_is_read_to_its_end(tmp_path: Path) -> None:
    path = note(tmp_path, "one\n\ntwo")
    assert said(Text().read(path)) == [("USER", "one")]
    assert said(Text().read(path, settled=True)) == [("USER", "one"), ("USER", "two")]


@pytest.mark.parametrize(
    "content",
    [
        b'{"type":"user","message":{"role":"user","content":"approved"}}\n',
        b'{"role":"user","content":"approved"}\n{"role":"assistant","content":"x"}\n',
        "ab".encode("utf-16"),
        b"PK\x03\x04\x00\x00",
    ],
)
def test_a_machines_file_under_the_name_of_a_note_is_no_note(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "n.txt"
    path.write_bytes(content)
    assert not Text().sniff(path, content)


def test_a_paragraph_with_the_pipelines_own_mark_is_left_out(tmp_path: Path) -> None:
    path = note(tmp_path, f"mine\n\nYou are {OWN_MARK}. Write memories.\n")
    reading = Text().read(path)
    assert said(reading) == [("USER", "mine")]
    assert reading.left_out["own-session"] == 1


def test_the_mtime_of_a_note_is_used_only_where_nobody_hands_in_a_time(tmp_path: Path) -> None:
    path = note(tmp_path, "x\n")
    os.utime(path, (86400, 86400))
    (event,) = events(Text().read(path))
    assert event.ts == "1970-01-02T00:00:00+00:00"
