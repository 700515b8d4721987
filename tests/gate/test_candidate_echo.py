"""Rule G3: what was remembered or served is no evidence when it comes back, however it was dressed on the way."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kura_runtime.domain.candidate import Candidate, ProposedQuote
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.gate.attribution import People
from kura_runtime.gate.candidate import judge
from kura_runtime.gate.echo import Echo, key, sentences_around, served_hashes
from kura_runtime.text.quotes import BatchIndex

SERVED = (
    "# Pushing\n\n- Run the linter before each push; the remote hook rejects unformatted files.\n"
    "- Backups stay on the second disk. They are checked on Mondays.\n\n審計ログはオブジェクトストレージにも同期する。本地日志保留九十天。\n"
)
NOTHING = Echo.of((), frozenset())
SERVED_ECHO = Echo.of((), frozenset(served_hashes(SERVED)))


def verdict(cls: EvidenceClass, event: str, quote: str, echo: Echo) -> str:
    events = [Event("e0", 0, cls, event, None, "s", "j", 0, 1)]
    candidate = Candidate("a neutral topic", "project", "w", (ProposedQuote(cls, quote),))
    return judge(candidate, BatchIndex(events), echo, People()).reason


TOOL, USER, SELF, ACT = EvidenceClass.TOOL, EvidenceClass.USER, EvidenceClass.SELF, EvidenceClass.ACT


@pytest.mark.parametrize(
    ("event", "quote"),
    [
        ("Run the linter before each push; the remote hook rejects unformatted files.", "the remote hook rejects unformatted files"),
        ("Run the linter before\neach push; the remote\nhook rejects unformatted files.", "Run the linter before each push"),
        ("> Run the linter before each push; the remote hook rejects unformatted files.", "Run the linter before each push"),
        ("3. Run the linter before each push; the remote hook rejects unformatted files.", "Run the linter before each push"),
        ("    12→Backups stay on the second disk. They are checked on Mondays.", "Backups stay on the second disk"),
        ("memory/backups.md: Backups stay on the second disk. They are checked on Mondays.", "Backups stay on the second disk."),
        ("backups-place: Backups stay on the second disk.", "backups-place: Backups stay on the second disk."),
        ("Recalled from memory: backups stay on the second disk.", "Recalled from memory: backups stay on the second disk."),
        ('{"context": "- Backups stay on the \\"second\\" disk.\\n- Run the linter before each push; the remote hook rejects unformatted files."}', "the remote hook rejects unformatted files"),
        ('{"a": "Backups stay on the second disk. They are checked on Mondays."}', "They are checked on Mondays."),
        ("本地日志保留\n九十天。", "本地日志保留九十天"),
        ("審計ログはオブジェクトストレージにも同期する。ほか", "審計ログはオブジェクトストレージにも同期する"),
    ],
)  # fmt: skip
def test_served_text_is_recognised_in_tool_call_and_prose(event: str, quote: str) -> None:
    for cls in (TOOL, ACT, SELF):
        assert verdict(cls, event, quote, SERVED_ECHO) == "echo", cls


@pytest.mark.parametrize(
    ("event", "quote"),
    [
        ("Backups stay on the third disk.", "Backups stay on the third disk."),
        (
            "Backups stay on the second disk since the fire of 2019.",
            "Backups stay on the second disk since the fire of 2019.",
        ),
        (
            "They are checked on Mondays and 14 were broken.",
            "They are checked on Mondays and 14 were broken.",
        ),
        (
            "Backups stay on the second disk. 14 of them were broken.",
            "Backups stay on the second disk. 14 of them were broken.",
        ),
        ("lint finished in 14 s", "lint finished in 14 s"),
        ("本地日志保留六十天。", "本地日志保留六十天"),
    ],
)
def test_what_says_anything_more_is_news(event: str, quote: str) -> None:
    assert verdict(TOOL, event, quote, SERVED_ECHO) == "none"


def test_a_sentence_of_the_human_is_never_killed_by_what_was_served_or_stored() -> None:
    stored = Echo.of(["Backups stay on the second disk."], frozenset(served_hashes(SERVED)))
    events = [Event("e0", 0, USER, "as I said: Backups stay on the second disk.", None, "s", "j", 0, 1)]
    candidate = Candidate("t", "project", "w", (ProposedQuote(USER, "Backups stay on the second disk."),))
    result = judge(candidate, BatchIndex(events), stored, People())
    assert result.verdict == "keep" and [q.repeats for q in result.quotes] == [True]
    (fresh,) = judge(candidate, BatchIndex(events), SERVED_ECHO, People()).quotes
    assert not fresh.repeats


def test_served_hashes_do_not_hold_the_words() -> None:
    hashes = served_hashes(SERVED)
    assert hashes and all(len(h) == 24 and set(h) <= set("0123456789abcdef") for h in hashes)
    assert hashes == served_hashes(SERVED)
    assert served_hashes("ok. yes.") == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run the **linter**", "run the linter"),
        ("“Run” the `linter`!", "Run the linter."),
        ("a\\nb \\\"c\\\"", 'a b "c"'),
        ("Ｆｒｉｄａｙ", "friday"),
        ("用 Python 写的", "用Python写的"),
        ("don’t", "don't"),
        ("- item one\n- item two", "item one item two"),
        ("offset −3.2 dB", "offset -3.2 dB"),
    ],
)  # fmt: skip
def test_dress_does_not_count(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("-3.2 dB", "3.2 dB"),
        ("12.480", "12480"),
        ("5%", "5"),
        ("1,2", "12"),
        ("v1.2", "v12"),
        ("10:30", "1030"),
        ("a b", "ab"),
    ],
)
def test_signs_marks_and_words_count(one: str, other: str) -> None:
    assert key(one) != key(other)


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_the_key_of_a_key_is_itself_unless_it_reads_as_markup(text: str) -> None:
    once = key(text)
    if "\ue010" not in once and not any(c in once for c in "\ue011\ue012\ue013\ue014\ue015"):
        assert key(once) in (once, key(key(once)))


@given(
    st.lists(
        st.sampled_from(["the hook rejects files", "日志保留九十天", "run it 14 times", "no more than that"]),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=60, deadline=None)
def test_a_stored_text_always_holds_its_own_pieces(parts: list[str]) -> None:
    echo = Echo.of([". ".join(parts)], frozenset())
    for part in parts:
        assert echo.stored(part) == (len(key(part)) >= 6)
        assert echo.holders(part) == (0,)


def test_words_do_not_run_together_over_two_memories() -> None:
    echo = Echo.of(["the remote hook", "rejects unformatted files"], frozenset())
    assert not echo.stored("the remote hook rejects unformatted files")


def test_json_of_json_is_read() -> None:
    twice = json.dumps(json.dumps({"text": 'Backups stay on the "second" disk.\nNext line here.'}))
    assert Echo.of(['Backups stay on the "second" disk.\nNext line here.'], frozenset()).stored(
        twice[twice.index("Backups") : twice.index("here") + 4]
    )


def test_the_sentence_round_a_quote_is_widened_to_its_borders() -> None:
    assert sentences_around("One. Two is ", "half", " done. Three").strip() == "Two is half done"
    assert sentences_around("", "Whole thing.", " Next").strip() == "Whole thing."


def test_ten_thousand_memories_are_asked_without_a_scan_each(monkeypatch: pytest.MonkeyPatch) -> None:
    from kura_runtime.text.locate import Locator

    rng = random.Random(5)
    words = ["".join(rng.choice("aeioutrnsldkm") for _ in range(rng.randint(3, 9))) for _ in range(5000)]
    texts = [" ".join(rng.choice(words) for _ in range(40)) for _ in range(10_000)]
    echo = Echo.of(texts, frozenset())
    original, plain = Locator._proposed, []

    def counted(self: Locator, needle: str) -> list[int] | None:
        result = original(self, needle)
        plain.append(result is None)
        return result

    monkeypatch.setattr(Locator, "_proposed", counted)
    for n in range(0, 10_000, 501):
        piece = " ".join(texts[n].split(" ")[5:15])
        assert echo.stored(piece) and echo.holders(piece) == (n,)
        assert not echo.stored(piece + " qqq")
    assert sum(plain) < len(plain) // 4
