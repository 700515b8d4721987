"""drain: the judge's word on the drafts that wait, and nothing else."""

from __future__ import annotations

import sys
from typing import Any

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, chosen_stores, print_json, say
from kura_runtime.config.load import load
from kura_runtime.errors import KuraError


def register(app: typer.Typer) -> None:
    """Add `kura drain`."""
    app.command()(drain)


def drain(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Judge the drafts that wait, and pour what the judge lets pass. Two at once share the drafts."""
    loaded = load(config)
    results = [_one(loaded, cfg) for cfg in chosen_stores(loaded, store)]
    if json:
        print_json(results)
    else:
        for r in results:
            c = r["counts"]
            say(
                f"{r['store']}: no draft waits"
                if not r["drafts"] and not r["failed"]
                else f"{r['store']}: {c.get('poured', 0)} poured, {c.get('tossed', 0)} tossed, "
                f"{r['waiting']} wait, {c.get('quarantined', 0)} quarantined"
            )
            for row in r["drafts"]:
                if row["action"] not in ("created", "extended"):
                    say(f"  {row['slug']}: {row['verdict']}, {row['action']}: {row['reason']}".rstrip(": "))
    for r in results:
        if r["failed"]:
            sys.stderr.write(
                f"kura: {r['store']}: {r['failed']}; {r['waiting']} drafts wait, nothing is lost\n"
            )
    codes = [r["code"] for r in results]
    return 1 if 1 in codes else 0 if 0 in codes else 2


def _one(loaded: Any, cfg: Any) -> dict[str, Any]:
    """One store, drained. An outage is this store's failure, and no other's."""
    from contextlib import closing
    from uuid import uuid4

    from kura_pipeline.draining import drain_store
    from kura_pipeline.runs import open_store
    from kura_runtime.ledger.ledger import Ledger

    opened = open_store(cfg)
    failed, rows, counts = "", [], {}
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        try:
            done = drain_store(cfg, ledger, opened, run_id=f"drain-{uuid4().hex[:12]}")
        except KuraError as error:
            failed = str(error)
        else:
            counts = done.counts
            rows = [
                {"slug": r.slug, "title": r.title, "batch": r.batch_id, "verdict": r.verdict, "action": r.action, "reason": r.reason}
                for r in done.rows()
            ]  # fmt: skip
    waiting = len(opened.drafts())
    stuck = any(r["action"] in ("waiting", "refused", "quarantined") for r in rows)
    code = 1 if failed or stuck else 0 if rows else 2
    return {
        "store": cfg.name,
        "drafts": rows,
        "counts": counts,
        "waiting": waiting,
        "failed": failed,
        "code": code,
    }
