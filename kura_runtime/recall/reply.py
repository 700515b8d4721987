"""What a recall answers with."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """`how` names the tier that answered: fastpath-cue, fastpath, meaning, meaning→none, words(thinker unreachable), words(no
    thinker). `picked` are the slugs that answer, `walked` those reached over links, `included` those that stand in `context`,
    `dropped_for_budget` those that did not fit, `cut` those that stand there shortened. `suggestions` are up to three index
    lines, unconfirmed, never part of the context. Times are milliseconds. `warnings` say what was skipped and why.
    `as_of` names the past state that answered, "" for the present one.
    """

    question: str
    store: str
    revision: int
    how: str
    picked: tuple[str, ...] = ()
    walked: tuple[str, ...] = ()
    included: tuple[str, ...] = ()
    dropped_for_budget: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    context: str = ""
    tokens: int = 0
    degraded: bool = False
    suggestions: tuple[str, ...] = ()
    fastpath_verdict: str = ""
    fastpath_ms: float = 0.0
    elapsed_ms: float = 0.0
    warnings: tuple[str, ...] = field(default=())
    as_of: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain data, in the order of the fields."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}
