"""Routes that read. Each is one call of the Python door."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, Response

from kura_runtime.recall.framing import whole
from kura_runtime.recall.reply import Reply
from kura_runtime.serve.answer import LIST, OBJECT, Answer
from kura_runtime.serve.bodies import ContextBody, RecallBody
from kura_runtime.serve.choose import Handle, Named, handle_for

router = APIRouter()
Window = Annotated[
    int | None, Query(ge=1, le=1_000_000_000, description="context window of this request, tokens")
]
Fraction = Annotated[float | None, Query(gt=0, le=1, description="share of it that the map may take")]
Moment = Annotated[str, Query(max_length=40, description="ISO 8601")]
_BLOCK: dict[int | str, dict[str, Any]] = {
    200: {"description": "the block, as JSON or as plain text",
          "content": {"application/json": {"schema": {"type": "object"}}, "text/plain": {"schema": {"type": "string"}}}},
    304: {"description": "the block is still the one of this ETag"},
}  # fmt: skip


@router.post(
    "/recall", responses={200: {"model": Reply, "description": "what was found, or an honest nothing"}}
)
def recall(body: RecallBody, request: Request, named: Named) -> Answer:
    """What the store knows about a question. `picked` is empty where it knows nothing; `how` says which tier answered."""
    found = handle_for(request, named, body).recall(
        body.question,
        hops=body.hops,
        top=body.top,
        chars=body.chars,
        total_chars=body.total_chars,
        as_of=body.as_of,
    )
    request.app.state.figures.recalled(found)
    return Answer(found.to_json())


@router.post("/context", responses=OBJECT)
def context(body: ContextBody, request: Request, named: Named) -> Answer:
    """The three budgeted channels (rules, index, recall) for one turn, each with its bytes, tokens and share."""
    made = handle_for(request, named, body).context(
        body.question, total_input_tokens=body.total_input_tokens, hops=body.hops, top=body.top
    )
    return Answer(made.to_json())


@router.get("/index", responses=OBJECT)
def index(handle: Handle) -> Answer:
    """Every memory by its line, in the index's order."""
    return Answer(handle.index())


@router.get("/prefill", responses=_BLOCK)
def prefill(
    request: Request,
    handle: Handle,
    format: Annotated[Literal["json", "text"], Query(description="text: the block alone")] = "json",  # noqa: A002
    window: Window = None,
    fraction: Fraction = None,
) -> Response:
    """The block for the system prompt: the whole map, or a stub that says it is missing. Byte-stable, with an ETag."""
    block = handle.prefill(window, fraction)
    headers = {"etag": f'"{block.etag}"', "cache-control": "no-cache"}
    if _unchanged(request.headers.get("if-none-match", ""), block.etag):
        return Response(status_code=304, headers=headers)
    if format == "text":
        return PlainTextResponse(block.text.encode("utf-8", "replace"), headers=headers)
    return Answer(block.to_json(), headers=headers)


@router.get("/map", responses=_BLOCK)
def resident_map(
    request: Request, handle: Handle, window: Window = None, fraction: Fraction = None
) -> Response:
    """The woven map as text; the same bytes as /prefill."""
    return prefill(request, handle, "text", window, fraction)


@router.get("/memory/{slug}", responses=OBJECT)
def memory(slug: str, handle: Handle) -> Answer:
    """One memory whole, with its tags and curation sentences, by its exact slug; `text` is the same, framed as data."""
    found = handle.read(slug)
    return Answer(found.to_json() | {"store": handle.name, "text": whole(found, handle.name)})


@router.get("/glance/{slug}", responses=OBJECT)
def glance(slug: str, handle: Handle) -> Answer:
    """The short view of one memory, about 150 tokens."""
    return Answer({"store": handle.name, "slug": slug, "text": handle.glance(slug)})


@router.get("/why/{slug}", responses=OBJECT)
def why(slug: str, handle: Handle) -> Answer:
    """Why a memory exists: manifest, quotes, journal spans, model calls, history."""
    return Answer(handle.why(slug))


@router.get("/search", responses=LIST)
def search(
    handle: Handle,
    q: Annotated[str, Query(min_length=1, max_length=2_000, description="words to look for")],
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
    cls: Annotated[Literal["", "USER", "TOOL", "ACT", "SELF"], Query(alias="class")] = "",
    session: Annotated[str, Query(max_length=400)] = "",
    tool: Annotated[str, Query(max_length=200)] = "",
    since: Moment = "",
    until: Moment = "",
) -> Answer:
    """Full-text search over the raw journals. What it finds is shown to whoever asks, and never injected anywhere."""
    return Answer(
        handle.search(q, limit=limit, cls=cls, session=session, tool=tool, since=since, until=until)
    )


def _unchanged(asked: str, etag: str) -> bool:
    """Does If-None-Match hold the ETag (weakly compared)?"""
    tags = {tag.strip().removeprefix("W/").strip('"') for tag in asked.split(",")}
    return bool(asked.strip()) and (etag in tags or "*" in tags)
