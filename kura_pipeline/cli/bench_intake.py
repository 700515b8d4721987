"""`kura bench intake`: what it costs to take a journal in."""

from __future__ import annotations

from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, say, table


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(intake)


def intake(
    mb: Annotated[int, typer.Option("--mb", min=1, help="million bytes of the largest journal")] = 64,
    json: JsonOption = False,
) -> int:
    """Generate a journal and take it in: MB/s of one core from the file to Parquet and search index, memory, and how both grow."""
    from kura_pipeline.bench.intake import measure

    result = measure(mb)
    failures = [line for row in result["table"] for line in row["failures"]]
    if json:
        print_json(result)
    else:
        columns = ("mb", "mb_s", "walk_mb_s", "index_mb_s", "before_mb", "peak_mb")
        table(columns, [[row[c] for c in columns] for row in result["table"]])
        say()
        table(("figure", "value"), sorted(result["figures"].items()))
        for line in failures:
            say(f"not read: {line}")
    return 1 if failures else 0
