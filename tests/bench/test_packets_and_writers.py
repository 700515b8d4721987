"""Candidates frozen in a file, and writers compared on them: the same packets for each, and every refusal counted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kura_pipeline.bench.packets import Packet, Packets, freeze, read
from kura_pipeline.bench.writers import Writer, run
from kura_pipeline.distil.drafting import DraftRow
from kura_pipeline.distil.editor import Novelty
from kura_pipeline.distil.extractive import ExtractiveEditor
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.gating import Gated
from kura_pipeline.distil.llm import LlmEditor
from kura_runtime.domain.candidate import Candidate, ProposedQuote
from kura_runtime.domain.evidence import EvidenceClass
from kura_runtime.errors import BadInput
from kura_runtime.models.calls import MemoryCalls, RecordingRole
from kura_runtime.models.endpoint import ChatEndpoint
from kura_runtime.store.store import Store
from tests.distil.material import ARCHIVE_SURFACE, brief, memory, quote, verdict
from tests.pipeline.project import RULES, Project
from tests.scripted_model import Cast, ScriptedModel, say, status

LYING = {**ARCHIVE_SURFACE, "body": "The archive goes on the slow disk, which holds 900 GB and 41 folders."}


def packet(n: int = 1, **more) -> Packet:
    candidate = replace(verdict().candidate, why=f"it decides where data is written, {n}")
    return Packet(
        **{"batch": "b1", "n": n, "verdict": verdict(candidate=candidate), "neighbours": (memory(),), **more}
    )


SCRIPTS = "蔵 — مرحبا 🗄 “quoted” line\u2028separator"
FILE = Packets(
    brief(charter=SCRIPTS), (packet(), packet(n=2, novelty=Novelty("EXTENDS", "disk-layout"))), {"seed": 1}
)


def writer(name: str, model: ScriptedModel) -> Writer:
    calls = MemoryCalls()
    roles = [
        RecordingRole(
            ChatEndpoint(role=role, url=model.url, model=name, timeout=5, sleep=lambda _: None),
            calls,
            role=role,
        )
        for role in ("brain", "scribe")
    ]
    return Writer(name, LlmEditor(*roles), calls)


# -- the file ----------------------------------------------------------------------------------------------------------


def test_packets_read_back_are_the_packets_that_were_frozen(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(FILE.to_bytes())
    assert read(path) == FILE
    assert read(path).to_bytes() == FILE.to_bytes()
    assert read(path).packets[1].extends == memory()


def test_the_same_candidates_are_the_same_bytes_and_another_quote_is_another_packet() -> None:
    again = Packets(
        brief(charter=SCRIPTS),
        (packet(), packet(n=2, novelty=Novelty("EXTENDS", "disk-layout"))),
        {"seed": 1},
    )
    assert again.to_bytes() == FILE.to_bytes()
    assert packet(verdict=verdict(quotes=(quote("the archive goes to the slow disk"),))).id != packet().id


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda b: b.replace(b"slow disk", b"fast disk"), "hash"),
        (lambda b: b[: len(b) // 2], "hash"),
        (lambda b: b"", "kura bench packets"),
        (lambda b: b'{"packets": 99}\n', "first line"),
        (lambda b: b"\xff\xfe" + b, "p.jsonl"),
    ],
)
def test_a_changed_or_cut_file_is_refused(tmp_path: Path, damage, complaint: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(damage(FILE.to_bytes()))
    with pytest.raises(BadInput, match="--packets") as caught:
        read(path)
    assert complaint in str(caught.value)


def test_what_never_reaches_a_writer_is_counted_with_its_reason(tmp_path: Path) -> None:
    idea = verdict(verdict="seed")
    fallen = verdict(verdict="drop", reason="not-found", quotes=())
    gated = [Gated(1, verdict()), Gated(2, idea), Gated(3, fallen), Gated(4, verdict())]
    drafted = [DraftRow(4, "x", "covered", novelty="COVERED", neighbour="disk-layout")]
    store = Store.create(tmp_path / "s", name="maker")
    packets, left_out = freeze(gated, "b1", Frozen(tmp_path / "f.json", "b1", store), drafted)
    assert [p.n for p in packets] == [1]
    assert left_out == {"seed": 1, "gate: not-found": 1, "covered": 1}


# -- the writers -------------------------------------------------------------------------------------------------------


def test_a_writer_that_invents_numbers_is_refused_by_the_floor_where_an_honest_one_survives() -> None:
    packets = Packets(brief(), (packet(), packet(n=2)))
    with ScriptedModel(Cast(compose=ARCHIVE_SURFACE)) as one, ScriptedModel(Cast(compose=LYING)) as two:
        result = run(packets, [writer("honest", one), writer("liar", two), extractive()])
    figures = result["figures"]
    assert (figures["honest_survived"], figures["honest_retried"], figures["honest_calls"]) == (2, 0, 2)
    assert (figures["liar_survived"], figures["liar_retried"], figures["liar_dropped"]) == (0, 2, 2)
    assert (figures["liar_calls"], figures["liar_tokens_in"], figures["liar_tokens_out"]) == (4, 400, 40)
    assert (figures["extractive_survived"], figures["extractive_calls"], figures["extractive_tokens_in"]) == (
        2,
        0,
        0,
    )
    assert result["writers"]["liar"]["refusals"] == {"number": 2}
    assert result["writers"]["liar"]["dropped"] == {"number": 2}
    assert not any("score" in name for name in figures)


def test_every_writer_stands_beside_the_others_with_its_text_and_what_was_refused() -> None:
    with ScriptedModel(Cast(compose=ARCHIVE_SURFACE)) as one, ScriptedModel(Cast(compose=LYING)) as two:
        (row,) = run(Packets(brief(), (packet(),)), [writer("honest", one), writer("liar", two)])["table"]
    assert row["writers"]["honest"]["title"] == ARCHIVE_SURFACE["title"]
    assert row["writers"]["liar"]["body"] == LYING["body"]
    assert {r["token"] for r in row["writers"]["liar"]["refusals"]} >= {"900 GB"} or row["writers"]["liar"][
        "refusals"
    ]
    assert row["quotes"] == ["[USER] the archive goes to the slow disk; the fast one stays scratch space"]


def test_a_second_chance_taken_is_a_retry_and_survives() -> None:
    with ScriptedModel(Cast(compose=(LYING, ARCHIVE_SURFACE))) as model:
        result = run(Packets(brief(), (packet(),)), [writer("w", model)])
    figures = result["figures"]
    assert (figures["w_survived"], figures["w_survived_at_once"], figures["w_retried"]) == (1, 0, 1)
    assert result["writers"]["w"]["first_refusals"] == {"number": 1}
    assert result["writers"]["w"]["refusals"] == {}


def test_a_packet_that_extends_asks_for_a_section() -> None:
    section = {"heading": "Scratch space", "body": "The fast one stays scratch space."}
    with ScriptedModel(Cast(extend=section)) as model:
        (row,) = run(
            Packets(brief(), (packet(novelty=Novelty("EXTENDS", "disk-layout")),)), [writer("w", model)]
        )["table"]
    assert (row["writers"]["w"]["outcome"], row["writers"]["w"]["title"]) == ("survived", "Scratch space")


def test_an_outage_is_no_verdict_and_the_rest_is_unasked() -> None:
    packets = Packets(brief(), tuple(packet(n=n) for n in (1, 2, 3)))
    with ScriptedModel(Cast(compose=(say(ARCHIVE_SURFACE), status(401)))) as model:
        result = run(packets, [writer("w", model), extractive()])
    figures = result["figures"]
    assert (figures["w_survived"], figures["w_dropped"], figures["w_unasked"]) == (1, 0, 2)
    assert "401" in result["writers"]["w"]["outage"]
    assert figures["extractive_survived"] == 3


def test_prose_instead_of_json_is_dropped_as_declined() -> None:
    with ScriptedModel(Cast(compose="I would rather not.")) as model:
        result = run(Packets(brief(), (packet(),)), [writer("w", model)])
    assert result["writers"]["w"]["dropped"] == {"declined": 1}


def test_a_link_to_what_the_writer_was_not_shown_is_refused() -> None:
    linking = {**ARCHIVE_SURFACE, "body": ARCHIVE_SURFACE["body"] + "\nRelated: [[somewhere-else]]"}
    with ScriptedModel(Cast(compose=linking)) as model:
        result = run(Packets(brief(), (packet(),)), [writer("w", model)])
    assert result["writers"]["w"]["dropped"] == {"dead-link": 1}


def extractive() -> Writer:
    return Writer("extractive", ExtractiveEditor(), MemoryCalls())


def test_the_embedded_writer_needs_no_model_on_any_packet() -> None:
    candidate = Candidate("x", "project", "y", (ProposedQuote(EvidenceClass.USER, "z"),))
    odd = verdict(
        candidate=candidate, quotes=(quote("今後、デプロイの前には必ずスモークテストを実行してください。"),)
    )
    result = run(Packets(brief(), (packet(verdict=odd),)), [extractive()])
    assert result["figures"]["extractive_survived"] == 1


# -- the commands ------------------------------------------------------------------------------------------------------


def test_the_commands_freeze_a_store_and_compare_a_profile_with_the_embedded_editor(tmp_path: Path) -> None:
    with ScriptedModel(Cast(compose=LYING)) as model:
        profile = f'[model_profiles.small.scribe]\nurl = "{model.url}"\nmodel = "small"\ntimeout = 10\n'
        project = Project(tmp_path / "p")
        project.config.write_text(project.config.read_text() + profile)
        project.write_session(RULES[:2])
        assert project.kura("run").returncode == 0
        file = tmp_path / "packets.jsonl"
        before = project.memories()
        first = project.json("bench", "packets", "--out", str(file))
        data = file.read_bytes()
        assert first["figures"]["packets"] == len(before) > 0
        assert project.json("bench", "packets", "--out", str(file))["sha256"] == first["sha256"]
        assert file.read_bytes() == data
        result = project.json("bench", "writers", "--packets", str(file), "--writers", "extractive,small")
        assert result["figures"]["extractive_survived"] == first["figures"]["packets"]
        assert result["figures"]["small_survived"] == 0
        assert result["writers"]["small"]["models"]["scribe"].startswith("small@")
        shown = project.kura("bench", "writers", "--packets", str(file), "--writers", "extractive,small")
        assert shown.returncode == 0
        assert "which holds 900 GB" in shown.stdout
        assert project.memories() == before
        unknown = project.kura("bench", "writers", "--packets", str(file), "--writers", "nobody")
        assert (unknown.returncode, "known: extractive, small" in unknown.stderr) == (64, True)


def test_a_journal_given_is_frozen_without_being_claimed(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    assert project.kura("run").returncode in (0, 2)
    journal = project.write_session(RULES)
    file = tmp_path / "packets.jsonl"
    found = project.json("bench", "packets", "--journal", str(journal), "--out", str(file))
    assert found["figures"]["packets"] > 0
    again = tmp_path / "again.jsonl"
    project.json("bench", "packets", "--journal", str(journal), "--out", str(again))
    assert again.read_bytes() == file.read_bytes()
    assert project.json("run")[0]["claimed"] == 1, "the journal is still unread"
    plain = tmp_path / "plain.bin"
    plain.write_bytes(b"\x00\x01")
    refused = project.kura("bench", "packets", "--journal", str(plain), "--out", str(file))
    assert (refused.returncode, "--kind" in refused.stderr) == (64, True)
    assert project.kura("bench", "packets", "--batch", "nope", "--out", str(file)).returncode == 64


def test_the_gate_is_asked_again_by_nobody(tmp_path: Path) -> None:
    """A packet carries the verdict as it was, also where today's gate would give another."""
    path = tmp_path / "p.jsonl"
    odd = packet(verdict=replace(verdict(), quotes=(quote("words that stand nowhere"),)))
    path.write_bytes(Packets(brief(), (odd,)).to_bytes())
    assert read(path).packets[0].verdict.quotes[0].text == "words that stand nowhere"
    assert json.loads(path.read_text().splitlines()[1])["verdict"]["verdict"] == "keep"
