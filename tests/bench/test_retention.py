"""Planted statements: the journals they make, and what of them comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kura_pipeline.bench.planted import KINDS, Fixture, Plant, lay_out, read, read_file, shipped
from kura_pipeline.bench.retention import ask, run
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.sniff import adapter, identify
from kura_runtime.config.model import ModelConfig, RolesConfig
from kura_runtime.errors import BadInput, KuraError
from kura_runtime.store.store import Store
from tests.bench.planted_model import cast
from tests.pipeline.project import Project
from tests.scripted_model import Cast, ScriptedModel, status

ALL = {f"{f.corpus}.{f.language}": f for f in shipped()}


# -- the fixtures ------------------------------------------------------------------------------------------------------


def test_both_corpora_stand_in_three_languages_with_every_kind() -> None:
    assert sorted(ALL) == ["chat.en", "chat.ja", "chat.zh", "dense.en", "dense.ja", "dense.zh"]
    for fixture in ALL.values():
        assert {p.kind for p in fixture.plants} == set(KINDS)
        assert sum(p.must_not_store for p in fixture.plants) == 2
        assert len(fixture.plants) == 12
        assert len({p.id for p in fixture.plants}) == 12


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_marker_stands_in_what_was_said_and_in_nothing_else_that_is_asked_for(name: str) -> None:
    for plant in ALL[name].plants:
        said = f"{plant.say} {plant.later} {' '.join(plant.tool)} {plant.by_agent}".casefold()
        marker = plant.marker.casefold()
        assert marker in said, plant.id
        assert marker not in plant.ask.casefold(), f"{plant.id}: the question gives its own answer away"
        others = " ".join(f"{p.say} {p.later}" for p in ALL[name].plants if p is not plant).casefold()
        assert marker not in others, f"{plant.id}: another plant holds the marker"
        assert not any(marker in line.casefold() for pair in ALL[name].filler for line in pair), plant.id


@pytest.mark.parametrize("name", sorted(ALL))
def test_the_journals_are_claude_sessions_and_the_same_bytes_again(name: str, tmp_path: Path) -> None:
    one, two = lay_out(ALL[name], tmp_path / "a"), lay_out(ALL[name], tmp_path / "b")
    assert [p.read_bytes() for p in one] == [p.read_bytes() for p in two]
    texts: list[tuple[str, str]] = []
    for path in one:
        assert identify(path, read_head(path)) == ("claude",)
        reading = adapter("claude").read(path, settled=True)
        texts += [(e.cls.value, e.text) for record in reading for e in record.events]
        assert not reading.faults
    for plant in ALL[name].plants:
        for cls, quote in plant.quotes if not plant.must_not_store else ():
            assert any(c == cls and quote in text for c, text in texts), f"{plant.id}: {quote}"


def test_the_chat_is_mostly_filler_and_the_dense_one_has_none() -> None:
    for name, fixture in ALL.items():
        planted = sum(len(p.say) + len(p.later) for p in fixture.plants)
        filler = sum(len(a) + len(b) for a, b in fixture.filler)
        assert (filler > planted) if name.startswith("chat") else filler == 0, name


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "no fixture"),
        ('{"plants": [{"id": "x"}]}', "no fixture"),
        ('{"plants": [{"id": "x", "kind": "odd"}]}', "odd"),
    ],
)
def test_a_broken_fixture_is_named(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        read("mine.en", text)


def test_an_unknown_fixture_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"chat\.en"):
        shipped(["chatter"])
    assert [f.name for f in shipped(["dense"])] == ["dense_en", "dense_ja", "dense_zh"]


# -- asking ------------------------------------------------------------------------------------------------------------


class Handle:
    """A store handle whose recall is what the test says."""

    def __init__(self, store: Store, context: str = "") -> None:
        self.files, self._context = store, context

    def recall(self, question: str):
        from types import SimpleNamespace

        return SimpleNamespace(context=self._context, how="fastpath", picked=("x",))


FACT = Plant("f", "number", "45 days", "How long?", 1, "t", say="It is 45 days.")
BAIT = Plant("d", "distractor", "Vitess", "Which?", 1, "t", say="Vitess!", must_not_store=True)


def test_a_fact_is_a_point_only_where_recall_gives_its_marker(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s", name="bench")
    store.remember("album-links", "album links expire", "They last for 45 days.")
    (kept,) = ask(Handle(store), [FACT])
    assert (kept["point"], kept["kept_in"]) == (False, ["album-links"]), "kept, but not given back"
    (given,) = ask(Handle(store, "…  ４５ DAYS …"), [FACT])
    assert given["point"] is True


def test_a_kept_distractor_costs_its_point_also_where_recall_is_silent(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s", name="bench")
    (clean,) = ask(Handle(store), [BAIT])
    assert clean["point"] is True
    store.remember("database", "which database", "We want vitess.")
    (kept,) = ask(Handle(store), [BAIT])
    assert (kept["point"], kept["kept_in"]) == (False, ["database"])


# -- through the pipeline ----------------------------------------------------------------------------------------------


def with_scripted_editor(*fixtures: Fixture) -> dict:
    with ScriptedModel(cast(*fixtures)) as model:
        roles = RolesConfig(
            scribe=ModelConfig(url=model.url, model="s", timeout=20),
            brain=ModelConfig(url=model.url, model="b", timeout=20),
        )
        return run(fixtures, editor="model", models=roles)


def test_with_the_scripted_editor_every_fact_comes_back_and_both_distractors_stay_out() -> None:
    result = with_scripted_editor(ALL["chat.en"])
    missed = [r for r in result["table"] if not r["point"]]
    figures = result["figures"]
    assert not missed
    assert (figures["facts_found"], figures["facts"]) == (10, 10)
    assert (figures["distractors_kept_out"], figures["distractors"]) == (2, 2)
    assert figures["score"] == 1.0
    assert figures["chat_en_store_ratio"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(ALL) - {"chat.en"}))
def test_with_the_scripted_editor_it_is_so_in_every_language(name: str) -> None:
    result = with_scripted_editor(ALL[name])
    assert not [r for r in result["table"] if not r["point"]]


@pytest.mark.slow
def test_the_embedded_editor_keeps_every_distractor_out_and_most_facts_in() -> None:
    figures = run(list(ALL.values()))["figures"]
    assert figures["distractors_kept_out"] == figures["distractors"] == 12
    assert figures["facts_found"] >= 50, "the honest number when this was written was 56 of 60"


def test_a_pipeline_that_fails_gives_no_score() -> None:
    with ScriptedModel(Cast(spot=status(401))) as model:
        roles = RolesConfig(thinker=ModelConfig(url=model.url, model="s", timeout=5))
        with pytest.raises(KuraError, match=r"dense\.en: the pipeline failed"):
            run([ALL["dense.en"]], editor="model", models=roles)


def test_the_commands_lay_the_fixtures_out_and_ask_a_store_distilled_from_them(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    done = project.kura("bench", "retention", "--fixture", "dense.en", "--lay-out", str(project.journals))
    assert len(done.stdout.splitlines()) == 2
    assert project.kura("run").returncode == 0
    questions = tmp_path / "dense.en.json"
    shipped_file = Path(__file__).parents[2] / "kura_pipeline" / "bench" / "fixtures" / "dense.en.json"
    questions.write_bytes(shipped_file.read_bytes())
    result = project.json("bench", "retention", "--questions", str(questions))
    assert (result["editor"], len(result["table"])) == ("as distilled", len(read_file(questions).plants))
    assert result["figures"]["facts_found"] > 0
    assert result["kinds"]["distractor"] == [2, 2]
    assert set(result) >= {"bench", "figures", "table", "machine"}
    refused = project.kura("bench", "retention", "--editor", "model")
    assert (refused.returncode, "no model is configured" in refused.stderr) == (64, True)
    assert project.kura("bench", "retention", "--questions", str(tmp_path / "none.json")).returncode == 64


def test_the_shipped_fixtures_are_valid_json_with_their_own_names() -> None:
    folder = Path(__file__).parents[2] / "kura_pipeline" / "bench" / "fixtures"
    for path in folder.glob("*.json"):
        raw = json.loads(path.read_text(encoding="utf-8"))
        prefix = path.name.removesuffix(".json").replace(".", "-")
        assert all(p["id"].startswith(prefix) for p in raw["plants"])
