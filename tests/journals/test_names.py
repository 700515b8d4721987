"""Names out of a journal reach tables, ledgers and terminals: an odd one is made plain, and stops nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kura_pipeline.distil.batch import batch_of, claim, read_batch
from kura_pipeline.distil.coverage import survey
from kura_pipeline.distil.rawtier import index_journals
from kura_pipeline.distil.transcript import transcript
from kura_pipeline.journals.base import LONGEST_NAME, plain_name
from kura_pipeline.storage import parquet_bytes
from kura_runtime.raw.sessions import search
from tests.journals.samples import claude, use
from tests.journals.stores import NOW, ledger, store

ODD = {
    "a lone surrogate": "s\ud800z",
    "NUL": "s\x00z",
    "a line break": "s\nz",
    "an override": "s\u202ez",
    "a terminal's escape": "s\x1b[31mz",
    "endless": "s" * 100_000,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_a_session_with_an_odd_name_is_claimed_kept_found_and_shown(tmp_path: Path, odd: str) -> None:
    cfg, book = store(tmp_path, {"claude": "j"}), ledger(tmp_path)
    (tmp_path / "j").mkdir()
    rows = [
        claude("user", "giraffe words", uuid=f"u{odd[:9]}", sessionId=odd),
        claude("assistant", [use(f"Bash{odd}", f"t{odd}", command="df")], uuid=f"a{odd[:9]}", sessionId=odd),
    ]
    (tmp_path / "j" / "a.jsonl").write_bytes(b"".join(json.dumps(r).encode() + b"\n" for r in rows))
    (made,) = claim(cfg, book, now=NOW).batches
    table = read_batch(cfg, book, made.batch_id)
    assert parquet_bytes(table)
    assert [(e.cls.value, e.session) for e in batch_of(table).events] == [
        ("USER", plain_name(odd)),
        ("ACT", plain_name(odd)),
    ]
    index_journals(cfg)
    assert search(cfg.path, "giraffe", session=plain_name(odd))
    found = survey(cfg, book).files[0]
    assert (found.session, found.sessions) == (plain_name(odd), (plain_name(odd),))
    assert len(transcript(cfg, book, plain_name(odd)).events) == 2
    json.dumps(found.to_json(), ensure_ascii=False).encode()


def test_plain_names_stay_and_different_ones_stay_different() -> None:
    for name in ("aaaa-0001", "セッション 一", "", "x" * LONGEST_NAME):
        assert plain_name(name) == name
    assert plain_name("s\ud800") != plain_name("s\ud801")
    assert plain_name(plain_name("s\ud800")) == plain_name("s\ud800")
