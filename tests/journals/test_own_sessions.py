"""The pipeline never mines itself: a host's journal of the pipeline's own model calls is left out, counted and said.

A model may be served by a program that keeps every session as a journal, below a root that is read. Each sample is written as
such a program would write a call of ours: what it keeps of the system message differs, the user's turn it always keeps.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kura_pipeline.distil.batch import claim
from kura_pipeline.distil.brief import brief_of
from kura_pipeline.distil.coverage import survey
from kura_pipeline.distil.prompting import frame, messages
from kura_pipeline.distil.rawtier import index_journals
from kura_runtime.domain.evidence import Batch, Event, EvidenceClass
from kura_runtime.raw.sessions import count
from tests.journals.samples import PI_HEADER, claude, line, pi, text
from tests.journals.stores import NOW, ledger, store

ANSWER = '[{"title": "We decided to keep the archive on the slow disk"}]'


def asked(tmp_path: Path) -> tuple[str, str]:
    """A real call: long evidence, so that nothing can rest on how near to the head its end stands."""
    events = tuple(
        Event(
            f"e{n}",
            n,
            EvidenceClass.USER,
            f"We decided number {n}. " + "words " * 400,
            None,
            "s",
            "j",
            n,
            n + 1,
        )
        for n in range(60)
    )
    brief = brief_of(store(tmp_path, {}))
    system, user = messages(brief, f"Propose memories.\n\n{frame(Batch('b', 'maker', events))}")
    assert len(user["content"]) > 100_000
    return system["content"], user["content"]


def as_claude(system: str, user: str) -> bytes:
    """The system message is not kept; titles and snapshots stand before the turn."""
    before = [{"type": "file-history-snapshot", "messageId": f"m{n}", "snapshot": {}} for n in range(6)]
    said = [claude("user", user, uuid="u1"), claude("assistant", [text(ANSWER)], uuid="a1", parent="u1")]
    return b"".join(line(r) for r in [*before, *said])


def as_codex(system: str, user: str) -> bytes:
    def row(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}

    def words(role: str, said: str) -> dict[str, Any]:
        return row("response_item", type="message", role=role, content=[{"type": "input_text", "text": said}])

    rows = [
        row(
            "session_meta",
            id="own",
            cwd="/w",
            originator="cli",
            cli_version="0.130.0",
            instructions="base " * 3000,
        ),
        words("developer", "<permissions_instructions>ask</permissions_instructions>"),
        words("user", "# AGENTS.md instructions\n" + "be good " * 300),
        words("user", "<environment_context>linux</environment_context>"),
        row("turn_context", cwd="/w", model="m"),
        words("user", user),
        row("event_msg", type="user_message", message=user),
        row("event_msg", type="agent_message", message=ANSWER),
        words("assistant", ANSWER),
    ]
    return b"".join(line(r) for r in rows)


def as_dsh(system: str, user: str) -> bytes:
    rows: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": "own", "createdAt": "2026-01-01T00:00:00Z", "cwd": "/w", "delegationDepth": 0},
        *({"type": "meta/note", "seq": n, "time": "2026-01-01T00:00:00Z", "data": {}} for n in range(5)),
        {"type": "user/message", "seq": 6, "time": "2026-01-01T00:00:01Z",
         "data": {"source": {"kind": "user"}, "content": [{"type": "text", "text": user}]}},
        {"type": "assistant/message", "seq": 7, "time": "2026-01-01T00:00:02Z",
         "data": {"content": [{"type": "text", "text": ANSWER}]}},
    ]  # fmt: skip
    return zstandard.compress(b"".join(line(r) for r in rows))


def as_pi(system: str, user: str) -> bytes:
    odd = [
        {"type": "model_change", "timestamp": "2025-03-01T10:00:00.000Z", "modelId": "m"} for _ in range(5)
    ]
    return b"".join(
        line(r) for r in [PI_HEADER, *odd, pi("user", [text(user)], 1), pi("assistant", [text(ANSWER)], 2)]
    )


def as_openai(system: str, user: str) -> bytes:
    talk = [{"role": "user", "content": user}, {"role": "assistant", "content": ANSWER}]
    return json.dumps({"messages": talk}).encode()


HOSTS = {
    "claude": ("-w/own.jsonl", as_claude),
    "codex": ("2026/01/01/rollout-own.jsonl", as_codex),
    "dsh": ("--w--/own/session.jsonl.zstd", as_dsh),
    "pi": ("--w--/own.jsonl", as_pi),
    "openai": ("own.json", as_openai),
}


@pytest.mark.parametrize("kind", HOSTS)
def test_no_word_of_our_own_call_or_its_answer_is_read(tmp_path: Path, kind: str) -> None:
    name, written = HOSTS[kind]
    path = tmp_path / "j" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(written(*asked(tmp_path)))
    cfg, book = store(tmp_path, {kind: "j"}), ledger(tmp_path)
    claimed = claim(cfg, book, now=NOW)
    assert claimed.batches == ()
    index_journals(cfg)
    assert count(cfg.path) == 0
    (row,) = survey(cfg, book).files
    assert row.status == "own" or row.left_out.get("own-session", 0) >= 1, "left out, and said"
    assert row.error is None, row.error


def test_a_humans_session_that_speaks_of_the_mark_loses_only_the_lines_that_hold_it(tmp_path: Path) -> None:
    from kura_runtime.models.roles import OWN_MARK

    rows = [
        claude("user", "We keep the archive on the slow disk.", uuid="u1"),
        claude("assistant", [text("Understood.")], uuid="a1", parent="u1"),
        claude("user", f"What does {OWN_MARK} in the log mean?", uuid="u2", parent="a1"),
        claude("assistant", [text("It marks calls of the pipeline.")], uuid="a2", parent="u2"),
    ]
    (tmp_path / "j").mkdir()
    (tmp_path / "j" / "a.jsonl").write_bytes(
        b"".join(line(r) for r in [{"type": "summary", "summary": "x"}] * 4 + rows)
    )
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    (made,) = claim(cfg, book, now=NOW).batches
    assert (made.events, made.left_out["own-session"]) == ({"SELF": 2, "USER": 1}, 1)
