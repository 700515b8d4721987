"""`kura bench tick`: what a look at unchanged journals costs."""

from __future__ import annotations

from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, say, table


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(tick)


def tick(
    files: Annotated[int, typer.Option("--files", min=1, help="journals, all of them read")] = 10_000,
    json: JsonOption = False,
) -> int:
    """Lay out journals that were read to their end, and time a tender's look at them."""
    from kura_pipeline.bench.tick import measure

    result = measure(files)
    if json:
        print_json(result)
        return 0
    table(
        ("cpu_s", "wall_s", "says"), [[row["cpu_s"], row["wall_s"], row["says"]] for row in result["table"]]
    )
    say()
    table(("figure", "value"), sorted(result["figures"].items()))
    return 0
