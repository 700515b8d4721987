"""Step `candidates`: what the editor finds in a batch. Nothing here is believed yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from kura_pipeline.distil.editor import Brief, Editor
from kura_runtime.domain.candidate import Candidate
from kura_runtime.domain.evidence import Batch


@dataclass(frozen=True, slots=True)
class Proposal:
    """One candidate and the keys of the model calls it came from. `n` counts from 1 within the batch."""

    n: int
    candidate: Candidate
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpotResult:
    """See `Spotted` for `salvaged`, `cut` and `lost`."""

    batch_id: str
    editor: str
    proposals: tuple[Proposal, ...]
    salvaged: int = 0
    cut: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    calls: tuple[str, ...] = ()

    def rows(self) -> list[Proposal]:
        """One row a candidate."""
        return list(self.proposals)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers for metadata."""
        counts = {"candidates": len(self.proposals), "salvaged": self.salvaged, "cut": self.cut}
        return counts | {f"lost_{reason}": n for reason, n in sorted(self.lost.items())}


def spot_batch(batch: Batch, editor: Editor, brief: Brief) -> SpotResult:
    """Let the editor read the batch. A batch without citable events costs no call. Raises ModelUnavailable."""
    if all(event.context or not event.text.strip() for event in batch.events):
        return SpotResult(batch.batch_id, editor.name, ())
    spotted = editor.spot(batch, brief)
    proposals = tuple(Proposal(n, c, spotted.calls) for n, c in enumerate(spotted.candidates, 1))
    return SpotResult(
        batch.batch_id,
        editor.name,
        proposals,
        spotted.salvaged,
        spotted.cut,
        dict(spotted.lost),
        spotted.calls,
    )
