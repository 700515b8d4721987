"""What a run and a night may spend on models. Every call that is sent passes through here; a replayed one costs nothing."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, Protocol
from zoneinfo import ZoneInfo

from kura_runtime.domain.call import Message
from kura_runtime.domain.spending import Limits, Outlay, Price, Spent, night_of
from kura_runtime.errors import KuraError
from kura_runtime.models.roles import ROLES

if TYPE_CHECKING:
    from kura_runtime.config.model import BudgetConfig, RolesConfig

MESSAGE = 16  # tokens that a chat template puts around a message, at most
WAIT = 0.1  # seconds between two looks at whether the calls under way have left something


class BudgetSpent(KuraError):
    """A limit of [budget] is reached. What was answered so far is recorded and will be replayed; nothing is lost."""


class Purse(Protocol):
    """Where spending is kept (the ledger's `Spending`). Safe to use from several threads and processes."""

    def open(
        self, outlay: Outlay, limits: Limits, *, night: str
    ) -> tuple[Literal["go", "wait", "spent"], int, str]:
        """(verdict, row, reason), decided in one transaction."""
        ...

    def settle(
        self,
        row: int,
        *,
        tokens_in: int,
        tokens_out: int,
        money: float,
        tokens_cached: int = 0,
        estimated: bool = False,
        seconds: float = 0.0,
        failure: str = "",
    ) -> None:
        """Write what a call has really cost."""
        ...


@dataclass(frozen=True, slots=True)
class Open:
    """A call that may be sent: its row in the purse, and the estimate it was let through with."""

    row: int
    tokens_in: int
    price: Price


@dataclass(slots=True)
class Budget:
    """The budget of one store in one run, shared by its roles. `run` is what tokens_per_run binds, `prices` are by role,
    `timezone` (IANA) is where the night is counted, `now` the clock."""

    limits: Limits = field(default_factory=Limits)
    purse: Purse = field(default_factory=lambda: MemoryPurse())
    store: str = ""
    run: str = ""
    prices: Mapping[str, Price] = field(default_factory=dict)
    timezone: str = "UTC"
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    pause: Callable[[float], None] = time.sleep

    def night(self) -> str:
        """When this night's spending began to count, ISO 8601, UTC."""
        return stamp(night_of(self.now(), ZoneInfo(self.timezone)))

    def open(
        self,
        *,
        role: str,
        model: str,
        key: str,
        messages: Sequence[Message],
        max_tokens: int,
        timeout: float = 3600.0,
        asset: str = "",
        partition: str = "",
        run_id: str = "",
        watch: Callable[[], None] | None = None,
    ) -> Open:
        """Ask for one call. Waits where calls under way may use up what is left (`watch` may end the wait by raising).

        Raises BudgetSpent where a limit is reached: limits are passed by no more than one call, whoever else spends.
        """
        price = self.prices.get(role, Price())
        tokens_in = sum(estimated_tokens(m.get("content", "")) + MESSAGE for m in messages)
        while True:
            now = self.now()
            outlay = Outlay(
                store=self.store, run=self.run, run_id=run_id, asset=asset, partition=partition, role=role, model=model,
                key=key, tokens_in=tokens_in, tokens_out=max_tokens, money=price.of(tokens_in, max_tokens),
                at=stamp(now), expires_at=stamp(now + timedelta(seconds=2 * timeout + 120)),
            )  # fmt: skip
            verdict, row, reason = self.purse.open(outlay, self.limits, night=self.night())
            if verdict == "spent":
                raise BudgetSpent(f"{reason}; the run stops here, what is not distilled waits")
            if verdict == "go":
                return Open(row, tokens_in, price)
            if watch is not None:
                watch()
            self.pause(WAIT)

    def settle(
        self, call: Open, usage: Mapping[str, int], *, text: str = "", seconds: float = 0.0, failure: str = ""
    ) -> tuple[int, int]:
        """Account for a call that came to an end; (tokens in, tokens out). An endpoint that states no usage is counted
        by estimate where it answered (`text`): a budget that believed it to be free would never end."""
        known = "prompt_tokens" in usage or "completion_tokens" in usage
        tokens_in, tokens_out = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
        if not known and text:
            tokens_in, tokens_out = call.tokens_in, estimated_tokens(text)
        self.purse.settle(
            call.row,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_cached=usage.get("cached_tokens", 0),
            money=call.price.of(tokens_in, tokens_out),
            estimated=not known and bool(text),
            seconds=seconds,
            failure=failure,
        )
        return tokens_in, tokens_out

    def dropped(self, call: Open) -> None:
        """Account for a call that nobody waited for: its prompt was sent, so it counts, by estimate."""
        self.purse.settle(
            call.row,
            tokens_in=call.tokens_in,
            tokens_out=0,
            money=call.price.of(call.tokens_in, 0),
            estimated=True,
            failure="dropped",
        )


class MemoryPurse:
    """A purse that lives as long as the process: for tests, and where no ledger is configured."""

    def __init__(self) -> None:
        self._rows: list[tuple[Outlay, bool]] = []
        self._lock = threading.Lock()

    def open(
        self, outlay: Outlay, limits: Limits, *, night: str
    ) -> tuple[Literal["go", "wait", "spent"], int, str]:
        """See Purse."""
        with self._lock:
            settled = self._sum(outlay, night, is_open=False)
            if reason := settled.over(limits):
                return "spent", 0, reason
            if (settled + self._sum(outlay, night, is_open=True)).over(limits):
                return "wait", 0, ""
            self._rows.append((outlay, True))
            return "go", len(self._rows) - 1, ""

    def settle(self, row: int, *, tokens_in: int, tokens_out: int, money: float, **_: object) -> None:
        """See Purse."""
        with self._lock:
            outlay = replace(self._rows[row][0], tokens_in=tokens_in, tokens_out=tokens_out, money=money)
            self._rows[row] = (outlay, False)

    def _sum(self, asked: Outlay, night: str, *, is_open: bool) -> Spent:
        total = Spent()
        for o, under_way in self._rows:
            if under_way is is_open and o.store == asked.store:
                tokens, tonight = o.tokens_in + o.tokens_out, o.at >= night
                in_run = tokens if o.run == asked.run else 0
                total += Spent(in_run, tokens if tonight else 0, o.money if tonight else 0.0)
        return total


def limits_of(config: BudgetConfig) -> Limits:
    """The limits that [budget] names."""
    return Limits(config.tokens_per_run, config.tokens_per_night, config.money_per_night)


def prices_of(models: RolesConfig) -> dict[str, Price]:
    """Role → what its model costs."""
    found = {name: models.role(name) for name in ROLES}
    return {name: Price(m.input_price, m.output_price) for name, m in found.items() if m is not None}


def stamp(moment: datetime) -> str:
    """ISO 8601 in UTC, to the second: texts that sort as the times do."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def estimated_tokens(text: str) -> int:
    """An upper estimate for any tokeniser: three characters a token in ASCII, one character a token elsewhere."""
    plain = sum(map(str.isascii, text))
    return math.ceil(plain / 3) + (len(text) - plain)
