"""Where the recorded journals lie."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture
def real_journals() -> Path:
    folder = SHARED / "journals"
    if not folder.is_dir():
        pytest.skip("the recorded journals are not beside this checkout")
    return folder
