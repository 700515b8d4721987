"""An operator's import: verbatim, into an empty store, all or nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kura_runtime.errors import BadInput, WriteRefused
from kura_runtime.store.store import Store
from tests.store.workshop import make, tree

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
ROW = {
    "slug": "nas-port", "title": "Port of the NAS", "trigger": "the NAS answers on 8081", "type": "project", "namespace": "homelab", "tags": ["ports"],
    "body": "It answers on 8081, key AKIAIOSFODNN7EXAMPLE.\n\n- see [[nas-port-new]]", "belongs_because": "b", "keep": "k", "may_fade": "m",
    "created": "2025-01-12", "updated": "2026-02-14", "lang": "en", "supersedes": None,
}  # fmt: skip
NEW = {
    **ROW,
    "slug": "nas-port-new",
    "trigger": "NAS は 8411",
    "body": "8411 に変わった。",
    "lang": "ja",
    "supersedes": "nas-port",
    "namespace": "家 / ラボ",
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make(tmp_path / "store")


def _file(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "memories.jsonl"
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)
    )
    return path


def test_memories_are_taken_over_verbatim_and_called_imported(store: Store, tmp_path: Path) -> None:
    done = store.import_jsonl(_file(tmp_path, ROW, NEW, ""), who="ops")
    assert (done.count, done.revision, done.namespaces) == (2, 1, {"homelab": 1, "家 / ラボ": 1})
    old, new = store.get("nas-port"), store.get("nas-port-new")
    for memory, row in ((old, ROW), (new, NEW)):
        assert (memory.title, memory.trigger, memory.summary, memory.tags) == (
            row["title"],
            row["trigger"],
            row["body"],
            ("ports",),
        )
        assert (memory.created, memory.updated, memory.keep, memory.provenance) == (
            "2025-01-12",
            "2026-02-14",
            "k",
            "imported",
        )
    assert store.heading("nas-port-new") == "家 / ラボ"
    assert "lang: ja" in "".join(new.extra)
    assert (old.state, old.superseded_by, new.state) == ("retired", "nas-port-new", "active")
    assert done.retired == (("nas-port", "nas-port-new"),)
    why = store.why("nas-port").to_json()
    assert (why["provenance"], why["who"], why["door"], why["signed"], why["quotes"]) == (
        "imported",
        "ops",
        "import",
        True,
        [],
    )
    assert "superseded by nas-port-new" in why["history"][0]["note"]
    assert store.doctor().healthy


def test_only_an_empty_store_takes_an_import(store: Store, tmp_path: Path) -> None:
    store.import_jsonl(_file(tmp_path, ROW))
    before = tree(store.path)
    with pytest.raises(WriteRefused, match="empty store"):
        store.import_jsonl(_file(tmp_path, NEW))
    assert tree(store.path) == before
    store.archive("nas-port")
    with pytest.raises(WriteRefused, match="empty store"):
        store.import_jsonl(_file(tmp_path, NEW))


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("not json", "line 2: not JSON"), ([1], "line 2: not a JSON object"), ({**NEW, "slug": "../x"}, "line 2: slug"), ({**NEW, "slug": "a/b-c"}, "line 2: slug"),
        ({**NEW, "slug": "nas-port"}, "line 2: slug: \"nas-port\" stands twice"), ({**NEW, "slug": "charter"}, "line 2: slug"),
        ({**NEW, "slug": None}, "line 2: slug: is missing"), ({**NEW, "type": "rumour"}, "line 2: type"), ({**NEW, "trigger": " "}, "line 2: trigger"),
        ({**NEW, "trigger": "x" * 201}, "line 2: trigger: 201"), ({**NEW, "tags": "a"}, "line 2: tags"), ({**NEW, "tags": [1]}, "line 2: tags"),
        ({**NEW, "body": 3}, "line 2: body: wants text"), ({**NEW, "body": "a\0b"}, "line 2: body: character 2"), ({**NEW, "supersedes": 7}, "line 2: supersedes"),
        ({**NEW, "body": "\ud800"}, "line 2: body: character 1"),
    ],
)  # fmt: skip
def test_one_bad_line_refuses_the_whole_file_and_is_named(
    store: Store, tmp_path: Path, bad: object, said: str
) -> None:
    path = tmp_path / "memories.jsonl"
    path.write_text(json.dumps(ROW) + "\n" + (bad if isinstance(bad, str) else json.dumps(bad)) + "\n")
    with pytest.raises(BadInput, match=said.replace("(", r"\(")):
        store.import_jsonl(path)
    assert store.slugs() == frozenset()
    assert store.revision == 0


def test_no_file_and_no_memory_are_clear_errors(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        store.import_jsonl(tmp_path / "nowhere.jsonl")
    with pytest.raises(BadInput, match="holds no memory"):
        store.import_jsonl(_file(tmp_path, ""))


def test_unknown_fields_are_kept_and_counted(store: Store, tmp_path: Path) -> None:
    done = store.import_jsonl(
        _file(tmp_path, {**ROW, "mood": {"a": [1, "x\ny"]}, "odd key!": 1, "supersedes": "gone-before"})
    )
    assert done.unknown == {"mood": 1, "odd key!": 1}
    assert '  mood: {"a": [1, "x\\ny"]}' in store.get("nas-port").extra
    assert done.dangling == (("nas-port", "gone-before"),)
    assert done.dead_links == (("nas-port", "nas-port-new"),)


@pytest.mark.skipif(
    not (SHARED / "data" / "house" / "memories.jsonl").exists(), reason="the house store is not here"
)
def test_the_house_store_comes_over_without_losing_a_character(store: Store) -> None:
    path = SHARED / "data" / "house" / "memories.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    done = store.import_jsonl(path)
    assert (done.count, len(done.retired), done.dangling) == (320, 17, ())
    again = Store.open(store.path, name="maker")
    for row in rows:
        memory = again.get(row["slug"])
        assert (memory.title, memory.trigger, memory.summary, memory.tags, memory.type) == (
            row["title"], row["trigger"], row["body"], tuple(row["tags"]), row["type"],
        )  # fmt: skip
        assert (memory.belongs_because, memory.keep, memory.may_fade) == (
            row["belongs_because"],
            row["keep"],
            row["may_fade"],
        )
        assert again.heading(row["slug"]) == row["namespace"]
    assert len(again.index().lines) == 320
    assert {f.kind for f in again.doctor().findings} <= {"dead-link"}
