"""Who may write, and what the direct doors do with what they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import BadInput, UnknownMemory, WriteRefused
from kura_runtime.store.store import Store
from kura_runtime.store.writegate import differing, examine
from tests.store import workshop
from tests.store.workshop import NOW, draft, make, no_floor, staged, surface, tree, yes


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make(tmp_path / "store")


def _under(store: Store, policy: Any) -> Store:
    return Store.open(store.path, name="maker", policy=policy, clock=lambda: NOW, floor=no_floor)


# -- the policy ----------------------------------------------------------------------------------------------------------------

DOORS = {
    "remember": lambda s: s.remember("new-memory", "a new line", "new text"),
    "annotate": lambda s: s.annotate("archive-on-slow-disk", keep="something"),
    "pour": lambda s: s.pour(s.drafts()[0], verdict=yes(s.drafts()[0])),
    "retire": lambda s: s.retire("archive-on-slow-disk", "other-memory"),
    "archive": lambda s: s.archive("archive-on-slow-disk"),
    "unarchive": lambda s: s.unarchive("archive-on-slow-disk"),
    "rule": lambda s: s.rule("conflict-1", keep="new"),
    "recur": lambda s: s.note_recurrence("archive-on-slow-disk"),
    "import": lambda s: s.import_jsonl(s.path / "nothing.jsonl"),
}  # fmt: skip


@pytest.mark.parametrize("door", sorted(DOORS))
@pytest.mark.parametrize("policy", ["distiller-only", "frozen"])
def test_each_policy_keeps_its_doors_shut_and_says_which_rule(store: Store, policy: str, door: str) -> None:
    workshop.poured(store, draft(store))
    store.remember("other-memory", "another line", "wholly different words")
    store.stage(draft(store, surface("third-memory", body="A third thing altogether.")))
    (store.path / "nothing.jsonl").write_text("")
    shut = policy == "frozen" or door in ("remember", "annotate")
    one = _under(store, policy)
    before = tree(store.path)
    if shut:
        with pytest.raises(WriteRefused) as caught:
            DOORS[door](one)
        assert caught.value.policy == policy
        assert "maker" in caught.value.reason
        assert tree(store.path) == before
    elif door in ("rule", "import"):
        with pytest.raises((BadInput, WriteRefused), match=r"conflict|holds memories"):
            DOORS[door](one)
    else:
        DOORS[door](one)


def test_a_misspelt_policy_opens_nothing(store: Store) -> None:
    with pytest.raises(BadInput, match="direct-allowd"):
        _under(store, "direct-allowd")


# -- remember --------------------------------------------------------------------------------------------------------------------


def test_a_direct_memory_says_who_by_which_door_and_when(store: Store) -> None:
    written = store.remember(
        "nas-port", "the NAS answers on 8081", "It answers on 8081.", door="mcp", who="agent ana"
    )
    assert written.action == "created"
    memory = store.get("nas-port")
    assert (memory.provenance, memory.created, memory.evidence_manifest) == ("direct", "2026-03-02", None)
    why = store.why("nas-port").to_json()
    assert (why["provenance"], why["who"], why["door"], why["time"], why["signed"]) == (
        "direct", "agent ana", "mcp", "2026-03-02T08:30:00+00:00", True,
    )  # fmt: skip
    assert why["quotes"] == []
    assert why["manifest"] is None


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"slug": "No-Caps"}, "slug"), ({"slug": "ab"}, "slug"), ({"slug": "a" * 49}, "slug"), ({"slug": "../etc/passwd"}, "slug"),
        ({"slug": "a/b-c"}, "slug"), ({"slug": "存储"}, "slug"), ({"slug": "readme"}, "slug"), ({"slug": "charter"}, "slug"), ({"slug": ""}, "slug"),
        ({"slug": "abc\n"}, "slug"), ({"trigger": ""}, "trigger"), ({"trigger": " \n"}, "trigger"), ({"trigger": "x" * 201}, "trigger"),
        ({"body": "x\0y"}, "body"), ({"body": "x\ud800y"}, "body"), ({"body": "y" * 9001}, "body"), ({"type": "rumour"}, "type"),
        ({"title": "t" * 121}, "title"), ({"keep": "k" * 601}, "keep"),
    ],
)  # fmt: skip
def test_bad_input_names_its_field_and_writes_nothing(
    store: Store, fields: dict[str, str], name: str
) -> None:
    before = tree(store.path)
    with pytest.raises(BadInput) as caught:
        store.remember(**{"slug": "fine-slug", "trigger": "a line", "body": "text", **fields})
    assert caught.value.field == name
    assert tree(store.path) == before


def test_secrets_are_taken_out_and_counted(store: Store) -> None:
    written = store.remember(
        "cloud-key",
        "the key AKIAIOSFODNN7EXAMPLE opens it",
        "AKIAIOSFODNN7EXAMPLE is the key",
        keep="AKIAIOSFODNN7EXAMPLE",
    )
    assert sum(written.redactions.values()) == 3
    for path in store.path.rglob("*"):
        if path.is_file():
            assert b"AKIAIOSFODNN7EXAMPLE" not in path.read_bytes(), path


def test_the_same_text_is_covered_and_nothing_is_written(store: Store) -> None:
    store.remember("nas-port", "the NAS answers on 8081", "The NAS answers on port 8081.")
    before = tree(store.path)
    written = store.remember("other-slug", "some other line", "The  NAS answers\non port ８０８１.")
    assert (written.action, written.slug) == ("covered", "nas-port")
    assert tree(store.path) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The NAS answers on port 8081 behind the router.", "The NAS answers on port 8411 behind the router."),
        ("The median answer takes 43.7 ms on the big card.", "The median answer takes 43.7 s on the big card."),
        ("The archive of the house is kept on the machine sora-01.", "The archive of the house is kept on the machine hoshi-02."),
        ("Backups of the attic machine are encrypted with the old key.", "Backups of the attic machine are not encrypted with the old key."),
        ("备份任务每天凌晨三点在书房的旧服务器上运行。", "备份任务每天凌晨五点在书房的旧服务器上运行。"),
        ("バックアップは毎晩自動で実行される設定になっている。", "バックアップは毎晩自動で実行されない設定になっている。"),
        ("Die Sicherung läuft jede Nacht auf dem alten Rechner im Keller.", "Die Sicherung läuft nicht jede Nacht auf dem alten Rechner im Keller."),
    ],
)  # fmt: skip
def test_near_duplicates_that_claim_different_things_are_both_kept(
    tmp_path: Path, old: str, new: str
) -> None:
    store = make(tmp_path / "s", dedup_threshold=0.75)
    store.remember("first-claim", "the first line", old)
    written = store.remember("second-claim", "the second line", new)
    assert written.action == "conflict", written
    assert {m.slug: (m.state, m.summary) for m in store.memories()} == {
        "first-claim": ("conflict", old),
        "second-claim": ("conflict", new),
    }
    assert store.get("first-claim").links == ("second-claim",)
    proposal = store.proposals()[0]
    assert (proposal["old"]["slug"], proposal["new"]["slug"], proposal["id"]) == (
        "first-claim",
        "second-claim",
        written.proposal,
    )
    assert written.differences
    assert store.doctor().healthy


def test_a_conflict_is_found_at_the_default_threshold_though_only_the_number_moved(store: Store) -> None:
    store.remember("first-claim", "the first line", "The NAS answers on port 8081.")
    assert (
        store.remember("second-claim", "the second line", "The NAS answers on port 8411.").action
        == "conflict"
    )


def test_a_near_duplicate_that_adds_a_sentence_extends_the_old_one(store: Store) -> None:
    text = "The archive of the whole house goes on the slow disk, because the fast disk would wear out within a year of nightly writing."
    store.remember("first-note", "the first line", text)
    more = "Check the target first."
    written = store.remember("second-note", "the second line", f"{text} {more}", title="A second look")
    assert (written.action, written.slug) == ("extended", "first-note")
    assert store.get("first-note").summary == f"{text}\n\n## 2026-03-02 A second look\n\n{more}"
    again = store.remember("third-note", "a third line", f"{text} {more}")
    assert (again.action, again.slug) == ("covered", "first-note")
    assert store.slugs() == {"first-note"}


def test_the_same_slug_with_other_content_never_overwrites(store: Store) -> None:
    store.remember("one-name", "about the attic", "The attic holds the maps.")
    written = store.remember(
        "one-name", "about the cellar", "A pump stands beside the cellar stairs.", tags=("x",)
    )
    assert (written.action, written.slug) == ("created", "one-name-2")
    assert store.get("one-name").summary == "The attic holds the maps."
    assert store.get("one-name").links == ("one-name-2",)
    assert store.get("one-name-2").links == ("one-name",)
    store.archive("one-name-2")
    assert (
        store.remember("one-name", "about the roof", "Slates were replaced above the kitchen.").slug
        == "one-name-3"
    )


def test_a_long_slug_is_shortened_for_its_number(store: Store) -> None:
    long = "a" * 40 + "-bcdefg"
    store.remember(long, "first", "The attic holds the maps.")
    slug = store.remember(long, "second", "A pump stands beside the cellar stairs.").slug
    assert len(slug) <= 48
    assert slug.endswith("-2")


def test_missing_links_are_reported_and_kept(store: Store) -> None:
    written = store.remember("one-memory", "a line", "See [[not-yet]] and [[one-memory]] and `[[code]]`.")
    assert written.links_missing == ("not-yet",)
    assert [f.kind for f in store.doctor().findings] == ["dead-link"]


def test_a_retired_memory_does_not_cover_what_is_true_again(store: Store) -> None:
    store.remember("first-plan", "plan one", "We heat with wood in the workshop.")
    store.remember("second-plan", "plan two", "The heating of the other building is electric.")
    store.retire("first-plan", "second-plan")
    assert (
        store.remember("third-plan", "plan three", "We heat with wood in the workshop.").action == "created"
    )


def test_tags_that_only_the_distiller_or_nobody_may_set_are_refused_with_the_reason(store: Store) -> None:
    written = store.remember(
        "one-memory", "a line", "text", tags=("landmine", "recurred", "superseded", "a,b", "", "決定")
    )
    assert store.get("one-memory").tags == ("landmine", "決定")
    assert [t for t, _ in written.refused_tags] == ["recurred", "superseded", "a,b", ""]


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("port 8081", "port 8081", []), ("8 GB", "8 MB", ["number"]), ("uses `pg`", "uses `my`", ["name"]), ("we use Postgres here", "we use MySQL here", ["name"]),
        ("it is on", "it is off", ["polarity"]), ("启用缓存", "禁用缓存", ["polarity"]), ("he runs it", "he never runs it", ["polarity"]),
        ("served by nginx with 3 hosts", "served by nginx", []), ("3,000 rows", "3000 rows", []), ("three hosts", "3 hosts", []),
    ],
)  # fmt: skip
def test_what_two_texts_claim_is_compared(old: str, new: str, kinds: list[str]) -> None:
    assert [d.split(":")[0] for d in differing(old, new)] == kinds


def test_the_nearest_is_the_same_whatever_the_order() -> None:
    memories = [
        Memory(slug=f"memory-{c}", title=c, trigger=c, summary="The NAS answers on the old port now.")
        for c in "cab"
    ]
    for order in (memories, memories[::-1]):
        assert examine("The NAS answers on the old port now!", order).slug == "memory-a"


# -- annotate ----------------------------------------------------------------------------------------------------------------------


def test_an_annotation_merges_and_one_that_adds_nothing_touches_nothing(store: Store) -> None:
    store.remember("one-memory", "a line", "text", tags=("a",), keep="the text")
    assert store.annotate("one-memory", tags=("b", "a"), belongs_because="it is ours").action == "annotated"
    memory = store.get("one-memory")
    assert (memory.tags, memory.keep, memory.belongs_because, memory.summary) == (
        ("a", "b"),
        "the text",
        "it is ours",
        "text",
    )
    before = {
        p: (p.stat().st_mtime_ns, p.read_bytes())
        for p in store.path.rglob("*")
        if p.is_file() and p.name != "lock"
    }
    assert (
        store.annotate("one-memory", tags=("a", "b"), belongs_because="it is ours", keep="").action
        == "unchanged"
    )
    assert {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in before} == before
    store.annotate("one-memory", keep="every word")
    assert store.history("one-memory")[-1]["was"] == {"keep": "the text"}


def test_annotating_what_is_not_there_or_not_readable_is_an_error(store: Store) -> None:
    with pytest.raises(UnknownMemory):
        store.annotate("nothing-here", keep="x")
    (store.path / "odd-tags.md").write_text(
        "---\nname: odd-tags\ndescription: d\nmetadata:\n  tags: {a}\n---\nt\n"
    )
    with pytest.raises(BadInput, match="line 5"):
        store.annotate("odd-tags", tags=("x",))


# -- retire, recur -----------------------------------------------------------------------------------------------------------------


def test_a_retired_memory_stays_and_its_own_line_says_where_to_look(store: Store) -> None:
    store.remember("old-port", "the NAS answers on 8081", "On 8081.")
    store.remember("new-port", "the house server moved to another door", "Ask the router for the door.")
    assert store.retire("old-port", "new-port", reason="ana said so").action == "retired"
    old = store.get("old-port")
    assert (old.state, old.superseded_by, old.summary) == ("retired", "new-port", "On 8081.")
    assert old.trigger == "⚠ retired, see new-port: the NAS answers on 8081"
    assert store.index().lines[0].trigger == old.trigger
    assert store.history("old-port")[-1]["was"]["trigger"] == "the NAS answers on 8081"
    assert store.retire("old-port", "new-port").action == "unchanged"
    store.remember("third-port", "the newest way in is by name", "Use the name, never a number.")
    store.retire("old-port", "third-port")
    assert store.get("old-port").trigger == "⚠ retired, see third-port: the NAS answers on 8081"


def test_a_long_trigger_is_cut_for_its_retirement_and_kept_in_the_history(store: Store) -> None:
    long = "記" * 200
    store.remember("old-port", long, "On 8081.")
    store.remember("new-port", "b", "Ask the router for the door.")
    store.retire("old-port", "new-port")
    assert len(store.get("old-port").trigger) == 200
    assert store.history("old-port")[-1]["was"]["trigger"] == long


def test_retiring_in_a_circle_or_into_nothing_is_refused(store: Store) -> None:
    for slug, text in (
        ("plan-a", "The attic holds maps."),
        ("plan-b", "A pump is in the cellar."),
        ("plan-c", "Slates cover the roof."),
    ):
        store.remember(slug, f"about {slug}", text)
    with pytest.raises(BadInput):
        store.retire("plan-a", "plan-a")
    with pytest.raises(UnknownMemory):
        store.retire("plan-a", "plan-x")
    store.retire("plan-a", "plan-b")
    store.retire("plan-b", "plan-c")
    with pytest.raises(BadInput, match="both ways"):
        store.retire("plan-c", "plan-a")
    assert store.get("plan-c").state == "active"


def test_nothing_in_the_archive_is_changed(store: Store) -> None:
    store.remember("plan-a", "about plan a", "The attic holds maps.")
    store.remember("plan-b", "about plan b", "A pump is in the cellar.")
    store.archive("plan-a")
    before = tree(store.path)
    for change in (
        lambda: store.annotate("plan-a", keep="x"),
        lambda: store.retire("plan-a", "plan-b"),
        lambda: store.retire("plan-b", "plan-a"),
        lambda: store.note_recurrence("plan-a"),
    ):
        with pytest.raises(BadInput, match="kura unarchive plan-a"):
            change()
    assert tree(store.path) == before


def test_a_recurrence_is_noted_once(store: Store) -> None:
    workshop.poured(store, draft(store))
    assert store.note_recurrence("archive-on-slow-disk", batch="b", session="s2").action == "annotated"
    assert store.note_recurrence("archive-on-slow-disk", batch="c", session="s3").action == "unchanged"
    assert store.get("archive-on-slow-disk").tags == ("decision", "recurred")


def test_a_pour_and_a_direct_write_at_the_same_time_wait_for_each_other(store: Store) -> None:
    import threading

    waiting = [
        staged(store, draft(store, surface(f"poured-{c}", body=f"The {c * 7} is in the {c * 9}.")))
        for c in "abcd"
    ]
    errors: list[BaseException] = []

    def run(work: Any) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    jobs = [lambda one=one: store.pour(one, verdict=yes(one)) for one in waiting]
    jobs += [
        lambda c=c: store.remember(f"direct-{c}", f"about {c * 5}", f"Direct words of {c * 11} only.")
        for c in "wxyz"
    ]
    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert store.revision == 8
    assert len(store.index().lines) == 8
