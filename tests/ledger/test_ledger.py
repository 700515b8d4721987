"""The ledger keeps its promises: answers replay, stretches are reserved once, damage is named."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from kura_runtime.domain.call import RecordedCall, call_key
from kura_runtime.errors import ConfigError, KuraError, StoreDamaged
from kura_runtime.ledger.claims import Claim, Mark
from kura_runtime.ledger.ledger import Ledger
from tests.ledger import postgres


def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    """Every claim below holds on both databases."""
    if request.param == "sqlite":
        yield Ledger.open(url(tmp_path / ".kura" / "ledger.db"))
        return
    opened = Ledger.open(postgres.fresh(request.getfixturevalue("postgres_server")))
    yield opened
    opened.close()


def call(key: str = "k" * 64, answer: str = "yes", failure: str = "", **rest: object) -> RecordedCall:
    values: dict[str, object] = {
        "key": key,
        "role": "brain",
        "model": "m@http://127.0.0.1",
        "params": {"temperature": 0.0},
        "messages": ({"role": "user", "content": "なに？"},),
        "answer": answer,
        "failure": failure,
        **rest,
    }
    return RecordedCall(**values)  # type: ignore[arg-type]


def claim(start: int = 0, end: int = 10, batch: str = "20250101T000000-aaaaaaaa", **rest: object) -> Claim:
    made = Claim(batch, "maker", "/j/a.jsonl", "claude", "byte", "s1", 0, 0, 0, start, end, end, "")
    return replace(made, **rest)  # type: ignore[arg-type]


def mark(read_to: int = 10) -> Mark:
    return Mark("maker", "/j/a.jsonl", "claude", "byte", "s1", 0, read_to, 0, "f")


# --- calls ---------------------------------------------------------------------------------------------------------


def test_a_recorded_answer_comes_back_whole(ledger: Ledger) -> None:
    kept = call(
        usage={"prompt_tokens": 3},
        timings={"total": 0.5},
        finish="stop",
        created_at="2025-01-01T00:00:00+00:00",
    )
    ledger.calls.record(kept)
    assert ledger.calls.get(kept.key) == kept


def test_a_failed_call_is_kept_and_never_replayed(ledger: Ledger) -> None:
    ledger.calls.record(call(answer="", failure="timeout"))
    assert ledger.calls.get("k" * 64) is None
    ledger.calls.record(call(answer="later"))
    ledger.calls.record(call(answer="", failure="http"))
    found = ledger.calls.get("k" * 64)
    assert found is not None
    assert found.answer == "later"
    assert ledger.calls.spending()[0]["failed"] == 2


def test_a_refreshed_answer_takes_the_place_of_the_older_one(ledger: Ledger) -> None:
    ledger.calls.record(call(answer="one"))
    ledger.calls.record(call(answer="two"))
    found = ledger.calls.get("k" * 64)
    assert found is not None
    assert found.answer == "two"


def test_an_answer_with_lone_surrogates_and_nul_is_recorded(ledger: Ledger) -> None:
    ledger.calls.record(call(answer="a\ud800b\x00c", messages=({"role": "user", "content": "x\udfff"},)))
    found = ledger.calls.get("k" * 64)
    assert found is not None
    assert found.answer == "a\ufffdb\ufffdc"
    assert found.messages == ({"role": "user", "content": "x\udfff"},)


def test_the_messages_of_a_replayed_call_still_give_its_key(ledger: Ledger) -> None:
    messages = ({"role": "user", "content": "絵文字 🎉 \ud83c"},)
    key = call_key("brain", "m", {"t": 1}, messages)
    ledger.calls.record(call(key=key, params={"t": 1}, messages=messages, model="m"))
    found = ledger.calls.get(key)
    assert found is not None
    assert call_key(found.role, found.model, found.params, found.messages) == key


def test_uses_name_the_batch_in_order_of_first_use(ledger: Ledger) -> None:
    for key, replayed in (("b", False), ("a", False), ("b", True)):
        ledger.calls.used(key, asset="drafts", partition="p1", run_id="r", replayed=replayed)
    assert ledger.calls.of_partition("p1") == ("b", "a")


# --- claims --------------------------------------------------------------------------------------------------------


def test_a_claim_and_its_mark_come_back_as_they_were(ledger: Ledger) -> None:
    made = claim(events={"USER": 2}, left_out={"reasoning": 1}, source_sha256="c" * 64, chars=7)
    ledger.claims.reserve([made], mark(), [("u1", made.batch_id)])
    assert ledger.claims.get(made.batch_id) == made
    assert ledger.claims.marks("maker") == {"/j/a.jsonl": mark()}
    assert ledger.claims.seen("maker", ["u1", "u2"]) == {"u1": made.batch_id}


def test_an_overlapping_stretch_is_refused_and_nothing_of_it_is_written(ledger: Ledger) -> None:
    ledger.claims.reserve([claim()], mark(), [])
    late = [claim(10, 20, "20250101T000001-bbbbbbbb"), claim(9, 30, "20250101T000002-cccccccc")]
    with pytest.raises(KuraError, match="reserved already by batch 20250101T000000-aaaaaaaa"):
        ledger.claims.reserve(late, mark(30), [("u9", "x")])
    assert [c.batch_id for c in ledger.claims.of_store("maker")] == ["20250101T000000-aaaaaaaa"]
    assert ledger.claims.marks("maker")["/j/a.jsonl"].read_to == 10
    assert ledger.claims.seen("maker", ["u9"]) == {}


def test_a_record_seen_once_stays_with_its_first_batch(ledger: Ledger) -> None:
    ledger.claims.reserve([claim()], mark(), [("u1", "first")])
    ledger.claims.reserve([claim(10, 20, "b2")], mark(20), [("u1", "second")])
    assert ledger.claims.seen("maker", ["u1"]) == {"u1": "first"}


def test_stores_share_nothing(ledger: Ledger) -> None:
    ledger.claims.reserve([claim()], mark(), [("u1", "b")])
    assert ledger.claims.seen("other", ["u1"]) == {}
    assert ledger.claims.open("other") == []
    ledger.served.add("maker", ["h"])
    assert ledger.served.hashes("other") == frozenset()


def test_the_third_error_of_its_own_parks_a_batch(ledger: Ledger) -> None:
    made = claim()
    ledger.claims.reserve([made], mark(), [])
    states = [ledger.claims.failed(made.batch_id, f"error {i}").state for i in range(3)]
    assert states == ["claimed", "claimed", "parked"]
    assert ledger.claims.open("maker") == []
    ledger.claims.unpark(made.batch_id)
    assert [c.errors for c in ledger.claims.open("maker")] == [0]


def test_a_finished_batch_may_write_its_evidence_again_and_stays_done(ledger: Ledger) -> None:
    made = claim()
    ledger.claims.reserve([made], mark(), [])
    ledger.claims.evidence_kept(made.batch_id)
    ledger.claims.done(made.batch_id)
    ledger.claims.evidence_kept(made.batch_id)
    found = ledger.claims.get(made.batch_id)
    assert found is not None
    assert found.state == "done"


def test_a_lost_claim_frees_its_records(ledger: Ledger) -> None:
    made = claim()
    ledger.claims.reserve([made], mark(), [("u1", made.batch_id)])
    ledger.claims.lost(made.batch_id, "rewritten")
    assert ledger.claims.seen("maker", ["u1"]) == {}
    with pytest.raises(KuraError, match='is lost and cannot become "evidence"'):
        ledger.claims.evidence_kept(made.batch_id)


def test_an_error_in_any_characters_is_kept(ledger: Ledger) -> None:
    made = claim()
    ledger.claims.reserve([made], mark(), [])
    assert (
        ledger.claims.failed(made.batch_id, "bad \ud800 \x00 words").last_error == "bad \ufffd \ufffd words"
    )
    assert ledger.claims.open("maker")[0].last_error == "bad \ufffd \ufffd words"
    ledger.pours.record(
        "maker", "d", batch_id="b", slug="s", verdict="TOSS", action="tossed", reason="\ud800\x00"
    )
    assert ledger.pours.of_batch("maker", "b")[0]["reason"] == "\ufffd\ufffd"


def test_two_that_keep_the_same_rows_at_once_both_get_through(ledger: Ledger) -> None:
    """A row that another transaction has just inserted must be set, not refused."""
    rows = {f"/j/{i}": ("stamp", {"n": i}) for i in range(300)}

    def work(n: int) -> None:
        for _ in range(5):
            ledger.counts.keep(rows)
            ledger.batches.note("maker", "b", "gated", {"kept": n})
            ledger.served.ingest("maker", "seg", 9, ["h1", "h2"])

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, n) for n in range(4)]:
            done.result()
    assert ledger.counts.of(rows) == rows
    assert ledger.served.read_to("maker", "seg") == 9


def test_an_unknown_batch_is_named(ledger: Ledger) -> None:
    with pytest.raises(KuraError, match="no claim of batch nope"):
        ledger.claims.done("nope")


# --- served, pours, batches, metrics ------------------------------------------------------------------------------


def test_a_segment_is_ingested_once_however_often_it_is_tried(ledger: Ledger) -> None:
    ledger.served.ingest("maker", "served-1.jsonl", 100, ["a", "b", "a"])
    ledger.served.ingest("maker", "served-1.jsonl", 100, ["a", "b"])
    assert ledger.served.hashes("maker") == {"a", "b"}
    assert ledger.served.read_to("maker", "served-1.jsonl") == 100


def test_of_two_times_a_hash_was_served_the_earlier_stays(ledger: Ledger) -> None:
    for at in ("2025-03-02T00:00:00+00:00", "2025-03-01T00:00:00+00:00", "2025-03-03T00:00:00+00:00"):
        ledger.served.ingest("maker", "seg", 1, ["h1"], at)
    assert ledger.served.hashes("maker", "2025-03-01T00:00:00+00:00") == {"h1"}
    assert ledger.served.hashes("maker", "2025-02-28T00:00:00+00:00") == frozenset()


def test_more_rows_than_one_statement_may_bind(ledger: Ledger) -> None:
    many = [f"{i:064d}" for i in range(2500)]
    ledger.served.add("maker", many)
    assert ledger.served.hashes("maker") == set(many)
    ledger.claims.reserve([claim()], mark(), [(h, "b") for h in many])
    assert len(ledger.claims.seen("maker", many)) == 2500


def test_a_second_pour_of_the_same_draft_changes_nothing(ledger: Ledger) -> None:
    for action in ("created", "already"):
        ledger.pours.record("maker", "d", batch_id="b", slug="s", verdict="POUR", action=action)
    row = ledger.pours.get("maker", "d")
    assert row is not None
    assert row["action"] == "created"
    assert len(ledger.pours.of_batch("maker", "b")) == 1


def test_step_figures_are_replaced_by_a_rerun(ledger: Ledger) -> None:
    ledger.batches.note("maker", "b", "gated", {"kept": 1})
    ledger.batches.note("maker", "b", "gated", {"kept": 2})
    assert ledger.batches.of("maker", "b") == {"gated": {"kept": 2}}
    assert ledger.batches.of_step("maker", "gated") == {"b": {"kept": 2}}


def test_metrics_come_back_by_time_and_name(ledger: Ledger) -> None:
    ledger.metrics.add("maker", {"a": 1, "b": 2.5}, at="2025-01-01T00:00:00+00:00")
    ledger.metrics.add("maker", {"a": 3}, at="2025-02-01T00:00:00+00:00", labels={"k": "v"})
    assert [m["value"] for m in ledger.metrics.since("maker", name="a")] == [1.0, 3.0]
    assert [m["labels"] for m in ledger.metrics.since("maker", "2025-01-15")] == [{"k": "v"}]


# --- files that are no ledger, and processes that die -------------------------------------------------------------


def test_a_file_that_is_no_database_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    bad = tmp_path / "ledger.db"
    bad.write_bytes(b"this is a letter to my grandmother, not a database\n" * 100)
    before = bad.read_bytes()
    with pytest.raises(
        StoreDamaged, match=r"ledger\.db: the ledger cannot be read .* left as it is.*kura catchup"
    ):
        Ledger.open(url(bad))
    assert bad.read_bytes() == before


def test_a_ledger_with_torn_pages_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger.open(url(path))
    ledger.served.add("maker", [f"{i:064d}" for i in range(3000)])
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ledger.close()
    data = bytearray(path.read_bytes())
    data[4096 * 3 :] = b"\xff" * (len(data) - 4096 * 3)
    path.write_bytes(bytes(data))
    for leftover in tmp_path.glob("ledger.db-*"):
        leftover.unlink()
    with pytest.raises(StoreDamaged, match=r"ledger\.db"):
        Ledger.open(url(path)).served.hashes("maker")


def test_a_folder_in_the_ledgers_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").mkdir()
    with pytest.raises(KuraError, match=r"ledger\.db: a folder stands where"):
        Ledger.open(url(tmp_path / "ledger.db"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(KuraError, match="not writable"):
            Ledger.open(url(tmp_path / "ledger.db"))
    finally:
        tmp_path.chmod(0o700)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    Ledger.open(url(path)).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = '99'")
    with pytest.raises(KuraError, match="has format 99"):
        Ledger.open(url(path))


@pytest.mark.parametrize("bad", ["", "ledger.db", "nosuchdb://x/y"])
def test_an_unusable_url_is_a_configuration_error(bad: str) -> None:
    with pytest.raises(ConfigError, match=r"\[ledger\] url"):
        Ledger.open(bad)


def _open_and_serve(path: str, n: int) -> None:
    ledger = Ledger.open(f"sqlite:///{path}")
    for i in range(20):
        ledger.served.add("maker", [f"{n}-{i}"])


def test_processes_that_start_on_a_new_file_together_all_get_through(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_open_and_serve, args=(str(path), n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [w.exitcode for w in workers] == [0, 0, 0, 0]
    assert len(Ledger.open(url(path)).served.hashes("maker")) == 80


_WRITER = """
import sys
from kura_runtime.ledger.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
print("ready", flush=True)
i = 0
while True:
    ledger.served.ingest("maker", "s", i + 2, [f"{i}", f"{i + 1}"])
    i += 2
"""


def test_a_writer_killed_at_any_moment_leaves_whole_transactions(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    for delay in (0.0, 0.02, 0.05):
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, url(path)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        ledger = Ledger.open(url(path))
        hashes, upto = ledger.served.hashes("maker"), ledger.served.read_to("maker", "s")
        assert len(hashes) % 2 == 0
        assert {str(i) for i in range(upto)} <= hashes
