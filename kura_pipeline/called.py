"""Recorded model calls, with whom they were made for and what became of their answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from upath import UPath

from kura_pipeline.storage import read_whole
from kura_runtime.domain.call import RecordedCall
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.models.salvage import objects_of

POURED = ("created", "extended", "already")


@dataclass(frozen=True, slots=True)
class Called:
    """One recorded call. `number` is its place in the ledger; `batches` and `runs` are those that paid for its answer or
    replayed it, `replays` how often it was replayed."""

    number: int
    call: RecordedCall
    batches: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    replays: int = 0

    @property
    def prompt(self) -> str:
        """Name and version of the prompt, "" for calls of before they were recorded."""
        return str(self.call.params.get("prompt", ""))

    @property
    def task(self) -> str:
        """The prompt's name."""
        return self.prompt.partition(" ")[0]

    def row(self) -> dict[str, Any]:
        """The call on one line: everything but what was said."""
        c = self.call
        return {
            "number": self.number, "key": c.key, "at": c.created_at, "role": c.role, "prompt": self.prompt, "model": c.model,
            "batches": list(self.batches), "runs": list(self.runs), "replayed": self.replays,
            "tokens_in": c.usage.get("prompt_tokens", 0), "tokens_out": c.usage.get("completion_tokens", 0),
            "tokens_cached": c.usage.get("cached_tokens", 0), "seconds": c.timings.get("total", 0.0), "finish": c.finish,
            "failure": c.failure,
        }  # fmt: skip

    def whole(self) -> dict[str, Any]:
        """The row, and what was asked, answered and thought."""
        c = self.call
        return {
            **self.row(), "params": c.params, "messages": [dict(m) for m in c.messages], "answer": c.answer,
            "reasoning": c.reasoning, "usage": c.usage, "timings": c.timings,
        }  # fmt: skip


@dataclass(slots=True)
class Fate:
    """What became of the items an answer had a part in: `kept` by gate and floor, `dropped` by reason, `covered` by what the
    store held, `poured` slugs, and the judge's `verdicts`."""

    kept: int = 0
    covered: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    poured: list[str] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "kept": self.kept, "covered": self.covered, "dropped": dict(sorted(self.dropped.items())),
            "poured": sorted(set(self.poured)), "verdicts": dict(sorted(self.verdicts.items())),
        }  # fmt: skip


def calls_of(
    ledger: Ledger,
    store: str,
    *,
    run: str = "",
    batch: str = "",
    keys: Collection[str] | None = None,
    role: str = "",
    since: str = "",
) -> Iterator[Called]:
    """The calls made for a store, in the order they were recorded. `run` and `batch` may be the beginning of a name, `role`
    is a role (brain, scribe) or a prompt's name (spot, judge …), `since` ISO 8601 in UTC."""
    batches: dict[str, dict[str, None]] = {}
    runs: dict[str, dict[str, None]] = {}
    replays: Counter[str] = Counter()
    mine: set[str] = set()
    for use in ledger.calls.uses(store):
        mine.add(use.key)
        batches.setdefault(use.key, {})[use.partition] = None
        runs.setdefault(use.key, {})[use.run_id] = None
        replays[use.key] += use.replayed
    for spent in ledger.spending.rows(store=store):
        mine.add(spent["key"])
        batches.setdefault(spent["key"], {})[spent["partition"]] = None
        runs.setdefault(spent["key"], {})[spent["run_id"]] = None
    wanted = mine if keys is None else mine & set(keys)
    for number, call in ledger.calls.walk(since=since, keys=wanted):
        found = Called(
            number, call, _named(batches.get(call.key)), _named(runs.get(call.key)), replays[call.key]
        )
        if run and not any(r.startswith(run) for r in found.runs):
            continue
        if batch and not any(b.startswith(batch) for b in found.batches):
            continue
        if role and role not in (call.role, found.task):
            continue
        yield found


def fates(root: str, store: str) -> dict[str, Fate]:
    """Call key → what became of it, read from the steps' files of every batch."""
    found: dict[str, Fate] = {}
    for batch in sorted(
        {p.stem for p in _files(root, store, "gated")} | {p.stem for p in _files(root, store, "drafts")}
    ):
        poured = {row["digest"]: row for row in _rows(root, store, "memories", batch)}
        for row in _rows(root, store, "gated", batch):
            if row["verdict"]["verdict"] == "drop":
                for key in row["calls"]:
                    found.setdefault(key, Fate()).dropped[row["verdict"]["reason"]] += 1
        for row in _rows(root, store, "drafts", batch):
            end = poured.get(row["digest"]) if row["digest"] else None
            for key in row["calls"]:
                _note(found.setdefault(key, Fate()), row, end)
    return found


def fate_of_judge(called: Called, poured: Mapping[tuple[str, str], dict[str, Any]]) -> Fate | None:
    """What a judge's answer led to: it names the draft's slug, and the batch's pours (`pours_of`) know the rest."""
    if called.task != "judge":
        return None
    for item in objects_of(called.call.answer).objects:
        for batch in called.batches:
            row = poured.get((batch, str(item.get("slug", ""))))
            if row is not None:
                fate = Fate(verdicts=Counter({row["verdict"]: 1}))
                fate.poured += [row["slug"]] if row["action"] in POURED else []
                return fate
    return None


def pours_of(root: str, store: str) -> dict[tuple[str, str], dict[str, Any]]:
    """(batch, slug of the draft) → the row of its pour."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for path in _files(root, store, "memories"):
        slugs = {
            row["digest"]: (row["surface"] or {}).get("slug", "")
            for row in _rows(root, store, "drafts", path.stem)
        }
        for row in _rows(root, store, "memories", path.stem):
            found[path.stem, slugs.get(row["digest"]) or row["slug"]] = row
    return found


def _note(fate: Fate, row: dict[str, Any], end: dict[str, Any] | None) -> None:
    if row["outcome"] == "dropped":
        fate.dropped[row["reason"]] += 1
    elif row["outcome"] == "covered":
        fate.covered += 1
    else:
        fate.kept += 1
    if end is not None:
        fate.verdicts[end["verdict"]] += 1
        if end["action"] in POURED:
            fate.poured.append(end["slug"])


def _files(root: str, store: str, step: str) -> list[Any]:
    folder = UPath(root) / store / step
    return sorted(folder.glob("*.parquet"), key=str) if folder.exists() else []


def _rows(root: str, store: str, step: str, batch: str) -> list[dict[str, Any]]:
    path = UPath(root) / store / step / f"{batch}.parquet"
    return [json.loads(line) for line in read_whole(path).column("data").to_pylist()] if path.exists() else []


def _named(names: dict[str, None] | None) -> tuple[str, ...]:
    return tuple(n for n in names or () if n)
