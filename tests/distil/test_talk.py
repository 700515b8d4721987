"""People's talk and notes: what happened to them lasts, what they say to be kind does not."""

from __future__ import annotations

import pytest

from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.extract.weighing import weigh
from kura_pipeline.distil.extractive import ExtractiveEditor
from tests.distil.material import batch


def kept(*lines: str) -> list[str]:
    """Quotes that the editor proposes from these notes."""
    found = ExtractiveEditor().spot(batch([("USER", line) for line in lines]), Brief("maker"))
    return [q.text for c in found.candidates for q in c.quotes]


@pytest.mark.parametrize(
    "line",
    [
        "Wow, Marta, that is an awesome painting from Lisbon!",
        "Thanks, Marta! Your support from the Lisbon group means a lot.",
        "Sounds like a great plan, Marta, enjoy the Lisbon mountains!",
        "I'll let you know when the Lisbon parcel is there, Marta.",
        "I'll definitely give it a try, Marta.",
        "My opinion, but I feel strongly about it.",
        "Useful to know for the compatibility work.",
        "谢谢你，马丽，太好了！",
        "我的意见，但我对此有强烈的感觉。",
        "确认我会去那里。",
    ],
)
def test_kindness_and_remarks_about_a_remark_are_not_kept(line: str) -> None:
    assert kept(line, "Fine.", "So it goes.") == []


@pytest.mark.parametrize(
    "line",
    [
        "I adopted a second cat from the shelter last Saturday.",
        "My sister moved to Tromso two months ago.",
        "We met the new landlord yesterday and he wants the lease signed.",
        "我们上周搬到了新的办公室。",
    ],
)
def test_what_happened_to_somebody_with_its_time_is_kept(line: str) -> None:
    assert any(line.rstrip(".。") in quote for quote in kept(line, "Fine.", "So it goes."))


def test_a_question_about_last_week_is_no_event() -> None:
    assert kept("Did we meet the landlord last week?") == []


def test_a_day_of_the_week_is_no_name() -> None:
    assert not weigh("Blocked Wednesday and Thursday for focused writing sessions.", notes=True).lasting
    assert weigh("Ivora blocked the Lindholm room for focused writing sessions.", notes=True).lasting


def test_in_a_session_with_an_agent_these_words_change_nothing() -> None:
    """Talk rules are for notes: a thanked agent is still given a standing rule."""
    rule = "Thanks, and from now on always run the migration against a copy first."
    found = ExtractiveEditor().spot(batch([("USER", rule), ("SELF", "Understood, I will.")]), Brief("maker"))
    assert [c.topic for c in found.candidates]
