"""`kura bench calls`: calls and input tokens a poured memory, together and one call a step."""

from __future__ import annotations

from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, say, table


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(calls)


def calls(
    naive: Annotated[bool, typer.Option("--naive", help="report the figures of one call a step")] = False,
    json: JsonOption = False,
) -> int:
    """Calls and input tokens (estimated) a poured memory, on shipped journals with a rehearsed model."""
    from kura_pipeline.bench.calls import measure

    result = measure(naive=naive)
    if json:
        print_json(result)
    else:
        table(("figure", "value"), sorted(result["figures"].items()))
        columns = ("asked", "calls", "input_tokens", "new_tokens", "poured", "novelty_skipped")
        table(columns, [[row[c] for c in columns] for row in result["table"]])
        say("tokens are estimated")
    return 0 if result["figures"]["same_drafts"] else 1
