"""hooks: make a host's agent wear the map and hold the tools; show the change first, take it back on request."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from kura_runtime.cli.host_files import Wanted, edits
from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    handle,
    print_json,
    say,
    store_config,
)
from kura_runtime.config.load import load
from kura_runtime.errors import KuraError


def register(app: typer.Typer) -> None:
    """Add the group `kura hooks`."""
    group = typer.Typer(help="Install the tools and the session-start hook into a host, or take them away.")
    group.command()(install)
    group.command("print")(print_block)
    app.add_typer(group, name="hooks")


def install(
    host: Annotated[Literal["claude-code", "codex"], typer.Argument(help="the host")],
    user: Annotated[
        bool, typer.Option("--user", help="for every project of this user, not only this one")
    ] = False,
    folder: Annotated[Path, typer.Option("--dir", help="folder of the project")] = Path(),
    remove: Annotated[bool, typer.Option("--remove", help="take away what was installed")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="write without asking")] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Add the MCP entry and a hook that prints the map at the start of a session. The change is shown first."""
    wanted = None
    if not remove:
        loaded = load(config)
        bound = store_config(loaded.file, store)[1].name if store or len(loaded.stores) == 1 else ""
        wanted = Wanted(_own_command(), loaded.file, bound)
    root = Path.home() if user else folder.expanduser().absolute()
    planned = [edit for edit in edits(host, root, user=user, wanted=wanted) if edit.changes]
    if json:
        print_json(
            {
                "host": host,
                "files": [{"path": str(e.path), "diff": e.diff()} for e in planned],
                "written": yes and bool(planned),
            }
        )
    for edit in () if json else planned:
        say(edit.diff())
    if not planned:
        if not json:
            say("nothing to change")
        return 2
    if not yes and not (sys.stdin.isatty() and not json and typer.confirm("write this?")):
        if not json:
            say("nothing was written; --yes writes it")
        return 2
    for edit in planned:
        edit.write()
    if not json:
        say(f"{'removed' if remove else 'installed'}; start a new session of {host} to see it")
        if host == "codex" and not remove:
            say("codex asks once whether it may trust the hook: answer it, or run /hooks there")
    return 0


def print_block(config: ConfigOption = None, store: StoreOption = None) -> int:
    """Print the map for a session's start. A map that cannot be read is told as missing: a host would take silence for emptiness."""
    from kura_runtime.resident.prefill import UNREACHABLE

    try:
        say(handle(config, store).prefill().text)
    except (KuraError, OSError) as error:
        say(UNREACHABLE.format(store=store or "kura"))
        sys.stderr.write(f"kura: {error}\n")
    return 0


def _own_command() -> str:
    """The `kura` of this very installation; a host starts without our PATH."""
    beside = Path(sys.executable).with_name("kura")
    return str(beside) if beside.is_file() else shutil.which("kura") or "kura"
