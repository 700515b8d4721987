"""`kura bench search`: how long a search takes."""

from __future__ import annotations

from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, say, table


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(search)


def search(
    events: Annotated[int, typer.Option("--events", min=1, help="events in the index")] = 1_000_000,
    json: JsonOption = False,
) -> int:
    """Generate events in several languages, index them, and time a fixed list of queries."""
    from kura_pipeline.bench.search import measure

    result = measure(events)
    if json:
        print_json(result)
        return 0
    columns = ("query", "filters", "found", "median_ms", "cpu_ms")
    rows = [
        [
            row["query"],
            ", ".join(f"{k}={v}" for k, v in row["filters"].items()),
            *(row[c] for c in columns[2:]),
        ]
        for row in result["table"]
    ]
    table(columns, rows)
    say()
    table(("figure", "value"), sorted(result["figures"].items()))
    return 0
