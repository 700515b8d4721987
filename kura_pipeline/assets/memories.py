"""`memories`: the judge's word on every draft of the batch, and the pour."""

import dagster as dg
import pyarrow as pa

from kura_pipeline.assets.desk import Asking, Desk
from kura_pipeline.assets.tables import TEXT, pack
from kura_pipeline.distil.pouring import PourRow, pour_batch

COLUMNS = {
    "slug": (TEXT, lambda r: r.slug),
    "verdict": (TEXT, lambda r: r.verdict),
    "outcome": (TEXT, lambda r: r.outcome),
    "reason": (TEXT, lambda r: r.reason),
}


def build(desk: Desk) -> dg.AssetsDefinition:
    """Poured, fixed, tossed, skipped, quarantined."""

    @dg.asset(
        key=desk.key("memories"), group_name=desk.group, partitions_def=desk.partitions, io_manager_key="parquet", pool=desk.pool,
        ins={"drafts": dg.AssetIn(key=desk.key("drafts")), "gated": dg.AssetIn(key=desk.key("gated"))},
        code_version=desk.editor_version, kinds={"markdown"},
        description="Every draft judged cold, and what was poured into the store in one transaction each.",
    )  # fmt: skip
    def memories(context: dg.AssetExecutionContext, config: Asking, drafts: pa.Table, gated: pa.Table) -> dg.MaterializeResult:
        with desk.editing(context, config) as editor:
            done = pour_batch(context.partition_key, desk.store(), editor, desk.brief())
        desk.note(context, "memories", done.counts)
        desk.done(context.partition_key)
        return desk.result(pack(done.rows(), PourRow, COLUMNS), done.counts)

    return memories
