"""`kura bench quotes`: how long 600 quotes take against one batch."""

from __future__ import annotations

import typer

from kura_runtime.cli.options import JsonOption, print_json, table


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(quotes)


def quotes(json: JsonOption = False) -> int:
    """Milliseconds of CPU to index a batch of 200,000 characters and find 100 candidates' quotes in it."""
    from kura_pipeline.bench.quotes import measure

    result = measure()
    if json:
        print_json(result)
    else:
        table(("figure", "value"), sorted(result["figures"].items()))
    return 0
