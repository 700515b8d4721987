"""`kura bench locomo`: evidence turns of the LoCoMo conversations, kept and found again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, table


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(locomo)


def locomo(
    file: Annotated[
        Path, typer.Argument(help="locomo10.json (CC BY-NC; it does not ship with this package)")
    ],
    json: JsonOption = False,
) -> int:
    """Evidence turns: does the embedded editor keep them, and does lexical retrieval find them (beside BM25)?"""
    from kura_pipeline.bench.locomo import read, run

    result = run(read(file))
    if json:
        print_json(result)
    else:
        table(("figure", "value"), result["figures"].items())
    return 0 if result["table"] else 2
