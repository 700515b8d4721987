"""The sensors of one store: `idle` claims and starts runs in quiet hours; automation weaves after a pour."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import dagster as dg

from kura_pipeline.assets.desk import Desk
from kura_pipeline.budgets import held_tonight, spent_tonight
from kura_pipeline.distil.archive import archive_journals
from kura_pipeline.distil.batch import claim
from kura_pipeline.jobs import STORE_TAG, Jobs, job_name
from kura_pipeline.names import batches_name
from kura_pipeline.quiet import look
from kura_pipeline.runs import open_store
from kura_pipeline.storage import keep_evidence, oldest_first
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.tending import beat

ARCHIVE_BYTES = 1_000_000_000  # copied in one evaluation, which must end within a minute
PARTITION_TAG = "dagster/partition"
ACTIVE = [
    dg.DagsterRunStatus.QUEUED, dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]  # fmt: skip


def build(desk: Desk, jobs: Jobs) -> Sequence[dg.SensorDefinition]:
    """Every sensor of the store; all of them run from the start."""
    automation = dg.AutomationConditionSensorDefinition(
        f"automation__{desk.group}", target=dg.AssetSelection.groups(desk.group),
        default_status=dg.DefaultSensorStatus.RUNNING, run_tags={STORE_TAG: desk.name},
    )  # fmt: skip
    return [idle_sensor(desk, jobs), automation]


def idle_sensor(desk: Desk, jobs: Jobs) -> dg.SensorDefinition:
    """Quiet, and enough to read: claim, add the partitions, request one run a batch."""

    @dg.sensor(
        name=f"idle__{desk.group}", job=jobs.distill, minimum_interval_seconds=30, default_status=dg.DefaultSensorStatus.RUNNING,
        description=f"When the journals of {desk.name} are quiet: claims what is unread and starts one run a batch.",
    )  # fmt: skip
    def idle(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        now = datetime.now(UTC)
        beat(open_store(desk.cfg), now)
        with desk.ledger() as ledger:
            weather = look(desk.cfg, ledger, now)
            if weather.why_not.startswith("active"):
                return dg.SkipReason(f"{desk.name}: {weather.why_not}")
            failures = _claim(desk, ledger, now) if weather.due else []
            if spent := spent_tonight(desk.cfg, ledger, now):
                return dg.SkipReason(
                    "; ".join([f"{desk.name}: {spent}; open batches wait for the next night", *failures])
                )
            held = held_tonight(desk.cfg, ledger, now)
            return _request(context, desk, ledger, weather.why_not, failures, held)

    return idle


def _claim(desk: Desk, ledger: Ledger, now: datetime) -> list[str]:
    """Claim a bounded number of batches, their evidence with them, and keep copies of what was read; returns a line for
    each journal that failed, and one that counts the copies."""
    keep = partial(keep_evidence, desk.config.storage_root)
    claimed = claim(desk.cfg, ledger, limit=desk.cfg.distill.max_batches, now=now, sink=keep)
    archived = archive_journals(desk.config, desk.cfg, ledger, now=now, most=ARCHIVE_BYTES)
    counts = ", ".join(f"{name} {n}" for name, n in archived.to_json().items() if n)
    return [*claimed.failures, *archived.failures, *([f"archive: {counts}"] if archived.moved else [])]


def _request(
    context: dg.SensorEvaluationContext,
    desk: Desk,
    ledger: Ledger,
    why_not: str,
    failures: list[str],
    held: Mapping[str, str],
) -> dg.SensorResult | dg.SkipReason:
    """One run for every open claim that has none under way. The claims are the truth: a partition or a run that a crash
    swallowed is asked for again. A run key is remembered for ever, so it carries the number of runs so far."""
    instance, job = context.instance, job_name("distill", desk.group)
    wanted = [
        b for b in oldest_first(desk.config.storage_root, ledger.claims.open(desk.name)) if b not in held
    ]
    known = set(instance.get_dynamic_partitions(batches_name(desk.name)))
    requests = []
    for batch in wanted:
        tags = {PARTITION_TAG: batch}
        if instance.get_runs_count(dg.RunsFilter(job_name=job, tags=tags, statuses=ACTIVE)):
            continue
        so_far = instance.get_runs_count(dg.RunsFilter(job_name=job, tags=tags))
        requests.append(
            dg.RunRequest(
                run_key=f"{batch}#{so_far}",
                partition_key=batch,
                tags={STORE_TAG: desk.name, "kura/batch": batch},
            )
        )
    fresh = [b for b in wanted if b not in known]
    parked = len(ledger.claims.of_store(desk.name, ("parked",)))
    notes = [
        *failures,
        *(f"{batch} waits for the next night: {reason}" for batch, reason in held.items()),
        *([f"{parked} batches are parked, see `kura doctor -s {desk.name}`"] if parked else []),
    ]
    if not requests and not fresh:
        return dg.SkipReason("; ".join([f"{desk.name}: {why_not or 'every open batch has a run'}", *notes]))
    return dg.SensorResult(
        run_requests=requests, dynamic_partitions_requests=[desk.partitions.build_add_request(fresh)] if fresh else [],
        cursor=json.dumps({"notes": notes}, ensure_ascii=False),
    )  # fmt: skip
