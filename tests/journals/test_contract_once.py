"""Once and only once, over every adapter: torn and finished, copied, packed, moved, forked, compacted."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
import zstandard

from kura_pipeline.distil.batch import batch_of, claim, read_batch
from kura_pipeline.journals.base import Record
from kura_runtime.config.model import StoreConfig
from kura_runtime.errors import JournalUnreadable
from kura_runtime.ledger.ledger import Ledger
from tests.journals import hosts
from tests.journals.samples import (
    CODEX_META,
    DSH_HEADER,
    DSH_ROWS,
    PI_HEADER,
    SAMPLES,
    Sample,
    claude,
    codex,
    codex_user,
    conversation,
    dsh,
    line,
    lna,
    node,
    pi,
    text,
)  # fmt: skip
from tests.journals.stores import NOW, ledger, store

Said = tuple[str, str]


@pytest.fixture(params=sorted(SAMPLES))
def sample(request: pytest.FixtureRequest) -> Sample:
    return SAMPLES[request.param]


class Room:
    """A store that reads one root of the sample's kind."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.root, self.minute = folder / "j", 0
        self.root.mkdir()
        self.cfg: StoreConfig = store(folder, {kind: "j"})
        self.ledger: Ledger = ledger(folder)

    def claimed(self) -> list[Said]:
        """What a new claim gives, in order."""
        self.minute += 1
        report = claim(self.cfg, self.ledger, now=NOW + timedelta(minutes=self.minute))
        assert report.failures == ()
        batches = [batch_of(read_batch(self.cfg, self.ledger, c.batch_id)) for c in report.batches]
        return [(e.cls.value, e.text) for b in batches for e in b.events if not e.context]


def test_torn_at_any_byte_and_finished_later_it_gives_the_whole_and_each_record_once(
    sample: Sample, tmp_path: Path
) -> None:
    one, path = sample.adapter, sample.write(tmp_path)
    whole = list(one.read(path))
    step = 1 if len(sample.data) < 3000 else 7
    for size in range(0, len(sample.data) + 1, step if not sample.is_database else 256):
        sample.write(tmp_path, sample.data[:size])
        before, mark, end = [], "", 0
        try:
            reading = one.read(path)
            before.extend(reading)
            end = before[-1].end if before else 0
            mark = one.fingerprint(path, end)
        except JournalUnreadable:
            end = before[-1].end if before else 0
        sample.write(tmp_path)
        same = bool(mark) and one.fingerprint(path, end) == mark
        rest = list(one.read(path, end if same else 0))
        _is_the_whole(sample, before, rest, whole, size)


def _is_the_whole(
    sample: Sample, before: list[Record], rest: list[Record], whole: list[Record], size: int
) -> None:
    if sample.name == "text":
        # a paragraph that ends where the file ended is one by itself; its words are there, and there once
        texts = [
            " ".join(e.text for r in many for e in r.events).split() for many in ([*before, *rest], whole)
        ]
        assert texts[0] == texts[1], size
        return
    met: dict[str, Record] = {}
    for record in (*before, *rest):
        if record.key:
            first = met.setdefault(record.key, record)
            assert [e.text for e in first.events] == [e.text for e in record.events], size
    assert list(met) == [r.key for r in whole if r.key], size


def test_a_copy_of_the_journal_under_another_name_is_read_and_gives_nothing(
    sample: Sample, tmp_path: Path
) -> None:
    room = Room(tmp_path, sample.name)
    sample.write(room.root)
    assert room.claimed() == list(sample.said)
    for name in (sample.file, *sample.beside):
        source = room.root / name
        target = room.root / "copies" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    again = room.claimed()
    # a note is known by its place: the same words in another file were written there too
    assert again == (list(sample.said) if sample.name == "text" else [])


def test_a_journal_moved_elsewhere_gives_nothing_again(sample: Sample, tmp_path: Path) -> None:
    if sample.name == "text":
        pytest.skip("a note is known by its place")
    room = Room(tmp_path, sample.name)
    sample.write(room.root)
    assert room.claimed() == list(sample.said)
    moved = room.root / "elsewhere"
    moved.mkdir()
    for entry in [p for p in room.root.iterdir() if p != moved]:
        entry.rename(moved / entry.name)
    assert room.claimed() == []


# --- what each program does to its own journals ---------------------------------------------------------------------


def _append(folder: Path, sample: Sample, *rows: object) -> None:
    with (folder / sample.file).open("ab") as out:
        out.write(b"".join(line(r) for r in rows))


def _claude_resumed(root: Path, sample: Sample) -> list[Said]:
    rows = sample.data.replace(b"session-one", b"session-two") + line(
        claude("user", "go on", uuid="n1", parent="u5", sessionId="session-two")
    )
    (root / "-home-dev-proj" / "session-two.jsonl").write_bytes(rows)
    return [("USER", "go on")]


def _claude_compacted(root: Path, sample: Sample) -> list[Said]:
    repeated = [json.loads(x) for x in sample.data.splitlines()][1:3]
    summary = claude(
        "user", "This session is being continued …", uuid="c1", parent=None, isCompactSummary=True
    )
    _append(root, sample, *repeated, summary, claude("user", "go on", uuid="n1", parent="c1"))
    return [("USER", "go on")]


def _codex_packed(root: Path, sample: Sample) -> list[Said]:
    path = root / sample.file
    more = b"".join(line(r) for r in codex_user("go on", 30))
    path.with_name(f"{path.name}.zst").write_bytes(zstandard.ZstdCompressor().compress(sample.data + more))
    path.unlink()
    return [("USER", "go on")]


def _codex_forked(root: Path, sample: Sample) -> list[Said]:
    meta = codex("session_meta", 20, id="codex-two", forked_from_id="codex-one", source="cli")
    rows = b"".join(line(r) for r in (meta, *codex_user("go on", 21)))
    head, rest = sample.data.split(b"\n", 1)
    assert json.loads(head) == CODEX_META
    name = "rollout-2025-03-01T10-00-20-codex-two.jsonl"
    (root / sample.file).with_name(name).write_bytes(line(meta) + head + b"\n" + rest + rows)
    return [("USER", "go on")]


def _codex_compacted(root: Path, sample: Sample) -> list[Said]:
    told = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "pin pytest"}]}]
    _append(
        root,
        sample,
        codex("compacted", 20, message="The user agreed.", replacement_history=told),
        *codex_user("go on", 21),
    )
    return [("USER", "go on")]


def _dsh_forked(root: Path, sample: Sample) -> list[Said]:
    header = {**DSH_HEADER, "id": "dsh-two", "parentSession": "dsh-one", "seedLength": 11}
    go_on = dsh("user/message", 11, role="user", source={"kind": "user"}, content=[text("go on")])
    path = root / "--w--" / "dsh-two" / "session.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(line(r) for r in (header, *DSH_ROWS[1:], go_on)))
    return [("USER", "go on")]


def _dsh_generation(root: Path, sample: Sample) -> list[Said]:
    go_on = dsh("user/message", 11, role="user", source={"kind": "user"}, content=[text("go on")])
    rows = b"".join(line(r) for r in (*DSH_ROWS, go_on))
    (root / sample.file).with_name("session.v2.jsonl").write_bytes(rows)
    return [("USER", "go on")]


def _pi_branched(root: Path, sample: Sample) -> list[Said]:
    header = {**PI_HEADER, "id": "pi-two", "timestamp": "2025-03-01T11:00:00.000Z"}
    rows = line(header) + sample.data.split(b"\n", 1)[1] + line(pi("user", "go on", 30))
    (root / sample.file).with_name("2025-03-01_pi-two.jsonl").write_bytes(rows)
    return [("USER", "go on")]


def _pi_compacted(root: Path, sample: Sample) -> list[Said]:
    _append(
        root,
        sample,
        {"type": "compaction", "timestamp": hosts.at(20), "summary": "agreed"},
        pi("user", "go on", 30),
    )
    return [("USER", "go on")]


def _lna_appended(root: Path, sample: Sample) -> list[Said]:
    _append(root, sample, lna({"type": "message", "role": "user", "content": "go on"}))
    return [("USER", "go on")]


def _openai_exported_again(root: Path, sample: Sample) -> list[Said]:
    """A later export: written anew, newest conversation first, one of them longer."""
    one, two = json.loads(sample.data)
    new = conversation("conv-new", node("n", None, "user", "go on"), current="n")
    (root / sample.file).write_bytes(json.dumps([new, two, one]).encode())
    return [("USER", "go on")]


def _openai_edited(root: Path, sample: Sample) -> list[Said]:
    one, two = json.loads(sample.data)
    one["mapping"]["e"] = node("e", "s", "user", "go on")
    (root / sample.file).write_bytes(json.dumps([{**one, "current_node": "e"}, two]).encode())
    return [("USER", "go on")]


def _opencode(root: Path, sample: Sample, *more: dict[str, list[tuple[object, ...]]]) -> list[Said]:
    db = sqlite3.connect(root / sample.file)
    for rows in more:
        for table, many in rows.items():
            for row in many:
                db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({','.join('?' * len(row))})", row)
    db.commit()
    db.close()
    return [("USER", "go on")]


_GO_ON: hosts.Turn = (hosts.message("user", 40), [hosts.words("go on")])
_COMPACTED: tuple[hosts.Turn, ...] = (
    (hosts.message("user", 30), [{"type": "compaction", "auto": True}]),
    (hosts.message("assistant", 31, summary=True), [hosts.words("The user agreed to all of it.", 31)]),
)


def _opencode_forked(root: Path, sample: Sample) -> list[Said]:
    return _opencode(root, sample, hosts.opencode_rows("ses_fork", [*hosts.OPENCODE_TURNS, _GO_ON]))


def _opencode_compacted(root: Path, sample: Sample) -> list[Said]:
    return _opencode(
        root, sample, hosts.opencode_rows("ses_one", [*hosts.OPENCODE_TURNS, *_COMPACTED, _GO_ON])
    )


def _opencode_files(root: Path, sample: Sample) -> list[Said]:
    turns = [*hosts.OPENCODE_TURNS, *_COMPACTED, _GO_ON]
    for name, data in hosts.opencode_files("ses_old", turns).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return [("USER", "go on")]


_GOOSE_GO_ON = hosts.spoken("user", 40, hosts.words("go on"))


def _goose_copied(root: Path, sample: Sample) -> list[Said]:
    return _opencode(root, sample, hosts.goose_rows("20250301_9", [*hosts.GOOSE_MESSAGES, _GOOSE_GO_ON]))


def _goose_compacted(root: Path, sample: Sample) -> list[Said]:
    db = sqlite3.connect(root / sample.file)
    db.execute("DELETE FROM messages WHERE session_id = '20250301_1'")
    db.commit()
    db.close()
    summary = hosts.spoken("assistant", 30, hosts.words("The user agreed."), visible=False)
    return _opencode(
        root, sample, hosts.goose_rows("20250301_1", [*hosts.GOOSE_MESSAGES, summary, _GOOSE_GO_ON])
    )


def _goose_lines_rewritten(root: Path, sample: Sample) -> list[Said]:
    (root / sample.file).write_bytes(
        sample.data.replace(b'"message_count":6', b'"message_count":7') + line(_GOOSE_GO_ON)
    )
    return [("USER", "go on")]


_GEMINI_GO_ON = hosts.turn("user", 40, "go on")


def _gemini_rewritten(root: Path, sample: Sample) -> list[Said]:
    turns = [*hosts.GEMINI_TURNS, _GEMINI_GO_ON]
    (root / sample.file).write_bytes(json.dumps({**hosts.GEMINI_HEAD, "messages": turns}).encode())
    return [("USER", "go on")]


def _gemini_moved_to_lines(root: Path, sample: Sample) -> list[Said]:
    path = root / sample.file
    rows = [hosts.GEMINI_HEAD, *hosts.GEMINI_TURNS, _GEMINI_GO_ON]
    path.with_suffix(".jsonl").write_bytes(b"".join(line(r) for r in rows))
    return [("USER", "go on")]


def _gemini_prompts(root: Path, sample: Sample) -> list[Said]:
    asked = ("/help", "打开 @disk.md 看看", "ディスクを買う 🎉", "go on")
    rows = [
        {
            "sessionId": "gemini-one",
            "messageId": n,
            "type": "user",
            "message": m,
            "timestamp": hosts.at(20 + n),
        }
        for n, m in enumerate(asked)
    ]
    (root / "tmp" / "abc" / "logs.json").write_text(json.dumps(rows, indent=2))
    return [("USER", "go on")]


def _gemini_compressed(root: Path, sample: Sample) -> list[Said]:
    snapshot = {"id": "s1", "timestamp": hosts.at(30), "type": "user",
                "content": [{"text": "<state_snapshot>The user agreed.</state_snapshot>"}]}  # fmt: skip
    _append(root, sample, {"$set": {"messages": [snapshot, hosts.GEMINI_TURNS[-1]]}}, _GEMINI_GO_ON)
    return [("USER", "go on")]


def _text_appended(root: Path, sample: Sample) -> list[Said]:
    (root / sample.file).write_bytes(sample.data + b"\ngo on\n")
    return [("USER", "go on")]


DEEDS: Mapping[str, tuple[str, Callable[[Path, Sample], list[Said]]]] = {
    "claude resumes into a new file": ("claude", _claude_resumed),
    "claude compacts and repeats rows": ("claude", _claude_compacted),
    "codex packs a cold rollout": ("codex", _codex_packed),
    "codex forks with the parent's header": ("codex", _codex_forked),
    "codex compacts": ("codex", _codex_compacted),
    "dsh forks with a seed": ("dsh", _dsh_forked),
    "dsh writes another generation": ("dsh", _dsh_generation),
    "pi branches": ("pi", _pi_branched),
    "pi compacts": ("pi", _pi_compacted),
    "lna appends": ("lna", _lna_appended),
    "an export is made anew": ("openai", _openai_exported_again),
    "a prompt of a conversation is edited": ("openai", _openai_edited),
    "opencode forks": ("opencode", _opencode_forked),
    "opencode compacts": ("opencode", _opencode_compacted),
    "opencode compacts in files": ("opencode-files", _opencode_files),
    "goose copies a session": ("goose", _goose_copied),
    "goose compacts and writes all rows anew": ("goose", _goose_compacted),
    "goose writes its file anew": ("goose-lines", _goose_lines_rewritten),
    "gemini writes its file anew": ("gemini", _gemini_rewritten),
    "gemini goes over to lines": ("gemini", _gemini_moved_to_lines),
    "gemini lists its prompts": ("gemini", _gemini_prompts),
    "gemini compresses its history": ("gemini-lines", _gemini_compressed),
    "a note grows": ("text", _text_appended),
}


def test_every_adapter_has_a_deed() -> None:
    assert {SAMPLES[name].name for name, _ in DEEDS.values()} == {s.name for s in SAMPLES.values()}


@pytest.mark.parametrize("deed", sorted(DEEDS))
def test_what_its_program_does_to_a_journal_repeats_nothing_and_hides_nothing(
    tmp_path: Path, deed: str
) -> None:
    name, act = DEEDS[deed]
    sample = SAMPLES[name]
    room = Room(tmp_path, sample.name)
    sample.write(room.root)
    assert room.claimed() == list(sample.said)
    new = act(room.root, sample)
    assert room.claimed() == new
    assert room.claimed() == []
