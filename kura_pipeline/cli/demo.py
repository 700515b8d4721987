"""`kura demo`: the whole job once, on journals that ship with the package, with no model and no server."""

from __future__ import annotations

import json as json_
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kura_runtime.cli.options import JsonOption, print_json, say
from kura_runtime.errors import BadInput, KuraError

if TYPE_CHECKING:
    from rich.progress import Progress

    from kura_runtime.api import StoreHandle


def register(app: typer.Typer) -> None:
    """Add `kura demo`."""
    app.command()(demo)


def demo(
    folder: Annotated[Path | None, typer.Option("--dir", help="work in this new folder and keep it")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="keep the temporary folder")] = False,
    json: JsonOption = False,
) -> int:
    """Run the whole job on shipped journals: init, distil, pour, weave, snapshot, recall."""
    kept = keep or folder is not None
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput("--dir", f"{folder} is there already and not empty; name a new folder")
    place = folder.expanduser().absolute() if folder else Path(tempfile.mkdtemp(prefix="kura-demo-"))
    try:
        return _run(place, kept, json)
    finally:
        if not kept:
            shutil.rmtree(place, ignore_errors=True)


def _run(place: Path, kept: bool, json: bool) -> int:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from kura_pipeline.demo import lay_out
    from kura_pipeline.runs import run_pass
    from kura_runtime.api import Kura
    from kura_runtime.config.load import load
    from kura_runtime.store.store import Store

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    with bar:
        job = bar.add_task("init: a store and the shipped journals", total=None)
        config = load(lay_out(place))
        cfg = config.stores["demo"]
        Store.create(cfg.path, name=cfg.name)
        report = run_pass(config, cfg, say=lambda line: _show(bar, job, line))
    if report.code:
        raise KuraError(
            "the demo did not end well: "
            + "; ".join([*report.failed.values(), *report.unread] or ["nothing was distilled"])
        )
    handle = Kura(config).store("demo")
    memories = [_memory(handle, m["slug"], m["title"]) for m in handle.index()["memories"]]
    answers = [_answer(handle, q) for q in questions()]
    if json:
        print_json({
            "memories": [{"slug": m["slug"], "title": m["title"], "quotes": len(m["quotes"])} for m in memories],
            "answers": [{k: a[k] for k in ("question", "how", "picked", "expected", "as_expected")} for a in answers],
            "figures": dict(report.figures), "store": str(cfg.path), "kept": kept,
        })  # fmt: skip
    else:
        _print(report.figures, memories, answers, config.file, kept)
    return 0 if memories and all(a["as_expected"] for a in answers) else 1


def questions() -> list[dict[str, str]]:
    """The three questions of the demo: one direct, one paraphrase, one whose answer was never said."""
    from importlib.resources import files

    return list(
        json_.loads(files("kura_pipeline.demo").joinpath("questions.json").read_text(encoding="utf-8"))
    )


def _show(bar: Progress, job: Any, line: str) -> None:
    """Show the pass's own words; the bar fills once the number of batches is known."""
    bar.update(job, description=line)
    words = line.split()
    if words[:1] == ["batch"] and words[2:3] == ["of"]:
        bar.update(job, total=int(words[3].rstrip(":")) + 1, completed=int(words[1]) - 1)


def _memory(handle: StoreHandle, slug: str, title: str) -> dict[str, Any]:
    return {"slug": slug, "title": title, "quotes": handle.why(slug)["quotes"]}


def _answer(handle: StoreHandle, item: dict[str, str]) -> dict[str, Any]:
    reply = handle.recall(item["question"])
    honest = reply.degraded or not reply.picked
    fine = {
        "direct": reply.how.startswith("fastpath") and bool(reply.picked),
        "paraphrase": honest,
        "absent": not reply.picked,
    }
    return {
        "question": item["question"], "how": reply.how, "picked": list(reply.picked), "expected": item["expect"],
        "as_expected": fine[item["expect"]], "context": reply.context, "degraded": reply.degraded, "ms": reply.elapsed_ms,
    }  # fmt: skip


def _print(
    figures: Any, memories: list[dict[str, Any]], answers: list[dict[str, Any]], config: Path, kept: bool
) -> None:
    say(f"{figures['events']} events read, {sum(n for k, n in figures.items() if k.startswith('redacted_'))} secrets replaced, "
        f"{figures['candidates']} candidates, {figures['dropped']} dropped by gate and floor, {figures['poured']} poured, {figures['extended']} extended.")  # fmt: skip
    say(f"\n{len(memories)} memories, each with its evidence:\n")
    for memory in memories:
        say(f"  {memory['title']}")
        for quote in memory["quotes"]:
            where = f"{Path(quote['journal']).name} bytes {quote['byte_start']}-{quote['byte_end']}"
            say(f"    [{quote['class']}] “{_short(quote['text'])}”  {where}")
    say("\nThree questions:\n")
    for answer in answers:
        say(f"  ? {answer['question']}")
        if answer["picked"]:
            say(
                f"    {answer['how']}{' (degraded)' if answer['degraded'] else ''}: {', '.join(answer['picked'])}  ({answer['ms']:.1f} ms)"
            )
        else:
            say(f"    {answer['how']}: nothing in this store answers that  ({answer['ms']:.1f} ms)")
    say("\nTry next:")
    if kept:
        say(f"  kura why {memories[0]['slug']} -c {config}")
        say(f"  kura dev -c {config}")
    else:
        say(
            "  kura demo --dir ./kura-demo        # the same, kept: look into the store, then `kura dev -c kura-demo/kura.toml`"
        )
        say("  kura init maker --path ~/kura/maker --journals claude=~/.claude/projects")


def _short(text: str, width: int = 90) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"
