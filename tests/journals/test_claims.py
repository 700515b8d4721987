"""Reserve before you drink: every record is distilled exactly once, and a batch reads back the same for ever."""

from __future__ import annotations

import os
import random
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from kura_pipeline.distil.batch import (
    EVIDENCE_SCHEMA,
    ClaimReport,
    batch_of,
    catch_up,
    claim,
    evidence_counts,
    find,
    read_batch,
    unread,
)
from kura_pipeline.distil.claiming import Planner
from kura_pipeline.storage import parquet_bytes
from kura_runtime.config.model import StoreConfig
from kura_runtime.errors import JournalUnreadable, KuraError, StoreDamaged
from kura_runtime.ledger.claims import Claim
from kura_runtime.ledger.ledger import Ledger
from tests.journals.samples import PI_HEADER, SAMPLES, claude, line, pi, result, text
from tests.journals.stores import NOW, ledger, store


class Room:
    """A store, its ledger and a folder of Claude sessions."""

    def __init__(self, folder: Path, **distill: Any) -> None:
        self.folder = folder
        self.journals = folder / "j"
        self.journals.mkdir(exist_ok=True)
        self.cfg: StoreConfig = store(folder, {"claude": "j"}, **distill)
        self.ledger: Ledger = ledger(folder)
        self.minute = 0

    def write(self, name: str, *rows: dict[str, Any], append: bool = False, mtime: int = 0) -> Path:
        path = self.journals / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab" if append else "wb") as out:
            out.write(b"".join(line(r) for r in rows))
        if mtime:
            os.utime(path, (mtime, mtime))
        return path

    def claim(self, **rest: Any) -> ClaimReport:
        self.minute += 1
        return claim(self.cfg, self.ledger, now=NOW + timedelta(minutes=self.minute), **rest)

    def read(self, made: Claim) -> pa.Table:
        return read_batch(self.cfg, self.ledger, made.batch_id)

    def texts(self, made: Claim, *, context: bool = False) -> list[str]:
        return [e.text for e in batch_of(self.read(made)).events if e.context is context]


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def turns(n: int, start: int = 0, words: str = "word " * 20) -> list[dict[str, Any]]:
    rows = []
    for i in range(start, start + n):
        rows.append(claude("user", f"question {i} {words}", uuid=f"u{i}", parent=f"a{i - 1}" if i else None))
        rows.append(claude("assistant", [text(f"answer {i} {words}")], uuid=f"a{i}", parent=f"u{i}"))
    return rows


@pytest.mark.parametrize("kind", sorted(SAMPLES))
def test_a_journal_of_any_kind_is_claimed_once_and_reads_back_as_what_was_said(
    tmp_path: Path, kind: str
) -> None:
    cfg, book = store(tmp_path, {SAMPLES[kind].name: "j"}, chunk_chars=1000), ledger(tmp_path)
    SAMPLES[kind].write(tmp_path / "j")
    handed: dict[str, pa.Table] = {}
    report = claim(cfg, book, now=NOW, sink=lambda c, t: handed.update({c.batch_id: t}))
    assert report.failures == ()
    read = {c.batch_id: read_batch(cfg, book, c.batch_id) for c in report.batches}
    assert {k: parquet_bytes(t) for k, t in read.items()} == {k: parquet_bytes(t) for k, t in handed.items()}
    batches = [batch_of(t) for t in read.values()]
    assert [(e.cls.value, e.text) for b in batches for e in b.events if not e.context] == list(
        SAMPLES[kind].said
    )
    assert claim(cfg, book, now=NOW + timedelta(hours=1)).batches == ()
    os.utime(next(p for p in (tmp_path / "j").rglob("*") if p.is_file()))
    assert claim(cfg, book, now=NOW + timedelta(hours=2)).batches == ()


def test_a_torn_archive_gives_what_stands_before_the_tear_and_a_failure_then_the_rest(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"dsh": "j"}), ledger(tmp_path)
    path = SAMPLES["dsh"].write(tmp_path / "j", SAMPLES["dsh"].data[:-300])
    first = claim(cfg, book, now=NOW)
    assert len(first.failures) == 1
    assert "torn after" in first.failures[0]
    (made,) = first.batches
    path.write_bytes(SAMPLES["dsh"].data)
    second = claim(cfg, book, now=NOW + timedelta(hours=1))
    assert second.failures == ()
    said = [
        e
        for c in (made, *second.batches)
        for e in batch_of(read_batch(cfg, book, c.batch_id)).events
        if not e.context
    ]
    assert [(e.cls.value, e.text) for e in said] == list(SAMPLES["dsh"].said)


def test_a_rollout_that_goes_cold_is_not_distilled_again(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"codex": "j"}), ledger(tmp_path)
    path = SAMPLES["codex"].write(tmp_path / "j")
    claim(cfg, book, now=NOW)
    path.with_name(path.name + ".zst").write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    path.unlink()
    report = claim(cfg, book, now=NOW + timedelta(hours=1))
    assert report.batches == ()
    assert report.repeated == 4


def test_what_is_claimed_reads_back_as_what_was_said(room: Room) -> None:
    SAMPLES["claude"].write(room.journals)
    (made,) = room.claim().batches
    batch = batch_of(room.read(made), made.batch_id, "maker")
    assert [(e.cls.value, e.text) for e in batch.events] == list(SAMPLES["claude"].said)
    assert [e.seq for e in batch.events] == [0, 1, 2, 3, 4]
    assert made.events == {"ACT": 1, "SELF": 2, "TOOL": 1, "USER": 1}
    assert made.batch_id.startswith("20250601T120100-")
    assert room.claim().batches == ()


def test_the_table_has_the_schema_and_survives_parquet_bytes(room: Room) -> None:
    SAMPLES["claude"].write(room.journals)
    (made,) = room.claim().batches
    table = room.read(made)
    assert table.schema == EVIDENCE_SCHEMA
    again = pq.read_table(pa.BufferReader(parquet_bytes(table)))
    assert batch_of(again) == batch_of(table)


def test_the_evidence_of_a_claim_is_the_same_bytes_however_often_and_however_the_journal_grows(
    room: Room,
) -> None:
    room.write("s.jsonl", *turns(5))
    handed: dict[str, pa.Table] = {}
    (made,) = room.claim(sink=lambda c, t: handed.update({c.batch_id: t})).batches
    first = parquet_bytes(handed[made.batch_id])
    assert parquet_bytes(room.read(made)) == first
    room.write("s.jsonl", claude("user", "another way", uuid="x", parent="a0"), *turns(3, 5), append=True)
    assert parquet_bytes(room.read(made)) == first
    room.claim()
    assert parquet_bytes(room.read(made)) == first


def test_evidence_that_was_kept_needs_the_journal_no_more(room: Room) -> None:
    path = room.write("s.jsonl", *turns(2))
    (made,) = room.claim().batches
    kept = room.read(made)
    path.unlink()
    assert read_batch(room.cfg, room.ledger, made.batch_id, kept=kept) is kept
    after = room.ledger.claims.get(made.batch_id)
    assert after is not None
    assert after.state == "evidence"
    with pytest.raises(StoreDamaged, match="lacks event_id"):
        read_batch(room.cfg, room.ledger, made.batch_id, kept=kept.drop_columns(["event_id"]))


def test_only_what_is_new_is_claimed_after_growth(room: Room) -> None:
    room.write("s.jsonl", *turns(2))
    room.claim()
    room.write("s.jsonl", *turns(1, 2), append=True)
    (made,) = room.claim().batches
    assert [t.split(" word")[0] for t in room.texts(made)] == ["question 2", "answer 2"]
    assert [t.split(" word")[0] for t in room.texts(made, context=True)] == [
        "question 0",
        "answer 0",
        "question 1",
        "answer 1",
    ]


def test_a_half_written_line_is_left_and_read_when_it_is_whole(room: Room) -> None:
    whole = b"".join(line(r) for r in turns(2))
    path = room.journals / "s.jsonl"
    path.write_bytes(whole[:-30])
    (first,) = room.claim().batches
    assert len(room.texts(first)) == 3
    path.write_bytes(whole)
    (second,) = room.claim().batches
    assert len(room.texts(second)) == 1
    assert second.start == first.end


def test_a_giant_session_is_cut_into_batches_at_human_turns_with_context_before_them(tmp_path: Path) -> None:
    room = Room(tmp_path, chunk_chars=3000)
    room.write("s.jsonl", *turns(60))
    made = room.claim().batches
    assert len(made) > 4
    assert all(c.chars <= 3000 for c in made)
    assert [c.start for c in made[1:]] == [c.end for c in made[:-1]]
    for c in made[1:]:
        assert room.texts(c)[0].startswith("question")
        before = room.texts(c, context=True)
        assert before
        assert sum(map(len, before)) <= 4000
    said = [t for c in made for t in room.texts(c)]
    assert [t.split(" word")[0] for t in said] == [
        f"{w} {i}" for i in range(60) for w in ("question", "answer")
    ]


def test_a_record_bigger_than_a_batch_is_a_batch_of_its_own(tmp_path: Path) -> None:
    room = Room(tmp_path, chunk_chars=1000, text_cap=4000)
    room.write("s.jsonl", claude("user", "a" * 3000, uuid="a"), claude("user", "b" * 3000, uuid="b"))
    assert [c.chars for c in room.claim().batches] == [3000, 3000]


def test_a_batch_is_of_one_session(room: Room) -> None:
    room.write("s.jsonl", *turns(1), claude("user", "other", uuid="o", sessionId="session-two"))
    made = room.claim().batches
    assert [c.session for c in made] == ["session-one", "session-two"]
    assert room.texts(made[1], context=True) == []


def test_newest_journals_come_first_and_the_limit_holds(room: Room) -> None:
    for i, name in enumerate(("old", "new", "mid")):
        row = claude("user", name, uuid=name, sessionId=name)
        room.write(f"{name}.jsonl", row, mtime=1_000_000 + {"old": 0, "mid": 50, "new": 99}[name] + 0 * i)
    first = room.claim(limit=2).batches
    assert [c.session for c in first] == ["new", "mid"]
    assert [c.session for c in room.claim(limit=2).batches] == ["old"]


def test_a_limit_inside_one_journal_goes_on_where_it_stopped(tmp_path: Path) -> None:
    room = Room(tmp_path, chunk_chars=2000)
    room.write("s.jsonl", *turns(60))
    said: list[str] = []
    while made := room.claim(limit=3).batches:
        assert len(made) <= 3
        said += [t for c in made for t in room.texts(c)]
    assert len(said) == len(set(said)) == 120


def test_little_is_left_alone_only_when_that_is_asked_for(room: Room) -> None:
    room.write("s.jsonl", *turns(1))
    waited = room.claim(min_chars=6000)
    assert waited.batches == ()
    assert 0 < waited.unread < 6000
    assert room.ledger.claims.marks("maker") == {}
    assert len(room.claim().batches) == 1


def test_enough_in_several_journals_together_is_claimed_from_all_of_them(room: Room) -> None:
    for i in range(4):
        room.write(f"s{i}.jsonl", claude("user", "x" * 2000, uuid=f"u{i}", sessionId=f"s{i}"))
    assert len(room.claim(min_chars=6000).batches) == 4


def test_journals_older_than_the_window_are_left_and_counted(room: Room) -> None:
    room.write("old.jsonl", *turns(1), mtime=1_000_000)
    left = room.claim(since=NOW - timedelta(days=7))
    assert left.batches == ()
    assert left.skipped == {"older-than-window": 1}


# --- the same record twice ----------------------------------------------------------------------------------------


def test_a_resumed_session_copies_rows_into_a_new_file_and_they_are_distilled_once(room: Room) -> None:
    room.write("one.jsonl", *turns(3))
    room.claim()
    room.write("two.jsonl", *turns(3), claude("user", "and now?", uuid="new"))
    report = room.claim()
    (made,) = report.batches
    assert room.texts(made) == ["and now?"]
    assert report.repeated == 6


def test_rows_copied_within_one_file_are_distilled_once_across_batches(tmp_path: Path) -> None:
    room = Room(tmp_path, chunk_chars=1000)
    room.write("s.jsonl", *turns(10), *turns(10), claude("user", "end", uuid="end"))
    said = [t for c in room.claim().batches for t in room.texts(c)]
    assert len(said) == len(set(said)) == 21


def test_a_row_that_stands_twice_in_one_batch_is_distilled_once(room: Room) -> None:
    room.write("s.jsonl", *turns(2), *turns(3))
    report = room.claim()
    (made,) = report.batches
    assert len(room.texts(made)) == 6
    assert report.repeated == 4


def test_a_last_line_that_got_its_newline_after_the_claim_gives_the_same_bytes(room: Room) -> None:
    path = room.journals / "s.jsonl"
    whole = b"".join(line(r) for r in turns(2))
    path.write_bytes(whole[:-1])
    (made,) = room.claim().batches
    first = parquet_bytes(room.read(made))
    path.write_bytes(whole + b"".join(line(r) for r in turns(1, 2)))
    assert parquet_bytes(room.read(made)) == first
    assert batch_of(room.read(made)).events[-1].byte_end == len(whole) - 1


def test_a_file_with_nothing_but_copies_makes_no_batch_and_is_read(room: Room) -> None:
    room.write("one.jsonl", *turns(3))
    room.claim()
    room.write("two.jsonl", *turns(3))
    assert room.claim().batches == ()
    assert unread(room.cfg, room.ledger).bytes == 0


def test_a_rewritten_file_is_read_again_and_what_was_read_before_is_not_distilled_twice(room: Room) -> None:
    room.write("s.jsonl", *turns(3))
    room.claim()
    room.write("s.jsonl", claude("user", "put in front", uuid="front"), *turns(4))
    report = room.claim()
    (made,) = report.batches
    assert report.reread == (str(room.journals / "s.jsonl"),)
    assert report.repeated == 6
    assert [t.split(" word")[0] for t in room.texts(made)] == ["put in front", "question 3", "answer 3"]


def test_a_shrunk_file_is_read_again_from_its_beginning(room: Room) -> None:
    room.write("s.jsonl", *turns(5))
    room.claim()
    room.write("s.jsonl", *turns(1), claude("user", "new", uuid="n"))
    report = room.claim()
    assert len(report.reread) == 1
    assert [room.texts(c) for c in report.batches] == [["new"]]


def test_a_stretch_rewritten_before_its_evidence_was_kept_is_lost_by_name_and_read_anew(room: Room) -> None:
    path = room.write("s.jsonl", *turns(30))
    (made,) = room.claim().batches
    data = path.read_bytes()
    middle = len(data) // 2
    path.write_bytes(
        data[:middle].replace(b"answer 9", b"ANSWER 9") + data[middle:]
    )  # head, tail and size stay the same
    with pytest.raises(JournalUnreadable, match="rewritten before its evidence was kept"):
        room.read(made)
    (again,) = room.claim().batches
    assert len(room.texts(again)) == 60
    assert any(t.startswith("ANSWER 9") for t in room.texts(again))
    with pytest.raises(KuraError, match="is gone"):
        room.read(made)


def test_a_branched_pi_file_gives_only_its_own_words(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"pi": "p"}), ledger(tmp_path)
    (tmp_path / "p").mkdir()
    rows = [pi("user", "never rebase", 1), pi("assistant", [text("ok")], 2)]
    (tmp_path / "p" / "a.jsonl").write_bytes(b"".join(line(r) for r in (PI_HEADER, *rows)))
    claim(cfg, book, now=NOW)
    branch = ({**PI_HEADER, "id": "pi-two"}, *rows, pi("user", "a new branch", 9))
    (tmp_path / "p" / "b.jsonl").write_bytes(b"".join(line(r) for r in branch))
    (made,) = claim(cfg, book, now=NOW + timedelta(minutes=1)).batches
    batch = batch_of(read_batch(cfg, book, made.batch_id))
    assert [e.text for e in batch.events if not e.context] == ["a new branch"]


def test_an_edited_note_gives_only_its_new_paragraphs(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"text": "notes"}), ledger(tmp_path)
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "n.md"
    note.write_text("one\n\ntwo\n\nthree\n")
    claim(cfg, book, now=NOW)
    note.write_text("zero\n\none\n\ntwo and a half\n\nthree\n\nfour\n")
    (made,) = claim(cfg, book, now=NOW + timedelta(minutes=1)).batches
    batch = batch_of(read_batch(cfg, book, made.batch_id))
    assert [e.text for e in batch.events if not e.context] == ["zero", "two and a half", "four"]


# --- marks, catch-up, failures -------------------------------------------------------------------------------------


def test_a_catch_up_passes_everything_over_and_only_moves_forward(room: Room) -> None:
    room.write("s.jsonl", *turns(3))
    passed = catch_up(room.cfg, room.ledger, now=NOW)
    assert (passed.journals, passed.skipped) == (1, 6)
    assert room.claim().batches == ()
    assert [c.state for c in room.ledger.claims.of_store("maker")] == ["skipped"]
    again = catch_up(room.cfg, room.ledger, now=NOW + timedelta(hours=1))
    assert (again.journals, again.skipped) == (0, 0)
    room.write("s.jsonl", *turns(1, 3), append=True)
    (made,) = room.claim().batches
    assert len(room.texts(made)) == 2


def test_records_passed_over_stay_passed_over_in_a_resumed_copy(room: Room) -> None:
    room.write("s.jsonl", *turns(3))
    catch_up(room.cfg, room.ledger, now=NOW)
    room.write("copy.jsonl", *turns(3), claude("user", "new", uuid="n"))
    (made,) = room.claim().batches
    assert room.texts(made) == ["new"]


def test_a_catch_up_leaves_open_claims_alone(room: Room) -> None:
    room.write("s.jsonl", *turns(3))
    (made,) = room.claim().batches
    room.write("s.jsonl", *turns(2, 3), append=True)
    catch_up(room.cfg, room.ledger, now=NOW + timedelta(hours=1))
    assert [c.batch_id for c in room.ledger.claims.open("maker")] == [made.batch_id]
    assert len(room.texts(made)) == 6


def test_one_bad_root_or_file_does_not_stop_the_others(tmp_path: Path) -> None:
    cfg, book = store(tmp_path, {"claude": "j", "pi": "missing"}), ledger(tmp_path)
    SAMPLES["claude"].write(tmp_path / "j")
    (tmp_path / "j" / "bad.jsonl").write_bytes(b"not a journal\n")
    report = claim(cfg, book, now=NOW)
    assert len(report.batches) == 1
    assert len(report.failures) == 2
    assert any("missing: no such folder" in f for f in report.failures)
    assert any("bad.jsonl: unknown format" in f for f in report.failures)


def test_a_store_that_is_not_there_is_named(tmp_path: Path) -> None:
    room = Room(tmp_path)
    (tmp_path / "store").rmdir()
    with pytest.raises(
        KuraError, match=r"store: the folder of store maker is missing; create it with `kura init maker"
    ):
        room.claim()


def test_an_unknown_batch_is_named(room: Room) -> None:
    with pytest.raises(KuraError, match="no claim of batch 20250101T000000-00000000 in store maker"):
        read_batch(room.cfg, room.ledger, "20250101T000000-00000000")


def test_the_stat_of_the_journals_says_how_much_is_unread(room: Room) -> None:
    path = room.write("s.jsonl", *turns(3), mtime=1_000_000)
    before = unread(room.cfg, room.ledger)
    assert (before.bytes, before.newest, before.oldest) == (path.stat().st_size, 1_000_000, 1_000_000)
    room.claim()
    more = room.write("s.jsonl", *turns(1, 3), append=True)
    after = unread(room.cfg, room.ledger)
    assert after.bytes == more.stat().st_size - before.bytes
    room.claim()
    assert unread(room.cfg, room.ledger).bytes == 0


def test_left_out_figures_of_a_claim_name_every_reason(room: Room) -> None:
    room.write(
        "s.jsonl",
        *turns(1),
        {"type": "progress", "sessionId": "s"},
        claude("user", "x", uuid="m", isMeta=True),
    )
    report = room.claim()
    assert report.left_out == {"line:progress": 1, "meta": 1}
    assert report.batches[0].left_out == report.left_out


def test_counts_for_metadata_are_plain_numbers(room: Room) -> None:
    secret = "ghp_" + "FAKEfakeFAKEfakeFAKEfakeFAKEfake0000"
    room.write(
        "s.jsonl",
        claude("user", [result("t", f"token {secret} " + "y" * 3000)], uuid="r"),
        claude("user", "ok", uuid="u"),
    )
    (made,) = room.claim().batches
    counts = evidence_counts(room.read(made))
    assert (counts["events"], counts["USER"], counts["TOOL"], counts["cut_segments"]) == (2, 1, 1, 1)
    assert counts["redactions"] == 1
    assert secret not in str(room.read(made).to_pydict())


def test_a_random_life_of_journals_gives_every_record_to_exactly_one_batch(tmp_path: Path) -> None:
    for seed in range(6):
        folder = tmp_path / str(seed)
        folder.mkdir()
        _live(Room(folder, chunk_chars=1500), random.Random(seed))


def _live(room: Room, dice: random.Random) -> None:
    written = 0
    expected: set[str] = set()
    got: Counter[str] = Counter()
    for _ in range(25):
        act = dice.choice(("append", "append", "copy", "claim", "tear", "rewrite"))
        name = f"s{dice.randrange(3)}.jsonl"
        path = room.journals / name
        if act == "append":
            n = dice.randrange(1, 6)
            if path.exists() and not path.read_bytes().endswith(b"\n"):
                path.write_bytes(path.read_bytes().rsplit(b"\n", 1)[0] + b"\n")
            room.write(name, *turns(n, written), append=True)
            expected |= {f"{w} {i}" for i in range(written, written + n) for w in ("question", "answer")}
            written += n
        elif act == "copy" and path.exists():
            (room.journals / f"copy{dice.randrange(9)}.jsonl").write_bytes(path.read_bytes())
        elif act == "tear" and path.exists():
            path.write_bytes(path.read_bytes() + b'{"type":"user","mess')
        elif act == "rewrite" and path.exists() and b'"mess' not in path.read_bytes()[-8:]:
            path.write_bytes(
                line({"type": "summary", "leafUuid": "x", "n": dice.random()}) + path.read_bytes()
            )
        else:
            for c in room.claim(limit=dice.choice((None, 1, 2))).batches:
                got.update(t.split(" word")[0] for t in room.texts(c))
    for c in room.claim().batches:
        got.update(t.split(" word")[0] for t in room.texts(c))
    assert set(got) == expected
    assert set(got.values()) <= {1}


def test_a_long_journal_is_walked_in_windows_so_that_memory_stays_bounded(tmp_path: Path) -> None:
    room = Room(tmp_path, chunk_chars=1000)
    room.write("s.jsonl", *turns(300))
    made = room.claim().batches
    assert len({c.walk_start for c in made}) > 5
    assert max(c.horizon - c.walk_start for c in made) < 50_000


def test_what_the_ledger_knows_is_not_kept_in_memory(tmp_path: Path) -> None:
    room = Room(tmp_path, chunk_chars=1000)
    room.write("s.jsonl", *turns(300))
    planner = Planner(room.cfg, room.ledger, NOW)
    (file,) = find(room.cfg).readable
    most = 0
    for plan in planner.plans(file, None):
        most = max(most, len(planner._pending))
        planner.reserved(plan)
        assert not planner._pending
    assert 0 < most < 300
