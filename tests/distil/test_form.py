"""The form every composed text must have, before the gate's floor is even asked."""

from __future__ import annotations

import pytest

from kura_pipeline.distil.form import refusals_of
from kura_pipeline.distil.prompting import canaries
from tests.distil.material import ARCHIVE_QUOTE, brief, quote, surface


def reasons(a_surface, *quotes, **more):
    a_brief = more.pop("a_brief", brief())
    found = refusals_of(
        a_surface, quotes or (ARCHIVE_QUOTE,), a_brief, links=frozenset({"disk-layout"}), **more
    )
    return [r.reason for r in found]


def test_a_plain_memory_passes():
    assert reasons(surface()) == []
    assert (
        reasons(
            surface(body="The archive goes on the slow disk. See [[disk-layout]], [[archive-on-slow-disk]].")
        )
        == []
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"title": " "}, "missing"),
        ({"body": ""}, "missing"),
        ({"trigger": "x" * 201}, "length"),
        ({"keep": "x" * 301}, "length"),
        ({"title": "two\nlines"}, "lines"),
        ({"body": "text\n---\nname: other"}, "markup"),
        ({"body": "text <!-- hidden"}, "markup"),
        ({"trigger": "key ⟦secret:token⟧"}, "markup"),
        ({"body": "aGVsbG8gd29ybGQ" * 12}, "blob"),
        ({"slug": "Not A Slug"}, "slug"),
        ({"slug": "../up"}, "slug"),
    ],
)
def test_bad_form_is_named(change, reason):
    assert reason in reasons(surface(**change))


@pytest.mark.parametrize("word", canaries())
def test_a_word_of_the_examples_is_refused_wherever_it_stands(word):
    for place in ("title", "trigger", "body", "belongs_because"):
        assert "example" in reasons(surface(**{place: f"The archive goes on the {word.title()}"}))


def test_a_word_of_the_examples_passes_where_the_evidence_has_it():
    said = quote("the archive goes to the Zinnfeld share and nowhere else")
    assert "example" not in reasons(surface(body="The archive goes to the Zinnfeld share."), said)


def test_of_an_extension_only_the_new_words_are_looked_at():
    section = surface(
        slug="backup-2019", title="", trigger="", heading="Tape", body="The archive goes to the slow disk."
    )
    assert reasons(section, extends="backup-2019") == []
    assert "missing" in reasons(
        surface(slug="backup-2019", title="", trigger="", heading=""), extends="backup-2019"
    )


def test_a_japanese_human_gets_no_english_memory_even_without_a_configured_language():
    said = quote("アーカイブは遅いディスクに置いてください、速い方は空けておいて")
    assert reasons(surface(), said) == ["language"]
    ja = surface(
        title="アーカイブは遅いディスク",
        trigger="アーカイブの置き場所",
        body="アーカイブは遅いディスクに置く。",
        belongs_because="構成",
        keep="場所",
        may_fade="日付",
    )
    assert reasons(ja, said) == []


def test_the_evidence_date_set_by_code_is_no_invented_number():
    dated = surface(body="As of 2026-11-30 the archive goes on the slow disk.")
    assert reasons(dated, stamp="2026-11-30") == []
    assert "number" in reasons(dated)
