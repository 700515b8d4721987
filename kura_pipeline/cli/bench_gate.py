"""`kura bench gate`: run a file of cases through the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kura_runtime.cli.options import JsonOption, print_json, say, table

CasesOption = Annotated[Path, typer.Option("--cases", help="file of cases, one JSON object a line")]


def register(bench: typer.Typer) -> None:
    """Add `gate` to the group `kura bench`."""
    bench.command("gate")(bench_gate)


def bench_gate(cases: CasesOption, json: JsonOption = False) -> int:
    """Run gate cases and print what came out, by rule, with every difference from what the cases expect."""
    from kura_pipeline.bench.gate import run_cases

    result = run_cases(cases)
    if json:
        print_json(result.to_json())
    else:
        rows = [(rule, *counts) for rule, counts in result.by_rule().items()]
        table(("rule", "passed", "failed", "open"), rows)
        for case in result.cases:
            if case.ok is False:
                say(f"{case.id} [{case.rule}] {case.why}")
            elif case.ok is None:
                got = case.got
                brief = (
                    f"{got['verdict']} ({got['reason']})"
                    if "verdict" in got
                    else f"{len(got['events'])} events"
                )
                say(f"{case.id} [{case.rule}] {brief}" + (f": {case.why}" if case.why else ""))
        say(f"passed {result.passed}, failed {result.failed}, of {len(result.cases)} cases")
    if not result.cases:
        return 2
    return 1 if result.failed else 0
