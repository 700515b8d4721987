"""What other packages look at when `kura doctor` runs. The runtime knows a store; the pipeline knows what lies beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from kura_runtime.store.doctor import Finding

if TYPE_CHECKING:
    from kura_runtime.config.model import Config, StoreConfig


@dataclass(frozen=True, slots=True)
class Checkup:
    """What one look found: things to act on, and numbers."""

    findings: tuple[Finding, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


Examiner = Callable[["Config", "StoreConfig"], Checkup]

_examiners: dict[str, Examiner] = {}


def add(name: str, examiner: Examiner) -> None:
    """Have `kura doctor` ask this examiner too; the same name again replaces it."""
    _examiners[name] = examiner


def with_checkups(report: dict[str, Any], config: Config, cfg: StoreConfig) -> dict[str, Any]:
    """A store's report with what every examiner found."""
    for examiner in _examiners.values():
        found = examiner(config, cfg)
        report = {
            **report,
            "healthy": report["healthy"] and not found.findings,
            "findings": [*report["findings"], *(asdict(f) for f in found.findings)],
            "counts": {**report["counts"], **found.counts},
        }
    return report
