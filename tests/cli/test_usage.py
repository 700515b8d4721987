"""Every mistyped command line names what is wrong with it, in one line, and ends with 64."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.main import get_command

from kura_runtime.cli.main import build_app, run
from kura_runtime.store.store import Store

# programmers' words that a message to a person must not hold
JARGON = ("Traceback", "Error", "Input should be", "Value error", "validation", "None")


def tree(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group with the words that call it."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from tree(inner, (*path, name))


COMMANDS = dict(tree(get_command(build_app())))
LEAVES = {path: c for path, c in COMMANDS.items() if not getattr(c, "commands", None)}
PARAMETERS = [(path, p) for path, c in LEAVES.items() for p in c.params if p.name != "help"]


def label(value: Any) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(getattr(value, "name", value))


def fitting(parameter: Any) -> str:
    """A value that the parameter takes."""
    choices = get_args(parameter.type_descriptor.annotation)
    if getattr(parameter, "min", None) is not None or parameter.type_descriptor.annotation in (int, float):
        return str(max(1, parameter.min or 1))
    return str(choices[0]) if choices and isinstance(choices[0], str) else "something"


def arguments(path: tuple[str, ...]) -> list[str]:
    """Something for every argument and option that must be there."""
    given: list[str] = []
    for p in LEAVES[path].params:
        if p.required:
            given += [fitting(p)] if p.param_type_name == "argument" else [max(p.opts, key=len), fitting(p)]
    return given


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("KURA_CONFIG", "KURA_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kura.toml").write_text('[stores.main]\npath = "store"\n', encoding="utf-8")
    Store.create(tmp_path / "store", name="main")
    return tmp_path


def refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr of a command line that must be refused."""
    code = run(argv)
    said = capsys.readouterr()
    assert code == 64, (argv, code, said.err)
    assert said.out == "" and len(said.err.splitlines()) == 1 and said.err.startswith("kura: "), said.err
    assert not any(word in said.err for word in JARGON), said.err
    return said.err


@pytest.mark.parametrize("path", COMMANDS, ids=label)
def test_every_command_says_what_it_is_for(path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*path, "--help"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Usage: kura") and said.err == ""
    assert any(line.strip() and line.startswith("  ") for line in said.out.splitlines()), "no word of help"


@pytest.mark.parametrize("path", LEAVES, ids=label)
def test_an_unknown_option_is_named(
    path: tuple[str, ...], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--frobnicate" in refused([*path, *arguments(path), "--frobnicate"], capsys)


@pytest.mark.parametrize("path", LEAVES, ids=label)
def test_one_word_too_many_is_named(
    path: tuple[str, ...], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = [fitting(p) for p in LEAVES[path].params if p.param_type_name == "argument"]
    options = [
        w
        for p in LEAVES[path].params
        if p.required and p.param_type_name != "argument"
        for w in (max(p.opts, key=len), fitting(p))
    ]
    assert "surplus" in refused([*path, *options, *places, "surplus"], capsys)


@pytest.mark.parametrize(("path", "parameter"), [(c, p) for c, p in PARAMETERS if p.required], ids=label)
def test_what_is_missing_is_named(
    path: tuple[str, ...], parameter: Any, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = [p for p in LEAVES[path].params if p.required]
    places = [p for p in wanted if p.param_type_name == "argument"]
    given = [
        w for p in wanted if p not in places and p is not parameter for w in (max(p.opts, key=len), "new")
    ]
    before = (
        places.index(parameter) if parameter in places else len(places)
    )  # a word left out is the last one
    name = (
        parameter.metavar or parameter.name.upper() if parameter in places else max(parameter.opts, key=len)
    )
    said = refused([*path, *given, *["x"] * before], capsys)
    assert "missing" in said and name in said


BOUNDED = [(c, p) for c, p in PARAMETERS if getattr(p, "min", None) is not None]


@pytest.mark.parametrize("value", ["below", "above", "word"])
@pytest.mark.parametrize(("path", "option"), BOUNDED, ids=label)
def test_a_number_out_of_range_names_the_option_its_value_and_the_range(
    path: tuple[str, ...], option: Any, value: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if value == "above" and option.max is None:
        pytest.skip("has no upper bound")
    given = {"below": str(option.min - 1), "above": str((option.max or 0) + 1), "word": "many"}[value]
    said = refused([*path, *arguments(path), max(option.opts, key=len), given], capsys)
    assert max(option.opts, key=len) in said and f'"{given}"' in said and str(option.min) in said
    assert option.max is None or str(option.max) in said


def test_there_are_bounded_options_to_check() -> None:
    assert {p.name for _, p in BOUNDED} >= {"hops", "top", "chars", "total_chars"}


@pytest.mark.parametrize(
    "path",
    [p for p, c in COMMANDS.items() if getattr(c, "commands", None)],
    ids=lambda p: " ".join(p) or "kura",
)
def test_a_group_called_alone_lists_or_shows_its_help_without_a_prefix(
    path: tuple[str, ...], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(list(path))
    said = capsys.readouterr()
    if COMMANDS[path].no_args_is_help:
        assert code == 64 and said.err.startswith("Usage: kura") and "kura:" not in said.err
    elif COMMANDS[path].invoke_without_command:
        assert code == 2 and "Usage" not in said.err + said.out
    else:
        assert code == 64 and said.err.startswith("kura: missing command")


def test_a_misspelt_command_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'recall'" in refused(["recal", "x"], capsys)
    assert '"--top"' in refused(["recall", "x", "--topp", "3"], capsys)


def test_a_choice_names_what_may_be_chosen(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(["proposals", "rule", "x", "--keep", "all"], capsys)
    assert "--keep" in said and all(word in said for word in ("new", "old", "both"))


# --- which store ----------------------------------------------------------------------------------------------------------


def test_several_stores_and_none_named_lists_them(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "kura.toml").write_text('[stores.a]\npath = "a"\n[stores.b]\npath = "b"\n', encoding="utf-8")
    said = refused(["index"], capsys)
    assert "names 2 stores: a, b; name one with -s" in said and str(project / "kura.toml") in said


def test_an_empty_name_is_no_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "name one with -s" in refused(["index", "-s", ""], capsys)


@pytest.mark.parametrize("command", ["run", "tick", "catchup", "doctor"])
def test_a_file_without_stores_is_honestly_nothing_to_do(
    command: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "kura.toml").write_text("[distill]\nidle_min = 5\n", encoding="utf-8")
    assert run([command]) == 2
    said = capsys.readouterr()
    assert "names no store yet" in said.err and "kura init" in said.err
    assert run([command, "--json"]) == 2 and capsys.readouterr().out.strip() == "[]"


def test_bare_proposals_lists_and_options_before_the_name_hold(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["proposals"]) == 2 and "no proposal waits" in capsys.readouterr().out
    assert run(["proposals", "-s", "nowhere", "list"]) == 64 and "nowhere" in capsys.readouterr().err
