"""What a store's models have cost, by run, batch, memory, role, prompt, day or model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from kura_pipeline.called import POURED, Called, calls_of, fate_of_judge, fates, pours_of
from kura_runtime.config.model import StoreConfig
from kura_runtime.ledger.ledger import Ledger

GROUPS = ("run", "batch", "memory", "role", "prompt", "day", "model")
NOBODY = "(no memory)"  # calls whose items fell, and those of batches that are not done


@dataclass(slots=True)
class Cost:
    """Numbers of one group. A call that several memories share is shared out between them, so these are no whole numbers
    there; the sums are."""

    calls: float = 0
    failed: float = 0
    replayed: float = 0
    tokens_in: float = 0
    tokens_out: float = 0
    tokens_cached: float = 0
    estimated: float = 0
    seconds: float = 0.0
    money: float = 0.0

    def add(self, row: Mapping[str, Any], share: float = 1.0) -> None:
        """Add a call that was sent."""
        self.calls += share
        self.failed += share * bool(row["failure"])
        self.estimated += share * bool(row["estimated"])
        for name in ("tokens_in", "tokens_out", "tokens_cached", "seconds", "money"):
            setattr(self, name, getattr(self, name) + share * row[name])

    def to_json(self) -> dict[str, Any]:
        """Plain numbers."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {n: round(v, 6 if n == "money" else 3) if v != int(v) else int(v) for n, v in values.items()}


@dataclass(slots=True)
class Costs:
    """The groups by name, their total, and how many memories the batches in question poured or extended."""

    by: str
    groups: dict[str, Cost] = field(default_factory=dict)
    total: Cost = field(default_factory=Cost)
    poured: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {
            "by": self.by, "groups": [{self.by: name, **cost.to_json()} for name, cost in self.groups.items()],
            "total": self.total.to_json(), "poured": self.poured, "per_poured_memory": self.per_poured(),
        }  # fmt: skip

    def per_poured(self) -> dict[str, float] | None:
        """Calls, tokens and money a poured memory; None where none was poured."""
        if not self.poured:
            return None
        t = self.total
        values = {"calls": t.calls, "tokens_in": t.tokens_in, "tokens_out": t.tokens_out, "money": t.money}
        return {name: round(v / self.poured, 6 if name == "money" else 2) for name, v in values.items()}


def costs_of(ledger: Ledger, cfg: StoreConfig, root: str, *, by: str, since: str = "") -> Costs:
    """The store's costs since a time (ISO 8601, UTC). What was sent is counted as it was priced then; a replayed answer is
    counted and costs nothing."""
    found = Costs(by)
    spent = ledger.spending.rows(store=cfg.name, since=since)
    calls = {c.call.key: c for c in calls_of(ledger, cfg.name)}
    shares = _shares(calls, root, cfg.name) if by == "memory" else {}
    zone = ZoneInfo(cfg.timezone)
    name_of: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "run": lambda r: r["run_id"],
        "batch": lambda r: r["partition"],
        "role": lambda r: r["role"],
        "prompt": lambda r: _prompt(calls.get(r["key"])),
        "day": lambda r: datetime.fromisoformat(r["at"]).astimezone(zone).date().isoformat(),
        "model": lambda r: r["model"],
    }
    for row in spent:
        found.total.add(row)
        if by == "memory":
            slugs = shares.get(row["key"]) or (NOBODY,)
            for slug in slugs:
                found.groups.setdefault(slug, Cost()).add(row, 1 / len(slugs))
        else:
            found.groups.setdefault(name_of[by](row) or "(none)", Cost()).add(row)
    batches = {row["partition"] for row in spent}
    for use in ledger.calls.uses(cfg.name, since=since):
        batches.add(use.partition)
        if use.replayed:
            found.total.replayed += 1
            known = calls.get(use.key)
            like = {
                "run_id": use.run_id, "partition": use.partition, "key": use.key, "at": use.used_at,
                "role": known.call.role if known else "", "model": known.call.model if known else "",
            }  # fmt: skip
            slugs = (shares.get(use.key) or (NOBODY,)) if by == "memory" else (name_of[by](like) or "(none)",)
            for slug in slugs:
                found.groups.setdefault(slug, Cost()).replayed += 1 / len(slugs)
    found.groups = dict(sorted(found.groups.items()))
    found.poured = sum(
        row["action"] in POURED for (batch, _), row in pours_of(root, cfg.name).items() if batch in batches
    )
    return found


def _shares(calls: Mapping[str, Called], root: str, store: str) -> dict[str, tuple[str, ...]]:
    """Call key → the memories it had a part in."""
    known, pours = fates(root, store), pours_of(root, store)
    found: dict[str, tuple[str, ...]] = {}
    for key, called in calls.items():
        fate = known.get(key) or fate_of_judge(called, pours)
        found[key] = tuple(sorted(Counter(fate.poured))) if fate else ()
    return found


def _prompt(called: Called | None) -> str:
    return called.prompt if called is not None else ""
