"""The three channels of one turn: rules (unconditional), index (what exists), recall (what this question brought).

Each keeps its own cap in bytes and its own way of staying under it; what had to go is counted, never dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kura_runtime.recall.framing import harmless, one_line
from kura_runtime.recall.reply import Reply
from kura_runtime.text.tokens import estimate

RULES_FILES = ("SOUL.md", "IDENTITY.md", "USER.md")


@dataclass(frozen=True, slots=True)
class Channel:
    """One block. `left_out` counts what did not fit (lines, or memories); `share` is its part of the whole input, None
    where the caller did not say how large that is."""

    name: str
    text: str
    bytes: int
    tokens: int
    cap_bytes: int
    left_out: int = 0
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """The channels in order, and the reply that filled the last one. `share` should lie between 0.05 and 0.10."""

    store: str
    channels: tuple[Channel, ...]
    tokens: int
    share: float | None
    reply: Reply | None

    def to_json(self) -> dict[str, Any]:
        """Plain data; the reply without its context, which is a channel already."""
        reply = self.reply.to_json() if self.reply else None
        if reply:
            reply.pop("context")
        blocks = [asdict(c) for c in self.channels]
        return {
            "store": self.store,
            "blocks": blocks,
            "tokens": self.tokens,
            "share": self.share,
            "reply": reply,
        }


def assemble(
    store: str,
    *,
    rules: str,
    slugs: Sequence[str],
    recall: Callable[[int], Reply] | None,
    caps: tuple[int, int, int],
    total_input_tokens: int | None,
) -> Context:
    """`rules` is the text of that channel, `slugs` what the index lists, `recall(total_chars)` answers the question (None: no
    question), `caps` are bytes of rules, index and recall."""
    lines, rules_left = _lines_within(rules, caps[0])
    index, index_left = topic_index(slugs, caps[1])
    reply, told = _recall_within(recall, caps[2]) if recall else (None, "")
    raw = (
        ("rules", lines, caps[0], rules_left),
        ("index", index, caps[1], index_left),
        ("recall", told, caps[2], len(reply.dropped_for_budget) if reply else 0),
    )
    channels = []
    for name, text, cap, left in raw:
        tokens = estimate(text)
        share = tokens / total_input_tokens if total_input_tokens else None
        channels.append(Channel(name, text, len(text.encode()), tokens, cap, left, share))
    tokens = sum(c.tokens for c in channels)
    return Context(
        store, tuple(channels), tokens, tokens / total_input_tokens if total_input_tokens else None, reply
    )


def rules_text(folder: Path) -> str:
    """The rules files that are there, in order, each under its name."""
    parts = []
    for name in RULES_FILES:
        try:
            text = (folder / name).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue
        if text:
            parts.append(f"# {name.removesuffix('.md')}\n{harmless(text)}")
    return "\n\n".join(parts)


def topic_index(slugs: Sequence[str], cap: int) -> tuple[str, int]:
    """Slugs by namespace within `cap` bytes; where that is too long, namespaces with their counts; and how many slugs are not
    named. It says so itself where it is shortened."""
    groups: dict[str, list[str]] = {}
    for slug in sorted(slugs):
        space, _, name = slug.rpartition("/")
        groups.setdefault(space, []).append(one_line(name))
    whole = "\n".join(
        f"{space}: {' '.join(names)}" if space else " ".join(names) for space, names in groups.items()
    )
    if len(whole.encode()) <= cap:
        return whole, 0
    counts = "\n".join(f"{space or 'other'}: {len(names)} memories" for space, names in groups.items())
    told = f"{counts}\n(names left out: too many for this channel; ask with a question)"
    if len(told.encode()) <= cap:
        return told, len(slugs)
    short = f"{len(slugs)} memories in {len(groups)} namespaces (names left out)"
    return (short if len(short.encode()) <= cap else ""), len(slugs)


def _lines_within(text: str, cap: int) -> tuple[str, int]:
    """Whole lines from the top within `cap` bytes, and how many were left out."""
    if len(text.encode()) <= cap:
        return text, 0
    lines = text.split("\n")
    kept: list[str] = []
    used = 0
    for line in lines:
        used += len(line.encode()) + 1
        if used > cap - 48:  # room for the line that says so
            break
        kept.append(line)
    left = len(lines) - len(kept)
    said = "\n".join([*kept, f"(… {left} more lines left out)"])
    return (said if len(said.encode()) <= cap else ""), left


def _recall_within(recall: Callable[[int], Reply], cap: int) -> tuple[Reply, str]:
    """The reply whose context is within `cap` bytes; a character may take up to four."""
    room = max(cap, 1)
    reply = recall(room)
    while len(reply.context.encode()) > cap:
        room = max(1, min(room - 1, room * cap // len(reply.context.encode())))
        reply = recall(room)
    return reply, reply.context
