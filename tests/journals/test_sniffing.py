"""Which adapter a file belongs to, whatever it is called: the right one, or a reason by name; nothing is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from kura_pipeline.journals.discover import FAULTY, JournalFile, discover
from tests.journals.samples import SAMPLES, Sample

LINES = sorted(n for n, s in SAMPLES.items() if s.file.endswith(".jsonl"))


def looked_at(folder: Path, kind: str, name: str, data: bytes) -> JournalFile:
    folder.mkdir()
    (folder / name).write_bytes(data)
    files = discover({kind: [folder]}).files
    return next(f for f in files if f.path.name.split("#")[0] == name)


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("renamed", ["x", "notes.bin", "backup.old"])
def test_a_journal_under_a_name_of_another_kind_is_known_by_content_or_listed_with_a_reason(
    tmp_path: Path, name: str, renamed: str
) -> None:
    sample = SAMPLES[name]
    found = looked_at(tmp_path / "j", sample.name, renamed, sample.data)
    if sample.is_database:  # a database is known by its tables
        assert (found.status, found.adapter) == ("ok", sample.name)
    else:
        assert found.adapter is None
        assert found.status == "other"
        assert f"not named like a {sample.name} journal" in found.reason


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("renamed", ["renamed.jsonl", "2025.backup.JSONL", "日本語.jsonl"])
def test_json_lines_are_known_under_any_name_that_ends_so(tmp_path: Path, name: str, renamed: str) -> None:
    sample = SAMPLES[name]
    found = looked_at(tmp_path / "j", sample.name, renamed, sample.data)
    if sample.name == "lna":  # its rows are known by their provenance only under their own ending
        assert found.adapter is None and found.reason
    else:
        assert (found.status, found.adapter) == ("ok", sample.name), found


@pytest.mark.parametrize("name", sorted(SAMPLES))
@pytest.mark.parametrize("kind", sorted({s.name for s in SAMPLES.values()}))
def test_a_journal_below_a_root_of_another_kind_is_named_and_not_read_as_that(
    tmp_path: Path, name: str, kind: str
) -> None:
    sample = SAMPLES[name]
    if sample.name == kind:
        pytest.skip("its own kind")
    sample.write(tmp_path / "j")
    folder = tmp_path / "j"
    for found in discover({kind: [folder]}).files:
        assert found.adapter is None, found
        assert found.reason, found
        if found.path == folder / sample.file:
            assert found.status in ("mixed", "other"), found
            assert sample.name in found.reason or "not named like" in found.reason


@pytest.mark.parametrize(
    ("first", "second"), [(a, b) for a in LINES for b in LINES if SAMPLES[a].name != SAMPLES[b].name]
)
def test_two_formats_in_one_file_are_reported(tmp_path: Path, first: str, second: str) -> None:
    one, two = SAMPLES[first], SAMPLES[second]
    found = looked_at(tmp_path / "j", one.name, Path(one.file).name, one.data + two.data)
    if two.name == "lna":  # known under its own ending only: its rows are left out and counted
        assert found.status in ("ok", "mixed")
        return
    assert found.status == "mixed", found
    assert f"holds rows of {one.name} and of {two.name}" in found.reason


BAD: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "empty", "nothing"),
    "nul": (b"\x00" * 5000, "unknown", "NUL"),
    "binary": (bytes(range(256)) * 40, "unknown", "unknown format"),
    "utf-16": ('{"type":"user"}\n'.encode("utf-16"), "unknown", "UTF-16"),
    "prose": (b"Dear diary\nnothing happened\n" * 30, "unknown", "unknown format"),
    "other json": (b'{"a":1}\n{"b":2}\n', "unknown", "unknown format"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(200), "unknown", "unknown format"),
    "deep": (b"[" * 70_000, "unknown", "unknown format"),
    "one endless string": (b'"' + b"a" * 100_000, "unknown", "unknown format"),
}


@pytest.mark.parametrize(
    "name", [n for n, s in sorted(SAMPLES.items()) if s.name != "text" and n != "opencode-files"]
)
@pytest.mark.parametrize("bad", sorted(BAD))
def test_what_is_no_journal_is_reported_with_its_reason(tmp_path: Path, name: str, bad: str) -> None:
    sample: Sample = SAMPLES[name]
    data, status, reason = BAD[bad]
    found = looked_at(tmp_path / "j", sample.name, Path(sample.file).name, data)
    if sample.name == "lna" and found.status == "ok":
        pytest.skip("known by its ending; refused aloud when it is read")
    assert found.adapter is None
    assert found.status == status, found
    assert reason in found.reason
    assert status == "empty" or found.status in FAULTY


@pytest.mark.parametrize("bad", ["nul", "binary", "picture"])
def test_a_note_that_is_no_text_is_reported(tmp_path: Path, bad: str) -> None:
    found = looked_at(tmp_path / "j", "text", "note.md", BAD[bad][0])
    assert (found.status, found.adapter) == ("unknown", None)
