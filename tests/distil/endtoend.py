"""Journals to memories with the embedded editor, step by step as the assets run them, without Dagster."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from kura_pipeline.distil.batch import claim, read_batch
from kura_pipeline.distil.brief import brief_of
from kura_pipeline.distil.drafting import DraftRow, draft_batch
from kura_pipeline.distil.evidence import batch_of
from kura_pipeline.distil.extractive import ExtractiveEditor
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.gating import Gated, gate_batch
from kura_pipeline.distil.pouring import PourRow, pour_batch
from kura_pipeline.distil.spot import spot_batch
from kura_runtime.config.load import load
from kura_runtime.domain.evidence import Event
from kura_runtime.domain.memory import Memory
from kura_runtime.gate.attribution import People
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.store import Store

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@dataclass
class Distilled:
    """What came of a set of journals."""

    store: Store
    events: list[Event] = field(default_factory=list)
    gated: list[Gated] = field(default_factory=list)
    drafted: list[DraftRow] = field(default_factory=list)
    poured: list[PourRow] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)

    @property
    def memories(self) -> list[Memory]:
        return sorted(self.store.memories(), key=lambda m: m.slug)

    def text(self) -> str:
        """Everything the store's canonical files hold."""
        return "\n".join(p.read_text(encoding="utf-8") for p in sorted(self.store.path.glob("*.md")))


def config(folder: Path, journals: dict[str, Path], **distill: object) -> Path:
    lines = ["[stores.trial]", 'path = "store"', "", "[stores.trial.distill]", 'editor = "extractive"']
    lines += [f"{key} = {value}" for key, value in distill.items()]
    lines += ["", "[stores.trial.distill.journals]"]
    lines += [f'{kind} = "{root}"' for kind, root in journals.items()]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "kura.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def distil(toml: Path, name: str = "trial") -> Distilled:
    """Claim everything and run every batch through spot, gate, drafts and pour, oldest batch first."""
    loaded = load(toml)
    cfg = loaded.stores[name]
    store = Store.create(cfg.path, name=name) if not cfg.path.exists() else Store.open(cfg.path, name=name)
    result = Distilled(store)
    editor = ExtractiveEditor()
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        claim(cfg, ledger, now=NOW)
        for one in ledger.claims.open(name):
            batch = batch_of(read_batch(cfg, ledger, one.batch_id), one.batch_id, name)
            brief = brief_of(cfg)
            frozen = Frozen(toml.parent / "frozen" / f"{one.batch_id}.json", one.batch_id, store)
            spotted = spot_batch(batch, editor, brief)
            gated = gate_batch(batch, spotted.proposals, frozen, brief.people or People(()))
            drafted = draft_batch(batch, gated.gated, store, editor, brief, frozen)
            poured = pour_batch(one.batch_id, store, editor, brief, drafted=drafted.drafted)
            result.events += batch.events
            result.gated += gated.gated
            result.drafted += drafted.drafted
            result.poured += poured.poured
            result.lost.update(spotted.lost)
    return result
