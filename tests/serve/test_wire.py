"""A real server on a real socket: slow and swollen requests end, and the process lives on."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kura_runtime.errors import ConfigError
from kura_runtime.serve import wire
from kura_runtime.serve.run import is_loopback, rules_for

from .rooms import project, serving


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with serving(project(tmp_path_factory.mktemp("wire"))) as port:
        yield port


def _said(port: int, data: bytes, *, wait: float = 30) -> bytes:
    """What the server answers to raw bytes before it hangs up (or before we have the whole answer)."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as line:
        line.sendall(data)
        got = b""
        while chunk := line.recv(65536):
            got += chunk
        return got


def _alive(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10) as answer:
        return json.load(answer)["status"] == "ok"


def test_a_head_that_never_ends_is_hung_up_on(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=wire.HEAD_SECONDS * 3) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert line.recv(4096).startswith(b"HTTP/1.1 408")
        assert line.recv(4096) == b""
    assert _alive(port)


def test_a_connection_that_says_nothing_is_hung_up_on(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=wire.HEAD_SECONDS * 3) as line:
        assert line.recv(4096).startswith(b"HTTP/1.1 408")


def test_a_body_that_drips_is_answered_408(port: int) -> None:
    head = b"POST /recall HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"
    assert _said(port, head).startswith(b"HTTP/1.1 408")
    assert _alive(port)


def test_a_swollen_head_is_answered_431_before_it_is_kept(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        got = b""
        try:
            for _ in range(200):
                line.sendall(b"X-A: " + b"a" * 8000 + b"\r\n")
                time.sleep(0.005)
            got = line.recv(4096)
        except OSError:  # it hung up while we were still sending, which is what it is for
            got = got or b"HTTP/1.1 431"
        assert got.startswith(b"HTTP/1.1 431")
    assert _alive(port)


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",  # a TLS hello
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"POST /recall HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
)
def test_odd_heads_are_refused(port: int, data: bytes) -> None:
    answer = _said(port, data)
    assert answer == b"" or answer.split()[1] in (b"400", b"403", b"408")
    assert _alive(port)


def test_many_requests_on_one_connection_are_all_answered(port: int) -> None:
    one = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    last = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    assert _said(port, one * 20 + last).count(b"HTTP/1.1 200") == 21


# --- where it may bind ------------------------------------------------------------------------------------------------------


def test_binding_elsewhere_without_a_token_is_refused_with_the_way_out(tmp_path: Path) -> None:
    import kura_runtime

    config = kura_runtime.open(project(tmp_path)).config
    with pytest.raises(ConfigError, match="token_env"):
        rules_for(config, "0.0.0.0")
    with pytest.raises(ConfigError, match="token_env"):
        rules_for(config, "::")
    assert rules_for(config, "127.0.0.1").token == ""


def test_a_token_variable_that_is_not_set_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kura_runtime

    config = kura_runtime.open(
        project(tmp_path, '[server]\ntoken_env = "KURA_TEST_TOKEN"\nallowed_hosts = ["Mem.Example"]\n')
    ).config
    monkeypatch.delenv("KURA_TEST_TOKEN", raising=False)
    with pytest.raises(ConfigError, match="KURA_TEST_TOKEN"):
        rules_for(config, "127.0.0.1")
    monkeypatch.setenv("KURA_TEST_TOKEN", "abc")
    rules = rules_for(config, "0.0.0.0")
    assert rules.token == "abc" and "mem.example" in rules.names


def test_loopback_is_what_stays_on_this_machine() -> None:
    assert (
        is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("[::1]") and is_loopback("localhost")
    )
    assert not is_loopback("0.0.0.0") and not is_loopback("10.1.2.3")


def test_a_taken_port_ends_with_one_clear_line(tmp_path: Path, port: int) -> None:
    taken = serving(project(tmp_path), "--port", str(port))
    with pytest.raises(AssertionError, match="address already in use"), taken:
        pass


def test_two_workers_serve_the_same_store(tmp_path: Path) -> None:
    with serving(project(tmp_path), "--workers", "2") as port:
        deadline, pids = time.monotonic() + 60, set()
        while len(pids) < 2 and time.monotonic() < deadline:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10) as answer:
                pids.add(json.load(answer)["pid"])
        assert len(pids) == 2
