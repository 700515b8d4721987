"""Evidence as a table: one row an event, the durable copy of what was read. The same claim gives the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from kura_runtime.domain.evidence import Batch, Event, EvidenceClass
from kura_runtime.text.tokens import estimate

EVIDENCE_SCHEMA = pa.schema(
    [
        ("batch_id", pa.string()),
        ("event_id", pa.string()),
        ("seq", pa.int64()),
        ("class", pa.string()),
        ("text", pa.string()),
        ("ts", pa.string()),
        ("session", pa.string()),
        ("journal_key", pa.string()),
        ("byte_start", pa.int64()),
        ("byte_end", pa.int64()),
        ("tool", pa.string()),
        ("redactions", pa.map_(pa.string(), pa.int32())),
        ("cut", pa.int64()),
        ("context", pa.bool_()),
        ("dead", pa.bool_()),
    ]
)


def evidence_table(batch_id: str, events: Sequence[Event]) -> pa.Table:
    """The events as EVIDENCE_SCHEMA, numbered from 0 in the order given (context first)."""
    many = len(events)
    columns = [
        pa.repeat(pa.scalar(batch_id, pa.string()), many),
        pa.array([e.event_id for e in events], pa.string()),
        pa.array(range(many), pa.int64()),
        pa.array([e.cls.value for e in events], pa.string()),
        pa.array([e.text for e in events], pa.string()),
        pa.array([e.ts for e in events], pa.string()),
        pa.array([e.session for e in events], pa.string()),
        pa.array([e.journal_key for e in events], pa.string()),
        pa.array([e.byte_start for e in events], pa.int64()),
        pa.array([e.byte_end for e in events], pa.int64()),
        pa.array([e.tool for e in events], pa.string()),
        _redactions(events),
        pa.array([e.cut for e in events], pa.int64()),
        pa.array([e.context for e in events], pa.bool_()),
        pa.array([e.dead for e in events], pa.bool_()),
    ]
    return pa.Table.from_arrays(columns, schema=EVIDENCE_SCHEMA)


def _redactions(events: Sequence[Event]) -> pa.MapArray:
    """Kinds and counts of every event; almost all have none."""
    ends, kinds, counts = [0], list[str](), list[int]()
    for e in events:
        if e.redactions:
            for kind, n in sorted(e.redactions.items()):
                kinds.append(kind)
                counts.append(n)
        ends.append(len(kinds))
    return pa.MapArray.from_arrays(
        pa.array(ends, pa.int32()), pa.array(kinds, pa.string()), pa.array(counts, pa.int32())
    )


def batch_of(table: pa.Table, batch_id: str = "", store: str = "") -> Batch:
    """The batch a table holds. `batch_id` defaults to the one in the rows."""
    columns = table.to_pydict()
    dead = columns.get("dead") or [False] * table.num_rows
    events = tuple(
        Event(
            event_id=columns["event_id"][i],
            seq=columns["seq"][i],
            cls=EvidenceClass(columns["class"][i]),
            text=columns["text"][i],
            ts=columns["ts"][i],
            session=columns["session"][i],
            journal_key=columns["journal_key"][i],
            byte_start=columns["byte_start"][i],
            byte_end=columns["byte_end"][i],
            tool=columns["tool"][i],
            redactions=dict(columns["redactions"][i] or ()),
            cut=columns["cut"][i],
            context=columns["context"][i],
            dead=dead[i],
        )
        for i in range(table.num_rows)
    )
    return Batch(batch_id or (columns["batch_id"][0] if events else ""), store, events)


def evidence_counts(table: pa.Table) -> dict[str, Any]:
    """Counts for metadata: events in all and by class (context apart), characters and estimated tokens, segments and characters cut, events on
    dead branches, secrets in all and by kind, and which stretch of which journal they come from."""
    batch = batch_of(table)
    real = [e for e in batch.events if not e.context]
    classes = Counter(e.cls.value for e in real)
    redactions: Counter[str] = Counter()
    for e in real:
        redactions.update(e.redactions)
    counts: dict[str, Any] = {
        "events": len(real),
        **{c.value: classes[c.value] for c in EvidenceClass},
        "context": len(batch.events) - len(real),
        "characters": sum(len(e.text) for e in real),
        "evidence_tokens": sum(
            estimate(e.text) for e in real
        ),  # what `kura bench compress` has once the file is gone
        "cut_segments": sum(e.cut > 0 for e in real),
        "cut_characters": sum(e.cut for e in real),
        "dead_branch": sum(e.dead for e in real),
        "redactions": sum(redactions.values()),
        **{f"redacted_{kind}": n for kind, n in sorted(redactions.items())},
    }
    if real:
        counts["journal"] = real[0].journal_key
        counts["span"] = f"{real[0].byte_start}-{real[-1].byte_end}"
    return counts
