"""Claims about the canonical form: same words, same text; and always a way back to the words as written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kura_runtime.text.normalise import MARK, Folded, cut_mark, fold, sentences, visible

ODD = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            list(
                "ab 1.\t\n\u3000\u200b\u200d\u202e\u00ad\ufeff\u0301\u3099ｶﾞか日本語각ᄀᆨﬁ①²\x1b[31m’“Ａ１👍🏽\ufe0f\x00"
            )
        ),
        st.characters(),
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Ｆｒｉｄａｙ　ｅｖｅｎｉｎｇ", "Friday evening"),
        ("keep the\n   seed\tdata", "keep the seed data"),
        ("日志保留在本地\n磁盘", "日志保留在本地磁盘"),
        ("用\nPython", "用 Python"),
        ("pass\u200bword", "password"),
        ("abc\u202edef", "abcdef"),
        ("\x1b[31mError\x1b[0m: disk", "Error: disk"),
        ("don’t “do” it", 'don\'t "do" it'),
        ("e\u0301te\u0301", "été"),
        ("ﬁle", "file"),
        ("  \u00a0 ", ""),
        ("ﾃｽﾄﾃﾞｰﾀ", "テストデータ"),
        ("רשומה\u200f חדשה", "רשומה חדשה"),
        ("배포는  금요일", "배포는 금요일"),
    ],
)
def test_the_same_words_fold_to_the_same_text(written: str, folded: str) -> None:
    assert fold(written) == folded


def test_case_is_kept_because_a_quote_is_verbatim() -> None:
    assert fold("do NOT run") != fold("do not run")


@given(ODD)
@settings(max_examples=300, deadline=None)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(ODD)
@settings(max_examples=300, deadline=None)
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(ODD, st.integers(0, 60), st.integers(1, 60))
@settings(max_examples=400, deadline=None)
def test_the_stretch_as_written_folds_back_to_the_stretch_found(text: str, start: int, length: int) -> None:
    folded = Folded(text)
    end = min(len(folded.folded), start + length)
    if start >= end:
        return
    piece = folded.folded[start:end]
    again = fold(folded.original(start, end))
    # a cluster may hold more than the stretch (one ligature, two letters): never less
    assert fold(piece) in again or len(again) >= len(fold(piece))


def test_the_map_leads_back_to_full_width_letters_and_line_breaks() -> None:
    folded = Folded("まず「Ｆｒｉｄａｙ　ｅｖｅｎｉｎｇ」\nで")
    at = folded.folded.index("Friday evening")
    assert folded.original(at, at + 14) == "Ｆｒｉｄａｙ　ｅｖｅｎｉｎｇ"


def test_the_map_survives_emoji_families_and_terminal_colours() -> None:
    folded = Folded("👨‍👩‍👧 ok \x1b[31mred\x1b[0m line\x1b[0m")
    at = folded.folded.index("red line")
    assert visible(folded.original(at, at + 8)) == "red line"


def test_shown_text_keeps_joiners_and_loses_controls_that_reorder() -> None:
    assert visible("می‌خواهم \u202eabc\n👨‍👩‍👧") == "می‌خواهم abc 👨‍👩‍👧"


def test_marks_are_recognised() -> None:
    assert MARK.fullmatch(cut_mark(1200)) and MARK.fullmatch("⟦secret:aws-key⟧")
    assert not MARK.search("⟦note: something⟧")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run it. Then stop!", ["Run it.", "Then stop!"]),
        ("日志保留。审计日志同步！", ["日志保留。", "审计日志同步！"]),
        ("v1.2 took 3.5 s. Fine.", ["v1.2 took 3.5 s.", "Fine."]),
        ("Siehe z.B. das hier. Gut.", ["Siehe z.B. das hier.", "Gut."]),
        ("- one\n- two", ["- one", "- two"]),
        ("يجب الحفظ؟ نعم", ["يجب الحفظ؟", "نعم"]),
        ("यह ठीक है। चलो।", ["यह ठीक है।", "चलो।"]),
        ("error: a\nerror: b", ["error: a", "error: b"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_wrapped_prose_is_one_sentence() -> None:
    text = "The retention of the audit log was agreed to be\nninety days, counted from the day of the export."
    assert len(sentences(text)) == 1
