"""The editor: who picks, writes and judges. Two implementations: the models (`llm`) and the embedded one (`extractive`).

Every method is deterministic given its inputs, or goes through recorded calls that replay. An editor touches no store,
no clock and no file: what it may know of the store is handed to it. What it returns is believed by nobody before the
gate has looked at it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from kura_runtime.domain.candidate import Candidate, CandidateVerdict, Refusal
from kura_runtime.domain.draft import Draft, JudgeVerdict, Surface
from kura_runtime.domain.evidence import Batch
from kura_runtime.domain.memory import Memory

if TYPE_CHECKING:
    from kura_runtime.gate.attribution import People

NoveltyKind = Literal["NEW", "COVERED", "EXTENDS", "CONFLICTS"]


@dataclass(frozen=True, slots=True)
class Brief:
    """What an editor is told beside the evidence.

    `language` is BCP 47 or "" (then: the evidence's own). `charter` and `profile` are the store's texts, or "".
    `people` are the configured persons whose words need evidence, like the user's own. `slugs` are the memories a
    surface may link to; the drafting step fills it in for each candidate (the neighbours it froze, and the drafts of
    the batch so far), so that a rerun sees the same. `max_items` bounds one answer of `spot`.
    """

    store: str
    language: str = ""
    charter: str = ""
    profile: str = ""
    people: People | None = None
    slugs: frozenset[str] = frozenset()
    max_items: int = 12


@dataclass(frozen=True, slots=True)
class Spotted:
    """What `spot` proposes. `salvaged` counts items rescued from broken JSON, `lost` the fragments that could not be
    (reason → count), `cut` the candidates beyond `max_items` or repeated. `calls` are keys of recorded model calls."""

    candidates: tuple[Candidate, ...]
    salvaged: int = 0
    cut: int = 0
    calls: tuple[str, ...] = ()
    lost: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Novelty:
    """How a candidate stands to the neighbours shown. `slug` names one of them for COVERED, EXTENDS and CONFLICTS and
    is "" for NEW. `note` says so where the answer was unreadable and NEW is only the safe reading."""

    kind: NoveltyKind
    slug: str = ""
    calls: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One kept item and the memories it is to be compared with. `id` names it in an answer about several items; `n` is its
    place among the items of the batch."""

    id: str
    n: int
    verdict: CandidateVerdict
    neighbours: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class SeedQuestion:
    """One kept item and the waiting seeds that it may confirm (rows of the seeds' list). `n` is its place among the kept
    items of the batch."""

    id: str
    n: int
    verdict: CandidateVerdict
    seeds: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Composed:
    """A surface, or None with the short fixed `reason` (no-answer, unreadable, declined, wrong-shape)."""

    surface: Surface | None
    calls: tuple[str, ...] = ()
    reason: str = ""


@runtime_checkable
class Editor(Protocol):
    """Raises `ModelUnavailable` from any method where a model is out of reach; an outage is never a verdict."""

    @property
    def name(self) -> str:
        """`extractive`, or `llm`; stands in every memory as its editor."""
        ...

    @property
    def version(self) -> str:
        """Moves whenever the same inputs may give other outputs (prompt texts, rules)."""
        ...

    def models(self) -> dict[str, str]:
        """Role → model identity, for the manifest; {} where there is no model."""
        ...

    def prompts(self) -> dict[str, str]:
        """Prompt name → its version (a short hash of its bytes), for the manifest; {} where there are none."""
        ...

    def spot(self, batch: Batch, brief: Brief) -> Spotted:
        """Candidates of the whole batch. Events with `context` are there to be understood, never to be quoted."""
        ...

    def novelty(self, verdict: CandidateVerdict, neighbours: Sequence[Memory], brief: Brief) -> Novelty:
        """Compare a kept candidate with at most three memories of the store. No neighbours: NEW, without a call."""
        ...

    def compose(
        self,
        verdict: CandidateVerdict,
        brief: Brief,
        *,
        refusals: Sequence[Refusal] = (),
        before: Surface | None = None,
        extends: Memory | None = None,
        neighbours: Sequence[Memory] = (),
    ) -> Composed:
        """Write the memory from the surviving quotes. A second try gets the `refusals` of the floor and the surface
        `before` that earned them. With `extends`, write only the new section (heading and body): the old memory's words
        are kept as they stand and slug, title and trigger of the answer are ignored. `neighbours` may be linked to."""
        ...

    def judge(self, draft: Draft, brief: Brief, *, digest: str = "") -> JudgeVerdict:
        """Read the draft cold. No answer, an unreadable one, or one about another slug is SKIP, never TOSS. The
        verdict carries `digest`, the sha256 of the draft bytes that were judged."""
        ...


@runtime_checkable
class ComparesTogether(Protocol):
    """An editor that compares several items in one call."""

    def fitting(self, questions: Sequence[Question], brief: Brief) -> int:
        """How many of the first questions fit into one call; 0 or 1: ask them one by one."""
        ...

    def novelties(self, questions: Sequence[Question], brief: Brief) -> list[Novelty | None]:
        """One novelty a question, in order; None where the answer left the question out, said two things about it, or named
        a memory that was not shown with it. Raises ModelFailure, whatever its kind: the caller asks one by one then."""
        ...

    def novelty(self, verdict: CandidateVerdict, neighbours: Sequence[Memory], brief: Brief) -> Novelty:
        """See `Editor.novelty`."""
        ...


@runtime_checkable
class ConfirmsSeeds(Protocol):
    """An editor that can say which waiting ideas new evidence confirms."""

    def sprouts(self, questions: Sequence[SeedQuestion], brief: Brief) -> list[tuple[str, str]]:
        """(item id, seed id) of every pair it names, believed by nobody yet. Raises ModelFailure."""
        ...
