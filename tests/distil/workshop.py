"""The whole chain of one batch, as the assets run it, against a scripted model."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kura_pipeline.distil.drafting import DraftResult, draft_batch
from kura_pipeline.distil.editor import Brief, Editor
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.gating import GateResult, gate_batch
from kura_pipeline.distil.llm import LlmEditor
from kura_pipeline.distil.pouring import PourResult, drain, pour_batch
from kura_pipeline.distil.seeds import seeds_of
from kura_pipeline.distil.spot import SpotResult, spot_batch
from kura_runtime.domain.evidence import Batch
from kura_runtime.models.calls import MemoryCalls, RecordingRole
from kura_runtime.models.endpoint import ChatEndpoint
from kura_runtime.store.store import Store
from tests.distil.material import batch, brief
from tests.scripted_model import Cast, ScriptedModel


@dataclass
class Run:
    """What each step returned."""

    spotted: SpotResult
    gated: GateResult
    drafted: DraftResult
    poured: PourResult | None = None


@dataclass
class Workshop:
    """A store, a model and a ledger that outlive a run."""

    root: Path
    model: ScriptedModel
    cast: Cast
    ledger: MemoryCalls = field(default_factory=MemoryCalls)
    served: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.store = Store.create(self.root / "store", name="maker")

    def editor(self, *, refresh: bool = False, **more: Any) -> LlmEditor:
        roles = []
        for name in ("brain", "scribe"):
            endpoint = ChatEndpoint(
                role=name, url=self.model.url, model="tiny", timeout=5, sleep=lambda _: None
            )
            roles.append(RecordingRole(endpoint, self.ledger, role=name, refresh=refresh))
        return LlmEditor(*roles, **more)

    def frozen(self, b: Batch, *, refresh: bool = False) -> Frozen:
        path = self.root / "storage" / "maker" / "frozen" / f"{b.batch_id}.json"
        return Frozen(path, b.batch_id, self.store, served=lambda: self.served, refresh=refresh)

    def run(
        self,
        b: Batch | None = None,
        *,
        refresh: bool = False,
        pour: bool = True,
        a_brief: Brief | None = None,
        editor: Editor | None = None,
        slots: int = 1,
    ) -> Run:
        """All steps; every step opens its own frozen inputs, as the assets do."""
        b, words = b or batch(), a_brief or brief()
        editor = editor or self.editor(refresh=refresh)
        spotted = spot_batch(b, editor, words)
        frozen = self.frozen(b, refresh=refresh)
        gated = gate_batch(b, spotted.rows(), frozen, words.people)
        frozen.save()
        drafted = draft_batch(
            b, gated.rows(), self.store, editor, words, self.frozen(b, refresh=refresh), slots=slots
        )
        run = Run(spotted, gated, drafted)
        if pour:
            run.poured = pour_batch(
                b.batch_id,
                self.store,
                editor,
                words,
                seeds=seeds_of(b.batch_id, gated.rows()),
                drafted=drafted.rows(),
                slots=slots,
            )
        return run

    def drain(self) -> PourResult:
        return drain(self.store, self.editor(), brief())

    def files(self) -> dict[str, bytes]:
        """Every file of the workshop's drafts, by name."""
        folder = self.store.path / "_still" / "drafts"
        return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@contextmanager
def workshop(root: Path, cast: Cast):
    with ScriptedModel(cast) as model:
        yield Workshop(root, model, cast)
