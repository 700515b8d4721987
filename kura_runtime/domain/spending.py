"""What a call to a model costs, and what may be spent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens, in and out; the currency is whatever the prices are written in."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The price of one call."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The budget of one store; None is no limit. Tokens count in and out."""

    tokens_per_run: int | None = None
    tokens_per_night: int | None = None
    money_per_night: float | None = None

    @property
    def any(self) -> bool:
        """Whether there is a limit at all."""
        return (self.tokens_per_run, self.tokens_per_night, self.money_per_night) != (None, None, None)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run and its night have used: settled calls, or those under way at their upper estimate."""

    run_tokens: int = 0
    night_tokens: int = 0
    night_money: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.run_tokens + other.run_tokens,
            self.night_tokens + other.night_tokens,
            self.night_money + other.night_money,
        )

    def over(self, limits: Limits) -> str:
        """Which limit is reached, in a line for people; "" for none."""
        if limits.tokens_per_run is not None and self.run_tokens >= limits.tokens_per_run:
            return f"[budget] tokens_per_run: {self.run_tokens} of {limits.tokens_per_run} tokens are spent"
        if limits.tokens_per_night is not None and self.night_tokens >= limits.tokens_per_night:
            return f"[budget] tokens_per_night: {self.night_tokens} of {limits.tokens_per_night} tokens are spent"
        if limits.money_per_night is not None and self.night_money >= limits.money_per_night:
            return f"[budget] money_per_night: {self.night_money:.4f} of {limits.money_per_night:g} is spent"
        return ""


@dataclass(frozen=True, slots=True)
class Outlay:
    """One call that is about to be sent. The tokens are upper estimates until it is settled.

    `run` is what tokens_per_run binds (a pass over a store, or a run of its own), `run_id` the run it happens in.
    `expires_at` (ISO 8601, UTC) is when nobody can be waiting for the answer any more.
    """

    store: str
    run: str
    run_id: str
    asset: str
    partition: str
    role: str
    model: str
    key: str
    tokens_in: int
    tokens_out: int
    money: float
    at: str
    expires_at: str


def night_of(now: datetime, zone: tzinfo) -> datetime:
    """When the night that `now` belongs to began: the last noon in the zone. Midnight would cut a night in two, and a
    budget with it."""
    local = now.astimezone(zone)
    noon = datetime.combine(local.date(), time(12), zone)
    return noon if local >= noon else datetime.combine(local.date() - timedelta(days=1), time(12), zone)


def night_end(now: datetime, zone: tzinfo) -> datetime:
    """When that night ends and the next budget begins."""
    return datetime.combine(night_of(now, zone).date() + timedelta(days=1), time(12), zone)
