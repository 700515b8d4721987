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
    group.command("reindex")(reindex)
    group.command("restore")(restore)
    group.command("prune")(prune)
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
        found = transcript(cfg, ledger, session, config=loaded)
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


def reindex(
    context: typer.Context, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> int:
    """Build the search index anew from the journals, the archive and the kept evidence, whatever state it is in."""
    from contextlib import closing

    from kura_pipeline.distil.reindex import reindex as build
    from kura_pipeline.runs import one_at_a_time
    from kura_runtime.ledger.ledger import Ledger

    before = context.obj or (None, None, False)
    loaded, cfg = store_config(config or before[0], store or before[1])
    with one_at_a_time(loaded, cfg), closing(Ledger.open(loaded.ledger_url)) as ledger:
        made = build(loaded, cfg, ledger)
    if json or before[2]:
        print_json(
            {"events": made.events, "from_journals": made.journals, "from_archive": made.archive, "from_evidence": made.evidence,
             "failures": list(made.failures)}
        )  # fmt: skip
    else:
        say(
            f"{made.events} events indexed: {made.journals} from journals, {made.archive} from archived copies of deleted ones, "
            f"{made.evidence} from kept evidence"
        )
        for line in made.failures:
            say(f"not read: {line}")
    return 1 if made.failures else 0 if made.events else 2


def restore(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="the session's name, or how it begins")],
    to: Annotated[Path, typer.Option("--to", help="the folder to write its journals into")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Write the journals of a session out of the archive, byte for byte, with whatever secrets stand in them."""
    from contextlib import closing

    from kura_pipeline.distil.copies import restore as write
    from kura_runtime.ledger.ledger import Ledger

    before = context.obj or (None, None, False)
    loaded, cfg = store_config(config or before[0], store or before[1])
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        written = write(loaded, cfg, ledger, session, to)
    if json or before[2]:
        print_json(
            [{"journal": c.path, "file": str(f), "bytes": c.size, "sha256": c.sha256} for c, f in written]
        )
    else:
        for copy, file in written:
            say(f"{file}  {copy.size} bytes, as {copy.path} was")
    return 0


def prune(
    context: typer.Context,
    older_than: Annotated[
        float, typer.Option("--older-than", min=0, help="days since the journal was last written")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only count")] = False,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> int:
    """Take archived copies of old journals away. They are the project's, for all of its stores."""
    from datetime import UTC, datetime, timedelta

    from kura_pipeline.distil.copies import prune as take
    from kura_runtime.config.load import load

    before = context.obj or (None, None, False)
    loaded = load(config or before[0])
    gone = take(loaded, before=datetime.now(UTC) - timedelta(days=older_than), dry=dry_run)
    if json or before[2]:
        print_json({**gone.to_json(), "dry_run": dry_run})
    else:
        would = "would be taken away" if dry_run else "taken away"
        say(
            f"{gone.removed} copies ({gone.bytes} bytes) {would}, {gone.only} of them the only copy of a journal that is gone; "
            f"{gone.kept} kept"
        )
    return 0 if gone.removed else 2


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
        for glob in found.idle_globs:
            say(f'[distill] exclude = "{glob}" means no file here')
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
