"""What doctor says of the budget."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from kura_runtime.domain.spending import night_end, night_of
from kura_runtime.models.budget import limits_of, stamp

if TYPE_CHECKING:
    from kura_runtime.config.model import StoreConfig
    from kura_runtime.ledger.ledger import Ledger


def budget_report(
    cfg: StoreConfig, ledger: Ledger, now: datetime
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """(what this night has used of its limits, findings), the latter for open batches that a limit stopped. None where the
    store has no limits."""
    zone = ZoneInfo(cfg.timezone)
    night, ends = stamp(night_of(now, zone)), night_end(now, zone)
    is_open = {claim.batch_id for claim in ledger.claims.open(cfg.name)}
    findings = [
        {
            "kind": "budget-spent",
            "where": batch,
            "message": f"batch {batch} was stopped: {figures['reason']}; it is taken up again after "
            f"{ends.isoformat(timespec='minutes')}, or now by `kura run -s {cfg.name}` with a larger [budget]",
        }
        for batch, figures in ledger.batches.of_step(cfg.name, "stopped").items()
        if figures.get("reason") and batch in is_open
    ]
    limits = limits_of(cfg.budget)
    if not limits.any:
        return None, findings
    spent = ledger.spending.spent(cfg.name, night=night)
    return {
        "since": night,
        "until": stamp(ends),
        "tokens": spent.night_tokens,
        "tokens_per_night": limits.tokens_per_night,
        "money": round(spent.night_money, 6),
        "money_per_night": limits.money_per_night,
        "tokens_per_run": limits.tokens_per_run,
    }, findings
