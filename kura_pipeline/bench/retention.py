"""Bench `retention`: what of the planted statements a store gives back. No model judges: a marker stands there or not.

A fixture's journals are played through the real pipeline in a temporary project, with an editor of choice; then every
planted statement is asked for. A fact is a point where its marker stands in what recall returns; a distractor is a point
where its marker stands in no memory, and a kept one costs it. The score measures pipeline and editor together, and
whether a fact can be found, not how well the answer reads.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from kura_pipeline.bench.compress import Source
from kura_pipeline.bench.compress import run as compress
from kura_pipeline.bench.planted import KINDS, Fixture, Plant, lay_out
from kura_pipeline.distil.frozen import memory_text
from kura_runtime.config.load import resolve
from kura_runtime.config.model import Config, RolesConfig
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import KuraError
from kura_runtime.store.store import Store
from kura_runtime.text.normalise import fold

STORE = "bench"
Say = Callable[[str], None]


class Asked(Protocol):
    """A store handle."""

    @property
    def files(self) -> Any: ...

    def recall(self, question: str) -> Any: ...


def run(
    fixtures: Sequence[Fixture], *, editor: str = "extractive", models: RolesConfig | None = None,
    distill: Mapping[str, Any] | None = None, say: Say = lambda _: None,
) -> dict[str, Any]:  # fmt: skip
    """Play every fixture and ask. `editor` is `extractive` or `model`; `models` are the endpoints of `model` (a thinker
    among them answers recalls too), `distill` further keys of `[distill]`.

    `{"bench","editor","figures","kinds","table","machine"}`; `kinds` is kind → [points, of]; a row of `table` is one plant.
    Raises KuraError where the pipeline failed on a fixture: then there is no score.
    """
    table: list[dict[str, Any]] = []
    figures: dict[str, float] = {}
    for fixture in fixtures:
        say(f"{fixture.corpus}.{fixture.language}: distilling")
        with TemporaryDirectory(prefix="kura-bench-", ignore_cleanup_errors=True) as folder:
            rows, more = _play(fixture, Path(folder), editor, models, distill or {})
        table += rows
        figures |= {f"{fixture.name}_{k}": v for k, v in {**_score(rows), **more}.items()}
    figures |= _score(table)
    return _result(editor, figures, table)


def ask_store(handle: Asked, plants: Iterable[Plant]) -> dict[str, Any]:
    """The same figures for a store that somebody distilled from the fixtures before."""
    table = ask(handle, plants)
    return _result("as distilled", _score(table), table)


def ask(handle: Asked, plants: Iterable[Plant]) -> list[dict[str, Any]]:
    """One row a plant: `point`, and how recall answered."""
    memories = {m.slug: fold(memory_text(m)).casefold() for m in handle.files.memories()}
    return [_row(handle, plant, memories) for plant in plants]


def _row(handle: Asked, plant: Plant, memories: Mapping[str, str]) -> dict[str, Any]:
    marker = fold(plant.marker).casefold()
    reply = handle.recall(plant.ask)
    given = marker in fold(reply.context).casefold()
    kept = [slug for slug, text in memories.items() if marker in text]
    # a distractor that recall gives back was kept, wherever it hides
    point = not kept and not given if plant.must_not_store else given
    return {
        "id": plant.id, "kind": plant.kind, "marker": plant.marker, "point": point, "kept_in": kept, "given": given,
        "how": reply.how, "picked": list(reply.picked), "must_not_store": plant.must_not_store,
    }  # fmt: skip


def _play(
    fixture: Fixture, folder: Path, editor: str, models: RolesConfig | None, distill: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    from kura_pipeline.runs import run_pass
    from kura_runtime.api import Kura

    lay_out(fixture, folder / "journals")
    config = _project(folder, editor, models, distill)
    Store.create(config.stores[STORE].path, name=STORE)
    report = run_pass(config, config.stores[STORE])
    if report.code == 1 or not report.batches:
        faults = [*report.failed.values(), *report.parked.values(), *report.unread] or [
            "nothing was distilled"
        ]
        raise KuraError(f"{fixture.corpus}.{fixture.language}: the pipeline failed: {'; '.join(faults)}")
    handle = Kura(config).store(STORE)
    rows = [{"fixture": f"{fixture.corpus}.{fixture.language}", **row} for row in ask(handle, fixture.plants)]
    memories = handle.files.memories()
    planted = {slug for row in rows for slug in row["kept_in"]} | _holding(memories, fixture.plants)
    sizes = compress(handle.files, _sources(config), handle.prefill().text)["figures"]
    more = {"memories": len(memories), "memories_of_nothing_planted": len(memories) - len(planted)}
    return rows, {**more, **{k: sizes[k] for k in ("store_ratio", "map_ratio") if k in sizes}}


def _holding(memories: Iterable[Memory], plants: Iterable[Plant]) -> set[str]:
    """Slugs of memories that hold something planted, wherever its marker went."""
    said = [fold(p.say) for p in plants if p.say] + [fold(p.later) for p in plants if p.later]
    found = set()
    for memory in memories:
        parts = [fold(line).strip(" -–—>»«“”「」*") for line in memory_text(memory).splitlines()]
        if any(len(part) > 8 and part in text for part in parts for text in said):
            found.add(memory.slug)
    return found


def _project(folder: Path, editor: str, models: RolesConfig | None, distill: Mapping[str, Any]) -> Config:
    raw: dict[str, Any] = {
        "stores": {
            STORE: {
                "path": "store",
                "distill": {**distill, "editor": editor, "journals": {"claude": "journals"}},
            }
        }
    }
    if models is not None:
        raw["models"] = models.model_dump(exclude_none=True)
    return resolve(raw, folder / "kura.toml")


def _sources(config: Config) -> dict[str, Source]:
    from contextlib import closing

    from kura_pipeline.storage import kept_evidence
    from kura_runtime.ledger.ledger import Ledger

    with closing(Ledger.open(config.ledger_url)) as ledger:
        done = ledger.claims.of_store(STORE, ("done",))
    return {
        c.batch_id: Source(partial(kept_evidence, config.storage_root, STORE, c.batch_id), {}) for c in done
    }


def _score(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    facts = [r for r in rows if not r["must_not_store"]]
    distractors = [r for r in rows if r["must_not_store"]]
    points = sum(r["point"] for r in rows)
    return {
        "score": round(points / len(rows), 3) if rows else 0.0,
        "points": points,
        "of": len(rows),
        "facts_found": sum(r["point"] for r in facts),
        "facts": len(facts),
        "distractors_kept_out": sum(r["point"] for r in distractors),
        "distractors": len(distractors),
    }


def _result(editor: str, figures: dict[str, float], table: list[dict[str, Any]]) -> dict[str, Any]:
    of = Counter(r["kind"] for r in table)
    points = Counter(r["kind"] for r in table if r["point"])
    return {
        "bench": "retention",
        "editor": editor,
        "figures": figures,
        "kinds": {kind: [points[kind], of[kind]] for kind in KINDS if of[kind]},
        "table": table,
        "machine": {"python": platform.python_version()},
    }
