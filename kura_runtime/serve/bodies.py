"""What a request may carry, and the shape of a refusal. An unknown field is an error that names it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Selector = Annotated[
    str | None, Field(max_length=80, description="store or mode; needed where there are several")
]


class Body(BaseModel):
    """Base of every request body: `store` (or `mode`) chooses the memory, as the query or the path may."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    store: Selector = None
    mode: Selector = None


class RecallBody(Body):
    """A question. `chars` bounds each memory, `total_chars` the whole context, headers included; both are characters."""

    question: str = Field(min_length=1, max_length=20_000)
    hops: int = Field(1, ge=0, le=5, description="how far links are walked")
    top: int = Field(3, ge=1, le=20, description="memories picked at the most")
    chars: int = Field(6000, ge=1, le=1_000_000)
    total_chars: int | None = Field(None, ge=1, le=10_000_000)
    as_of: str | int | None = Field(
        None, description="a revision, or a date or time (ISO 8601): the store as it stood, by its history"
    )


class ContextBody(Body):
    """One turn of an agent: its question (may be empty) and how many tokens its whole input has."""

    question: str = Field("", max_length=20_000)
    total_input_tokens: int | None = Field(None, ge=1)
    hops: int = Field(1, ge=0, le=5)
    top: int = Field(3, ge=1, le=20)


class Curation(Body):
    """The words about a memory that are not its facts."""

    slug: str = Field(min_length=1, max_length=200)
    tags: list[str] = Field([], max_length=32)
    belongs_because: str = Field("", max_length=2_000)
    keep: str = Field("", max_length=2_000)
    may_fade: str = Field("", max_length=2_000)


class RememberBody(Curation):
    """A direct write. `description` is the recognition line of the index."""

    description: str = Field(min_length=1, max_length=2_000)
    body: str = Field("", max_length=100_000)
    type: str = Field("project", max_length=40, description="user, feedback, project or reference")
    title: str = Field("", max_length=1_000)


class AnnotateBody(Curation):
    """What to merge into a memory that stands. Adding nothing touches nothing."""


class RulingBody(Body):
    """A person's ruling on a proposal: the side that is not kept is retired. `who` is written down with it."""

    keep: Literal["new", "old", "both"]
    who: str = Field(min_length=1, max_length=200)


class Problem(BaseModel):
    """A refusal. `error` is a fixed word, `message` says what is wrong and the way out; `field` names the value at fault,
    `policy` the write policy that refused."""

    error: str
    message: str
    field: str | None = None
    policy: str | None = None


def problem(error: str, message: str, **more: Any) -> dict[str, Any]:
    """A `Problem` as plain data, without its empty fields."""
    return {"error": error, "message": message, **{k: v for k, v in more.items() if v}}
