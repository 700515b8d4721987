"""`kura bench fastpath`: the recogniser on a file of questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, handle, print_json, say, table


def register(group: typer.Typer) -> None:
    """Add `kura bench fastpath`."""
    group.command()(fastpath)


def fastpath(
    questions: Annotated[
        Path,
        typer.Option(
            "--questions",
            "-q",
            help="JSON Lines: {id, kind, question, answer, accept}; answers may be missing",
        ),
    ],
    rounds: Annotated[int, typer.Option(min=1, help="times each question is asked; the median counts")] = 5,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Ask the recogniser alone: hits, wrong answers and refusals by kind, and how long a recall takes."""
    from kura_pipeline.bench.fastpath import read_questions, run

    bench = run(handle(config, store), read_questions(questions), rounds=rounds)
    report = bench.to_json()
    if json:
        print_json(report)
        return 0 if bench.cases else 2
    table(("id", "kind", "got", "picked", "how", "ms", "verdict"),
          [(c.id, c.kind, c.got or "", ", ".join(c.picked), c.how, f"{c.ms:.3f}", c.verdict) for c in bench.cases])  # fmt: skip
    say()
    table(("kind", "n", "hits", "wrong", "refused"),
          [(k, v["n"], *("" if v[x] is None else v[x] for x in ("hits", "wrong", "refused"))) for k, v in report["kinds"].items()])  # fmt: skip
    say(
        f"\n{bench.memories} memories; p50 {bench.p50_ms:.3f} ms, p99 {bench.p99_ms:.3f} ms (median of {bench.rounds} recalls each)"
    )
    return 0 if bench.cases else 2
