"""profile: what is known of the human. Drafted from memories, applied by a person, never by itself."""

from __future__ import annotations

import getpass
from contextlib import closing
from typing import Annotated

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, print_json, say, store_config


def register(app: typer.Typer) -> None:
    """Add the group `kura profile`."""
    group = typer.Typer(help="Show, draft and apply the learned profile of the human.", no_args_is_help=True)
    for command in (show, draft, apply):
        group.command()(command)
    app.add_typer(group, name="profile")


def show(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Show the profile that is in use, and the draft that waits, if there is one."""
    from kura_pipeline.distil.brief import read_profile
    from kura_pipeline.runs import open_store
    from kura_runtime.store import profile

    _, cfg = store_config(config, store)
    opened = open_store(cfg)
    text, state = read_profile(cfg.path)
    waiting = profile.staged(opened)
    if json:
        print_json({
            "store": cfg.name, "state": state, "profile": text,
            "draft": {"digest": waiting.digest, "sealed": waiting.sealed, "text": waiting.text} if waiting else None,
        })  # fmt: skip
    else:
        say(f"profile of {cfg.name}: {state}")
        say(text)
        if waiting and waiting.text != text:
            say(f"a draft waits; apply it with `kura profile apply {waiting.digest[:8]}`\n")
            say(waiting.text)
    return 0 if text or waiting else 2


def draft(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Draft the profile from memories that the human's own words stand behind."""
    from kura_pipeline.distil.brief import brief_of
    from kura_pipeline.distil.learned import draft_profile
    from kura_pipeline.resources import Asked, scribe_for
    from kura_pipeline.runs import open_store
    from kura_runtime.ledger.ledger import Ledger
    from kura_runtime.store import profile

    loaded, cfg = store_config(config, store)
    opened = open_store(cfg)
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        made = draft_profile(
            opened, scribe_for(cfg, ledger.calls, Asked(f"{cfg.name}/profile")), brief_of(cfg)
        )
    waiting = profile.stage(opened, made.text) if made.lines else None
    if json:
        print_json({
            "store": cfg.name, "digest": waiting.digest if waiting else "", "text": made.text, "counts": made.counts,
            "lines": [{"line": line, "slugs": list(slugs)} for line, slugs in made.lines],
            "refused": [{"line": line, "reason": reason} for line, reason in made.refused],
        })  # fmt: skip
    else:
        say(
            made.text
            or "no memory with the human's own words behind it speaks of the human or the way of working"
        )
        for line, reason in made.refused:
            say(f"refused ({reason}): {line}")
        if waiting:
            say(f"read it, then: kura profile apply {waiting.digest[:8]}")
    return 0 if waiting else 2


def apply(
    digest: Annotated[
        str, typer.Argument(metavar="DIGEST", help="of the draft, as `draft` and `show` print it")
    ],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Apply the draft that you have read; its digest says which."""
    from kura_pipeline.runs import open_store
    from kura_runtime.store import profile

    _, cfg = store_config(config, store)
    done = profile.apply(open_store(cfg), digest, who=getpass.getuser())
    if json:
        print_json(
            {"store": cfg.name, "written": done.written, "digest": done.digest, "revision": done.revision}
        )
    else:
        say(f"profile.md of {cfg.name}: " + ("written" if done.written else "was this text already"))
    return 0 if done.written else 2
