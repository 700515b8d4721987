"""`kura bench compress`: how large a store is beside what it was distilled from."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    print_json,
    say,
    store_config,
    table,
)

if TYPE_CHECKING:
    from kura_pipeline.bench.compress import Source
    from kura_runtime.config.model import Config, StoreConfig


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(compress)


def compress(
    tokenizer_command: Annotated[
        str,
        typer.Option(
            "--tokenizer-command",
            metavar="CMD",
            help="exact counts: gets each text on stdin, prints the number of its tokens",
        ),
    ] = "",
    timeout: Annotated[
        float, typer.Option("--tokenizer-timeout", min=0.1, help="seconds the command may take for one text")
    ] = 60.0,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Tokens of the memories over tokens of the evidence read for them, and of the map over the memories."""
    from kura_pipeline.bench.compress import run
    from kura_pipeline.bench.tokens import tokenizer
    from kura_runtime.resident.weave import read_cloth, weave
    from kura_runtime.store.store import Store

    loaded, chosen = store_config(config, store)
    counter = tokenizer(tokenizer_command, timeout=timeout)
    opened = Store.open(chosen.path, name=chosen.name, policy=chosen.write_policy)
    cloth = read_cloth(opened, chosen.prefill) or weave(opened, chosen.prefill, write=False)
    result = run(opened, _sources(loaded, chosen), cloth.text, tokenizer=counter)
    if json:
        print_json(result)
        return 0 if result["table"] else 2
    columns = ("batch", "raw_tokens", "counted", "memories", "memory_tokens", "index_tokens")
    table(columns, [[row[c] for c in columns] for row in result["table"]])
    say()
    table((f"figure ({result['counted']})", "value"), result["figures"].items())
    for reason, slugs in result["unattributed"].items():
        say(f"unattributed, {reason}: {', '.join(slugs)}")
    return 0 if result["table"] else 2


def _sources(loaded: Config, chosen: StoreConfig) -> dict[str, Source]:
    from kura_pipeline.bench.compress import Source
    from kura_pipeline.storage import kept_evidence
    from kura_runtime.ledger.ledger import Ledger

    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        noted = ledger.batches.of_step(chosen.name, "evidence")
        return {
            c.batch_id: Source(
                partial(kept_evidence, loaded.storage_root, chosen.name, c.batch_id),
                noted.get(c.batch_id, {}),
            )
            for c in ledger.claims.of_store(chosen.name, ("done",))
        }
