"""Who may knock, and how much may be handed in: checked before any route sees the request.

A browser is the danger of a loopback server: any page may send requests to it, and a name that is rebound to 127.0.0.1 makes
that page same-origin. So the Host must be an address or a name of ours, and what another site's page sends is refused.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from kura_runtime.serve.bodies import problem

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_MAX = 1 << 20  # bytes of one request's body
BODY_SECONDS = 10.0  # for the whole body to arrive
STORE_PATH = re.compile(r"^/s/([^/]*)(/.*)$")
OPEN_PATHS = frozenset({"/health"})  # answered without a token, and then with little


@dataclass(frozen=True, slots=True)
class Rules:
    """`names` are the host names that are ours beside plain addresses; `token` is the bearer token, "" for none."""

    names: frozenset[str] = frozenset({"localhost"})
    token: str = ""
    body_max: int = BODY_MAX
    body_seconds: float = BODY_SECONDS


class Guard:
    """ASGI middleware: host, origin, token, the `/s/<store>/` prefix, and the size of the body, in this order."""

    def __init__(self, app: App, rules: Rules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there is no websocket here
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = _Headers(scope["headers"])
        scope.setdefault("state", {})
        refusal = self._host(headers) or self._origin(headers) or self._token(scope, headers)
        if refusal is None:
            refusal = _take_prefix(scope)
        if refusal is None and scope["method"] in ("POST", "PUT", "PATCH", "DELETE"):
            body = await self._body(headers, receive)
            if isinstance(body, bytes):
                # curl's -d says "form" of what is JSON; a page of another site was refused above, whatever it calls its body
                if not scope["path"].startswith("/mcp"):
                    scope["headers"] = [
                        *headers.without(b"content-type"),
                        (b"content-type", b"application/json"),
                    ]
                receive = _once(body, receive)
            else:
                refusal = body
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        await self.app(scope, receive, send)

    def _host(self, headers: _Headers) -> _Refusal | None:
        hosts = headers.all(b"host")
        name = _name_of(hosts[0]) if len(hosts) == 1 else None
        if name is not None and (_is_address(name) or name in self.rules.names):
            return None
        told = (
            "the Host header is missing, doubled or no host"
            if name is None
            else f'"{name[:100]}" is not a name of this server'
        )
        return 403, problem(
            "foreign-host", f"{told}; use its address, or name it in [server] allowed_hosts", field="Host"
        )

    def _origin(self, headers: _Headers) -> _Refusal | None:
        origin = headers.one(b"origin")
        if origin and urlsplit(origin).netloc.lower() != (headers.one(b"host") or "").lower():
            return 403, problem(
                "foreign-origin", "a page of another site may not ask this server", field="Origin"
            )
        if headers.one(b"sec-fetch-site") in ("cross-site", "same-site"):
            return 403, problem(
                "foreign-origin", "a page of another site may not ask this server", field="Sec-Fetch-Site"
            )
        return None

    def _token(self, scope: Scope, headers: _Headers) -> _Refusal | None:
        wanted = self.rules.token
        kind, _, given = (headers.one(b"authorization") or "").partition(" ")
        known = not wanted or (
            kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), wanted.encode())
        )
        scope["state"]["known"] = known
        if known or scope["path"] in OPEN_PATHS:
            return None
        return 401, problem(
            "no-token",
            "this server wants its bearer token in the Authorization header",
            field="Authorization",
        )

    async def _body(self, headers: _Headers, receive: Receive) -> bytes | _Refusal:
        limit = self.rules.body_max
        too_large = 413, problem("too-large", f"the body is larger than {limit} bytes", field="body")
        said = headers.one(b"content-length")
        if said and said.isdigit() and int(said[:20]) > limit:
            return too_large
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.rules.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return 400, problem(
                            "cut-off", "the connection ended before the body did", field="body"
                        )
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > limit:
                        return too_large
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            seconds = self.rules.body_seconds
            return 408, problem(
                "too-slow", f"the body did not arrive within {seconds:g} seconds", field="body"
            )


_Refusal = tuple[int, dict[str, Any]]


class _Headers:
    """Raw headers of one request: names are lower-case bytes already."""

    def __init__(self, raw: Any) -> None:
        self.raw: list[tuple[bytes, bytes]] = list(raw)

    def all(self, name: bytes) -> list[str]:
        return [value.decode("latin-1") for key, value in self.raw if key == name]

    def one(self, name: bytes) -> str:
        found = self.all(name)
        return found[0] if found else ""

    def without(self, name: bytes) -> list[tuple[bytes, bytes]]:
        return [pair for pair in self.raw if pair[0] != name]


def _name_of(host: str) -> str | None:
    """The host of a Host header, lower-case, without its port; None where it is none."""
    if not host or re.search(r"[\s/\\@?#,]", host):
        return None
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _is_address(name: str) -> bool:
    """A name can be rebound to our address by whoever owns it; an address cannot."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _take_prefix(scope: Scope) -> _Refusal | None:
    """`/s/<store>/recall` is `/recall` about that store."""
    found = STORE_PATH.match(scope["path"])
    if found is None:
        return None
    scope["state"]["store"] = found[1]
    scope["path"] = found[2]
    scope["raw_path"] = found[2].encode("utf-8", "surrogateescape")
    if not found[1]:
        return 404, problem("unknown-store", "no store is named between /s/ and the route", field="store")
    return None


def _once(body: bytes, receive: Receive) -> Receive:
    """Hand the body on as one message; then whatever the connection says next."""
    given = False

    async def next_() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return next_


async def _refuse(send: Send, status: int, told: dict[str, Any]) -> None:
    data = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(data)).encode()),
        (b"connection", b"close"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data})
