"""One OpenAI-compatible `/chat/completions` endpoint. Knows how to ask, how often to try, and how to say what failed."""

from __future__ import annotations

import ipaddress
import json
import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from kura_runtime.domain.call import Message
from kura_runtime.errors import ConfigError
from kura_runtime.models import dialect as speech
from kura_runtime.models.dialect import Parameters
from kura_runtime.models.failures import FailureKind, ModelFailure

if TYPE_CHECKING:
    import httpx

    from kura_runtime.config.model import ModelConfig

log = logging.getLogger(__name__)

RETRIES = 3  # further requests after the first, for what may pass: 429, 5xx, a broken connection
BACKOFF = 0.5  # seconds before the first of them, doubled each time
WAIT_MAX = 60.0  # seconds; a longer Retry-After is an outage to us: the run is retried later, not held
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
    """A configured endpoint in one role. Safe to share between threads."""

    def __init__(
        self,
        *,
        role: str,
        url: str,
        model: str,
        parameters: Parameters | None = None,
        timeout: float | None = None,
        api_key_env: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`url` is the base URL (…/v1). `timeout` bounds one request from its first byte to its last, in seconds.

        Raises ConfigError where `api_key_env` names a variable that is not set.
        """
        self.role, self.model = role, model
        self.parameters = parameters or Parameters()
        self.timeout = timeout if timeout is not None else _DEFAULT_TIMEOUT.get(role, 60.0)
        self.url = chat_url(url)
        self._key = _key_from(api_key_env, role)
        self._sleep = sleep
        self._plain: str | None = None  # the complaint that taught us to send this endpoint the minimal body
        self._client: httpx.Client | None = None

    @classmethod
    def of(cls, config: ModelConfig, role: str) -> ChatEndpoint:
        """The endpoint of one `[models.ROLE]` table."""
        parameters = Parameters(config.max_tokens, float(config.temperature), config.effort, config.dialect)
        return cls(
            role=role,
            url=config.url,
            model=config.model,
            parameters=parameters,
            timeout=config.timeout,
            api_key_env=config.api_key_env,
        )

    @property
    def identity(self) -> str:
        """Model name and endpoint, without credentials or query: two servers may serve different weights by one name."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{self.model}@{urlunsplit((parts.scheme, host, parts.path, '', ''))}"

    def complete(self, messages: Sequence[Message], parameters: Parameters | None = None) -> Completion:
        """Ask once, with bounded retries. Raises ModelFailure (a ModelUnavailable) with its kind."""
        parameters = parameters or self.parameters
        started = time.monotonic()
        waited, requests = 0.0, 0
        plain = self._plain
        while True:
            requests += 1
            try:
                body = (
                    speech.full_body(self.model, messages, parameters)
                    if plain is None
                    else speech.minimal_body(self.model, messages, parameters, plain)
                )
                payload = self._post(body)
                break
            except _Rejected as rejected:
                if rejected.status == 400 and plain is None:
                    plain = rejected.complaint
                    log.info("%s: the endpoint refused the full request, trying the minimal one", self.role)
                    continue
                pause = _pause(requests, rejected.retry_after)
                if rejected.status not in _PASSING or requests > RETRIES or pause > WAIT_MAX:
                    detail = f"status {rejected.status} from {self._where}: {rejected.complaint[:200]}"
                    raise self._failure("http", detail, requests, status=rejected.status) from None
            except _Broken as broken:
                pause = _pause(requests, None)
                if requests > RETRIES:
                    raise self._failure("unreachable", str(broken), requests) from None
            except _Late as late:
                # a slow answer is not asked for again at once: it would cost the same hour a second time
                raise self._failure("timeout", str(late), requests) from None
            log.info("%s: try %d failed, next in %.1f s", self.role, requests, pause)
            self._sleep(pause)
            waited += pause
        self._plain = plain
        timings = {"total": round(time.monotonic() - started, 3), "waited": round(waited, 3)}
        return self._read(payload, timings, requests)

    def close(self) -> None:
        """Close the connections. The endpoint can be used again; it then opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    # -- one request -------------------------------------------------------------------------------------------------

    def _read(self, raw: bytes, timings: dict[str, float], requests: int) -> Completion:
        try:
            payload = json.loads(raw)
            if not isinstance(payload, dict):
                raise ValueError("not an object")
            answer, reasoning, finish = speech.answer_of(payload)
        except (ValueError, RecursionError) as error:
            raise self._failure("malformed", f"{self._where}: {error}", requests) from None
        if not answer:
            kind: FailureKind = (
                "reasoning-only" if reasoning else "truncated" if finish == "length" else "empty"
            )
            detail = f"{self._where} gave no answer (finish {finish or 'unknown'})"
            raise self._failure(kind, detail, requests, reasoning=reasoning)
        return Completion(answer, reasoning, finish, speech.usage_of(payload), timings, requests)

    def _post(self, body: dict[str, Any]) -> bytes:
        """Send and read the whole answer within `timeout`. httpx bounds each wait, not their sum: an answer that drips
        a byte a second would never end, so the sum is checked here."""
        import httpx

        deadline = time.monotonic() + self.timeout
        headers = {"content-type": "application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        data = bytearray()
        try:
            client = self._open()
            with client.stream("POST", self.url, content=json.dumps(body).encode(), headers=headers) as reply:
                for chunk in reply.iter_bytes():
                    data += chunk
                    if len(data) > ANSWER_MAX:
                        raise self._failure("malformed", f"{self._where}: answer over {ANSWER_MAX} bytes")
                    if time.monotonic() > deadline:
                        raise _Late(f"{self._where}: answer not complete after {self.timeout:g} s")
                if reply.status_code != 200:
                    words = self._clean(bytes(data[:4000]).decode("utf-8", "replace"))
                    raise _Rejected(reply.status_code, words, _retry_after(reply.headers.get("retry-after")))
        except (httpx.ConnectTimeout, httpx.PoolTimeout):
            raise _Broken(f"{self._where}: no connection in time") from None
        except httpx.TimeoutException:
            raise _Late(f"{self._where}: no answer within {self.timeout:g} s") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _Broken(f"{self._where}: {self._clean(str(error)) or type(error).__name__}") from None
        except httpx.InvalidURL as error:
            raise ConfigError(f"[models.{self.role}] url: {error}") from None
        return bytes(data)

    def _open(self) -> httpx.Client:
        import httpx

        if self._client is None:
            # a proxy named in the environment must not be asked for a model on this very machine
            trust = not is_loopback(urlsplit(self.url).hostname or "")
            limits = httpx.Timeout(self.timeout, connect=min(10.0, self.timeout))
            self._client = httpx.Client(timeout=limits, trust_env=trust, follow_redirects=False)
        return self._client

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


def _pause(requests: int, retry_after: float | None) -> float:
    return retry_after if retry_after is not None else float(BACKOFF * 2 ** (requests - 1))


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
