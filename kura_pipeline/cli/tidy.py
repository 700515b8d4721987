"""tidy: recognition lines that say too little or too much, written anew behind the floor."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, print_json, say, store_config
from kura_runtime.errors import ConfigError


def register(app: typer.Typer) -> None:
    """Add `kura tidy`."""
    app.command()(tidy)


def tidy(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="name the lines that need repair, and ask nobody")
    ] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Repair recognition lines of distilled memories: empty, doubled, too long, or no more than the title."""
    from kura_pipeline.distil.brief import brief_of
    from kura_pipeline.distil.tidy import tidy as repair
    from kura_pipeline.distil.tidy import untidy
    from kura_pipeline.resources import Asked, scribe_for
    from kura_pipeline.runs import open_store
    from kura_runtime.ledger.ledger import Ledger

    loaded, cfg = store_config(config, store)
    opened = open_store(cfg)
    found, left = untidy(opened)
    if dry_run or not found:
        rows = [{"slug": u.memory.slug, "line": u.memory.trigger, "fault": u.fault} for u in found]
        if json:
            print_json({"store": cfg.name, "untidy": rows, "counts": {"untidy": len(rows), **left}})
        else:
            for row in rows:
                say(f"{row['slug']}: {row['fault']}")
            say(
                f"{cfg.name}: {len(rows)} lines need repair"
                + "".join(f", {n} {why}" for why, n in sorted(left.items()))
            )
        return 0 if rows else 2
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        scribe = scribe_for(cfg, ledger.calls, Asked(f"{cfg.name}/tidy"))
        if scribe is None:
            raise ConfigError(
                f"[stores.{cfg.name}] no model is configured, so no line can be written anew; name one under [models.scribe], or "
                "see what needs repair with `kura tidy --dry-run`"
            )
        done = repair(opened, scribe, brief_of(cfg))
    if json:
        print_json({
            "store": cfg.name, "counts": done.counts,
            "lines": [{"slug": s, "was": was, "line": line} for s, was, line in done.lines],
            "refused": [{"slug": s, "line": line, "reason": reason} for s, line, reason in done.refused],
        })  # fmt: skip
    else:
        for slug, _, line in done.lines:
            say(f"{slug}: {line}")
        for slug, line, reason in done.refused:
            say(f"{slug}: refused ({reason}): {line}")
        say(f"{cfg.name}: {len(done.lines)} of {len(found)} lines repaired")
    return 0 if done.lines else 1
