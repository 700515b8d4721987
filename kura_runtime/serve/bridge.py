"""Start the MCP bridge: over stdio for a host on this machine, or over streamable HTTP behind the same guard as the HTTP door."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from kura_runtime.config.load import load
from kura_runtime.errors import ConfigError

URL_ENV, TOKEN_ENV = "KURA_URL", "KURA_TOKEN"


def serve(
    config_file: Path | None,
    store: str | None,
    *,
    http: bool = False,
    host: str | None = None,
    port: int | None = None,
) -> None:
    """Serve until the host hangs up or the process is stopped. `store` binds the bridge, as $KURA_STORE does.

    $KURA_URL names a kura server to ask; without it the stores are opened here. Raises ConfigError, UnknownStore.
    """
    try:
        from kura_runtime.serve import mcp
        from kura_runtime.serve.doors import Door, InProcess, OverHttp
    except ImportError as error:
        raise ConfigError(
            f"the MCP door needs {error.name}: install the extra with `pip install 'distill-kura-dagster[mcp]'`"
        ) from None
    env = dict(os.environ) | ({"KURA_STORE": store} if store else {})
    settings = mcp.Settings.of(env)
    url = env.get(URL_ENV, "").strip()
    door: Door
    if url:
        door = OverHttp(url, token=env.get(TOKEN_ENV, ""))
    else:
        from kura_runtime.api import Kura

        kura = Kura(load(config_file))
        if settings.store:
            kura.store(settings.store)  # an unknown store is told now, not at the first call
        door = InProcess(kura)
    server = mcp.build(door, settings)
    logging.getLogger().handlers = [
        logging.StreamHandler(sys.stderr)
    ]  # stdout carries the protocol and nothing else
    if not http:
        server.run("stdio")
        return
    _serve_http(server, config_file, host, port)


def _serve_http(server: object, config_file: Path | None, host: str | None, port: int | None) -> None:
    try:
        import uvicorn

        from kura_runtime.serve.guard import Guard
        from kura_runtime.serve.run import rules_for
        from kura_runtime.serve.wire import Connection
    except ImportError as error:
        raise ConfigError(
            f"MCP over HTTP needs {error.name}: install the extra `pip install 'distill-kura-dagster[server]'`"
        ) from None
    config = load(config_file)
    host = host or config.server.host
    rules = rules_for(config, host)
    app = server.streamable_http_app(host=host)  # type: ignore[attr-defined]
    uvicorn.run(
        Guard(app, rules), host=host, port=config.server.port + 1 if port is None else port, http=Connection, ws="none",
        access_log=False, log_level="info", server_header=False, proxy_headers=False, timeout_graceful_shutdown=5,
    )  # fmt: skip
