"""The wire under every endpoint: one event loop of this process, in a thread of its own, and the connections on it.

A call that runs there can be dropped at any moment by whoever waits for it, in a thread or in another loop. A thread that
reads a socket itself cannot be: it would hold up a run that is being stopped for as long as the model likes to think.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillWaiting
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

LOOK_EVERY = 0.25  # seconds between two looks at whether a call is still wanted
CONNECT_MAX = 10.0  # seconds
IDLE_CONNECTIONS = 8  # kept alive for one endpoint
RETRY_TOKENS = 20.0  # retries an endpoint has in hand
RETRY_EARNED = 0.2  # of a retry, for each answer

_start = threading.Lock()
_running: tuple[int, asyncio.AbstractEventLoop] | None = None


def submit(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on the loop of this process."""
    return asyncio.run_coroutine_threadsafe(work, _loop())


def wait(future: Future[T], watch: Callable[[], None] | None = None) -> T:
    """The result. `watch` is called while it is not there; what it raises drops the work and is raised here, and so does
    an interrupt of the waiting thread."""
    try:
        while watch is not None:
            try:
                return future.result(LOOK_EVERY)
            except StillWaiting:
                if future.done():
                    raise
                watch()
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    """Started when it is first needed; a forked child starts its own, for threads do not survive a fork."""
    global _running
    with _start:
        if _running is None or _running[0] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="kura-models", daemon=True).start()
            _running = (os.getpid(), loop)
        return _running[1]


@dataclass(slots=True)
class Line:
    """What this process knows of one endpoint: its connections, the complaint that taught us to send it the minimal body
    (None: the full one), and how many retries it has left. Retries are earned by answers, so that an endpoint that is
    down is not asked four times over for every item of a long night."""

    plain: str | None = None
    retries: float = RETRY_TOKENS
    _client: httpx.AsyncClient | None = field(default=None, repr=False)
    _owner: int = 0

    def client(self, *, trust_env: bool) -> httpx.AsyncClient:
        """The pooled client. Only to be called on the loop."""
        import httpx

        if self._client is None or self._owner != os.getpid():
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=IDLE_CONNECTIONS)
            self._client = httpx.AsyncClient(limits=limits, trust_env=trust_env, follow_redirects=False)
            self._owner = os.getpid()
        return self._client

    def spend_retry(self) -> bool:
        """Take one retry; False where none is left."""
        if self.retries < 1:
            return False
        self.retries -= 1
        return True

    def answered(self) -> None:
        """An answer came: a part of a retry is earned."""
        self.retries = min(RETRY_TOKENS, self.retries + RETRY_EARNED)

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        client, self._client = self._client, None
        if client is not None and self._owner == os.getpid():
            submit(client.aclose()).result(CONNECT_MAX)


_lines: dict[tuple[str, str], Line] = {}


def line_of(url: str, model: str) -> Line:
    """The line to an endpoint that all its users in this process share."""
    with _start:
        return _lines.setdefault((url, model), Line())


async def post(
    line: Line,
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    timeout: float,
    most: int,
    trust_env: bool,
) -> tuple[int, Mapping[str, str], bytes]:
    """(status, headers, body) of one request. Raises TimeoutError where the whole of it is not there after `timeout`
    seconds (a client bounds each wait, not their sum: an answer that drips a byte a second would never end), ValueError
    where it is longer than `most` bytes, and what httpx raises."""
    import httpx

    limits = httpx.Timeout(timeout, connect=min(CONNECT_MAX, timeout))
    data = bytearray()
    async with (
        asyncio.timeout(timeout),
        line.client(trust_env=trust_env).stream(
            "POST", url, content=body, headers=dict(headers), timeout=limits
        ) as reply,
    ):
        async for chunk in reply.aiter_bytes():
            data += chunk
            if len(data) > most:
                raise ValueError(f"answer over {most} bytes")
    return reply.status_code, reply.headers, bytes(data)
