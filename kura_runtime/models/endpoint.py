"""One OpenAI-compatible `/chat/completions` endpoint. Knows how to ask, how often to try, and how to say what failed."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from kura_runtime.domain.call import Message
from kura_runtime.errors import ConfigError
from kura_runtime.models import dialect as speech
from kura_runtime.models import wire
from kura_runtime.models.dialect import Parameters
from kura_runtime.models.failures import FailureKind, ModelFailure
from kura_runtime.models.wire import Line

if TYPE_CHECKING:
    from kura_runtime.config.model import ModelConfig

log = logging.getLogger(__name__)

RETRIES = 3  # further requests after the first, for what may pass: 429, 5xx, a broken connection
BACKOFF = 0.5  # seconds before the first of them, doubled each time
JITTER = 0.5  # of a pause, at most, on top of it: callers that failed together must not come back together
WAIT_MAX = 60.0  # seconds of pauses in one call; a longer Retry-After is an outage: the run is retried later, not held
ANSWER_MAX = 32 * 1024 * 1024  # bytes of a response body
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_DEFAULT_TIMEOUT = {"thinker": 60.0, "brain": 3600.0, "scribe": 3600.0}


@dataclass(frozen=True, slots=True)
class Completion:
    """A usable answer. `usage` counts tokens, `timings` seconds (`total`, and `waited` between tries); `requests` is how
    many were sent. `finish == "length"` means that the answer breaks off."""

    text: str
    reasoning: str = ""
    finish: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    requests: int = 1

    @property
    def truncated(self) -> bool:
        """True where the endpoint ran out of tokens in the middle."""
        return self.finish == "length"


class ChatEndpoint:
    """A configured endpoint in one role. Safe to share between threads, and between threads and event loops."""

    def __init__(
        self,
        *,
        role: str,
        url: str,
        model: str,
        parameters: Parameters | None = None,
        timeout: float | None = None,
        api_key_env: str = "",
        sleep: Callable[[float], None] | None = None,
        jitter: Callable[[], float] = random.random,
        line: Line | None = None,
    ) -> None:
        """`url` is the base URL (…/v1). `timeout` bounds one request from its first byte to its last, in seconds. `line`
        is what is shared with other users of the endpoint (`wire.line_of`); without it, it has connections of its own.
        `sleep` and `jitter` (0 to 1) stand in for the pause between two tries.

        Raises ConfigError where `api_key_env` names a variable that is not set.
        """
        self.role, self.model = role, model
        self.parameters = parameters or Parameters()
        self.timeout = timeout if timeout is not None else _DEFAULT_TIMEOUT.get(role, 60.0)
        self.url = chat_url(url)
        self._key = _key_from(api_key_env, role)
        self._sleep, self._jitter = sleep, jitter
        self._line = line or Line()

    @classmethod
    def of(cls, config: ModelConfig, role: str) -> ChatEndpoint:
        """The endpoint of one `[models.ROLE]` table."""
        parameters = Parameters(
            config.max_tokens,
            float(config.temperature),
            config.effort,
            config.dialect,
            structured=config.structured,
        )
        return cls(
            role=role,
            url=config.url,
            model=config.model,
            parameters=parameters,
            timeout=config.timeout,
            api_key_env=config.api_key_env,
            line=wire.line_of(chat_url(config.url), config.model),
        )

    @property
    def identity(self) -> str:
        """Model name and endpoint, without credentials or query: two servers may serve different weights by one name."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{self.model}@{urlunsplit((parts.scheme, host, parts.path, '', ''))}"

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters | None = None,
        *,
        watch: Callable[[], None] | None = None,
    ) -> Completion:
        """Ask once, with bounded retries. Raises ModelFailure (a ModelUnavailable) with its kind.

        `watch` is called four times a second while the answer is not there; what it raises drops the call and is raised.
        """
        return wire.wait(wire.submit(self._ask(messages, parameters or self.parameters)), watch)

    async def acomplete(
        self, messages: Sequence[Message], parameters: Parameters | None = None
    ) -> Completion:
        """`complete` for callers with an event loop of their own; a cancelled task drops the call."""
        return await asyncio.wrap_future(wire.submit(self._ask(messages, parameters or self.parameters)))

    async def _ask(self, messages: Sequence[Message], parameters: Parameters) -> Completion:
        started = time.monotonic()
        waited, requests = 0.0, 0
        plain = self._line.plain
        while True:
            requests += 1
            try:
                body = (
                    speech.full_body(self.model, messages, parameters)
                    if plain is None
                    else speech.minimal_body(self.model, messages, parameters, plain)
                )
                payload = await self._post(body)
                break
            except _Rejected as rejected:
                if rejected.status == 400 and plain is None:
                    plain = rejected.complaint
                    log.info("%s: the endpoint refused the full request, trying the minimal one", self.role)
                    continue
                pause = self._pause(requests, rejected.retry_after)
                if rejected.status not in _PASSING or not self._may_retry(requests, waited + pause):
                    detail = f"status {rejected.status} from {self._where}: {rejected.complaint[:200]}"
                    raise self._failure("http", detail, requests, status=rejected.status) from None
            except _Broken as broken:
                pause = self._pause(requests, None)
                if not self._may_retry(requests, waited + pause):
                    raise self._failure("unreachable", str(broken), requests) from None
            except _Late as late:
                # a slow answer is not asked for again at once: it would cost the same hour a second time
                raise self._failure("timeout", str(late), requests) from None
            log.info("%s: try %d failed, next in %.1f s", self.role, requests, pause)
            if self._sleep is not None:
                self._sleep(pause)
            else:
                await asyncio.sleep(pause)
            waited += pause
        self._line.plain = plain
        self._line.answered()
        timings = {"total": round(time.monotonic() - started, 3), "waited": round(waited, 3)}
        return self._read(payload, timings, requests)

    def close(self) -> None:
        """Close the connections. The endpoint can be used again; it then opens new ones."""
        self._line.close()

    def _pause(self, requests: int, retry_after: float | None) -> float:
        """Seconds until the next try: never less than the endpoint asks for."""
        base = float(BACKOFF * 2 ** (requests - 1)) if retry_after is None else retry_after
        return base + (BACKOFF if retry_after is not None else base) * JITTER * self._jitter()

    def _may_retry(self, requests: int, waited: float) -> bool:
        return requests <= RETRIES and waited <= WAIT_MAX and self._line.spend_retry()

    # -- one request -------------------------------------------------------------------------------------------------

    def _read(self, raw: bytes, timings: dict[str, float], requests: int) -> Completion:
        try:
            payload = json.loads(raw)
            if not isinstance(payload, dict):
                raise ValueError("not an object")
            answer, reasoning, finish = speech.answer_of(payload)
        except (ValueError, RecursionError) as error:
            raise self._failure("malformed", f"{self._where}: {error}", requests) from None
        usage = speech.usage_of(payload)
        timings = timings | speech.timings_of(payload)
        if not answer:
            kind: FailureKind = (
                "reasoning-only" if reasoning else "truncated" if finish == "length" else "empty"
            )
            detail = f"{self._where} gave no answer (finish {finish or 'unknown'})"
            raise self._failure(
                kind, detail, requests, reasoning=reasoning, usage=usage, finish=finish, timings=timings
            )
        return Completion(answer, reasoning, finish, usage, timings, requests)

    async def _post(self, body: dict[str, Any]) -> bytes:
        """Send and read one whole answer within `timeout`."""
        import httpx

        headers = {"content-type": "application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        # a proxy named in the environment must not be asked for a model on this very machine
        trust = not is_loopback(urlsplit(self.url).hostname or "")
        try:
            status, named, data = await wire.post(
                self._line,
                self.url,
                json.dumps(body).encode(),
                headers,
                timeout=self.timeout,
                most=ANSWER_MAX,
                trust_env=trust,
            )
        except (httpx.ConnectTimeout, httpx.PoolTimeout):
            raise _Broken(f"{self._where}: no connection in time") from None
        except (httpx.TimeoutException, TimeoutError):
            raise _Late(f"{self._where}: answer not complete after {self.timeout:g} s") from None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise ConfigError(f"[models.{self.role}] url: {error}") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _Broken(f"{self._where}: {self._clean(str(error)) or type(error).__name__}") from None
        except ValueError as error:
            raise self._failure("malformed", f"{self._where}: {error}") from None
        if status != 200:
            words = self._clean(data[:4000].decode("utf-8", "replace"))
            raise _Rejected(status, words, _retry_after(named.get("retry-after")))
        return data

    @property
    def _where(self) -> str:
        return self.identity.partition("@")[2]

    def _clean(self, text: str) -> str:
        """An endpoint that echoes the request must not put our key into an error message or a log."""
        return " ".join((text.replace(self._key, "⟦key⟧") if self._key else text).split())

    def _failure(self, kind: FailureKind, message: str, attempts: int = 1, **more: Any) -> ModelFailure:
        return ModelFailure(self.role, kind, message, attempts=attempts, **more)


class _Rejected(Exception):
    def __init__(self, status: int, complaint: str, retry_after: float | None) -> None:
        self.status, self.complaint, self.retry_after = status, complaint, retry_after
        super().__init__(complaint)


class _Broken(Exception):
    pass


class _Late(Exception):
    pass


def chat_url(base: str) -> str:
    """The chat-completions URL of a base URL; one that already names it is left as it is."""
    trimmed = base.rstrip("/")
    return trimmed if trimmed.endswith("/chat/completions") else f"{trimmed}/chat/completions"


def is_loopback(host: str) -> bool:
    """True for this machine's own addresses."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _key_from(variable: str, role: str) -> str:
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f'[models.{role}] api_key_env: environment variable "{variable}" is not set; export it, or remove the key'
        )
    return key


def _retry_after(value: str | None) -> float | None:
    """Seconds to wait; the header holds seconds or an HTTP date."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if seconds == seconds else None
