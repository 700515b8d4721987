"""How an answer goes out, and how an error reads on the wire: one JSON shape (`Problem`) for every refusal."""

from __future__ import annotations

import json
import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from kura_runtime.errors import (
    BadInput,
    ConfigError,
    KuraError,
    ModelUnavailable,
    StoreBusy,
    StoreUnwritable,
    UnknownMemory,
    UnknownStore,
    WriteRefused,
)
from kura_runtime.serve.bodies import Problem, problem

log = logging.getLogger(__name__)

# the first that fits: status, word
_KINDS: tuple[tuple[type[KuraError], int, str], ...] = (
    (UnknownStore, 404, "unknown-store"),
    (UnknownMemory, 404, "unknown-memory"),
    (BadInput, 400, "bad-input"),
    (WriteRefused, 403, "write-refused"),
    (StoreBusy, 503, "busy"),
    (StoreUnwritable, 503, "unwritable"),
    (ModelUnavailable, 503, "model-unavailable"),
    (ConfigError, 503, "configuration"),
    (KuraError, 500, "damaged"),
)
_SAID = {
    400: "a value cannot be used; `field` names it", 401: "the bearer token is missing or wrong",
    403: "refused: the store's write policy, a foreign page or a foreign Host", 404: "no such store, memory or route",
    408: "the body arrived too slowly", 413: "the body is too large", 422: "a field is wrong; `field` names it",
    500: "a file of the store is damaged; the message names it", 503: "the store cannot be used right now; try again",
}  # fmt: skip
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": told} for status, told in _SAID.items()
}
OBJECT: dict[int | str, dict[str, Any]] = {
    200: {"description": "the answer", "content": {"application/json": {"schema": {"type": "object"}}}}
}
LIST: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "the answer",
        "content": {"application/json": {"schema": {"type": "array", "items": {"type": "object"}}}},
    }
}


class Answer(JSONResponse):
    """JSON that keeps every script readable, and half a surrogate pair as the escape it came as."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str).encode(
            "utf-8", "backslashreplace"
        )


def install(app: FastAPI) -> None:
    """Answer every error with a `Problem`."""

    @app.exception_handler(KuraError)
    async def known(_: Request, error: KuraError) -> Answer:
        status, word = next((status, word) for kind, status, word in _KINDS if isinstance(error, kind))
        if status >= 500:
            log.warning("%s", error)
        told = problem(
            word, str(error), field=getattr(error, "field", None), policy=getattr(error, "policy", None)
        )
        return Answer(told, status, headers={"retry-after": "1"} if isinstance(error, StoreBusy) else None)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Answer:
        faults = [(_field(e.get("loc", ())), str(e.get("msg", "not valid"))) for e in error.errors()]
        told = "; ".join(f"{field}: {message}" if field else message for field, message in faults[:8])
        return Answer(problem("invalid", told, field=faults[0][0] if faults else None), 422)

    @app.exception_handler(HTTPException)
    async def plain(_: Request, error: HTTPException) -> Answer:
        word = {404: "no-such-route", 405: "no-such-method"}.get(error.status_code, "refused")
        return Answer(problem(word, str(error.detail)), error.status_code, headers=dict(error.headers or {}))

    @app.exception_handler(OSError)
    async def unreadable(_: Request, error: OSError) -> Answer:
        log.warning("%s", error)
        told = f"{error.filename or 'the store'}: {error.strerror or error}"
        return Answer(problem("unreadable", told), 503)


def _field(place: Any) -> str:
    """`body.top` of FastAPI's place of a fault, without the part of the request it stood in."""
    parts = [str(p) for p in place]
    return ".".join(parts[1:] if parts and parts[0] in ("body", "query", "path", "header") else parts)
