"""An adapter of somebody else's package: found by its entry point, used, and unable to harm the others.

The adapter is the example of docs/adapters.md, word for word."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kura_pipeline.distil.batch import batch_of, claim, read_batch
from kura_pipeline.distil.coverage import survey
from kura_pipeline.journals.discover import discover
from kura_pipeline.journals.sniff import adapter, adapters, unloadable
from kura_runtime.cli.main import run
from kura_runtime.errors import ConfigError
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.store import Store
from tests.journals.samples import SAMPLES, line
from tests.journals.stores import NOW, ledger, store

DOCS = Path(__file__).resolve().parents[2] / "docs" / "adapters.md"
ROWS = (
    {"chat": "tea", "at": "2025-03-01T10:00:00Z", "who": "human", "say": "ディスクは遅い方を使う"},
    {"chat": "tea", "at": "2025-03-01T10:00:01Z", "who": "call", "say": "df -h"},
    {"chat": "tea", "at": "2025-03-01T10:00:02Z", "who": "result", "say": "/mnt 91%"},
    {"chat": "tea", "at": "2025-03-01T10:00:03Z", "who": "bot", "say": "It is full."},
    {"chat": "tea", "at": "2025-03-01T10:00:04Z", "who": "nobody", "say": "?"},
)
SAID = [("USER", "ディスクは遅い方を使う"), ("ACT", "df -h"), ("TOOL", "/mnt 91%"), ("SELF", "It is full.")]


class Site:
    """A folder on `sys.path`, into which packages are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def install(self, name: str, code: str, **entries: str) -> None:
        (self.folder / f"{name}.py").write_text(code)
        info = self.folder / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        listed = "".join(f"{k} = {v}\n" for k, v in entries.items())
        (info / "entry_points.txt").write_text(f"[kura.journals]\n{listed}")
        adapters.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    made = Site(tmp_path / "site")
    monkeypatch.syspath_prepend(str(made.folder))
    yield made
    for name in [n for n in sys.modules if n.startswith("kura_other_")]:
        del sys.modules[name]
    monkeypatch.undo()
    adapters.cache_clear()


def example() -> str:
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return str(code)


def journals(folder: Path) -> Path:
    root = folder / "j"
    root.mkdir()
    (root / "tea.parley.jsonl").write_bytes(b"".join(line(r) for r in ROWS))
    SAMPLES["pi"].write(folder / "p")
    return root


def test_the_adapter_of_the_docs_is_found_listed_and_distilled_from(site: Site, tmp_path: Path) -> None:
    site.install("kura_other_parley", example(), parley="kura_other_parley:Parley")
    journals(tmp_path)
    cfg, book = store(tmp_path, {"parley": "j"}), ledger(tmp_path)
    (row,) = [r for r in survey(cfg, book).files if r.adapter == "parley"]
    assert (row.session, row.events, row.left_out) == (
        "tea",
        {"ACT": 1, "SELF": 1, "TOOL": 1, "USER": 1},
        {"who:nobody": 1},
    )
    (made,) = claim(cfg, book, now=NOW).batches
    batch = batch_of(read_batch(cfg, book, made.batch_id))
    assert [(e.cls.value, e.text) for e in batch.events] == SAID
    assert claim(cfg, book, now=NOW).batches == ()


def test_kura_journals_and_a_run_use_it(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site.install("kura_other_parley", example(), parley="kura_other_parley:Parley")
    journals(tmp_path)
    (tmp_path / "kura.toml").write_text(
        '[stores.maker]\npath = "store"\n[distill]\neditor = "extractive"\n[distill.journals]\nparley = ["j"]\n'
    )
    monkeypatch.chdir(tmp_path)
    Store.create(tmp_path / "store", name="maker")
    capsys.readouterr()
    assert run(["journals", "-s", "maker", "--json"]) == 0
    (row,) = [f for f in json.loads(capsys.readouterr().out)["files"] if f["adapter"] == "parley"]
    assert row["events"] == {"ACT": 1, "SELF": 1, "TOOL": 1, "USER": 1}
    assert run(["run", "-s", "maker", "--json"]) in (0, 2)
    with closing(Ledger.open(f"sqlite:///{tmp_path / '.kura' / 'ledger.db'}")) as book:
        assert [(c.adapter, c.state) for c in book.claims.of_store("maker")] == [("parley", "done")]


def test_its_journal_read_in_parts_and_in_full_says_the_same(site: Site, tmp_path: Path) -> None:
    site.install("kura_other_parley", example(), parley="kura_other_parley:Parley")
    path = journals(tmp_path) / "tea.parley.jsonl"
    whole = list(adapter("parley").read(path))
    assert [(e.cls.value, e.text) for r in whole for e in r.events] == SAID
    for i, record in enumerate(whole):
        assert [r.key for r in adapter("parley").read(path, record.end)] == [r.key for r in whole[i + 1 :]]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("raise RuntimeError('at import')", "RuntimeError: at import"),
        ("x = (", "SyntaxError"),
        ("class Parley:\n    def __init__(self): 1 / 0", "ZeroDivisionError"),
        ("class Parley: name = 'parley'", "is no adapter"),
        ("Parley = None", "TypeError"),
    ],
)
def test_one_that_cannot_be_loaded_is_named_and_the_others_are_read(
    site: Site, tmp_path: Path, code: str, said: str
) -> None:
    site.install("kura_other_broken", code, parley="kura_other_broken:Parley")
    root = journals(tmp_path)
    found = discover({"parley": [root], "pi": [tmp_path / "p"]})
    (problem,) = found.problems
    assert "the adapter parley (kura_other_broken:Parley)" in problem
    assert said in problem
    assert [f.adapter for f in found.readable] == ["pi"]
    assert set(unloadable()) == {"parley"}
    with pytest.raises(ConfigError, match="the adapter parley"):
        adapter("parley")


@pytest.mark.parametrize("method", ["sniff", "read", "walk", "events", "fingerprint", "digest", "superseded"])
def test_one_that_raises_in_its_work_is_an_error_of_its_file_and_the_others_are_distilled(
    site: Site, tmp_path: Path, method: str
) -> None:
    if method == "events":
        code = example().replace('who, say = row.obj.get("who")', 'who, say = 1 / 0, row.obj.get("who")')
    else:
        code = f"{example()}\n\ndef broken(self, *_, **__):\n    raise ZeroDivisionError('in {method}')\n\nParley.{method} = broken\n"
    site.install("kura_other_broken", code, parley="kura_other_broken:Parley")
    journals(tmp_path)
    cfg, book = store(tmp_path, {"parley": "j", "pi": "p"}), ledger(tmp_path)
    report = claim(cfg, book, now=NOW)
    told = [(e.cls.value, e.text) for c in report.batches if c.adapter == "pi"
            for e in batch_of(read_batch(cfg, book, c.batch_id)).events]  # fmt: skip
    assert told == list(SAMPLES["pi"].said)
    if method == "superseded":
        assert report.failures == ()
        return
    (failure,) = report.failures
    assert "tea.parley.jsonl" in failure
    assert "the parley adapter failed on it (ZeroDivisionError" in failure
    if method in ("fingerprint", "digest"):  # asked for a mark only, and there is none
        return
    assert survey(cfg, book).failed + sum(r.status == "failed" for r in survey(cfg, book).files) > 0


def test_a_built_in_name_stays_the_built_ins(site: Site) -> None:
    site.install("kura_other_pi", example(), pi="kura_other_pi:Parley")
    assert type(adapter("pi")).__module__ == "kura_pipeline.journals.pi"


def test_the_documented_example_is_as_short_as_it_says() -> None:
    assert len(example().splitlines()) <= 60
