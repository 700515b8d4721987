"""One store's work in this process, through the same Dagster jobs the daemon runs, recorded in the same instance."""

from __future__ import annotations

import glob
import itertools
import json
import logging
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

from filelock import FileLock, Timeout

from kura_pipeline import home
from kura_pipeline.budgets import stopped_by
from kura_pipeline.distil.archive import Archived, archive_journals
from kura_pipeline.distil.batch import ClaimReport, claim
from kura_pipeline.distil.unfinished import unfinished
from kura_pipeline.draining import drain_store
from kura_pipeline.names import BUDGET_TAG, INTERRUPTED_TAG, batches_name, identifier
from kura_pipeline.repair import mend_evidence
from kura_pipeline.storage import keep_evidence, oldest_first
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.errors import BadInput, ConfigError, KuraError, ModelUnavailable, WriteRefused
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.models.budget import BudgetSpent
from kura_runtime.recall import snapshot
from kura_runtime.resident.weave import woven_revision
from kura_runtime.store.store import Store
from kura_runtime.store.tending import holds_store

warnings.filterwarnings("ignore", module="dagster")
Say = Callable[[str], None]
PID_TAG = "kura/pid"


@dataclass
class PassReport:
    """What one pass did. `figures` adds up the numbers of the batches' steps (poured, dropped_…, tossed …)."""

    store: str
    claimed: int = 0
    unread: list[str] = field(default_factory=list)  # journals and roots that failed, one line each
    left_out: dict[str, int] = field(
        default_factory=dict
    )  # parts of journals that are no evidence, by reason
    skipped: dict[str, int] = field(default_factory=dict)  # unread journals passed over, by reason
    batches: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    parked: dict[str, str] = field(default_factory=dict)
    derived: bool = False
    stopped: str = ""  # which limit of [budget] ended the pass; what is not distilled stays open
    figures: Counter[str] = field(default_factory=Counter)
    archived: Archived = field(default_factory=Archived)
    waiting: list[str] = field(default_factory=list)  # why characters stay unread that no run can take yet

    @property
    def code(self) -> int:
        """The exit code: 1 where anything failed, 0 where work was done, 2 where there was honestly nothing to do."""
        if self.failed or self.unread or self.parked:
            return 1
        return 0 if self.batches or self.derived or self.archived.kept else 2

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {
            "store": self.store, "claimed": self.claimed, "batches": self.batches, "failed": self.failed, "parked": self.parked,
            "unread": self.unread, "stopped": self.stopped, "left_out": self.left_out, "derived": self.derived, "figures": dict(self.figures),
            "archived": self.archived.to_json(), "waiting": self.waiting, "skipped": self.skipped,
        }  # fmt: skip


class Busy(KuraError):
    """Another process works on this store."""


def open_store(cfg: StoreConfig) -> Store:
    """The store, which must be there: a mistyped path, or a disk that is not mounted, would become a new and empty store
    that the journals are then read into. Raises ConfigError."""
    if not holds_store(cfg.path):
        what = "this folder holds no store" if cfg.path.is_dir() else "there is no such folder"
        raise ConfigError(
            f"{cfg.path}: {what}; correct path under [stores.{cfg.name}], or make a new store there with `kura init {cfg.name}`"
        )
    return Store.open(cfg.path, name=cfg.name, policy=cfg.write_policy)


def run_pass(
    config: Config, cfg: StoreConfig, *, until: str = "", refresh: str = "", retry_parked: bool = False,
    say: Say = lambda _: None, now: datetime | None = None, claim_new: bool = True, held: Collection[str] = (),
    since: datetime | None = None,
) -> PassReport:  # fmt: skip
    """Claim what is unread (unless `claim_new` is off), distil every open batch, then rebuild what is derived. `refresh` names one batch to ask the
    models about anew. `held` batches are left alone; so are journals last written before `since`, which are counted. Raises Busy where another pass works on this store."""
    report = PassReport(cfg.name)
    store = open_store(cfg)
    with one_at_a_time(config, cfg), closing(Ledger.open(config.ledger_url)) as ledger:
        observed = False
        if claim_new:
            claimed = claim(
                cfg,
                ledger,
                now=now or datetime.now(UTC),
                sink=partial(keep_evidence, config.storage_root),
                since=since,
            )
            note_claims(report, cfg, claimed, say)
            observed = bool(claimed.batches)
            report.archived = archive_journals(config, cfg, ledger, now=now or datetime.now(UTC))
            report.unread += report.archived.failures
            for line in report.archived.failures:
                say(line)
        for parked in ledger.claims.of_store(cfg.name, ("parked",)):
            if retry_parked:
                ledger.claims.unpark(parked.batch_id)
            else:
                report.parked[parked.batch_id] = parked.last_error
        todo = [b for b in oldest_first(config.storage_root, ledger.claims.open(cfg.name)) if b not in held]
        if refresh:
            known = ledger.claims.get(refresh)
            if known is None or known.store != cfg.name:
                raise BadInput(
                    "--refresh",
                    f"no batch {refresh} in store {cfg.name}; the partitions in `kura dev` list them",
                )
            todo = [refresh]
        broken = mend_evidence(config, cfg, ledger, todo, say)
        if refresh in broken:
            raise KuraError(f"batch {refresh}: {broken[refresh]}")
        if todo or store.drafts() or stale(store):
            with runner(config, cfg) as jobs:
                if todo and not until and not refresh:
                    _drain_first(report, cfg, ledger, store, {*todo, *held}, say)
                _work(jobs, report, ledger, todo, observed, until, bool(refresh), say)
                if until not in ("evidence", "candidates", "gated", "drafts", "memories") and stale(
                    open_store(cfg)
                ):
                    say("weaving the map and building the snapshot")
                    error = jobs.derive()
                    report.derived = not error
                    if error:
                        report.failed["derived"] = error
                        say(f"  failed: {error}")
        if report.code == 2:
            report.waiting = unfinished(cfg, ledger)
    return report


def _drain_first(
    report: PassReport, cfg: StoreConfig, ledger: Ledger, store: Store, leave: Collection[str], say: Say
) -> None:
    """Drafts that a judge left waiting come before new batches. They are tried with every pass that has work of its own, and
    no oftener: a draft that no judge can read must not cost a call a minute. A judge that is away stops no batch here."""
    try:
        done = drain_store(cfg, ledger, store, leave=leave)
    except (ModelUnavailable, BudgetSpent, WriteRefused) as error:
        say(f"waiting drafts were not judged: {error}")
        return
    if done.poured:
        say(f"waiting drafts: {done.counts['poured']} of {len(done.poured)} poured")
        report.figures.update({k: n for k, n in done.counts.items() if n})


def _work(
    jobs: Runner,
    report: PassReport,
    ledger: Ledger,
    todo: list[str],
    observe: bool,
    until: str,
    refresh: bool,
    say: Say,
) -> None:
    if observe and (error := jobs.observe()):
        report.failed["journals"] = error
        say(f"  failed: {error}")
    for n, batch in enumerate(todo, 1):
        say(f"batch {n} of {len(todo)}: {batch}")
        error = jobs.distill(batch, until, refresh)
        if error and jobs.interrupted:
            raise KeyboardInterrupt  # somebody stopped us: nothing failed, and the batch's claim stays open
        if error and (reason := stopped_by(ledger, report.store, batch, jobs.last_run)):
            report.stopped = reason
            say(f"  stopped: {reason} (batches left open: {len(todo) - n + 1})")
            return
        if error:
            after = ledger.claims.failed(batch, error)
            report.failed[batch] = error
            say(f"  failed: {error}" + ("  (parked after three failures)" if after.state == "parked" else ""))
            continue
        report.batches.append(batch)
        steps = ledger.batches.of(report.store, batch)
        for figures in steps.values():
            report.figures.update(
                {k: v for k, v in figures.items() if isinstance(v, int) and not isinstance(v, bool)}
            )


def note_claims(report: PassReport, cfg: StoreConfig, claimed: ClaimReport, say: Say) -> None:
    """Take over what claiming found: batches, and one line for everything that could not be read."""
    report.claimed = len(claimed.batches)
    report.unread = list(claimed.failures)
    report.left_out = dict(claimed.left_out)
    report.skipped = dict(claimed.skipped)
    for reason, n in claimed.skipped.items():
        say(
            f"{n} unread journals passed over: {reason}; they stay unread until a run without such a bound, or `kura catchup`"
        )
    for line in claimed.failures:
        say(f"not read: {line}")
    if patterns := _excluding(cfg, claimed.failures):
        say(
            f"where such a file is no journal, or will never read as one, name it in kura.toml under [stores.{cfg.name}.distill], "
            f"and the runs after that pass it over: exclude = {json.dumps([*cfg.distill.exclude, *patterns], ensure_ascii=False)}"
        )
    if claimed.left_out:
        say(
            "left out, and counted: "
            + ", ".join(f"{reason} {n}" for reason, n in sorted(claimed.left_out.items()))
        )
    if claimed.repeated:
        say(f"{claimed.repeated} records were read before under another name, and are not read again")
    for line in claimed.reread:
        say(f"rewritten since it was read, read anew: {line}")


def _excluding(cfg: StoreConfig, failures: Iterable[str]) -> list[str]:
    """For each failure that is about a file below a journal root: the file's path below it, as a pattern."""
    found: dict[str, None] = {}
    for line, root in itertools.product(failures, (r for roots in cfg.journals.values() for r in roots)):
        words = line.removeprefix(f"{root}{os.sep}").split(":")
        if words[0] == line.split(":")[0]:
            continue  # about another root, or about the root itself
        names = [":".join(words[: n + 1]).partition(" at byte ")[0] for n in range(len(words))]
        if name := next((n for n in names if (root / n).is_file()), ""):
            found[glob.escape(name)] = None
    return list(found)


def stale(store: Store) -> bool:
    """Whether the map or the snapshot is behind the store: its revision, or a page that a person edited or deleted."""
    return woven_revision(store.path) != store.revision or not snapshot.fresh(store)


@contextmanager
def one_at_a_time(config: Config, cfg: StoreConfig) -> Iterator[None]:
    """One pass a store: a second one would do the same batches twice."""
    folder = config.home / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{cfg.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Busy(f"another run is working on the store {cfg.name}; wait for it, nothing is lost") from None
    try:
        yield
    finally:
        lock.release()


class Runner:
    """One store's jobs on the project's Dagster instance, executed here. Each method returns the error, or ""."""

    def __init__(self, instance: Any, defs: Any, store: str) -> None:
        self._instance, self._defs, self._store = instance, defs, store
        self._pass = uuid4().hex
        self.last_run = ""  # the id of the run that was executed last
        self.interrupted = False  # whether a signal ended it

    def observe(self) -> str:
        """Materialise `journals`."""
        return self._execute("observe")

    def derive(self) -> str:
        """Materialise the map and the snapshot."""
        return self._execute("derive")

    def distill(self, batch: str, until: str, refresh: bool) -> str:
        """Take one batch through its steps, up to and with `until` where it names one of them."""
        from kura_pipeline.jobs import ASKING_STEPS, BATCH_STEPS

        steps = BATCH_STEPS[: BATCH_STEPS.index(until) + 1] if until in BATCH_STEPS else BATCH_STEPS
        asking = {
            f"{identifier(self._store)}__{s}": {"config": {"refresh": True}}
            for s in steps
            if s in ASKING_STEPS
        }
        self._instance.add_dynamic_partitions(batches_name(self._store), [batch])
        return self._execute("distill", partition=batch, steps=steps, ops=asking if refresh else {})

    def _execute(
        self,
        kind: str,
        *,
        partition: str | None = None,
        steps: tuple[str, ...] = (),
        ops: dict[str, Any] | None = None,
    ) -> str:
        from dagster import AssetKey

        from kura_pipeline.jobs import job_name

        quiet = {"console": {"config": {"log_level": "CRITICAL"}}}
        done = self._defs.resolve_job_def(job_name(kind, identifier(self._store))).execute_in_process(
            instance=self._instance, partition_key=partition, raise_on_error=False, tags={PID_TAG: str(os.getpid()), BUDGET_TAG: self._pass},
            run_config={"loggers": quiet, "ops": ops or {}},
            asset_selection=[AssetKey([self._store, s]) for s in steps] or None,
        )  # fmt: skip
        self.last_run = done.run_id
        ended = self._instance.get_run_by_id(done.run_id)
        self.interrupted = ended is not None and INTERRUPTED_TAG in ended.tags
        return "" if done.success else _error_of(done)


@contextmanager
def runner(config: Config, cfg: StoreConfig) -> Iterator[Runner]:
    """The store's jobs, with runs of dead processes closed first."""
    from kura_pipeline.definitions import build_defs

    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    with home.instance(config) as instance:
        _bury_dead_runs(instance, cfg.name)
        yield Runner(instance, build_defs(config), cfg.name)


def _bury_dead_runs(instance: Any, store: str) -> None:
    """A killed process leaves its run STARTED for ever; say that it ended, so that the interface tells the truth."""
    from dagster import DagsterRunStatus, RunsFilter

    from kura_pipeline.jobs import STORE_TAG

    open_runs = instance.get_runs(
        RunsFilter(tags={STORE_TAG: store}, statuses=[DagsterRunStatus.STARTED, DagsterRunStatus.STARTING])
    )
    for run in open_runs:
        pid = run.tags.get(PID_TAG)
        if pid and pid.isdigit() and not _alive(int(pid)):
            instance.report_run_failed(run, message=f"the process {pid} that executed this run is gone")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _error_of(done: Any) -> str:
    """The innermost message of the step that failed, on one line."""
    for event in done.all_events:
        if event.is_step_failure and event.step_failure_data.error is not None:
            error = event.step_failure_data.error
            while error.cause is not None:
                error = error.cause
            return f"{event.step_key.rpartition('__')[2]}: {_plain(error.message)}"
    for event in done.all_events:
        if event.is_failure and event.message:
            return _plain(str(event.message))
    return "the run failed without an error of its own"


def _plain(message: str) -> str:
    """An error's own words: Dagster keeps it as text, headed by the name of its class, which says nothing to a person where
    the error is one of ours or the system's."""
    first = (message.strip() or "an error without words").splitlines()[0]
    first = re.sub(r"^kura_\w+(?:\.\w+)*: ", "", first)
    if system := re.match(r"\w+Error: \[Errno -?\d+\] ([^:]*)(?:: '(.*)')?$", first):
        return f"{system[2]}: {system[1]}" if system[2] else system[1]
    return first
