"""What a batch may leave on a memory that covers it: one `recurred`, and the human's own names, each with a sealed receipt;
and what a conflict leaves for a person to rule on."""

from __future__ import annotations

import json

import pytest

from kura_runtime.store import receipts
from tests.distil.material import ARCHIVE, ARCHIVE_SURFACE, batch, quote
from tests.distil.test_steps import good_cast
from tests.distil.workshop import workshop

SLUG = "archive-on-slow-disk"
COVERED = {"kind": "COVERED", "slug": SLUG}
SAID = (("USER", "Just so you know, I call the archive on the slow disk old faithful, it stays there."),)


def returning(w, callsigns=("old faithful",), said=SAID, session="s2", batch_id="20261205T080000-aaaabbbb"):
    item = {
        **ARCHIVE,
        "topic": "The archive stays on the slow disk",
        "quotes": ["[USER] I call the archive on the slow disk old faithful, it stays there"],
        "callsigns": list(callsigns),
    }
    w.cast.set("spot", [item])
    w.cast.set("novelty", COVERED)
    return w.run(batch(said, batch_id, session=session))


def test_a_name_the_human_uses_later_is_added_with_a_sealed_receipt(tmp_path):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run()
        run = returning(w)
        assert (run.poured.counts["recurred"], run.poured.counts["callsigns"]) == (1, 1)
        memory = w.store.get(SLUG)
        assert memory.callsigns == ("old faithful",)
        (receipt,) = w.store.receipts(SLUG)
        assert receipt["sealed"] is True
        assert "old faithful" in receipt["quote"] and receipt["session"] == "s2"
        assert receipt["quote"] in {q.text for q in w.store.manifest(receipt["manifest"]).quotes}
        assert receipts.unwitnessed(w.store, SLUG) == ()
        before = w.store.revision
        assert returning(w).poured.counts["callsigns"] == 0
        assert w.store.revision == before, "a rerun adds nothing"


@pytest.mark.parametrize("offered", [["the vault"], ["fai"], ["archive of the agent"], ["x" * 41]])
def test_a_name_the_human_did_not_say_is_no_callsign(tmp_path, offered):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run()
        run = returning(w, offered)
        assert run.poured.counts["callsigns"] == 0
        assert w.store.get(SLUG).callsigns == ()
        assert w.store.receipts(SLUG) == []


def test_a_memory_has_two_names_at_most_whatever_comes_later(tmp_path):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run()
        returning(w, ("old faithful", "slow disk"))
        assert len(w.store.get(SLUG).callsigns) == 2
        run = returning(w, ("archive on the slow disk",), session="s3", batch_id="20261206T080000-aaaabbbb")
        assert run.poured.counts["callsigns"] == 0
        assert w.store.get(SLUG).callsigns == ("old faithful", "slow disk")


def test_a_name_of_another_memory_is_not_given_away(tmp_path):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run()
        returning(w)
        w.store.remember("tape-vault", "tape vault", "The tape vault stands in the cellar.")
        done = receipts.note_covered(
            w.store, "tape-vault", batch="b", session="s9", recurs=False, callsigns=["Old Faithful"],
            quotes=[quote("we call it Old Faithful")], manifest="",
        )  # fmt: skip
        assert done.action == "unchanged"


def test_a_receipt_that_was_edited_or_moved_does_not_hold(tmp_path):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run()
        returning(w)
        path = next((w.store.path / "_kura" / "receipts").iterdir())
        row = json.loads(path.read_text())
        path.write_text(json.dumps({**row, "callsign": "delete everything"}) + "\n")
        assert [r["sealed"] for r in w.store.receipts(SLUG)] == [False]
        assert receipts.unwitnessed(w.store, SLUG) == ("old faithful",)
        path.with_name("other-memory.jsonl").write_text(json.dumps(row) + "\n")
        assert [r["sealed"] for r in receipts.read(w.store, "other-memory")] == [False]


def test_a_new_memory_and_an_extension_have_receipts_too(tmp_path):
    named = {**ARCHIVE, "callsigns": ["scratch space"]}
    with workshop(tmp_path, good_cast(spot=[named])) as w:
        w.run()
        assert w.store.get(SLUG).callsigns == ("scratch space",)
        assert [r["callsign"] for r in w.store.receipts(SLUG)] == ["scratch space"]
        w.cast.set("extend", {"heading": "A name", "body": "It stays there."})
        w.cast.set("judge", {"verdict": "POUR"})
        w.cast.set("novelty", {"kind": "EXTENDS", "slug": SLUG})
        item = {
            **ARCHIVE,
            "topic": "old faithful",
            "quotes": [f"[USER] {SAID[0][1]}"],
            "callsigns": ["old faithful"],
        }
        w.cast.set("spot", [item])
        w.run(batch(SAID, "20261205T080000-aaaabbbb", session="s2"))
        assert w.store.get(SLUG).callsigns == ("scratch space", "old faithful")
        assert [r["sealed"] for r in w.store.receipts(SLUG)] == [True, True]


def test_what_has_no_known_origin_has_not_recurred(tmp_path):
    """A memory written directly names no session: nobody can say that this is another one."""
    with workshop(tmp_path, good_cast()) as w:
        w.store.remember(SLUG, "archive: slow disk", "The archive lives on the slow disk and stays there.")
        run = returning(w, ())
        assert run.drafted.counts["recurring"] == 1
        assert run.poured.counts["recurred"] == 0
        assert "recurred" not in w.store.get(SLUG).tags


def test_the_agents_prose_and_a_machine_bring_nothing_back(tmp_path):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run()
        said = (("TOOL", "note: the archive on the slow disk is called old faithful, it stays there"),)
        w.cast.set(
            "spot",
            [
                {
                    **ARCHIVE,
                    "topic": "archive on the slow disk",
                    "quotes": [f"[USER] {said[0][1]}"],
                    "callsigns": ["old faithful"],
                }
            ],
        )
        w.cast.set("novelty", COVERED)
        run = w.run(batch(said, "20261205T080000-aaaabbbb", session="s2"))
        assert [r.outcome for r in run.drafted.rows()] == ["covered"]
        assert (run.poured.counts["recurred"], run.poured.counts["callsigns"]) == (0, 0)


def test_why_shows_the_words_with_which_the_human_came_back(tmp_path):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run()
        returning(w)
        assert {q.session for _, q in w.store.why(SLUG).quotes} == {"s1", "s2"}
        assert not w.store.why(SLUG).problems


def test_a_conflict_is_a_proposal_with_both_sides_and_their_evidence_and_overwrites_nothing(tmp_path):
    with workshop(tmp_path, good_cast(spot=[ARCHIVE])) as w:
        w.run()
        old = w.store.get(SLUG)
        said = "So the archive goes to the fast disk after all."
        w.cast.set(
            "spot", [{**ARCHIVE, "topic": "The archive lives on the fast disk", "quotes": [f"[USER] {said}"]}]
        )
        w.cast.set("novelty", {"kind": "CONFLICTS", "slug": SLUG})
        w.cast.set(
            "compose",
            {**ARCHIVE_SURFACE, "slug": "archive-on-fast-disk", "title": "Archive on the fast disk",
             "trigger": "archive: the fast disk", "body": "The archive goes to the fast disk."},
        )  # fmt: skip
        w.cast.set("judge", {"verdict": "POUR"})
        w.run(batch((("USER", said),), "20261206T080000-aaaabbbb", session="s8"))
        (proposal,) = w.store.proposals()
        assert [q["text"] for q in proposal["old"]["evidence"]] == [
            ARCHIVE["quotes"][0].removeprefix("[USER] ")
        ]
        assert [(q["text"], q["session"]) for q in proposal["new"]["evidence"]] == [(said, "s8")]
        assert {proposal["old"]["slug"], proposal["new"]["slug"]} == {SLUG, "archive-on-fast-disk"}
        kept = w.store.get(SLUG)
        assert (kept.summary, kept.title, kept.trigger) == (old.summary, old.title, old.trigger)
        assert (kept.state, w.store.get("archive-on-fast-disk").state) == ("conflict", "conflict")
