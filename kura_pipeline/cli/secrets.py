"""`kura secrets scan`: look for secrets in what is already on disk."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, print_json, say, store_config

ProposeOption = Annotated[
    bool, typer.Option("--propose", help="write the repairs as a proposal into the store")
]


def register(app: typer.Typer) -> None:
    """Add the group `kura secrets`."""
    group = typer.Typer(help="Secrets that stand where none should.", no_args_is_help=True)
    group.callback()(_group)
    group.command("scan")(scan_command)
    app.add_typer(group, name="secrets")


def _group() -> None:
    """Secrets that stand where none should."""


def scan_command(
    config: ConfigOption = None,
    store: StoreOption = None,
    propose: ProposeOption = False,
    json: JsonOption = False,
) -> int:
    """Look through a store, its drafts and its Parquet files. Ends with 1 where a secret stands, 0 where none does."""
    from upath import UPath

    from kura_pipeline.runs import open_store
    from kura_pipeline.secrets_scan import proposal, scan
    from kura_runtime.store.tending import propose

    loaded, cfg = store_config(config, store)
    folder = UPath(loaded.storage_root) / cfg.name
    tables = sorted(folder.rglob("*.parquet"), key=str) if folder.exists() else []
    report = scan(cfg.path, parquet=tables)
    written = ""
    if propose and (found := proposal(report, datetime.now(UTC).isoformat(timespec="seconds"))):
        written = str(propose(open_store(cfg), *found, by="secrets"))
    if json:
        print_json({**report.to_json(), "proposal": written})
    else:
        for one in report.findings:
            note = " (content-addressed: replace it, do not edit it)" if one.fixed else ""
            say(f"{one.file}: {one.place}: {one.kind}: {one.repair}{note}")
        for name, reason in report.left_out:
            say(f"left out: {name}: {reason}")
        kinds = ", ".join(f"{kind} {n}" for kind, n in report.kinds.items())
        say(f"{len(report.findings)} secrets in {report.files} files" + (f": {kinds}" if kinds else ""))
        if written:
            say(f"proposal: {written}")
    return 1 if report.findings else 0
