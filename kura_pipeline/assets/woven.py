"""`woven`: the resident map, with the check that no line of the index was lost, reordered or invented."""

from collections.abc import Iterator

import dagster as dg

from kura_pipeline.assets.desk import Desk
from kura_runtime.resident.weave import lines_lost, weave

# Weave when something was poured, nothing is pouring any more and no weave is under way. Unlike `eager()` it is not
# blocked for ever by one parked batch, and unlike the naive form it keeps an update that lands while another batch runs.
WEAVE_WHEN_QUIET = (
    (dg.AutomationCondition.any_deps_updated() | dg.AutomationCondition.newly_missing()).since_last_handled()
    & ~dg.AutomationCondition.any_deps_in_progress()
    & ~dg.AutomationCondition.in_progress()
).with_label("weave_when_quiet")


def build(desk: Desk) -> dg.AssetsDefinition:
    """The map of one store; blocking check `no_line_lost`."""

    @dg.asset(
        key=desk.key("woven"), group_name=desk.group, deps=[desk.key("memories")], pool=desk.pool, code_version="1",
        kinds={"markdown"}, automation_condition=WEAVE_WHEN_QUIET,
        description="The map an agent wears: pinned and fresh lines whole, every other line trimmed, none lost.",
        check_specs=[dg.AssetCheckSpec("no_line_lost", asset=desk.key("woven"), blocking=True,
                                       description="Every index line stands in the map once, in order, and no other does.")],
    )  # fmt: skip
    def woven() -> Iterator[dg.MaterializeResult[None]]:
        store = desk.store()
        cloth = weave(store, desk.cfg.prefill)
        lost = lines_lost(store, cloth)
        yield dg.MaterializeResult(
            data_version=dg.DataVersion(cloth.etag),
            metadata=cloth.counts,
            check_results=[dg.AssetCheckResult(check_name="no_line_lost", passed=not lost, metadata={"lines": len(cloth.lines), "broken": lost})],
        )  # fmt: skip

    return woven
