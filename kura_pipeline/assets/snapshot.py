"""`snapshot`: the write-once Arrow files that recall maps into memory."""

import dagster as dg

from kura_pipeline.assets.desk import Desk
from kura_runtime.recall.snapshot import build as build_snapshot


def build(desk: Desk) -> dg.AssetsDefinition:
    """One snapshot a revision of the store; follows the map."""

    @dg.asset(
        key=desk.key("snapshot"), group_name=desk.group, deps=[desk.key("woven")], pool=desk.pool, code_version="1", kinds={"arrow"},
        automation_condition=dg.AutomationCondition.eager(),
        description="Memories, postings and links as Arrow files, written once and memory-mapped by every reader.",
    )  # fmt: skip
    def snapshot() -> dg.MaterializeResult[None]:
        built = build_snapshot(desk.store())
        return dg.MaterializeResult(data_version=dg.DataVersion(built.digest), metadata=built.counts)

    return snapshot
