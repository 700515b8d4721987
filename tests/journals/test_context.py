"""A giant session comes in several batches; what stands before each is shown for understanding, and is never evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kura_pipeline.distil.batch import batch_of, claim, read_batch
from kura_pipeline.distil.gating import gate_batch
from kura_pipeline.distil.spot import Proposal
from kura_runtime.domain.candidate import Candidate, ProposedQuote
from kura_runtime.domain.evidence import Batch, EvidenceClass
from kura_runtime.gate.attribution import People
from kura_runtime.gate.candidate import judge
from kura_runtime.gate.echo import Echo
from kura_runtime.text.quotes import BatchIndex
from tests.journals.samples import claude, line, text
from tests.journals.stores import NOW, ledger, store

QUESTION = "Shall the archive move to the slow disk, and may I delete the old copies?"
ANSWER = "Yes, do that, and from now on always."
NOTHING = Echo.of((), frozenset())


def batches(tmp_path: Path, rows: list[dict[str, Any]], chunk: int = 2000) -> list[Batch]:
    (tmp_path / "j").mkdir()
    (tmp_path / "j" / "s.jsonl").write_bytes(b"".join(line(r) for r in rows))
    cfg, book = store(tmp_path, {"claude": "j"}, chunk_chars=chunk), ledger(tmp_path)
    made = sorted(claim(cfg, book, now=NOW).batches, key=lambda c: c.start)
    return [batch_of(read_batch(cfg, book, c.batch_id)) for c in made]


def dialogue(question: str, before: int = 12) -> list[dict[str, Any]]:
    """Long talk, a question of the agent's, and the human's answer at a place where a batch must end before it."""
    rows = []
    for n in range(before):
        rows.append(claude("user", f"turn {n} " + "word " * 60, uuid=f"u{n}"))
        rows.append(claude("assistant", [text(f"reply {n} " + "word " * 60)], uuid=f"a{n}"))
    rows.append(claude("assistant", [text(question)], uuid="q"))
    rows.append(claude("user", ANSWER + " " + "word " * 380, uuid="answer"))
    return rows


def verdict(batch: Batch, cls: EvidenceClass, quote: str) -> str:
    candidate = Candidate("where the archive lies", "project", "w", (ProposedQuote(cls, quote),))
    return judge(candidate, BatchIndex(batch.events), NOTHING, People()).verdict


@pytest.mark.parametrize(
    "question", [QUESTION, QUESTION + " " + "detail " * 560, QUESTION + " " + "detail " * 5000]
)
def test_the_question_before_an_answer_is_shown_and_not_quotable(tmp_path: Path, question: str) -> None:
    """Also where the question alone is longer than what context usually holds (it is cut to its cap, head and tail)."""
    found = batches(tmp_path, dialogue(question))
    answering = next(b for b in found if any(ANSWER in e.text and not e.context for e in b.events))
    shown = [e for e in answering.events if e.context]
    assert any(QUESTION in e.text for e in shown), "what was answered is understood"
    assert verdict(answering, EvidenceClass.SELF, QUESTION) == "drop", "and is no evidence here"
    own = next(b for b in found if any(QUESTION in e.text and not e.context for e in b.events))
    assert BatchIndex(own.events).resolve(ProposedQuote(EvidenceClass.SELF, QUESTION)), (
        "it is where it was said"
    )


def test_every_word_is_evidence_in_exactly_one_batch_and_batches_end_at_turns(tmp_path: Path) -> None:
    rows = dialogue(QUESTION, before=30)
    found = batches(tmp_path, rows)
    assert len(found) > 8
    evidence = [e.event_id for b in found for e in b.events if not e.context]
    assert len(evidence) == len(set(evidence)) == len(rows)
    firsts = [next(e for e in b.events if not e.context) for b in found[1:]]
    assert all(e.cls is EvidenceClass.USER for e in firsts)
    earlier: list[str] = []
    for batch in found:
        shown = [e.event_id for e in batch.events if e.context]
        assert shown == earlier[len(earlier) - len(shown) :] and bool(shown) == bool(earlier)
        earlier += [e.event_id for e in batch.events if not e.context]


def test_the_gate_step_drops_a_quote_out_of_context_and_counts_why(tmp_path: Path) -> None:
    found = batches(tmp_path, dialogue(QUESTION))
    answering = next(b for b in found if any(ANSWER in e.text and not e.context for e in b.events))
    earlier = next(e for e in answering.events if e.context and e.cls is EvidenceClass.USER)
    taken = Candidate("a turn", "project", "w", (ProposedQuote(EvidenceClass.USER, earlier.text[:60]),))
    kept = Candidate("an answer", "project", "w", (ProposedQuote(EvidenceClass.USER, ANSWER),))
    judged = gate_batch(answering, (Proposal(1, taken), Proposal(2, kept)), NOTHING, People())
    assert [g.verdict.verdict for g in judged.gated] == ["drop", "keep"]
    assert judged.reasons == {"not-found": 1}
