"""Other names for commands, as older notes, scripts and unit files spell them: `kura distill …`, `kura tend`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kura_pipeline.cli import drain, run
from kura_runtime.cli import drafts
from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, say, store_config

OnceOption = Annotated[bool, typer.Option("--once", help="one tick, then end with its code: as `kura tick`")]


def register(app: typer.Typer) -> None:
    """Add `kura tend` and the group `kura distill`."""
    app.command()(tend)
    group = typer.Typer(help="Other names: `kura distill run` is `kura run`.", no_args_is_help=True)
    group.command()(run.run)
    group.command()(drafts.drafts)
    group.command()(drain.drain)
    group.command()(run.catchup)
    group.command()(night)
    app.add_typer(group, name="distill")


def tend(
    once: OnceOption = False, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> int:
    """Stay and tend one store: distil whenever its journals are quiet. SIGTERM or Ctrl-C ends it after the batch at hand."""
    if once:
        return run.tick(config, store, json)
    from kura_pipeline.tending import tend as stay
    from kura_pipeline.tending import until_stopped

    loaded, cfg = store_config(config, store)
    with until_stopped() as rest:
        worked = stay(
            loaded, cfg, rest=rest, say=lambda line: _note(f"kura: {line}"), done=lambda r: _note(run.said(r))
        )
    say(f"{cfg.name}: stopped; {worked} ticks did work")
    return 0 if worked else 2


def night(config: ConfigOption = None, store: StoreOption = None) -> int:
    """The same as `kura tend`: stay, and distil whenever it is quiet."""
    return tend(False, config, store, False)


def _note(line: str) -> None:
    sys.stderr.write(line + "\n")
