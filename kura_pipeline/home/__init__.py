"""`.kura/` beside kura.toml: Dagster's home, the ledger and the steps' files of one project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from kura_runtime.config.load import CONFIG_ENV

if TYPE_CHECKING:
    from dagster import DagsterInstance

    from kura_runtime.config.model import Config

SHIPPED = ("dagster.yaml", "workspace.yaml")


def dagster_home(config: Config) -> Path:
    """The project's own DAGSTER_HOME."""
    return config.home / "dagster"


def prepare(config: Config) -> Path:
    """Make the folders, write the shipped dagster.yaml and workspace.yaml where they are missing, and set the two
    environment variables that Dagster and the code location read. Returns DAGSTER_HOME."""
    home = dagster_home(config)
    home.mkdir(parents=True, exist_ok=True)
    for name in SHIPPED:
        target = home / name
        if not target.exists():
            fresh = target.with_name(f"{name}.{os.getpid()}")
            fresh.write_text(files(__package__).joinpath(name).read_text(encoding="utf-8"), encoding="utf-8")
            fresh.replace(target)
    os.environ["DAGSTER_HOME"] = str(home)
    os.environ[CONFIG_ENV] = str(config.file)
    return home


@contextmanager
def instance(config: Config) -> Iterator[DagsterInstance]:
    """The project's Dagster instance, its database made by one process at a time.

    Two processes that open a brand-new SQLite home at once break its migrations, hence the lock.
    """
    import dagster
    from filelock import FileLock

    home = prepare(config)
    with FileLock(home / "open.lock"):
        opened = dagster.DagsterInstance.get()
        opened.get_runs_count()  # touches the database: the tables are there when the lock is released
    with opened:
        yield opened
