"""A store with journal roots, as kura.toml would give it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kura_runtime.config.load import resolve
from kura_runtime.config.model import StoreConfig
from kura_runtime.ledger.ledger import Ledger

NOW = datetime(2025, 6, 1, 12, 0, 0, tzinfo=UTC)


def store(base: Path, journals: dict[str, str], **distill: Any) -> StoreConfig:
    """A store called maker at base/store; roots are folders below `base`."""
    (base / "store").mkdir(parents=True, exist_ok=True)
    raw = {"stores": {"maker": {"path": "store"}}, "distill": {"journals": journals, **distill}}
    return resolve(raw, base / "kura.toml").stores["maker"]


def ledger(base: Path) -> Ledger:
    """The ledger of `base`: SQLite, or the one whose URL stands in base/ledger.url."""
    elsewhere = base / "ledger.url"
    if elsewhere.exists():
        return Ledger.open(elsewhere.read_text())
    return Ledger.open(f"sqlite:///{base / '.kura' / 'ledger.db'}")
