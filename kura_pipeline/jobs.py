"""The jobs of one store: `distill` takes one batch from claim to memories, `derive` rebuilds what follows from the files."""

from dataclasses import dataclass
from typing import Any

import dagster as dg

from kura_pipeline.assets.desk import Desk

AssetJob = Any  # dagster exports no name for what define_asset_job returns
STORE_TAG = "kura/store"
BATCH_STEPS = ("evidence", "candidates", "gated", "drafts", "memories")
ASKING_STEPS = ("candidates", "gated", "drafts", "memories")
DERIVED_STEPS = ("woven", "snapshot")


@dataclass(frozen=True)
class Jobs:
    """One run of `distill` is one batch; `observe` looks at the journals; `derive` weaves and builds the snapshot."""

    observe: AssetJob
    distill: AssetJob
    derive: AssetJob

    def all(self) -> list[AssetJob]:
        return [self.observe, self.distill, self.derive]


def job_name(kind: str, group: str) -> str:
    """Name of the `observe`, `distill` or `derive` job of a store's group."""
    return f"{kind}__{group}"


def jobs_of(desk: Desk) -> Jobs:
    """Steps run in one process: a step costs a model call, not a process start."""

    def job(kind: str, steps: tuple[str, ...], about: str) -> AssetJob:
        return dg.define_asset_job(
            job_name(kind, desk.group), selection=dg.AssetSelection.assets(*(desk.key(s) for s in steps)),
            executor_def=dg.in_process_executor, tags={STORE_TAG: desk.name}, description=about,
        )  # fmt: skip

    return Jobs(
        observe=job("observe", ("journals",), f"Look at the journals of {desk.name}."),
        distill=job("distill", BATCH_STEPS, f"Distil one batch of {desk.name}, from its claim to memories."),
        derive=job("derive", DERIVED_STEPS, f"Weave the map of {desk.name} and build its snapshot."),
    )
