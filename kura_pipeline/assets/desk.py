"""What every asset of one store works with: its configuration, and how to open what it needs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa

from kura_pipeline.budgets import STOPPED, budget_of, note_stop
from kura_pipeline.distil.brief import brief_of
from kura_pipeline.distil.editor import Brief, Editor
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.served import served_before
from kura_pipeline.names import BUDGET_TAG, INTERRUPTED_TAG, identifier
from kura_pipeline.partitions import batches
from kura_pipeline.resources import Asked
from kura_pipeline.storage import kept_evidence, table_digest
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.gate.attribution import People
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.models.budget import BudgetSpent
from kura_runtime.models.calls import CallLedger
from kura_runtime.models.halt import Halt
from kura_runtime.store.store import Store

EditorFactory = Callable[[StoreConfig, CallLedger, Asked], Editor]


class Asking(dg.Config):
    """Run configuration of the steps that may ask a model: `refresh` asks again instead of replaying, and freezes the
    batch's inputs anew."""

    refresh: bool = False


@dataclass(frozen=True)
class Desk:
    """One store's place in the pipeline. Nothing is opened before a step runs, so definitions load without a store."""

    config: Config
    cfg: StoreConfig
    make_editor: EditorFactory
    editor_version: str

    @property
    def name(self) -> str:
        return self.cfg.name

    @property
    def group(self) -> str:
        """Dagster's group of this store's assets."""
        return identifier(self.cfg.name)

    @property
    def partitions(self) -> dg.DynamicPartitionsDefinition:
        return batches(self.cfg.name)

    @property
    def pool(self) -> str:
        """The pool of the steps that write to the store (limit 1)."""
        return f"store_{self.group}"

    @property
    def people(self) -> People:
        return People(tuple(self.cfg.people.names))

    def key(self, step: str) -> dg.AssetKey:
        return dg.AssetKey([self.cfg.name, step])

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """The project's ledger, closed at the end."""
        with closing(Ledger.open(self.config.ledger_url)) as ledger:
            yield ledger

    def store(self) -> Store:
        return Store.open(self.cfg.path, name=self.cfg.name, policy=self.cfg.write_policy)

    def brief(self) -> Brief:
        return brief_of(self.cfg)

    def note(self, context: dg.AssetExecutionContext, step: str, counts: Mapping[str, Any]) -> None:
        """Keep a step's figures in the ledger too: metadata goes with Dagster's home, the ledger stays."""
        with self.ledger() as ledger:
            ledger.batches.note(self.name, context.partition_key, step, counts)

    def done(self, batch: str) -> None:
        """The batch is distilled to its end."""
        with self.ledger() as ledger:
            ledger.claims.done(batch)
            if ledger.batches.of(self.name, batch).get(STOPPED):
                ledger.batches.note(self.name, batch, STOPPED, {"reason": ""})

    def kept_evidence(self, batch: str) -> pa.Table | None:
        """The batch's evidence where it was written before."""
        return kept_evidence(self.config.storage_root, self.name, batch)

    def handed_out(self, batch: str) -> frozenset[str]:
        """Hashes of every sentence that agents were shown of this store before the batch was claimed, whichever process
        showed it: what was shown later cannot be where its words come from."""
        with self.ledger() as ledger:
            known = ledger.claims.get(batch)
            return served_before(self.cfg, ledger, known.claimed_at if known is not None else "")

    def frozen(self, batch: str, store: Store, *, refresh: bool) -> Frozen:
        """What this batch was told about the store when it first looked."""
        path = Path(self.config.storage_root) / self.name / "frozen" / f"{batch}.json"
        return Frozen(path, batch, store, served=lambda: self.handed_out(batch), refresh=refresh)

    @contextmanager
    def editing(self, context: dg.AssetExecutionContext, asking: Asking) -> Iterator[Editor]:
        """The editor, with its calls recorded for this step and batch, and paid out of the run's budget.

        A run that is cancelled drops the calls that are under way; one whose budget is spent ends here, cancelled by
        itself: nothing failed, the claim stays open, and what was answered so far is replayed by the next run."""
        halt = Halt()
        with self.ledger() as ledger:
            run = context.run.run_id
            budget = budget_of(self.cfg, ledger, context.run.tags.get(BUDGET_TAG) or run)
            asked = Asked(
                context.asset_key.to_user_string(), context.partition_key, run, asking.refresh,
                between=halt.check, budget=budget,
            )  # fmt: skip
            try:
                yield self.make_editor(self.cfg, ledger.calls, asked)
            except BudgetSpent as spent:
                reason = str(spent)
                note_stop(
                    ledger,
                    self.name,
                    context.partition_key,
                    reason=reason,
                    run_id=run,
                    now=datetime.now(UTC),
                )
                context.instance.report_run_canceling(context.run, message=reason)
                raise dg.Failure(reason, metadata={"stopped": reason}, allow_retries=False) from None
            except BaseException as stop:
                if not isinstance(stop, Exception | GeneratorExit):
                    halt.set()
                    context.instance.add_run_tags(run, {INTERRUPTED_TAG: type(stop).__name__})
                    context.instance.report_run_canceling(
                        context.run, message="stopped while a model was being asked"
                    )
                raise

    def result(
        self, table: pa.Table, counts: Mapping[str, Any], extra: Mapping[str, Any] | None = None,
        checks: list[dg.AssetCheckResult] | None = None,
    ) -> dg.MaterializeResult[pa.Table]:  # fmt: skip
        """A step's table with its counts as metadata; the data version is the hash of its bytes."""
        return dg.MaterializeResult(
            value=table, data_version=dg.DataVersion(table_digest(table)), metadata={**counts, **(extra or {})}, check_results=checks or [],
        )  # fmt: skip
