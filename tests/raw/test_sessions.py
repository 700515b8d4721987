"""The raw tier finds what was said, in any script, newest first; and it is a copy that may be deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import BadInput, StoreDamaged
from kura_runtime.raw.database import INSERT_TERMS, TERMS
from kura_runtime.raw.sessions import FILE, IndexMark, count, index_events, index_marks, search, snippet
from kura_runtime.raw.terms import asked, checker, expression, indexed


def event(n: int, text: str, **rest: object) -> Event:
    values: dict[str, object] = {
        "event_id": f"e{n}", "seq": n, "cls": EvidenceClass.USER, "text": text, "ts": f"2025-03-01T10:{n % 60:02d}:00Z",
        "session": "s1", "journal_key": "/j/a.jsonl", "byte_start": n * 10, "byte_end": n * 10 + 9, **rest,
    }  # fmt: skip
    return Event(**values)  # type: ignore[arg-type]


def texts(store: Path, query: str, **rest: object) -> list[str]:
    return [row["text"] for row in search(store, query, **rest)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the archive lives on the slow disk", "disk"),
        ("the archive lives on the slow disk", "DISK archive"),
        ("アーカイブは遅いディスクに置く", "ディスク"),
        ("アーカイブは遅いディスクに置く", "遅い"),
        ("我们决定不再使用旧的导入器。", "导入"),
        ("我们决定不再使用旧的导入器。", "器"),
        ("黒猫が好き", "猫"),
        ("느린 디스크에 보관한다", "디스크"),
        ("ดิสก์ช้า", "ช้า"),
        ("القُرْصُ البَطِيء", "القرص"),
        ("हिन्दी में लिखो", "हिन्दी"),
        ("Das ist Straßenbau", "strassenbau"),
        ("café au lait", "cafe"),
        ("ＦＵＬＬ ｗｉｄｔｈ", "full width"),
        ("edit src/my_mod-v2.py please", "src/my_mod-v2.py"),
        ("edit src/my_mod-v2.py please", "my_mod-v2"),
        ("edit src/my_mod-v2.py please", "mod"),
        ("edit src/my_mod-v2.py please", "py"),
        ("run kura-distill now", "kura-distill"),
        ("版本v1.21.0发布了", "v1.21.0"),
        ("rate is 43.7 t/s", "43.7"),
        ('he said "never" (twice)', "never twice"),
    ],
)
def test_a_word_is_found_in_its_text_and_in_no_other(tmp_path: Path, text: str, query: str) -> None:
    index_events(tmp_path, [event(1, text), event(2, "nothing of the kind, 全然違う話")])
    assert texts(tmp_path, query) == [text]


@pytest.mark.parametrize(
    "query", ["ERR_CONN-17", "err_conn-17", "CONN", "17", "foo_bar.baz", "foo_bar", "baz"]
)
def test_an_identifier_is_found_whole_and_by_each_half(tmp_path: Path, query: str) -> None:
    index_events(
        tmp_path, [event(1, "failed with ERR_CONN-17 in foo_bar.baz(x)"), event(2, "errors of a foot")]
    )
    assert texts(tmp_path, query) == ["failed with ERR_CONN-17 in foo_bar.baz(x)"]


@pytest.mark.parametrize("query", ["foo_bar.baz", "foo-bar", "bar.baz"])
def test_an_identifier_asked_for_whole_is_not_its_parts_side_by_side(tmp_path: Path, query: str) -> None:
    index_events(tmp_path, [event(n, f"foo bar baz {n}, and foo-barn.baz") for n in range(900)])
    assert texts(tmp_path, query) == []
    index_events(tmp_path, [event(-1, "foo_bar.baz, foo-bar", ts="2024-01-01T00:00:00Z")])
    assert texts(tmp_path, query) == ["foo_bar.baz, foo-bar"]  # older than hundreds that are only alike


def test_pairs_of_two_sentences_are_no_word(tmp_path: Path) -> None:
    index_events(tmp_path, [event(1, "买磁盘。盘坏了。"), event(2, "磁盘坏了")])
    assert texts(tmp_path, "磁盘坏") == ["磁盘坏了"]


def test_an_emoji_before_a_word_does_not_hide_it(tmp_path: Path) -> None:
    index_events(tmp_path, [event(1, "⚠️disk 1️⃣"), event(2, "⟦cut:20⟧disk→archive")])
    assert len(texts(tmp_path, "disk")) == 2
    assert len(texts(tmp_path, "archive")) == 1


def test_an_index_of_the_earlier_form_is_made_anew_from_its_rows(tmp_path: Path) -> None:
    index_events(tmp_path, [event(1, "the slow disk"), event(2, "foo_bar.baz 磁盘")])
    with sqlite3.connect(tmp_path / FILE) as db:
        db.executescript(
            "DROP TABLE terms; PRAGMA user_version = 1;"
            "CREATE VIRTUAL TABLE terms USING fts5(words, signs, facets, content='', tokenize='ascii');"
        )
    db.close()
    assert index_events(tmp_path, [event(3, "a fast disk")]) == 1
    assert texts(tmp_path, "disk", cls="USER") == ["a fast disk", "the slow disk"]
    assert texts(tmp_path, "foo_bar.baz") == texts(tmp_path, "磁盘") == ["foo_bar.baz 磁盘"]


def test_a_pair_of_characters_must_stand_side_by_side(tmp_path: Path) -> None:
    index_events(tmp_path, [event(1, "磁気のディスク円盤"), event(2, "磁盘坏了"), event(3, "盘子和磁铁")])
    assert texts(tmp_path, "磁盘") == ["磁盘坏了"]


def test_matches_come_newest_first_whatever_the_order_they_were_indexed_in(tmp_path: Path) -> None:
    for n in (5, 1, 9, 3):
        index_events(tmp_path, [event(n, f"disk {n}")])
    assert texts(tmp_path, "disk") == ["disk 9", "disk 5", "disk 3", "disk 1"]
    assert texts(tmp_path, "disk", limit=2) == ["disk 9", "disk 5"]


def test_an_event_without_a_time_comes_last(tmp_path: Path) -> None:
    index_events(
        tmp_path, [event(1, "disk old", ts=None), event(2, "disk odd", ts="not a time"), event(3, "disk new")]
    )
    assert texts(tmp_path, "disk")[0] == "disk new"
    assert len(texts(tmp_path, "disk")) == 3


def test_where_no_event_holds_every_word_those_with_the_most_telling_ones_come_marked(tmp_path: Path) -> None:
    index_events(
        tmp_path, [event(1, "the archive and the disk"), event(2, "the disk"), event(3, "the weather")]
    )
    found = search(tmp_path, "what about the archive disk")
    assert [(r["text"], r["match"]) for r in found][:2] == [
        ("the archive and the disk", "some"),
        ("the disk", "some"),
    ]


def test_quoted_words_must_stand_as_written(tmp_path: Path) -> None:
    index_events(tmp_path, [event(1, "slow disk here"), event(2, "the disk is slow")])
    assert texts(tmp_path, '"slow disk"') == ["slow disk here"]
    assert texts(tmp_path, "slow disk") == ["the disk is slow", "slow disk here"]


def test_filters_narrow_by_class_session_tool_and_time(tmp_path: Path) -> None:
    index_events(
        tmp_path,
        [
            event(1, "disk a"),
            event(2, "disk b", cls=EvidenceClass.TOOL, tool="Bash"),
            event(3, "disk c", session="s2"),
        ],
    )
    assert texts(tmp_path, "disk", cls="user") == ["disk c", "disk a"]
    assert texts(tmp_path, "disk", tool="Bash") == ["disk b"]
    assert texts(tmp_path, "disk", session="s2") == ["disk c"]
    assert texts(tmp_path, "disk", since="2025-03-01T10:02:00Z") == ["disk c", "disk b"]
    assert texts(tmp_path, "disk", until="2025-03-01T12:02:00+02:00") == ["disk a"]
    assert texts(tmp_path, "USER") == []


def test_a_row_leads_back_to_the_journal(tmp_path: Path) -> None:
    index_events(tmp_path, [event(7, "the slow disk")])
    (row,) = search(tmp_path, "disk")
    assert {k: row[k] for k in ("event", "session", "ts", "class", "journal", "byte_start", "byte_end", "snippet", "match")} == {
        "event": "e7", "session": "s1", "ts": "2025-03-01T10:07:00Z", "class": "USER", "journal": "/j/a.jsonl", "byte_start": 70,
        "byte_end": 79, "snippet": "the slow **disk**", "match": "all",
    }  # fmt: skip


def test_a_snippet_shows_the_first_match_within_its_surroundings() -> None:
    shown = snippet("x " * 500 + "the slow disk " + "y " * 500, ["disk"])
    assert "**disk**" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) < 300
    assert snippet("diskette and disk", ["disk"]) == "diskette and **disk**"
    assert snippet("古い磁盘だ", ["磁盘"]) == "古い**磁盘**だ"
    assert snippet("ΑΒΓ İstanbul", ["αβγ"]) == "ΑΒΓ İstanbul"


def test_events_indexed_twice_stand_once_and_context_not_at_all(tmp_path: Path) -> None:
    events = [event(1, "disk"), replace(event(2, "disk too"), context=True)]
    assert index_events(tmp_path, events) == 1
    assert index_events(tmp_path, [*events, event(3, "disk three")]) == 1
    assert count(tmp_path) == 2
    assert len(texts(tmp_path, "disk")) == 2


def test_events_of_the_same_moment_are_all_kept(tmp_path: Path) -> None:
    index_events(tmp_path, [event(i, f"disk {i}", ts="2025-03-01T10:00:00Z") for i in range(3000)])
    assert count(tmp_path) == 3000


def test_the_mark_of_a_journal_is_kept_with_its_events(tmp_path: Path) -> None:
    assert index_marks(tmp_path) == {}
    mark = IndexMark(99, "f", "s")
    index_events(tmp_path, [event(1, "disk")], journal="/j/a.jsonl", mark=mark)
    assert index_marks(tmp_path) == {"/j/a.jsonl": mark}


def test_a_failing_walk_leaves_neither_events_nor_mark(tmp_path: Path) -> None:
    def broken() -> object:
        yield event(1, "disk")
        raise RuntimeError("the walk broke")

    with pytest.raises(RuntimeError):
        index_events(tmp_path, broken(), journal="j", mark=IndexMark(1, "", ""))  # type: ignore[arg-type]
    assert (count(tmp_path), index_marks(tmp_path)) == (0, {})


def test_an_index_that_is_not_there_holds_nothing_and_is_not_made_by_looking(tmp_path: Path) -> None:
    assert search(tmp_path, "disk") == []
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("query", ["", "   ", "!?…", "🎉"])
def test_a_query_without_a_word_is_bad_input(tmp_path: Path, query: str) -> None:
    with pytest.raises(BadInput, match="query: holds no word"):
        search(tmp_path, query)


def test_bad_filters_name_their_field(tmp_path: Path) -> None:
    index_events(tmp_path, [event(1, "disk")])
    with pytest.raises(BadInput, match="since: "):
        search(tmp_path, "disk", since="yesterday")
    with pytest.raises(BadInput, match="limit: "):
        search(tmp_path, "disk", limit=0)


def test_a_damaged_index_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_bytes(b"not a database at all, but a note\n" * 200)
    with pytest.raises(
        StoreDamaged, match=r"sessions\.db: the search index cannot be read .*kura journals reindex"
    ):
        search(tmp_path, "disk")


@pytest.fixture(scope="module")
def terms() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:")
    db.execute(TERMS)
    yield db
    db.close()


@given(st.text(max_size=60))
def test_no_query_is_a_syntax_error(terms: sqlite3.Connection, query: str) -> None:
    parts = asked(query)
    if parts:
        terms.execute(
            "SELECT rowid FROM terms WHERE terms MATCH ?", (" AND ".join(map(expression, parts)),)
        ).fetchall()


_SCRIPTS = st.text(
    alphabet=st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Mn", "Mc"], max_codepoint=0xFFFF)
    | st.sampled_from("-_./ abcXYZ09éÉ磁盘ディスク"),
    min_size=1, max_size=12,
)  # fmt: skip


@given(_SCRIPTS, _SCRIPTS)
def test_a_text_is_found_by_each_of_its_own_parts(terms: sqlite3.Connection, text: str, after: str) -> None:
    said = f"{text} {after}"
    words, single = indexed(said)
    with terms:
        terms.execute(INSERT_TERMS, (1, words, single, ""))
        try:
            for part in asked(text):
                match = terms.execute("SELECT rowid FROM terms WHERE terms MATCH ?", (expression(part),))
                stands = checker([part])
                assert match.fetchall() == [(1,)], part
                assert stands is None or stands(said), part
        finally:
            terms.execute(
                "INSERT INTO terms (terms, rowid, words, signs, facets) VALUES ('delete', 1, ?, ?, '')",
                (words, single),
            )
