"""`memories`: the judge's word on every draft of the batch, and the pour."""

import dagster as dg
import pyarrow as pa

from kura_pipeline.assets.desk import Asking, Desk
from kura_pipeline.assets.tables import TEXT, pack, unpack
from kura_pipeline.distil.drafting import DraftRow
from kura_pipeline.distil.gating import Gated
from kura_pipeline.distil.pouring import PourRow, pour_batch
from kura_pipeline.distil.seeds import seeds_of

COLUMNS = {
    "slug": (TEXT, lambda r: r.slug),
    "verdict": (TEXT, lambda r: r.verdict),
    "action": (TEXT, lambda r: r.action),
    "reason": (TEXT, lambda r: r.reason),
}


def build(desk: Desk) -> dg.AssetsDefinition:
    """Poured, fixed, tossed, skipped, quarantined."""

    @dg.asset(
        key=desk.key("memories"), group_name=desk.group, partitions_def=desk.partitions, io_manager_key="parquet", pool=desk.pool,
        ins={"gated": dg.AssetIn(key=desk.key("gated")), "drafts": dg.AssetIn(key=desk.key("drafts"))},
        code_version=desk.editor_version, kinds={"markdown"},
        description="Every draft judged cold, and what was poured into the store in one transaction each.",
    )  # fmt: skip
    def memories(
        context: dg.AssetExecutionContext, config: Asking, gated: pa.Table, drafts: pa.Table
    ) -> dg.MaterializeResult[pa.Table]:
        with desk.editing(context, config) as editor:
            seeds = seeds_of(context.partition_key, unpack(gated, Gated))
            done = pour_batch(
                context.partition_key,
                desk.store(),
                editor,
                desk.brief(),
                seeds=seeds,
                drafted=unpack(drafts, DraftRow),
                slots=desk.cfg.distill.scribe_slots,
            )
        desk.note(context, "memories", done.counts)
        desk.done(context.partition_key)
        return desk.result(pack(done.rows(), PourRow, COLUMNS), done.counts)

    return memories
