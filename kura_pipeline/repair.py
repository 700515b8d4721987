"""Evidence files that were damaged or deleted, written again from the journal that the claim remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kura_pipeline.distil.batch import evidence_counts, read_batch
from kura_pipeline.storage import keep_evidence, kept_evidence, step_path
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.errors import KuraError, StoreDamaged
from kura_runtime.ledger.ledger import Ledger

_COMPARED = ("events", "USER", "TOOL", "ACT", "SELF", "characters", "span")


def mend_evidence(
    config: Config, cfg: StoreConfig, ledger: Ledger, batches: Iterable[str], say: Callable[[str], None]
) -> dict[str, str]:
    """Read the evidence of these batches again where its file does not read any more or is gone, over exactly the claimed
    stretch, and only from a journal whose bytes there are those that were claimed. Returns batch → why not, for those
    that could not be mended; their files stay as they are."""
    broken: dict[str, str] = {}
    for batch in batches:
        fault = _fault(config.storage_root, cfg.name, batch)
        if not fault:
            continue
        claim = ledger.claims.get(batch)
        if claim is None or claim.store != cfg.name:
            continue  # whoever asked for it says so
        try:
            table = read_batch(cfg, ledger, batch)
        except KuraError as error:
            broken[batch] = (
                f"its evidence is {fault}, and {claim.journal_key} does not hold the claimed stretch any more ({error}); put the "
                "file or the journal back from a copy, or leave the batch as it is: what it gave the store stays, with its quotes"
            )
            continue
        keep_evidence(config.storage_root, claim, table)
        counts = evidence_counts(table)
        change = _changed(ledger.batches.of(cfg.name, batch).get("evidence", {}), counts)
        say(
            f"evidence of batch {batch} was {fault}; read again from {claim.journal_key}: {counts['events']} events, "
            + (
                f"not what was noted then ({change}): the rules of reading have changed since"
                if change
                else "the same as before"
            )
        )
    return broken


def _fault(root: str, store: str, batch: str) -> str:
    """What is wrong with a batch's evidence file, or ""."""
    try:
        if kept_evidence(root, store, batch) is None:
            return f"missing ({step_path(root, store, 'evidence', batch)})"
    except StoreDamaged:
        return f"damaged ({step_path(root, store, 'evidence', batch)})"
    return ""


def _changed(noted: dict[str, Any], counts: dict[str, Any]) -> str:
    """Where the figures differ from those that were noted when the evidence was first written."""
    return ", ".join(
        f"{name} {noted[name]} → {counts.get(name)}"
        for name in _COMPARED
        if name in noted and noted[name] != counts.get(name)
    )
