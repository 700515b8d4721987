"""`kura journals`: every file found in the journal roots, what it holds, and how much of it was read; and one session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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


def register(app: typer.Typer) -> None:
    """Add `kura journals`: the table, where no subcommand is named."""
    group = typer.Typer()
    group.callback(invoke_without_command=True)(journals)
    group.command("show")(show)
    app.add_typer(group, name="journals")


def journals(
    context: typer.Context, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> int:
    """List every journal file with its adapter, events by class, unread text and errors, and say the coverage."""
    if context.invoked_subcommand is not None:
        context.obj = (
            config,
            store,
            json,
        )  # `kura journals -s NAME show …` means the same as `… show -s NAME`
        return 0
    return _listed(config, store, json)


def show(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="the session's name, or how it begins")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Print a session as it was said: time, class and words of every event, secrets taken out."""
    from contextlib import closing

    from kura_pipeline.distil.transcript import transcript
    from kura_runtime.ledger.ledger import Ledger
    from kura_runtime.text.normalise import unhidden

    before = context.obj or (None, None, False)
    loaded, cfg = store_config(config or before[0], store or before[1])
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        found = transcript(cfg, ledger, session)
    if json or before[2]:
        print_json(found.to_json())
        return 1 if found.failures else 0
    say(f"session {found.session}")
    for name in found.files:
        say(f"  {name}")
    for event in found.events:
        notes = [
            event.tool or "",
            "rewound" if event.dead else "",
            f"{event.cut} characters cut" if event.cut else "",
        ]
        say()
        said = " · ".join(["", *(n for n in notes if n)])
        say(unhidden(f"{event.ts or 'no time'}  {event.cls.value}{said}"))
        for line in unhidden(event.text).splitlines():
            say(f"    {line}")
    say()
    left = ", ".join(f"{reason} {n}" for reason, n in found.left_out.items())
    say(f"{len(found.events)} events" + (f"; left out of the files: {left}" if left else ""))
    if found.repeated:
        say(f"{found.repeated} records stand in them more than once, and are shown once")
    for line in found.failures:
        say(f"not read: {line}")
    return 1 if found.failures else 0


def _listed(config: Path | None, store: str | None, json: bool) -> int:
    from contextlib import closing

    from kura_pipeline.distil.coverage import survey
    from kura_runtime.ledger.ledger import Ledger

    loaded, cfg = store_config(config, store)
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        found = survey(cfg, ledger)
    if json:
        print_json(found.to_json())
    else:
        columns = ("status", "adapter", "USER", "TOOL", "ACT", "SELF", "unread", "path", "error")
        rows = []
        for row in (r.to_json() for r in found.files):
            events = row["events"] or {}
            rows.append(
                [
                    row["status"],
                    row["adapter"] or "",
                    *(events.get(c, 0) for c in ("USER", "TOOL", "ACT", "SELF")),
                    row["unread"],
                    row["path"],
                    row["error"] or "",
                ]
            )
        table(columns, rows)
        say(f"\ncoverage: {found.distilled} of {found.sessions} sessions distilled, {found.failed} failed")
        for line in found.failures:
            say(f"  {line}")
    if found.failures:
        return 1
    return 0 if found.files else 2
