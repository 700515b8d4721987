"""Routes that write. The store's own policy has the last word; a refusal is 403 and names it."""

from __future__ import annotations

from fastapi import APIRouter, Request

from kura_runtime.serve.answer import OBJECT, Answer
from kura_runtime.serve.bodies import AnnotateBody, RememberBody, RulingBody
from kura_runtime.serve.choose import Handle, Named, handle_for

router = APIRouter()


@router.post("/remember", responses=OBJECT)
def remember(body: RememberBody, request: Request, named: Named) -> Answer:
    """Write one memory directly, through the write gate; recallable at once."""
    done = handle_for(request, named, body).remember(
        body.slug, body.description, body.body, type=body.type, title=body.title, tags=tuple(body.tags),
        belongs_because=body.belongs_because, keep=body.keep, may_fade=body.may_fade, door="http",
    )  # fmt: skip
    return Answer(done)


@router.post("/annotate", responses=OBJECT)
def annotate(body: AnnotateBody, request: Request, named: Named) -> Answer:
    """Merge tags and the three curation sentences into a memory. Adding nothing touches nothing."""
    done = handle_for(request, named, body).annotate(
        body.slug, tags=tuple(body.tags), belongs_because=body.belongs_because, keep=body.keep, may_fade=body.may_fade,
        door="http",
    )  # fmt: skip
    return Answer(done)


@router.get("/proposals", responses=OBJECT)
def proposals(handle: Handle, every: bool = False) -> Answer:
    """What waits for a person's ruling; with `every` also what was ruled."""
    return Answer({"store": handle.name, "proposals": handle.files.proposals(every=every)})


@router.post("/proposals/{id}", responses=OBJECT)
def rule(id: str, body: RulingBody, request: Request, named: Named) -> Answer:  # noqa: A002
    """A person's ruling: the side that is not kept is retired and points to the other."""
    return Answer(handle_for(request, named, body).files.rule(id, keep=body.keep, who=body.who))
