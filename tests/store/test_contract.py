"""What every layout must keep: one suite over all of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kura_runtime.errors import BadInput, ConfigError, StoreDamaged, UnknownMemory
from kura_runtime.store.opening import layouts
from kura_runtime.store.store import Store
from tests.store import workshop
from tests.store.workshop import make, tree

LANGUAGES = [
    ("慢盘上的存档", "存档放在慢盘；快盘只做临时空间 ⚠️", "存档放在慢盘上。"),
    ("保管庫は遅い方", "アーカイブは遅いディスク、速い方は作業用", "アーカイブは遅いディスクに置く。"),
    ("ｆｕｌｌ　ｗｉｄｔｈ", "ｆｕｌｌ　ｗｉｄｔｈ： １２", "ｆｕｌｌ　ｗｉｄｔｈ　ｂｏｄｙ"),
    ("الأرشيف", "الأرشيف على القرص البطيء", "الأرشيف على القرص البطيء."),
    ("😀 emoji", "🗄️ → slow 💾", "🗄️ goes to the slow 💾."),
    ("[brackets] \\ and: colon", "a: b # c — d - e", "- a list\n- of lines\n\n    code\n"),
]


@pytest.fixture(params=sorted(layouts()))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return make(tmp_path / "store", layout=request.param)


@pytest.mark.parametrize(("title", "trigger", "body"), LANGUAGES)
def test_what_is_remembered_is_read_back_in_every_language(
    store: Store, title: str, trigger: str, body: str
) -> None:
    store.remember("one-memory", trigger, body, title=title, keep=body.splitlines()[0], tags=("決定",))
    for one in (store, Store.open(store.path, name="maker")):
        memory = one.get("one-memory")
        expected = (" ".join(title.split()), " ".join(trigger.split()), body.rstrip(), ("決定",))
        assert (memory.title, memory.trigger, memory.summary, memory.tags) == expected
        assert one.index().lines[0].trigger == " ".join(trigger.split())
        assert one.doctor().healthy, one.doctor().findings


def test_a_new_store_is_empty_and_healthy(store: Store) -> None:
    assert store.slugs() == frozenset()
    assert store.memories() == []
    assert store.index().lines == ()
    assert store.revision == 0
    assert store.doctor().healthy


def test_creating_twice_changes_nothing(store: Store) -> None:
    store.remember("one-memory", "a line", "text")
    before = tree(store.path)
    again = Store.create(store.path, name="maker", layout=store.layout.name)
    assert tree(store.path) == before
    assert again.slugs() == {"one-memory"}


def test_reading_writes_nothing(store: Store) -> None:
    workshop.poured(store, workshop.draft(store))
    before = tree(store.path)
    one = Store.open(store.path, name="maker")
    one.memories()
    one.index()
    one.get("archive-on-slow-disk")
    one.history("archive-on-slow-disk")
    one.why("archive-on-slow-disk")
    one.doctor()
    one.drafts()
    one.seeds()
    assert tree(store.path) == before


def test_a_slug_that_is_not_held_is_unknown_and_names_its_neighbours(store: Store) -> None:
    store.remember("archive-on-slow-disk", "a line", "text")
    with pytest.raises(UnknownMemory) as caught:
        store.get("archive-on-slow-disc")
    assert caught.value.near == ["archive-on-slow-disk"]


def test_every_change_moves_the_revision_by_one_and_is_in_the_history(store: Store) -> None:
    store.remember("one-memory", "a line about one", "text of the first one")
    store.annotate("one-memory", keep="the text")
    store.remember("other-memory", "a line about two", "entirely different words here")
    store.retire("one-memory", "other-memory", door="cli", who="ana")
    store.archive("one-memory")
    store.unarchive("one-memory")
    assert store.revision == 6
    entries = store.history("one-memory")
    assert [e["action"] for e in entries] == ["create", "annotate", "retire", "archive", "unarchive"]
    assert [e["revision"] for e in entries] == [1, 2, 4, 5, 6]
    assert all(e["sealed"] for e in entries)
    assert entries[2]["door"] == "cli"
    assert entries[2]["who"] == "ana"
    assert store.get("one-memory").state == "retired"


def test_archived_memories_answer_when_named_and_are_not_listed(store: Store) -> None:
    store.remember(
        "one-memory", "a line about one", "text of the first one, see [[other-memory]]", heading="Attic"
    )
    store.remember("other-memory", "a line about two", "entirely different words here")
    store.archive("other-memory", reason="nobody reads it")
    assert store.slugs() == {"one-memory"}
    assert store.archived() == {"other-memory"}
    assert store.get("other-memory").state == "archived"
    assert [line.slug for line in store.index().lines] == ["one-memory"]
    assert store.doctor().healthy, "a link to the archive is not dead"
    store.unarchive("other-memory")
    assert store.get("other-memory").state == "active"
    store.archive("one-memory")
    store.unarchive("one-memory")
    assert store.heading("one-memory") == "Attic"


def test_another_stores_name_and_folder_share_nothing(store: Store, tmp_path: Path) -> None:
    other = make(tmp_path / "other", layout=store.layout.name)
    store.remember("one-memory", "a line", "text")
    assert other.slugs() == frozenset()
    assert other.gate_key() != store.gate_key()


# -- what is particular to layout `kura` -----------------------------------------------------------------------------------


def _old_store(root: Path) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text(
        "# Memories\n\n## Machine\n- [Archive on the slow disk](archive-on-slow-disk.md) — the archive lives on the slow disk\n- [Bare](bare-page.md) — no front matter\n"
    )
    (root / "archive-on-slow-disk.md").write_text(
        "---\nname: archive-on-slow-disk\ndescription: the archive lives on the slow disk\nmetadata:\n  type: project\nkeep: which disk\n---\n\nText. [[bare-page]]\n"
    )
    (root / "bare-page.md").write_text("Only text.\n")
    (root / "feedback_style.md").write_text(
        "---\nname: Short answers\ndescription: wants short answers\ntype: feedback\n---\nNo padding.\n"
    )
    (root / "README.md").write_text("not a memory")
    (root / "notes.md").write_text("no front matter, no index line: not a memory")
    (root / "charter.md").write_text("What belongs here.")


def test_an_existing_directory_opens_unchanged(tmp_path: Path) -> None:
    root = tmp_path / "old"
    _old_store(root)
    before = tree(root)
    store = Store.open(root, name="old")
    assert store.slugs() == {"archive-on-slow-disk", "bare-page", "feedback_style"}
    assert store.get("bare-page").title == "Bare"
    assert store.get("bare-page").summary == "Only text."
    style = store.get("feedback_style")
    assert (style.title, style.type, style.provenance) == ("Short answers", "feedback", "unsigned")
    assert store.heading("archive-on-slow-disk") == "Machine"
    assert [s for s, _ in store.index().sections] == ["Machine", ""], (
        "a page without a line is listed from its file"
    )
    findings = {f.kind for f in store.doctor().findings}
    assert findings == {"disk-only"}
    assert tree(root) == before


def test_an_existing_directory_is_adopted_by_its_first_write_and_keeps_its_text(tmp_path: Path) -> None:
    root = tmp_path / "old"
    _old_store(root)
    Store.create(root, name="old")
    store = Store.open(root, name="old")
    store.annotate("archive-on-slow-disk", tags=("decision",))
    text = (root / "archive-on-slow-disk.md").read_text()
    assert 'tags: ["decision"]' in text
    assert text.endswith("---\n\nText. [[bare-page]]\n")
    index = (root / "MEMORY.md").read_text()
    assert index.startswith(
        "# Memories\n\n## Machine\n- [Archive on the slow disk](archive-on-slow-disk.md) — the archive lives on the slow disk\n- [Bare]"
    )


def test_a_damaged_page_is_reported_and_left_out_and_the_rest_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "old"
    _old_store(root)
    (root / "broken-page.md").write_text("---\nname: broken-page\ndescription: 'never closed\n---\n")
    (root / "binary-page.md").write_bytes(b"---\nname: \xff\xfe\n---\n")
    store = Store.open(root, name="old")
    assert {m.slug for m in store.memories()} == {"archive-on-slow-disk", "bare-page", "feedback_style"}
    with pytest.raises(StoreDamaged, match=r"broken-page\.md: line 3"):
        store.get("broken-page")
    damaged = [f for f in store.doctor().findings if f.kind == "damaged"]
    assert sorted(Path(f.where).name for f in damaged) == ["binary-page.md", "broken-page.md"]


def test_a_hand_edit_is_read_at_once_and_is_no_illness(tmp_path: Path) -> None:
    store = make(tmp_path / "s")
    workshop.poured(store, workshop.draft(store))
    path = store.path / "archive-on-slow-disk.md"
    assert "scratch" in store.get("archive-on-slow-disk").summary
    path.write_text(path.read_text().replace("scratch space", "for the compiler"))
    assert "for the compiler" in store.get("archive-on-slow-disk").summary
    assert "for the compiler" in store.memories()[0].summary
    assert store.doctor().healthy
    (store.path / "by-hand.md").write_text("---\nname: by-hand\ndescription: written by hand\n---\nHello.\n")
    assert store.get("by-hand").summary == "Hello."
    assert [x.slug for x in store.index().lines] == ["archive-on-slow-disk", "by-hand"]
    path.unlink()
    assert store.slugs() == {"by-hand"}
    assert {f.kind for f in store.doctor().findings} == {"index-only", "disk-only"}


def test_a_hand_edit_of_the_same_size_within_a_moment_is_seen(tmp_path: Path) -> None:
    store = make(tmp_path / "s")
    store.remember("one-memory", "a line", "aaaa")
    path = store.path / "one-memory.md"
    for word in ("bbbb", "cccc", "dddd"):
        beside = store.path / "new"
        beside.write_text(path.read_text().replace(store.get("one-memory").summary, word))
        beside.replace(path)
        assert store.get("one-memory").summary == word


def test_creating_in_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("x")
    with pytest.raises(BadInput, match="other things"):
        Store.create(tmp_path, name="x")
    assert os.listdir(tmp_path) == ["thesis.docx"]


def test_opening_what_is_not_there_or_is_too_new_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="kura init"):
        Store.open(tmp_path / "nowhere", name="x")
    store = make(tmp_path / "s")
    (store.path / "_kura" / "version").write_text(json.dumps({"format": 99, "layout": "kura"}))
    with pytest.raises(ConfigError, match="newer"):
        Store.open(store.path, name="x")
    (store.path / "_kura" / "version").write_text(json.dumps({"format": 1, "layout": "papyrus"}))
    with pytest.raises(ConfigError, match="papyrus"):
        Store.open(store.path, name="x")


def test_the_detail_section_is_apart_from_the_summary(tmp_path: Path) -> None:
    store = make(tmp_path / "s")
    body = (
        "The short of it.\n\n```\n## Detail\n```\n\n## Detail\n\nThe long of it.\n\n## More\n\nStill detail."
    )
    store.remember("one-memory", "a line", body)
    memory = store.get("one-memory")
    assert memory.summary.endswith("```")
    assert memory.detail == "The long of it.\n\n## More\n\nStill detail."
