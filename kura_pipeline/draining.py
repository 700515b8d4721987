"""Judging the drafts that wait, without distilling anything."""

from __future__ import annotations

from collections.abc import Collection

from kura_pipeline.budgets import budget_of
from kura_pipeline.distil.brief import brief_of
from kura_pipeline.distil.pouring import PourResult, drain
from kura_pipeline.resources import Asked, editor_for
from kura_runtime.config.model import StoreConfig
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.models.halt import Halt
from kura_runtime.store.store import Store

STEP = "drain"  # the step that the calls of a drain are recorded under


def drain_store(
    cfg: StoreConfig, ledger: Ledger, store: Store, *, leave: Collection[str] = (), run_id: str = ""
) -> PourResult:
    """Put every waiting draft of a store before its judge, but for those of the batches to `leave` (their own runs come to
    them). Costs nothing where none waits. Raises ModelUnavailable, BudgetSpent, WriteRefused on a frozen store."""
    if not store.drafts():
        return PourResult(())
    halt = Halt()
    budget = budget_of(cfg, ledger, run_id)
    asked = Asked(f"{cfg.name}/{STEP}", "", run_id, between=halt.check, budget=budget)
    editor = editor_for(cfg, ledger.calls, asked)
    try:
        return drain(store, editor, brief_of(cfg), slots=cfg.distill.scribe_slots, leave=leave)
    except BaseException as stop:
        if not isinstance(stop, Exception):
            halt.set()  # somebody stopped us: the calls of the other slots are dropped too
        raise
