"""One tick for hosts without a daemon: look, and run what is due in this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kura_pipeline.budgets import held_tonight, spent_tonight
from kura_pipeline.quiet import look
from kura_pipeline.runs import Busy, PassReport, open_store, run_pass, stale
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.tending import beat


@dataclass(frozen=True)
class TickResult:
    """What a tick did, or in `skipped` why it did nothing."""

    store: str
    skipped: str
    report: PassReport

    @property
    def code(self) -> int:
        return 2 if self.skipped else self.report.code

    def to_json(self) -> dict[str, Any]:
        return {"skipped": self.skipped, **self.report.to_json()}


def tick_store(config: Config, cfg: StoreConfig, *, now: datetime, say: Callable[[str], None]) -> TickResult:
    """Run a pass where the journals are quiet and hold enough unread text, where a batch is left open, or where the map
    is behind the store; else say why not. Two ticks at once: the second one skips."""
    store = open_store(cfg)
    beat(store, now)
    with closing(Ledger.open(config.ledger_url)) as ledger:
        weather = look(cfg, ledger, now)
        held = held_tonight(cfg, ledger, now)
        left = any(c.batch_id not in held for c in ledger.claims.open(cfg.name))
        spent = spent_tonight(cfg, ledger, now)
    if not (weather.due or left or stale(store)):
        return TickResult(cfg.name, weather.why_not, PassReport(cfg.name))
    if weather.why_not.startswith("active"):
        return TickResult(cfg.name, weather.why_not, PassReport(cfg.name))
    if spent and not stale(store):
        return TickResult(cfg.name, f"{spent}; what is unread waits for the next night", PassReport(cfg.name))
    try:
        return TickResult(
            cfg.name, "", run_pass(config, cfg, say=say, now=now, claim_new=weather.due, held=held)
        )
    except Busy as busy:
        return TickResult(cfg.name, str(busy), PassReport(cfg.name))
