"""What is given up leads to what holds instead; what holds only under a condition keeps it; what is entrusted is kept."""

from __future__ import annotations

import pytest

from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.extractive import ExtractiveEditor
from tests.distil.material import batch


def quotes(text: str) -> list[str]:
    found = ExtractiveEditor().spot(batch([("USER", text), ("SELF", "Understood.")]), Brief("maker"))
    return [q.text for c in found.candidates for q in c.quotes]


def test_what_holds_instead_comes_along() -> None:
    said = "Correction: the dumps are no longer written to the tape; from today they go to the vault."
    assert any("from today they go to the vault" in q for q in quotes(said))


def test_what_only_stands_behind_it_does_not() -> None:
    said = "Correction: the dumps are no longer written to the tape. Tests passed by the way."
    assert not any("Tests passed" in q for q in quotes(said))


@pytest.mark.parametrize(
    "said",
    [
        "The pump may run only if the valve is open.",
        "Only empty the cache when the disk is nearly full.",
        "次の利用者がいる場合に限り、延長を断ってください。",
        "ポンプの運転中に書き込み器をつながないでください。",
        "只有库存低于一成时，才可以下单。",
        "密钥不允许写进配置文件。",
        "请记住这次测得的电流，作为基准。",
        "明日からキキョウ中継で送ります。",
    ],
)
def test_conditions_prohibitions_and_what_is_entrusted_are_kept(said: str) -> None:
    assert any(said.rstrip(".。") in q for q in quotes(said))


@pytest.mark.parametrize(
    "said", ["Only run the first test when you are done.", "先只跑第一个测试。", "今日は早めに終わります。"]
)
def test_a_chore_of_the_moment_is_still_none(said: str) -> None:
    assert quotes(said) == []
