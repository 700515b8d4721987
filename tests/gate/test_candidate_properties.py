"""Properties of the candidate gate over all cases of the suite: idempotent, indifferent to order, deterministic."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kura_pipeline.bench.cases import Case, read_cases
from kura_runtime.domain.candidate import Candidate, CandidateVerdict, ProposedQuote
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.gate.attribution import People
from kura_runtime.gate.candidate import judge
from kura_runtime.gate.echo import Echo
from kura_runtime.text.quotes import BatchIndex
from tests.gate.candidate_cases import lines


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    path = tmp_path_factory.mktemp("cases") / "cases.jsonl"
    path.write_text("\n".join(lines()), encoding="utf-8")
    return list(read_cases(path))


def verdict(case: Case, *, candidate: object = None, events: object = None) -> CandidateVerdict:
    echo = Echo.of([text for _, text in case.store], frozenset())
    index = BatchIndex(events or case.events)  # type: ignore[arg-type]
    return judge(candidate or case.candidate, index, echo, People())  # type: ignore[arg-type]


def test_the_gate_passed_through_the_gate_is_the_same(cases: list[Case]) -> None:
    for case in cases:
        first = verdict(case)
        if not first.quotes:
            continue
        assert case.candidate is not None
        rebuilt = replace(
            case.candidate,
            quotes=tuple(ProposedQuote(q.cls, q.text) for q in first.quotes),
            tags=tuple(t for t, _ in first.tags_kept),
            callsigns=first.callsigns_kept,
        )
        second = verdict(case, candidate=rebuilt)
        assert (second.verdict, second.reason, second.quotes) == (
            first.verdict,
            first.reason,
            first.quotes,
        ), case.id
        if first.verdict == "keep":
            assert (second.judgement, second.tags_kept, second.callsigns_kept) == (
                first.judgement, first.tags_kept, first.callsigns_kept,
            ), case.id  # fmt: skip
            assert second.refusals == (), case.id


PARTS = st.sampled_from(
    ["keep the seed data as it is", "never push to main", "等我看完再说", "error: disk quota exceeded", "offset -3.2 dB", "I think so",
     "please remember this", "⟦secret:jwt⟧", "the user approved it", "\u200b", "\n", ". ", " ", "12,480 rows", "ＡＢＣ １２３", "don’t"]
)  # fmt: skip
SAID = st.tuples(st.sampled_from(list(EvidenceClass)), st.lists(PARTS, min_size=1, max_size=4).map("".join))


@given(
    st.lists(SAID, min_size=1, max_size=5),
    st.lists(SAID, min_size=1, max_size=4),
    st.booleans(),
    st.randoms(use_true_random=False),
)
@settings(max_examples=150, deadline=None)
def test_any_candidate_rebuilt_from_what_survived_gets_the_same_verdict(
    events: list[tuple[EvidenceClass, str]],
    quotes: list[tuple[EvidenceClass, str]],
    stored: bool,
    rng: random.Random,
) -> None:
    batch = [Event(f"e{n}", n, cls, text, None, "s", "j", n, n + 1) for n, (cls, text) in enumerate(events)]
    mixed = list(batch)
    rng.shuffle(mixed)
    echo = Echo.of([events[0][1]] if stored else [], frozenset())
    first = Candidate(
        "I think it is so",
        "project",
        "w",
        tuple(ProposedQuote(c, t) for c, t in [*quotes, *events]),
        ("entrusted", "landmine", "lesson"),
    )
    one = judge(first, BatchIndex(batch), echo, People())
    assert one == judge(first, BatchIndex(mixed), echo, People())
    again = replace(
        first,
        quotes=tuple(ProposedQuote(q.cls, q.text) for q in one.quotes),
        tags=tuple(t for t, _ in one.tags_kept),
    )
    two = judge(again, BatchIndex(batch), echo, People())
    if one.quotes:
        assert (two.verdict, two.reason, two.quotes, two.judgement) == (
            one.verdict,
            one.reason,
            one.quotes,
            one.judgement,
        )
        assert two.tags_kept == one.tags_kept


def test_shuffling_events_changes_nothing(cases: list[Case]) -> None:
    rng = random.Random(1)
    for case in cases:
        mixed = list(case.events)
        rng.shuffle(mixed)
        assert verdict(case, events=mixed) == verdict(case), case.id


def test_the_order_of_the_quotes_does_not_change_the_verdict(cases: list[Case]) -> None:
    for case in cases:
        assert case.candidate is not None
        turned = replace(case.candidate, quotes=tuple(reversed(case.candidate.quotes)))
        first, second = verdict(case), verdict(case, candidate=turned)
        assert (first.verdict, first.reason, set(first.quotes)) == (
            second.verdict,
            second.reason,
            set(second.quotes),
        )


def test_every_quote_that_fell_is_named_with_its_reason(cases: list[Case]) -> None:
    for case in cases:
        assert case.candidate is not None
        result = verdict(case)
        fallen = len(case.candidate.quotes) - len(result.quotes)
        named = [r for r in result.refusals if r.place.startswith("quote") and r.rule in ("G1", "G3")]
        assert len(named) >= fallen, case.id
        assert all(r.rule and r.reason and r.note for r in result.refusals), case.id


def test_no_verdict_depends_on_the_hash_seed_or_the_locale(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(lines()), encoding="utf-8")
    code = (
        "import sys, json; from kura_pipeline.bench.gate import run_cases;"
        "print(json.dumps(run_cases(sys.argv[1]).to_json(), sort_keys=True))"
    )
    said = set()
    for seed, locale in (("0", "C"), ("4242", "tr_TR.UTF-8")):
        env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], env=env, capture_output=True, check=True
        )
        said.add(done.stdout)
    assert len(said) == 1
