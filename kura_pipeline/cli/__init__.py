"""Commands of the pipeline, registered under `kura.commands`. Nothing heavy is imported before a command runs."""

from __future__ import annotations

from importlib import import_module

import typer

ROOMS = (
    "run",
    "drain",
    "tidy",
    "profile",
    "demo",
    "dev",
    "dropped",
    "journals",
    "secrets",
    "calls",
    "cost",
    "checkup",
    "aliases",
    "prune",
)
BENCHES = (
    "bench_gate",
    "bench_fastpath",
    "bench_import",
    "bench_extraction",
    "bench_quotes",
    "bench_intake",
    "bench_search",
    "bench_tick",
    "bench_compress",
    "bench_packets",
    "bench_writers",
    "bench_calls",
    "bench_retention",
    "bench_locomo",
    "bench_serving",
)


def register(app: typer.Typer) -> None:
    """Add every command of the pipeline to `kura`."""
    for room in ROOMS:
        import_module(f"{__package__}.{room}").register(app)
    bench = typer.Typer(help="Measure it, rather than claim it.", no_args_is_help=True)
    for room in BENCHES:
        import_module(f"{__package__}.{room}").register(bench)
    app.add_typer(bench, name="bench")
