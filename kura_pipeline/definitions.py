"""Everything Dagster loads: one asset graph, its jobs and its sensors for every store of kura.toml."""

import dagster as dg

from kura_pipeline import sensors
from kura_pipeline.assets import candidates, drafts, evidence, gated, journals, memories, snapshot, woven
from kura_pipeline.assets.desk import Desk, EditorFactory
from kura_pipeline.jobs import jobs_of
from kura_pipeline.resources import editor_for, editor_version
from kura_pipeline.storage import ParquetStorage
from kura_runtime.config.load import load
from kura_runtime.config.model import Config

STEPS = (journals, evidence, candidates, gated, drafts, memories, woven, snapshot)


def build_defs(config: Config, make_editor: EditorFactory = editor_for) -> dg.Definitions:
    """The definitions of every store of `config`; tests hand in an editor of their own."""
    desks = [Desk(config, cfg, make_editor, editor_version(cfg)) for cfg in config.stores.values()]
    jobs = {desk.name: jobs_of(desk) for desk in desks}
    return dg.Definitions(
        assets=[step.build(desk) for desk in desks for step in STEPS],
        jobs=[job for of_store in jobs.values() for job in of_store.all()],
        sensors=[s for desk in desks for s in sensors.build(desk, jobs[desk.name])],
        executor=dg.in_process_executor,
        resources={"parquet": ParquetStorage(root=config.storage_root)},
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What Dagster loads. It is read when Dagster asks for it, so that importing this module needs no kura.toml."""
    return build_defs(load())
