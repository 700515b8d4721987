"""run, tick, catchup: the pipeline from the command line, without a daemon."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, chosen_stores, print_json, say
from kura_runtime.config.load import load
from kura_runtime.errors import BadInput


def register(app: typer.Typer) -> None:
    """Add the commands that work on journals."""
    for command in (run, tick, catchup):
        app.command()(command)


def run(
    until: Annotated[
        str, typer.Option(help="stop after this step: evidence, candidates, gated, drafts, memories")
    ] = "",
    refresh: Annotated[
        str, typer.Option(metavar="BATCH", help="distil this batch again and ask the models anew")
    ] = "",
    retry_parked: Annotated[
        bool, typer.Option("--retry-parked", help="try batches again that failed three times")
    ] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Distil everything unread now, quiet or not, through the same Dagster job that the daemon runs."""
    from kura_pipeline.runs import run_pass

    if until and until not in (
        steps := ("evidence", "candidates", "gated", "drafts", "memories", "woven", "snapshot")
    ):
        raise BadInput("--until", f'"{until}": no such step; one of {", ".join(steps)}')
    loaded = load(config)
    reports = [
        run_pass(loaded, cfg, until=until, refresh=refresh, retry_parked=retry_parked, say=_progress)
        for cfg in chosen_stores(loaded, store)
    ]
    if json:
        print_json([r.to_json() for r in reports])
    for report in reports:
        if not json:
            say(_summary(report))
    return _worst([r.code for r in reports])


def tick(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Do what is due now and nothing else: for cron or a hook, where no daemon runs."""
    from kura_pipeline.tick import tick_store

    loaded = load(config)
    results = [
        tick_store(loaded, cfg, now=datetime.now(UTC), say=_progress)
        for cfg in chosen_stores(loaded, store)
        if cfg.tend.enabled
    ]
    if json:
        print_json([r.to_json() for r in results])
    else:
        for result in results:
            say(f"{result.store}: {result.skipped}" if result.skipped else _summary(result.report))
    return _worst([r.code for r in results])


def catchup(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Mark every journal as read up to now. It moves forward only, and distils nothing."""
    from contextlib import closing

    from kura_pipeline.distil.batch import catch_up
    from kura_pipeline.runs import one_at_a_time, open_or_create
    from kura_runtime.ledger.ledger import Ledger

    loaded = load(config)
    results = []
    for cfg in chosen_stores(loaded, store):
        open_or_create(cfg)
        with one_at_a_time(loaded, cfg), closing(Ledger.open(loaded.ledger_url)) as ledger:
            results.append((cfg.name, catch_up(cfg, ledger, now=datetime.now(UTC))))
    if json:
        print_json([{"store": name, **r.to_json()} for name, r in results])
    else:
        for name, r in results:
            say(f"{name}: {r.journals} journals marked as read, {r.skipped} records passed over")
            for line in r.failures:
                sys.stderr.write(f"kura: not read: {line}\n")
    if any(r.failures for _, r in results):
        return 1
    return 0 if any(r.skipped for _, r in results) else 2


def _summary(report: object) -> str:
    from kura_pipeline.runs import PassReport

    assert isinstance(report, PassReport)
    if report.code == 2:
        return f"{report.store}: nothing to do"
    f = report.figures
    parts = [
        f"{len(report.batches)} batches",
        f"{f['poured']} poured",
        f"{f['extended']} extended",
        f"{f['tossed']} tossed",
        f"{f['skipped']} skipped",
    ]
    dropped = sum(n for name, n in f.items() if name == "dropped")
    parts.append(f"{dropped} dropped by gate and floor")
    if report.archived.kept:
        parts.append(f"{report.archived.kept} journals archived")
    for name, lines in (("failed", report.failed), ("parked", report.parked), ("not read", report.unread)):
        if lines:
            parts.append(f"{len(lines)} {name}")
    return f"{report.store}: " + ", ".join(parts)


def _progress(line: str) -> None:
    sys.stderr.write(f"kura: {line}\n")


def _worst(codes: list[int]) -> int:
    """1 beats 0 beats 2: any failure is one, any work is work."""
    return 1 if 1 in codes else 0 if 0 in codes else 2
