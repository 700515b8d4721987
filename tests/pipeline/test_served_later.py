"""What was handed out since does not change what a batch is: a rerun is byte-identical, and a search spoils no source."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kura_runtime.gate.echo import served_hashes
from kura_runtime.recall.served import FOLDER
from tests.pipeline.project import Project


def serve(project: Project, at: datetime, *texts: str) -> None:
    folder = project.store / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    hashes = [h for text in texts for h in served_hashes(text)]
    row = {"ts": at.isoformat(timespec="seconds"), "hashes": hashes}
    (folder / f"served-1-{at:%H%M%S%f}.jsonl").write_text(json.dumps(row) + "\n")


def parquet(project: Project) -> dict[str, bytes]:
    steps = project.folder / ".kura" / "storage" / "main"
    return {
        str(p.relative_to(steps)): p.read_bytes()
        for p in steps.rglob("*.parquet")
        if p.parent.name != "memories"
    }


def test_a_rerun_is_byte_identical_though_all_of_it_was_served_since(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    journal = project.write_session()
    assert project.kura("run").returncode == 0
    before, memories = parquet(project), project.memories()
    assert memories
    words = [json.loads(row)["message"]["content"] for row in journal.read_text().splitlines()]
    said = [w if isinstance(w, str) else w[0]["text"] for w in words]
    serve(project, datetime.now(UTC) - timedelta(days=1), *said)  # worst case: as if it had been before
    serve(project, datetime.now(UTC), *said, *(m.decode() for m in memories.values()))
    batch = next((project.folder / ".kura" / "storage" / "main" / "drafts").glob("*.parquet")).stem
    done = project.start_dagster("distill__main", batch)
    assert done.returncode == 0, done.stderr
    assert parquet(project) == before and project.memories() == memories
