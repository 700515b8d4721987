"""`kura bench writers`: writers compared on the same frozen packets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    print_json,
    say,
    store_config,
    table,
)

_COUNTED = (
    "packets", "survived", "survived_at_once", "retried", "dropped", "unasked", "calls", "tokens_in", "tokens_out", "seconds",
)  # fmt: skip


def register(group: typer.Typer) -> None:
    """Add the bench to its group."""
    group.command()(writers)


def writers(
    packets: Annotated[Path, typer.Option("--packets", help="file of `kura bench packets`")],
    names: Annotated[
        str,
        typer.Option(
            "--writers", metavar="W1,W2", help="extractive, a model profile, or scribe, brain, thinker"
        ),
    ],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Give the same packets to several writers: survival, refusals, retries, tokens, seconds, and every text."""
    from kura_pipeline.bench.packets import read
    from kura_pipeline.bench.staff import staff
    from kura_pipeline.bench.writers import run

    frozen = read(packets)
    loaded, chosen = store_config(config, store)
    result = run(frozen, staff(loaded, chosen, names.split(",")), say=_progress)
    if json:
        print_json(result)
    else:
        _print(result)
    if any(about["outage"] for about in result["writers"].values()):
        return 1
    return 0 if frozen.packets else 2


def _print(result: dict[str, Any]) -> None:
    writers = list(result["writers"])
    for row in result["table"]:
        say(f"\n{row['packet']}  {row['topic']}")
        for quote in row["quotes"]:
            say(f"  {quote}")
        texts = [row["writers"][w] for w in writers]
        lines = [
            (field, *(str(t.get(field, "")) for t in texts))
            for field in ("outcome", "title", "trigger", "body")
        ]
        lines.append(("refused", *(_refused(t) for t in texts)))
        table(("", *writers), lines)
    say()
    figures = result["figures"]
    table(("", *writers), [(name, *(figures[f"{w}_{name}"] for w in writers)) for name in _COUNTED])
    for name, about in result["writers"].items():
        for what in ("first_refusals", "refusals", "dropped"):
            if about[what]:
                say(f"{name} {what}: " + ", ".join(f"{reason} {n}" for reason, n in about[what].items()))
        if about["outage"]:
            say(f"{name} stopped: {about['outage']}")


def _refused(text: dict[str, Any]) -> str:
    found = [*text.get("first_refusals", ()), *text.get("refusals", ())]
    return ", ".join(dict.fromkeys(f"{r['reason']} {r['token']}".strip() for r in found))


def _progress(line: str) -> None:
    sys.stderr.write(f"kura: {line}\n")
