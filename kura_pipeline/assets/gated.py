"""`gated`: every candidate before the gate. No model is asked, so a rerun is free."""

import dagster as dg
import pyarrow as pa

from kura_pipeline.assets.desk import Asking, Desk
from kura_pipeline.assets.tables import COUNT, FLAG, TEXT, pack, unpack
from kura_pipeline.distil.batch import batch_of
from kura_pipeline.distil.gating import Gated, gate_batch
from kura_pipeline.distil.spot import Proposal
from kura_runtime.gate.sign import GATE_VERSION

COLUMNS = {
    "n": (COUNT, lambda g: g.n),
    "verdict": (TEXT, lambda g: g.verdict.verdict),
    "reason": (TEXT, lambda g: g.verdict.reason),
    "topic": (TEXT, lambda g: g.verdict.candidate.topic),
    "quotes": (COUNT, lambda g: len(g.verdict.quotes)),
    "judgement": (FLAG, lambda g: g.verdict.judgement),
}


def build(desk: Desk) -> dg.AssetsDefinition:
    """Kept, dropped with the reason, seeds."""

    @dg.asset(
        key=desk.key("gated"), group_name=desk.group, partitions_def=desk.partitions, io_manager_key="parquet",
        ins={"evidence": dg.AssetIn(key=desk.key("evidence")), "candidates": dg.AssetIn(key=desk.key("candidates"))},
        code_version=GATE_VERSION, kinds={"parquet"},
        description="The gate's verdict on every candidate: kept, seed, or dropped with its reason.",
    )  # fmt: skip
    def gated(
        context: dg.AssetExecutionContext, config: Asking, evidence: pa.Table, candidates: pa.Table
    ) -> dg.MaterializeResult[pa.Table]:
        batch = batch_of(evidence, context.partition_key, desk.name)
        frozen = desk.frozen(context.partition_key, desk.store(), refresh=config.refresh)
        judged = gate_batch(batch, unpack(candidates, Proposal), frozen, desk.people)
        frozen.save()
        reasons = [dg.TableRecord({"reason": r, "candidates": n}) for r, n in judged.reasons.items()]
        extra = {"drop_reasons": dg.MetadataValue.table(reasons)} if reasons else {}
        desk.note(context, "gated", judged.counts)
        return desk.result(pack(judged.rows(), Gated, COLUMNS), judged.counts, extra)

    return gated
