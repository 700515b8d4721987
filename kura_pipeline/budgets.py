"""The budget of a store, and what waits because it is spent."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from kura_pipeline.resources import uses_models
from kura_runtime.config.model import StoreConfig
from kura_runtime.domain.spending import night_of
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.models.budget import Budget, limits_of, prices_of, stamp

STOPPED = "stopped"  # the step under which a batch's stop is noted in the ledger


def budget_of(cfg: StoreConfig, ledger: Ledger, run: str) -> Budget:
    """The budget that the roles of one run share. `run` is what tokens_per_run binds."""
    return Budget(
        limits_of(cfg.budget),
        ledger.spending,
        store=cfg.name,
        run=run,
        prices=prices_of(cfg.models),
        timezone=cfg.timezone,
    )


def spent_tonight(cfg: StoreConfig, ledger: Ledger, now: datetime) -> str:
    """Why no model may be asked for this store until the night is over, in one line; "" where one may."""
    limits = limits_of(cfg.budget)
    if not limits.any or not uses_models(cfg):
        return ""
    return ledger.spending.spent(cfg.name, night=_night(cfg, now)).over(limits)


def held_tonight(cfg: StoreConfig, ledger: Ledger, now: datetime) -> dict[str, str]:
    """Batches that a budget stopped this night → the reason. They are left alone until the next one, or until somebody
    runs them by hand: else a limit for one run would only be a pause."""
    night = _night(cfg, now)
    return {
        batch: str(figures["reason"])
        for batch, figures in ledger.batches.of_step(cfg.name, STOPPED).items()
        if figures.get("reason") and str(figures.get("at", "")) >= night
    }


def note_stop(ledger: Ledger, store: str, batch: str, *, reason: str, run_id: str, now: datetime) -> None:
    """Keep why a batch was stopped; its claim stays open."""
    ledger.batches.note(store, batch, STOPPED, {"reason": reason, "run_id": run_id, "at": stamp(now)})


def stopped_by(ledger: Ledger, store: str, batch: str, run_id: str) -> str:
    """Why this very run stopped at a batch; "" where it did not."""
    noted = ledger.batches.of(store, batch).get(STOPPED, {})
    return str(noted.get("reason", "")) if noted.get("run_id") == run_id else ""


def _night(cfg: StoreConfig, now: datetime) -> str:
    return stamp(night_of(now, ZoneInfo(cfg.timezone)))
