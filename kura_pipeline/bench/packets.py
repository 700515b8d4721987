"""Bench `packets`: gated candidates frozen in a file, so that several writers can be given the very same ones.

A packet is what the writer gets in the pipeline: the gate's verdict with the surviving quotes, the neighbours that were
shown, and how novelty saw it. The brief stands once, in the first line. The file needs nothing beside it: no store, no
journal, no ledger. The same candidates are the same bytes; every line carries a hash, and a changed file is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from kura_pipeline.distil.drafting import DraftRow, query_of
from kura_pipeline.distil.editor import Brief, Novelty
from kura_pipeline.distil.frozen import Frozen
from kura_pipeline.distil.gating import Gated
from kura_runtime.domain.candidate import CandidateVerdict
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import BadInput
from kura_runtime.gate.attribution import People
from kura_runtime.gate.sign import GATE_VERSION

FORMAT = 1
_VERDICT = TypeAdapter(CandidateVerdict)
_MEMORY = TypeAdapter(Memory)
_OPTION = "--packets"


@dataclass(frozen=True, slots=True)
class Packet:
    """One candidate that the gate kept. `n` is its number in the batch; `neighbours` are those that were shown."""

    batch: str
    n: int
    verdict: CandidateVerdict
    neighbours: tuple[Memory, ...] = ()
    novelty: Novelty = field(default_factory=lambda: Novelty("NEW"))

    @property
    def extends(self) -> Memory | None:
        """The memory that a further section is to be written for, or None for a new memory."""
        named = (m for m in self.neighbours if m.slug == self.novelty.slug)
        return next(named, None) if self.novelty.kind == "EXTENDS" else None

    @property
    def id(self) -> str:
        """A short hash of what the writer is given."""
        return _sha(_dump(self._data()))[:16]

    def _data(self) -> dict[str, Any]:
        return {
            "batch": self.batch,
            "n": self.n,
            "novelty": {"kind": self.novelty.kind, "slug": self.novelty.slug},
            "verdict": _VERDICT.dump_python(self.verdict, mode="json"),
            "neighbours": [_MEMORY.dump_python(m, mode="json") for m in self.neighbours],
        }

    def line(self) -> str:
        """The packet as one line of the file."""
        return _dump({"packet": self.id, **self._data()})


@dataclass(frozen=True, slots=True)
class Packets:
    """A file of packets: the brief they were made under, and what was left out (reason → number)."""

    brief: Brief
    packets: tuple[Packet, ...]
    left_out: dict[str, int] = field(default_factory=dict)
    gate: str = GATE_VERSION

    def to_bytes(self) -> bytes:
        """The file: a head line, then one line a packet, in the order of the batches."""
        lines = [p.line() for p in self.packets]
        body = "".join(f"{line}\n" for line in lines)
        head = {
            "packets": FORMAT,
            "gate": self.gate,
            "count": len(lines),
            "sha256": _sha(body),
            "left_out": dict(sorted(self.left_out.items())),
            "brief": _plain_brief(self.brief),
        }
        return (_dump(head) + "\n" + body).encode("utf-8", "surrogatepass")


def freeze(
    gated: Sequence[Gated], batch: str, frozen: Frozen, drafted: Sequence[DraftRow] = ()
) -> tuple[list[Packet], Counter[str]]:
    """The packets of one batch, and how many of its candidates never reach a writer: dropped by the gate, seeds, covered
    by a memory. `drafted` are the rows of the step `drafts`, where it was run: they say how novelty saw each."""
    seen = {row.n: row for row in drafted}
    packets: list[Packet] = []
    left_out: Counter[str] = Counter()
    for item in gated:
        row = seen.get(item.n)
        if item.verdict.verdict != "keep":
            left_out["seed" if item.verdict.verdict == "seed" else f"gate: {item.verdict.reason}"] += 1
        elif row is not None and row.outcome == "covered":
            left_out["covered"] += 1
        else:
            novelty = Novelty(row.novelty, row.neighbour) if row else Novelty("NEW")  # type: ignore[arg-type]
            near = frozen.neighbours(query_of(item.verdict))
            packets.append(Packet(batch, item.n, item.verdict, near, novelty))
    return packets, left_out


def read(path: Path) -> Packets:
    """The packets of a file. Raises BadInput where it is none, where a line was changed, or where the file was cut."""
    try:
        head_line, _, body = path.read_bytes().decode("utf-8", "surrogatepass").partition("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(_OPTION, f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        head = json.loads(head_line)
        if not isinstance(head, dict) or head.get("packets") != FORMAT:
            raise ValueError(f'its first line is no head with "packets": {FORMAT}')
        brief = Brief(**{**head["brief"], "people": People(tuple(head["brief"]["people"]))})
        left_out, gate = dict(head["left_out"]), str(head["gate"])
        if _sha(body) != head["sha256"]:
            raise ValueError("the packets are not those that were frozen (hash); freeze them anew")
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(_OPTION, f"{path}: {error}; `kura bench packets` writes such a file") from None
    packets = tuple(_packet(line, path, n) for n, line in enumerate(body.splitlines(), 2) if line.strip())
    return Packets(brief, packets, left_out, gate)


def report(packets: Packets, file: Path) -> dict[str, Any]:
    """What was frozen, in the shape of every bench."""
    data = packets.to_bytes()
    rows = [
        {
            "packet": p.id, "batch": p.batch, "n": p.n, "topic": p.verdict.candidate.topic,
            "novelty": p.novelty.kind, "quotes": len(p.verdict.quotes), "neighbours": len(p.neighbours),
        }
        for p in packets.packets
    ]  # fmt: skip
    batches = {p.batch for p in packets.packets}
    return {
        "bench": "packets",
        "figures": {"packets": len(rows), "batches": len(batches), "left_out": sum(packets.left_out.values()), "bytes": len(data)},
        "left_out": packets.left_out,
        "file": str(file),
        "sha256": hashlib.sha256(data).hexdigest(),
        "table": rows,
        "machine": {},
    }  # fmt: skip


def _packet(line: str, path: Path, number: int) -> Packet:
    try:
        raw = json.loads(line)
        novelty = Novelty(raw["novelty"]["kind"], raw["novelty"]["slug"])
        packet = Packet(
            str(raw["batch"]),
            int(raw["n"]),
            _VERDICT.validate_python(raw["verdict"]),
            tuple(_MEMORY.validate_python(m) for m in raw["neighbours"]),
            novelty,
        )
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise BadInput(_OPTION, f"{path} line {number}: {str(error).splitlines()[0]}") from None
    if packet.id != raw.get("packet"):
        raise BadInput(_OPTION, f"{path} line {number}: the packet is not the one its hash names")
    return packet


def merged(brief: Brief, parts: Iterable[tuple[list[Packet], Counter[str]]]) -> Packets:
    """The packets of several batches as one file's worth."""
    packets: list[Packet] = []
    left_out: Counter[str] = Counter()
    for found, without in parts:
        packets += found
        left_out += without
    return Packets(brief, tuple(packets), dict(left_out))


def _plain_brief(brief: Brief) -> dict[str, Any]:
    return {
        "store": brief.store,
        "language": brief.language,
        "charter": brief.charter,
        "profile": brief.profile,
        "people": list(brief.people.names) if brief.people else [],
        "max_items": brief.max_items,
    }


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
