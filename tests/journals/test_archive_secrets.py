"""Secrets in copies and in the index: the archive's are counted, the index's are found and can be taken out."""

from __future__ import annotations

from pathlib import Path

import zstandard

from kura_pipeline.secrets_scan import SecretsReport, in_copies, in_index
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.raw.sessions import FILE, index_events
from tests.journals.samples import claude, line

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def test_what_the_copies_hold_is_counted_and_a_damaged_one_too(tmp_path: Path) -> None:
    rows = line(claude("user", f"token {SECRET}", uuid="u1")) + line(claude("user", "no secret", uuid="u2"))
    (tmp_path / "a.jsonl.zst").write_bytes(zstandard.compress(rows[:90]) + zstandard.compress(rows[90:]))
    (tmp_path / "b.jsonl.zst").write_bytes(b"no archive")
    found = in_copies(sorted(tmp_path.glob("*.zst")))
    assert found.pop("unreadable") == 1
    assert sum(found.values()) == 1 and SECRET not in str(found)


def test_an_index_of_older_rules_is_found_out_and_a_damaged_one_is_said(tmp_path: Path) -> None:
    assert in_index(tmp_path, SecretsReport()) == SecretsReport()
    index_events(tmp_path, [Event("e1", 0, EvidenceClass.USER, f"my token {SECRET}", None, "s", "j", 0, 1)])
    report = in_index(tmp_path, SecretsReport())
    assert [(f.place, SECRET in str(f)) for f in report.findings] == [("event e1", False)]
    assert "kura journals reindex" in report.findings[0].repair
    (tmp_path / FILE).write_bytes(b"a letter, not a database\n" * 300)
    assert "sessions.db" in in_index(tmp_path, SecretsReport()).left_out[0][0]
