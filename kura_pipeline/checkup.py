"""The pipeline's part of `kura doctor`: the ledger, the files between the steps, and journals that no run will ever read."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from kura_pipeline.distil.batch import find
from kura_pipeline.distil.coverage import survey
from kura_pipeline.journals.discover import FAULTY
from kura_runtime.cli.checkups import Checkup
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.errors import KuraError
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.store.doctor import Finding
from kura_runtime.store.store import Store


def examine(config: Config, cfg: StoreConfig) -> Checkup:
    """Look, and change nothing. Journals are read once for their figures, which the ledger keeps until a file changes."""
    found = list(_ledger(config, cfg))
    files = sorted(Path(config.storage_root, cfg.name).rglob("*.parquet"))
    damaged = [_damaged(f, fault, cfg.name) for f in files if (fault := _fault(f))]
    found += [*damaged, *_journals(config, cfg)]
    return Checkup(tuple(found), {"step_files": len(files), "step_files_damaged": len(damaged)})


def _ledger(config: Config, cfg: StoreConfig) -> Iterator[Finding]:
    """A ledger that is gone although batches were poured: nothing says any more what was read."""
    if not _ledger_is_gone(config):
        return
    batches: set[str] = set()
    with suppress(KuraError):
        rows = Store.open(cfg.path, name=cfg.name, policy=cfg.write_policy).poured().values()
        batches = {str(row["batch"]) for row in rows if row.get("batch")}
    if batches:
        yield Finding(
            "ledger-gone",
            config.ledger_url,
            f"the ledger {_file_of(config)} is gone, and {len(batches)} batches were poured into this store: the memories and "
            "their evidence stand, but nothing says any more which stretches of the journals were read, and recorded model "
            f"answers are lost. Bring .kura back from a backup; else `kura catchup -s {cfg.name}` marks every journal as read, or "
            f"`kura run -s {cfg.name}` reads them all again (what the store holds already is recognised, the models are asked anew)",
        )


def _file_of(config: Config) -> Path | None:
    url = config.ledger_url
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def _ledger_is_gone(config: Config) -> bool:
    file = _file_of(config)
    return file is not None and not file.exists()


def _fault(file: Path) -> str:
    """Why a Parquet file does not read, by its footer; "" for one that does."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        pq.read_metadata(file)
    except (OSError, pa.ArrowException) as error:
        return str(error).splitlines()[0][:120] if str(error) else type(error).__name__
    return ""


def _damaged(file: Path, fault: str, store: str) -> Finding:
    return Finding(
        "step-file-damaged",
        str(file),
        f"{file}: not a readable Parquet file ({fault}); `kura run -s {store} --refresh {file.stem}` makes that batch's files "
        "anew, or delete it: what was poured from it stays",
    )


def _journals(config: Config, cfg: StoreConfig) -> Iterator[Finding]:
    """Roots and files that make every run fail, each with the way out."""
    if _ledger_is_gone(config):  # and none is made by looking
        looked = find(cfg)
        problems, bad = looked.problems, [(f.key, f.reason) for f in looked.files if f.status in FAULTY]
    else:
        with closing(Ledger.open(config.ledger_url)) as ledger:
            problems = find(cfg).problems
            bad = [(r.path, r.error or r.status) for r in survey(cfg, ledger).files if r.status in FAULTY]
    for problem in problems:
        yield Finding("journal-root", problem.partition(":")[0], f"every run ends with a failure: {problem}")
    for path, reason in bad:
        yield Finding(
            "journal-unreadable",
            path,
            f"every run ends with a failure: {path}: {reason}; {_way_out(cfg, path)}",
        )


def _way_out(cfg: StoreConfig, path: str) -> str:
    name = path
    for root in (r for roots in cfg.journals.values() for r in roots):
        with suppress(ValueError):
            name = Path(path).relative_to(root.absolute()).as_posix()
    patterns = json.dumps([*cfg.distill.exclude, glob.escape(name)], ensure_ascii=False)
    return f"mend or move the file, or have it passed over: exclude = {patterns} under [stores.{cfg.name}.distill]"
