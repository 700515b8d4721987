"""The docs are held to what they say: promises name tests, generated parts are up to date, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_promise_names_a_test_that_exists() -> None:
    named = re.findall(r"`(tests/[^`]+)`", (ROOT / "docs" / "promises.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    for name in named:
        file, _, function = name.partition("::")
        assert (ROOT / file).is_file(), name
        if function:
            assert re.search(
                rf"^\s*(?:async )?def {function}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE
            ), name


def test_every_link_between_documents_leads_somewhere() -> None:
    for document in DOCS:
        text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_generated_parts_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "render_docs.py", "--check"],
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_commands_of_the_readme_exist() -> None:
    known = set(
        re.findall(
            r"^## `kura ([a-z-]+)", (ROOT / "docs" / "cli.md").read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    for document in DOCS:
        for command in re.findall(
            r"^\s*(?:\$ )?(?:\.venv/bin/)?kura ([a-z-]+)", document.read_text(encoding="utf-8"), re.MULTILINE
        ):
            assert command in known, f"{document.name}: kura {command}"
