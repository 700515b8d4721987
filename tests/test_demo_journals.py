"""The shipped demo journals: what they hold, and what the whole job makes of them without a model."""

from __future__ import annotations

import json
import os
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from kura_runtime.domain.evidence import EvidenceClass
from tests.distil.endtoend import Distilled, config, distil

SHIPPED = Path(str(files("kura_pipeline.demo"))) / "journals"
SESSIONS = SHIPPED / "claude" / "-home-mika-projects-harbor"
FAKE_SECRETS = ("AKIAFAKE7HARBOR2DEMO", "FAKE-tidepool-8831-qx7Lr2Vn")
# words of what was injected: a reminder, a sub-agent's prompt, a hook, a slash command, tool output, a compaction
INJECTED = (
    "approved", "force push", "checksum verification", "changelog entry", "make release", "duplicates deleted at once",
    "replace restic by rsync", "drills are optional", "catalog schema",
)  # fmt: skip
CHORES = (
    "run the ingest again",
    "ok commit this",
    "add a line to the README",
    "go on with",
    "electrician",
    "face recognition",
    "电费",
)


def rows() -> list[dict[str, object]]:
    return [
        json.loads(line)
        for path in sorted(SESSIONS.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def demo(folder: Path, *, newest: str = "") -> Distilled:
    """Distil a copy of the shipped journals; `newest` names the session that was written last."""
    shutil.copytree(SHIPPED, folder / "journals")
    for path in (folder / "journals").rglob("*.*"):
        at = 1_775_000_000 + (1000 if newest and path.name.startswith(newest) else 0)
        os.utime(path, (at, at))
    journals = {"claude": folder / "journals" / "claude", "text": folder / "journals" / "notes"}
    return distil(config(folder, journals))


@pytest.fixture(scope="module")
def distilled(tmp_path_factory: pytest.TempPathFactory) -> Distilled:
    return demo(tmp_path_factory.mktemp("demo"))


def test_the_journals_hold_what_real_ones_hold():
    every = rows()
    kinds = {r["type"] for r in every}
    assert {"user", "assistant", "progress", "system", "file-history-snapshot", "queue-operation"} <= kinds
    flags = [{k for k in ("isMeta", "isSidechain", "isCompactSummary") if r.get(k)} for r in every]
    assert {"isMeta"} in flags and {"isSidechain"} in flags and {"isCompactSummary"} in flags
    whole = json.dumps(every, ensure_ascii=False)
    assert all(secret in whole for secret in FAKE_SECRETS)
    assert "<system-reminder>" in whole and "<command-name>" in whole and "FAKE" in FAKE_SECRETS[0]
    assert all(str(r["timestamp"]).startswith("2026-") for r in every if "timestamp" in r)
    assert 3 <= len(list((SHIPPED / "notes").glob("*.md"))) <= 5


def test_a_hundred_and_fifty_events_are_read_in_four_classes(distilled: Distilled):
    assert len(distilled.events) >= 150
    assert {e.cls for e in distilled.events} == set(EvidenceClass)


def test_eight_to_sixteen_memories_in_three_languages_come_out(distilled: Distilled):
    assert 8 <= len(distilled.memories) <= 16
    text = distilled.text()
    for words in (
        "harbor-ingest must never write into /srv/harbor/originals", "we go with webp", "never dedupe by size and mtime",
        "prune must never start while a backup holds the lock", "サムネイルのファイル名は必ず小文字", "以后日志里不要出现照片的 GPS 坐标",
        "restore drill on the first Sunday of every month", "in the blue folder in the hallway",
    ):  # fmt: skip
        assert words in text


def test_nothing_was_refused_and_every_memory_is_labelled_with_its_editor(distilled: Distilled):
    assert [g.verdict.reason for g in distilled.gated if g.verdict.verdict != "keep"] == []
    assert [d.reason for d in distilled.drafted if d.outcome == "dropped"] == []
    assert {p.action for p in distilled.poured} <= {"created", "extended"}
    assert {m.editor for m in distilled.memories} == {"extractive"}


def test_no_injected_word_and_no_chore_shows_up_anywhere(distilled: Distilled):
    text = distilled.text()
    assert [w for w in (*INJECTED, *CHORES) if w in text] == []


def test_the_fake_secrets_end_redacted_before_any_step_sees_them(distilled: Distilled):
    held = "\n".join(e.text for e in distilled.events) + distilled.text()
    assert not any(secret in held for secret in FAKE_SECRETS)
    assert held.count("⟦secret:") >= 2


def test_figures_of_the_machine_stand_beside_the_decision_they_led_to(distilled: Distilled):
    memory = next(m for m in distilled.memories if "webp" in m.title)
    assert "1,870 ms" in memory.summary and "measurement" in memory.tags


def test_a_real_failure_makes_a_landmine(distilled: Distilled):
    memory = next(m for m in distilled.memories if "dedupe" in m.title)
    assert "187 of 214 groups" in memory.summary and "landmine" in memory.tags


def test_a_reversal_leads_with_the_last_word(distilled: Distilled):
    memory = next(m for m in distilled.memories if "reversal" in m.tags)
    assert memory.summary.index("04:30") < memory.summary.index("should start at 02:00")


@pytest.mark.parametrize("newest", ["6f0b6a52", "c2a9d1e4"])
def test_whichever_session_is_read_first_the_catalog_decision_is_not_left_standing_alone(
    tmp_path: Path, newest: str
):
    found = demo(tmp_path, newest=newest)
    about = [m for m in found.memories if "Postgres" in m.summary + m.detail]
    # in one memory, or in two of which at least one says that it is disputed or replaced
    if len(about) == 1:
        assert "go back to SQLite" in about[0].summary + about[0].detail
    else:
        assert any(m.state in ("conflict", "retired") for m in about)


def test_a_rerun_of_every_batch_pours_nothing_anew_and_leaves_the_same_bytes(tmp_path: Path):
    first = demo(tmp_path).text()
    again = distil(tmp_path / "kura.toml")
    assert {p.action for p in again.poured} == {"already"}
    assert again.text() == first


def test_three_questions_of_three_kinds():
    asked = json.loads(files("kura_pipeline.demo").joinpath("questions.json").read_text(encoding="utf-8"))
    assert [q["expect"] for q in asked] == ["direct", "paraphrase", "absent"]
    assert all(q["question"].endswith("?") for q in asked)
