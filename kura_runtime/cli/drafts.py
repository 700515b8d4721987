"""drafts, seeds, quarantine: what waits outside the store, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, handle, print_json, say, table


def register(app: typer.Typer) -> None:
    """Add the commands that list what waits."""
    for command in (drafts, seeds, quarantine):
        app.command()(command)


def drafts(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """List the drafts that wait for the judge."""
    waiting = [
        {"slug": d.draft.surface.slug, "title": d.draft.surface.title, "batch": d.draft.batch_id, "editor": d.draft.editor,
         "quotes": len(d.draft.quotes), "extends": d.draft.extends, "file": str(d.path)}
        for d in handle(config, store).files.drafts()
    ]  # fmt: skip
    return _show("draft", waiting, ("slug", "title", "quotes", "batch", "file"), json)


def seeds(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """List the ideas that wait for evidence, and those that a memory has confirmed since; they are not memories."""
    columns = ("topic", "why", "state", "memory", "batch")
    return _show("seed", list(handle(config, store).files.seeds()), columns, json)


def quarantine(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """List drafts whose mark is invalid. They are kept, never judged."""
    return _show(
        "quarantined draft", list(handle(config, store).files.quarantined()), ("file", "reason"), json
    )


def _show(what: str, rows: Sequence[Mapping[str, object]], columns: tuple[str, ...], json: bool) -> int:
    if json:
        print_json(rows)
    elif rows:
        table(columns, [[row.get(c, "") for c in columns] for row in rows])
    else:
        say(f"no {what} waits")
    return 0 if rows else 2
