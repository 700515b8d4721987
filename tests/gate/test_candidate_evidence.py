"""What counts as the speaker's own act (rule G10) and what counts as settled (rule G9): in many languages, and not by one word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kura_runtime.domain.candidate import Candidate
from kura_runtime.gate.attribution import People
from kura_runtime.gate.idea import as_fact
from kura_runtime.gate.tag_evidence import asks_to_keep, failed, feels, promises, warns

SAID: list[tuple[Callable[[str], bool], bool, list[str]]] = [
    (
        asks_to_keep,
        True,
        [
            "keep this in mind: port 22 is closed",
            "Notiere dir bitte: Port 22 ist zu",
            "lembre-se que a porta 22 está fechada",
            "ricordati che la porta 22 è chiusa",
            "note to self, port 22 is closed",
            "Pamiętaj, że port 22 jest zamknięty",
            "これはメモしておいて、ポート22は閉じています",
            "帮我记一下，22端口关了",
            "잊지 말아줘, 22번 포트는 닫혀 있어",
            "احفظ هذا: المنفذ مغلق",
            "can you remember this for later?",
            "I want you to remember that",
            "save this for later",
            "retiens bien que le port est fermé",
            "make a note that port 22 is closed",
            "Ten en cuenta que el puerto está cerrado",
            "for future reference, remember the port",
            "this must not be forgotten",
            "please store this in your memory",
        ],
    ),
    (
        asks_to_keep,
        False,
        [
            "I remember that the port was open",
            "remember when we broke prod?",
            "keep the port closed",
            "do you remember the port?",
            "I forgot the port",
            "the note is on my desk",
            "memory usage is high",
            "I saved the file",
            "no olvidé nada",
            "思い出したけどポートは閉じてる",
            "我记得端口是关的",
            "you don't need to remember this",
            "記憶装置が壊れた",
            "기억이 안 나요",
            "keep the changelog terse please",
            "note the spelling here",
            "Erinnerst du dich an den Port?",
            "reminder emails are broken",
        ],
    ),
    (
        promises,
        True,
        [
            "I'll send you the logs tonight",
            "I will fix the port on monday",
            "count on me for the review",
            "ich kümmere mich morgen darum",
            "je m'en occupe demain matin",
            "mañana lo haré yo mismo",
            "明日までに必ず直します",
            "我明天会把日志发给你",
            "내일까지 로그를 보내겠습니다",
            "обещаю прислать логи",
            "سوف أرسل السجلات غدا",
            "we will never deploy on fridays again",
        ],
    ),
    (
        promises,
        False,
        [
            "you will fix the port",
            "I might fix it",
            "will it work?",
            "I'll be out at lunch",
            "can you promise that?",
            "the build will fail",
            "send me the logs tonight",
            "明日直してください",
            "你明天发给我",
            "the will of the team",
            "I'll think about it",
            "promises are a javascript feature",
            "das wird schon",
        ],
    ),
    (
        warns,
        True,
        [
            "watch out for the cron job",
            "never run that script, it deletes everything",
            "Achtung, das Skript löscht alles",
            "attention, ce script supprime tout",
            "ojo con el cron",
            "注意！这个命令会清空目录",
            "このコマンドは危険です",
            "осторожно, скрипт удаляет всё",
            "조심하세요, 이 스크립트는 다 지워요",
            "احذر من هذا الأمر",
            "⚠️ this wipes the disk",
            "don't touch the bucket or it breaks",
        ],
    ),
    (
        warns,
        False,
        [
            "please run the script",
            "the script works well",
            "keep the seed data",
            "日志在本地",
            "backup is fine",
            "I like the cron job",
            "das Skript läuft",
        ],
    ),
    (
        failed,
        True,
        [
            "npm ERR! code ELIFECYCLE",
            "panic: runtime error: index out of range",
            "Permission denied (publickey).",
            "FAILED tests/test_a.py::test_b",
            "3 failed, 12 passed",
            "exit status 1",
            "Killed",
            "fatal: not a git repository",
            "ECONNREFUSED 127.0.0.1:5432",
            "segmentation fault (core dumped)",
            "Fehler: Datei nicht gefunden",
            "ошибка: файл не найден",
            "错误：连接被拒绝",
            "エラー: 接続できませんでした",
            "오류: 연결 거부",
            "خطأ: فشل الاتصال",
            "error: cannot open file",
            "HTTP 500 Internal Server Error",
        ],
    ),
    (
        failed,
        False,
        [
            "12 passed, 0 failed",
            "no errors found",
            "build ok",
            "errors: 0, warnings: 0",
            "all tests green",
            "0 errors, 2 warnings",
            "compiled successfully",
            "failed: 0",
            "ran without errors",
            "失败 0 个，通过 12 个",
            "エラー 0 件",
            "0 fehlgeschlagen, 12 bestanden",
            "exit code 0",
            "error rate is 0",
            "sin errores",
            "aucune erreur détectée",
            "loaded error_handler.py",
            "no failures detected",
            "не найдено ошибок",
            "オフライン時の例外処理を追加",
        ],
    ),
    (
        feels,
        True,
        [
            "I love this keyboard",
            "this makes me so angry",
            "I'm scared of losing the photos",
            "das macht mich traurig",
            "je suis triste pour le chat",
            "me da mucha pena perder las fotos",
            "写真が消えて悲しい",
            "我很难过照片没了",
            "사진이 사라져서 너무 슬퍼요",
            "мне грустно без этих фото",
            "أنا حزين جدا اليوم",
            "I hate this vendor",
        ],
    ),
    (
        feels,
        False,
        [
            "the chart is green",
            "I'd love to see the log",
            "run the happy path test",
            "users are happy",
            "the tests pass",
            "日志保留九十天",
            "el puerto está cerrado",
            "lovely weather API",
            "hate speech filter is on",
            "I miss the point of this flag",
        ],
    ),
]


IDEAS = [
    "Maybe we could approve deletes automatically?",
    "Cache warmup could run once the deploy is confirmed",
    "Vielleicht sollte die Pipeline nachts laufen",
    "et si on gardait un manifeste à côté de chaque archive ?",
    "¿Y si el exportador escribiera un manifiesto?",
    "可以考虑让用户确认后再删除",
    "An approval step before the deploy might help",
    "a user-facing dark mode toggle",
    "Let users decide which theme they want",
    "we might ask the user to confirm before deleting",
    "one could offer a decided/undecided filter",
    "사용자가 승인한 항목만 자동으로 반영하면 어떨까",
    "توفير زر للموافقة قبل الحذف قد يكون مفيدا",
    "Perhaps a nightly job that compares checksums",
    "A small CLI to list confirmed orders",
]
REPORTS = [
    "User has agreed to drop Python 3.9 support",
    "The owner signed off on the new retention",
    "El equipo ya aprobó el cambio de proveedor",
    "用户已同意删除旧快照",
    "사용자가 메일 이전을 승인했다",
    "وافق المستخدم على حذف النسخ",
    "L'équipe a validé le passage à Postgres",
    "Der Nutzer hat dem Umzug zugestimmt",
    "Decision: we move to Postgres",
    "O usuário aprovou a migração",
    "Пользователь одобрил удаление снимков",
    "移行はユーザーの承認を得ている",
    "The plan to migrate was accepted by the user",
    "they said yes to the rewrite",
    "we got the go-ahead for the migration",
    "The customer wants the export to run nightly",
    "Permission to delete the snapshots has been obtained",
    "I measured 12 ms on the new disk",
]


@pytest.mark.parametrize(("act", "expected", "text"), [(f, e, t) for f, e, texts in SAID for t in texts])
def test_an_act_is_told_from_a_word_that_looks_like_it(
    act: Callable[[str], bool], expected: bool, text: str
) -> None:
    assert act(text) is expected


def idea(topic: str) -> bool:
    return as_fact(Candidate(topic, "idea", "might be useful", ()), People()) is None


@pytest.mark.parametrize("topic", IDEAS)
def test_a_supposition_goes_to_the_seeds(topic: str) -> None:
    assert idea(topic)


@pytest.mark.parametrize("topic", REPORTS)
def test_a_report_of_a_decision_is_no_idea(topic: str) -> None:
    assert not idea(topic)
