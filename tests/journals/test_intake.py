"""Making events: redaction of many records in one go says the same as of each alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kura_pipeline.journals import jsonl
from kura_pipeline.journals.claude import Claude
from kura_pipeline.journals.intake import capped
from kura_runtime.gate.secrets import redact, suspects
from tests.journals.samples import claude, events, line, result, text

SECRETS = (
    "AKIA" + "FAKEFAKEFAKE1234", "ghp_" + "FAKEfakeFAKEfakeFAKEfakeFAKEfake0000", "password = hunter2hunter2",
    "postgres://bob:sesame99@db.example/x", "https://bob:sesame99@example.org", "Authorization: Bearer abcdefghijklmnop1234567890",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEfake\n-----END RSA PRIVATE KEY-----", "密码：hunter2hunter2", "sk-" + "ant-api03-" + "F" * 40,
    "AK\u200bIA" + "FAKEFAKEFAKE1234", "\x1b[31mAKIA\x1b[0mFAKEFAKEFAKE1234",
)  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", ["{}", "x{}", "a {} b", "\n{}\n", "{} tail " * 3])
def test_a_text_that_redaction_changes_is_always_a_suspect(secret: str, around: str) -> None:
    words = around.format(secret, secret, secret) if around.count("{}") > 1 else around.format(secret)
    others = ["plain words", "", "more plain words"]
    if redact(words)[0] != words:
        assert suspects([*others, words, *others])[3]
        assert suspects([words])[0]


@given(st.lists(st.text(max_size=40) | st.sampled_from(SECRETS), max_size=8))
def test_no_text_that_redaction_changes_goes_unsuspected_among_others(texts: list[str]) -> None:
    for words, doubt in zip(texts, suspects(texts), strict=True):
        assert doubt or redact(words)[0] == words


def test_plain_neighbours_of_a_secret_are_no_suspects() -> None:
    assert suspects(["the slow disk", SECRETS[0], "the fast one"]) == [False, True, False]
    assert suspects([]) == []


def test_a_walk_in_groups_of_any_size_gives_the_same_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = []
    for i, secret in enumerate(SECRETS * 2):
        rows.append(claude("user", f"use {secret} for {i}", uuid=f"u{i}"))
        rows.append(claude("assistant", [text(f"plain {i} " + "y" * 5000)], uuid=f"a{i}"))
        rows.append(claude("user", [result("t", "z" * 70_000 + secret)], uuid=f"r{i}"))
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(line(r) for r in rows))
    expected = events(Claude().read(path))
    assert sum(bool(e.redactions) for e in expected) >= 3 * len(SECRETS)
    for size in (1, 2, 7, 1000):
        monkeypatch.setattr(jsonl, "TOGETHER", size)
        assert events(Claude().read(path)) == expected
    for e in expected:
        assert redact(e.text)[0] == e.text
        assert len(e.text) <= 4000 + 20


def test_a_huge_event_beside_one_with_a_secret_is_cut_once(tmp_path: Path) -> None:
    row = claude("user", [result("t", "z" * 70_000), text(f"use {SECRETS[0]}")], uuid="u")
    path = tmp_path / "s.jsonl"
    path.write_bytes(line(row))
    huge, words = events(Claude().read(path))
    assert (huge.cut, huge.text.count("z"), huge.text.count("⟦cut:")) == (68_500, 1500, 1)
    assert words.text == "use ⟦secret:aws-key⟧"


@given(st.text(min_size=1, max_size=300), st.integers(10, 100))
def test_a_cap_keeps_head_and_tail_and_counts_what_is_missing(words: str, cap: int) -> None:
    kept, cut = capped(words, cap)
    if len(words) <= cap:
        assert (kept, cut) == (words, 0)
        return
    head, _, tail = kept.partition(f"⟦cut:{cut}⟧")
    assert words.startswith(head)
    assert words.endswith(tail)
    assert len(head) + len(tail) + cut == len(words)
