"""`kura journals`: every file found in the journal roots, what it holds, and how much of it was read."""

from __future__ import annotations

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
    """Add `kura journals`."""
    app.command()(journals)


def journals(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """List every journal file with its adapter, events by class, unread text and errors, and say the coverage."""
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
