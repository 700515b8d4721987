"""proposals: what waits for a person's ruling. Nothing rules itself."""

from __future__ import annotations

import getpass
from typing import Annotated, Literal

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, handle, print_json, say, table
from kura_runtime.errors import BadInput

Id = Annotated[str, typer.Argument(metavar="ID", help="id of a proposal, as `kura proposals list` shows it")]


def register(app: typer.Typer) -> None:
    """Add the group `kura proposals`."""
    group = typer.Typer(help="List, show and rule what waits for a person.", no_args_is_help=True)
    group.command("list")(list_proposals)
    group.command()(show)
    group.command()(rule)
    app.add_typer(group, name="proposals")


def list_proposals(
    every: Annotated[bool, typer.Option("--all", help="also those that were ruled")] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """List the proposals that wait."""
    found = handle(config, store).files.proposals(every=every)
    if json:
        print_json(found)
    elif found:
        rows = [(p["id"], p["state"], p["old"]["slug"], p["new"]["slug"], p["reason"]) for p in found]
        table(("id", "state", "old", "new", "reason"), rows)
    else:
        say("no proposal waits")
    return 0 if found else 2


def show(id: Id, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:  # noqa: A002
    """Show both sides of a proposal, with the evidence of each."""
    kura = handle(config, store)
    proposal = next((p for p in kura.files.proposals(every=True) if p["id"] == id), None)
    if proposal is None:
        raise BadInput("ID", f'no proposal "{id[:80]}"; see `kura proposals list --all`')
    sides = {side: kura.why(proposal[side]["slug"]) for side in ("old", "new")}
    if json:
        print_json({**proposal, "evidence": sides})
        return 0
    say(f"{proposal['id']}: {proposal['state']} — {proposal['reason']}")
    for side, why in sides.items():
        say(f"\n{side}: {proposal[side]['slug']}\n  {proposal[side]['trigger']}")
        for quote in why["quotes"]:
            say(f"  [{quote['class']}] {quote['ts'] or 'no time'} “{' '.join(quote['text'].split())}”")
    return 0


def rule(
    id: Id,  # noqa: A002
    keep: Annotated[Literal["new", "old", "both"], typer.Option(help="which side holds from now on")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Rule on a proposal: the side that is not kept is retired, and points to the other."""
    ruled = handle(config, store).files.rule(id, keep=keep, who=getpass.getuser())
    if json:
        print_json(ruled)
    else:
        say(f"ruled: {keep} ({id})")
    return 0
