"""`kura bench serving`: recall in process, from a cold start, and over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, say, table


def register(group: typer.Typer) -> None:
    """Add `kura bench serving`."""
    group.command()(serving)


def serving(
    memories: Annotated[
        list[int] | None,
        typer.Option(
            "--memories", min=1, max=1_000_000, help="size of a generated store; may be given several times"
        ),
    ] = None,
    http: Annotated[bool, typer.Option(help="also over HTTP, while a writer writes")] = True,
    workers: Annotated[int, typer.Option(min=1, max=64, help="processes of the HTTP server")] = 2,
    json: JsonOption = False,
) -> int:
    """Measure recall on generated stores: opening, direct and absent questions, a direct write until it is recalled, HTTP."""
    from kura_pipeline.bench.serving import SIZES, measure

    report = measure(memories or SIZES, http=http, workers=workers)
    if json:
        print_json(report)
        return 0
    for row in report["table"]:
        table(("figure", "value"), list(row.items()))
        say()
    say(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
    return 0
