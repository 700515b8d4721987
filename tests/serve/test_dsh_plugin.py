"""The plugin for DeepSeek Harness: its own tests, and the same tools against a real server."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .rooms import project, serving

PLUGIN = Path(__file__).resolve().parents[2] / "dsh-plugin"


@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm here")
def test_the_plugin_s_own_tests_pass_and_its_tools_fit_a_real_server(tmp_path: Path) -> None:
    with serving(project(tmp_path)) as port:
        env = os.environ | {"KURA_TEST_URL": f"http://127.0.0.1:{port}"}
        done = subprocess.run(
            ["npm", "test", "--silent"], cwd=PLUGIN, env=env, capture_output=True, text=True, timeout=300
        )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "# fail 0" in done.stdout and "# skipped 0" in done.stdout
