"""A scripted OpenAI-compatible server on a real loopback socket. It plays brain, scribe and thinker, well or badly.

The script is asked once for every request and answers with a `Reply`. `Cast` is the usual script: it knows by the prompt
which task it is given and takes the next line of that part (the last line is repeated).
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One HTTP answer. `drip` waits so many seconds after each byte; `hang_up` closes in the middle of the body."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: float = 0.0
    hang_up: bool = False


def say(
    content: Any,
    *,
    reasoning: str | None = None,
    finish: str = "stop",
    drip: float = 0.0,
    hang_up: bool = False,
    **more: Any,
) -> Reply:
    """A chat completion. Anything but text (and None) is sent as JSON text. `more` are further fields of the payload."""
    text = content if isinstance(content, str) or content is None else json.dumps(content, ensure_ascii=False)
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    payload = {
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        **more,
    }
    return Reply(body=json.dumps(payload).encode(), drip=drip, hang_up=hang_up)


def status(code: int, message: str = "no", **headers: str) -> Reply:
    """An error answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(code, json.dumps({"error": {"message": message}}).encode(), named)


Script = Callable[[dict[str, Any]], Reply]


class ScriptedModel:
    """The server; a context manager. `requests` holds the JSON bodies received, `headers` their headers, `peers` the
    addresses of the connections they came on. `parallel` lets the script run for several requests at once."""

    def __init__(self, script: Script, *, parallel: bool = False, port: int = 0) -> None:
        self.script = script
        self.peers: set[tuple[str, int]] = set()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                request = json.loads(self.rfile.read(length))
                with outer._lock:
                    outer.requests.append(request)
                    outer.headers.append({k.lower(): v for k, v in self.headers.items()})
                    outer.peers.add(self.client_address)
                    reply = None if parallel else outer.script(request)
                outer._send(self, reply or outer.script(request))

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def url(self) -> str:
        """Base URL, as kura.toml would name it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        try:
            handler.send_response(reply.status)
            handler.send_header("content-type", "application/json")
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            handler.send_header("content-length", str(len(reply.body)))
            handler.end_headers()
            if reply.hang_up:
                handler.wfile.write(reply.body[: len(reply.body) // 2])
                handler.wfile.flush()
                handler.close_connection = True
                handler.connection.shutdown(socket.SHUT_RDWR)
                return
            if not reply.drip:
                handler.wfile.write(reply.body)
                return
            for i in range(len(reply.body)):
                handler.wfile.write(reply.body[i : i + 1])
                handler.wfile.flush()
                time.sleep(reply.drip)
        except OSError:
            pass  # the client gave up; that is what the test wanted


TASKS = {
    "find what is worth": "spot",
    "read the evidence above once more": "coverage",
    "say how a new item stands": "novelty",
    "say how each of several": "novelties",
    "say which waiting ideas": "sprout",
    "write one memory": "compose",
    "write the profile": "profile",
    "write a shorter recognition line": "trigger",
    "repair the recognition lines": "tidy",
    "write a further section": "extend",
    "judge one draft": "judge",
}


def task_of(request: Mapping[str, Any]) -> str:
    """Which task a request is about, by the first line of its task (evidence may stand before it); `other` for none of
    ours."""
    prompt = str(request["messages"][-1]["content"]).rsplit("</evidence-", 1)[-1]
    first = next((line for line in prompt.split("\n") if line.startswith("Task:")), prompt.split("\n", 1)[0])
    return next((name for words, name in TASKS.items() if words in first), "other")


def items_of(request: Mapping[str, Any]) -> dict[str, str]:
    """Item id → the item's text, of a request about several items."""
    prompt = str(request["messages"][-1]["content"])
    return {
        m.group(1): m.group(0)
        for m in re.finditer(r"<item-\w+>\nid: (\w+)\n.*?</item-\w+>", prompt, re.DOTALL)
    }


Line = Reply | str | list[Any] | dict[str, Any] | Callable[[dict[str, Any]], Any]


class Cast:
    """A script with a part for each task. A line may be a Reply, JSON, text, or a function of the request."""

    def __init__(self, **parts: Line | Sequence[Line]) -> None:
        self.parts: dict[str, list[Line]] = {
            "coverage": ["[]"],
            "novelty": [{"kind": "NEW", "slug": ""}],
            "novelties": [self._one_by_one],
            "sprout": ["[]"],
            "trigger": ["[]"],
        }
        for name, lines in parts.items():
            self.set(name, lines)
        self.asked: list[str] = []

    def set(self, part: str, lines: Line | Sequence[Line]) -> None:
        """Replace a part: a tuple is a sequence of lines, anything else is the one line."""
        self.parts[part] = list(lines) if isinstance(lines, tuple) else [lines]  # type: ignore[list-item]

    def __call__(self, request: dict[str, Any]) -> Reply:
        part = task_of(request)
        self.asked.append(part)
        lines = self.parts.get(part)
        if not lines:
            return status(404, f"no part for {part}")
        line: Any = lines.pop(0) if len(lines) > 1 else lines[0]
        if callable(line):
            line = line(request)
        return line if isinstance(line, Reply) else say(line)

    def _one_by_one(self, request: dict[str, Any]) -> Any:
        """Several items are answered as each would be by itself; a line that is no answer spoils the whole reply."""
        said = []
        for name, text in items_of(request).items():
            lines = self.parts["novelty"]
            line: Any = lines.pop(0) if len(lines) > 1 else lines[0]
            if callable(line):
                line = line({"messages": [{"role": "user", "content": text}]})
            if not isinstance(line, dict):
                return line
            said.append({"id": name, **line})
        return said
