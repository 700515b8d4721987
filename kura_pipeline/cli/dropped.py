"""`kura dropped`: everything that the gate, the floor or the judge refused, each with its reason."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    print_json,
    say,
    store_config,
    table,
)


def register(app: typer.Typer) -> None:
    """Add `kura dropped`."""
    app.command()(dropped)


def dropped(
    batch: Annotated[str, typer.Option(metavar="BATCH", help="only this batch")] = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """List what was refused on its way to the store, batch by batch, with the stage and the reason."""
    from kura_pipeline.refused import refused

    loaded, cfg = store_config(config, store)
    rows: list[dict[str, Any]] = refused(loaded.storage_root, cfg.name, batch)
    if json:
        print_json(rows)
    elif rows:
        columns = ("batch", "stage", "reason", "topic", "note")
        table(columns, [[row[c] for c in columns] for row in rows])
    else:
        say("nothing was refused")
    return 0 if rows else 2
