"""Routes about the house itself: health, stores, doctor, profile, metrics."""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import kura_runtime
from kura_runtime.errors import KuraError
from kura_runtime.serve.answer import OBJECT, Answer
from kura_runtime.serve.choose import Handle, ModeQuery, StoreQuery, chosen, handle_of

router = APIRouter()
STARTED = datetime.now(UTC).isoformat(timespec="seconds")
_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"description": "Prometheus text format", "content": {"text/plain": {"schema": {"type": "string"}}}}
}
_REPORT: dict[int | str, dict[str, Any]] = {
    200: {"description": "one report, or a list of them with all=1",
          "content": {"application/json": {"schema": {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}}}}
}  # fmt: skip


@router.get("/health", responses=OBJECT)
def health(request: Request) -> Answer:
    """Is this process alive, and which build is it? Without the token (where one is set) only that it lives."""
    if not getattr(request.state, "known", True):
        return Answer({"status": "ok"})
    kura = request.app.state.kura
    return Answer({
        "status": "ok", "version": version_of_this(), "build": build_id(), "pid": os.getpid(), "started_at": STARTED,
        "module": str(Path(kura_runtime.__file__).parent), "config": str(kura.config.file), "stores": list(kura.stores),
    })  # fmt: skip


@router.get("/stores", responses=OBJECT)
def stores(request: Request) -> Answer:
    """The stores, the modes that lead to them, and which model fills which role."""
    return Answer(request.app.state.kura.describe())


@router.get("/doctor", responses=_REPORT)
def doctor(
    request: Request,
    store: StoreQuery = None,
    mode: ModeQuery = None,
    all_stores: Annotated[bool, Query(alias="all", description="every store")] = False,
) -> Answer:
    """The health of a store; with `all=1` of every store."""
    kura = request.app.state.kura
    if not all_stores:
        return Answer(handle_of(request, chosen(request, store, mode)).doctor())
    reports: list[dict[str, Any]] = []
    for name in kura.stores:
        try:
            reports.append(kura.store(name).doctor())
        except (KuraError, OSError) as error:
            reports.append(
                {"store": name, "healthy": False, "findings": [{"kind": "unreadable", "message": str(error)}]}
            )
    return Answer(reports)


@router.get("/profile", responses=OBJECT)
def profile(handle: Handle) -> Answer:
    """The store's charter, its learned profile with its state, and where the persona file stands (never its words)."""
    return Answer(handle.profile())


@router.get("/metrics", responses=_TEXT)
def metrics(request: Request) -> Response:
    """Figures of this server for Prometheus."""
    data, kind = request.app.state.figures.exposition(request.app.state.kura)
    return Response(data, media_type=kind)


@cache
def build_id() -> str:
    """Twelve hex digits over the runtime's own source: two servers with the same answer run the same code."""
    root = Path(kura_runtime.__file__).parent
    whole = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        whole.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()[:12]


def version_of_this() -> str:
    """The installed version."""
    try:
        return version("distill-kura-dagster")
    except PackageNotFoundError:
        return "unknown"
