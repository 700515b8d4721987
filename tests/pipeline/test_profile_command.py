"""`kura profile`: show, draft, apply, from the command line, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.project import Project


@pytest.mark.slow
def test_a_profile_is_drafted_shown_and_applied_by_its_digest(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write_session(
        ("I prefer short commit subjects in the imperative, please keep to that from now on.",)
    )
    assert project.kura("run").returncode == 0
    assert project.kura("profile", "show").returncode == 2
    made = project.json("profile", "draft")
    assert "short commit subjects" in made["text"]
    assert not (project.store / "profile.md").exists(), "a draft is only a draft"
    wrong = project.kura("profile", "apply", "00000000")
    assert wrong.returncode == 64 and "not the draft that waits" in wrong.stderr
    assert project.kura("profile", "apply", made["digest"][:8]).returncode == 0
    assert (project.store / "profile.md").read_text(encoding="utf-8") == made["text"]
    assert project.kura("profile", "apply", made["digest"][:8]).returncode == 2
    assert project.json("profile", "show")["state"] == "present"
