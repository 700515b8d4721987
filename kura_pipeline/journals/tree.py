"""Dead branches: a rewind leaves what was said after it in the file, on a branch nobody continued."""

from __future__ import annotations

from collections.abc import Sequence

from kura_pipeline.journals.base import Node, Record

_NOWHERE = Node("", "")


def dead_records(records: Sequence[Record]) -> frozenset[int]:
    """Indices of the records that stand on a rewound branch, among these.

    A branch is dead where the human spoke again from the record it grew out of. Tool results and further pieces of one
    model message are no branches: a model calls several tools at once and goes on from one of them.
    """
    by_id = {r.node.id: i for i, r in enumerate(records) if r.node is not None and r.node.id}
    children: dict[str, list[int]] = {}
    for i, record in enumerate(records):
        if record.node is not None and record.node.parent:
            children.setdefault(record.node.parent, []).append(i)
    dead: set[int] = set()
    for parent, rows in children.items():
        last_prompt = max((i for i in rows if _node(records, i).prompt), default=-1)
        if last_prompt < 0 or len(rows) < 2:
            continue
        turn = _node(records, by_id[parent]).turn if parent in by_id else ""
        for i in rows:
            node = _node(records, i)
            if i < last_prompt and not node.result and not (turn and node.turn == turn):
                _bury(i, records, children, dead)
    return frozenset(dead)


def _node(records: Sequence[Record], i: int) -> Node:
    return records[i].node or _NOWHERE


def _bury(root: int, records: Sequence[Record], children: dict[str, list[int]], dead: set[int]) -> None:
    waiting = [root]
    while waiting:
        i = waiting.pop()
        if i in dead:
            continue
        dead.add(i)
        node = _node(records, i)
        if node.id:
            waiting.extend(j for j in children.get(node.id, ()) if j > i)
