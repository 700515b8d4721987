"""Language of a text: no only where it is plain."""

from __future__ import annotations

import pytest

from kura_pipeline.distil.tongue import script_language, wrong_language

EN = "The archive goes on the slow disk and the fast one stays scratch space for the builds."
DE = "Das Archiv liegt auf der langsamen Platte und die schnelle bleibt frei für den Bau der Pakete."
FR = "L'archive est sur le disque lent et le disque rapide reste libre pour les travaux en cours."
ES = "El archivo está en el disco lento y el disco rápido queda libre para las tareas de la noche."
JA = "アーカイブは遅いディスクに置く。速いディスクは作業用に空けておく。"
ZH = "归档放在慢速磁盘上，快速磁盘只作临时空间使用，这样可以减少写入的损耗。"


@pytest.mark.parametrize(
    ("text", "language"), [(EN, "en"), (DE, "de"), (FR, "fr"), (ES, "es-MX"), (JA, "ja"), (ZH, "zh-CN")]
)
def test_right_language_passes(text, language):
    assert wrong_language(text, language) == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (EN, "ja"),
        (EN, "zh"),
        (EN, "de"),
        (DE, "en"),
        (JA, "en"),
        (JA, "zh"),
        (ZH, "ja"),
        (ZH, "en"),
        (FR, "de"),
        (ES, "en"),
        (EN, "ru"),
    ],
)
def test_wrong_language_is_seen(text, language):
    assert wrong_language(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("PostgreSQLのarchive_timeoutは60秒に設定する。WALアーカイブはMinIOへ送る。", "ja"),
        ("使用 PostgreSQL 的 archive_timeout 参数，WAL 归档写入 MinIO 存储桶。", "zh"),
        (
            "Die Meldung war “the archive is not on the slow disk and it was never there before”: Platte voll.",
            "de",
        ),
        ("Run `ls -la /mnt/slow/archive && echo the end of the list` before each start.", "de"),
        ("ok", "ja"),
        (EN, "tlh"),
    ],
)
def test_technical_words_quotations_and_doubts_are_no_ground(text, language):
    assert wrong_language(text, language) == ""


def test_only_a_telling_script_gives_a_language_away():
    assert script_language(("次からは遅いディスクに保存してください",)) == "ja"
    assert script_language(("以后请放在慢速磁盘",)) == "zh"
    assert script_language((EN,)) == script_language((DE,)) == ""
