"""The agent's opinion is told from its facts and from its reports."""

from __future__ import annotations

import pytest

from kura_runtime.gate.judgement import is_judgement, is_report

OPINIONS = (
    "My judgement: I think the split by tenant is cleaner than the split by region",
    "I think the cleaner split is by tenant rather than by region; the joins read better that way.",
    "In my view the retry loop is too eager.",
    "I'd rather keep the queue small.",
    "It seems to me that the cache hides the bug.",
    "I find the second layout cleaner.",
    "A mi juicio, creo que la cola de mensajes es el cuello de botella",
    "Me parece que el índice sobra.",
    "Ich glaube, die Warteschlange ist der Engpass.",
    "Meines Erachtens ist die Vorlage zu lang.",
    "Mir scheint, der Cache ist zu klein.",
    "À mon avis, la file est trop longue.",
    "Je trouve ce découpage plus clair.",
    "Il me semble que le cache est trop petit.",
    "我认为缓存太小了。",
    "在我看来，这个方案更简单。",
    "我的判断：按租户拆分更清楚。",
    "キャッシュが小さすぎると思います。",
    "個人的には二つ目の案が読みやすい。",
    "私見では分割は不要だ。",
    "제 생각에는 캐시가 너무 작다.",
    "큐가 병목인 것 같습니다.",
    "أعتقد أن الطابور هو عنق الزجاجة.",
    "في رأيي التقسيم حسب المستأجر أوضح.",
)
FACTS = (
    "the retry storm is caused by the stale DNS cache on the edge nodes",
    "I verified that the restore works end to end on the new cluster",
    "I think I confirmed that the restore works",
    "キャッシュ層の不具合の原因はTTLの設定ミス",
    "復元が動くことを確認しました。",
    "La cola de mensajes es el cuello de botella",
    "He comprobado que la copia funciona.",
    "Ich habe geprüft, dass die Sicherung läuft.",
    "J'ai vérifié que la sauvegarde fonctionne.",
    "我已经验证恢复流程可用。",
    "缓存太小是原因。",
    "복원이 동작하는 것을 확인했습니다.",
    "تحققت من أن النسخ يعمل.",
    "The user thinks the cache is small.",
    "Probably the cache.",
    "I am sure the cache is broken.",
)


@pytest.mark.parametrize("text", OPINIONS)
def test_a_first_person_opinion_is_a_judgement(text: str) -> None:
    assert is_judgement(text)


@pytest.mark.parametrize("text", FACTS)
def test_a_bare_fact_or_a_report_in_the_first_person_is_no_judgement(text: str) -> None:
    assert not is_judgement(text)


def test_a_report_is_named_as_one() -> None:
    assert is_report("I measured the latency.")
    assert not is_report("I think the latency is fine.")
