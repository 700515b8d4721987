"""The embedded editor never invents: every text it writes is verbatim from its evidence or one of the fixed phrases."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kura_pipeline.bench.extraction import half, run
from kura_pipeline.bench.planted import lay_out, shipped
from kura_pipeline.bench.verbatim import unsaid
from kura_pipeline.demo import lay_out as demo
from kura_pipeline.distil.extract.writing import section, write
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass
from tests.distil.endtoend import Distilled, config, distil
from tests.distil.material import quote, verdict

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="recorded journals are not here")

SAID = "From now on the archive goes to the slow disk; the fast one stays scratch space."
HONEST = write(verdict(quotes=(quote(SAID),)), "", stamp="2026-11-30")


def invented(found: Distilled) -> tuple[int, list[tuple[str, str]]]:
    """How many drafts were looked at, and what stands in them that nobody said."""
    drafts = [row.draft for row in found.drafted if row.draft is not None]
    return len(drafts), [piece for d in drafts for piece in unsaid(d.surface, [q.text for q in d.quotes])]


# -- the check itself can fail -----------------------------------------------------------------------------------------


def test_an_honest_memory_passes() -> None:
    assert HONEST is not None
    assert unsaid(HONEST, [SAID]) == []


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("title", "The archive goes to the tape"),
        ("trigger", "archive goes to the slow disk; the tape stays scratch space"),
        ("body", "The user said: “the archive goes to the slow disk”, because it is cheaper."),
        ("body", "**Why:** “it is cheaper”"),
        ("body", "The user said: “the archive does not go to the slow disk”"),
        ("belongs_because", "It is important."),
        ("heading", "What follows from it"),
    ],
)
def test_one_word_that_nobody_said_is_found(place: str, text: str) -> None:
    assert HONEST is not None
    found = unsaid(replace(HONEST, **{place: text}), [SAID])
    assert [p for p, _ in found] == [place]


def test_words_of_two_places_put_together_are_found() -> None:
    assert unsaid(Surface("x", "the fast one goes to the slow disk", "", ""), [SAID])


def test_a_title_may_list_names_but_every_one_must_have_been_said() -> None:
    values = ["accent #8abeb7", "error #cc6666", "link #81a2be"]
    assert unsaid(Surface("x", "accent, error, link", "", ""), values) == []
    assert unsaid(Surface("x", "accent, error, border", "", ""), values) == [("title", "border")]
    assert unsaid(Surface("x", "accent, error", "", ""), values) == [("title", "accent, error")]


def test_every_language_has_its_fixed_phrases_recognised() -> None:
    for text in (
        SAID,
        "今後、デプロイの前には必ずスモークテストを実行してください。",
        "以后所有的时间戳都必须使用 UTC，不要使用本地时区。",
        "앞으로 모든 기록은 반드시 한국어로 작성해야 합니다.",
        "Ab sofort laufen alle Sicherungen nur noch nachts, weil sonst die Platte voll ist.",
        "Désormais, toutes les sauvegardes se font toujours la nuit.",
        "A partir de ahora, nunca borres las copias de seguridad antiguas.",
    ):
        tool = quote("disk full at 98 percent", cls="TOOL", n=2)
        made = verdict(quotes=(quote(text), tool))
        for language in ("", "en", "ja", "zh", "de", "fr", "es", "ko"):
            for plain in (False, True):
                surface = write(made, language, stamp="2026-11-30", plain=plain)
                assert surface is not None
                assert unsaid(surface, [text, tool.text]) == [], (text, language)
                part = section(made, language, stamp="2026-11-30", plain=plain)
                assert part is not None
                assert unsaid(Surface("x", "", "", part[1], heading=part[0]), [text, tool.text]) == []
        assert EvidenceClass.TOOL in {q.cls for q in made.quotes}


# -- everything it writes ----------------------------------------------------------------------------------------------


def test_no_memory_of_the_demo_says_what_nobody_said(tmp_path: Path) -> None:
    assert (found := invented(distil(demo(tmp_path / "d"), "demo")))[1] == []
    assert found[0] > 5


@pytest.mark.parametrize("name", [f"{f.corpus}.{f.language}" for f in shipped()])
def test_no_memory_of_the_planted_journals_does(name: str, tmp_path: Path) -> None:
    lay_out(shipped([name])[0], tmp_path / "j")
    assert (found := invented(distil(config(tmp_path / "p", {"claude": tmp_path / "j"}))))[1] == []
    assert found[0] > 5


@needs_shared
@pytest.mark.parametrize("kind", ["pi", "claude", "codex", "dsh"])
def test_no_memory_of_recorded_sessions_does(kind: str, tmp_path: Path) -> None:
    assert invented(distil(config(tmp_path, {kind: SHARED / "journals" / kind})))[1] == []


@needs_shared
def test_no_text_about_the_labelled_notes_does() -> None:
    figures = run(SHARED / "memory-extraction")["figures"]
    assert figures["texts_written"] > 500
    assert figures["texts_invented"] == 0


@needs_shared
def test_the_half_that_nobody_looked_at_does_as_well() -> None:
    figures = run(SHARED / "memory-extraction")["figures"]
    for language in ("en", "zh"):
        assert figures[f"{language}_held_out_precision"] >= 0.75
        assert figures[f"{language}_held_out_recall"] >= 0.9


def test_the_split_is_fixed_and_both_halves_are_reported(tmp_path: Path) -> None:
    ids = [f"t{n}" for n in range(40)]
    assert {half(i) for i in ids} == {"seen", "held_out"}
    text = "We decided to use SQLite for the catalog."
    label = [{"type": "decision", "content": "Using SQLite for the catalog."}]
    (tmp_path / "x.jsonl").write_text(
        "".join(json.dumps({"id": i, "text": text}) + "\n" for i in ids), encoding="utf-8"
    )
    (tmp_path / "x.labels.jsonl").write_text(
        "".join(json.dumps({"id": i, "memories": label}) + "\n" for i in ids), encoding="utf-8"
    )
    figures = run(tmp_path)["figures"]
    assert (figures["en_seen_precision"], figures["en_held_out_recall"]) == (1.0, 1.0)
