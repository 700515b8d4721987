"""The recorded journals: how many events of each class each file holds, and which USER events, written down.

The numbers were counted by the counters of test_real_journals.py, which read the lines with the standard library alone and
know nothing of the adapters. Each USER event was read one by one, in full: all are
what somebody typed into a prompt (or pasted there), none was written by a host. They are kept as the beginnings of their
sha256, so that one more, one less or another one is seen.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from kura_pipeline.journals.discover import discover
from kura_pipeline.journals.sniff import adapter
from kura_runtime.errors import JournalUnreadable
from tests.journals.samples import events
from tests.journals.test_real_journals import COUNTERS

# USER, TOOL, ACT, SELF
NUMBERS = {
    "claude/coverage-test-fix.jsonl": (1, 13, 13, 8),
    "claude/hello-world-script.jsonl": (1, 2, 2, 2),
    "claude/python-to-rust-port.jsonl": (1, 36, 39, 16),
    "claude/stop-hook-reflection-first-stop.jsonl": (1, 4, 4, 3),
    "claude/stop-hook-uncommitted-changes.jsonl": (1, 2, 2, 2),
    "codex/rollout-codex-0.171.0-with-compaction.jsonl": (3, 5, 6, 2),
    "dsh/codeburn-bash-tool-turn.jsonl": (1, 1, 1, 1),
    "dsh/compaction-recovery.jsonl": (1, 1, 1, 1),
    "dsh/goal-multi-turn-actions.jsonl": (0, 11, 11, 4),
    "dsh/zst/session.jsonl.zstd": (1, 1, 1, 1),
    "pi/large-session.jsonl": (88, 373, 391, 244),
}
TYPED = {
    "claude/coverage-test-fix.jsonl": "577ece",
    "claude/hello-world-script.jsonl": "c67861",
    "claude/python-to-rust-port.jsonl": "84e3c0",
    "claude/stop-hook-reflection-first-stop.jsonl": "41ad49",
    "claude/stop-hook-uncommitted-changes.jsonl": "b72909",
    "codex/rollout-codex-0.171.0-with-compaction.jsonl": "09fa07 2a2450 07a562",
    "dsh/codeburn-bash-tool-turn.jsonl": "ee0bcd",
    "dsh/compaction-recovery.jsonl": "91a85c",
    "dsh/goal-multi-turn-actions.jsonl": "",
    "dsh/zst/session.jsonl.zstd": "ee0bcd",
    "pi/large-session.jsonl": "887d2e 614839 9ef574 f085b8 ffb063 3bd848 868beb e256ee c4dd24 baab2f e256ee f0bc90 410058 c8a40d 0dc0ac 8a5eda 5c85d8 16ead3 5be0c1 58fda9 9994ba 438b30 571738 ecb28e f346af 4bf3e4 4f8c33 0afa5b f246c4 a4ee3d b3f3eb 1db1a8 d637ba e6aa10 7b6e3e 6b409b 75184a b48e60 666532 0612a6 002ff5 6ece8c b9b8f0 4fc79d 9976ee 9c85fe f12b2b afa72e 7d5ef6 7b237c 7ff226 f543ff 2e4fb5 b22be7 97c013 407bce c77ce1 55b553 bf79b6 80c0b4 3f8e3f e61aa8 b9230d 41f9c9 c4dd24 6ebea4 e2ba91 eb2ae6 b56303 5807b6 dce570 be5fbe c850f1 244dcc 171df0 a2bbcd 513151 ad7109 3d229d e77c2c a7477d cfb7b8 ca8f77 491f80 5823f3 b457b3 b21d31 29131a",
}


def test_every_file_has_its_numbers(real_journals: Path) -> None:
    there = {p.relative_to(real_journals).as_posix() for p in real_journals.rglob("*") if p.is_file()}
    assert there - set(NUMBERS) == {"README.md", "swe-agent/marshmallow-1867.fc.traj"}


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_a_file_holds_the_events_that_were_counted_without_the_adapter(
    real_journals: Path, name: str
) -> None:
    kind, path = name.split("/")[0], real_journals / name
    found = Counter(e.cls.value for e in events(adapter(kind).read(path)))
    assert tuple(found[c] for c in ("USER", "TOOL", "ACT", "SELF")) == NUMBERS[name]
    counted = COUNTERS[kind](path)
    assert tuple(counted[c] for c in ("USER", "TOOL", "ACT", "SELF")) == NUMBERS[name]


@pytest.mark.parametrize("name", sorted(TYPED))
def test_the_users_words_are_those_that_were_read_one_by_one(real_journals: Path, name: str) -> None:
    said = [e.text for e in events(adapter(name.split("/")[0]).read(real_journals / name)) if e.cls == "USER"]
    assert " ".join(hashlib.sha256(t.encode()).hexdigest()[:6] for t in said) == TYPED[name]


def test_a_recording_of_a_format_that_is_not_read_is_reported_and_not_skipped(real_journals: Path) -> None:
    for kind in ("claude", "openai", "gemini", "text"):
        (file,) = discover({kind: [real_journals / "swe-agent"]}).files
        assert (file.status, file.adapter) == ("unknown", None)
        assert "SWE-agent" in file.reason


def test_the_archive_of_many_frames_gives_all_its_lines_and_a_torn_copy_says_where(
    real_journals: Path, tmp_path: Path
) -> None:
    source = real_journals / "dsh" / "zst" / "session.jsonl.zstd"
    data = source.read_bytes()
    whole = [e.event_id for e in events(adapter("dsh").read(source))]
    assert len(whole) == sum(NUMBERS["dsh/zst/session.jsonl.zstd"])
    path = tmp_path / "session.jsonl.zstd"
    refused = 0
    for size in range(1, len(data), max(1, len(data) // 200)):
        path.write_bytes(data[:size])
        got = []
        try:
            for record in adapter("dsh").read(path):
                got += [e.event_id for e in record.events]
        except JournalUnreadable as error:
            refused += 1
            assert "torn" in error.reason or "damaged" in error.reason
        assert got == whole[: len(got)]
    assert refused > 100
