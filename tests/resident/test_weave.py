"""The woven map: nothing lost, reordered or invented; shortened only where the meaning stays; the same bytes every time."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kura_runtime.config.model import PrefillConfig
from kura_runtime.resident import weave as weaving
from kura_runtime.resident.cloth import broken_lines
from kura_runtime.resident.trim import trim
from kura_runtime.resident.weave import WeaveBroken, lines_lost, read_cloth, weave, woven_revision
from kura_runtime.text.tokens import estimate
from tests.recall.shelves import FakeStore, Line, house_memories, memory

TODAY = date(2026, 3, 31)
LONG = "the archive disk is the slow one in bay 3; the fast disk stays scratch; restores take 40 min; ask Tomas before a swap; labels are blue"


def store_of(path: Path, *memories) -> FakeStore:
    return FakeStore(path, list(memories))


def dated(slug: str, day: str, **more) -> object:
    return memory(slug, slug.replace("-", " "), LONG, "text", updated=day, **more)


def test_three_layers(tmp_path: Path) -> None:
    store = store_of(
        tmp_path,
        dated("pinned-one", "2025-01-01", type="feedback"),
        dated("fresh-one", "2026-03-25"),
        dated("old-one", "2025-01-01"),
    )
    cloth = weave(store, PrefillConfig(), today=TODAY)
    assert cloth.layers == {"pinned": ["pinned-one"], "fresh": ["fresh-one"], "trigger": ["old-one"]}
    whole = [line for line in cloth.text.splitlines() if LONG in line]
    assert len(whole) == 2 and "labels are blue" not in next(
        line.text for line in cloth.lines if line.slug == "old-one"
    )
    assert lines_lost(store, cloth) == []
    assert cloth.counts["lines"] == 3


def test_the_future_is_not_fresh_and_a_shared_mtime_proves_nothing(tmp_path: Path) -> None:
    memories = [memory(f"undated-{i}", "U", LONG) for i in range(10)] + [
        dated("from-the-future", "2031-01-01")
    ]
    for m in memories:
        page = tmp_path / f"{m.slug}.md"
        page.write_text("x")
        os.utime(page, (1_774_800_000, 1_774_800_000))  # one day in March 2026: a copy reset them all
    os.utime(
        tmp_path / "undated-0.md", (1_774_500_000, 1_774_500_000)
    )  # this one was really changed, days before
    cloth = weave(store_of(tmp_path, *memories), PrefillConfig(), today=TODAY)
    assert cloth.layers["fresh"] == ["undated-0"]


def test_the_newest_date_in_the_text_counts_before_the_files(tmp_path: Path) -> None:
    (tmp_path / "told-date.md").write_text("x")
    cloth = weave(
        store_of(tmp_path, memory("told-date", "T", LONG, "Measured 2024-02-02, again 2024-05-06.")),
        PrefillConfig(),
        today=TODAY,
    )
    assert cloth.lines[0].date == "2024-05-06" and cloth.lines[0].layer == "trigger"


def test_the_fresh_window_is_narrowed_before_anything_else_and_no_line_goes(tmp_path: Path) -> None:
    store = store_of(tmp_path, *(dated(f"memory-{i:02}", f"2026-03-{31 - i:02}") for i in range(14)))
    wide = weave(store, PrefillConfig(), today=TODAY, write=False)
    tight = weave(store, PrefillConfig(window_tokens=wide.tokens * 20 - 400), today=TODAY, write=False)
    assert (
        wide.fresh_days == 14
        and tight.fresh_days < 14
        and tight.tokens < wide.tokens
        and len(tight.lines) == 14
    )
    hopeless = weave(store, PrefillConfig(window_tokens=100), today=TODAY, write=False)
    assert "no setting reaches it" in hopeless.note and len(hopeless.lines) == 14


def test_the_map_is_the_same_bytes_in_another_process_with_another_hash_seed(tmp_path: Path) -> None:
    code = (
        "import sys, datetime; from pathlib import Path\n"
        "from tests.resident.test_weave import store_of, dated\n"
        "from kura_runtime.config.model import PrefillConfig; from kura_runtime.resident.weave import weave\n"
        "s = store_of(Path(sys.argv[1]), *(dated(f'memory-{i}', f'2026-03-{i + 1:02}', type=('user', 'project')[i % 2]) for i in range(20)))\n"
        "print(weave(s, PrefillConfig(), today=datetime.date(2026, 3, 31), write=False).etag)"
    )
    root = Path(__file__).resolve().parents[2]
    etags = {
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
                       capture_output=True, text=True, check=True, cwd=root).stdout
        for seed in ("0", "1", "4711")
    }  # fmt: skip
    assert len(etags) == 1


def test_the_cloth_on_disk_is_believed_only_for_this_index_revision_and_settings(tmp_path: Path) -> None:
    store = store_of(tmp_path, dated("first-one", "2026-03-01"))
    cloth = weave(store, PrefillConfig(), today=TODAY)
    assert woven_revision(tmp_path) == 1 and read_cloth(store, PrefillConfig()) == cloth
    assert read_cloth(store, PrefillConfig(trigger_tokens=8)) is None
    (tmp_path / "_still" / "cloth.md").write_text(cloth.text + "- [Forged](forged.md) — x\n")
    assert read_cloth(store, PrefillConfig()) is None
    weave(store, PrefillConfig(), today=TODAY)
    store._memories = [
        m.with_(title="Renamed by hand") for m in store._memories
    ]  # the index moved, the revision did not
    assert read_cloth(store, PrefillConfig()) is None
    assert woven_revision(tmp_path / "nowhere") is None


def test_weaving_again_writes_nothing_where_nothing_moved(tmp_path: Path) -> None:
    store = store_of(tmp_path, dated("first-one", "2026-03-01"))
    weave(store, PrefillConfig(), today=TODAY)
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "_still").iterdir()}
    weave(store, PrefillConfig(), today=TODAY)
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "_still").iterdir()} == before


class Cues:
    def __init__(self, cues: dict[str, str]) -> None:
        self.cues = cues

    def cue(self, slug: str, trigger: str, tokens: int) -> str | None:
        return self.cues.get(slug)


def test_a_cue_of_the_scribe_takes_the_place_of_the_mechanical_trim(tmp_path: Path) -> None:
    store = store_of(tmp_path, dated("old-one", "2025-01-01"), dated("older-one", "2024-01-01"))
    cloth = weave(
        store, PrefillConfig(), triggers=Cues({"old-one": "archive disk: slow, bay 3"}), today=TODAY
    )
    assert "archive disk: slow, bay 3" in cloth.lines[0].text and lines_lost(store, cloth) == []


def test_a_line_that_would_be_lost_is_an_error_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(tmp_path, dated("first-one", "2026-03-01"), dated("second-one", "2026-03-02"))
    monkeypatch.setattr(weaving, "line_text", lambda title, slug, told: f"- [{title}](first-one.md) — {told}")
    with pytest.raises(WeaveBroken, match="lost: second-one"):
        weave(store, PrefillConfig(), today=TODAY)
    assert not (tmp_path / "_still").exists()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- [A](aaa.md) — one two three\n- [B](bbb.md) — x\n", ""),
        ("- [A](aaa.md) — one … three\n- [B](bbb.md) — x\n", ""),
        ("- [A](aaa.md) — one two three\n", "lost: bbb"),
        ("- [B](bbb.md) — x\n- [A](aaa.md) — one\n", "reordered: bbb"),
        ("- [A](aaa.md) — one\n- [B](bbb.md)\n- [C](ccc.md) — c\n", "invented: ccc"),
        ("- [A](aaa.md) — one\n- [A](aaa.md) — one\n- [B](bbb.md)\n", "twice: aaa"),
        ("- [A](aaa.md) — three one\n- [B](bbb.md)\n", "reworded: aaa"),
        ("- [A](aaa.md) — one four\n- [B](bbb.md)\n", "reworded: aaa"),
    ],
)
def test_every_way_to_break_the_index_is_seen(text: str, problem: str) -> None:
    sections = [("H", [Line("aaa", "A", "one two three"), Line("bbb", "B", "x")])]
    found = broken_lines(sections, text, frozenset())
    assert found == [] if not problem else any(p.startswith(problem) for p in found)


WORDS = st.text(alphabet="abcdefgh 0123456789.,;:()!?-–—。、，；窯焼素 không\n\t[]()—", max_size=160)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS), max_size=8), st.integers(4, 40))
def test_no_index_however_odd_can_lose_a_line(tmp_path_factory, lines, tokens) -> None:
    memories = [memory(f"memory-{i}", title or "t", told) for i, (title, told) in enumerate(lines)]
    store = store_of(tmp_path_factory.getbasetemp(), *memories)
    cloth = weave(store, PrefillConfig(trigger_tokens=tokens), today=TODAY, write=False)
    assert [line.slug for line in cloth.lines] == [m.slug for m in memories] and lines_lost(
        store, cloth
    ) == []


@pytest.mark.parametrize(
    ("line", "must"),
    [
        (
            "the parser reads v1.20 files; older ones fail; the config lives in etc; never run it twice on one folder",
            ["never run it twice"],
        ),
        (
            "Redis is the queue; three workers; port 6379; replaced by Postgres in 2026; dashboards stay",
            ["replaced by Postgres"],
        ),
        (
            "Sicherung jede Nacht um 3 Uhr; Ziel ist der NAS; Dauer 40 min; nicht während der Messung starten",
            ["nicht während"],
        ),
        ("備份每天三点运行；保留十四份；目标是仓库；不要在测量时启动", ["不要在测量时启动"]),
        ("毎晩 3 時に保存、先は NAS、40 分かかる、計測中は動かさないこと", ["動かさない"]),
        (
            "⚠ the kiln must cool below 100 °C; opening takes two people; gloves hang left; the log is on the door",
            ["⚠", "100 °C"],
        ),
    ],
)
def test_a_trim_keeps_what_turns_the_meaning_round(line: str, must: list[str]) -> None:
    short = trim(line, 12)
    assert all(part in short for part in must), short


def test_a_trim_never_cuts_inside_an_identifier_a_number_or_its_unit() -> None:
    line = "vLLM serves sora:8413 with 0.85 of 48 GB; the limit is 1,450 ms at 04:15; see payments/money.py:41 and v1.20"
    for tokens in range(4, 60):
        short = trim(line, tokens)
        for part in ("sora:8413", "0.85", "48 GB", "1,450 ms", "04:15", "payments/money.py:41", "v1.20"):
            head = part[: max(3, len(part) - 2)]
            assert part in short or head not in short


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.integers(1, 40))
def test_a_trim_only_leaves_out(line: str, tokens: int) -> None:
    short = trim(line, tokens)
    kept = [c for c in short if c not in "… "]
    rest = iter(line)
    assert all(any(c == d for d in rest) for c in kept) and len(short) <= len(line) + 0


def test_the_house_map_holds_every_line_and_is_smaller(tmp_path: Path) -> None:
    store = store_of(tmp_path, *house_memories())
    cloth = weave(store, PrefillConfig(), today=date(2026, 12, 1), write=False)
    assert len(cloth.lines) == 320 and lines_lost(store, cloth) == []
    assert cloth.tokens < 0.85 * estimate(
        "\n".join(f"- [{m.title}]({m.slug}.md) — {m.trigger}" for m in store.memories())
    )
