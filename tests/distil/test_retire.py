"""Supersession by the human's own sentence: every doubt leaves both memories standing."""

from __future__ import annotations

import pytest

from kura_pipeline.distil.replacement import says_replaced
from kura_pipeline.distil.retire import supersessions
from tests.distil.material import memory, quote, surface

OLD, NEW = ["archive disk", "アーカイブ盤"], ["tape vault", "テープ庫"]


@pytest.mark.parametrize(
    "sentence",
    [
        "The tape vault replaces the archive disk.",
        "the ARCHIVE DISK is replaced by the tape vault now",
        "Use the tape vault instead of the archive disk from now on.",
        "We switched from the archive disk to the tape vault.",
        "Der tape vault ersetzt ab heute den archive disk.",
        "Nicht mehr archive disk, sondern tape vault.",
        "Le tape vault remplace l'archive disk.",
        "El tape vault sustituye al archive disk.",
        "アーカイブ盤をテープ庫に置き換えました。",
        "アーカイブ盤ではなくテープ庫を使ってください。",
        "以后用tape vault代替archive disk。",
        "不再用archive disk，改用tape vault",
    ],
)
def test_an_explicit_replacement_is_heard(sentence):
    assert says_replaced(sentence, OLD, NEW)


@pytest.mark.parametrize(
    "sentence",
    [
        "The archive disk replaces the tape vault.",
        "Don't replace the archive disk with the tape vault.",
        "Should we replace the archive disk with the tape vault?",
        "If we replace the archive disk with the tape vault, backups get slow.",
        "We will replace the archive disk with the tape vault next month.",
        "I never said the tape vault replaces the archive disk.",
        "The archive disk and the tape vault are both fine.",
        "The tape vault replaces the old scripts on the archive disk.",
        "The tape vault replaces something else.",
        "The tape vault replaces the archive disks' labels only in name, not the archive.",
        "Wenn der tape vault den archive disk ersetzt, sag Bescheid.",
        "Le tape vault ne remplace pas l'archive disk.",
        "アーカイブ盤をテープ庫に置き換えないで。",
        "アーカイブ盤をテープ庫に置き換えるべきでしょうか",
        "不要用tape vault代替archive disk",
        "要不要用tape vault代替archive disk？",
    ],
)
def test_a_doubt_is_a_no(sentence):
    assert not says_replaced(sentence, OLD, NEW)


def test_a_name_that_means_both_decides_nothing():
    assert not says_replaced("disk replaces disk", ["disk"], ["disk"])


NEW_SURFACE = surface(slug="tape-vault", title="Tape vault")
OLD_MEMORY = memory("archive-disk", title="Archive disk")


def found(*quotes, memories=(OLD_MEMORY,), callsigns=()):
    return [s.old for s in supersessions(NEW_SURFACE, callsigns, quotes, memories)]


def test_the_humans_sentence_retires_the_old_memory():
    assert found(quote("Good. The tape vault replaces the archive disk. Thanks.")) == ["archive-disk"]


def test_the_two_names_in_two_sentences_are_not_enough():
    assert found(quote("The tape vault is ready. It replaces the archive disk.")) == []


@pytest.mark.parametrize("cls", ["TOOL", "ACT", "SELF"])
def test_nobody_but_the_human_retires_anything(cls):
    assert found(quote("The tape vault replaces the archive disk.", cls)) == []


def test_a_retired_memory_is_not_retired_again_and_none_retires_itself():
    said = quote("The tape vault replaces the archive disk.")
    assert found(said, memories=(memory("archive-disk", title="Archive disk", state="retired"),)) == []
    assert found(said, memories=(memory("tape-vault", title="Archive disk"),)) == []


def test_a_callsign_names_the_new_memory():
    assert found(quote("Big Bertha replaces the archive disk."), callsigns=("big bertha",)) == [
        "archive-disk"
    ]


def test_a_short_name_is_not_telling_enough():
    assert found(quote("The tape vault replaces the box."), memories=(memory("box", title="Box"),)) == []
