"""A small project on disk for the pipeline's tests: a kura.toml, a store, a folder of notes and a Claude session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from kura_runtime.store.store import Store

RULES = (
    "From now on, always run the migration against a copy of the ledger first, never against production.",
    "We decided to keep the archive on the slow disk; the fast disk stays scratch space.",
    "Never restart the harvester while the nightly backup is running, it corrupts the index.",
    "今後、デプロイの前には必ずステージング環境でスモークテストを実行してください。",
    "以后所有的时间戳都必须使用 UTC，不要使用本地时区。",
)


def session(lines: list[tuple[str, str]], name: str = "aaaaaaaa-0000-4000-8000-000000000001") -> str:
    """A Claude-format session of (role, text) turns."""
    rows = []
    for n, (role, text) in enumerate(lines):
        content: Any = text if role == "user" else [{"type": "text", "text": text}]
        rows.append({
            "type": role, "uuid": f"{name[:-3]}{n:03d}", "parentUuid": f"{name[:-3]}{n - 1:03d}" if n else None, "sessionId": name,
            "timestamp": f"2026-03-0{1 + n // 24}T{n % 24:02d}:00:00.000Z", "isSidechain": False, "userType": "external",
            "cwd": "/home/dev/ledger", "version": "2.1.12", "message": {"role": role, "content": content},
        })  # fmt: skip
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)


class Project:
    """kura.toml in `folder`, its one store `main`, and the `kura` command run as a process of its own."""

    def __init__(self, folder: Path, extra: str = "") -> None:
        self.folder, self.config = folder, folder / "kura.toml"
        self.journals = folder / "journals"
        self.store = folder / "store"
        self.journals.mkdir(parents=True)
        self.config.write_text(
            f'[stores.main]\npath = "store"\n[stores.main.distill]\neditor = "extractive"\n{extra}\n'
            '[stores.main.distill.journals]\nclaude = "journals"\n',
            encoding="utf-8",
        )
        Store.create(self.store, name="main")

    def write_session(
        self, rules: tuple[str, ...] = RULES, name: str = "aaaaaaaa-0000-4000-8000-000000000001"
    ) -> Path:
        turns: list[tuple[str, str]] = []
        for rule in rules:
            turns += [("user", rule), ("assistant", "Understood, I will keep to that.")]
        path = self.journals / "proj" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(session(turns, name), encoding="utf-8")
        return path

    def command(self, *arguments: str) -> list[str]:
        return [
            sys.executable,
            "-c",
            "from kura_runtime.cli.main import main; main()",
            *arguments,
            "-c",
            str(self.config),
        ]

    def kura(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments), text=True, capture_output=True, timeout=300, env=self.env, check=False
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env
        )

    def start_dagster(self, job: str, partition: str) -> subprocess.CompletedProcess[str]:
        """Run one partition of a job as Dagster's own command line does."""
        code = (
            "import sys; from kura_pipeline import home; from kura_pipeline.definitions import build_defs; "
            "from kura_runtime.config.load import load; c = load(sys.argv[1])\n"
            "with home.instance(c) as i: done = build_defs(c).resolve_job_def(sys.argv[2]).execute_in_process("
            "instance=i, partition_key=sys.argv[3]); sys.exit(0 if done.success else 1)"
        )
        arguments = [sys.executable, "-c", code, str(self.config), job, partition]
        return subprocess.run(
            arguments, text=True, capture_output=True, timeout=300, env=self.env, check=False
        )

    def json(self, *arguments: str) -> Any:
        done = self.kura(*arguments, "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    @property
    def env(self) -> dict[str, str]:
        return {k: v for k, v in os.environ.items() if k not in ("KURA_CONFIG", "KURA_STORE", "DAGSTER_HOME")}

    def memories(self) -> dict[str, bytes]:
        """Slug → bytes of every memory file."""
        return {
            p.stem: p.read_bytes()
            for p in sorted(self.store.glob("*.md"))
            if p.name not in ("MEMORY.md", "charter.md")
        }
