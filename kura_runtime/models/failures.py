"""How a call to a model can fail. The kind is kept, because an outage, a silence and a bad answer want different things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from kura_runtime.errors import ModelUnavailable

FailureKind = Literal["unreachable", "timeout", "http", "empty", "truncated", "reasoning-only", "malformed"]

# Nothing that answered was a model: nothing was learnt about the question, the whole step must be tried again.
# (`malformed` is a reply that is no chat completion at all; bad JSON inside an answer is the answer's fault.)
OUTAGES: frozenset[str] = frozenset({"unreachable", "timeout", "http", "malformed"})


class ModelFailure(ModelUnavailable):
    """One call failed. `status` is the HTTP status or None, `reasoning` what the model thought before it fell silent,
    `attempts` the requests that were sent. `usage`, `finish` and `timings` are those of an answer that held nothing: it
    is paid for all the same."""

    def __init__(
        self,
        role: str,
        kind: FailureKind,
        message: str = "",
        *,
        status: int | None = None,
        reasoning: str = "",
        attempts: int = 1,
        usage: Mapping[str, int] | None = None,
        finish: str = "",
        timings: Mapping[str, float] | None = None,
    ) -> None:
        self.status, self.reasoning, self.attempts = status, reasoning, attempts
        self.usage, self.finish, self.timings = dict(usage or {}), finish, dict(timings or {})
        super().__init__(role, kind, message)

    @property
    def outage(self) -> bool:
        """True where the model was out of reach, False where it answered with nothing usable."""
        return self.kind in OUTAGES
