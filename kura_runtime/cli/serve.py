"""serve: the HTTP door."""

from __future__ import annotations

from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption


def register(app: typer.Typer) -> None:
    """Add the serving command."""
    app.command()(serve)


def serve(
    host: Annotated[
        str | None, typer.Option(help="address to bind; default: [server] host, else 127.0.0.1")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="port; default: [server] port, else 8085; 0: a free one"),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="processes that answer side by side")] = 1,
    config: ConfigOption = None,
) -> int:
    """Serve recall over HTTP until stopped."""
    from kura_runtime.serve.run import serve as run

    run(config, host=host, port=port, workers=workers)
    return 0
