"""`kura prune`: old runs and partitions out of Dagster's home."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import Annotated

import typer

from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    chosen_stores,
    no_store,
    print_json,
    say,
)
from kura_runtime.config.load import load


def register(app: typer.Typer) -> None:
    """Add `kura prune`."""
    app.command()(prune)


def prune(
    days: Annotated[
        int, typer.Option(min=1, max=36500, help="finished runs older than so many days go")
    ] = 90,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only say what would go")] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Take old runs with their events, and the partitions of old batches, out of Dagster. Memories, evidence and ledger stay."""
    from kura_pipeline import home
    from kura_pipeline.pruning import find_old, remove
    from kura_pipeline.runs import one_at_a_time
    from kura_runtime.ledger.ledger import Ledger

    loaded = load(config)
    stores = chosen_stores(loaded, store)
    if not stores:
        return no_store(loaded, json)
    found = []
    with home.instance(loaded) as instance, closing(Ledger.open(loaded.ledger_url)) as ledger:
        for cfg in stores:
            with one_at_a_time(loaded, cfg):
                old = find_old(instance, loaded, cfg, ledger, days=days, now=datetime.now(UTC))
                if not dry_run:
                    remove(instance, loaded, old)
            found.append(old)
    if json:
        print_json([{**old.to_json(), "dry_run": dry_run} for old in found])
    else:
        for old in found:
            what = f"{len(old.runs)} runs ({old.freed} bytes) and {len(old.partitions)} partitions"
            kept = ", ".join(f"{reason} {n}" for reason, n in old.kept)
            say(
                f"{old.store}: {what} {'would go' if dry_run else 'removed'}"
                + (f"; kept: {kept}" if kept else "")
            )
    return min(old.code for old in found)
