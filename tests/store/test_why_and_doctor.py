"""Why does this memory exist, and what is wrong with this store: both questions always have an answer."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from kura_runtime.errors import StoreDamaged
from kura_runtime.store import disk
from kura_runtime.store.store import Store
from tests.store import workshop
from tests.store.workshop import NOW, draft, make, no_floor, quote, surface, tree


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make(tmp_path / "store")


def _kinds(store: Store) -> set[str]:
    return {f.kind for f in store.doctor().findings}


# -- why ---------------------------------------------------------------------------------------------------------------------


def test_a_distilled_memory_leads_down_to_the_journals_bytes_and_the_model_calls(store: Store) -> None:
    workshop.poured(store, draft(store, quotes=(quote("存档放在慢盘上"), quote("df: 91%", "TOOL", "e2"))))
    why = store.why("archive-on-slow-disk").to_json()
    assert json.loads(json.dumps(why)) == why
    assert set(why) >= {"slug", "manifest", "quotes", "calls", "history"}
    first = why["quotes"][0]
    assert {k: first[k] for k in ("class", "text", "event", "session", "journal", "byte_start", "byte_end", "ts")} == {
        "class": "USER", "text": "存档放在慢盘上", "event": "e1", "session": "s1", "journal": "/journals/a.jsonl", "byte_start": 100,
        "byte_end": 260, "ts": "2026-03-01T09:00:00+00:00",
    }  # fmt: skip
    assert [q["class"] for q in why["quotes"]] == ["USER", "TOOL"]
    assert why["calls"] == ["call-1"]
    assert (why["provenance"], why["signed"], why["manifest"]) == (
        "distilled",
        True,
        store.get("archive-on-slow-disk").evidence_manifest,
    )
    assert why["history"][0]["action"] == "create"
    assert why["problems"] == []


def test_a_memory_written_by_hand_says_that_nothing_vouches_for_it(store: Store) -> None:
    (store.path / "by-hand.md").write_text("---\nname: by-hand\ndescription: d\n---\nHello.\n")
    why = store.why("by-hand").to_json()
    assert (why["provenance"], why["signed"], why["quotes"], why["history"]) == ("unsigned", None, [], [])


def test_a_page_that_claims_another_provenance_than_its_seal_is_not_signed(store: Store) -> None:
    store.remember("one-memory", "a line", "text")
    path = store.path / "one-memory.md"
    path.write_text(path.read_text().replace("provenance: direct", "provenance: distilled"))
    assert store.why("one-memory").signed is False
    assert "manifest-missing" in _kinds(store)


def test_a_forged_history_line_does_not_hold(store: Store) -> None:
    store.remember("one-memory", "a line", "text", who="mallory")
    path = store.path / "_kura" / "history" / "one-memory.jsonl"
    path.write_text(path.read_text().replace("mallory", "ana"))
    why = store.why("one-memory")
    assert why.signed is False
    assert "revision 1" in why.problems[0]


def test_a_torn_history_still_answers(store: Store) -> None:
    store.remember("one-memory", "a line", "text")
    path = store.path / "_kura" / "history" / "one-memory.jsonl"
    path.write_bytes(path.read_bytes() + b'{"revision": 2, "ti')
    why = store.why("one-memory")
    assert why.signed is True
    assert why.problems == ("line 2 of the history cannot be read",)


def test_lost_evidence_is_named_and_the_rest_still_answers(store: Store) -> None:
    workshop.poured(store, draft(store))
    first = store.get("archive-on-slow-disk").evidence_manifest
    workshop.poured(
        store,
        draft(
            store,
            surface(heading="More", body="And more."),
            extends="archive-on-slow-disk",
            quotes=(quote("and more of it"),),
        ),
    )
    (store.path / "_evidence" / f"{first}.json").unlink()
    why = store.why("archive-on-slow-disk")
    assert [q.text for _, q in why.quotes] == ["and more of it"]
    assert any(first in p for p in why.problems if first)


# -- doctor --------------------------------------------------------------------------------------------------------------------


def test_a_report_is_a_plain_dict_with_its_counts(store: Store) -> None:
    workshop.poured(store, draft(store))
    store.remember("nas-port", "the NAS", "It stands beside [[archive-on-slow-disk]].")
    store.remember("lone-note", "alone", "Nothing refers to this remark about gardens.")
    store.stage(draft(store, surface("waiting-one", body="Waiting.")))
    report = store.doctor().to_json()
    assert json.loads(json.dumps(report)) == report
    assert report["healthy"] is True
    assert report["counts"]["memories"] == 3
    assert (report["counts"]["drafts"], report["counts"]["islands"], report["islands"]) == (
        1,
        1,
        ["lone-note"],
    )
    assert (
        report["counts"]["provenance_direct"],
        report["counts"]["provenance_distilled"],
        report["counts"]["manifests"],
    ) == (2, 1, 1)
    capacity = report["capacity"]
    assert (capacity["memories"], capacity["limit"], capacity["pressure"]) == (3, None, None)
    assert capacity["bytes"] == sum(
        p.stat().st_size for p in store.path.glob("*.md") if p.name != "MEMORY.md"
    )
    assert capacity["index_tokens"] > 0
    assert capacity["body_tokens"] > 0
    assert Store.open(store.path, name="maker", max_memories=4).doctor().capacity.pressure == 0.75


def test_the_doctor_writes_nothing(store: Store) -> None:
    workshop.poured(store, draft(store))
    path = store.stage(draft(store, surface("other-slug", body="Other.")))
    path.write_text(path.read_text() + "x")
    before = tree(store.path)
    store.doctor()
    assert tree(store.path) == before


def test_the_doctor_completes_what_a_crash_left(store: Store) -> None:
    class Crash(BaseException):
        pass

    def strike(operation: str, path: str) -> None:
        if operation == "rename" and path.endswith("MEMORY.md"):
            raise Crash

    disk.set_hook(strike)
    try:
        with pytest.raises(Crash):
            store.remember("half-done", "a line", "text")
    finally:
        disk.set_hook(None)
    report = Store.open(store.path, name="maker").doctor()
    assert report.replayed == ("0000000001",)
    assert report.healthy
    assert [line.slug for line in store.index().lines] == ["half-done"]


def test_a_set_aside_change_is_named_until_a_person_acts(store: Store) -> None:
    entry = store.journal.wal / "0000000009"
    entry.mkdir(parents=True)
    (entry / "intent").write_bytes(b"garbage")
    report = store.doctor()
    assert [f.kind for f in report.findings] == ["wal-quarantine"]
    assert "fails its own hash" in report.findings[0].message
    assert _kinds(store) == {"wal-quarantine"}


@pytest.mark.parametrize(
    ("pointer", "kind"),
    [
        ("sha256:" + "a" * 64, "manifest"),
        ("sha256:…", "manifest-malformed"),
        ("../../etc/passwd", "manifest-malformed"),
    ],
)
def test_pointers_to_missing_and_malformed_manifests_are_found(store: Store, pointer: str, kind: str) -> None:
    (store.path / "old-note.md").write_text(
        f"---\nname: old-note\ndescription: d\nmetadata:\n  evidence_manifest: {pointer}\n---\nt\n"
    )
    (store.path / "MEMORY.md").write_text("- [Old](old-note.md) — d\n")
    assert _kinds(store) == {kind}
    assert store.why("old-note").problems


def test_tampered_manifests_dead_links_unreadable_tags_and_drift_are_found(store: Store) -> None:
    workshop.poured(store, draft(store, surface(body="See [[nowhere-at-all]].")))
    evidence = next((store.path / "_evidence").iterdir())
    evidence.write_text(evidence.read_text().replace("slow", "fast"))
    (store.path / "odd-tags.md").write_text(
        "---\nname: odd-tags\ndescription: d\ntags: {a}\nsuperseded_by: gone-too\n---\nt\n"
    )
    index = store.path / "MEMORY.md"
    index.write_text(
        index.read_text() + "- [Ghost](ghost-page.md) — gone\n- [Twice](archive-on-slow-disk.md) — again\n"
    )
    found = {f.kind: f.where for f in store.doctor().findings}
    assert found == {
        "manifest": "archive-on-slow-disk", "dead-link": "archive-on-slow-disk", "unreadable-tags": "odd-tags", "dead-successor": "odd-tags",
        "index-only": "ghost-page", "disk-only": "odd-tags", "index-twice": "archive-on-slow-disk",
    }  # fmt: skip


def test_curation_by_hand_is_found_where_only_the_distiller_may_write(store: Store) -> None:
    workshop.poured(store, draft(store))
    path = store.path / "archive-on-slow-disk.md"
    path.write_text(path.read_text().replace("keep: which disk", "keep: everything"))
    (store.path / "by-hand.md").write_text(
        "---\nname: by-hand\ndescription: d\ntags: [entrusted]\n---\nHello.\n"
    )
    index = store.path / "MEMORY.md"
    index.write_text(index.read_text() + "- [By hand](by-hand.md) — d\n")
    assert store.doctor().healthy, "where direct writes are allowed, hands may curate"
    strict = Store.open(store.path, name="maker", policy="distiller-only")
    found = {f.kind: f.where for f in strict.doctor().findings}
    assert found == {"curation-tampered": "archive-on-slow-disk", "curation-unsigned": "by-hand"}
    path.write_text(path.read_text().replace("keep: everything", "keep: which disk"))
    assert {f.kind for f in strict.doctor().findings} == {"curation-unsigned"}


def test_a_body_edited_by_hand_is_no_illness_even_there(store: Store) -> None:
    workshop.poured(store, draft(store))
    path = store.path / "archive-on-slow-disk.md"
    path.write_text(path.read_text().replace("scratch space", "for the compiler"))
    assert Store.open(store.path, name="maker", policy="distiller-only").doctor().healthy


def test_the_heartbeat_says_whether_anybody_tends(store: Store) -> None:
    assert store.doctor().tending == {"alive": None, "at": None, "age_s": None}
    path = store.path / "_kura" / "heartbeat.json"
    for age, alive, healthy in ((60, True, True), (7200, False, True), (3 * 86400, False, False)):
        path.write_text(json.dumps({"at": (NOW - timedelta(seconds=age)).isoformat()}))
        report = store.doctor()
        assert (report.tending["alive"], report.tending["age_s"], report.healthy) == (alive, age, healthy)
    path.write_text("not json")
    assert _kinds(store) == {"heartbeat"}


def test_the_profile_is_absent_present_or_broken(store: Store) -> None:
    assert store.doctor().profile == "absent"
    (store.path / "profile.md").write_text("She likes short answers.")
    assert store.doctor().profile == "present"
    (store.path / "profile.md").write_bytes(b"\xff\xff")
    assert (store.doctor().profile, _kinds(store)) == ("broken", {"profile"})


@pytest.mark.parametrize("damage", ["revision", "index", "linked-kura", "proposal", "history"])
def test_no_damage_keeps_the_doctor_from_reporting(store: Store, tmp_path: Path, damage: str) -> None:
    store.remember("one-memory", "a line", "text")
    if damage == "revision":
        (store.path / "_kura" / "revision").write_text("x")
    elif damage == "index":
        (store.path / "MEMORY.md").write_bytes(b"\xff")
    elif damage == "linked-kura":
        (store.path / "_kura").rename(tmp_path / "away")
        (store.path / "_kura").symlink_to(tmp_path / "away", target_is_directory=True)
    elif damage == "proposal":
        (store.path / "_proposals").symlink_to(tmp_path, target_is_directory=True)
    else:
        path = store.path / "_kura" / "history" / "one-memory.jsonl"
        path.rename(tmp_path / "h")
        path.symlink_to(tmp_path / "h")
    report = Store.open(store.path, name="maker", policy="distiller-only", floor=no_floor).doctor()
    assert report.to_json()["counts"]["memories"] == 1
    if damage == "history":
        with pytest.raises(StoreDamaged):
            store.history("one-memory")
    else:
        assert not report.healthy
