"""serve, mcp: the doors for agents of other processes."""

from __future__ import annotations

from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption, StoreOption


def register(app: typer.Typer) -> None:
    """Add the serving commands."""
    app.command()(serve)
    app.command()(mcp)


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


def mcp(
    http: Annotated[bool, typer.Option("--http", help="streamable HTTP instead of stdio")] = False,
    host: Annotated[
        str | None, typer.Option(help="with --http: address to bind; default: [server] host")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="with --http: port; default: the one after [server] port"),
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
) -> int:
    """Serve the tools of a memory over MCP; with a store the agent is bound to it, without one it is free to choose."""
    from kura_runtime.serve.bridge import serve as run

    run(config, store, http=http, host=host, port=port)
    return 0
