"""Where the packets come from: the recorded batches of a store, or one journal read for the purpose. Writes no store."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from kura_pipeline.assets.tables import unpack
from kura_pipeline.bench.packets import Packet, Packets, freeze, merged
from kura_pipeline.distil.brief import brief_of
from kura_pipeline.distil.drafting import DraftRow
from kura_pipeline.distil.editor import Editor
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.gating import Gated, gate_batch
from kura_pipeline.distil.spot import spot_batch
from kura_pipeline.journals.base import Caps
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.sniff import adapter, identify
from kura_pipeline.storage import read_whole, step_path
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.domain.evidence import Batch
from kura_runtime.errors import BadInput
from kura_runtime.gate.attribution import People
from kura_runtime.ledger.ledger import Ledger
from kura_runtime.recall.served import read_served
from kura_runtime.store.store import Store

_NO_TIME = "19700101T000000"


def of_batches(config: Config, cfg: StoreConfig, batches: Sequence[str] = ()) -> Packets:
    """The packets of these batches (default: every batch that came as far as the gate), with the neighbours as they were
    shown when the batch was distilled. Raises BadInput for a batch that is not recorded."""
    with closing(Ledger.open(config.ledger_url)) as ledger:
        known = sorted(c.batch_id for c in ledger.claims.of_store(cfg.name))
    for batch in batches:
        if batch not in known:
            raise BadInput(
                "--batch", f"no batch {batch} in store {cfg.name}; the partitions in `kura dev` list them"
            )
    store = _open(cfg)
    parts: list[tuple[list[Packet], Counter[str]]] = []
    with TemporaryDirectory(prefix="kura-bench-") as folder:
        for batch in dict.fromkeys(batches) or known:
            gated = step_path(config.storage_root, cfg.name, "gated", batch)
            if not gated.exists():
                parts.append(([], Counter({"batch not gated": 1})))
                continue
            drafts = step_path(config.storage_root, cfg.name, "drafts", batch)
            rows = unpack(read_whole(drafts), DraftRow) if drafts.exists() else []
            frozen = _frozen(config, cfg, batch, store, Path(folder))
            parts.append(freeze(unpack(read_whole(gated), Gated), batch, frozen, rows))
    return merged(brief_of(cfg), parts)


def of_journal(config: Config, cfg: StoreConfig, journal: Path, editor: Editor, kind: str = "") -> Packets:
    """The packets of one journal read from its beginning to its end as one batch, against the store as it is now. Nothing
    is claimed or recorded. Raises BadInput where it is not clear what format the file is in."""
    path = journal.absolute()
    named = (kind,) if kind else identify(path, read_head(path))
    if len(named) != 1:
        found = f"could be {', '.join(named)}" if named else "is no journal that we know"
        raise BadInput("--journal", f"{path} {found}; name its format with --kind")
    caps = Caps(cfg.distill.tool_cap, cfg.distill.text_cap)
    reading = adapter(named[0]).read(path, caps=caps, settled=True)
    events = tuple(event for record in reading for event in record.events)
    if reading.faults:
        raise BadInput("--journal", f"{path} at {reading.faults[0].at}: {reading.faults[0].reason}")
    last = max((e.ts for e in events if e.ts), default="")
    day = "".join(c for c in last[:19] if c.isdigit() or c == "T") or _NO_TIME
    batch = Batch(f"{day}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}", cfg.name, events)
    brief = brief_of(cfg)
    store = _open(cfg)
    with TemporaryDirectory(prefix="kura-bench-") as folder:
        frozen = _frozen(config, cfg, batch.batch_id, store, Path(folder))
        spotted = spot_batch(batch, editor, brief)
        gated = gate_batch(batch, spotted.proposals, frozen, brief.people or People(()))
        return merged(brief, [freeze(gated.gated, batch.batch_id, frozen)])


def _open(cfg: StoreConfig) -> Store:
    return Store.open(cfg.path, name=cfg.name, policy=cfg.write_policy)


def _frozen(config: Config, cfg: StoreConfig, batch: str, store: Store, scratch: Path) -> Frozen:
    """The batch's frozen inputs, as a copy: a bench must not add to what a rerun of the batch will be told."""
    kept = Path(config.storage_root) / cfg.name / "frozen" / f"{batch}.json"
    copy = scratch / f"{batch}.json"
    if kept.is_file():
        shutil.copyfile(kept, copy)
    return Frozen(copy, batch, store, served=lambda: read_served(cfg.path))
