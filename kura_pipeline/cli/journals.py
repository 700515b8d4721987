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

_SHORT = 14  # characters of a session's name in the table


def register(app: typer.Typer) -> None:
    """Add `kura journals`: the table, where no subcommand is named."""
    group = typer.Typer()
    group.callback(invoke_without_command=True)(journals)
    group.command("show")(show)
    app.add_typer(group, name="journals")


def journals(
    context: typer.Context, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> int:
    """List every journal file: adapter, session, events by class, unread text, when it was read last, errors; and coverage."""
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
        classes = ("USER", "TOOL", "ACT", "SELF")
        columns = ("status", "adapter", "session", *classes, "unread", "last read", "path", "why")
        rows = [
            [
                row.status,
                row.adapter or "",
                _sessions(row.sessions or ((row.session,) if row.session else ())),
                *(row.events.get(c, 0) for c in classes),
                row.unread,
                row.last_read[:16].replace("T", " "),
                row.path,
                row.error or row.reason,
            ]
            for row in found.files
        ]
        table(columns, rows)
        say(f"\ncoverage: {found.coverage}")
        for line in found.failures:
            say(f"  {line}")
        if found.lost:
            say(f"{found.lost} stretches were rewritten before they were kept; their journals were read anew")
        if found.older[0]:
            say(
                f"{found.older[0]} journals with {found.older[1]} unread characters are older than window_days = "
                f"{cfg.distill.window_days:g}: the nightly run leaves them, `kura run` reads them, `kura catchup` passes over them"
            )
    if found.failures:
        return 1
    return 0 if found.files else 2


def _sessions(names: tuple[str, ...]) -> str:
    """The first session, short enough for a column (`kura journals show` takes a beginning), and how many more."""
    if not names:
        return ""
    first = names[0] if len(names[0]) <= _SHORT else names[0][: _SHORT - 1] + "…"
    return first + (f" +{len(names) - 1}" if len(names) > 1 else "")
