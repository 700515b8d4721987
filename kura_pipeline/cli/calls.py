"""`kura calls`: every recorded model call; one of them whole; all of them as a data set."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from kura_pipeline.called import Called

RoleOption = Annotated[
    str, typer.Option("--role", help="only this role (brain, scribe) or prompt (spot, judge …)")
]


def register(app: typer.Typer) -> None:
    """Add `kura calls`: the table, where no subcommand is named."""
    group = typer.Typer()
    group.callback(invoke_without_command=True)(calls)
    group.command("export")(export)
    app.add_typer(group, name="calls")


def calls(
    context: typer.Context,
    run: Annotated[str, typer.Option("--run", metavar="ID", help="only calls of this run")] = "",
    batch: Annotated[str, typer.Option("--batch", metavar="ID", help="only calls of this batch")] = "",
    memory: Annotated[
        str, typer.Option("--memory", metavar="SLUG", help="only calls that this memory came from")
    ] = "",
    role: RoleOption = "",
    since: SinceOption = "",
    show: Annotated[
        str,
        typer.Option(
            "--show", metavar="KEY", help="print this call whole; the beginning of its key is enough"
        ),
    ] = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """List the recorded model calls of a store, failed ones too; --show prints what was asked, answered and thought."""
    if context.invoked_subcommand is not None:
        context.obj = (config, store)
        return 0
    from kura_pipeline.called import calls_of
    from kura_runtime.ledger.ledger import Ledger

    loaded, cfg = store_config(config, store)
    keys = _behind(loaded, cfg.name, memory) if memory else None
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        at = moment(since, cfg.timezone)
        found = list(calls_of(ledger, cfg.name, run=run, batch=batch, keys=keys, role=role, since=at))
    if show:
        return _show([c for c in found if c.call.key.startswith(show)], show, json)
    if json:
        print_json([c.row() for c in found])
    elif not found:
        say("no call is recorded" + (" that fits" if run or batch or memory or role or since else ""))
    else:
        rows = [
            (r["key"][:12], r["at"], r["prompt"] or r["role"], r["tokens_in"], r["tokens_out"], r["seconds"], r["replayed"],
             r["failure"] or r["finish"], ", ".join(r["batches"]))
            for r in (c.row() for c in found)
        ]  # fmt: skip
        table(("key", "at", "prompt", "in", "out", "s", "replayed", "end", "batch"), rows)
    return 0 if found else 2


def export(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl", help="where to write; replaced when complete")
    ],
    role: RoleOption = "",
    since: SinceOption = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Write the recorded calls as a data set: one call a line, with what became of its answer."""
    from kura_pipeline.called_export import export_calls
    from kura_runtime.ledger.ledger import Ledger

    before = context.obj or (None, None)
    loaded, cfg = store_config(config or before[0], store or before[1])
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        at = moment(since, cfg.timezone)
        written = export_calls(ledger, cfg.name, loaded.storage_root, file, role=role, since=at)
    if json:
        print_json({"file": str(file), "calls": written})
    else:
        say(f"{file}: {written} calls")
    return 0 if written else 2


def _behind(loaded: Any, store: str, slug: str) -> set[str]:
    """Keys of the calls that the memory's manifests name."""
    from kura_runtime.api import Kura

    return set(Kura(loaded).store(store).why(slug)["calls"])


def _show(found: list[Called], key: str, json: bool) -> int:
    if len({c.call.key for c in found}) > 1:
        raise BadInput("--show", f'"{key}" begins {len({c.call.key for c in found})} keys; write more of it')
    if json:
        print_json([c.whole() for c in found])
    for called in [] if json else found:
        row = called.row()
        say(f"call {row['number']} {row['key']}")
        for name in (
            "at",
            "role",
            "prompt",
            "model",
            "tokens_in",
            "tokens_out",
            "tokens_cached",
            "seconds",
            "finish",
            "failure",
            "replayed",
        ):
            if row[name] not in ("", 0):
                say(f"  {name}: {row[name]}")
        for message in called.call.messages:
            say(f"\n--- {message['role']}\n{message['content']}")
        if called.call.reasoning:
            say(f"\n--- reasoning\n{called.call.reasoning}")
        say(f"\n--- answer\n{called.call.answer or '(none)'}\n")
    if not found:
        sys.stderr.write(
            f'kura: no recorded call has a key that begins with "{key}"; `kura calls` lists them\n'
        )
    return 0 if found else 2
