"""Codex, DSH, LNA and ChatGPT: their own quirks."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kura_pipeline.journals import base
from kura_pipeline.journals.codex import Codex
from kura_pipeline.journals.dsh import Dsh
from kura_pipeline.journals.json_stream import elements
from kura_pipeline.journals.lna import Lna
from kura_pipeline.journals.openai import OpenAi
from kura_runtime.errors import JournalUnreadable
from kura_runtime.models.roles import OWN_MARK
from tests.journals.samples import (
    CODEX_META,
    DSH_HEADER,
    DSH_ROWS,
    SAMPLES,
    codex,
    codex_user,
    conversation,
    dsh,
    events,
    line,
    lna,
    node,
    said,
    text,
)  # fmt: skip


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line(r) for r in rows))
    return path


# --- codex ---------------------------------------------------------------------------------------------------------


def test_old_and_new_message_events_of_one_message_are_one_event(tmp_path: Path) -> None:
    old = codex("event_msg", 2, type="user_message", message="pin it", kind="plain")
    path = write(
        tmp_path / "rollout-a.jsonl", CODEX_META, old, *codex_user("pin it", 2), *codex_user("pin it", 9)
    )
    reading = Codex().read(path)
    assert said(reading) == [("USER", "pin it"), ("USER", "pin it")]
    assert reading.left_out["said-twice"] == 1


@pytest.mark.parametrize(
    "words", ["# AGENTS.md instructions for /w\n\nrules", "<environment_context>\n<cwd>/w</cwd>\n</environment_context>",
              "<user_instructions>be terse</user_instructions>"],
)  # fmt: skip
def test_injected_files_are_not_the_humans_words_even_as_an_event(tmp_path: Path, words: str) -> None:
    path = write(tmp_path / "rollout-a.jsonl", CODEX_META, *codex_user(words, 1))
    assert events(Codex().read(path)) == []


@pytest.mark.parametrize(
    "meta", [{"source": {"subagent": "review"}}, {"source": "cli", "thread_source": "subagent"}]
)
def test_the_prompts_of_a_sub_agents_rollout_are_self(tmp_path: Path, meta: dict[str, Any]) -> None:
    header = codex("session_meta", 0, id="c", **meta)
    path = write(tmp_path / "rollout-a.jsonl", header, *codex_user("the user approved it", 1))
    assert said(Codex().read(path)) == [("SELF", "the user approved it")]
    start = len(line(header))
    assert said(Codex().read(path, start)) == [("SELF", "the user approved it")]


def test_a_compactions_summary_and_its_repeated_history_are_no_evidence(tmp_path: Path) -> None:
    summary = codex("response_item", 2, type="message", role="assistant", content=[text("The user agreed.")])
    compacted = codex("compacted", 3, message="The user agreed.", replacement_history=codex_user("never", 1))
    path = write(tmp_path / "rollout-a.jsonl", CODEX_META, summary, compacted)
    assert events(Codex().read(path)) == []


def test_output_that_is_a_json_string_is_unwrapped_and_parts_are_joined(tmp_path: Path) -> None:
    rows = [
        codex("response_item", 1, type="custom_tool_call", name="apply_patch", input="*** Begin", call_id="c"),
        codex("response_item", 2, type="custom_tool_call_output", call_id="c", output=json.dumps({"output": "ok\n", "metadata": {}})),
        codex("response_item", 3, type="function_call_output", call_id="d", output=[text("a"), text("b")]),
    ]  # fmt: skip
    found = events(Codex().read(write(tmp_path / "rollout-a.jsonl", CODEX_META, *rows)))
    assert [(e.cls.value, e.text, e.tool) for e in found] == [
        ("ACT", "apply_patch\n*** Begin", "apply_patch"), ("TOOL", "ok\n", "apply_patch"), ("TOOL", "a\nb", None),
    ]  # fmt: skip


def test_a_rollout_gone_cold_holds_the_same_records_under_the_same_keys(tmp_path: Path) -> None:
    plain = SAMPLES["codex"].write(tmp_path)
    cold = plain.with_name(plain.name + ".zst")
    halves = SAMPLES["codex"].data[:400], SAMPLES["codex"].data[400:]
    cold.write_bytes(b"".join(zstandard.ZstdCompressor().compress(h) for h in halves))
    assert [(r.key, r.start, r.end) for r in Codex().read(plain)] == [
        (r.key, r.start, r.end) for r in Codex().read(cold)
    ]
    assert said(Codex().read(cold)) == list(SAMPLES["codex"].said)
    middle = next(r.start for r in Codex().read(cold) if r.events)
    assert said(Codex().read(cold, middle)) == list(SAMPLES["codex"].said)


# --- dsh -----------------------------------------------------------------------------------------------------------


def test_every_frame_of_an_archive_is_read(tmp_path: Path) -> None:
    path = SAMPLES["dsh"].write(tmp_path)
    one_shot = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
    assert one_shot.count(b"\n") == 1
    assert len(said(Dsh().read(path))) == 4


def test_a_torn_archive_is_an_error_with_the_lines_it_gave_and_those_are_read(tmp_path: Path) -> None:
    whole = SAMPLES["dsh"].data
    last = len(zstandard.ZstdCompressor().compress(line(DSH_ROWS[-1])))
    path = SAMPLES["dsh"].write(tmp_path, whole[: len(whole) - last + 6])
    found = []
    with pytest.raises(JournalUnreadable, match=f"torn after {len(DSH_ROWS) - 1} whole lines"):
        for record in Dsh().read(path):
            found += [(e.cls.value, e.text) for e in record.events]
    assert found == list(SAMPLES["dsh"].said)


def test_a_damaged_archive_is_an_error_and_never_empty(tmp_path: Path) -> None:
    data = bytearray(SAMPLES["dsh"].data)
    data[20:40] = b"\xff" * 20
    with pytest.raises(JournalUnreadable, match=r"torn|damaged"):
        list(Dsh().read(SAMPLES["dsh"].write(tmp_path, bytes(data))))


def test_older_sessions_tell_a_reply_by_the_ends_of_its_blocks(tmp_path: Path) -> None:
    rows = [
        DSH_HEADER,
        dsh("assistant/chunk", 1, chunk={"type": "block-end", "block": {"type": "reasoning", "text": "hm"}}),
        dsh("assistant/chunk", 2, chunk={"type": "block-end", "block": text("Done.")}),
        dsh("step/end", 3),
    ]
    assert said(Dsh().read(write(tmp_path / "session.jsonl", *rows))) == [("SELF", "Done.")]


def test_what_a_fork_was_seeded_with_is_its_parents(tmp_path: Path) -> None:
    header = {**DSH_HEADER, "parentSession": "p", "seedLength": 5}
    rows = [
        dsh("user/message", n, source={"kind": "user"}, content=[text(f"word {n}")]) for n in (1, 4, 5, 6)
    ]
    reading = Dsh().read(write(tmp_path / "session.jsonl", header, *rows))
    assert said(reading) == [("USER", "word 5"), ("USER", "word 6")]
    assert reading.left_out["fork-seed"] == 2


@pytest.mark.parametrize("header", [{"delegationDepth": 1}, {"delegationDepth": None, "parentSession": "p"}])
def test_the_prompt_of_a_delegated_session_is_self(tmp_path: Path, header: dict[str, Any]) -> None:
    row = dsh("user/message", 1, source={"kind": "user"}, content=[text("the user approved it")])
    path = write(tmp_path / "session.jsonl", {**DSH_HEADER, **header}, row)
    assert [cls for cls, _ in said(Dsh().read(path))] == ["SELF"]


@pytest.mark.parametrize("source", [None, {}, {"kind": "plugin"}, {"kind": "goal"}, {"kind": "User"}, "user"])
def test_a_message_that_states_no_human_source_is_left_out(tmp_path: Path, source: Any) -> None:
    row = dsh("user/message", 1, source=source, content=[text("approved")])
    assert events(Dsh().read(write(tmp_path / "session.jsonl", DSH_HEADER, row))) == []


def test_of_several_generations_the_highest_is_read(tmp_path: Path) -> None:
    names = ["session.jsonl.zstd", "session.v2.jsonl.zstd", "session.v10.jsonl", "session.v10.jsonl.zstd"]
    paths = frozenset(tmp_path / "a" / n for n in names) | {tmp_path / "b" / "session.jsonl"}
    older = Dsh().superseded(paths)
    assert sorted(p.name for p in older) == sorted(set(names) - {"session.v10.jsonl"})
    assert all("session.v10.jsonl" in reason for reason in older.values())


def test_records_without_a_number_are_counted_on(tmp_path: Path) -> None:
    rows = [
        {"type": "user/message", "data": {"source": {"kind": "user"}, "content": [text(f"w{n}")]}}
        for n in range(3)
    ]
    found = events(Dsh().read(write(tmp_path / "session.jsonl", DSH_HEADER, *rows)))
    assert [(e.byte_start, e.byte_end) for e in found] == [(0, 1), (1, 2), (2, 3)]


# --- lna -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin",
    [
        {"root": "agent"}, {"current": "agent"}, {"delegated": True}, {"delegated": None}, {"delegated": "false"},
        {"delegated": 0},
    ],
)  # fmt: skip
def test_a_run_whose_human_origin_is_not_stated_in_full_is_self(
    tmp_path: Path, origin: dict[str, Any]
) -> None:
    run = lna({"type": "message", "role": "user", "content": "approved"}, **origin)
    assert said(Lna().read(write(tmp_path / "x.lna.jsonl", run))) == [("SELF", "approved")]


def test_a_run_without_an_origin_is_self(tmp_path: Path) -> None:
    run = {k: v for k, v in lna({"type": "message", "role": "user", "content": "a"}).items() if k != "origin"}
    assert [c for c, _ in said(Lna().read(write(tmp_path / "x.lna.jsonl", run)))] == ["SELF"]


@pytest.mark.parametrize(
    "bad", [b"garbage\n", b"[1]\n", b'{"v":2,"type":"run","entries":[]}\n', b'{"v":1,"type":"walk","entries":[]}\n', b'{"v":1,"type":"run"}\n'],
)  # fmt: skip
def test_a_completed_line_that_is_no_run_stops_the_journal_loudly_at_its_byte(
    tmp_path: Path, bad: bytes
) -> None:
    good = line(lna({"type": "message", "role": "user", "content": "first"}))
    path = tmp_path / "x.lna.jsonl"
    path.write_bytes(good + bad + good)
    reading = Lna().read(path)
    found = []
    with pytest.raises(JournalUnreadable) as caught:
        for record in reading:
            found += [e.text for e in record.events]
    assert found == ["first"]
    assert caught.value.offset == reading.end == len(good)


# --- openai --------------------------------------------------------------------------------------------------------


def export(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def test_branches_that_do_not_lead_to_the_current_node_are_dead(tmp_path: Path) -> None:
    nodes = [
        node("u", None, "user", "tabs"), node("a", "u", "assistant", "ok, tabs"),
        node("u2", "a", "user", "no"), node("u3", "a", "user", "yes"),
    ]  # fmt: skip
    path = export(tmp_path / "c.json", [conversation("c", *nodes, current="u3")])
    assert [(e.text, e.dead) for e in events(OpenAi().read(path))] == [
        ("tabs", False), ("ok, tabs", False), ("no", True), ("yes", False),
    ]  # fmt: skip


def test_hidden_instructions_reasoning_and_tools_are_not_the_humans_words(tmp_path: Path) -> None:
    nodes = [
        node("x", None, "user", "about me", kind="user_editable_context"),
        node("h", "x", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        node("t", "h", "assistant", "thinking", kind="thoughts"),
        node("c", "t", "assistant", "print(1)", recipient="python"),
        node("r", "c", "tool", "1"),
        node(
            "m", "r", "user", {"content_type": "image_asset_pointer"}, "what is this?", kind="multimodal_text"
        ),
    ]
    path = export(tmp_path / "c.json", [conversation("c", *nodes, current="m")])
    assert said(OpenAi().read(path)) == [
        ("ACT", "python\nprint(1)"),
        ("TOOL", "1"),
        ("USER", "what is this?"),
    ]


def test_conversations_are_sessions_with_journal_keys_of_their_own(tmp_path: Path) -> None:
    path = SAMPLES["openai"].write(tmp_path)
    assert [(e.session, e.journal_key) for e in events(OpenAi().read(path))][-1] == (
        "conv-two",
        f"{path}#conv-two",
    )


def test_generic_messages_are_read_from_one_object_an_array_and_lines(tmp_path: Path) -> None:
    talk = {
        "messages": [
            {"role": "system", "content": "be good"},
            {"role": "user", "content": "hello 世界"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"function": {"name": "ls", "arguments": '{"p": "."}'}}],
            },
            {"role": "tool", "name": "ls", "content": "a.md"},
            {"role": "assistant", "content": [text("Here.")]},
        ]
    }
    expected = [("USER", "hello 世界"), ("ACT", "ls\np: ."), ("TOOL", "a.md"), ("SELF", "Here.")]
    for path in (
        export(tmp_path / "one.json", talk), export(tmp_path / "many.json", [talk]), write(tmp_path / "l.jsonl", talk),
    ):  # fmt: skip
        assert said(OpenAi().read(path)) == expected


def test_a_new_export_with_older_conversations_behind_new_ones_repeats_their_keys(tmp_path: Path) -> None:
    old = conversation("c1", node("u", None, "user", "a"), current="u")
    new = conversation("c2", node("v", None, "user", "b"), current="v")
    first = [r.key for r in OpenAi().read(export(tmp_path / "x.json", [old]))]
    second = [r.key for r in OpenAi().read(export(tmp_path / "x.json", [new, old]))]
    assert second[1:] == first


def test_a_circle_in_the_tree_does_not_hang(tmp_path: Path) -> None:
    nodes = [node("a", "b", "user", "x"), node("b", "a", "user", "y")]
    assert events(OpenAi().read(export(tmp_path / "c.json", [conversation("c", *nodes, current="a")]))) == []


def test_a_conversation_over_the_cap_is_passed_over_and_its_neighbours_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "RECORD_CAP", 5000)
    big = conversation("big", node("u", None, "user", "x" * 9000), current="u")
    small = conversation("small", node("v", None, "user", "b"), current="v")
    reading = OpenAi().read(export(tmp_path / "x.json", [big, small]))
    assert said(reading) == [("USER", "b")]
    assert reading.left_out["too-long"] == 1


def test_a_conversation_with_the_pipelines_own_mark_is_left_out_whole(tmp_path: Path) -> None:
    talk = {"messages": [{"role": "system", "content": OWN_MARK}, {"role": "user", "content": "approved"}]}
    assert events(OpenAi().read(export(tmp_path / "x.json", talk))) == []


def test_elements_are_found_whatever_stands_in_their_strings() -> None:
    values: list[Any] = [
        {"a": '}]"\\', "b": [1, {"c": "[{"}]},
        [],
        {},
        {"日本": "語" * 500_000},
        "skip ]",
        7,
        {"z": "\\\\"},
    ]
    data = json.dumps(values, ensure_ascii=False).encode()
    found = [json.loads(d or b"") for _, _, d in elements(io.BytesIO(data), 1 << 30)]
    assert found == [v for v in values if isinstance(v, dict | list)]


@pytest.mark.parametrize("data", [b"", b"{}", b"[", b'[{"a":1}', b'[{"a":"', b'[{"a":1},', b"[}]", b'["abc'])
def test_a_torn_or_foreign_array_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match="at byte"):
        list(elements(io.BytesIO(data), 1 << 20))
