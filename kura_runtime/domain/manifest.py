"""The evidence manifest: why a memory exists, content-addressed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote


@dataclass(frozen=True, slots=True)
class Manifest:
    """What stands behind one memory (or one extension of it). `created_at` is the claim's time, so that a rerun of the
    batch writes the same bytes. `sources` maps each journal key to the sha256 of the evidence read from it."""

    gate_version: str
    store: str
    batch_id: str
    sources: dict[str, str]
    quotes: tuple[Quote, ...]
    tags: tuple[tuple[str, str], ...]
    refusals: tuple[Refusal, ...]
    models: dict[str, str]
    prompts: dict[str, str]
    calls: tuple[str, ...]
    created_at: str
    judgement: bool = False

    def to_bytes(self) -> bytes:
        """Canonical JSON (sorted keys, UTF-8, a final newline): the same manifest is the same bytes."""
        return (json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()

    @property
    def digest(self) -> str:
        """sha256 (hex) of `to_bytes()`; the file is `_evidence/<digest>.json`."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @classmethod
    def from_bytes(cls, data: bytes) -> Manifest:
        """Read `to_bytes()` back. Raises ValueError, KeyError or TypeError where the bytes are no manifest."""
        raw = json.loads(data)
        quotes = tuple(Quote(**{**q, "cls": EvidenceClass(q["cls"])}) for q in raw.pop("quotes"))
        refusals = tuple(Refusal(**r) for r in raw.pop("refusals"))
        tags = tuple((t[0], t[1]) for t in raw.pop("tags"))
        return cls(quotes=quotes, refusals=refusals, tags=tags, calls=tuple(raw.pop("calls")), **raw)
