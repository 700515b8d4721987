"""`kura bench import`: what it costs an agent to import the runtime."""

from __future__ import annotations

from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, say


def register(group: typer.Typer) -> None:
    """Add `kura bench import`."""
    group.command("import")(import_time)


def import_time(
    rounds: Annotated[int, typer.Option(min=1, help="fresh interpreters that are started")] = 7,
    json: JsonOption = False,
) -> int:
    """Time `import kura_runtime` in fresh interpreters, and name any package it must not load."""
    from kura_pipeline.bench.imports import run

    bench = run(rounds)
    if json:
        print_json(bench.to_json())
    else:
        say(
            f"import kura_runtime: {bench.import_ms:.1f} ms; with the reading API {bench.api_ms:.1f} ms; with the store {bench.store_ms:.1f} ms"
        )
        say(f"loaded though forbidden: {', '.join(bench.loaded) or 'none'}")
    return 0 if bench.ok else 1
