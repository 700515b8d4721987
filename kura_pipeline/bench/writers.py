"""Bench `writers`: several writers on the same frozen packets, side by side.

Each packet goes to each writer as in the pipeline: write, form and floor, one second chance with the refusals. What is
reported is what can be counted (survival, refusals by reason, retries, tokens, seconds) and every text itself, for a
reader. There is no score that puts the writers in an order: which prose is better is for the person who will read it.
"""

from __future__ import annotations

import platform
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from kura_pipeline.bench.packets import Packet, Packets
from kura_pipeline.distil.drafting import DraftRow, compose
from kura_pipeline.distil.editor import Brief, Editor
from kura_runtime.errors import ModelUnavailable
from kura_runtime.models.calls import MemoryCalls

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Writer:
    """A name in the report, the editor that writes, and the record of its calls (one that starts empty, so that every
    call is really made and its cost counted)."""

    name: str
    editor: Editor
    calls: MemoryCalls


def run(packets: Packets, writers: Sequence[Writer], *, say: Say = lambda _: None) -> dict[str, Any]:
    """`{"bench","figures","writers","table","machine"}`. A figure is named `<writer>_<what>`: packets, survived (passed
    form and floor), survived_at_once, retried, dropped, unasked, calls, tokens_in, tokens_out, seconds. `writers` has for
    each writer the refusals of first and second tries and the drops by reason, and the `outage` that stopped it. A row
    of `table` is one packet with each writer's text and fate.

    An outage is no verdict on a writer: the rest of its packets are `unasked`.
    """
    table: list[dict[str, Any]] = [_head(p) for p in packets.packets]
    figures: dict[str, float] = {}
    about: dict[str, Any] = {}
    for writer in writers:
        outage = ""
        for n, (packet, row) in enumerate(zip(packets.packets, table, strict=True), 1):
            say(f"{writer.name}: packet {n} of {len(table)}")
            if outage:
                row["writers"][writer.name] = {"outcome": "unasked", "reason": "outage"}
                continue
            row["writers"][writer.name] = done = _one(writer, packet, packets.brief)
            if done["outcome"] == "unasked":
                outage = done["note"]
                say(f"{writer.name}: stopped ({outage})")
        texts = [row["writers"][writer.name] for row in table]
        figures |= {f"{writer.name}_{k}": v for k, v in _figures(texts).items()}
        about[writer.name] = {
            "models": writer.editor.models(),
            "editor": f"{writer.editor.name} {writer.editor.version}",
            "first_refusals": _reasons(texts, "first_refusals"),
            "refusals": _reasons(texts, "refusals"),
            "dropped": dict(Counter(t["reason"] for t in texts if t["outcome"] == "dropped").most_common()),
            "outage": outage,
        }
    return {
        "bench": "writers",
        "figures": figures,
        "writers": about,
        "table": table,
        "machine": {"python": platform.python_version()},
    }


def _head(packet: Packet) -> dict[str, Any]:
    return {
        "packet": packet.id,
        "batch": packet.batch,
        "topic": packet.verdict.candidate.topic,
        "novelty": packet.novelty.kind,
        "quotes": [f"[{q.cls.value}] {q.text}" for q in packet.verdict.quotes],
        "writers": {},
    }


def _one(writer: Writer, packet: Packet, brief: Brief) -> dict[str, Any]:
    brief = replace(brief, slugs=frozenset(m.slug for m in packet.neighbours))
    row = DraftRow(packet.n, packet.verdict.candidate.topic, "covered", novelty=packet.novelty.kind)
    before, began = len(writer.calls.rows), time.monotonic()
    try:
        # links: the neighbours are the only slugs the writer was told of
        row = compose(
            row, packet.verdict, writer.editor, brief, brief.slugs, packet.neighbours, packet.extends
        )
    except ModelUnavailable as error:
        return {"outcome": "unasked", "reason": "outage", "note": str(error), **_cost(writer, before, began)}
    surface = row.surface
    return {
        "outcome": "survived" if row.outcome == "staged" else "dropped",
        "reason": row.reason,
        "title": (surface.title or surface.heading) if surface else "",
        "trigger": surface.trigger if surface else "",
        "body": surface.body if surface else "",
        "slug": surface.slug if surface else "",
        "retried": row.retried,
        "first_refusals": [asdict(r) for r in row.first_refusals],
        "refusals": [asdict(r) for r in row.refusals],
        **_cost(writer, before, began),
    }


def _cost(writer: Writer, before: int, began: float) -> dict[str, Any]:
    calls = writer.calls.rows[before:]
    return {
        "calls": len(calls),
        "tokens_in": sum(c.usage.get("prompt_tokens", 0) for c in calls),
        "tokens_out": sum(c.usage.get("completion_tokens", 0) for c in calls),
        "seconds": round(time.monotonic() - began, 3),
    }


def _figures(texts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    survived = [t for t in texts if t["outcome"] == "survived"]
    figures: dict[str, float] = {
        "packets": len(texts),
        "survived": len(survived),
        "survived_at_once": sum(not t["retried"] for t in survived),
        "retried": sum(bool(t.get("retried")) for t in texts),
        "dropped": sum(t["outcome"] == "dropped" for t in texts),
        "unasked": sum(t["outcome"] == "unasked" for t in texts),
    }
    for name in ("calls", "tokens_in", "tokens_out"):
        figures[name] = sum(t.get(name, 0) for t in texts)
    figures["seconds"] = round(sum(t.get("seconds", 0.0) for t in texts), 3)
    return figures


def _reasons(texts: Sequence[Mapping[str, Any]], which: str) -> dict[str, int]:
    """How many texts were refused for each reason (a text counts once a reason)."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({r["reason"] for r in text.get(which, ())})
    return dict(counts.most_common())
