"""Start the HTTP door: where it may bind, with which token, in how many processes."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from kura_runtime.api import Kura
from kura_runtime.config.load import CONFIG_ENV, load
from kura_runtime.errors import ConfigError
from kura_runtime.serve.guard import Rules

if TYPE_CHECKING:
    from fastapi import FastAPI

    from kura_runtime.config.model import Config

HOST_ENV = "KURA_SERVE_HOST"


def rules_for(config: Config, host: str) -> Rules:
    """Who may knock at a server bound to `host`. Raises ConfigError where the token's variable is empty, and for an address
    elsewhere than loopback without a token, unless the configuration says that this is wanted."""
    server = config.server
    token = os.environ.get(server.token_env, "") if server.token_env else ""
    if server.token_env and not token.strip():
        raise ConfigError(f"{config.file}: [server] token_env names ${server.token_env}, which is not set")
    if not is_loopback(host) and not token and not server.allow_unauthenticated:
        raise ConfigError(
            f"{host} is not a loopback address, and there is no token: anyone who reaches it could read every store. Name the "
            "variable that holds one in [server] token_env, or set allow_unauthenticated = true"
        )
    names = {"localhost", host.lower(), *(name.lower() for name in server.allowed_hosts)}
    return Rules(names=frozenset(names), token=token.strip())


def is_loopback(host: str) -> bool:
    """Does every address of this host stay on this machine?"""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        pass
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError as error:
        raise ConfigError(f'host "{host}": {error.strerror or error}') from None
    return bool(found) and all(ipaddress.ip_address(str(a).partition("%")[0]).is_loopback for a in found)


def serve(
    config_file: Path | None, *, host: str | None = None, port: int | None = None, workers: int = 1
) -> None:
    """Serve until stopped. `port` 0 takes a free one (it is printed). Raises ConfigError before anything is bound."""
    try:
        import uvicorn

        from kura_runtime.serve.wire import Connection
    except ImportError as error:
        raise ConfigError(
            f"the HTTP door needs {error.name}: install the extra with `pip install 'distill-kura-dagster[server]'`"
        ) from None
    config = load(config_file)
    host = host or config.server.host
    rules_for(config, host)
    # workers of their own build their application from these
    os.environ[CONFIG_ENV], os.environ[HOST_ENV] = str(config.file), host
    uvicorn.run(
        "kura_runtime.serve.run:worker", factory=True, host=host, port=config.server.port if port is None else port,
        workers=workers, http=Connection, ws="none", access_log=False, log_level="info", server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=10, limit_concurrency=1000,
    )  # fmt: skip


def worker() -> FastAPI:
    """The application of one serving process, from the environment that `serve` left it."""
    from kura_runtime.serve.app import build_app

    config = load()
    return build_app(Kura(config), rules_for(config, os.environ.get(HOST_ENV, config.server.host)))
