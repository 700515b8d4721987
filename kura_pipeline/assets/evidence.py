"""`evidence`: the classed, redacted events of one claim. The durable copy: hosts delete their journals."""

import dagster as dg
import pyarrow as pa

from kura_pipeline.assets.desk import Desk
from kura_pipeline.distil.batch import EVIDENCE_VERSION, evidence_counts, read_batch


def build(desk: Desk) -> dg.AssetsDefinition:
    """One Parquet file a batch."""

    @dg.asset(
        key=desk.key("evidence"), group_name=desk.group, partitions_def=desk.partitions, io_manager_key="parquet",
        deps=[desk.key("journals")], code_version=EVIDENCE_VERSION, kinds={"parquet"},
        description="Events of one claimed stretch: class, text without secrets, time, session, span in the journal.",
    )  # fmt: skip
    def evidence(context: dg.AssetExecutionContext) -> dg.MaterializeResult[pa.Table]:
        with desk.ledger() as ledger:
            table = read_batch(
                desk.cfg, ledger, context.partition_key, kept=desk.kept_evidence(context.partition_key)
            )
        counts = evidence_counts(table)
        desk.note(context, "evidence", counts)
        return desk.result(table, counts)

    return evidence
