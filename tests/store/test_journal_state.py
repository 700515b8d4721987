"""Why a memory exists stays answerable when its journal is deleted or rewritten, and the answer says that it was."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import zstandard

from kura_runtime.cli.main import run
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.store.journal_state import Journals, says
from kura_runtime.store.store import Store
from tests.store import workshop
from tests.store.workshop import draft, make

WORDS = '存档放在慢盘上, "slow" disk 🌸 — und der Rest bleibt'


def record(text: str) -> bytes:
    return (
        json.dumps({"type": "user", "message": {"content": [{"type": "text", "text": text}]}}).encode()
        + b"\n"
    )


def journal(path: Path, text: str = WORDS, before: str = "hello") -> Quote:
    """A journal of two records, and the quote of the second one."""
    first, second = record(before), record(text)
    path.write_bytes(first + second)
    return Quote(EvidenceClass.USER, text, "e1", "s1", str(path), len(first), len(first) + len(second), None)


def archived(folder: Path, path: Path, data: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    digest = hashlib.sha256(data).hexdigest()
    copy = folder / f"{digest}.jsonl.zst"
    copy.write_bytes(zstandard.ZstdCompressor().compress(data))
    row = {
        "path": str(path),
        "size": len(data),
        "mtime": 0,
        "sha256": digest,
        "time": "2026-03-02T00:00:00+00:00",
    }
    with (folder / "index.jsonl").open("a") as index:
        index.write(json.dumps(row) + "\n")
    return copy


def test_a_journal_that_stands_is_present_whatever_its_script_and_escapes(tmp_path: Path) -> None:
    for n, text in enumerate(
        (WORDS, "مرحبا بالعالم", "ａｂｃ full width", "line one\nline two", 'tab\there \\ and "quotes"')
    ):
        path = tmp_path / f"{n}.jsonl"
        assert Journals().state(journal(path, text)).state == "present"
    plain = tmp_path / "note.md"
    plain.write_text(f"# Note\n{WORDS}\n")
    span = len(plain.read_bytes())
    assert (
        Journals().state(Quote(EvidenceClass.USER, WORDS, "e", "s", str(plain), 0, span, None)).state
        == "present"
    )


def test_a_packed_journal_is_read_through_its_packing(tmp_path: Path) -> None:
    quote = journal(tmp_path / "a.jsonl")
    packed = tmp_path / "a.jsonl.zst"
    data = (tmp_path / "a.jsonl").read_bytes()
    packed.write_bytes(b"".join(zstandard.ZstdCompressor().compress(part) for part in (data[:20], data[20:])))
    moved = Quote(quote.cls, quote.text, "e", "s", str(packed), quote.byte_start, quote.byte_end, None)
    assert Journals().state(moved).state == "present"


def test_a_call_is_put_together_from_the_parts_of_its_record() -> None:
    call = json.dumps(
        {"name": "Bash", "input": json.dumps({"command": "df -h /mnt/slow", "timeout": 30})}
    ).encode()
    quote = Quote(
        EvidenceClass.ACT, "Bash\ncommand=df -h /mnt/slow timeout=30", "e", "s", "j", 0, len(call), None
    )
    assert says(call, quote)
    assert not says(call.replace(b"slow", b"fast"), quote)


@pytest.mark.parametrize("what", ["deleted", "rewritten", "truncated", "shifted"])
def test_a_journal_that_no_longer_says_it_is_named_with_the_copy_that_does(tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.jsonl"
    quote = journal(path)
    whole = path.read_bytes()
    copy = archived(tmp_path / "archive", path, whole)
    archived(tmp_path / "archive", path, record("a later state that does not hold it"))
    if what == "deleted":
        path.unlink()
    elif what == "rewritten":
        path.write_bytes(whole.replace(b"slow", b"fast"))
    elif what == "truncated":
        path.write_bytes(whole[:-20])
    else:
        path.write_bytes(record("another beginning, longer than it was") + whole)
    state = Journals(tmp_path / "archive").state(quote)
    assert state.state == ("missing" if what == "deleted" else "changed")
    assert state.archived == str(copy)
    assert Journals().state(quote).archived == ""


def test_numbered_records_and_damaged_copies_are_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    quote = journal(path)
    numbered = Quote(quote.cls, quote.text, "e", "s", str(path), 3, 4, None)
    assert Journals().state(numbered).state == "unchecked"
    copy = archived(tmp_path / "archive", path, path.read_bytes())
    path.unlink()
    copy.write_bytes(copy.read_bytes()[:12] + b"junk")
    (tmp_path / "archive" / "index.jsonl").open("a").write("torn {\n")
    assert Journals(tmp_path / "archive").state(quote).archived == ""
    path.mkdir()
    assert Journals().state(quote).state == "unchecked"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make(tmp_path / "store")


def test_why_carries_the_state_of_every_quote_and_a_notice(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    quote = journal(path)
    workshop.poured(store, draft(store, quotes=(quote,)))
    why = store.why("archive-on-slow-disk").to_json()
    assert [q["journal_state"] for q in why["quotes"]] == ["present"] and why["notices"] == []
    copy = archived(tmp_path / "archive", path, path.read_bytes())
    path.unlink()
    why = store.why("archive-on-slow-disk", archive=tmp_path / "archive").to_json()
    assert (why["quotes"][0]["journal_state"], why["quotes"][0]["archived"]) == ("missing", str(copy))
    assert why["notices"] == [
        f"{path} was deleted since it was read; the archive's copy {copy} still holds it"
    ]
    assert why["problems"] == [], "a journal that its program deleted is no damage to the store"


def test_the_command_says_that_a_journal_went_and_fails_where_the_manifest_did(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    workshop.poured(store, draft(store, quotes=(journal(path),)))
    config = tmp_path / "kura.toml"
    config.write_text('[stores.maker]\npath = "store"\n')
    ask = ["why", "archive-on-slow-disk", "-c", str(config)]
    (tmp_path / ".kura").mkdir()
    archived(tmp_path / ".kura" / "archive", path, path.read_bytes())
    path.unlink()
    assert run(ask) == 0
    told = capsys.readouterr().out
    assert "the journal is missing" in told and "still holds it" in told
    next((store.path / "_evidence").iterdir()).unlink()
    for more in ([], ["--json"]):
        assert run([*ask, *more]) == 1
        told = capsys.readouterr().out
        assert "the evidence manifest is missing" in told and "create" in told
