"""Fill the context: `chars` bounds each memory, `total_chars` the whole, headers included. Nothing is left out silently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kura_runtime.recall.framing import GAP, HEADER, SHORT_HEADER, Block
from kura_runtime.text.tokens import estimate

WORTH_CUTTING = 160  # characters of body below which a later memory is left out rather than cut to ribbons


@dataclass(frozen=True, slots=True)
class Fitted:
    """The context and what became of each memory, by slug."""

    context: str
    included: tuple[str, ...]
    cut: tuple[str, ...]
    dropped: tuple[str, ...]
    tokens: int = 0  # estimated
    texts: tuple[str, ...] = ()  # the framed blocks as they stand in the context


def fit(
    blocks: Sequence[Block],
    *,
    store: str,
    words: Callable[[], Sequence[str]],
    chars: int,
    total_chars: int | None,
    when: str = "",
) -> Fitted:
    """Blocks in order of worth, the first of them cut rather than left out. `words` gives the question's words, folded (asked for
    only where something must be cut).

    `len(context)` never exceeds `total_chars`. Where not even one framed line fits, every memory counts as dropped and the
    context is a notice that says so: an empty one would read as "nothing is known". It is empty only where `total_chars`
    holds no notice either. `when` names the past state that the blocks show, for the header.
    """
    if not blocks:
        return Fitted("", (), (), ())
    header, short = HEADER.format(store=store), SHORT_HEADER
    if when:
        header = header.replace(
            "⟧", f" They are shown as the store stood at {when}; what holds now may differ.⟧"
        )
        short = short.replace("⟧", f"; as of {when}⟧")
    whole = [len(b.text) <= chars for b in blocks]
    if all(whole) and (
        total_chars is None or len(header) + sum(len(b.text) + 2 for b in blocks) <= total_chars
    ):
        context = "\n\n".join((header, *(b.text for b in blocks)))
        tokens = estimate(header) + sum(b.tokens + 1 for b in blocks)
        return Fitted(context, tuple(b.slug for b in blocks), (), (), tokens, tuple(b.text for b in blocks))
    if total_chars is not None and len(header) + 2 + min(len(blocks[0].text), chars) > total_chars:
        header = short  # the reader's text is worth more than our politeness
    parts, used = [header], len(header)
    included, cut, dropped = [], [], []
    for i, block in enumerate(blocks):
        room = chars if total_chars is None else min(chars, total_chars - used - 2)
        text = block.text if len(block.text) <= room else shortened(block, room, words(), last_resort=i == 0)
        if not text:
            dropped.append(block.slug)
            continue
        parts.append(text)
        used += 2 + len(text)
        included.append(block.slug)
        if text is not block.text:
            cut.append(block.slug)
    context = "\n\n".join(parts) if included else _nothing_fits(len(blocks), total_chars)
    return Fitted(context, tuple(included), tuple(cut), tuple(dropped), estimate(context), tuple(parts[1:]))


def _nothing_fits(count: int, total_chars: int | None) -> str:
    """The longest notice there is room for."""
    notices = (
        f"⟦kura: {count} memories answer this and none was shown: the room asked for is too small; ask for more characters⟧",
        "⟦kura: known, but no room to show it⟧",
        "⟦kura: no room⟧",
    )
    return next((n for n in notices if total_chars is None or len(n) <= total_chars), "")


def shortened(block: Block, room: int, words: Sequence[str], *, last_resort: bool = False) -> str:
    """The block within `room` characters, labelled as cut, or "" where too little would be left of it. The head stays,
    then the paragraphs that carry the question's words, then the last one (conclusions stand at the bottom)."""
    body_size = sum(len(p) + 1 for p in block.paragraphs)
    note = f"cut, {{kept}} of {body_size} characters"
    space = room - len(block.framed("", note.format(kept=body_size))) - 1
    if space < WORTH_CUTTING and not (last_resort and space > 0):
        return _tightest(block, room) if last_resort else ""
    kept = _choose(block.paragraphs, space, words)
    lines: list[str] = []
    before = -1
    for at, text in sorted(kept.items()):
        if at != before + 1:
            lines.append(GAP)
        lines.append(text)
        before = at
    if before != len(block.paragraphs) - 1:
        lines.append(GAP)
    body = "\n".join(lines)
    while len(body) > space and len(lines) > 1:  # the gaps between took the rest
        lines.pop(0 if lines[0] == GAP else -1)
        body = "\n".join(lines)
    body = body[:space]
    return block.framed(body, note.format(kept=len(body)))


def _choose(paragraphs: Sequence[str], space: int, words: Sequence[str]) -> dict[int, str]:
    """Paragraph number → its text (the last one taken may be cut), as much as fits into `space`."""
    lowered = [p.casefold() for p in paragraphs]
    score = [sum(w in text for w in words) for text in lowered]
    last = len(paragraphs) - 1
    order = sorted(range(len(paragraphs)), key=lambda i: (-score[i], i != last, i))
    kept: dict[int, str] = {}
    left = space
    for i in order:
        need = len(paragraphs[i]) + 1 + len(GAP) + 1
        if need <= left:
            kept[i] = paragraphs[i]
            left -= need
        elif not kept or left > WORTH_CUTTING:
            kept[i] = _window(paragraphs[i], lowered[i], max(left - 2 * len(GAP) - 2, 0), words)
            break
    return kept


def _window(text: str, lowered: str, room: int, words: Sequence[str]) -> str:
    """`room` characters of one paragraph, from a little before the first word of the question."""
    if len(text) <= room:
        return text
    found = [at for w in words if (at := lowered.find(w)) >= 0]
    begin = max(0, min(min(found, default=0) - room // 4, len(text) - room))
    if begin:
        space = text.find(" ", begin, begin + 20)
        begin = space + 1 if space >= 0 else begin
    return ("…" if begin else "") + text[begin : begin + max(room - 2, 0)] + "…"


def _tightest(block: Block, room: int) -> str:
    """The recognition line alone, cut to what there is; "" where not even a mark fits."""
    begin, end = f"⟦kura:begin {block.slug} · cut⟧", "⟦kura:end⟧"
    space = room - len(begin) - len(end) - 2
    if space < 1:
        return ""
    line = block.head.split("\n", 1)[0]
    return f"{begin}\n{line if len(line) <= space else line[: space - 1] + '…'}\n{end}"
