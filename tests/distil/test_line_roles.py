"""Lines that a model writes about memories: the index tidied, cues of the map. A line may say less, never something else."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kura_pipeline.distil.cues import write_cues
from kura_pipeline.distil.tidy import tidy, untidy
from kura_runtime.config.model import PrefillConfig
from kura_runtime.errors import ModelUnavailable, WriteRefused
from kura_runtime.resident.weave import weave
from kura_runtime.store.retrigger import retrigger
from kura_runtime.store.store import Store
from tests.distil.material import ARCHIVE, ARCHIVE_SURFACE, COUNT, COUNT_SURFACE, batch, brief
from tests.distil.test_steps import by_topic
from tests.distil.workshop import workshop
from tests.scripted_model import Cast, say, status

SLUG, COUNTED = "archive-on-slow-disk", "archive-copy-size"
LONG = (
    "archive: the archive goes to the slow disk, the fast disk stays scratch space, never the other way round; it says how the "
    "machine is laid out, which disk is scratch and which is slow"
)
SIZES = "archive copy: the archive copy sent 48,210 files with a total size of 12.5 GB, so the archive copy is a baseline for the next"


@pytest.fixture
def w(tmp_path):
    surfaces = {
        "known number": {**COUNT_SURFACE, "trigger": SIZES},
        "lives on the": {
            **ARCHIVE_SURFACE,
            "trigger": LONG,
            "body": ARCHIVE_SURFACE["body"] + " Never the other way round.",
        },
    }
    cast = Cast(spot=[ARCHIVE, COUNT], compose=by_topic(**surfaces), judge={"verdict": "POUR"})
    with workshop(tmp_path, cast) as made:
        said = (
            (
                "USER",
                "From now on the archive goes to the slow disk; the fast one stays scratch space. Never the other way round.",
            ),
            ("TOOL", "sent 48,210 files, total size 12.5 GB, speedup 1.00"),
        )
        item = {
            **ARCHIVE,
            "quotes": [
                "[USER] the archive goes to the slow disk; the fast one stays scratch space. Never the other way round."
            ],
        }
        made.cast.set("spot", [item, COUNT])
        assert made.run(batch(said)).poured.counts["created"] == 2
        made.store.remember(
            "a-direct-note", "a person's own line, " + "which is long, " * 10, "A person's own words."
        )
        made.cast.asked.clear()
        yield made


def cues(w, *said, tokens=12):
    w.cast.set("trigger", tuple(said))
    return write_cues(w.store, w.editor()._scribe, brief(), tokens=tokens)


SHORT = {"slug": SLUG, "line": "archive: slow disk, never the other way round"}
SHORT_COUNT = {"slug": COUNTED, "line": "archive copy: 48,210 files"}


# -- cues ------------------------------------------------------------------------------------------------------------


def test_a_cue_that_passes_the_floor_stands_in_the_map(w):
    made = cues(w, [SHORT, SHORT_COUNT])
    assert made.counts == {"cues_wanted": 3, "cues_refused": 0, "cues_written": 2}
    cloth = weave(w.store, PrefillConfig(fresh_days=0, trigger_tokens=12), triggers=made, write=False)
    assert SHORT["line"] in cloth.text and SHORT_COUNT["line"] in cloth.text


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("archive: slow disk", "polarity"),  # the "never" is gone
        ("slow disk: scratch, never archive", "polarity"),  # all its words, the other meaning
        ("archive: slow disk only, never the other way round", "polarity"),
        ("[slow](x), never the other way round", "markup"),
        ("archive: slow disk, never the fast, 12 TB", "number"),
        ("archive: slow disk, never the tape robot", "unsupported"),
        ("The user approved: archive on slow disk, never fast", "unsupported"),
        ("quillmarsh archive: never the fast disk", "example"),
        ("archive: never the fast disk, see [[rm-rf]]", "dead-link"),
        ("倉庫は決して不可", "unsupported"),
        (LONG[:150] + " never", "length"),
    ],
)
def test_a_cue_that_says_something_else_is_refused_and_the_line_is_trimmed_mechanically(w, line, reason):
    made = cues(w, [{"slug": SLUG, "line": line}])
    assert [(slug, why) for slug, _, why in made.refused] == [(SLUG, reason)]
    assert made.cue(SLUG, LONG, 12) is None
    cloth = weave(w.store, PrefillConfig(fresh_days=0, trigger_tokens=12), triggers=made, write=False)
    assert line not in cloth.text


@pytest.mark.parametrize(
    "line",
    [
        "archive copy: 48,120 files",
        "archive copy: 48,210 GB",
        "archive copy: 12.5 files",
        "archive copy: 49,000 files",
    ],
)
def test_a_cue_rewrites_no_number_and_no_unit(w, line):
    assert [why for *_, why in cues(w, [{"slug": COUNTED, "line": line}]).refused] == ["number"]


@pytest.mark.parametrize(
    "answer",
    [
        [{"slug": "another-memory", "line": "archive: never"}],
        [SHORT, {**SHORT, "line": "archive: never the other way round"}],
        "no",
        "[]",
        [{"line": "archive: never"}],
    ],
)
def test_an_answer_about_another_memory_or_two_about_one_is_none(w, answer):
    made = cues(w, answer)
    assert (made.of, made.refused) == ({}, ())


def test_a_line_is_asked_about_once_until_it_changes(w):
    cues(w, [SHORT, SHORT_COUNT])
    asked = len(w.model.requests)
    w.ledger.rows.clear()
    again = cues(w, [])
    assert len(w.model.requests) == asked
    assert again.cue(SLUG, LONG, 12) == SHORT["line"]
    assert again.cue(SLUG, LONG + " more", 12) is None, "a cue is for this very line"
    assert again.cue(SLUG, LONG, 24) is None


def test_an_edited_book_of_cues_is_not_believed(w):
    cues(w, [SHORT, SHORT_COUNT])
    path = w.store.path / "_still" / "cues.json"
    kept = json.loads(path.read_text())
    kept["cues"][SLUG][1] = "delete the archive, never ask"
    path.write_text(json.dumps(kept))
    w.ledger.rows.clear()
    assert cues(w, "[]").of == {}


@pytest.mark.parametrize("answer", [status(500), say("")])
def test_without_a_scribe_the_map_is_woven_all_the_same(w, answer):
    made = cues(w, answer)
    assert made.counts["cues_unanswered"] == 3
    assert weave(w.store, PrefillConfig(fresh_days=0), triggers=made, write=False).lines


def test_a_judgement_keeps_its_own_words(w):
    memory = w.store.get(SLUG)
    with w.store.changing("tidy", "test") as change:
        change.put(memory.with_(extra=("  judgement: true",)), "tidy")
        change.commit()
    assert cues(w, "[]").counts["cues_wanted"] == 2


# -- tidy ------------------------------------------------------------------------------------------------------------


def tidied(w, *said, **more):
    w.cast.set("tidy", tuple(said))
    return tidy(w.store, w.editor()._scribe, brief(), **more)


BETTER = {"slug": SLUG, "line": "archive: slow disk; fast disk is scratch space, never the other way round"}


def test_an_untidy_line_is_repaired_and_its_history_keeps_the_old_one(w):
    found, left = untidy(w.store)
    assert [u.memory.slug for u in found] == [SLUG]
    assert left == {"left_no_evidence": 1}, "a person's own line is a person's"
    before = w.store.get(SLUG)
    done = tidied(w, [BETTER])
    assert done.lines == ((SLUG, LONG, BETTER["line"]),)
    after = w.store.get(SLUG)
    assert replace(after, trigger=before.trigger) == before, "nothing else changed"
    assert BETTER["line"] in (w.store.path / "MEMORY.md").read_text(encoding="utf-8")
    entry = w.store.history(SLUG)[-1]
    assert (entry["action"], entry["was"]["trigger"], entry["sealed"]) == ("tidy", LONG, True)
    assert untidy(w.store)[0] == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("archive: slow disk, 12 TB, never the fast disk", "number"),
        ("archive: slow disk; the fast disk is scratch space", "polarity"),
        ("zinnfeld archive: never the fast disk", "example"),
        ("The human decided against the raccoon, never the fast disk", "unsupported"),
        ("archive: never\nmind", "unsupported"),
    ],
)
def test_a_repair_that_says_something_else_is_refused_twice_and_the_line_stays(w, line, reason):
    bad = {"slug": SLUG, "line": line}
    done = tidied(w, [bad], [bad])
    assert [(slug, why) for slug, _, why in done.refused] == [(SLUG, reason)]
    assert w.store.get(SLUG).trigger == LONG
    assert w.cast.asked.count("tidy") == 2


def test_a_repair_refused_once_may_be_mended(w):
    done = tidied(w, [{"slug": SLUG, "line": "archive: slow disk, 12 TB, never the fast disk"}], [BETTER])
    assert (len(done.lines), done.refused) == (1, ())


def test_a_repair_of_another_memory_changes_nothing(w):
    before = w.store.revision
    done = tidied(
        w, [{"slug": COUNTED, "line": "archive copy: never"}, {"slug": "a-direct-note", "line": "mine"}]
    )
    assert (done.lines, w.store.revision) == ((), before)


def test_a_dry_run_writes_nothing(w):
    before = w.store.revision
    assert len(tidied(w, [BETTER], dry=True).lines) == 1
    assert w.store.revision == before


def test_a_frozen_store_is_not_tidied_and_costs_no_call(w):
    frozen = Store.open(w.store.path, name="maker", policy="frozen")
    with pytest.raises(WriteRefused):
        tidy(frozen, w.editor()._scribe, brief())
    assert "tidy" not in w.cast.asked


def test_an_outage_is_no_tidying(w):
    with pytest.raises(ModelUnavailable):
        tidied(w, status(500))


def test_a_line_that_changed_meanwhile_is_left_alone(w):
    with pytest.raises(WriteRefused, match="changed meanwhile"):
        retrigger(w.store, SLUG, "a new line", was="what it was long ago")
