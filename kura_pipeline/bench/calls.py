"""`kura bench calls`: how many calls and input tokens a poured memory costs, together and one call a step.

The shipped journals are distilled by the model editor in three nights: as they are, into an empty store; with other names in
them (a second project of the same people: much is near, little is the same); and as they are once more, in other sessions
(the human comes back to what is known). The model is rehearsed: before each question it is told the answer that the
embedded editor would give. So every run is the same, no endpoint is needed, and the two ways of asking must end in the same
drafts. What is compared is only how the questions are put.

`input` counts every token that was sent. `new` leaves out the longest beginning that was sent before, byte for byte, to the
same model in this run: what an endpoint with a prefix cache has to read. Tokens are the house's estimate.
"""

from __future__ import annotations

import platform
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from typing import Any

from kura_pipeline.demo import lay_out
from kura_pipeline.distil.batch import claim, read_batch
from kura_pipeline.distil.brief import brief_of
from kura_pipeline.distil.drafting import DraftRow, draft_batch
from kura_pipeline.distil.editor import Brief, Composed, Novelty, Question, Spotted
from kura_pipeline.distil.evidence import batch_of
from kura_pipeline.distil.extractive import ExtractiveEditor
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.gating import gate_batch
from kura_pipeline.distil.llm import LlmEditor
from kura_pipeline.distil.pouring import pour_batch
from kura_pipeline.distil.prompting import PROMPTS, prompt_text
from kura_pipeline.distil.spot import spot_batch
from kura_runtime.config.load import load
from kura_runtime.config.model import StoreConfig
from kura_runtime.domain.call import Message
from kura_runtime.domain.candidate import Candidate, CandidateVerdict, Refusal
from kura_runtime.domain.draft import Draft, JudgeVerdict, Surface
from kura_runtime.domain.evidence import Batch
from kura_runtime.domain.memory import Memory
from kura_runtime.gate.attribution import People
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.models.calls import MemoryCalls, RecordingRole
from kura_runtime.models.dialect import Parameters
from kura_runtime.models.endpoint import Completion
from kura_runtime.store.store import Store
from kura_runtime.text.tokens import estimate

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
OTHER_NAMES = (
    ("harbor", "orchard"), ("kelp", "walnut"), ("lantern", "beehive"), ("restic", "borg"), ("Postgres", "MariaDB"),
    ("SQLite", "DuckDB"), ("webp", "jxl"), ("avif", "heic"), ("catalog", "register"), ("Pixel", "Fairphone"),
)  # fmt: skip
CHARTER = "# Charter\n\nThis store keeps what was decided, measured and learnt in these projects, and why.\n"


@dataclass(frozen=True)
class Spent:
    """What one way of asking sent. `drafts` are the drafts it ended in, without what names calls."""

    calls: dict[str, int]
    input_tokens: int
    new_tokens: int
    poured: int
    skipped: int
    drafts: tuple[tuple[Any, ...], ...] = field(repr=False)

    def row(self, name: str) -> dict[str, Any]:
        """One line of the table."""
        calls, poured = sum(self.calls.values()), max(self.poured, 1)
        return {
            "asked": name, "calls": calls, "input_tokens": self.input_tokens, "new_tokens": self.new_tokens,
            "poured": self.poured, "calls_a_memory": round(calls / poured, 2),
            "input_tokens_a_memory": self.input_tokens // poured, "new_tokens_a_memory": self.new_tokens // poured,
            "novelty_skipped": self.skipped, "by_task": self.calls,
        }  # fmt: skip


def measure(*, naive: bool = False) -> dict[str, Any]:
    """The common shape of benches. Both ways are always run, for the drafts have to be the same; with `naive` the figures a
    memory are those of one call a step."""
    together, alone = distil(together=True), distil(together=False)
    rows = [together.row("together"), alone.row("one call a step")]
    figures = {
        "calls_a_memory": rows[int(naive)]["calls_a_memory"],
        "input_tokens_a_memory": rows[int(naive)]["input_tokens_a_memory"],
        "new_tokens_a_memory": rows[int(naive)]["new_tokens_a_memory"],
        "fewer_calls": _less(sum(together.calls.values()), sum(alone.calls.values())),
        "fewer_input_tokens": _less(together.input_tokens, alone.input_tokens),
        "fewer_after_prefix_sharing": _less(together.new_tokens, alone.input_tokens),
        "fewer_if_both_share_prefixes": _less(together.new_tokens, alone.new_tokens),
        "same_drafts": int(together.drafts == alone.drafts),
        "target_fewer_after_prefix_sharing": 0.4,
    }
    machine = {"python": platform.python_version(), "system": platform.platform()}
    return {
        "bench": "calls", "tokens": "estimated", "figures": figures, "table": rows[::-1] if naive else rows, "machine": machine,
    }  # fmt: skip


def distil(*, together: bool) -> Spent:
    """Distil the shipped journals in a folder that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="kura-bench-calls-") as folder:
        config = load(lay_out(Path(folder) / "project"))
        cfg = config.stores["demo"]
        store = Store.create(cfg.path, name=cfg.name)
        (cfg.path / "charter.md").write_text(CHARTER, encoding="utf-8")
        calls = MemoryCalls()
        editor = Rehearsed(calls, together=together)
        with closing(Ledger.open(config.ledger_url)) as ledger:
            claim(cfg, ledger, now=NOW)
            first = [
                batch_of(read_batch(cfg, ledger, c.batch_id), c.batch_id, cfg.name)
                for c in ledger.claims.open(cfg.name)
            ]
            done = [_one_batch(cfg, batch, store, editor, Path(folder)) for batch in _nights(first)]
        sent = [(r.role, r.messages) for r in calls.rows]
        return Spent(
            calls=dict(Counter(task_of(messages) for _, messages in sent)),
            input_tokens=sum(estimate(_flat(messages)) for _, messages in sent),
            new_tokens=new_tokens(sent),
            poured=sum(poured for _, _, poured in done),
            skipped=sum(skipped for _, skipped, _ in done),
            drafts=tuple(row for rows, _, _ in done for row in rows),
        )


def _nights(first: Sequence[Batch]) -> list[Batch]:
    """The batches of three nights, each night in the order in which things were said. Ids hold a hash of where the journals
    lie; here they are numbers, so that two runs are the same."""
    ordered = sorted(first, key=lambda b: [(e.ts or "", e.text) for e in b.events])
    batches: list[Batch] = []
    for night, named in enumerate((_as_said, _renamed, _as_said)):
        for n, batch in enumerate(ordered):
            events = tuple(
                replace(
                    e,
                    text=named(e.text),
                    session=f"{e.session}-{night}",
                    event_id=f"{night}-{n}-{at}",
                    journal_key=Path(e.journal_key).name,
                )
                for at, e in enumerate(batch.events)
            )
            batches.append(Batch(f"202606{night + 1:02d}T030000-{n:08x}", batch.store, events))
    return batches


def _as_said(text: str) -> str:
    return text


def _renamed(text: str) -> str:
    for old, new in OTHER_NAMES:
        text = text.replace(old, new)
    return text


def _one_batch(
    cfg: StoreConfig, batch: Batch, store: Store, editor: Rehearsed, folder: Path
) -> tuple[list[tuple[Any, ...]], int, int]:
    batch_id = batch.batch_id
    brief = brief_of(cfg)
    frozen = Frozen(folder / "frozen" / f"{batch_id}.json", batch_id, store)
    spotted = spot_batch(batch, editor, brief)
    gated = gate_batch(batch, spotted.proposals, frozen, brief.people or People(()))
    drafted = draft_batch(batch, gated.gated, store, editor, brief, frozen)
    poured = pour_batch(batch_id, store, editor, brief, drafted=drafted.drafted)
    rows = [_essence(row) for row in drafted.drafted]
    return rows, drafted.counts.get("novelty_skipped", 0), poured.counts["poured"]


def _essence(row: DraftRow) -> tuple[Any, ...]:
    """A draft without its manifest, which names the calls behind it."""
    d = row.draft
    words = (d.surface, d.kind, d.stamp, d.quotes, d.tags, d.callsigns, d.extends, d.conflicts) if d else ()
    return (row.topic, row.outcome, row.reason, row.novelty, row.neighbour, *words)


def new_tokens(sent: Sequence[tuple[str, Sequence[Message]]]) -> int:
    """Estimated tokens that no earlier request to the same role began with. Roles may be one model: then more is shared."""
    seen: dict[str, list[str]] = {}
    total = 0
    for role, messages in sent:
        text = _flat(messages)
        shared = max((_common(text, old) for old in seen.get(role, ())), default=0)
        total += estimate(text[shared:])
        seen.setdefault(role, []).append(text)
    return total


def _common(a: str, b: str) -> int:
    """Length of the longest common beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low


def _flat(messages: Sequence[Message]) -> str:
    return "\n".join(f"{m['role']}\n{m['content']}" for m in messages)


def task_of(messages: Sequence[Message]) -> str:
    """Which prompt a request was made of: the one whose first line of the task it has."""
    prompt = messages[-1]["content"].rsplit("</evidence-", 1)[-1].split("\n")
    return next((name for name in PROMPTS if _task_line(name) in prompt), "other")


def _task_line(name: str) -> str:
    return next((line for line in prompt_text(name).split("\n") if line.startswith("Task: ")), "Task:")


def _less(new: int, old: int) -> float:
    return round(1 - new / old, 3) if old else 0.0


class _Prompter:
    """An endpoint that answers with the line it was given last."""

    identity = "rehearsed@bench"
    parameters = Parameters()

    def __init__(self) -> None:
        self.line = "[]"

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters | None = None,  # noqa: ARG002
        **_: Any,
    ) -> Completion:
        return Completion(self.line, finish="stop", usage={"prompt_tokens": estimate(_flat(messages))})


class Rehearsed(LlmEditor):
    """The model editor, with every question's answer known beforehand from the embedded editor."""

    def __init__(self, calls: MemoryCalls, *, together: bool) -> None:
        self._prompter, self._knows = _Prompter(), ExtractiveEditor()
        roles = [RecordingRole(self._prompter, calls, role=name) for name in ("brain", "scribe")]
        super().__init__(*roles, together=together)

    def spot(self, batch: Batch, brief: Brief) -> Spotted:
        """The coverage pass repeats what was found, so it adds nothing."""
        found = self._knows.spot(batch, brief).candidates
        self._prompter.line = dumps([_candidate(c) for c in found], ensure_ascii=False)
        return super().spot(batch, brief)

    def novelty(self, verdict: CandidateVerdict, neighbours: Sequence[Memory], brief: Brief) -> Novelty:
        said = self._knows.novelty(verdict, neighbours, brief)
        self._prompter.line = dumps({"kind": said.kind, "slug": said.slug})
        return super().novelty(verdict, neighbours, brief)

    def novelties(self, questions: Sequence[Question], brief: Brief) -> list[Novelty | None]:
        said = [(q.id, self._knows.novelty(q.verdict, q.neighbours, brief)) for q in questions]
        self._prompter.line = dumps([{"id": name, "kind": n.kind, "slug": n.slug} for name, n in said])
        return super().novelties(questions, brief)

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
        made = self._knows.compose(verdict, brief, refusals=refusals, before=before, extends=extends).surface
        self._prompter.line = dumps(dict(made.places()), ensure_ascii=False) if made else "no"
        return super().compose(
            verdict, brief, refusals=refusals, before=before, extends=extends, neighbours=neighbours
        )

    def judge(self, draft: Draft, brief: Brief, *, digest: str = "") -> JudgeVerdict:
        said = self._knows.judge(replace(draft, editor=self._knows.name), brief, digest=digest)
        self._prompter.line = dumps(
            {"slug": draft.surface.slug, "verdict": said.verdict, "reason": said.reason}
        )
        return super().judge(draft, brief, digest=digest)


def _candidate(c: Candidate) -> dict[str, Any]:
    return {
        "topic": c.topic, "kind": c.kind, "why": c.why, "quotes": [f"[{q.cls.value}] {q.text}" for q in c.quotes],
        "tags": list(c.tags), "callsigns": list(c.callsigns), "belongs_because": c.belongs_because, "keep": c.keep,
        "may_fade": c.may_fade,
    }  # fmt: skip
