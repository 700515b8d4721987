"""One connection: how long a request's head may take to arrive, and how large it may be.

The server below bounds neither: a client that sends a header a minute would hold its connection for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 10.0
HEAD_MAX = 32 * 1024  # bytes of request line and headers
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Connection(HttpToolsProtocol):
    """The HTTP/1.1 protocol with a clock and a scale for the head of each request."""

    head_seconds = HEAD_SECONDS
    head_max = HEAD_MAX
    _clock: asyncio.TimerHandle | None = None
    _head = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._clock is not None:
            self._head += len(data)
            if self._head > self.head_max and b"\r\n\r\n" not in data[: self.head_max]:
                self._end(_TOO_LARGE)
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._clock is None:
            self._start()

    def on_headers_complete(self) -> None:
        self._stop()
        super().on_headers_complete()

    def _start(self) -> None:
        self._head = 0
        self._clock = self.loop.call_later(self.head_seconds, self._end, _TOO_SLOW)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _end(self, words: bytes) -> None:
        self._stop()
        if not self.transport.is_closing():
            self.transport.write(words)
            self.transport.close()
