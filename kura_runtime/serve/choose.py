"""Which store a request is about: the path, the query or the body says so. Two that disagree are an error, none is one too
where there are several stores; nothing ever falls to a default.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from kura_runtime.api import Kura, StoreHandle
from kura_runtime.errors import BadInput
from kura_runtime.serve.bodies import Body

StoreQuery = Annotated[str | None, Query(max_length=80, description="store; needed where there are several")]
ModeQuery = Annotated[str | None, Query(max_length=80, description="agent mode; the same as its store")]


def chosen(request: Request, store: StoreQuery = None, mode: ModeQuery = None) -> StoreHandle | None:
    """The store named by the path or the query; None where neither names one. Raises UnknownStore, BadInput."""
    kura: Kura = request.app.state.kura
    return _one(kura, getattr(request.state, "store", None), store, mode)


def handle_of(request: Request, named: Annotated[StoreHandle | None, Depends(chosen)]) -> StoreHandle:
    """For routes without a body."""
    kura: Kura = request.app.state.kura
    return named or kura.only()


def handle_for(request: Request, named: StoreHandle | None, body: Body) -> StoreHandle:
    """For routes with a body, which may name the store too."""
    kura: Kura = request.app.state.kura
    said = _one(kura, body.store, body.mode)
    if named is not None and said is not None and named is not said:
        raise BadInput("store", f'the body says "{said.name}", the path or the query "{named.name}"')
    return named or said or kura.only()


Named = Annotated[StoreHandle | None, Depends(chosen)]
Handle = Annotated[StoreHandle, Depends(handle_of)]


def _one(kura: Kura, *names: str | None) -> StoreHandle | None:
    handles = [kura.store(name) for name in names if name is not None]
    if any(handle is not handles[0] for handle in handles):
        raise BadInput("store", f"several are named: {', '.join(sorted({h.name for h in handles}))}")
    return handles[0] if handles else None
