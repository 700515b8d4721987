"""The `kura` command as a process of its own, with any of its streams closed."""

from __future__ import annotations

import os
import subprocess
import sys

COMMAND = [sys.executable, "-c", "from kura_runtime.cli.main import main; main()"]


def environment(**more: str) -> dict[str, str]:
    """This process's environment without what would choose a store."""
    kept = {k: v for k, v in os.environ.items() if k not in ("KURA_CONFIG", "KURA_STORE", "DAGSTER_HOME")}
    return {**kept, **more}


def kura(*arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    """Run one command line; `how` as for subprocess.run."""
    options = {
        "text": True,
        "capture_output": True,
        "timeout": 300,
        "check": False,
        "env": environment(),
        **how,
    }
    return subprocess.run([*COMMAND, *arguments], **options)  # type: ignore[call-overload, no-any-return]


def shell(line: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which `kura` is the command under test."""
    quoted = " ".join(f"'{part}'" for part in COMMAND)
    return subprocess.run(
        ["bash", "-c", f'set -o pipefail; kura() {{ {quoted} "$@"; }}; {line}'],
        text=True, capture_output=True, timeout=300, check=False, env=environment(**more),
    )  # fmt: skip
