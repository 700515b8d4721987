"""The whole pipeline against a real model server with a very small model: every failure has a name, and whatever such a model
says, the store holds nothing that the gate would refuse."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from kura_pipeline.assets.tables import unpack
from kura_pipeline.distil.brief import brief_of
from kura_pipeline.distil.drafting import DraftRow
from kura_pipeline.distil.evidence import batch_of
from kura_pipeline.distil.verify import verify_drafts
from kura_pipeline.runs import run_pass
from kura_pipeline.storage import kept_evidence, read_whole
from kura_runtime.config.load import load
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.store import Store
from tests.models.llama import llama, model_file
from tests.pipeline.project import RULES, Project

pytestmark = pytest.mark.slow
KINDS = {"", "empty", "truncated", "reasoning-only", "malformed", "timeout", "http", "unreachable"}


@pytest.mark.parametrize(
    ("kind", "dialect"),
    [("noise", "generic"), ("noise", "vllm"), ("smollm2", "generic"), ("smollm2", "vllm")],
)
def test_a_full_run_completes_and_nothing_untrue_is_stored(tmp_path: Path, kind: str, dialect: str) -> None:
    with llama(model_file(kind, tmp_path), tmp_path / "log") as (server, _):
        distil(server, tmp_path, dialect)


def distil(server: str, tmp_path: Path, dialect: str) -> None:
    project = Project(tmp_path / "p")
    project.config.write_text(
        project.config.read_text().replace(
            'editor = "extractive"', 'editor = "model"\ncoverage_passes = 0\nmax_items = 3'
        )
        + f'\n[models.thinker]\nurl = "{server}"\nmodel = "small"\ndialect = "{dialect}"\ntimeout = 900\nmax_tokens = 120\n'
    )
    project.write_session(RULES[:1])
    Store.create(project.store, name="main")
    config = load(project.config)
    cfg = config.stores["main"]
    report = run_pass(config, cfg)
    assert report.claimed == 1
    assert set(report.batches) | set(report.failed), "the run came to an end that it reports"
    for reason in report.failed.values():
        assert "model for role" in reason, reason
    with closing(Ledger.open(config.ledger_url)) as ledger:
        calls = [call for _, call in ledger.calls.walk()]
        assert calls and {c.failure for c in calls} <= KINDS
        answered = [c for c in calls if not c.failure]
        assert all(c.usage["prompt_tokens"] > 0 and c.timings["total"] > 0 for c in answered)
        assert all("prompt" in c.timings for c in answered), "the server's own timings are kept"
        spent = ledger.spending.spent("main", night="2000")
        assert spent.night_tokens == sum(
            c.usage.get("prompt_tokens", 0) + c.usage.get("completion_tokens", 0) for c in calls
        )
    reverify(project, config, cfg)
    print(
        dialect,
        report.to_json()["figures"],
        report.failed,
        [(c.params["prompt"], c.finish, c.failure) for c in calls],
    )


def reverify(project: Project, config, cfg) -> None:
    """Every draft that was ever staged, held against its evidence from scratch; every memory names such a draft."""
    store = Store.open(project.store, name="main")
    folder, good = Path(config.storage_root) / "main" / "drafts", set()
    for path in sorted(folder.glob("*.parquet")) if folder.is_dir() else []:
        evidence = kept_evidence(config.storage_root, "main", path.stem)
        assert evidence is not None
        drafts = [row.draft for row in unpack(read_whole(path), DraftRow) if row.draft is not None]
        broken = verify_drafts(
            drafts, batch_of(evidence, path.stem, "main"), brief_of(cfg), links=store.slugs(), store=store
        )
        assert not broken
        good |= {d.manifest for d in drafts}
    for memory in store.memories():
        assert store.why(memory.slug).manifest in good
    assert store.doctor().healthy
