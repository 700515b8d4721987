"""`woven`: the resident map, with the check that no line of the index was lost, reordered or invented."""

from collections.abc import Iterator

import dagster as dg

from kura_pipeline.assets.desk import Desk
from kura_pipeline.distil.cues import Cues, write_cues
from kura_pipeline.resources import Asked, scribe_for
from kura_runtime.resident.weave import lines_lost, weave
from kura_runtime.store.store import Store

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
        key=desk.key("woven"), group_name=desk.group, deps=[desk.key("memories")], pool=desk.pool, code_version="2",
        kinds={"markdown"}, automation_condition=WEAVE_WHEN_QUIET,
        description="The map an agent wears: pinned and fresh lines whole, every other line trimmed, none lost.",
        check_specs=[dg.AssetCheckSpec("no_line_lost", asset=desk.key("woven"), blocking=True,
                                       description="Every index line stands in the map once, in order, and no other does.")],
    )  # fmt: skip
    def woven() -> Iterator[dg.MaterializeResult[None]]:
        store = desk.store()
        cues = _cues(desk, store)
        cloth = weave(store, desk.cfg.prefill, triggers=cues)
        lost = lines_lost(store, cloth)
        yield dg.MaterializeResult(
            data_version=dg.DataVersion(cloth.etag),
            metadata={**cloth.counts, **(cues.counts if cues else {})},
            check_results=[dg.AssetCheckResult(check_name="no_line_lost", passed=not lost, metadata={"lines": len(cloth.lines), "broken": lost})],
        )  # fmt: skip

    return woven


def _cues(desk: Desk, store: Store) -> Cues | None:
    """Shorter cues by the scribe, where the store distils with one. The map does not wait for a model: what it does not
    answer is trimmed mechanically."""
    with desk.ledger() as ledger:
        scribe = scribe_for(desk.cfg, ledger.calls, Asked(f"{desk.name}/woven"))
        if scribe is None or desk.cfg.write_policy == "frozen":
            return None
        cfg = desk.cfg.prefill
        return write_cues(store, scribe, desk.brief(), tokens=cfg.trigger_tokens, leave=cfg.pinned_types)
