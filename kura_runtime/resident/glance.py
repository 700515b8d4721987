"""The short view of one memory: what it is, whether it still holds, and its first sentences."""

from __future__ import annotations

from kura_runtime.domain.memory import Memory
from kura_runtime.recall.framing import harmless, notice_of, one_line
from kura_runtime.text.sentences import sentences
from kura_runtime.text.tokens import estimate

TOKENS = 150


def glance(memory: Memory, *, tokens: int = TOKENS) -> str:
    """About `tokens` tokens: title, line, state, then whole sentences of the text while they fit, and what it links to."""
    date = memory.updated or memory.created
    about = " · ".join(p for p in (memory.slug, one_line(memory.type), one_line(memory.state), f"updated {one_line(date)}" if date else "") if p)  # fmt: skip
    head = [f"{one_line(memory.title)} — {one_line(memory.trigger)}", f"({about})"]
    notice = notice_of(memory)
    if notice:
        head.append(notice)
    links = ", ".join(f"[[{one_line(link)}]]" for link in memory.links[:6])
    tail = [f"links: {links}"] if links else []
    left = tokens - sum(estimate(p) for p in (*head, *tail)) - 4
    body: list[str] = []
    told = sentences(harmless(memory.summary))
    for sentence in told:
        left -= estimate(sentence)
        if left < 0:
            break
        body.append(sentence)
    if len(body) < len(told) or memory.detail:
        tail.insert(
            0,
            f"[… {len(told) - len(body)} more sentence(s){' and a detail' if memory.detail else ''}; read {memory.slug}]",
        )
    return "\n".join(p for p in (*head, " ".join(body), *tail) if p)
