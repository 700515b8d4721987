"""`kura cost`: what the models of a store have cost."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from kura_pipeline.cli.since import SinceOption, moment
from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    print_json,
    say,
    store_config,
    table,
)
from kura_runtime.errors import BadInput


def register(app: typer.Typer) -> None:
    """Add `kura cost`."""
    app.command()(cost)


def cost(
    by: Annotated[
        str, typer.Option("--by", help="one line for each run, batch, memory, role, prompt, day or model")
    ] = "role",
    since: SinceOption = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Count calls, replays, tokens and money, and what a poured memory costs. Replayed answers are free."""
    from kura_pipeline.costs import GROUPS, costs_of
    from kura_runtime.ledger.ledger import Ledger

    if by not in GROUPS:
        raise BadInput("--by", f'"{by}": one of {", ".join(GROUPS)}')
    loaded, cfg = store_config(config, store)
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        found = costs_of(ledger, cfg, loaded.storage_root, by=by, since=moment(since, cfg.timezone))
    if json:
        print_json({"store": cfg.name, **found.to_json()})
    elif found.groups:
        columns = (
            "calls",
            "failed",
            "replayed",
            "tokens_in",
            "tokens_cached",
            "tokens_out",
            "seconds",
            "money",
        )
        lines = [*((name, c.to_json()) for name, c in found.groups.items()), ("total", found.total.to_json())]
        table((by, *columns), [(name, *(values[c] for c in columns)) for name, values in lines])
        each = found.per_poured()
        say(
            f"{found.poured} memories poured: "
            + ", ".join(f"{n} {v:g}" for n, v in each.items())
            + " for each"
            if each
            else "no memory was poured"
        )
        if found.total.estimated:
            say(
                f"{found.total.estimated:g} calls are counted by estimate: their endpoint stated no usage, or nobody waited for the answer"
            )
    else:
        say("nothing was asked of a model")
    return 0 if found.groups else 2
