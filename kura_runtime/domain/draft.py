"""The surface (everything a model wrote that would be stored), the draft around it, and the judge's word on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kura_runtime.domain.evidence import Quote


@dataclass(frozen=True, slots=True)
class Surface:
    """All text of a draft that a model (or the embedded editor) wrote. `heading` is the section heading of an extension."""

    slug: str
    title: str
    trigger: str
    body: str
    belongs_because: str = ""
    keep: str = ""
    may_fade: str = ""
    heading: str = ""

    def places(self) -> tuple[tuple[str, str], ...]:
        """(place, text) of every part, in a fixed order."""
        return (
            ("slug", self.slug),
            ("title", self.title),
            ("trigger", self.trigger),
            ("heading", self.heading),
            ("body", self.body),
            ("belongs_because", self.belongs_because),
            ("keep", self.keep),
            ("may_fade", self.may_fade),
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """A composed memory that waits for the judge. `mark` is the gate's HMAC over version, slug, kind, manifest and body.

    `extends` names the memory a dated section is to be appended to; None makes a new memory. `stamp` is the
    evidence date (YYYY-MM-DD) set by code. `manifest` is the sha256 (hex) of the evidence manifest. `conflicts` names a
    memory that cannot be true together with this one: both stay, and a person is asked to rule.
    """

    surface: Surface
    kind: str
    batch_id: str
    manifest: str
    stamp: str
    editor: str
    quotes: tuple[Quote, ...] = ()
    tags: tuple[str, ...] = ()
    callsigns: tuple[str, ...] = ()
    extends: str | None = None
    conflicts: str | None = None
    judgement: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """POUR, FIX (with the repaired surface), TOSS (with its reason), or SKIP: no answer is never a TOSS.

    `digest` is the sha256 of the draft bytes that were judged: a verdict binds those bytes and no others.
    """

    verdict: Literal["POUR", "FIX", "TOSS", "SKIP"]
    digest: str
    reason: str = ""
    fixed: Surface | None = None
