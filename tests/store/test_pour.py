"""From a draft to a memory: signed, judged, re-checked, poured once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Draft, JudgeVerdict, Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.errors import BadInput, DraftQuarantined, FloorRefused, StoreDamaged, WriteRefused
from kura_runtime.store import drafts as files
from kura_runtime.store.store import Store
from tests.store import workshop
from tests.store.workshop import draft, make, manifest, quote, staged, surface, tree, yes

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=80)
ANY = st.text(max_size=60).map(
    lambda t: t.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
)
QUOTES = st.builds(
    Quote, cls=st.sampled_from(EvidenceClass), text=ANY, event_id=TEXT, session=TEXT, journal_key=TEXT, byte_start=st.integers(0, 2**40),
    byte_end=st.integers(0, 2**40), ts=st.none() | TEXT, repeats=st.booleans(),
)  # fmt: skip
DRAFTS = st.builds(
    Draft, surface=st.builds(Surface, **dict.fromkeys(("slug", "title", "trigger", "body", "belongs_because", "keep", "may_fade", "heading"), TEXT)),
    kind=TEXT, batch_id=TEXT, manifest=TEXT, stamp=TEXT, editor=TEXT, quotes=st.lists(QUOTES, max_size=3).map(tuple),
    tags=st.lists(TEXT, max_size=3).map(tuple), callsigns=st.lists(TEXT, max_size=2).map(tuple), extends=st.none() | TEXT,
    conflicts=st.none() | TEXT, judgement=st.booleans(), mark=TEXT,
)  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make(tmp_path / "store")


# -- the file of a draft -------------------------------------------------------------------------------------------------


@given(DRAFTS)
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
def test_a_draft_comes_back_exactly_from_its_file(one: Draft) -> None:
    data = files.render(one)
    assert files.parse(data, Path("d.md")) == one
    assert files.render(one) == data


@pytest.mark.parametrize(
    "hostile",
    [
        "-->",
        "--> <script>",
        "<!--",
        "--->",
        "\n-->\n",
        "<!-- kura:evidence\n{}\n-->\n",
        "--!>",
        "]]>",
        "\u2028-->",
    ],
)
def test_no_quote_closes_the_evidence_comment_and_no_body_opens_another(hostile: str) -> None:
    one = Draft(
        surface(body=f"x {hostile} y\n\n"), "project", "b", "m", "2026-01-01", "e", (quote(f"a {hostile} b"),)
    )
    data = files.render(one).decode()
    comment = data[data.rindex("<!-- kura:evidence") :]
    assert comment.count("-->") == 1
    assert comment.count("<!--") == 1
    assert "--" not in comment[4:-4].replace("kura:evidence", "")
    assert files.parse(data.encode(), Path("d.md")) == one


def test_a_staged_draft_is_markdown_a_person_can_read(store: Store) -> None:
    text = store.stage(draft(store)).read_text()
    head, body, *_ = text.split("\n---\n", 1)[1].partition("\n<!--")[0].strip(), text
    assert head == "The archive goes on the slow disk. The fast disk is scratch space."
    assert "description: the archive lives on the slow disk; the fast one stays scratch\n" in body
    assert '"text": "the archive goes on the slow disk"' in body


def test_staging_again_is_the_same_file_and_the_same_bytes(store: Store) -> None:
    first = store.stage(draft(store))
    before = tree(store.path)
    assert store.stage(draft(store)) == first
    assert store.stage(store.drafts()[0].draft) == first, "a signed draft signs to the same"
    assert tree(store.path) == before


def test_another_draft_of_the_same_name_does_not_overwrite_the_first(store: Store) -> None:
    one = store.stage(draft(store))
    two = store.stage(draft(store, surface(body="Quite another text.")))
    assert one != two
    assert len(store.drafts()) == 2


@pytest.mark.parametrize(
    ("batch", "slug"),
    [
        ("../x", "fine-slug"),
        ("b/c", "fine-slug"),
        ("b", "../../etc"),
        ("b", "a\0b"),
        ("", "fine-slug"),
        ("b", ".hidden"),
    ],
)
def test_no_draft_names_a_file_outside_the_workshop(store: Store, batch: str, slug: str) -> None:
    with pytest.raises(BadInput):
        store.stage(draft(store, surface(slug), batch_id=batch))


# -- pouring ---------------------------------------------------------------------------------------------------------------


def test_a_judged_draft_becomes_a_memory_without_its_comment(store: Store) -> None:
    one = staged(store, draft(store, callsigns=("slow disk",)))
    poured = store.pour(one, verdict=yes(one))
    assert (poured.slug, poured.action, poured.revision) == ("archive-on-slow-disk", "created", 1)
    memory = store.get(poured.slug)
    assert memory.summary == one.draft.surface.body
    assert (memory.provenance, memory.editor, memory.evidence_manifest) == (
        "distilled",
        "extractive",
        one.draft.manifest,
    )
    assert (memory.origin_manifest, memory.created, memory.updated) == (
        one.draft.manifest,
        "2026-03-01",
        "2026-03-01",
    )
    assert (memory.tags, memory.callsigns, memory.keep) == (("decision",), ("slow disk",), "which disk")
    assert "kura:evidence" not in (store.path / "archive-on-slow-disk.md").read_text()
    assert not one.path.exists()
    assert [line.trigger for line in store.index().lines] == [one.draft.surface.trigger]


def test_pouring_the_same_bytes_again_does_nothing(store: Store) -> None:
    one = staged(store, draft(store))
    store.pour(one, verdict=yes(one))
    before = tree(store.path)
    again = store.pour(one, verdict=yes(one))
    assert (again.action, again.slug, again.revision) == ("already", "archive-on-slow-disk", 1)
    rerun = staged(store, draft(store))
    assert rerun.digest == one.digest
    assert (
        Store.open(store.path, name="maker", floor=workshop.no_floor).pour(rerun, verdict=yes(rerun)).action
        == "already"
    )
    assert tree(store.path) == before


def test_a_verdict_binds_the_bytes_that_were_judged(store: Store) -> None:
    one = staged(store, draft(store))
    with pytest.raises(WriteRefused, match="judge it again"):
        store.pour(one, verdict=JudgeVerdict("POUR", "0" * 64))
    other = staged(store, draft(store, surface("other-slug", body="Another text.")))
    with pytest.raises(WriteRefused, match="judge it again"):
        store.pour(other, verdict=yes(one))
    one.path.write_bytes(files.render(other.draft))  # swapped after it was judged
    with pytest.raises(WriteRefused, match="judge it again"):
        store.pour(one, verdict=yes(one))
    assert store.slugs() == frozenset()


@pytest.mark.parametrize("verdict", ["TOSS", "SKIP"])
def test_only_pour_and_fix_are_poured(store: Store, verdict: str) -> None:
    one = staged(store, draft(store))
    with pytest.raises(BadInput, match=verdict):
        store.pour(one, verdict=JudgeVerdict(verdict, one.digest))  # type: ignore[arg-type]
    assert one.path.exists()


def test_a_draft_that_was_edited_is_quarantined_before_anybody_judges_it(store: Store) -> None:
    path = store.stage(draft(store))
    path.write_text(path.read_text().replace("slow disk.", "fast disk."))
    assert store.drafts() == []
    held = store.quarantined()
    assert len(held) == 1
    assert "mark" in held[0]["reason"]
    assert "fast disk." in Path(held[0]["file"]).read_text()
    assert not path.exists()
    assert "quarantined" in {f.kind for f in store.doctor().findings}


def test_a_draft_edited_between_the_verdict_and_the_pour_is_refused(store: Store) -> None:
    one = staged(store, draft(store))
    one.path.write_text(one.path.read_text().replace("scratch space", "safe"))
    with pytest.raises(WriteRefused):
        store.pour(one, verdict=yes(one))
    forged = files.read_staged(one.path)
    with pytest.raises(DraftQuarantined) as caught:
        store.pour(forged, verdict=yes(forged))
    assert Path(caught.value.path).exists()
    assert store.slugs() == frozenset()


def test_a_draft_of_another_store_is_quarantined(store: Store, tmp_path: Path) -> None:
    other = make(tmp_path / "other")
    path = other.stage(draft(other))
    target = store.path / "_still" / "drafts" / path.name
    target.parent.mkdir(parents=True)
    target.write_bytes(path.read_bytes())
    assert store.drafts() == []
    assert len(store.quarantined()) == 1


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"not a draft",
        b"\xff\xfe",
        b"---\nname: x\n---\n\nbody\n\n<!-- kura:evidence\n{}\n-->\n",
        b"---\n",
    ],
)
def test_what_is_no_draft_is_quarantined_and_not_lost(store: Store, garbage: bytes) -> None:
    good = store.stage(draft(store))
    bad = good.with_name("20260301T090000-00000000--bad.md")
    bad.write_bytes(garbage)
    assert [d.path for d in store.drafts()] == [good]
    assert Path(store.quarantined()[0]["file"]).read_bytes() == garbage


def test_a_second_quarantine_of_the_same_name_keeps_both(store: Store) -> None:
    for word in ("fast", "third"):
        path = store.stage(draft(store))
        path.write_text(path.read_text().replace("slow disk.", f"{word} disk."))
        store.drafts()
    assert len(store.quarantined()) == 2


def test_a_lost_or_tampered_manifest_stops_the_pour(store: Store) -> None:
    one = staged(store, draft(store))
    path = store.path / "_evidence" / f"{one.draft.manifest}.json"
    good = path.read_bytes()
    path.write_bytes(good.replace(b"slow", b"fast"))
    with pytest.raises(StoreDamaged, match="changed"):
        store.pour(one, verdict=yes(one))
    path.unlink()
    with pytest.raises(StoreDamaged, match="missing"):
        store.pour(one, verdict=yes(one))
    path.write_bytes(good)
    assert store.pour(one, verdict=yes(one)).action == "created"


def test_the_floor_runs_once_more_at_the_pour(store: Store) -> None:
    one = staged(store, draft(store))

    def floor(surface: Surface, *_: object, **__: object) -> tuple[Refusal, ...]:
        return (Refusal("G5", "number", "43.7", "body"),) if "slow" in surface.body else ()

    with pytest.raises(FloorRefused, match=r"body: number 43\.7") as caught:
        store.pour(one, verdict=yes(one), floor=floor)
    assert caught.value.refusals[0].token == "43.7"  # type: ignore[attr-defined]
    assert one.path.exists()


def test_the_real_floor_is_the_default(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "s", name="maker")
    words = quote("I decided: the archive goes on the slow disk. The fast disk is scratch space.")
    fine = surface(
        title="Archive on the slow disk",
        trigger="the archive goes on the slow disk",
        belongs_because="",
        keep="",
        may_fade="",
    )
    one = staged(store, draft(store, fine, quotes=(words,)))
    assert store.pour(one, verdict=yes(one)).action == "created"
    lie = replace(fine, slug="archive-size", body="The archive has 4312 files on the slow disk.")
    two = staged(store, draft(store, lie, quotes=(words,)))
    with pytest.raises(FloorRefused, match="number"):
        store.pour(two, verdict=yes(two))


def test_a_secret_never_reaches_the_store(store: Store) -> None:
    one = staged(store, draft(store, surface(body="The key is AKIAIOSFODNN7EXAMPLE for the archive.")))
    with pytest.raises(WriteRefused, match="secret"):
        store.pour(one, verdict=yes(one))


def test_a_fix_passes_the_floor_is_signed_again_and_poured(store: Store) -> None:
    one = staged(store, draft(store))
    fixed = replace(one.draft.surface, body="The archive goes on the slow disk.")
    seen: list[str] = []

    def floor(surface: Surface, *_: object, **__: object) -> tuple[()]:
        seen.append(surface.body)
        return ()

    poured = store.pour(one, verdict=JudgeVerdict("FIX", one.digest, "shorter", fixed), floor=floor)
    assert seen == [fixed.body]
    assert store.get(poured.slug).summary == fixed.body
    entry = store.history(poured.slug)[0]
    assert (entry["verdict"], entry["reason"], entry["draft"]) == ("FIX", "shorter", one.digest)
    assert entry["mark"] != one.draft.mark
    assert store.pour(one, verdict=JudgeVerdict("FIX", one.digest, "shorter", fixed)).action == "already"


def test_a_fix_that_falls_at_the_floor_changes_nothing(store: Store) -> None:
    one = staged(store, draft(store))
    before = tree(store.path)
    fixed = replace(one.draft.surface, body="It holds 12 files.")
    with pytest.raises(FloorRefused):
        store.pour(
            one,
            verdict=JudgeVerdict("FIX", one.digest, "", fixed),
            floor=lambda *a, **k: (Refusal("G5", "number"),),
        )
    with pytest.raises(BadInput, match="FIX"):
        store.pour(one, verdict=JudgeVerdict("FIX", one.digest))
    assert tree(store.path) == before


def test_the_same_slug_with_other_content_gets_its_own_name_and_both_are_linked(store: Store) -> None:
    workshop.poured(store, draft(store))
    text = (store.path / "archive-on-slow-disk.md").read_text().split("---\n")[2]
    slug = workshop.poured(store, draft(store, surface(body="Quite another fact about archives.")))
    third = workshop.poured(store, draft(store, surface(body="And a third one.")))
    assert (slug, third) == ("archive-on-slow-disk-2", "archive-on-slow-disk-3")
    assert store.get(slug).links == ("archive-on-slow-disk",)
    assert set(store.get("archive-on-slow-disk").links) == {slug, third}
    assert (store.path / "archive-on-slow-disk.md").read_text().split("---\n")[2] == text
    assert store.doctor().healthy


def test_the_same_slug_with_the_same_text_is_covered(store: Store) -> None:
    workshop.poured(store, draft(store))
    one = staged(store, draft(store, surface(keep="another reason")))
    assert store.pour(one, verdict=yes(one)).action == "covered"
    assert len(store.slugs()) == 1
    assert store.pour(one, verdict=yes(one)).action == "already"


def test_an_extension_appends_a_dated_section_and_rewrites_nothing(store: Store) -> None:
    workshop.poured(store, draft(store))
    old = store.get("archive-on-slow-disk")
    more = quote("the second disk came in April", event="e9")
    ext = draft(
        store, surface(title="other", trigger="other", heading="第二块盘", body="The second disk came in April.", keep="other"),
        extends="archive-on-slow-disk", quotes=(more,), stamp="2026-04-02", tags=("lesson",),
    )  # fmt: skip
    one = staged(store, ext)
    poured = store.pour(one, verdict=yes(one))
    assert (poured.slug, poured.action) == ("archive-on-slow-disk", "extended")
    new = store.get("archive-on-slow-disk")
    assert new.summary == old.summary + "\n\n## 2026-04-02 第二块盘\n\nThe second disk came in April."
    assert (new.title, new.trigger, new.keep, new.created) == (old.title, old.trigger, old.keep, old.created)
    assert (new.updated, new.tags) == ("2026-04-02", ("decision", "lesson"))
    assert (new.origin_manifest, new.evidence_manifest) == (old.evidence_manifest, ext.manifest)
    why = store.why("archive-on-slow-disk")
    assert why.manifests == (old.evidence_manifest, ext.manifest)
    assert [q.text for _, q in why.quotes] == [
        "the archive goes on the slow disk",
        "the second disk came in April",
    ]


def test_an_extension_stands_before_the_detail(store: Store) -> None:
    workshop.poured(store, draft(store, surface(body="Short.\n\n## Detail\n\nLong.")))
    workshop.poured(
        store, draft(store, surface(heading="More", body="And more."), extends="archive-on-slow-disk")
    )
    memory = store.get("archive-on-slow-disk")
    assert memory.summary == "Short.\n\n## 2026-03-01 More\n\nAnd more."
    assert memory.detail == "Long."


def test_an_extension_of_what_is_not_there_is_refused(store: Store) -> None:
    one = staged(store, draft(store, surface(heading="x"), extends="never-was"))
    with pytest.raises(WriteRefused, match="never-was"):
        store.pour(one, verdict=yes(one))


def test_a_direct_memory_that_is_extended_stays_direct_and_has_no_origin_manifest(store: Store) -> None:
    store.remember("archive-on-slow-disk", "where the archive is", "On the slow disk.")
    workshop.poured(
        store, draft(store, surface(heading="More", body="And more."), extends="archive-on-slow-disk")
    )
    memory = store.get("archive-on-slow-disk")
    assert (memory.provenance, memory.origin_manifest) == ("direct", None)
    assert memory.evidence_manifest is not None


def test_a_draft_that_conflicts_is_kept_beside_the_old_one_and_a_person_is_asked(store: Store) -> None:
    workshop.poured(store, draft(store))
    one = staged(
        store,
        draft(
            store,
            surface("archive-on-fast-disk", body="The archive goes on the fast disk."),
            conflicts="archive-on-slow-disk",
        ),
    )
    poured = store.pour(one, verdict=yes(one))
    assert {m.slug: m.state for m in store.memories()} == {
        "archive-on-slow-disk": "conflict",
        "archive-on-fast-disk": "conflict",
    }
    assert [p["id"] for p in store.proposals()] == [poured.proposal]
    assert store.get("archive-on-slow-disk").links == ("archive-on-fast-disk",)
    store.rule(poured.proposal, keep="new", who="ana")
    assert {m.slug: m.state for m in store.memories()} == {
        "archive-on-slow-disk": "retired",
        "archive-on-fast-disk": "active",
    }
    assert store.proposals() == []
    assert store.proposals(every=True)[0]["ruled_by"] == "ana"
    with pytest.raises(BadInput, match="no open conflict"):
        store.rule(poured.proposal, keep="old")


def test_an_idea_is_no_memory(store: Store) -> None:
    one = staged(store, draft(store, kind="idea"))
    with pytest.raises(BadInput, match="kind"):
        store.pour(one, verdict=yes(one))


def test_discarding_keeps_the_reason(store: Store) -> None:
    one = staged(store, draft(store))
    assert store.discard(one.digest, "tossed: ephemeral")
    assert not store.discard(one.digest, "again")
    assert store.drafts() == []
    assert [(d["reason"], d["topic"]) for d in store.dropped()] == [
        ("tossed: ephemeral", "Archive on the slow disk")
    ]


def test_seeds_are_added_once(store: Store) -> None:
    seed = {"topic": "新しい棚", "why": "maybe", "batch": "b1"}
    assert store.add_seeds([seed, seed, {**seed, "batch": "b2"}]) == 2
    assert store.add_seeds([seed]) == 0
    path = store.path / "_kura" / "seeds.jsonl"
    path.write_bytes(path.read_bytes() + b'{"topic": "torn')
    assert len(store.seeds()) == 2
    assert store.add_seeds([{"topic": "next", "why": "", "batch": "b3"}]) == 1
    assert [s["topic"] for s in store.seeds()] == ["新しい棚", "新しい棚", "next"]


def test_the_workshop_can_be_deleted(store: Store) -> None:
    import shutil

    workshop.poured(store, draft(store))
    store.stage(draft(store, surface("other-slug")))
    shutil.rmtree(store.path / "_still")
    assert store.slugs() == {"archive-on-slow-disk"}
    assert store.drafts() == []
    assert [f.kind for f in store.doctor().findings] == ["workshop-gone"], "it is said, and no harm is done"
    rerun = staged(store, draft(store))
    assert store.pour(rerun, verdict=yes(rerun)).action == "already"


# -- manifests ---------------------------------------------------------------------------------------------------------------


def test_a_manifest_is_named_by_its_bytes_and_written_once(store: Store) -> None:
    one = manifest(quote("引文 → «quote» 😀"))
    digest = store.write_manifest(one)
    assert digest == one.digest
    path = store.path / "_evidence" / f"{digest}.json"
    stamp = path.stat().st_mtime_ns
    assert store.write_manifest(one) == digest
    assert path.stat().st_mtime_ns == stamp
    assert store.manifest(digest) == one
    assert store.manifest(f"sha256:{digest}") == one


@pytest.mark.parametrize(
    "digest", ["", "x", "../../etc/passwd", "A" * 64, "sha256:", "g" * 64, "a" * 63, "a" * 64 + "\n"]
)
def test_a_malformed_digest_names_no_file(store: Store, digest: str) -> None:
    with pytest.raises(StoreDamaged, match="no manifest digest"):
        store.manifest(digest)


def test_a_manifest_with_the_right_hash_and_the_wrong_shape_is_damage(store: Store) -> None:
    import hashlib

    data = json.dumps({"quotes": 3}).encode()
    digest = hashlib.sha256(data).hexdigest()
    (store.path / "_evidence").mkdir()
    (store.path / "_evidence" / f"{digest}.json").write_bytes(data)
    with pytest.raises(StoreDamaged, match="not an evidence manifest"):
        store.manifest(digest)
