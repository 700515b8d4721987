"""`kura secrets scan`: look for secrets in what is already on disk."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, print_json, say, store_config

ProposeOption = Annotated[
    bool, typer.Option("--propose", help="write the repairs as a proposal into the store")
]

ArchiveOption = Annotated[
    bool, typer.Option("--archive", help="also count what the archived copies of journals hold")
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
    archive: ArchiveOption = False,
    json: JsonOption = False,
) -> int:
    """Look through a store, its drafts, its Parquet files and its search index. Ends with 1 where a secret stands, 0 where none
    does. The archive holds journals as they are: what stands there is counted, and is no finding."""
    from upath import UPath

    from kura_pipeline.runs import open_store
    from kura_pipeline.secrets_scan import in_copies, in_index, proposal, scan
    from kura_runtime.store.tending import propose as lay_before

    loaded, cfg = store_config(config, store)
    folder = UPath(loaded.storage_root) / cfg.name
    tables = sorted(folder.rglob("*.parquet"), key=str) if folder.exists() else []
    report = in_index(cfg.path, scan(cfg.path, parquet=tables))
    copies = sorted((loaded.home / "archive").glob("*.zst"))
    kept = in_copies(copies) if archive else None
    written = ""
    if propose and (found := proposal(report, datetime.now(UTC).isoformat(timespec="seconds"))):
        written = str(lay_before(open_store(cfg), *found, by="secrets"))
    if json:
        print_json(
            {
                **report.to_json(),
                "proposal": written,
                "archive": {"copies": len(copies), "looked_through": archive, "kinds": kept or {}},
            }
        )
    else:
        for one in report.findings:
            note = " (content-addressed: replace it, do not edit it)" if one.fixed else ""
            say(f"{one.file}: {one.place}: {one.kind}: {one.repair}{note}")
        for name, reason in report.left_out:
            say(f"left out: {name}: {reason}")
        kinds = ", ".join(f"{kind} {n}" for kind, n in report.kinds.items())
        say(f"{len(report.findings)} secrets in {report.files} files" + (f": {kinds}" if kinds else ""))
        if kept is not None:
            held = ", ".join(f"{kind} {n}" for kind, n in kept.items()) or "none"
            say(
                f"archive: {len(copies)} copies of journals as they are, readable by their owner alone; secrets in them: {held}"
            )
        elif copies:
            say(
                f"archive: {len(copies)} copies of journals as they are were not looked through (--archive counts what they hold)"
            )
        if written:
            say(f"proposal: {written}")
    return 1 if report.findings else 0
