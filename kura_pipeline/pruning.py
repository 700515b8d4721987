"""Dagster forgets no run by itself. What is old and finished is taken out: runs with their events, and batches' partitions.

Nothing of a memory lies there: claims, calls and figures are in the ledger, quotes in the store's manifests, evidence in its
Parquet files. They stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_pipeline.home import dagster_home
from kura_pipeline.names import batches_name
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.ledger.claims import OPEN
from kura_runtime.ledger.ledger import Ledger

if TYPE_CHECKING:
    from dagster import DagsterInstance

PARTITION_TAG = "dagster/partition"
_PAGE = 500
_UNSETTLED = (*OPEN, "parked")


@dataclass(frozen=True, slots=True)
class Old:
    """What is old enough to go, by id, and what stays although it is old, by reason."""

    store: str
    runs: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    kept: tuple[tuple[str, int], ...] = ()
    freed: int = 0  # bytes of the runs' own event files

    @property
    def code(self) -> int:
        return 0 if self.runs or self.partitions else 2

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {
            "store": self.store, "runs": list(self.runs), "partitions": list(self.partitions), "kept": dict(self.kept),
            "freed_bytes": self.freed,
        }  # fmt: skip


def find_old(
    instance: DagsterInstance, config: Config, cfg: StoreConfig, ledger: Ledger, *, days: int, now: datetime
) -> Old:
    """The store's finished runs from more than `days` days ago, and the partitions of finished batches older than
    `[distill] keep_partitions_days`. The last good run of every job stays (the interface shows assets by it), and so does
    whatever belongs to a batch that is still open or parked."""
    unsettled = {c.batch_id for c in ledger.claims.of_store(cfg.name, _UNSETTLED)}
    runs: list[str] = []
    kept: dict[str, int] = {}
    last = _last_good(instance, cfg.name)
    for run_id, batch in _finished(instance, cfg.name, now - timedelta(days=days)):
        if reason := "open-batch" if batch in unsettled else "last-good-run" if run_id in last else "":
            kept[reason] = kept.get(reason, 0) + 1
        else:
            runs.append(run_id)
    edge = now - timedelta(days=cfg.distill.keep_partitions_days)
    partitions = []
    for name in instance.get_dynamic_partitions(batches_name(cfg.name)):
        claimed = _claimed_at(name)
        if claimed is None or claimed >= edge:
            continue
        if name in unsettled:
            kept["open-partition"] = kept.get("open-partition", 0) + 1
        else:
            partitions.append(name)
    size = sum(f.stat().st_size for run_id in runs for f in _own_files(config, run_id))
    return Old(cfg.name, tuple(runs), tuple(sorted(partitions)), tuple(sorted(kept.items())), size)


def remove(instance: DagsterInstance, config: Config, old: Old) -> None:
    """Take it out. A process that dies in between leaves fewer old things, and the next prune takes the rest."""
    for run_id in old.runs:
        files = _own_files(config, run_id)
        instance.delete_run(run_id)
        for file in files:
            file.unlink(missing_ok=True)
    for name in old.partitions:
        instance.delete_dynamic_partition(batches_name(old.store), name)


def _finished(instance: DagsterInstance, store: str, before: datetime) -> list[tuple[str, str]]:
    """(run id, batch or "") of every finished run of the store that was made before a moment."""
    from dagster import DagsterRunStatus, RunsFilter

    from kura_pipeline.jobs import STORE_TAG

    ended = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]
    wanted = RunsFilter(tags={STORE_TAG: store}, statuses=ended, created_before=before)
    found: list[tuple[str, str]] = []
    cursor = None
    while page := instance.get_run_records(wanted, limit=_PAGE, cursor=cursor):
        found += [(r.dagster_run.run_id, r.dagster_run.tags.get(PARTITION_TAG, "")) for r in page]
        cursor = page[-1].dagster_run.run_id
    return found


def _last_good(instance: DagsterInstance, store: str) -> frozenset[str]:
    from dagster import DagsterRunStatus, RunsFilter

    from kura_pipeline.jobs import STORE_TAG, job_name
    from kura_pipeline.names import identifier

    last = []
    for kind in ("observe", "distill", "derive"):
        wanted = RunsFilter(
            job_name=job_name(kind, identifier(store)),
            tags={STORE_TAG: store},
            statuses=[DagsterRunStatus.SUCCESS],
        )
        last += [run.run_id for run in instance.get_runs(wanted, limit=1)]
    return frozenset(last)


def _claimed_at(batch: str) -> datetime | None:
    """When a batch was claimed: its name begins with it."""
    try:
        return datetime.strptime(batch.partition("-")[0], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def _own_files(config: Config, run_id: str) -> list[Path]:
    """The run's own file of events, which Dagster empties and leaves; none where events lie in a database server."""
    folder = dagster_home(config) / "history" / "runs"
    return [
        f for f in (folder / f"{run_id}.db{end}" for end in ("", "-wal", "-shm", "-journal")) if f.is_file()
    ]
