"""recall, read, glance, index, map, prefill, why, search: what an agent or a person asks of a store."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Annotated, Literal

import typer

from kura_runtime.cli.options import ConfigOption, JsonOption, StoreOption, handle, print_json, say, table
from kura_runtime.errors import BadInput

Slug = Annotated[str, typer.Argument(help="slug of a memory, exactly as `kura index` shows it")]


def register(app: typer.Typer) -> None:
    """Add the reading commands."""
    for command in (recall, read, glance, index, why, search):
        app.command()(command)
    app.command("map")(resident_map)
    app.command()(prefill)


def recall(
    question: Annotated[str, typer.Argument(help="the question, in any language")],
    hops: Annotated[int, typer.Option(min=0, max=5, help="how far [[links]] are walked")] = 1,
    top: Annotated[int, typer.Option(min=1, max=20, help="memories picked at the most")] = 3,
    chars: Annotated[int, typer.Option(min=1, help="characters per memory")] = 6000,
    total_chars: Annotated[int | None, typer.Option(min=1, help="hard ceiling of the whole context")] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="WHEN",
            help="as the store stood at this revision, date or time (ISO 8601, UTC)",
        ),
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Recall what this store knows about a question, or say honestly that it knows nothing."""
    reply = handle(config, store).recall(
        question, hops=hops, top=top, chars=chars, total_chars=total_chars, as_of=as_of
    )
    if json:
        print_json(reply.to_json())
        return 0 if reply.picked else 2
    say(f"how: {reply.how}{'   ⚠ degraded' if reply.degraded else ''}   ({reply.elapsed_ms:.1f} ms)")
    if reply.as_of:
        say(f"as of: {reply.as_of}")
    for warning in reply.warnings:
        say(f"⚠ {warning}")
    if reply.picked:
        say(
            f"picked: {', '.join(reply.picked)}"
            + (f"   walked: {', '.join(reply.walked)}" if reply.walked else "")
        )
        if reply.dropped_for_budget:
            say(f"⚠ left out for the budget: {', '.join(reply.dropped_for_budget)}")
        say()
        say(reply.context)
        return 0
    say("nothing in this store answers that")
    for line in reply.suggestions:
        say(f"  nearest, unconfirmed: {line}")
    return 2


def read(slug: Slug, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Print one memory whole, with its state and where it comes from."""
    memory = handle(config, store).read(slug)
    if json:
        print_json(memory.to_json())
        return 0
    say(f"# {memory.title}")
    say(
        f"{memory.slug} · {memory.type} · {memory.state} · {memory.provenance} · updated {memory.updated or 'unknown'}"
    )
    if memory.tags:
        say(f"tags: {', '.join(memory.tags)}")
    say(f"\n{memory.trigger}\n\n{memory.summary}")
    if memory.detail:
        say(f"\n## Detail\n\n{memory.detail}")
    for name in ("belongs_because", "keep", "may_fade"):
        if getattr(memory, name):
            say(f"\n{name}: {getattr(memory, name)}")
    return 0


def glance(
    slug: Slug, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> int:
    """Print the short view of one memory (about 150 tokens)."""
    text = handle(config, store).glance(slug)
    if json:
        print_json({"slug": slug, "text": text})
    else:
        say(text)
    return 0


def index(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """List every memory of the store by its recognition line."""
    found = handle(config, store).index()
    if json:
        print_json(found)
    elif not found["memories"]:
        say(f"the store {found['store']} holds no memory yet; feed it with `kura run -s {found['store']}`")
    else:
        table(
            ("slug", "state", "title", "trigger"),
            [(m["slug"], m["state"], m["title"], m["trigger"]) for m in found["memories"]],
        )
    return 0 if found["memories"] else 2


def why(slug: Slug, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Say why a memory exists: its manifest, its quotes, the journal lines and the model calls behind them."""
    answer = handle(config, store).why(slug)
    code = 1 if answer["problems"] else 0
    if json:
        print_json(answer)
        return code
    say(f"{answer['slug']}: {answer.get('provenance', '')}")
    if answer.get("manifest"):
        say(f"manifest {answer['manifest']}")
    for quote in answer["quotes"]:
        say(f"\n[{quote['class']}] {quote['ts'] or 'no time'}\n  “{quote['text']}”")
        say(f"  {quote['journal']}  bytes {quote['byte_start']}–{quote['byte_end']}  event {quote['event']}")
        if quote["journal_state"] in ("missing", "changed"):
            say(f"  ⚠ the journal is {quote['journal_state']}")
    for call in answer["calls"]:
        say(f"model call {call}")
    for line in answer["history"]:
        say(
            f"{line.get('ts', line.get('time', ''))}  {line.get('action', '')}  by {line.get('door', '')}  revision {line.get('revision', '')}"
        )
    for notice in answer["notices"]:
        say(f"⚠ {notice}")
    for problem in answer["problems"]:
        say(f"! {problem}")
    return code


def search(
    query: Annotated[str, typer.Argument(help="words; a part in quotation marks must stand as written")],
    cls: Annotated[
        Literal["USER", "TOOL", "ACT", "SELF"] | None,
        typer.Option("--class", help="only events of this class"),
    ] = None,
    session: Annotated[str, typer.Option(help="only this session")] = "",
    tool: Annotated[str, typer.Option(help="only this tool")] = "",
    since: Annotated[str, typer.Option(help="from this time on, ISO 8601")] = "",
    until: Annotated[str, typer.Option(help="up to this time, ISO 8601")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="most hits shown")] = 20,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Search the raw journals of a store. What is found is shown, and never injected into a context."""
    from kura_runtime.raw.sessions import is_there as indexed

    _moment("--since", since)
    _moment("--until", until)
    opened = handle(config, store)
    found = opened.search(
        query, limit=limit, cls=cls or "", session=session, tool=tool, since=since, until=until
    )
    if not found and not indexed(opened.files.path):
        sys.stderr.write("kura: ⚠ degraded: there is no search index yet; `kura journals reindex` makes it\n")
    if json:
        print_json(found)
        return 0 if found else 2
    for row in found:
        say(f"{row['ts'] or 'no time'}  [{row['class']}]  {row['session']}")
        say(f"  {' '.join(row['snippet'].split())}")
        say(f"  {row['journal']}  bytes {row['byte_start']}–{row['byte_end']}")
    if not found:
        say("nothing in the raw journals matches")
    return 0 if found else 2


def _moment(option: str, text: str) -> None:
    """Refuse what is no moment: it would be compared as a word, and find nothing."""
    try:
        datetime.fromisoformat(text or "2000-01-01")
    except ValueError:
        raise BadInput(
            option, f'"{text[:80]}" is no time; write it as 2026-03-01 or 2026-03-01T17:30:00'
        ) from None


def resident_map(config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False) -> int:
    """Print the woven map that an agent wears in its prompt."""
    return prefill(None, None, config, store, json)


def prefill(
    window: Annotated[
        int | None, typer.Option(min=1, help="context window, tokens, for this request")
    ] = None,
    fraction: Annotated[
        float | None, typer.Option(min=0.0001, max=1, help="share of the window the map may take")
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Print the block that a host puts into the system prompt: the whole map, or a stub that says it is missing."""
    block = handle(config, store).prefill(window_tokens=window, fraction=fraction)
    if json:
        print_json(block.to_json())
    else:
        say(block.text)
    return 0
