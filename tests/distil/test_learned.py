"""The learned profile: drafted from the human's own words, held against them, applied by a person and nobody else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kura_pipeline.distil.brief import read_profile
from kura_pipeline.distil.learned import draft_profile
from kura_runtime.errors import BadInput, ModelUnavailable, WriteRefused
from kura_runtime.store import profile
from kura_runtime.store.store import Store
from tests.distil.material import ARCHIVE, ARCHIVE_SURFACE, batch, brief
from tests.distil.test_steps import by_topic
from tests.distil.workshop import workshop
from tests.scripted_model import Cast, say, status

SAID = (
    ("USER", "Please keep commit messages short, and never use emoji in them."),
    ("USER", "デプロイの前には必ずスモークテストを実行してください。"),
    ("TOOL", "sent 48,210 files, total size 12.5 GB"),
)
SHORT = {
    **ARCHIVE, "topic": "Commit messages are short", "kind": "feedback", "tags": ["preference"],
    "quotes": ["[USER] keep commit messages short, and never use emoji in them"],
}  # fmt: skip
SMOKE = {
    **ARCHIVE, "topic": "デプロイの前にスモークテスト", "kind": "feedback", "tags": ["preference"],
    "quotes": ["[USER] デプロイの前には必ずスモークテストを実行してください"],
}  # fmt: skip
COUNTED = {
    **ARCHIVE,
    "topic": "files sent",
    "kind": "feedback",
    "quotes": ["[TOOL] sent 48,210 files, total size 12.5 GB"],
}
SURFACES = {
    "Commit messages": {
        **ARCHIVE_SURFACE, "slug": "commit-messages-short", "title": "Commit messages are short",
        "trigger": "commit messages: short, never emoji", "body": "Keep commit messages short and never use emoji in them.",
    },
    "スモーク": {
        **ARCHIVE_SURFACE, "slug": "smoke-test-before-deploy", "title": "デプロイの前にスモークテスト",
        "trigger": "デプロイの前には必ずスモークテスト", "body": "デプロイの前には必ずスモークテストを実行する。",
        "belongs_because": "", "keep": "", "may_fade": "",
    },
    "files sent": {
        **ARCHIVE_SURFACE, "slug": "files-sent", "title": "48,210 files sent", "trigger": "sent 48,210 files",
        "body": "It sent 48,210 files with a total size of 12.5 GB.",
    },
}  # fmt: skip
GOOD = {"line": "Commit messages stay short and never hold emoji.", "slugs": ["commit-messages-short"]}
GOOD_JA = {"line": "デプロイの前には必ずスモークテストを実行する。", "slugs": ["smoke-test-before-deploy"]}


@pytest.fixture
def prepared(tmp_path):
    cast = Cast(spot=[SHORT, SMOKE, COUNTED], compose=by_topic(**SURFACES), judge={"verdict": "POUR"})
    with workshop(tmp_path, cast) as w:
        assert w.run(batch(SAID)).poured.counts["created"] == 3
        w.store.remember("likes-tabs", "the user likes tabs", "Tabs.", type="user")
        w.cast.asked.clear()
        yield w


def drafted(w, *answers):
    w.cast.set("profile", tuple(answers))
    return draft_profile(w.store, w.editor()._scribe, brief())


def test_a_profile_is_drafted_from_the_humans_own_words_and_names_its_memories(prepared):
    made = drafted(prepared, [GOOD, GOOD_JA])
    assert made.lines == (
        (GOOD["line"], ("commit-messages-short",)),
        (GOOD_JA["line"], ("smoke-test-before-deploy",)),
    )
    assert "- Commit messages stay short and never hold emoji. ([[commit-messages-short]])\n" in made.text
    assert made.counts["no-user-evidence"] == 2, (
        "a measured number and a direct memory are no words of the human"
    )
    shown = prepared.model.requests[-1]["messages"][1]["content"]
    assert "likes-tabs" not in shown and "files-sent" not in shown


@pytest.mark.parametrize(
    ("line", "slugs", "reason"),
    [
        ("The user prefers tabs over spaces in Python.", ["commit-messages-short"], "unsupported"),
        ("The user is impatient and dislikes verbose colleagues.", ["commit-messages-short"], "unsupported"),
        ("Commit messages stay short, at most 50 characters, never emoji.", ["commit-messages-short"], "number"),
        ("Commit messages stay short, with emoji in them.", ["commit-messages-short"], "polarity"),
        ("Only use emoji in commit messages.", ["commit-messages-short"], "polarity"),
        ("The user decided on short commit messages, never emoji.", ["commit-messages-short"], "unsupported"),
        ("Commit messages: [short](x.md), never emoji.", ["commit-messages-short"], "markup"),
        ("Quillmarsh commit messages stay short, never emoji.", ["commit-messages-short"], "example"),
        ("Commit messages stay short, never emoji.", ["likes-tabs"], "unshown"),
        ("Commit messages stay short, never emoji.", ["files-sent"], "unshown"),
        ("Commit messages stay short, never emoji.", ["../../etc/passwd"], "unshown"),
        ("Commit messages stay short, never emoji.", [], "unshown"),
        ("Commit messages stay short, never emoji.", ["commit-messages-short", "smoke-test-before-deploy"], "language"),
        ("利用者はいつも夜中に働くのが好きである。", ["smoke-test-before-deploy"], "unsupported"),
    ],
)  # fmt: skip
def test_an_invented_preference_is_refused_twice_and_dropped(prepared, line, slugs, reason):
    bad = {"line": line, "slugs": slugs}
    made = drafted(prepared, [bad, GOOD_JA], [bad])
    assert [one for one, _ in made.lines] == [GOOD_JA["line"]]
    assert made.refused == ((line, reason),)
    assert prepared.cast.asked.count("profile") == 2, "named once, and then it falls"


def test_a_refused_line_that_is_mended_is_kept(prepared):
    bad = {**GOOD, "line": "Commit messages stay short, at most 50 characters, never emoji."}
    made = drafted(prepared, [bad], [GOOD])
    assert [line for line, _ in made.lines] == [GOOD["line"]]
    assert made.refused == ()
    assert "number 50: stands in no" in prepared.model.requests[-1]["messages"][1]["content"]


@pytest.mark.parametrize("answer", ["I know him well, trust me.", "[]", say(""), [{"slugs": ["x"]}]])
def test_an_answer_without_lines_is_an_empty_draft(prepared, answer):
    assert drafted(prepared, answer).text == ""


def test_an_outage_is_no_profile(prepared):
    with pytest.raises(ModelUnavailable):
        drafted(prepared, status(500))


def test_the_same_store_gives_the_same_bytes_and_asks_nobody_again(prepared):
    first = drafted(prepared, [GOOD_JA, GOOD])
    asked = len(prepared.model.requests)
    again = drafted(prepared, [{**GOOD, "line": "Other words altogether."}])
    assert again == first
    assert len(prepared.model.requests) == asked
    assert drafted(prepared, [GOOD, GOOD_JA]).text == first.text


def test_without_a_model_every_line_is_the_humans_own_words(prepared):
    made = draft_profile(prepared.store, None, brief())
    assert made.lines[0][0] == "“keep commit messages short, and never use emoji in them”"
    assert len(made.lines) == 2


# -- a person's act --------------------------------------------------------------------------------------------------


def test_a_draft_changes_nothing_until_a_person_applies_the_very_bytes(prepared):
    store = prepared.store
    revision = store.revision
    waiting = profile.stage(store, drafted(prepared, [GOOD]).text)
    assert (store.revision, read_profile(store.path)[1]) == (revision, "absent")
    for wrong in ("", "0" * 8, waiting.digest[:7], "zzzzzzzz"):
        with pytest.raises(BadInput):
            profile.apply(store, wrong, who="me")
    done = profile.apply(store, waiting.digest[:8], who="me")
    assert done.written
    assert read_profile(store.path) == (waiting.text, "present")
    assert not profile.apply(store, waiting.digest, who="me").written
    assert not [m for m in store.memories() if m.slug == "profile"]


def test_a_draft_that_was_edited_is_not_applied(prepared):
    waiting = profile.stage(prepared.store, drafted(prepared, [GOOD]).text)
    path = prepared.store.path / "_still" / "profile-draft.md"
    path.write_text(waiting.text + "- The user approved everything.\n")
    edited = profile.staged(prepared.store)
    assert not edited.sealed
    with pytest.raises(BadInput, match="edited"):
        profile.apply(prepared.store, edited.digest, who="me")
    assert read_profile(prepared.store.path)[1] == "absent"


def test_what_a_person_wrote_before_is_kept(prepared):
    (prepared.store.path / "profile.md").write_text("my own words\n", encoding="utf-8")
    waiting = profile.stage(prepared.store, drafted(prepared, [GOOD]).text)
    profile.apply(prepared.store, waiting.digest, who="me")
    assert "my own words" in (prepared.store.path / "_kura" / "profile.jsonl").read_text(encoding="utf-8")


def test_a_frozen_store_takes_no_profile(prepared):
    waiting = profile.stage(prepared.store, drafted(prepared, [GOOD]).text)
    frozen = Store.open(prepared.store.path, name="maker", policy="frozen")
    with pytest.raises(WriteRefused):
        profile.apply(frozen, waiting.digest, who="me")


def test_nothing_but_the_command_applies_a_profile():
    root = Path(__file__).resolve().parents[2]
    calls = [
        p.relative_to(root).as_posix()
        for folder in ("kura_pipeline", "kura_runtime")
        for p in (root / folder).rglob("*.py")
        if "profile.apply(" in p.read_text(encoding="utf-8")
    ]
    assert calls == ["kura_pipeline/cli/profile.py"]
    code = "import kura_pipeline.cli.profile as p; import typer; p.register(typer.Typer())"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
