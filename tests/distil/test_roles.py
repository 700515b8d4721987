"""What holds for every role that a model plays here: one head, one language asked for, no word of an example."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from kura_pipeline.distil.cues import write_cues
from kura_pipeline.distil.editor import Question, SeedQuestion
from kura_pipeline.distil.learned import draft_profile
from kura_pipeline.distil.prompting import (
    PROMPTS,
    TENDING_PROMPTS,
    canaries,
    house,
    prompt_text,
    prompt_version,
)
from kura_pipeline.distil.tidy import tidy
from kura_runtime.models.roles import OWN_MARK
from tests.distil.material import ARCHIVE, ARCHIVE_SURFACE, CHARTER, batch, brief, draft, memory, verdict
from tests.distil.workshop import workshop
from tests.scripted_model import TASKS, Cast, say, task_of

ROLES = {
    "spot",
    "coverage",
    "novelty",
    "novelties",
    "sprout",
    "compose",
    "extend",
    "judge",
    "tidy",
    "trigger",
    "profile",
}
PROFILE = "The human likes short answers."
LONG = "archive: the slow disk takes the archive, the fast disk stays scratch space " * 2 + "the machine"


def every_role(w, words):
    """Ask one question of each role."""
    w.store.remember("other-note", "x", "y")
    seed = {"id": "s" * 16, "topic": "tape", "quotes": []}
    e = w.editor()
    e.spot(batch(), words)
    e.novelty(verdict(), [memory()], words)
    e.novelties([Question("a", 0, verdict(), (memory(),)), Question("b", 1, verdict(), (memory(),))], words)
    e.sprouts([SeedQuestion("a", 0, verdict(), (seed,))], words)
    e.compose(verdict(), words)
    e.compose(verdict(), words, extends=memory())
    e.judge(draft(), words)
    tidy(w.store, e._scribe, words)
    write_cues(w.store, e._scribe, words, tokens=8)
    draft_profile(w.store, e._scribe, words)


@pytest.fixture
def asked(tmp_path):
    parts = {"tidy": "[]", "trigger": "[]", "profile": "[]", "extend": {"heading": "h", "body": "b"}}
    item = {**ARCHIVE, "kind": "feedback"}
    cast = Cast(
        spot=[item], compose={**ARCHIVE_SURFACE, "trigger": LONG[:190]}, judge={"verdict": "POUR"}, **parts
    )
    with workshop(tmp_path, cast) as w:
        assert w.run().poured.counts["created"] == 1
        w.model.requests.clear()
        w.ledger.rows.clear()
        every_role(w, brief(profile=PROFILE, language="ja"))
        yield w.model.requests


def test_the_charter_stands_byte_for_byte_at_the_head_of_every_role(asked):
    assert {task_of(r) for r in asked} == ROLES == set(TASKS.values())
    heads = {r["messages"][0]["content"] for r in asked}
    assert len(heads) == 1, "one prefix for all of them"
    (head,) = heads
    assert head.encode().startswith(CHARTER.encode())
    assert head.index(PROFILE) > head.index("laid out, and why")
    assert OWN_MARK in head
    assert "Japanese (ja)" in head, "the store's language is asked for of every role"


def test_every_prompt_is_a_file_with_a_version_and_in_english():
    on_disk = {
        p.name[:-3] for p in (files("kura_pipeline.distil") / "prompts").iterdir() if p.name.endswith(".md")
    }
    assert on_disk == {*PROMPTS, *TENDING_PROMPTS} >= ROLES
    for name in on_disk:
        assert re.fullmatch(r"\d+-[0-9a-f]{8}", prompt_version(name)), name
        text = prompt_text(name)
        assert "version:" not in text.splitlines()[0]
        assert text.replace("…", "").replace("⟦", "").replace("⟧", "").isascii(), name


def test_what_is_the_same_for_every_item_stands_before_what_is_not():
    """Else a prefix cache ends at the first item. Spot and coverage begin with the evidence, which they share."""
    for name in ROLES - {"spot", "coverage", "novelty", "novelties"}:
        text = prompt_text(name)
        first = text.index("{{")
        rules = text.index("Answer with")
        assert rules < first or name in ("profile", "trigger"), name
    assert prompt_text("spot").startswith("{{evidence}}") and prompt_text("coverage").startswith(
        "{{evidence}}"
    )


def test_canary_words_stand_in_examples_alone_and_fall_at_the_floor_of_every_role_that_writes(tmp_path):
    rules = "".join(prompt_text(n) for n in ROLES - {"spot", "compose"}) + house(brief())
    assert not any(word in rules.casefold() for word in canaries())
    word = canaries()[0]
    taught = {
        "compose": {**ARCHIVE_SURFACE, "keep": f"{word} stays"},
        "extend": {"heading": "Reading", "body": f"The archive is a {word}."},
        "spot": [{**ARCHIVE, "why": f"as {word} shows"}],
        "judge": {
            "slug": "archive-on-slow-disk",
            "verdict": "FIX",
            "fixed": {"title": f"The {word} archive"},
        },
    }
    for role, answer in taught.items():
        folder = tmp_path / role
        folder.mkdir()
        parts = {
            "spot": [ARCHIVE],
            "compose": ARCHIVE_SURFACE,
            "judge": {"verdict": "POUR"},
            "novelty": {"kind": "NEW"},
        }
        with workshop(folder, Cast(**{**parts, role: say(answer)})) as w:
            if role == "extend":
                w.cast.set("extend", answer)
                w.run()
                w.cast.set("novelty", {"kind": "EXTENDS", "slug": "archive-on-slow-disk"})
                w.run(batch(batch_id="20261205T080000-aaaabbbb", session="s2"))
            else:
                w.run()
            words = "".join(p.read_text(encoding="utf-8") for p in w.store.path.glob("*.md")).casefold()
            assert word not in words, role
