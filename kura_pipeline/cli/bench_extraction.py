"""`kura bench extraction`: what the embedded editor keeps of labelled texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, say, table
from kura_runtime.errors import BadInput


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(extraction)


def extraction(
    folder: Annotated[Path, typer.Argument(help="folder with memory_extraction*.jsonl and its labels")],
    json: JsonOption = False,
) -> int:
    """Precision and recall of the embedded editor against labelled texts."""
    from kura_pipeline.bench.extraction import run

    if not folder.is_dir():
        raise BadInput("FOLDER", f"{folder} is no folder")
    result = run(folder)
    if json:
        print_json(result)
    else:
        table(("figure", "value"), sorted(result["figures"].items()))
        say(f"{len(result['table'])} rows with --json")
    return 0
