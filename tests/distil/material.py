"""Small evidence for the distil tests."""

from __future__ import annotations

from kura_pipeline.distil.editor import Brief
from kura_runtime.domain.candidate import Candidate, CandidateVerdict, ProposedQuote
from kura_runtime.domain.draft import Draft, Surface
from kura_runtime.domain.evidence import Batch, Event, EvidenceClass, Quote
from kura_runtime.domain.memory import Memory
from kura_runtime.gate.attribution import People

BATCH_ID = "20261130T101500-0a1b2c3d"
CHARTER = "# Charter\n\nThis store keeps how the machines are laid out, and why.  \n"

SAID = (
    ("USER", "From now on the archive goes to the slow disk; the fast one stays scratch space."),
    ("ACT", "rsync --archive /data/old /mnt/slow/archive"),
    ("TOOL", "sent 48,210 files, total size 12.5 GB, speedup 1.00"),
    ("SELF", "I think the slow disk is good enough for reading."),
    ("USER", "Idea: one day we could mirror the archive to tape."),
)


def batch(said=SAID, batch_id: str = BATCH_ID, store: str = "maker", session: str = "s1") -> Batch:
    events = []
    at = 0
    for n, (cls, text) in enumerate(said, 1):
        size = len(text.encode("utf-8", "surrogatepass")) + 2
        ts = f"2026-11-30T10:{n % 60:02d}:00+00:00"
        events.append(
            Event(f"e{n}", n, EvidenceClass(cls), text, ts, session, "claude:s1.jsonl", at, at + size)
        )
        at += size
    return Batch(batch_id, store, tuple(events))


def brief(**more) -> Brief:
    return Brief(**{"store": "maker", "charter": CHARTER, "people": People(()), **more})


def quote(text: str, cls: str = "USER", event_id: str = "e1", n: int = 1) -> Quote:
    return Quote(
        EvidenceClass(cls), text, event_id, "s1", "claude:s1.jsonl", 0, 82, f"2026-11-30T10:0{n}:00+00:00"
    )


ARCHIVE_QUOTE = quote("the archive goes to the slow disk; the fast one stays scratch space")
ARCHIVE = {
    "topic": "The archive lives on the slow disk",
    "kind": "project",
    "why": "it decides where data is written",
    "quotes": ["[USER] the archive goes to the slow disk; the fast one stays scratch space"],
    "tags": ["decision"],
    "callsigns": [],
    "belongs_because": "It says how the machine is laid out.",
    "keep": "which disk",
    "may_fade": "the day it was said",
}
ARCHIVE_SURFACE = {
    "slug": "archive-on-slow-disk",
    "title": "Archive on the slow disk",
    "trigger": "archive: slow disk; the fast disk stays scratch space",
    "body": "The archive goes on the slow disk. The fast disk is scratch space.",
    "belongs_because": "It says how the machine is laid out.",
    "keep": "which disk",
    "may_fade": "the day",
}
COUNT = {
    "topic": "The archive copy moved a known number of files",
    "kind": "reference",
    "why": "a baseline",
    "quotes": ["[TOOL] sent 48,210 files, total size 12.5 GB"],
    "tags": ["measurement"],
    "callsigns": [],
}
COUNT_SURFACE = {
    "slug": "archive-copy-size",
    "title": "Archive copy: 48,210 files",
    "trigger": "archive copy: 48,210 files, 12.5 GB",
    "body": "The archive copy sent 48,210 files with a total size of 12.5 GB.",
    "belongs_because": "A baseline for the next copy.",
    "keep": "the file count",
    "may_fade": "the speedup",
}
IDEA = {
    "topic": "Mirror the archive to tape one day",
    "kind": "idea",
    "why": "a second copy",
    "quotes": ["[USER] one day we could mirror the archive to tape"],
    "tags": [],
    "callsigns": [],
}
POUR = {"slug": "archive-on-slow-disk", "verdict": "POUR", "reason": "clear"}


def verdict(**more) -> CandidateVerdict:
    candidate = Candidate(
        "The archive lives on the slow disk",
        "project",
        "it decides where data is written",
        (ProposedQuote(EvidenceClass.USER, ARCHIVE_QUOTE.text),),
    )
    return CandidateVerdict(
        **{"candidate": candidate, "verdict": "keep", "reason": "none", "quotes": (ARCHIVE_QUOTE,), **more}
    )


def surface(**more) -> Surface:
    return Surface(**{**ARCHIVE_SURFACE, **more})


def draft(**more) -> Draft:
    values = {
        "surface": surface(),
        "kind": "project",
        "batch_id": BATCH_ID,
        "manifest": "0" * 64,
        "stamp": "2026-11-30",
        "editor": "llm",
        "quotes": (ARCHIVE_QUOTE,),
    }
    return Draft(**{**values, **more})


def memory(slug: str = "disk-layout", **more) -> Memory:
    values = {
        "slug": slug,
        "title": "Disk layout of the machine",
        "trigger": "disks: fast disk for scratch, slow disk for storage",
        "summary": "The machine has a fast disk and a slow disk.",
    }
    return Memory(**{**values, **more})
