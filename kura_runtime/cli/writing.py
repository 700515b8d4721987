"""remember, annotate, retire, import: the direct doors. The store's policy has the last word."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, handle, print_json, say
from kura_runtime.errors import BadInput

Tags = Annotated[list[str] | None, typer.Option("--tag", help="a tag; may be given several times")]


def register(app: typer.Typer) -> None:
    """Add the writing commands."""
    for command in (remember, annotate, retire):
        app.command()(command)
    app.command("import")(import_file)


def remember(
    slug: Annotated[str, typer.Argument(help="slug of the new memory")],
    trigger: Annotated[str, typer.Argument(help="its recognition line, at most 200 characters")],
    body: Annotated[str, typer.Argument(help='its text; "-" reads standard input')] = "",
    title: Annotated[str, typer.Option(help="title; default: the trigger's beginning")] = "",
    type: Annotated[str, typer.Option("--type", help="user, feedback, project or reference")] = "project",  # noqa: A002
    tag: Tags = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Write one memory directly. It still passes the write gate, and `kura why` says that it came this way."""
    text = _from_stdin() if body == "-" else body
    result = handle(config, store).remember(
        slug, trigger, text, title=title, type=type, tags=tuple(tag or ()), door="cli"
    )
    return _show(result, json)


def annotate(
    slug: Annotated[str, typer.Argument(help="slug of the memory")],
    tag: Tags = None,
    belongs_because: Annotated[str, typer.Option(help="why it belongs in this store")] = "",
    keep: Annotated[str, typer.Option(help="what must survive any later thinning")] = "",
    may_fade: Annotated[str, typer.Option(help="what need not")] = "",
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Merge tags and the three curation sentences into a memory. Adding nothing touches nothing."""
    result = handle(config, store).annotate(
        slug, tags=tuple(tag or ()), belongs_because=belongs_because, keep=keep, may_fade=may_fade, door="cli"
    )
    return _show(result, json)


def retire(
    old: Annotated[str, typer.Argument(help="slug of the memory that no longer holds")],
    new: Annotated[str, typer.Argument(help="slug of the memory that replaces it")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Mark a memory as replaced. It stays, and its own line says where to look now."""
    return _show(handle(config, store).retire(old, new, door="cli"), json)


def import_file(
    file: Annotated[Path, typer.Argument(help="JSON Lines, one memory a line")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Take memories over from a file, word for word, into an empty store: all of them, or none."""
    imported = handle(config, store).files.import_jsonl(file, who="operator")
    if json:
        print_json(imported.to_json())
    else:
        say(f"imported {imported.count} memories, {len(imported.retired)} of them replaced by another")
        for new, old in imported.dangling:
            say(f"note: {new} says that it supersedes {old}, which is not in the file")
    return 0 if imported.count else 2


def _from_stdin() -> str:
    """The text on standard input, UTF-8 in every locale. Raises BadInput where it is closed or holds other bytes."""
    if sys.stdin is None:
        raise BadInput("BODY", '"-" reads standard input, which is closed; give the text itself')
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            "BODY",
            f"standard input is not UTF-8 at byte {error.start}; convert it, such as with iconv -t UTF-8",
        ) from None


def _show(result: dict[str, object], json: bool) -> int:
    if json:
        print_json(result)
    else:
        say(
            f"{result.get('action')}: {result.get('slug')}"
            + (f" ({result['note']})" if result.get("note") else "")
        )
    return 2 if result.get("action") in ("covered", "unchanged") else 0
