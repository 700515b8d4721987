"""Names of memories: a negation is never lost on the way into one, and a title ends where a statement ends."""

from __future__ import annotations

import pytest

from kura_pipeline.distil.extract.naming import TITLE_MAX, cut, slug, title


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Never restart kelp while the nightly backup runs", "never-restart-kelp-nightly-backup-runs"),
        ("don't use unittest in the harbor repository", "dont-unittest-harbor-repository"),
        ("every line of a renderer must not be wider than its box", "line-renderer-not-wider-box"),
        ("no external API key is needed", "no-external-api-key"),
        ("the exporter can't run without the lantern index", "exporter-cant-run-without-lantern-index"),
        ("den Harvester nachts nicht neu starten", "harvester-nachts-nicht-neu-starten"),
        ("Kein Deployment ohne Rauchtest", "kein-deployment-ohne-rauchtest"),
        ("ne redémarrez jamais le serveur kelp", "redemarrez-jamais-serveur-kelp"),
        ("nunca borres la carpeta originals", "nunca-borres-carpeta-originals"),
        ("日志里不要出现 GPS 坐标，因为日志会同步到 lantern", "no-gps-lantern"),
        ("请勿重启 kelp，除非 harbor 已停", "no-kelp-harbor"),
        ("kelp-export は再起動しないでください", "no-kelp-export"),
    ],
)
def test_a_slug_keeps_the_negation(text: str, wanted: str) -> None:
    assert slug(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "not only the lantern index but the kelp index too is rebuilt nightly",
        "kelp-export は毎晩かならず実行しなければならない",
        "don't forget that lantern reads the copy of the catalog",
        "不仅 kelp 要备份，lantern 也要备份",
    ],
)
def test_words_that_deny_nothing_are_no_negation(text: str) -> None:
    assert not {"no", "not", "never", "dont"} & set(slug(text).split("-"))


def test_a_negation_whose_words_were_cut_off_is_not_left_at_the_end() -> None:
    name = slug("the recovery key stands printed, blue folder, upper hallway, and on no disk")
    assert not name.endswith(("-no", "-not"))


def test_a_long_statement_ends_with_a_sentence_a_clause_or_a_mark() -> None:
    asked = "could we have a watcher for the custom themes? that way people can edit one live and see at once what it does to the terminal"
    assert title(asked) == "could we have a watcher for the custom themes?"
    reason = "the footer turns yellow above seventy percent and red above ninety percent of the window so people see that it is nearly full"
    assert (
        title(reason)
        == "the footer turns yellow above seventy percent and red above ninety percent of the window"
    )
    endless = "in the handbook about themes we tell whoever reads it to copy an existing theme over and then modify exactly that copy"
    assert (
        title(endless).endswith("…") and len(title(endless)) <= TITLE_MAX and title(endless)[:-1] in endless
    )


def test_a_condition_is_not_cut_off() -> None:
    text = "restart the kelp exporter by hand on the second machine in the hallway rack, if the nightly verify has failed three times in a row"
    assert "if" in cut(text, 120) or cut(text, 120).endswith("rack")


def test_a_thin_statement_borrows_words_from_its_companions() -> None:
    assert slug("green diff", ["red diff", "accent", "error"]) == "green-diff-red-accent-error"
