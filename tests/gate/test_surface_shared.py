"""The floor on data that was not written for it: the public draft cases, and real memories against their own text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.attribution import People, attributions
from kura_runtime.gate.surface import check

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
CASES, MEMORIES = SHARED / "gate" / "public.jsonl", SHARED / "house" / "memories.jsonl"


def _lines(path: Path) -> list[dict]:
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


class _Everything:
    def __contains__(self, slug: object) -> bool:
        return True


@pytest.mark.skipif(not CASES.exists(), reason="no shared data beside this checkout")
@pytest.mark.parametrize("case", [c for c in _lines(CASES) if c.get("draft")], ids=lambda c: c["id"])
def test_a_public_draft_case_comes_out_as_expected(case: dict) -> None:
    quotes = []
    for n, quote in enumerate(case["candidate"]["quotes"]):
        cls, text = quote.split("] ", 1)
        quotes.append(Quote(EvidenceClass(cls[1:]), text, f"e{n}", "s", "j", n, n + 1, None))
    found = check(
        Surface(**case["draft"]),
        quotes,
        links={m["slug"] for m in case["store"]},
        people=People(),
        judgement=bool(case["expect"]["judgement"]),
    )
    assert {r.reason for r in found} == {case["expect"]["reason"]} - {"none"}


@pytest.mark.skipif(not MEMORIES.exists(), reason="no shared data beside this checkout")
def test_real_memories_pass_against_their_own_words() -> None:
    refused = {}
    for memory in _lines(MEMORIES):
        parts = {
            k: memory.get(k) or ""
            for k in ("title", "trigger", "body", "belongs_because", "keep", "may_fade")
        }
        quotes = [
            Quote(cls, text, f"{cls}{n}", "s", "j", n, n + 1, None)
            for n, text in enumerate(parts.values())
            if text
            for cls in (EvidenceClass.TOOL, EvidenceClass.USER)
        ]
        if found := check(Surface("own-draft", **parts), quotes, links=_Everything(), people=People()):
            refused[memory["slug"]] = found
    assert refused == {}


@pytest.mark.skipif(not MEMORIES.exists(), reason="no shared data beside this checkout")
def test_hardly_any_text_of_real_memories_credits_a_human_by_mistake() -> None:
    parts = [
        m.get(k) or "" for m in _lines(MEMORIES) for k in ("title", "trigger", "body", "keep", "may_fade")
    ]
    crediting = [a.token for text in parts for a in attributions(text)]
    assert 0 < len(crediting) < 0.01 * len(parts), crediting
