"""Evidence turns of long conversations: kept by the embedded editor, found by lexical retrieval, and BM25 beside it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kura_pipeline.bench.bm25 import K1, B, Bm25, stems, tokens
from kura_pipeline.bench.locomo import _best, kept_turns, read, retrieval, run
from kura_runtime.errors import BadInput

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "locomo" / "locomo10.json"


def conversation(**more) -> dict:
    talk = {
        "speaker_a": "Aki",
        "speaker_b": "Ben",
        "session_1_date_time": "1 May",
        "session_1": [
            {"speaker": "Aki", "dia_id": "D1:1", "text": "Hey, how was your week?"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Never put walnuts in anything for Mara, she is allergic to walnuts."},
            {"speaker": "Aki", "dia_id": "D1:3", "text": "Haha, sure!"},
        ],
        "session_2": [
            {"speaker": "Ben", "dia_id": "D2:1", "text": "Look at this!", "blip_caption": "a red kayak on a lake"},
        ],
    }  # fmt: skip
    qa = [
        {"question": "What is Mara allergic to?", "answer": "walnuts", "evidence": ["D1:2"], "category": 4},
        {"question": "What boat was shown?", "answer": "kayak", "evidence": ["D1:1; D2:1"], "category": 1},
        {"question": "What about nothing?", "evidence": ["D9:9", ""], "category": 5},
    ]
    return {"sample_id": "conv-1", "conversation": talk, "qa": qa, **more}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([conversation()]), encoding="utf-8")
    return path


def test_turns_pictures_and_evidence_ids_are_read_as_the_file_writes_them(file: Path) -> None:
    (one,) = read(file)
    assert [t.id for t in one.turns] == ["D1:1", "D1:2", "D1:3", "D2:1"]
    assert one.turns[3].text == "Look at this! [picture: a red kayak on a lake]"
    assert [q.evidence for q in one.questions] == [{"D1:2"}, {"D1:1", "D2:1"}, frozenset()]
    assert [q.category for q in one.questions] == ["single-hop", "multi-hop", "adversarial"]


def test_what_is_kept_is_a_turn_with_a_statement_and_no_greeting(file: Path) -> None:
    assert kept_turns(read(file)[0]) == {"D1:2"}


def test_figures_are_shares_of_evidence_turns_and_questions_without_evidence_are_counted(file: Path) -> None:
    figures = run(read(file))["figures"]
    assert (figures["turns"], figures["evidence_turns"], figures["base_rate"]) == (4, 3, 0.75)
    assert (figures["kept"], figures["kept_precision"], figures["kept_recall"]) == (1, 1.0, 0.333)
    assert (figures["kept_recall_single-hop"], figures["kept_recall_multi-hop"]) == (1.0, 0.0)
    assert (figures["questions"], figures["without_evidence"]) == (2, 1)
    assert 0.0 < figures["lexical_recall_at_5"] <= figures["lexical_recall_at_10"] <= 1.0


def test_a_turn_that_shares_no_word_with_the_question_is_not_found(file: Path) -> None:
    one = read(file)[0]
    found = retrieval(one, one.questions[:1])
    assert {method: shares[0] for method, shares in found.items()} == {
        "lexical": (1.0, 1.0),
        "bm25": (1.0, 1.0),
        "bm25_stemmed": (1.0, 1.0),
    }
    assert _best(np.array([0.0, 2.0, 2.0, 1.0]), 3) == [1, 2, 3]
    assert _best(np.array([0.0, 0.0]), 2) == []


def test_bm25_is_its_formula() -> None:
    index = Bm25(["slow disk", "fast disk disk", "tape"])
    got = index.scores("disk")
    rarity = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    assert got[0] == pytest.approx(rarity * 1 * (K1 + 1) / (1 + K1 * (1 - B + B * 2 / 2)))
    assert got[1] == pytest.approx(rarity * 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 3 / 2)))
    assert got[2] == 0.0
    assert not index.scores("unknown words").any()
    assert Bm25([]).scores("x").shape == (0,)


def test_bm25_reads_full_width_and_unspaced_scripts() -> None:
    assert tokens("ＤＩＳＫ 予約データ, archive-2") == [
        "disk",
        "予約",
        "約デ",
        "デー",
        "ータ",
        "archive",
        "2",
    ]
    assert stems("disks") == stems("disk")


@pytest.mark.parametrize("text", ["{", "{}", '[{"qa": []}]', "[1]"])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    if text == "{}":
        assert read(path) == []
        return
    with pytest.raises(BadInput, match=r"locomo10\.json"):
        read(path)


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="the conversations are not there")
def test_on_the_real_conversations_the_editor_beats_a_blind_choice_and_the_votes_beat_bm25() -> None:
    figures = run(read(SHARED)[:2])["figures"]
    assert figures["kept_precision"] > figures["base_rate"]
    assert figures["lexical_recall_at_10"] > figures["bm25_recall_at_10"]
