"""Is it quiet, and is there enough to read? One answer for the sensor and for `kura tick`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kura_pipeline.distil.batch import Unread, unread
from kura_runtime.config.model import StoreConfig
from kura_runtime.ledger.ledger import Ledger


@dataclass(frozen=True)
class Weather:
    """What a look at the journals says. `due` means: claim now. `why_not` says in one line why nothing is due."""

    due: bool
    why_not: str
    newest: float  # seconds since the epoch of the newest journal; 0 where there is none
    unread: Unread


def look(cfg: StoreConfig, ledger: Ledger, now: datetime) -> Weather:
    """Stat the journals and compare with the ledger's marks; nothing is read and nothing is claimed.

    Quiet is the silence of the newest journal for `idle_min` minutes. Unread material is due from `min_drink` characters
    on, or when any of it is older than `flush_max_h` hours.
    """
    found = unread(cfg, ledger)
    idle = cfg.tend.idle_min if cfg.tend.idle_min is not None else cfg.distill.idle_min
    silence = (now.timestamp() - found.newest) / 60
    if not found.newest:
        return Weather(False, "no journals", 0.0, found)
    if silence < idle:
        return Weather(
            False, f"active: {max(silence, 0):.1f} min of silence, {idle:g} wanted", found.newest, found
        )
    if found.bytes == 0:
        return Weather(False, "quiet, and nothing is unread", found.newest, found)
    waited = (now.timestamp() - found.oldest) / 3600
    if found.bytes < cfg.distill.min_drink and waited < cfg.distill.flush_max_h:
        return Weather(
            False,
            f"quiet, but only {found.bytes} unread bytes of the {cfg.distill.min_drink} that are worth a batch",
            found.newest,
            found,
        )
    return Weather(True, "", found.newest, found)
