"""The look back: every place is found, nothing is changed, no finding repeats the secret."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kura_pipeline.secrets_scan import proposal, scan

SECRET = "ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake0000"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAfakefakefakefakefakefakefake\n-----END RSA PRIVATE KEY-----"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = tmp_path / "store"
    for folder in ("_still/drafts", "_evidence", "_kura/history", "_proposals"):
        (root / folder).mkdir(parents=True)
    (root / "clean.md").write_text("---\nname: clean\n---\nThe token limit is 131072.\n")
    (root / "leak.md").write_text(f"---\nname: leak\n---\nOne line.\nUse {SECRET} for the mirror.\n")
    (root / "_still/drafts/d.md").write_text("the password is hunter2\n")
    (root / "_evidence/ab.json").write_text(json.dumps({"quotes": [{"text": KEY}]}))
    (root / "_kura/gate.key").write_bytes(bytes(range(32)))
    (root / "_kura/history/leak.jsonl").write_text(f'{{"note": "{SECRET}"}}\n')
    (root / "link.md").symlink_to(root / "leak.md")
    return root


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "batch.parquet"
    rows = {
        "n": [1, 2],
        "text": ["fine", f"key {SECRET}"],
        "quotes": [[{"text": "ok"}], [{"text": "passwort: Blau-77!"}]],
    }
    pq.write_table(pa.table(rows), path)
    return path


def test_every_kind_of_file_is_searched(store: Path, table: Path) -> None:
    report = scan(store, parquet=[table])
    places = {(Path(f.file).name, f.place, f.kind) for f in report.findings}
    assert places == {
        ("leak.md", "line 5", "github-token"),
        ("d.md", "line 1", "password"),
        ("ab.json", "line 1", "private-key"),
        ("leak.jsonl", "line 1", "github-token"),
        ("batch.parquet", "row 2, column text", "github-token"),
        ("batch.parquet", "row 2, column quotes", "password"),
    }
    assert [f.fixed for f in report.findings if f.file.endswith("ab.json")] == [True]
    assert (str(store / "link.md"), "symlink") in report.left_out


def test_no_finding_and_no_proposal_repeats_the_secret(store: Path, table: Path) -> None:
    report = scan(store, parquet=[table])
    found = proposal(report, "2025-01-01T00:00:00+00:00")
    assert found is not None
    said = json.dumps(report.to_json()) + found[1].decode()
    for secret in (SECRET, "hunter2", "Blau-77", "MIIEowIBAAKCAQEA"):
        assert secret not in said
    assert "Use ⟦secret:github-token⟧ for the mirror." in [f.repair for f in report.findings]


def test_the_scan_changes_nothing_and_the_proposal_is_stable(store: Path) -> None:
    before = {p: p.read_bytes() for p in store.rglob("*") if p.is_file()}
    one, two = scan(store), scan(store)
    assert one == two and proposal(one, "a")[0] == proposal(two, "b")[0]  # type: ignore[index]
    assert {p: p.read_bytes() for p in store.rglob("*") if p.is_file()} == before


def test_a_clean_store_has_nothing_to_propose(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The password field became mandatory.\n")
    report = scan(tmp_path)
    assert report.findings == () and report.files == 1 and proposal(report, "t") is None


def test_a_damaged_parquet_file_is_named_and_hides_nothing(store: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1 no")
    report = scan(store, parquet=[bad])
    assert any(name == str(bad) and "unreadable" in reason for name, reason in report.left_out)
    assert len(report.findings) == 4


def test_a_long_line_is_shown_round_the_placeholder(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x " * 500 + SECRET + " y" * 500)
    (finding,) = scan(tmp_path).findings
    assert "⟦secret:github-token⟧" in finding.repair and len(finding.repair) < 200
