"""What looks after a store goes through its doors: the heartbeat and the proposals it leaves."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kura_runtime.errors import WriteRefused
from kura_runtime.store.store import Store
from kura_runtime.store.tending import beat, holds_store, propose

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def test_a_heartbeat_is_written_whole_and_never_through_a_link(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s", name="s")
    assert beat(store, NOW)
    assert json.loads((store.path / "_kura" / "heartbeat.json").read_text()) == {
        "at": "2026-06-01T12:00:00+00:00"
    }
    elsewhere = tmp_path / "elsewhere"
    (store.path / "_kura").rename(elsewhere)
    (store.path / "_kura").symlink_to(elsewhere)
    (elsewhere / "heartbeat.json").unlink()
    assert not beat(store, NOW) and not (elsewhere / "heartbeat.json").exists()


def test_a_frozen_store_takes_neither_heartbeat_nor_proposal(tmp_path: Path) -> None:
    Store.create(tmp_path / "s", name="s")
    store = Store.open(tmp_path / "s", name="s", policy="frozen")
    assert not beat(store, NOW)
    with pytest.raises(WriteRefused, match="frozen"):
        propose(store, "secrets-1.json", b"{}", by="secrets")
    assert not (store.path / "_kura" / "heartbeat.json").exists() and not store.proposals()


def test_a_proposal_is_one_change_and_the_same_one_is_none(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s", name="s")
    data = json.dumps({"id": "secrets-1", "kind": "secrets", "state": "open"}).encode()
    before = store.revision
    path = propose(store, "secrets-1.json", data, by="secrets")
    assert path.read_bytes() == data and store.revision == before + 1
    assert propose(store, "secrets-1.json", b"{}", by="secrets") == path
    assert path.read_bytes() == data and store.revision == before + 1
    assert [p["id"] for p in store.proposals()] == ["secrets-1"]


def test_a_folder_is_a_store_only_where_something_of_one_stands(tmp_path: Path) -> None:
    assert not holds_store(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    assert not holds_store(tmp_path / "empty")
    Store.create(tmp_path / "s", name="s")
    assert holds_store(tmp_path / "s")
    (tmp_path / "by-hand").mkdir()
    (tmp_path / "by-hand" / "MEMORY.md").write_text("# Index\n")
    assert holds_store(tmp_path / "by-hand")
