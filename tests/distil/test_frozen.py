"""Frozen inputs: a rerun is told what the first run was told, and a batch is no news about itself."""

from __future__ import annotations

import json

import pytest

from kura_pipeline.distil.frozen import Frozen
from kura_runtime.domain.manifest import Manifest
from kura_runtime.errors import StoreDamaged
from kura_runtime.gate.echo import served_hashes
from kura_runtime.text.normalise import fold
from tests.distil.material import ARCHIVE_QUOTE, BATCH_ID, memory

SAID = fold(ARCHIVE_QUOTE.text)


class Shelf:
    """A store that says what the test wants, and counts how often it was looked at."""

    def __init__(self, *memories, revision="1"):
        self.held, self.revision, self.looks = list(memories), revision, 0
        self.manifests: dict[str, Manifest] = {}

    def memories(self):
        self.looks += 1
        return list(self.held)

    def manifest(self, digest):
        return self.manifests[digest]

    def poured_by(self, batch_id, *quotes) -> str:
        made = Manifest(
            "1", "maker", batch_id, {}, tuple(quotes), (), (), {}, {}, (), "2026-11-30T10:15:00+00:00"
        )
        self.manifests[made.digest] = made
        return made.digest


def frozen(tmp_path, shelf, **more) -> Frozen:
    return Frozen(tmp_path / "frozen" / f"{BATCH_ID}.json", BATCH_ID, shelf, **more)


def test_a_rerun_is_told_the_same_although_the_store_moved_on(tmp_path):
    first = frozen(tmp_path, Shelf(memory(), revision="7"))
    shown = first.neighbours("fast disk for scratch")
    assert (first.stored(SAID), first.holds("tape-vault"), first.revision) == (False, False, "7")
    first.save()
    moved = Shelf(memory(title="Renamed"), memory("tape-vault", summary=ARCHIVE_QUOTE.text), revision="9")
    again = frozen(tmp_path, moved)
    assert again.neighbours("fast disk for scratch") == shown
    assert (again.stored(SAID), again.holds("tape-vault"), again.revision) == (False, False, "7")
    assert moved.looks == 0, "the store is not even read"


def test_refresh_freezes_anew(tmp_path):
    frozen(tmp_path, Shelf(memory())).neighbours("fast disk for scratch")
    now = Shelf(memory(title="Renamed"), revision="9")
    fresh = frozen(tmp_path, now, refresh=True)
    assert [m.title for m in fresh.neighbours("fast disk for scratch")] == ["Renamed"]
    assert frozen(tmp_path, Shelf()).neighbours("fast disk for scratch")[0].title == "Renamed"


def test_refresh_in_one_step_keeps_what_another_step_froze_anew(tmp_path):
    gate = frozen(tmp_path, Shelf(memory(summary=ARCHIVE_QUOTE.text)), refresh=True)
    assert gate.stored(SAID)
    gate.save()
    drafts = frozen(tmp_path, Shelf(), refresh=True)
    drafts.neighbours("disk")
    drafts.save()
    assert frozen(tmp_path, Shelf()).stored(SAID), "the echo answer of the gate step is still there"


def test_the_batchs_own_memory_is_no_echo_no_neighbour_and_no_taken_slug(tmp_path):
    shelf = Shelf()
    own = shelf.poured_by(BATCH_ID, ARCHIVE_QUOTE)
    shelf.held = [
        memory("own", summary=ARCHIVE_QUOTE.text, origin_manifest=own, evidence_manifest=own),
        memory(),
    ]
    view = frozen(tmp_path, shelf, served=lambda: frozenset(served_hashes(ARCHIVE_QUOTE.text)))
    assert not view.stored(SAID)
    assert not view.served(SAID), "what it served out of our own memory we had said first"
    assert not view.holds("own")
    assert view.holds("disk-layout")
    assert [m.slug for m in view.neighbours("the archive goes to the slow disk")] == ["disk-layout"]


def test_a_memory_of_another_batch_is_an_echo(tmp_path):
    shelf = Shelf()
    other = shelf.poured_by("20260101T000000-ffffffff", ARCHIVE_QUOTE)
    shelf.held = [memory("other", summary=ARCHIVE_QUOTE.text, origin_manifest=other, evidence_manifest=other)]
    assert frozen(tmp_path, shelf).stored(SAID)


def test_a_section_the_batch_added_to_an_older_memory_is_no_echo(tmp_path):
    shelf = Shelf()
    older, own = shelf.poured_by("20260101T000000-ffffffff"), shelf.poured_by(BATCH_ID, ARCHIVE_QUOTE)
    shelf.held = [
        memory(
            "older", summary="Old words. " + ARCHIVE_QUOTE.text, origin_manifest=older, evidence_manifest=own
        )
    ]
    view = frozen(tmp_path, shelf)
    assert not view.stored(SAID)
    assert view.stored(fold("The machine has old words.")) is False
    assert view.holds("older")


def test_what_was_served_is_asked_for_once_and_only_when_needed(tmp_path):
    calls = []

    def served():
        calls.append(1)
        return frozenset(served_hashes("This sentence came out of a recall."))

    view = frozen(tmp_path, Shelf(), served=served)
    assert view.holds("x") is False
    assert calls == []
    assert view.served(fold("This sentence came out of a recall."))
    assert not view.served(fold("This one did not come out of it."))
    assert len(calls) == 1


@pytest.mark.parametrize("text", ["", "{}", "[1]", "not json", json.dumps({"stored": {}})])
def test_a_damaged_file_says_which_and_what_to_do(tmp_path, text):
    path = tmp_path / "frozen" / f"{BATCH_ID}.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(StoreDamaged, match="delete the file"):
        frozen(tmp_path, Shelf())


def test_the_file_is_readable_and_the_same_bytes_for_the_same_answers(tmp_path):
    files = []
    for name in "ab":
        view = frozen(tmp_path / name, Shelf(memory(extra=("x: 1",)), memory("日本")))
        for text in ("disk", "アーカイブ"):
            view.neighbours(text)
        view.save()
        files.append((tmp_path / name / "frozen" / f"{BATCH_ID}.json").read_bytes())
    assert files[0] == files[1]
    assert json.loads(files[0])["batch"] == BATCH_ID
