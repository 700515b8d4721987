"""`kura bench retention`: what of the planted statements a store gives back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    handle,
    print_json,
    say,
    store_config,
    table,
)
from kura_runtime.errors import BadInput

if TYPE_CHECKING:
    from kura_pipeline.bench.planted import Fixture


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(retention)


def retention(
    fixture: Annotated[
        list[str] | None,
        typer.Option("--fixture", help="only this one: chat, dense, chat.en … (may be repeated)"),
    ] = None,
    editor: Annotated[
        str, typer.Option("--editor", help="extractive, or model (the store's brain and scribe)")
    ] = "extractive",
    thinker: Annotated[
        bool, typer.Option("--thinker", help="let the store's thinker answer recalls too")
    ] = False,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="ask a store that is there already, with the plants of this file"),
    ] = None,
    lay_out: Annotated[
        Path | None, typer.Option("--lay-out", metavar="DIR", help="only write the fixtures' journals there")
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Play planted journals through the pipeline and ask for every statement. No model judges."""
    from kura_pipeline.bench.planted import lay_out as write
    from kura_pipeline.bench.planted import read_file, shipped
    from kura_pipeline.bench.retention import ask_store, run

    if questions is not None:
        result = ask_store(handle(config, store), read_file(questions).plants)
    elif lay_out is not None:
        for path in [p for one in shipped(fixture or ()) for p in write(one, lay_out)]:
            say(str(path))
        return 0
    elif editor == "extractive":
        result = run(shipped(fixture or ()), say=_progress)
    elif editor == "model":
        result = _with_models(shipped(fixture or ()), thinker, config, store)
    else:
        raise BadInput("--editor", f'"{editor}": extractive or model')
    if json:
        print_json(result)
    else:
        _print(result)
    return 0


def _with_models(
    fixtures: list[Fixture], thinker: bool, config: Path | None, store: str | None
) -> dict[str, Any]:
    from kura_pipeline.bench.retention import run
    from kura_runtime.config.model import RolesConfig

    _, chosen = store_config(config, store)
    if not chosen.models.any:
        raise BadInput(
            "--editor",
            f"no model is configured for store {chosen.name}; add [models.thinker] with url and model",
        )
    roles = RolesConfig(
        brain=chosen.models.role("brain"),
        scribe=chosen.models.role("scribe"),
        thinker=chosen.models.thinker if thinker else None,
    )
    keys = ("max_items", "coverage_passes", "scribe_slots")
    distill = {k: getattr(chosen.distill, k) for k in keys}
    return run(fixtures, editor="model", models=roles, distill=distill, say=_progress)


def _print(result: dict[str, Any]) -> None:
    table(
        ("plant", "kind", "point", "how", "marker", "kept in"),
        [(r["id"], r["kind"], "yes" if r["point"] else "no", r["how"], r["marker"], ", ".join(r["kept_in"])) for r in result["table"]],
    )  # fmt: skip
    figures = result["figures"]
    say()
    for name in dict.fromkeys(r["fixture"] for r in result["table"] if "fixture" in r):
        own = name.replace(".", "_")
        say(
            f"{name:<9} {figures[f'{own}_points']}/{figures[f'{own}_of']}  {figures[f'{own}_memories']} memories, of nothing planted "
            f"{figures[f'{own}_memories_of_nothing_planted']}, store_ratio {figures.get(f'{own}_store_ratio', 0)} (estimated)"
        )
    kinds = "  ".join(f"{kind} {got}/{of}" for kind, (got, of) in result["kinds"].items())
    say(f"score {figures['score']} ({figures['points']}/{figures['of']})   {kinds}")


def _progress(line: str) -> None:
    sys.stderr.write(f"kura: {line}\n")
