"""What a newcomer types wrong is said in one line, with what to type instead; odd names and folders are as good as others."""

from __future__ import annotations

from pathlib import Path

import pytest

from kura_runtime.cli.main import run
from kura_runtime.config.load import load


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KURA_CONFIG", "KURA_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def said(argv: list[str], capsys: pytest.CaptureFixture[str], code: int = 64) -> str:
    assert run(argv) == code, capsys.readouterr().err
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1 and err.startswith("kura: "), err
    return err


def test_no_configuration_says_how_to_make_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "`kura init NAME --path DIR`" in said(["index"], capsys)


def test_a_folder_as_configuration_names_the_file_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"{tmp_path}/kura.toml" in said(["index", "-c", str(tmp_path)], capsys)


def test_init_refuses_a_file_that_is_not_utf_8_as_reading_does(capsys: pytest.CaptureFixture[str]) -> None:
    Path("kura.toml").write_bytes(b"# \xff\n")
    for argv in (["init", "a", "--path", "a"], ["index"]):
        assert "not UTF-8 at byte 2; save the file as UTF-8" in said(argv, capsys)
    assert not Path("a").exists()


def test_init_knows_the_kinds_of_journals(capsys: pytest.CaptureFixture[str]) -> None:
    line = said(["init", "a", "--path", "a", "--journals", "cluade=x"], capsys)
    assert '"cluade"' in line and "claude" in line and not Path("kura.toml").exists()


def test_init_of_a_store_without_a_path_asks_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--path" in said(["init", "a"], capsys)


@pytest.mark.parametrize("option", ["--since", "--until"])
def test_a_time_that_is_none_is_refused_and_not_compared_as_a_word(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "a", "--path", "a"]) == 0
    capsys.readouterr()
    line = said(["search", "kelp", option, "yesterday"], capsys)
    assert option in line and '"yesterday"' in line and "2026-03-01" in line
    assert "--class" in said(["search", "kelp", "--class", "HUMAN"], capsys)


@pytest.mark.parametrize("name", ["mit Leerzeichen", "蔵の中", "مخزن", "🦀", 'quo\'te "d"', "per%cent$HOME"])
def test_any_folder_name_will_do(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / name
    folder.mkdir()
    config = folder / "kura.toml"
    assert run(["init", "a", "--path", str(folder / "st ore"), "-c", str(config)]) == 0
    if "$HOME" in name:  # a variable in a path is meant as one, and is not expanded into a store elsewhere
        return
    assert load(config).stores["a"].path == folder / "st ore"
    for argv, code in ((["remember", "kept-one", "the kelp exporter runs at night", "It does."], 0), (["read", "kept-one"], 0),
                       (["index"], 0), (["doctor"], 0), (["recall", "zeppelin"], 2)):  # fmt: skip
        assert run([*argv, "-c", str(config)]) == code, capsys.readouterr().err
