"""What the MCP bridge asks, and the two places it may ask: the stores of this process, or a kura server over HTTP."""

from __future__ import annotations

from typing import Any, Protocol
from urllib.parse import quote

import httpx

from kura_runtime.api import Kura, StoreHandle
from kura_runtime.errors import KuraError
from kura_runtime.recall.framing import whole

ASK_SECONDS = 120.0  # a recall may wait for the thinker


class Door(Protocol):
    """`store` is a store or mode name, or "" for the only one there is. Every method raises KuraError."""

    def stores(self) -> list[dict[str, Any]]: ...
    def recall(self, store: str, question: str, hops: int, top: int) -> dict[str, Any]: ...
    def glance(self, store: str, slug: str) -> str: ...
    def read(self, store: str, slug: str) -> str: ...
    def map(self, store: str) -> str: ...
    def search(self, store: str, query: str, limit: int) -> list[dict[str, Any]]: ...
    def doctor(self, store: str) -> dict[str, Any]: ...
    def remember(self, store: str, fields: dict[str, Any]) -> dict[str, Any]: ...


class InProcess:
    """The stores of kura.toml, opened here."""

    def __init__(self, kura: Kura) -> None:
        self._kura = kura

    def stores(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._kura.describe()["stores"]
        return found

    def recall(self, store: str, question: str, hops: int, top: int) -> dict[str, Any]:
        return self._of(store).recall(question, hops=hops, top=top).to_json()

    def glance(self, store: str, slug: str) -> str:
        return self._of(store).glance(slug)

    def read(self, store: str, slug: str) -> str:
        handle = self._of(store)
        return whole(handle.read(slug), handle.name)

    def map(self, store: str) -> str:
        return self._of(store).prefill().text

    def search(self, store: str, query: str, limit: int) -> list[dict[str, Any]]:
        return self._of(store).search(query, limit=limit)

    def doctor(self, store: str) -> dict[str, Any]:
        return self._of(store).doctor()

    def remember(self, store: str, fields: dict[str, Any]) -> dict[str, Any]:
        words = dict(fields)
        return self._of(store).remember(
            words.pop("slug"), words.pop("description"), words.pop("body"), door="mcp", **words
        )

    def _of(self, store: str) -> StoreHandle:
        return self._kura.store(store) if store else self._kura.only()


class OutOfReach(KuraError):
    """The kura server does not answer. Nothing is known about what it remembers."""


class OverHttp:
    """A kura server. What is out of reach is never told as empty."""

    def __init__(self, url: str, *, token: str = "") -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self.url = url
        self._client = httpx.Client(base_url=url, headers=headers, timeout=ASK_SECONDS)

    def stores(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("GET", "/stores").json()["stores"]
        return found

    def recall(self, store: str, question: str, hops: int, top: int) -> dict[str, Any]:
        return self._object("POST", "/recall", store, {"question": question, "hops": hops, "top": top})

    def glance(self, store: str, slug: str) -> str:
        return str(self._object("GET", f"/glance/{quote(slug, safe='')}", store)["text"])

    def read(self, store: str, slug: str) -> str:
        return str(self._object("GET", f"/memory/{quote(slug, safe='')}", store)["text"])

    def map(self, store: str) -> str:
        return self._ask("GET", "/map", store).text

    def search(self, store: str, query: str, limit: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask(
            "GET", "/search", store, params={"q": query, "limit": limit}
        ).json()
        return found

    def doctor(self, store: str) -> dict[str, Any]:
        return self._object("GET", "/doctor", store)

    def remember(self, store: str, fields: dict[str, Any]) -> dict[str, Any]:
        return self._object(
            "POST", "/remember", store, {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}
        )

    def _object(
        self, method: str, path: str, store: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        found: dict[str, Any] = self._ask(method, path, store, body).json()
        return found

    def _ask(
        self,
        method: str,
        path: str,
        store: str = "",
        body: dict[str, Any] | None = None,
        params: dict[str, Any] | None = None,
    ) -> httpx.Response:
        asked = {**(params or {}), **({"store": store} if store else {})}
        try:
            answer = self._client.request(method, path, params=asked, json=body)
        except httpx.HTTPError as error:
            raise OutOfReach(
                f"kura at {self.url} cannot be reached ({type(error).__name__}). Its memory is out of reach, not empty"
            ) from None
        if answer.is_success:
            return answer
        try:
            told = str(answer.json()["message"])
        except (ValueError, KeyError, TypeError):
            told = f"HTTP {answer.status_code}"
        raise KuraError(told)
