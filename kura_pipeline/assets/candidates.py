"""`candidates`: what the editor finds in a batch. Nothing in it is believed yet."""

import dagster as dg
import pyarrow as pa

from kura_pipeline.assets.desk import Asking, Desk
from kura_pipeline.assets.tables import COUNT, TEXT, pack
from kura_pipeline.distil.batch import batch_of
from kura_pipeline.distil.spot import Proposal, spot_batch

COLUMNS = {
    "n": (COUNT, lambda p: p.n),
    "topic": (TEXT, lambda p: p.candidate.topic),
    "kind": (TEXT, lambda p: p.candidate.kind),
    "quotes": (COUNT, lambda p: len(p.candidate.quotes)),
}


def build(desk: Desk) -> dg.AssetsDefinition:
    """The editor's proposals, one row each."""

    @dg.asset(
        key=desk.key("candidates"), group_name=desk.group, partitions_def=desk.partitions, io_manager_key="parquet",
        ins={"evidence": dg.AssetIn(key=desk.key("evidence"))}, code_version=desk.editor_version, kinds={"parquet"},
        description="The editor's proposals, salvaged object by object where the answer was broken.",
    )  # fmt: skip
    def candidates(
        context: dg.AssetExecutionContext, config: Asking, evidence: pa.Table
    ) -> dg.MaterializeResult[pa.Table]:
        batch = batch_of(evidence, context.partition_key, desk.name)
        with desk.editing(context, config) as editor:
            found = spot_batch(batch, editor, desk.brief())
        desk.note(context, "candidates", found.counts)
        return desk.result(pack(found.rows(), Proposal, COLUMNS), found.counts)

    return candidates
