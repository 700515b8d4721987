"""`drafts`: novelty, composition, floor, signature. A rejected draft is data; only a broken invariant fails the check."""

import warnings
from collections.abc import Iterator

import dagster as dg
import pyarrow as pa

from kura_pipeline.assets.desk import Asking, Desk
from kura_pipeline.assets.tables import COUNT, FLAG, TEXT, pack, unpack
from kura_pipeline.distil.batch import batch_of
from kura_pipeline.distil.drafting import DraftRow, draft_batch
from kura_pipeline.distil.gating import Gated
from kura_pipeline.distil.verify import verify_drafts

# Checks with partitions are a preview in this version of Dagster; the pin below 1.14 is what we rely on.
warnings.filterwarnings("ignore", message="Specifying a partitions_def on an AssetCheckSpec")

COLUMNS = {
    "n": (COUNT, lambda r: r.n),
    "outcome": (TEXT, lambda r: r.outcome),
    "reason": (TEXT, lambda r: r.reason),
    "novelty": (TEXT, lambda r: r.novelty),
    "slug": (TEXT, lambda r: r.surface.slug if r.surface else ""),
    "title": (TEXT, lambda r: r.surface.title if r.surface else ""),
    "topic": (TEXT, lambda r: r.topic),
    "retried": (FLAG, lambda r: r.retried),
}


def build(desk: Desk) -> dg.AssetsDefinition:
    """Signed drafts, and what fell on the way; blocking check `gate_holds`."""
    holds = dg.AssetCheckSpec(
        "gate_holds", asset=desk.key("drafts"), blocking=True, partitions_def=desk.partitions,
        description="Every surviving quote is found again in the evidence, the floor holds, the mark is right: from scratch.",
    )  # fmt: skip

    @dg.asset(
        key=desk.key("drafts"), group_name=desk.group, partitions_def=desk.partitions, io_manager_key="parquet", pool=desk.pool,
        ins={"evidence": dg.AssetIn(key=desk.key("evidence")), "gated": dg.AssetIn(key=desk.key("gated"))},
        code_version=desk.editor_version, kinds={"parquet", "markdown"}, check_specs=[holds],
        description="What the gate kept, compared with its neighbours, composed, held against the floor and signed.",
    )  # fmt: skip
    def drafts(
        context: dg.AssetExecutionContext, config: Asking, evidence: pa.Table, gated: pa.Table
    ) -> Iterator[dg.MaterializeResult[pa.Table]]:
        batch, store, brief = batch_of(evidence, context.partition_key, desk.name), desk.store(), desk.brief()
        frozen = desk.frozen(context.partition_key, store, refresh=config.refresh)
        with desk.editing(context, config) as editor:
            done = draft_batch(
                batch, unpack(gated, Gated), store, editor, brief, frozen, slots=desk.cfg.distill.scribe_slots
            )
        broken = verify_drafts(done.drafts, batch, brief, links=frozen.links, store=store)
        check = dg.AssetCheckResult(
            check_name="gate_holds", passed=not broken, severity=dg.AssetCheckSeverity.ERROR,
            metadata={"drafts": len(done.drafts), "broken": len(broken), "what": dg.MetadataValue.md("\n".join(f"- {b.rule} {b.reason}: {b.note}" for b in broken) or "nothing")},
        )  # fmt: skip
        desk.note(context, "drafts", done.counts)
        yield desk.result(pack(done.rows(), DraftRow, COLUMNS), done.counts, checks=[check])

    return drafts
