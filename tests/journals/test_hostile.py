"""Files that mean harm, or came to it: each has one clear outcome, and nothing hangs or grows without bound."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from kura_pipeline.journals import base
from kura_pipeline.journals.claude import Claude
from kura_pipeline.journals.pi import Pi
from kura_runtime.models.roles import OWN_MARK
from tests.journals.samples import PI_HEADER, claude, events, line, pi, said, text, use


def write(folder: Path, data: bytes, name: str = "s.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


GOOD = line(claude("user", "still here", uuid="good"))


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"\n", ""),
        (b"   \n", ""),
        (b"garbage\n", "malformed"),
        (b'{"type":"us{"type":"user"}\n', "malformed"),
        (b"[1,2]\n", "not-an-object"),
        (b'"text"\n', "not-an-object"),
        (b"null\n", "not-an-object"),
        (b'{"type":"user","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "nested-too-deep"),
        (b'{"type":"user","x":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}\n", "nested-too-deep"),
        (b'{"type":"user","n":' + b"9" * 10_000 + b"}\n", "malformed"),
        (b"\x00" * 4096 + b"\n", "nul-bytes"),
        (line({"type": "user"}), "no-message"),
        (line({"type": "user", "message": "text"}), "no-message"),
        (line({"type": "user", "message": {"role": "user"}}), "no-content"),
        (line({"type": "user", "message": {"role": "user", "content": 7}}), "no-content"),
        (line({"type": "user", "message": {"role": "user", "content": [7, None]}}), "block:odd"),
        (line({"type": "user", "message": {"role": "user", "content": [{"type": "text"}]}}), "block:odd"),
        (line({"type": 7}), "line:untyped"),
        (line({}), "line:untyped"),
    ],
)
def test_a_bad_line_is_counted_and_its_neighbours_are_read(tmp_path: Path, bad: bytes, reason: str) -> None:
    reading = Claude().read(write(tmp_path, GOOD + bad + line(claude("user", "me too", uuid="g2"))))
    assert said(reading) == [("USER", "still here"), ("USER", "me too")]
    if reason:
        assert reading.left_out[reason] >= 1
    if reason in ("malformed", "not-an-object", "nested-too-deep"):
        assert [(f.at, f.reason) for f in reading.faults] == [(len(GOOD), reason)]


def test_a_line_over_the_record_cap_is_passed_over_with_its_place_and_without_its_size_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "RECORD_CAP", 1 << 20)
    path = tmp_path / "s.jsonl"
    with path.open("wb") as out:
        out.write(GOOD + b'{"type":"user","x":"')
        for _ in range(64):
            out.write(b"a" * (1 << 20))
        out.write(b'"}\n' + line(claude("user", "after", uuid="g2")))
    tracemalloc.start()
    reading = Claude().read(path)
    found = said(reading)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == [("USER", "still here"), ("USER", "after")]
    assert reading.left_out == {"too-long": 1}
    assert [(f.at, f.reason) for f in reading.faults] == [(len(GOOD), "too-long")]
    assert peak < 16 << 20


def test_an_endless_last_line_is_left_for_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "RECORD_CAP", 1000)
    reading = Claude().read(write(tmp_path, GOOD + b'{"type":"' + b"a" * 5000))
    assert said(reading) == [("USER", "still here")]
    assert reading.end == len(GOOD)
    assert reading.partial == 5009


def test_a_last_line_that_is_a_whole_object_is_read_without_its_newline_and_not_twice(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD[:-1])
    reading = Claude().read(path)
    assert said(reading) == [("USER", "still here")]
    path.write_bytes(GOOD + line(claude("user", "next", uuid="n")))
    assert said(Claude().read(path, reading.end)) == [("USER", "next")]
    assert said(Claude().read(path, end=reading.end)) == [("USER", "still here")]


def test_invalid_utf8_is_replaced_and_counted(tmp_path: Path) -> None:
    raw = GOOD.replace(b"still here", b"still \xff\xfe here \xe3\x81")
    reading = Claude().read(write(tmp_path, raw))
    ((_, words),) = said(reading)
    assert words.startswith("still \ufffd")
    assert reading.left_out["invalid-utf8"] >= 2
    words.encode()


def test_lone_surrogates_become_replacement_characters_and_pairs_become_whole(tmp_path: Path) -> None:
    raw = GOOD.replace(b"still here", rb"a \ud83d b \ud83c\udf89 c \udc00")
    ((_, words),) = said(Claude().read(write(tmp_path, raw)))
    assert words == "a \ufffd b 🎉 c \ufffd"


def test_nul_bytes_inside_a_line_are_taken_out_and_counted(tmp_path: Path) -> None:
    raw = GOOD.replace(b"still here", b"still\x00 here")
    reading = Claude().read(write(tmp_path, raw))
    assert said(reading) == [("USER", "still here")]
    assert reading.left_out["nul-bytes"] == 1


def test_an_escaped_nul_becomes_a_replacement_character(tmp_path: Path) -> None:
    raw = GOOD.replace(b"still here", rb"still\u0000here")
    assert said(Claude().read(write(tmp_path, raw))) == [("USER", "still\ufffdhere")]


def test_a_byte_order_mark_and_crlf_do_not_hurt(tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n")
    assert said(Claude().read(write(tmp_path, raw))) == [("USER", "still here")]


def test_of_repeated_keys_the_last_one_counts_as_for_the_writer(tmp_path: Path) -> None:
    raw = GOOD.replace(
        b'"type":"user","message"', b'"type":"assistant","isMeta":true,"type":"user","message"'
    )
    reading = Claude().read(write(tmp_path, raw))
    assert events(reading) == []
    assert reading.left_out == {"meta": 1}


@pytest.mark.parametrize(
    ("stated", "kept"),
    [
        ("2025-03-01T10:00:00+09:00", "2025-03-01T10:00:00+09:00"),
        ("2025-03-01T10:00:00", "2025-03-01T10:00:00+00:00"),
        (1740823200000, "2025-03-01T10:00:00.000+00:00"),
        (1740823200, "2025-03-01T10:00:00.000+00:00"),
        ("yesterday", None),
        ("", None),
        (None, None),
        (1e30, None),
        (-1e30, None),
        (float("nan"), None),
        (True, None),
        (["x"], None),
    ],
)
def test_a_records_time_is_kept_with_its_zone_or_is_none(
    tmp_path: Path, stated: object, kept: str | None
) -> None:
    row = {**claude("user", "x", uuid="u"), "timestamp": stated}
    (event,) = events(Claude().read(write(tmp_path, (json.dumps(row) + "\n").encode())))
    assert event.ts == kept


def test_rows_without_a_uuid_have_stable_ids_of_their_own(tmp_path: Path) -> None:
    rows = [{k: v for k, v in claude("user", w, uuid="").items() if k != "uuid"} for w in ("a", "b")]
    path = write(tmp_path, b"".join(line(r) for r in rows))
    first, second = ([e.event_id for e in events(Claude().read(path))] for _ in range(2))
    assert first == second
    assert len(set(first)) == 2


def test_a_session_of_the_pipelines_own_is_never_read(tmp_path: Path) -> None:
    rows = [
        claude("user", f"{OWN_MARK}: read this batch and propose memories", uuid="a"),
        claude("assistant", [text("The user decided everything.")], uuid="b"),
    ]
    reading = Claude().read(write(tmp_path, b"".join(line(r) for r in rows)))
    assert events(reading) == []
    assert reading.left_out == {"own-session": 2}


def test_a_record_with_the_mark_in_a_humans_session_is_left_out_alone(tmp_path: Path) -> None:
    rows = [claude("user", f"word {i}", uuid=f"u{i}") for i in range(5)]
    rows.append(claude("assistant", [use("Bash", "t", command=f"grep {OWN_MARK} log")], uuid="x"))
    reading = Claude().read(write(tmp_path, b"".join(line(r) for r in rows)))
    assert len(events(reading)) == 5
    assert reading.left_out == {"own-session": 1}


def test_odd_pi_rows_are_counted(tmp_path: Path) -> None:
    rows = [
        PI_HEADER,
        {"type": "message", "message": None},
        {"type": "message", "message": {"role": "system", "content": "be nice"}},
        {"type": "message", "message": {"role": "user", "content": {"a": 1}}},
        {"type": "message", "message": {"role": "toolResult", "content": [{"type": "image"}, 5]}},
        pi("user", "fine", 1),
    ]
    reading = Pi().read(write(tmp_path, b"".join(line(r) for r in rows)))
    assert said(reading) == [("USER", "fine")]
    assert reading.left_out["role:system"] == 1
    assert reading.left_out["no-content"] == 1
    assert reading.left_out["block:image"] == 1
