"""Step `gated`: every candidate before the gate. No model, so a rerun is free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kura_pipeline.distil.spot import Proposal
from kura_runtime.domain.candidate import CandidateVerdict
from kura_runtime.domain.evidence import Batch
from kura_runtime.gate.attribution import People
from kura_runtime.gate.candidate import judge
from kura_runtime.gate.echo import EchoSource
from kura_runtime.text.quotes import BatchIndex


@dataclass(frozen=True, slots=True)
class Gated:
    """The gate's verdict on one proposal."""

    n: int
    verdict: CandidateVerdict
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GateResult:
    """All verdicts of a batch, in the order of the proposals."""

    batch_id: str
    gated: tuple[Gated, ...]

    def rows(self) -> list[Gated]:
        """One row a candidate."""
        return list(self.gated)

    @property
    def kept(self) -> tuple[Gated, ...]:
        """What goes on to the scribe."""
        return tuple(g for g in self.gated if g.verdict.verdict == "keep")

    @property
    def seeds(self) -> tuple[Gated, ...]:
        """Ideas: they go to the seeds, never to the store."""
        return tuple(g for g in self.gated if g.verdict.verdict == "seed")

    @property
    def dropped(self) -> tuple[Gated, ...]:
        """What fell, with its reason."""
        return tuple(g for g in self.gated if g.verdict.verdict == "drop")

    @property
    def reasons(self) -> dict[str, int]:
        """Drop reason → number, the most frequent first."""
        return dict(Counter(g.verdict.reason for g in self.dropped).most_common())

    @property
    def counts(self) -> dict[str, int]:
        """Numbers for metadata."""
        refused = sum(len(g.verdict.refusals) for g in self.gated)
        counts = {"kept": len(self.kept), "seeds": len(self.seeds), "dropped": len(self.dropped)}
        return counts | {"refusals": refused} | {f"dropped_{r}": n for r, n in sorted(self.reasons.items())}


def gate_batch(batch: Batch, candidates: Sequence[Proposal], echo: EchoSource, people: People) -> GateResult:
    """Judge the candidates of a batch against its events. `echo` is the batch's `Frozen`: pure given that."""
    index = BatchIndex(batch.events)
    gated = (Gated(p.n, judge(p.candidate, index, echo, people), p.calls) for p in candidates)
    return GateResult(batch.batch_id, tuple(gated))
