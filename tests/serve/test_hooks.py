"""`kura hooks`: what it adds to a host's files is exactly what it takes away again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from .rooms import project

KURA = str(Path(sys.executable).with_name("kura"))


def _kura(*line: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("KURA_")} | (
        {"HOME": str(home)} if home else {}
    )
    return subprocess.run([KURA, *line], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return project(tmp_path)


def _files(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def _foreign(host: str, work: Path) -> None:
    """Files of the host that hold other things already."""
    other = {"type": "command", "command": "echo kura is a word"}
    hooks = {
        "hooks": {"SessionStart": [{"matcher": "startup", "hooks": [other]}], "Stop": [{"hooks": [other]}]}
    }
    if host == "claude-code":
        (work / ".claude").mkdir(parents=True)
        (work / ".claude" / "settings.json").write_text(
            json.dumps({"model": "größer", **hooks}, indent=2, ensure_ascii=False) + "\n"
        )
        (work / ".mcp.json").write_text(
            json.dumps({"mcpServers": {"other": {"command": "x"}}}, indent=2) + "\n"
        )
    else:
        (work / ".codex").mkdir(parents=True)
        (work / ".codex" / "hooks.json").write_text(json.dumps(hooks, indent=2) + "\n")
        (work / ".codex" / "config.toml").write_text(
            '# mine\nmodel = "x"  # kept\n\n[mcp_servers.other]\ncommand = "x"\n'
        )


@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_what_is_installed_is_what_is_removed_again(
    config: Path, tmp_path: Path, host: str, foreign: bool
) -> None:
    work = tmp_path / "a project"
    work.mkdir()
    if foreign:
        _foreign(host, work)
    before = _files(work)
    line = ("hooks", "install", host, "--dir", str(work))
    shown = _kura(*line, "-c", str(config), "-s", "maker")
    assert shown.returncode == 2 and "+" in shown.stdout and _files(work) == before  # shown, not written
    assert _kura(*line, "-c", str(config), "-s", "maker", "--yes").returncode == 0
    installed = _files(work)
    assert installed != before
    assert (
        _kura(*line, "-c", str(config), "-s", "maker", "--yes").returncode == 2
    )  # there is nothing more to do
    assert _files(work) == installed
    assert _kura(*line, "--remove", "--yes").returncode == 0
    assert _files(work) == before


def test_what_is_installed_is_what_the_host_runs(config: Path, tmp_path: Path) -> None:
    assert (
        _kura(
            "hooks",
            "install",
            "claude-code",
            "--dir",
            str(tmp_path),
            "-c",
            str(config),
            "-s",
            "talk",
            "--yes",
        ).returncode
        == 0
    )
    server = json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]["kura"]
    assert server == {"command": KURA, "args": ["mcp", "-c", str(config), "-s", "eq"]}
    settings = json.loads((tmp_path / ".claude" / "settings.json").read_text())
    hook = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    told = subprocess.run(hook, shell=True, capture_output=True, text=True, cwd="/")
    assert told.returncode == 0 and "quiet-evenings" in told.stdout
    assert (
        _kura(
            "hooks", "install", "codex", "--dir", str(tmp_path), "-c", str(config), "-s", "talk", "--yes"
        ).returncode
        == 0
    )
    codex = tomllib.loads((tmp_path / ".codex" / "config.toml").read_text())["mcp_servers"]["kura"]
    assert codex == server


def test_for_the_user_it_goes_into_the_home_folder(config: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".claude.json").write_text('{"projects": {"/x": {"history": [1]}}, "numStartups": 3}')
    assert (
        _kura("hooks", "install", "claude-code", "--user", "-c", str(config), "--yes", home=home).returncode
        == 0
    )
    data = json.loads((home / ".claude.json").read_text())
    assert data["projects"] == {"/x": {"history": [1]}} and data["numStartups"] == 3
    assert data["mcpServers"]["kura"]["args"] == [
        "mcp",
        "-c",
        str(config),
    ]  # two stores, none named: free mode


def test_a_map_that_cannot_be_read_is_told_as_missing_not_as_nothing(config: Path, tmp_path: Path) -> None:
    (tmp_path / "maker").rename(tmp_path / "gone")
    told = _kura("hooks", "print", "-c", str(config), "-s", "maker")
    assert told.returncode == 0 and "MISSING" in told.stdout and told.stderr
    none = _kura("hooks", "print", "-c", str(tmp_path / "no.toml"))
    assert none.returncode == 0 and "MISSING" in none.stdout


@pytest.mark.parametrize(
    "text",
    [
        "{ // a comment\n}",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"SessionStart": {}}}',
        '{"mcpServers": 3, "hooks": 3}',
    ],
)
def test_a_file_of_the_host_that_cannot_be_read_is_left_alone(
    config: Path, tmp_path: Path, text: str
) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(text)
    refused = _kura("hooks", "install", "claude-code", "--dir", str(tmp_path), "-c", str(config), "--yes")
    assert refused.returncode == 64 and "settings.json" in refused.stderr
    assert (tmp_path / ".claude" / "settings.json").read_text() == text
    assert not (tmp_path / ".mcp.json").exists()  # nothing half-written


def test_the_examples_name_commands_and_variables_that_exist() -> None:
    import yaml

    folder = Path(__file__).resolve().parents[2] / "examples" / "hosts"
    vscode = json.loads((folder / "vscode-mcp.json").read_text())["servers"]["kura"]
    desktop = json.loads((folder / "claude_desktop_config.json").read_text())["mcpServers"]["kura"]
    goose = yaml.safe_load((folder / "goose-config.yaml").read_text())["extensions"]["kura"]
    for args, env in (
        (vscode["args"], vscode["env"]),
        (desktop["args"], desktop["env"]),
        (goose["args"], goose["envs"]),
    ):
        assert _kura(*args, "--help").returncode == 0
        assert set(env) <= {
            "KURA_CONFIG",
            "KURA_STORE",
            "KURA_LABEL",
            "KURA_READONLY",
            "KURA_WRITE_LOG",
            "KURA_URL",
            "KURA_TOKEN",
        }
