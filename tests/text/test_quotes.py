"""Claims about resolving quotes: verbatim, inside one event, of the class claimed or a lower one, with its span."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kura_runtime.domain.candidate import ProposedQuote, Refusal
from kura_runtime.domain.evidence import Event, EvidenceClass, Quote
from kura_runtime.text.locate import Locator
from kura_runtime.text.normalise import cut_mark, fold
from kura_runtime.text.quotes import BatchIndex, splits

U, T, A, S = EvidenceClass.USER, EvidenceClass.TOOL, EvidenceClass.ACT, EvidenceClass.SELF


def batch(*said: tuple[EvidenceClass, str]) -> list[Event]:
    return [
        Event(f"e{n}", n, cls, text, f"2025-01-01T00:00:{n:02}Z", "s", "j", 100 * n, 100 * n + 90)
        for n, (cls, text) in enumerate(said)
    ]


def resolve(events: list[Event], cls: EvidenceClass, text: str) -> Quote | Refusal:
    return BatchIndex(events).resolve(ProposedQuote(cls, text))


def found(result: Quote | Refusal) -> Quote:
    assert isinstance(result, Quote), result
    return result


def reason(result: Quote | Refusal) -> str:
    assert isinstance(result, Refusal), result
    return result.reason


def test_a_quote_carries_its_events_id_span_session_and_time() -> None:
    quote = found(resolve(batch((S, "hello there"), (U, "keep the\n seed data")), U, "keep the seed data"))
    assert (quote.event_id, quote.byte_start, quote.byte_end) == ("e1", 100, 190)
    assert (quote.session, quote.journal_key, quote.ts) == ("s", "j", "2025-01-01T00:00:01Z")


def test_a_surviving_quote_is_the_journals_writing_not_the_models() -> None:
    event = "リリースは「Ｆｒｉｄａｙ　ｅｖｅｎｉｎｇ」の枠で固定してください。"
    quote = found(resolve(batch((U, event)), U, "「Friday evening」の枠で固定して"))
    assert quote.text == "「Ｆｒｉｄａｙ　ｅｖｅｎｉｎｇ」の枠で固定して"
    assert (
        found(resolve(batch((U, "don’t touch the bucket")), U, "don't touch the bucket")).text
        == "don’t touch the bucket"
    )


def test_quote_stitched_across_two_events_is_dropped() -> None:
    events = batch((T, "table invoices: done"), (T, "checksum verified"))
    for joint in (" ", "", "\n", "\x00", "\u200b", " \x00 "):
        assert reason(resolve(events, T, f"table invoices: done{joint}checksum verified")) == "not-found"


def test_found_only_in_a_lower_class_is_classed_down_and_never_up() -> None:
    text = "disk quota exceeded on the mirror"
    order = [U, T, A, S]
    for claimed in order:
        for actual in order:
            result = resolve(batch((actual, text)), claimed, text)
            if actual.trust <= claimed.trust:
                assert found(result).cls is actual
            else:
                assert reason(result) == "not-found"


def test_the_claimed_class_wins_over_a_lower_and_over_an_earlier_one() -> None:
    text = "disk quota exceeded on the mirror"
    events = batch((S, text), (U, text), (T, text), (T, text))
    assert found(resolve(events, T, text)).event_id == "e2"
    assert found(resolve(events, U, text)).event_id == "e1"
    assert found(resolve(events, A, text)).event_id == "e0"


def test_an_event_shown_for_context_is_no_evidence() -> None:
    (event,) = batch((U, "never push to main on a friday"))
    assert reason(resolve([replace(event, context=True)], U, "never push to main")) == "not-found"


@pytest.mark.parametrize(
    ("text", "stands"),
    [("abcdefghijk", False), ("abcdefghijkl", True), ("先别合并它", False), ("等我看完再说", True), ("금요일 배포", True), ("port 80 用", False)],
)  # fmt: skip
def test_the_shortest_quote_is_twelve_characters_or_six_in_cjk(text: str, stands: bool) -> None:
    assert isinstance(resolve(batch((U, f"({text})")), U, text), Quote) is stands


def test_the_longest_quote_is_four_hundred_characters() -> None:
    events = batch((U, "x" * 400 + " " + "y" * 401))
    assert found(resolve(events, U, "x" * 400))
    assert reason(resolve(events, U, "y" * 401)) == "not-found"


@pytest.mark.parametrize(
    "quote", ["the key is ⟦secret:aws-key⟧ ok", "secret:aws-key⟧ ok then", "the key is ⟦sec"]
)
def test_a_quote_that_touches_a_placeholder_is_refused(quote: str) -> None:
    assert reason(resolve(batch((U, "so the key is ⟦secret:aws-key⟧ ok then")), U, quote)) == "placeholder"


def test_a_quote_does_not_reach_over_a_cut_nor_end_in_a_word_it_halved() -> None:
    events = batch((T, f"rows imported: 12{cut_mark(900)}48 rows were skipped here"))
    assert reason(resolve(events, T, "rows imported: 12")) == "placeholder"
    assert reason(resolve(events, T, "48 rows were skipped here")) == "placeholder"
    assert found(resolve(events, T, "rows were skipped here"))


@pytest.mark.parametrize(
    ("event", "quote"),
    [
        ("12480 rows imported today", "480 rows imported"),
        ("imported 12,480 rows today", "480 rows today"),
        ("mean latency was 21.34 there", "mean latency was 21"),
        ("an offset of -3.2 dB was seen", "3.2 dB was seen"),
        ("an offset of −3.2 dB was seen", "3.2 dB was seen"),
        ("the host is unable to reply", "able to reply"),
        ("we shouldn't merge on fridays", "we should"),
        ("нельзя удалять незавершённые", "завершённые задачи"[:11] + "x"),
    ],
)
def test_half_a_word_or_half_a_number_is_not_what_was_said(event: str, quote: str) -> None:
    assert reason(resolve(batch((T, event + " for now")), T, quote)) == "not-found"


def test_another_place_with_the_whole_number_is_taken() -> None:
    events = batch((T, "12480 rows imported"), (T, "480 rows imported"))
    assert found(resolve(events, T, "480 rows imported")).event_id == "e1"


@pytest.mark.parametrize(
    ("event", "quote"),
    [("배포는 금요일에 하자고 했어요", "배포는 금요일에 하자"), ("والتقرير جاهز للمراجعة", "التقرير جاهز"), ("see (a,b), then stop here", "then stop here"),
     ("range 3-5 items per page", "range 3-5 items"), ("the user's bucket is full", "bucket is full"), ("item: 12 hosts are up", "12 hosts are up")],
)  # fmt: skip
def test_honest_edges_stand(event: str, quote: str) -> None:
    assert found(resolve(batch((U, event)), U, quote))


@pytest.mark.parametrize(
    ("event", "quote"),
    [
        ("do NOT run the seeder against the shared database", "run the seeder against the shared database"),
        ("please don't squash my commits on merge", "squash my commits on merge"),
        ("I am not sure the mirror is slow", "the mirror is slow"),
        ("there were no errors found in module x", "errors found in module x"),
        ("Bitte nie am Freitag ausrollen, danke", "am Freitag ausrollen"),
        ("Ich will den neuen Cache nicht", "Ich will den neuen Cache"),
        ("ne supprime pas les sauvegardes du mardi", "les sauvegardes du mardi"),
        ("no borres las copias del martes", "borres las copias del martes"),
        ("не удаляй резервные копии за вторник", "удаляй резервные копии за вторник"),
        ("不要在生产环境开启自动迁移", "在生产环境开启自动迁移"),
        ("本番では自動マイグレーションを有効にしないでください", "本番では自動マイグレーションを有効に"),
        ("운영 서버는 금요일에 배포하지 마세요", "운영 서버는 금요일에 배포"),
        ("لا تحذف النسخ الاحتياطية أبدا", "تحذف النسخ الاحتياطية"),
    ],
)
def test_a_quote_that_leaves_its_negation_out_says_the_opposite(event: str, quote: str) -> None:
    assert reason(resolve(batch((U, event)), U, quote)) == "not-found"
    assert found(resolve(batch((U, event)), U, event))


@pytest.mark.parametrize(
    ("event", "quote"),
    [
        ("no problem, keep the seed data as it is", "keep the seed data as it is"),
        ("don't forget to keep the seed data as it is", "keep the seed data as it is"),
        ("not only keep the seed data, archive it", "keep the seed data, archive it"),
        ("why not? run the seeder on staging", "run the seeder on staging"),
        ("这个功能特别重要请尽快完成", "重要请尽快完成"),
        ("好不好？在测试环境开启自动迁移", "在测试环境开启自动迁移"),
        ("そうではない。本番では手動で実行してください", "本番では手動で実行してください"),
        ("Kein Ding, der Export läuft nachts", "der Export läuft nachts"),
    ],
)
def test_a_negation_of_something_else_does_not_count(event: str, quote: str) -> None:
    assert found(resolve(batch((U, event)), U, quote))


def test_splits_says_where_an_edge_changes_the_meaning() -> None:
    assert splits("a", "b") and splits("1", "2") and splits(",", "4", "2") and splits("-", "3", " ")
    assert (
        not splits("a", " ") and not splits("", "b") and not splits("-", "3", "5") and not splits("日", "本")
    )


TEXTS = st.lists(
    st.tuples(st.sampled_from([U, T, A, S]), st.text(alphabet="abc 12.日本\n⟦", max_size=40)), max_size=6
)


@given(TEXTS, st.text(alphabet="abc 12.日本", min_size=1, max_size=20), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_shuffling_the_events_changes_nothing(
    said: list[tuple[EvidenceClass, str]], quote: str, rng: random.Random
) -> None:
    events = batch(*said)
    mixed = list(events)
    rng.shuffle(mixed)
    assert resolve(events, U, quote) == resolve(mixed, U, quote)


@given(TEXTS, st.integers(0, 5), st.integers(0, 30), st.integers(6, 40))
@settings(max_examples=300, deadline=None)
def test_what_is_found_stands_in_the_event_and_resolves_to_itself(
    said: list[tuple[EvidenceClass, str]], number: int, start: int, length: int
) -> None:
    events = batch(*said)
    if number >= len(events):
        return
    result = resolve(events, events[number].cls, events[number].text[start : start + length])
    if isinstance(result, Quote):
        event = next(e for e in events if e.event_id == result.event_id)
        assert fold(result.text) in fold(event.text)
        assert resolve(events, result.cls, result.text) == result


@given(
    st.text(alphabet="ab ", max_size=300),
    st.text(alphabet="ab ", min_size=1, max_size=40),
    st.integers(1, 6),
    st.integers(1, 9),
)
@settings(max_examples=300, deadline=None)
def test_the_index_finds_every_place_and_no_other(text: str, needle: str, gram: int, step: int) -> None:
    expected = [i for i in range(len(text)) if text.startswith(needle, i)]
    assert list(Locator(text, gram, step).places(needle)) == expected


def test_one_look_up_does_not_scan_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    text = " ".join("".join(rng.choice("abcdefgh") for _ in range(6)) for _ in range(5000))
    locator = Locator(text, 6, 12)
    proposed: list[int] = []
    original = Locator._proposed

    def counted(self: Locator, needle: str) -> list[int] | None:
        result = original(self, needle)
        assert result is not None
        proposed.extend(result)
        return result

    monkeypatch.setattr(Locator, "_proposed", counted)
    for start in range(0, 20000, 997):
        assert start in list(locator.places(text[start : start + 40]))
    assert len(proposed) < 60  # about one place to look at for each of 21 needles, however long the text
