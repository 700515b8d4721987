"""Front matter: what goes in comes out, in any script; what nobody knows keeps its bytes; what is hostile is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged
from kura_runtime.store.frontmatter import FrontMatterError, inline, scalar, split, text_of, words_of
from kura_runtime.store.index_file import IndexFile, IndexLine, edited, render
from kura_runtime.store.layouts import page
from kura_runtime.store.layouts.page import parse, trimmed

# lone surrogates included; two halves in a row are the one character they make
ANY = st.text(max_size=60).map(
    lambda t: t.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
)
ENCODABLE = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
LINE = ENCODABLE.map(lambda t: " ".join(t.replace("\0", "").split()))
BODY = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=200).map(trimmed)
HARD = [
    "null", "~", "yes", "12", "-3", "2026-01-01", "1e5", "a: b", "a #b", "# x", "- x", "[x]", "{x", "'", '"', "\\", "it's", 'say "hi"',
    "", " ", " a", "a ", "a\nb", "\n", "\t", "!x", "&x", "*x", "|", ">", "%x", "@x", "`x`", "key:", "---", "...", "\u2028", "\x85",
    "\ufeff", "\ud800", "😀 emoji", "存档在慢盘", "慢いディスク：保管", "الأرشيف على القرص", "ｆｕｌｌ　ｗｉｄｔｈ", "⚠️ landmine", "a -->",
]  # fmt: skip


def _read(text: str) -> dict[str, object]:
    front, _ = split(text)
    assert front is not None
    return {e.key: text_of(e) for e in front.top}


@given(ANY)
@settings(max_examples=300)
@example("a''b")
def test_a_scalar_comes_back_exactly_whatever_it_holds(value: str) -> None:
    assert _read(f"---\nx: {scalar(value)}\ny: end\n---\n") == {"x": value, "y": "end"}


@pytest.mark.parametrize("value", HARD)
def test_a_hard_scalar_comes_back_exactly(value: str) -> None:
    test_a_scalar_comes_back_exactly_whatever_it_holds.hypothesis.inner_test(value)  # type: ignore[attr-defined]
    front, _ = split(f"---\nx: {inline((value, 'b'))}\n---\n")
    assert front is not None
    assert words_of(front.top[0]) == (value, "b")


@given(st.lists(ANY, max_size=5))
def test_a_list_comes_back_exactly(values: list[str]) -> None:
    front, _ = split(f"---\nmetadata:\n  tags: {inline(values)}\n---\n")
    assert front is not None
    assert words_of(front.nested[0]) == tuple(values)


@given(ENCODABLE)
def test_what_is_written_is_yaml_to_others_too(value: str) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(f"x: {scalar(value)}\nl: {inline([value])}\n") == {"x": value, "l": [value]}


@given(
    title=LINE, trigger=LINE, summary=BODY, detail=BODY, keep=LINE, tags=st.lists(LINE.filter(bool), max_size=3, unique=True),
    provenance=st.sampled_from(["direct", "imported", "distilled", "unsigned"]),
)  # fmt: skip
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
def test_a_memory_comes_back_exactly_in_any_script(
    title: str, trigger: str, summary: str, detail: str, keep: str, tags: list[str], provenance: str
) -> None:
    # a line "## Detail" in the text itself is where the detail begins: that is the format
    if "## Detail" in summary or (detail and ("```" in summary or "~~~" in summary)):
        return
    memory = Memory(
        slug="some-slug", title=title or "T", trigger=trigger, tags=tuple(tags), summary=summary, detail=detail if summary else "",
        keep=keep, provenance=provenance, created="2026-01-01", updated="2026-02-01",
        extra=("  colour:  blue # mine", "elsewhere:\n  - a\n  - b"),
    )  # fmt: skip
    data = page.render(memory)
    found = parse(data, Path("some-slug.md"), "some-slug")
    assert found is not None
    assert found.memory.with_(links=()) == memory
    assert page.render(found.memory) == data


def test_the_example_of_the_handbook_reads_as_it_should() -> None:
    text = """---
name: archive-on-slow-disk
description: the archive lives on the slow disk; the fast one stays scratch: always #1
metadata:
  type: project          # user | feedback | project | reference
  tags: ["decision", 'landmine', plain]   # three
  evidence_manifest: sha256:%s
belongs_because: this store keeps how the machine is laid out and why
keep: which disk, and the reason
may_fade: the df figures from that afternoon
---

The archive goes on the slow disk.

Why: the other way round burns write endurance for nothing.
Related: [[disk-layout]]
""" % ("ab" * 32)
    found = parse(text.encode(), Path("archive-on-slow-disk.md"), "archive-on-slow-disk")
    assert found is not None
    m = found.memory
    assert m.trigger == "the archive lives on the slow disk; the fast one stays scratch: always #1"
    assert (m.type, m.tags, m.links) == ("project", ("decision", "landmine", "plain"), ("disk-layout",))
    assert (m.evidence_manifest, m.provenance) == ("ab" * 32, "distilled")
    assert (m.belongs_because, m.keep) == (
        "this store keeps how the machine is laid out and why", "which disk, and the reason",
    )  # fmt: skip


def test_block_lists_block_scalars_and_folded_lines_are_read() -> None:
    text = (
        "---\ndescription: >-\n  the archive\n  lives\nkeep: |\n  one\n  two\nmay_fade: first\n  second\n"
        "belongs_because: \"quoted\n  over lines\"\ntags:\n- a\n- 'b c'\n---\nbody"
    )
    found = parse(text.encode(), Path("x.md"), "xxx")
    assert found is not None
    m = found.memory
    assert (m.trigger, m.keep, m.may_fade, m.belongs_because) == (
        "the archive lives", "one\ntwo", "first second", "quoted over lines",
    )  # fmt: skip
    assert m.tags == ("a", "b c")


def test_unknown_keys_comments_and_foreign_blocks_keep_their_bytes_on_a_rewrite() -> None:
    text = (
        "---\nname: aaa\n# my own comment\nmood:   'bright'   # very\nnested:\n    deep:\n      - 1\nmetadata:\n"
        "    type: user\n    weight: 0.5\n    # inner\n    map:\n      a: {b: c}\n---\n\n  indented body\n\n\n"
    )
    found = parse(text.encode(), Path("aaa.md"), "aaa")
    assert found is not None
    again = page.render(found.memory.with_(tags=("new",)), text.encode()).decode()
    for kept in (
        "# my own comment\n", "mood:   'bright'   # very\n", "nested:\n    deep:\n      - 1\n", "    weight: 0.5\n",
        "    # inner\n", "    map:\n      a: {b: c}\n",
    ):  # fmt: skip
        assert kept in again
    assert again.endswith("---\n\n  indented body\n\n\n")
    twice = parse(again.encode(), Path("aaa.md"), "aaa")
    assert twice is not None
    assert twice.memory.tags == ("new",)
    assert page.render(twice.memory, again.encode()).decode() == again


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\nname: a\nno end\n", 1), ("---\nname: a\nwhat is this\n---\n", 3), ("---\nname: a\nname: b\n---\n", 3),
        ("---\nname: 'a\n---\n", 2), ('---\nname: "a\\q"\n---\n', 2), ("---\nmetadata:\ntype: x\nmetadata:\n  a: b\n  b\n---\n", 6),
        ("---\n  indented: first\n---\n", 2), ('---\nname: "a" b\n---\n', 2),
    ],
)  # fmt: skip
def test_broken_front_matter_is_named_by_file_and_line(text: str, line: int) -> None:
    with pytest.raises(StoreDamaged, match=rf"some/file\.md: line {line}: "):
        parse(text.encode(), Path("some/file.md"), "file")


def test_bytes_that_are_no_utf8_and_nul_are_named_by_line() -> None:
    with pytest.raises(StoreDamaged, match="line 2: not UTF-8"):
        parse(b"---\nname: \xff\n---\n", Path("f.md"), "f")
    with pytest.raises(StoreDamaged, match="line 4: a NUL"):
        parse(b"---\nname: x\n---\na\0b", Path("f.md"), "f")


def test_unreadable_tags_are_a_note_and_stay_as_they_are() -> None:
    text = "---\nname: aaa\nmetadata:\n  tags: {a: b}\n---\nbody\n"
    found = parse(text.encode(), Path("aaa.md"), "aaa")
    assert found is not None
    assert found.memory.tags == ()
    assert found.notes[0][0] == "tags"
    assert b"  tags: {a: b}\n" in page.render(found.memory.with_(keep="k"))


@given(st.text(max_size=300))
@settings(max_examples=300)
def test_no_text_whatever_crashes_the_reader(text: str) -> None:
    try:
        front, _ = split("---\n" + text + "\n---\n")
    except FrontMatterError as error:
        assert error.line >= 1
        return
    assert front is not None
    for entry in (*front.top, *front.nested):
        for read in (text_of, words_of):
            try:
                read(entry)
            except FrontMatterError as error:
                assert error.line >= 1


@given(title=LINE, trigger=LINE)
def test_an_index_line_comes_back_exactly(title: str, trigger: str) -> None:
    if trigger[:1] in "—–-:":
        return  # such a line would read as its own separator; a trigger does not begin so
    line = IndexLine("some-slug", title, trigger)
    assert IndexFile(render(line)).line("some-slug") == line


def test_editing_the_index_keeps_every_other_line() -> None:
    text = "# My store\n\nintro\n\n## Disks\n\n- [A](aaa.md) — one\n* [B b](./bbb.md): two\nfree text\n\n## 人\n- [C](ccc.md)\n\ntail\n"
    out = edited(
        text,
        {"aaa": ("X", IndexLine("aaa", "A", "new")), "ddd": ("Disks", IndexLine("ddd", "D", "four"))},
        frozenset({"ccc"}),
    )
    assert out == (
        "# My store\n\nintro\n\n## Disks\n\n- [A](aaa.md) — new\n* [B b](./bbb.md): two\nfree text\n- [D](ddd.md) — four\n\n## 人\n\ntail\n"
    )
    assert edited("", {"aaa": ("H", IndexLine("aaa", "A", "t"))}) == "## H\n\n- [A](aaa.md) — t\n"
    assert [h for h, _ in IndexFile(text)] == ["Disks", "Disks", "人"]
