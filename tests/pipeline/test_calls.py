"""`kura calls` and `kura cost`: what is listed, shown, counted and exported, and what a changed prompt asks anew."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from kura_pipeline.cli.since import moment
from kura_pipeline.costs import costs_of
from kura_pipeline.distil import prompting, tasks
from kura_pipeline.runs import run_pass
from kura_runtime.cli.main import run
from kura_runtime.config.load import load
from kura_runtime.errors import BadInput
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.store import Store
from tests.pipeline.project import RULES, Project
from tests.pipeline.test_model import CANDIDATE, INVENTED, LYING, RULE, SURFACE
from tests.scripted_model import Cast, ScriptedModel, say

SLUG = "harvester-nightly-backup"
ARCHIVE = {
    **CANDIDATE, "topic": "the archive's disk",
    "quotes": ["[USER] We decided to keep the archive on the slow disk"],
}  # fmt: skip


def line(request: dict) -> object:
    """The harvester is written well, the archive never."""
    return SURFACE if "harvester" in request["messages"][-1]["content"].split("</item-")[0] else LYING


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A project that was run once: two items kept, one invented; of the two one is poured and one falls at the floor."""
    folder = tmp_path_factory.mktemp("calls") / "p"
    cast = Cast(
        spot=say([CANDIDATE, ARCHIVE, INVENTED], reasoning="let me see", timings={"cache_n": 60}),
        compose=line, judge={"slug": SLUG, "verdict": "POUR", "reason": "clear"},
    )  # type: ignore[arg-type]  # fmt: skip
    with ScriptedModel(cast) as model:
        project = Project(folder)
        project.config.write_text(
            project.config.read_text().replace('editor = "extractive"', 'editor = "model"')
            + f'\n[models.thinker]\nurl = "{model.url}"\nmodel = "scripted"\ntimeout = 20\n'
            "input_price = 1000.0\noutput_price = 5000.0\n"
        )
        project.write_session((RULE, RULES[1]))
        config = load(project.config)
        Store.create(project.store, name="main")
        report = run_pass(config, config.stores["main"])
        assert report.code == 0, report
        yield SimpleNamespace(
            project=project,
            config=config,
            cfg=config.stores["main"],
            cast=cast,
            model=model,
            batch=report.batches[0],
        )


def kura(done, capsys, *arguments: str):
    code = run([*arguments, "-c", str(done.project.config)])
    out = capsys.readouterr()
    return code, out.out, out.err


def rows(done, capsys, *arguments: str) -> list[dict]:
    return json.loads(kura(done, capsys, "calls", "--json", *arguments)[1])


def test_every_call_is_listed_with_its_prompt_its_batch_and_its_tokens(done, capsys):
    found = rows(done, capsys)
    assert Counter(r["prompt"].split()[0] for r in found) == {
        "spot": 1,
        "coverage": 1,
        "compose": 3,
        "judge": 1,
    }
    assert {b for r in found for b in r["batches"]} == {done.batch}
    assert {r["role"] for r in found} == {"brain", "scribe"}
    assert (found[0]["tokens_in"], found[0]["tokens_cached"]) == (100, 60)
    assert [r["number"] for r in found] == sorted(r["number"] for r in found)


@pytest.mark.parametrize(
    ("option", "value", "number"),
    [
        ("--role", "spot", 1), ("--role", "scribe", 4), ("--role", "nobody", 0), ("--since", "1d", 6),
        ("--since", "2099-01-01", 0), ("--batch", "1999", 0), ("--run", "zzzz", 0), ("--memory", SLUG, 3),
    ],
)  # fmt: skip
def test_calls_are_chosen_by_role_time_batch_run_and_memory(done, capsys, option, value, number):
    assert len(rows(done, capsys, option, value)) == number


def test_a_run_is_named_by_the_beginning_of_its_id(done, capsys):
    ids = {r for row in rows(done, capsys) for r in row["runs"]}
    assert len(ids) == 1
    assert len(rows(done, capsys, "--run", ids.pop()[:8])) == 6


def test_one_call_is_shown_whole_with_the_reasoning_apart(done, capsys):
    key = rows(done, capsys, "--role", "spot")[0]["key"]
    code, out, _ = kura(done, capsys, "calls", "--show", key[:10])
    assert code == 0
    assert (
        out.index("--- system")
        < out.index("--- user")
        < out.index("--- reasoning\nlet me see")
        < out.index("--- answer")
    )
    whole = json.loads(kura(done, capsys, "calls", "--show", key[:10], "--json")[1])[0]
    assert whole["reasoning"] == "let me see" and "let me see" not in whole["answer"]
    assert whole["usage"]["cached_tokens"] == 60


def test_a_key_that_is_none_and_one_that_is_several_are_said_to_be(done, capsys):
    code, _, err = kura(done, capsys, "calls", "--show", "zz")
    assert (code, "no recorded call" in err) == (2, True)
    code, _, err = kura(done, capsys, "calls", "--show", "")
    assert code == 0, "an empty --show is none"
    first = Counter(r["key"][0] for r in rows(done, capsys)).most_common(1)[0]
    if first[1] > 1:
        assert kura(done, capsys, "calls", "--show", first[0])[0] == 64


def test_a_store_that_asked_nothing_says_so(done, capsys, tmp_path):
    other = Project(tmp_path / "other")
    Store.create(other.store, name="main")
    for command in ("calls", "cost"):
        assert run([command, "-c", str(other.config)]) == 2
        assert "n" in capsys.readouterr().out


@pytest.mark.parametrize("by", ["run", "batch", "memory", "role", "prompt", "day", "model"])
def test_every_way_to_count_comes_to_the_same_total(done, capsys, by):
    code, out, _ = kura(done, capsys, "cost", "--by", by, "--json")
    found = json.loads(out)
    assert code == 0
    total = found["total"]
    assert (total["calls"], total["tokens_in"], total["tokens_out"]) == (6, 600, 60)
    assert total["money"] == pytest.approx(0.9)
    for name in ("calls", "tokens_in", "money"):
        assert sum(g[name] for g in found["groups"]) == pytest.approx(total[name], abs=0.01)
    assert (found["poured"], found["per_poured_memory"]["calls"]) == (1, 6)


def test_a_memory_pays_for_the_calls_it_came_from_and_the_rest_has_no_memory(done, capsys):
    groups = {
        g["memory"]: g
        for g in json.loads(kura(done, capsys, "cost", "--by", "memory", "--json")[1])["groups"]
    }
    assert set(groups) == {SLUG, "(no memory)"}
    assert groups[SLUG]["calls"] == 4, "spot, its coverage pass, compose and judge"
    assert groups["(no memory)"]["calls"] == 2, "the two tries that fell at the floor"


def test_the_table_of_costs_names_the_price_of_a_memory(done, capsys):
    code, out, _ = kura(done, capsys, "cost")
    assert code == 0 and "1 memories poured" in out and "scribe" in out and "total" in out
    assert kura(done, capsys, "cost", "--by", "colour")[0] == 64


def test_the_exported_data_set_says_what_became_of_each_answer(done, capsys, tmp_path):
    file = tmp_path / "set.jsonl"
    assert kura(done, capsys, "calls", "export", str(file))[0] == 0
    lines = [json.loads(x) for x in file.read_text().splitlines()]
    by = {}
    for x in lines:
        by.setdefault(x["prompt"].split()[0], []).append(x)
    assert by["spot"][0]["downstream"] == {
        "kept": 1, "covered": 0, "dropped": {"not-found": 1, "number": 1}, "poured": [SLUG], "verdicts": {"POUR": 1},
    }  # fmt: skip
    assert by["judge"][0]["downstream"]["verdicts"] == {"POUR": 1}
    fates = [tuple(x["downstream"]["dropped"]) + tuple(x["downstream"]["poured"]) for x in by["compose"]]
    assert sorted(fates) == [(SLUG,), ("number",), ("number",)]
    assert all(x["messages"] and x["model"] and x["answer"] for x in lines)
    first = file.read_bytes()
    assert kura(done, capsys, "calls", "export", str(file))[0] == 0
    assert file.read_bytes() == first, "the same calls, the same bytes"
    assert [p.name for p in tmp_path.iterdir()] == ["set.jsonl"], "no half file is left"
    kura(done, capsys, "calls", "export", str(file), "--role", "judge")
    assert len(file.read_text().splitlines()) == 1


def test_an_export_that_cannot_be_written_leaves_the_old_file_alone(done, capsys, tmp_path):
    assert kura(done, capsys, "calls", "export", str(tmp_path / "no" / "set.jsonl"))[0] == 64


def test_a_rerun_replays_everything_and_costs_nothing(done, capsys):
    before = len(done.model.requests)
    with closing(Ledger.open(done.config.ledger_url)) as ledger:
        spent = costs_of(ledger, done.cfg, done.config.storage_root, by="role").total
        again(done)
        after = costs_of(ledger, done.cfg, done.config.storage_root, by="role").total
    assert len(done.model.requests) == before
    assert (after.money, after.calls) == (spent.money, spent.calls)
    assert after.replayed > spent.replayed


def test_a_changed_judge_prompt_asks_the_judge_and_nobody_else(done, monkeypatch):
    raw = prompting._raw
    again(done)
    before = len(done.cast.asked)
    with monkeypatch.context() as patched:
        patched.setattr(
            prompting, "_raw",
            lambda name: raw(name).replace("<!-- version: 2 -->", "<!-- version: 3 -->") + "\n" if name == "judge.md" else raw(name),
        )  # fmt: skip
        forget()
        again(done)
        assert done.cast.asked[before:] == ["judge"]
        again(done)
        assert done.cast.asked[before:] == ["judge"], "and only once"
    forget()


def test_another_model_of_one_role_asks_that_role_alone(done):
    text = done.project.config.read_text()
    before = len(done.cast.asked)
    done.project.config.write_text(text + f'\n[models.scribe]\nurl = "{done.model.url}"\nmodel = "other"\n')
    again(done)
    done.project.config.write_text(text)
    assert set(done.cast.asked[before:]) == {"compose", "judge"}


def test_refresh_asks_for_everything_again(done):
    before = len(done.cast.asked)
    config = load(done.project.config)
    run_pass(config, config.stores["main"], refresh=done.batch)
    assert {"spot", "compose"} <= set(done.cast.asked[before:])


def again(done) -> None:
    """Distil the batch once more, as a rerun in the interface does: the draft is staged again and judged."""
    from kura_pipeline.runs import runner

    config = load(done.project.config)
    with runner(config, config.stores["main"]) as jobs:
        assert jobs.distill(done.batch, "", False) == ""


def forget() -> None:
    for kept in (prompting.prompt_text, prompting.prompt_version, tasks.task):
        kept.cache_clear()


@pytest.mark.parametrize(
    ("since", "at"),
    [
        ("", ""), ("2d", "2026-03-03T06:00:00+00:00"), ("90m", "2026-03-05T04:30:00+00:00"),
        ("2026-03-05", "2026-03-04T15:00:00+00:00"), ("2026-03-05T01:00:00Z", "2026-03-05T01:00:00+00:00"),
    ],
)  # fmt: skip
def test_since_takes_a_stretch_or_a_date_in_the_stores_time_zone(since, at):
    assert moment(since, "Asia/Tokyo", now=datetime(2026, 3, 5, 6, tzinfo=UTC)) == at


@pytest.mark.parametrize("since", ["yesterday", "5", "-3d", "٣d ago", "2026-13-01"])
def test_a_since_that_is_none_is_refused(since):
    with pytest.raises(BadInput, match="--since"):
        moment(since, "UTC")
