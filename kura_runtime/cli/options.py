"""Options that every command takes, and how a command finds its store and prints what it found."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kura_runtime.config.load import load, select
from kura_runtime.errors import UnknownStore

if TYPE_CHECKING:
    from kura_runtime.api import StoreHandle
    from kura_runtime.config.model import Config, StoreConfig

ConfigOption = Annotated[
    Path | None, typer.Option("-c", "--config", help="kura.toml to use (default: $KURA_CONFIG, ./kura.toml)")
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "-s", "--store", envvar="KURA_STORE", help="store or mode; may be left out where only one exists"
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="print one JSON document on stdout")]


def store_config(config: Path | None, store: str | None) -> tuple[Config, StoreConfig]:
    """The configuration and the one store the command is about. Raises ConfigError or UnknownStore."""
    loaded = load(config)
    return loaded, select(loaded, store)


def handle(config: Path | None, store: str | None) -> StoreHandle:
    """The store to read from or write to, opened through the public API."""
    from kura_runtime.api import Kura

    loaded, chosen = store_config(config, store)
    return Kura(loaded).store(chosen.name)


def chosen_stores(config: Config, store: str | None) -> list[StoreConfig]:
    """The named store, or all of them where none is named; none where the file names none."""
    return list(config.stores.values()) if store is None else [select(config, store)]


def no_store(config: Config, json: bool) -> int:
    """Say that the file names no store yet, which is honestly nothing to do; returns the exit code."""
    if json:
        print_json([])
    sys.stderr.write(f"kura: {UnknownStore('', [], config.file)}\n")
    return 2


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


def say(text: str = "") -> None:
    """One line for a person on stdout."""
    sys.stdout.write(text + "\n")


def table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A plain table on stdout; it keeps whole words when it is piped."""
    from rich.console import Console
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, show_edge=False)
    for heading in headings:
        grid.add_column(heading, overflow="fold")
    for row in rows:
        grid.add_row(*(str(cell) for cell in row))
    Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 160).print(grid)
