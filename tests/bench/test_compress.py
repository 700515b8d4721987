"""How large a store is beside what it was distilled from: which memories count, and what counted the tokens."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from kura_pipeline.bench.compress import Source, run
from kura_pipeline.bench.tokens import ESTIMATE, tokenizer
from kura_pipeline.distil.batch import batch_of
from kura_pipeline.distil.evidence import evidence_counts, evidence_table
from kura_pipeline.distil.frozen import memory_text
from kura_runtime.config.load import load
from kura_runtime.domain.manifest import Manifest
from kura_runtime.errors import BadInput, StoreDamaged
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.text.tokens import estimate
from tests.distil.material import batch, memory
from tests.pipeline.project import Project

WORDS = f'{sys.executable} -c "import sys; print(len(sys.stdin.read().split()))"'
TABLE = evidence_table("b1", batch(batch_id="b1").events)
TEXTS = "\n".join(e.text for e in batch_of(TABLE).events)


class Shelf:
    """A store of given memories: `manifests` maps a digest to its batch."""

    def __init__(self, *memories, **manifests: str) -> None:
        self._memories, self._manifests = list(memories), manifests

    def memories(self):
        return self._memories

    def manifest(self, digest: str) -> Manifest:
        if digest not in self._manifests:
            raise StoreDamaged(Path(digest), "gone")
        return Manifest("g", "s", self._manifests[digest], {}, (), (), (), {}, {}, (), "")


ONE = memory("one", origin_manifest="m1", provenance="distilled")


def test_only_a_memory_whose_manifest_names_a_recorded_batch_counts() -> None:
    others = (
        memory("typed-in", provenance="direct"),
        memory("brought", provenance="imported"),
        memory("lost", origin_manifest="gone", provenance="distilled"),
        memory("elsewhere", origin_manifest="m2", provenance="distilled"),
    )
    alone = run(Shelf(ONE, m1="b1"), {"b1": Source(lambda: TABLE, {})}, "map")
    mixed = run(Shelf(ONE, *others, m1="b1", m2="b2"), {"b1": Source(lambda: TABLE, {})}, "map")
    assert mixed["figures"]["store_ratio"] == alone["figures"]["store_ratio"]
    assert mixed["unattributed"] == {
        "its batch is not recorded here": ["elsewhere"],
        "manifest lost or damaged": ["lost"],
        "no manifest (direct)": ["typed-in"],
        "no manifest (imported)": ["brought"],
    }
    assert (mixed["figures"]["attributed"], mixed["figures"]["unattributed"]) == (1, 4)


def test_the_ratios_are_tokens_of_memories_and_index_over_evidence_and_of_the_map_over_the_bodies() -> None:
    result = run(Shelf(ONE, m1="b1"), {"b1": Source(lambda: TABLE, {})}, "- the map")["figures"]
    stored = estimate(memory_text(ONE)) + estimate(f"- {ONE.title} — {ONE.trigger}")
    assert result["store_ratio"] == round(stored / estimate(TEXTS), 4)
    assert result["map_ratio"] == round(estimate("- the map") / estimate(ONE.summary), 4)


def test_a_batch_that_gave_nothing_was_read_all_the_same() -> None:
    both = {"b1": Source(lambda: TABLE, {}), "b2": Source(lambda: TABLE, {})}
    figures = run(Shelf(ONE, m1="b1"), both, "")["figures"]
    assert figures["store_ratio"] == pytest.approx(figures["store_ratio_of_sources"] / 2, abs=1e-4)


def test_a_store_with_no_batch_has_no_ratio() -> None:
    result = run(Shelf(memory(), m1="b1"), {}, "map")
    assert "store_ratio" not in result["figures"]
    assert result["table"] == []


def test_context_of_an_earlier_batch_is_not_counted_again() -> None:
    events = batch(batch_id="b1").events
    table = evidence_table("b1", [replace(events[0], context=True), *events[1:]])
    (row,) = run(Shelf(ONE, m1="b1"), {"b1": Source(lambda: table, {})}, "")["table"]
    assert row["raw_tokens"] == estimate("\n".join(e.text for e in events[1:]))


def test_estimated_exact_and_mixed_are_said() -> None:
    shelf, there, gone = (
        Shelf(ONE, m1="b1"),
        Source(lambda: TABLE, {}),
        Source(lambda: None, {"evidence_tokens": 77}),
    )
    words = tokenizer(WORDS)
    assert run(shelf, {"b1": there}, "")["counted"] == "estimated"
    assert run(shelf, {"b1": there}, "", tokenizer=words)["counted"] == "exact"
    mixed = run(shelf, {"b1": there, "b2": gone}, "", tokenizer=words)
    assert mixed["counted"] == "mixed"
    assert [(r["raw_tokens"], r["counted"]) for r in mixed["table"]] == [
        (len(TEXTS.split()), True),
        (77, False),
    ]


def test_where_only_characters_are_left_they_are_counted_by_four() -> None:
    (row,) = run(Shelf(), {"b1": Source(lambda: None, {"characters": 400})}, "")["table"]
    assert row["raw_tokens"] == 100


def test_the_estimate_is_kept_with_the_evidence() -> None:
    assert evidence_counts(TABLE)["evidence_tokens"] == sum(estimate(e.text) for e in batch().events)


def test_a_tokenizer_gets_the_text_as_utf8_on_stdin_without_a_shell() -> None:
    letters = tokenizer(f'{sys.executable} -c "import sys; print(len(sys.stdin.buffer.read()))"')
    assert (letters.count("蔵 $HOME `x`"), letters.count("")) == (13, 0)
    assert tokenizer("  ") is ESTIMATE


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("no-such-tokenizer-here", "cannot be run"),
        (f'{sys.executable} -c "print(1.5)"', "a whole number was expected"),
        (f'{sys.executable} -c "pass"', "a whole number was expected"),
        (f"{sys.executable} -c \"import sys; sys.exit('no vocabulary')\"", "ended with 1 (no vocabulary)"),
        (f'{sys.executable} -c "import time; time.sleep(30)"', "no answer within 0.2 s"),
        ('count "tokens', "No closing quotation"),
    ],
)
def test_a_tokenizer_that_fails_is_named(command: str, complaint: str) -> None:
    with pytest.raises(BadInput, match="--tokenizer-command") as caught:
        tokenizer(command, timeout=0.2 if "sleep" in command else 60).count("some text")
    assert complaint in str(caught.value)


def test_the_command_measures_a_distilled_store(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session()
    assert project.kura("run").returncode == 0
    exact = project.json("bench", "compress", "--tokenizer-command", WORDS)
    assert exact["counted"] == "exact"
    assert exact["figures"]["attributed"] == exact["figures"]["memories"] > 0
    loaded = load(project.config)
    with closing(Ledger.open(loaded.ledger_url)) as ledger:
        (claim,) = ledger.claims.of_store("main", ("done",))
    kept = Path(loaded.storage_root) / "main" / "evidence" / f"{claim.batch_id}.parquet"
    kept.unlink()
    mixed = project.json("bench", "compress", "--tokenizer-command", WORDS)
    assert (mixed["counted"], project.json("bench", "compress")["counted"]) == ("mixed", "estimated")
    failed = project.kura("bench", "compress", "--tokenizer-command", "no-such-tokenizer-here")
    assert failed.returncode == 64
    assert "--tokenizer-command" in failed.stderr
