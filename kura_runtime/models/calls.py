"""Recorded calls: what was asked once is replayed for ever, unless somebody asks for a refresh.

That makes reruns free and byte-identical, and it is the audit trail: every call, answered or failed, is a row.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from kura_runtime.domain.call import Message, RecordedCall, call_key
from kura_runtime.domain.spending import Limits
from kura_runtime.models.budget import Budget, BudgetSpent
from kura_runtime.models.dialect import Parameters, Task
from kura_runtime.models.endpoint import Completion
from kura_runtime.models.failures import ModelFailure

log = logging.getLogger(__name__)

__all__ = ["Answer", "Asks", "BudgetSpent", "CallLedger", "MemoryCalls", "Meter", "RecordingRole"]


class CallLedger(Protocol):
    """Where calls are kept. Safe to use from several threads."""

    def get(self, key: str) -> RecordedCall | None:
        """The newest answer recorded for this key; rows of failed calls are never returned."""
        ...

    def record(self, call: RecordedCall) -> None:
        """Keep a call. A newer answer takes the place of an older one for `get`; a failure never does."""
        ...

    def used(self, key: str, *, asset: str, partition: str, run_id: str, replayed: bool) -> None:
        """Note which step of which run used the answer, and whether it was paid for again."""
        ...


class Asks(Protocol):
    """What `RecordingRole` needs of an endpoint."""

    @property
    def identity(self) -> str: ...

    @property
    def parameters(self) -> Parameters: ...

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters | None = None,
        *,
        watch: Callable[[], None] | None = None,
    ) -> Completion: ...


@dataclass(slots=True)
class Meter:
    """Counts what one step spends, and asks the run's budget before each call; shared by its roles. `limit` is short for
    a budget of so many tokens (in and out) for this meter alone."""

    limit: int | None = None
    budget: Budget = field(default_factory=Budget)
    asked: int = 0
    replayed: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.limit is not None:
            self.budget = replace(self.budget, limits=Limits(tokens_per_run=self.limit))

    def paid(self, tokens_in: int, tokens_out: int, seconds: float, *, failed: bool = False) -> None:
        """Count a call that was sent."""
        with self._lock:
            self.asked += not failed
            self.failed += failed
            self.tokens_in += tokens_in
            self.tokens_out += tokens_out
            self.seconds += seconds

    def tick(self, name: str) -> None:
        """Count one replay (`replayed`)."""
        with self._lock:
            setattr(self, name, getattr(self, name) + 1)

    def counts(self) -> dict[str, int | float]:
        """Plain numbers for metadata."""
        return {
            "calls": self.asked,
            "calls_replayed": self.replayed,
            "calls_failed": self.failed,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "model_seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, and the key it is recorded under. `truncated`: the endpoint ran out of tokens."""

    text: str
    key: str
    reasoning: str = ""
    truncated: bool = False
    replayed: bool = False


class RecordingRole:
    """A role whose every call is recorded and replayed. Safe to share between threads.

    `between` runs before each call that would really be sent, and four times a second while one is under way: what it
    raises (the returning human, a cancelled run) drops the call, and nothing is recorded as an answer. `now` gives the time a row is stamped with.
    """

    def __init__(
        self,
        endpoint: Asks,
        ledger: CallLedger | None = None,
        *,
        role: str,
        asset: str = "",
        partition: str = "",
        run_id: str = "",
        refresh: bool = False,
        meter: Meter | None = None,
        between: Callable[[], None] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.role, self.endpoint = role, endpoint
        self.ledger: CallLedger = ledger if ledger is not None else MemoryCalls()
        self.asset, self.partition, self.run_id = asset, partition, run_id
        self.refresh = refresh
        self.meter = meter or Meter()
        self._between, self._now = between, now
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}
        self._refreshed: set[str] = set()

    @property
    def identity(self) -> str:
        """The model behind this role."""
        return self.endpoint.identity

    def key_of(self, messages: Sequence[Message], parameters: Parameters | None = None) -> str:
        """The key these messages are recorded under."""
        params = (parameters or self.endpoint.parameters).as_dict()
        return call_key(self.role, self.identity, params, messages)

    def ask(
        self,
        messages: Sequence[Message],
        parameters: Parameters | None = None,
        *,
        anew: bool = False,
        task: Task | None = None,
    ) -> Answer:
        """The recorded answer, or a new one that is recorded before it is returned. `anew` does not look at the record
        (for a recorded answer that turned out to be unreadable). `task` names the prompt, for the record, and
        brings the form the answer is held to where the endpoint can do so.

        Raises ModelFailure (recorded as a failure, never replayed), BudgetSpent, and whatever `between` raises.
        """
        parameters = (parameters or self.endpoint.parameters).for_task(task)
        key = self.key_of(messages, parameters)
        with self._lock:
            one_at_a_time = self._asking.setdefault(key, threading.Lock())
        with one_at_a_time:
            known = None if anew else self._recorded(key)
            if known is not None:
                self.meter.tick("replayed")
                self._use(key, replayed=True)
                return Answer(known.answer, key, known.reasoning, known.finish == "length", True)
            done = self._send(key, messages, parameters)
        self._use(key, replayed=False)
        return Answer(done.text, key, done.reasoning, done.truncated)

    def _recorded(self, key: str) -> RecordedCall | None:
        if self.refresh and key not in self._refreshed:
            return None
        known = self.ledger.get(key)
        return known if known is not None and not known.failure else None

    def _send(self, key: str, messages: Sequence[Message], parameters: Parameters) -> Completion:
        if self._between is not None:
            self._between()
        budget = self.meter.budget
        call = budget.open(
            role=self.role,
            model=self.identity,
            key=key,
            messages=messages,
            max_tokens=parameters.max_tokens,
            timeout=getattr(self.endpoint, "timeout", 3600.0),
            asset=self.asset,
            partition=self.partition,
            run_id=self.run_id,
            watch=self._between,
        )
        try:
            done = self.endpoint.complete(messages, parameters, watch=self._between)
        except ModelFailure as failure:
            self._keep(
                key,
                messages,
                parameters,
                answer="",
                reasoning=failure.reasoning,
                failure=failure.kind,
                usage=failure.usage,
                finish=failure.finish,
                timings=failure.timings,
            )
            seconds = failure.timings.get("total", 0.0)
            used = budget.settle(
                call, failure.usage, text=failure.reasoning, seconds=seconds, failure=failure.kind
            )
            self.meter.paid(*used, seconds, failed=True)
            raise
        except BaseException:
            budget.dropped(call)
            raise
        self._keep(
            key,
            messages,
            parameters,
            answer=done.text,
            reasoning=done.reasoning,
            usage=done.usage,
            finish=done.finish,
            timings=done.timings,
        )
        seconds = done.timings.get("total", 0.0)
        used = budget.settle(call, done.usage, text=done.text + done.reasoning, seconds=seconds)
        self.meter.paid(*used, seconds)
        self._refreshed.add(key)
        return done

    def _keep(self, key: str, messages: Sequence[Message], parameters: Parameters, **rest: Any) -> None:
        call = RecordedCall(
            key=key,
            role=self.role,
            model=self.identity,
            params=parameters.as_dict(),
            messages=tuple(dict(m) for m in messages),
            created_at=self._now().isoformat(timespec="seconds"),
            **rest,
        )
        self.ledger.record(call)

    def _use(self, key: str, *, replayed: bool) -> None:
        self.ledger.used(
            key, asset=self.asset, partition=self.partition, run_id=self.run_id, replayed=replayed
        )


class MemoryCalls:
    """A ledger of calls that lives as long as the process: for tests, and where no ledger is configured."""

    def __init__(self) -> None:
        self.rows: list[RecordedCall] = []
        self.uses: list[tuple[str, str, str, str, bool]] = []
        self._lock = threading.Lock()

    def get(self, key: str) -> RecordedCall | None:
        """See CallLedger."""
        with self._lock:
            return next((r for r in reversed(self.rows) if r.key == key and not r.failure), None)

    def record(self, call: RecordedCall) -> None:
        """See CallLedger."""
        with self._lock:
            self.rows.append(call)

    def used(self, key: str, *, asset: str, partition: str, run_id: str, replayed: bool) -> None:
        """See CallLedger."""
        with self._lock:
            self.uses.append((key, asset, partition, run_id, replayed))
