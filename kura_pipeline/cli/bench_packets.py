"""`kura bench packets`: gated candidates frozen in a file, for comparing writers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
from kura_runtime.errors import BadInput


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(packets)


def packets(
    out: Annotated[Path, typer.Option("--out", help="the JSON Lines file to write")],
    batch: Annotated[
        list[str] | None, typer.Option("--batch", metavar="ID", help="only this batch (may be repeated)")
    ] = None,
    journal: Annotated[
        Path | None, typer.Option("--journal", help="read this journal instead of the recorded batches")
    ] = None,
    kind: Annotated[
        str, typer.Option("--kind", help="the journal's format, where it does not show by itself")
    ] = "",
    editor: Annotated[
        str,
        typer.Option(
            "--editor", help="who picks from --journal: extractive, or model (asks the store's brain)"
        ),
    ] = "extractive",
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Freeze what the gate kept (verdict, surviving quotes, neighbours, brief) for `kura bench writers`."""
    from kura_pipeline.bench.freezing import of_batches, of_journal
    from kura_pipeline.bench.packets import report
    from kura_pipeline.bench.staff import picker

    if journal is not None and batch:
        raise BadInput("--batch", "a journal is one batch of its own; leave out --batch or --journal")
    loaded, chosen = store_config(config, store)
    if journal is None:
        frozen = of_batches(loaded, chosen, batch or ())
    elif not journal.is_file():
        raise BadInput("--journal", f"{journal} is no file")
    else:
        frozen = of_journal(loaded, chosen, journal, picker(chosen, editor), kind)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(frozen.to_bytes())
    result = report(frozen, out)
    if json:
        print_json(result)
    else:
        columns = ("packet", "batch", "n", "novelty", "quotes", "neighbours", "topic")
        table(columns, [[row[c] for c in columns] for row in result["table"]])
        left = ", ".join(f"{reason} {n}" for reason, n in sorted(frozen.left_out.items()))
        say(f"{len(frozen.packets)} packets in {out} (sha256 {result['sha256']})")
        say(f"left out: {left or 'nothing'}")
    return 0 if frozen.packets else 2
