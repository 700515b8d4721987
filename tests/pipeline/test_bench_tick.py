"""A look at unchanged journals opens none of them and asks the ledger as often for two hundred as for twenty."""

from __future__ import annotations

import builtins
import io
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event

from kura_pipeline.bench.tick import lay_out, measure, read_all
from kura_pipeline.quiet import look
from kura_runtime.ledger.ledger import Ledger

LATER = datetime.now(UTC) + timedelta(hours=1)


def looked(folder: Path, files: int, patch: pytest.MonkeyPatch) -> tuple[str, list[str], int]:
    """What a look says, the journals it opened, and the queries it asked."""
    cfg, url = lay_out(folder, files)
    opened: list[str] = []
    asked: list[str] = []
    with closing(Ledger.open(url)) as ledger:
        read_all(cfg, ledger)
        look(cfg, ledger, LATER)
        event.listen(ledger.database.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
        for owner, name in ((os, "open"), (builtins, "open"), (io, "open")):
            real = getattr(owner, name)

            def noted(path, *rest, real=real, **named):  # type: ignore[no-untyped-def]
                if str(path).endswith(".jsonl"):
                    opened.append(str(path))
                return real(path, *rest, **named)

            patch.setattr(owner, name, noted)
        weather = look(cfg, ledger, LATER)
        queries, unchanged = len(asked), list(opened)
        (folder / "journals" / "-home-dev-0" / "part-0" / "fresh.jsonl").write_text('{"type":"summary"}\n')
        opened.clear()  # of the writing
        look(cfg, ledger, LATER)
        patch.undo()
    assert unchanged == []
    return weather.why_not, opened, queries


def test_no_unchanged_journal_is_opened_and_the_queries_do_not_grow_with_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = looked(tmp_path / "few", 20, monkeypatch)
    many = looked(tmp_path / "many", 200, monkeypatch)
    assert few[0] == many[0] == "quiet, and nothing is unread"
    assert {Path(p).name for p in many[1]} == {"fresh.jsonl"}  # the spy sees an open where there is one
    assert few[2] == many[2] > 0


def test_the_bench_looks_at_as_many_journals_as_it_says() -> None:
    result = measure(30)
    assert set(result) == {"bench", "figures", "table", "machine"}
    assert result["figures"]["files"] == 30
    assert {row["says"] for row in result["table"]} == {"quiet, and nothing is unread"}
