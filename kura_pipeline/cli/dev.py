"""`kura dev`: Dagster's webserver and daemon on the project's own home."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption
from kura_runtime.config.load import load


def register(app: typer.Typer) -> None:
    """Add `kura dev`."""
    app.command()(dev)


def dev(
    port: Annotated[int, typer.Option(min=1, max=65535, help="port of the web interface")] = 3000,
    host: Annotated[
        str, typer.Option(help="address it binds; it has no login, so keep it on loopback")
    ] = "127.0.0.1",
    config: ConfigOption = None,
) -> int:
    """Start the Dagster web interface and daemon; sensors distil in idle hours. Stop it with Ctrl-C."""
    from kura_pipeline import home

    loaded = load(config)
    with home.instance(loaded):
        pass  # the database is made by this one process before two others open it
    where = home.dagster_home(loaded)
    os.chdir(loaded.project)
    sys.stdout.flush()
    arguments = ["-m", "dagster", "dev", "-w", str(where / "workspace.yaml"), "-h", host, "-p", str(port)]
    os.execv(sys.executable, [sys.executable, *arguments])
