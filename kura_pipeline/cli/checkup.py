"""Has `kura doctor` look at what the pipeline keeps beside a store. Adds no command of its own."""

from __future__ import annotations

import typer

from kura_runtime.cli import checkups
from kura_runtime.config.model import Config, StoreConfig


def register(app: typer.Typer) -> None:  # noqa: ARG001 - the same door for every room
    """Name the examiner; what it needs is imported when the doctor comes."""
    checkups.add("pipeline", _examine)


def _examine(config: Config, cfg: StoreConfig) -> checkups.Checkup:
    from kura_pipeline.checkup import examine

    return examine(config, cfg)
