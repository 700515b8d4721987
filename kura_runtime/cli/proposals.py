"""proposals: what waits for a person's ruling. Nothing rules itself."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, handle, print_json, say, table
from kura_runtime.errors import BadInput

Id = Annotated[str, typer.Argument(metavar="ID", help="id of a proposal, as `kura proposals list` shows it")]


def register(app: typer.Typer) -> None:
    """Add the group `kura proposals`: the list, where no subcommand is named."""
    group = typer.Typer()
    group.callback(invoke_without_command=True)(proposals)
    group.command("list")(list_proposals)
    group.command()(show)
    group.command()(rule)
    app.add_typer(group, name="proposals")


def proposals(
    context: typer.Context, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> int:
    """List, show and rule what waits for a person; without a subcommand, list."""
    if context.invoked_subcommand is not None:
        context.obj = (
            config,
            store,
            json,
        )  # `kura proposals -s NAME list` means `kura proposals list -s NAME`
        return 0
    return _listed(False, config, store, json)


def list_proposals(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="also those that were ruled")] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """List the proposals that wait."""
    return _listed(every, *_said_before(context, config, store, json))


def show(
    context: typer.Context,
    id: Id,  # noqa: A002
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Show a proposal: both sides with the evidence of each, or the findings it lists."""
    config, store, json = _said_before(context, config, store, json)
    kura = handle(config, store)
    proposal = next((p for p in kura.files.proposals(every=True) if p["id"] == id), None)
    if proposal is None:
        raise BadInput("ID", f'no proposal "{id[:80]}"; see `kura proposals list --all`')
    sides = {s: kura.why(proposal[s]["slug"]) for s in ("old", "new") if s in proposal}
    if json:
        print_json({**proposal, **({"evidence": sides} if sides else {})})
        return 0
    say(f"{proposal['id']}: {proposal.get('state', 'open')} — {proposal.get('reason', '')}")
    for side, why in sides.items():
        say(f"\n{side}: {proposal[side]['slug']}\n  {proposal[side]['trigger']}")
        for quote in why["quotes"]:
            say(f"  [{quote['class']}] {quote['ts'] or 'no time'} “{' '.join(quote['text'].split())}”")
    for found in proposal.get("findings", []):
        say(f"  {found['file']}: {found['place']}: {found['kind']}: {found['repair']}")
    if "ruling" in proposal:
        say(f"\n{proposal['ruling']}")
    return 0


def rule(
    context: typer.Context,
    id: Id,  # noqa: A002
    keep: Annotated[Literal["new", "old", "both"], typer.Option(help="which side holds from now on")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Rule on a proposal: the side that is not kept is retired, and points to the other."""
    config, store, json = _said_before(context, config, store, json)
    ruled = handle(config, store).files.rule(id, keep=keep, who=_user())
    if json:
        print_json(ruled)
    else:
        say(f"ruled: {keep} ({id})")
    return 0


def _listed(every: bool, config: Path | None, store: str | None, json: bool) -> int:
    found = handle(config, store).files.proposals(every=every)
    if json:
        print_json(found)
    elif found:
        rows = [
            (p["id"], p.get("state", "open"), _slug(p, "old"), _slug(p, "new"), p.get("reason", ""))
            for p in found
        ]
        table(("id", "state", "old", "new", "reason"), rows)
    else:
        say("no proposal waits")
    return 0 if found else 2


def _slug(proposal: dict[str, Any], side: str) -> str:
    """A side's slug; a proposal about something else than two memories has no sides."""
    return str(proposal[side]["slug"]) if side in proposal else "-"


def _said_before(
    context: typer.Context, config: Path | None, store: str | None, json: bool
) -> tuple[Path | None, str | None, bool]:
    """The options of a subcommand, where left out those given before its name."""
    before = context.obj or (None, None, False)
    return config or before[0], store or before[1], json or before[2]


def _user() -> str:
    """Who rules. A machine may not know its user's name (a container run with a bare number)."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
