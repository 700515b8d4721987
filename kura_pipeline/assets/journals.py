"""`journals`: what lies in the store's journal roots, and how much of it was read."""

import dagster as dg

from kura_pipeline.assets.desk import Desk
from kura_pipeline.distil.coverage import survey
from kura_pipeline.distil.reindex import indexed


def build(desk: Desk) -> dg.AssetsDefinition:
    """The unpartitioned asset that the batches grow from."""

    @dg.asset(
        key=desk.key("journals"), group_name=desk.group, code_version="1", kinds={"jsonl"},
        description="Journal files of the store's roots: found, read, failed. Coverage is said, never assumed.",
    )  # fmt: skip
    def journals(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        with desk.ledger() as ledger:
            found = survey(desk.cfg, ledger)
            raw = indexed(desk.config, desk.cfg, ledger)
        for line in (*found.failures, *(f for f in raw.failures if f not in found.failures)):
            context.log.warning(line)
        return dg.MaterializeResult(
            data_version=dg.DataVersion(found.digest),
            metadata={
                "files": len(found.files), "bytes": found.size, "sessions": found.sessions, "unread_characters": found.unread,
                "coverage": found.coverage, "failed": len(found.failures), "raw_events_indexed": raw.events,
                "older_than_window_journals": found.older[0], "older_than_window_characters": found.older[1],
                "failures": dg.MetadataValue.md("\n".join(f"- {line}" for line in found.failures) or "none"),
            },
        )  # fmt: skip

    return journals
