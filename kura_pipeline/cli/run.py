"""run, tick, catchup: the pipeline from the command line, without a daemon."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer

from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    chosen_stores,
    no_store,
    print_json,
    say,
)
from kura_runtime.config.load import load
from kura_runtime.errors import BadInput, KuraError

if TYPE_CHECKING:
    from kura_pipeline.distil.batch import CatchUp
    from kura_pipeline.runs import PassReport
    from kura_pipeline.tick import TickResult
    from kura_runtime.config.model import StoreConfig


class _Result(Protocol):
    @property
    def code(self) -> int: ...

    def to_json(self) -> dict[str, Any]: ...


R = TypeVar("R", bound=_Result)


@dataclass(frozen=True)
class _CaughtUp:
    """What a catch-up did to one store."""

    store: str
    found: CatchUp

    @property
    def code(self) -> int:
        return 1 if self.found.failures else 0 if self.found.skipped else 2

    def to_json(self) -> dict[str, Any]:
        return {"store": self.store, **self.found.to_json()}


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
    since: Annotated[
        str,
        typer.Option(metavar="DATE", help="leave journals unread that were last written before this date"),
    ] = "",
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
    start = _day(since) if since else None
    loaded = load(config)
    stores = chosen_stores(loaded, store)
    if not stores:
        return no_store(loaded, json)
    done = _each(
        stores,
        lambda cfg: run_pass(
            loaded, cfg, until=until, refresh=refresh, retry_parked=retry_parked, say=_progress, since=start
        ),
    )
    if json:
        print_json([r if isinstance(r, dict) else r.to_json() for r, _ in done])
    for report, _ in done:
        if not json and not isinstance(report, dict):
            say(_summary(report))
    return _worst([code for _, code in done])


def _day(text: str) -> datetime:
    """A date or a time; without a zone it is the machine's own."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise BadInput(
            "--since", f'"{text}" is no date; write 2025-03-01 or 2025-03-01T10:00:00+09:00'
        ) from None


def tick(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Do what is due now and nothing else: for cron or a hook, where no daemon runs."""
    from kura_pipeline.tick import tick_store

    loaded = load(config)
    stores = chosen_stores(loaded, store)
    if not stores:
        return no_store(loaded, json)
    now = datetime.now(UTC)
    done = _each(
        [cfg for cfg in stores if cfg.tend.enabled],
        lambda cfg: tick_store(loaded, cfg, now=now, say=_progress),
    )
    if json:
        print_json([r if isinstance(r, dict) else r.to_json() for r, _ in done])
    for result, _ in done:
        if not json and not isinstance(result, dict):
            say(said(result))
    if not done:
        _progress("no store is to be tended: [tend] enabled = false")
    return _worst([code for _, code in done])


def catchup(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Mark every journal as read up to now. It moves forward only, and distils nothing."""
    from contextlib import closing

    from kura_pipeline.distil.batch import catch_up
    from kura_pipeline.runs import one_at_a_time, open_store
    from kura_runtime.ledger.ledger import Ledger

    loaded = load(config)
    stores = chosen_stores(loaded, store)
    if not stores:
        return no_store(loaded, json)

    def pass_over(cfg: StoreConfig) -> _CaughtUp:
        open_store(cfg)
        with one_at_a_time(loaded, cfg), closing(Ledger.open(loaded.ledger_url)) as ledger:
            return _CaughtUp(cfg.name, catch_up(cfg, ledger, now=datetime.now(UTC)))

    done = _each(stores, pass_over)
    if json:
        print_json([r if isinstance(r, dict) else r.to_json() for r, _ in done])
    for result, _ in done:
        if not json and not isinstance(result, dict):
            r = result.found
            say(f"{result.store}: {r.journals} journals marked as read, {r.skipped} records passed over")
            for line in r.failures:
                _progress(f"not read: {line}")
    return _worst([code for _, code in done])


def said(result: TickResult) -> str:
    """A tick in one line."""
    return f"{result.store}: {result.skipped}" if result.skipped else _summary(result.report)


def _summary(report: PassReport) -> str:
    if report.code == 2:
        waiting = "".join(f"\n  still unread: {line}" for line in report.waiting)
        return f"{report.store}: " + (
            f"stopped: {report.stopped}" if report.stopped else f"nothing to do{waiting}"
        )
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
    if report.stopped:
        parts.append(f"stopped: {report.stopped}")
    return f"{report.store}: " + ", ".join(parts)


def _progress(line: str) -> None:
    sys.stderr.write(f"kura: {line}\n")


def _each(
    stores: Sequence[StoreConfig], work: Callable[[StoreConfig], R]
) -> list[tuple[R | dict[str, str], int]]:
    """What became of every store, with its exit code: one that cannot be worked on must not keep the others waiting. Where
    it is the only one, its error is the command's."""
    done: list[tuple[R | dict[str, str], int]] = []
    for cfg in stores:
        try:
            result = work(cfg)
        except KuraError as error:
            if len(stores) == 1:
                raise
            _progress(f"{cfg.name}: {error}")
            done.append(({"store": cfg.name, "error": str(error)}, error.exit_code))
        else:
            done.append((result, result.code))
    return done


def _worst(codes: list[int]) -> int:
    """1 beats 64 beats 0 beats 2: any failure is one, any work is work."""
    return next((code for code in (1, 64, 0) if code in codes), 2)
