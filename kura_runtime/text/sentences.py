"""Where a sentence ends, in any script, without a dictionary and without a model."""

from __future__ import annotations

import re

# Ends that need no space after them, and ends that do ("3.5", "a.out" and "v1.2" are no sentences).
_FULL_STOP = "。！？｡؟۔।॥።፧‼⁇⁈⁉"
_CLOSING = "\"'’”»›」』】）)\\]}*_`"
_END = re.compile(rf"[{_FULL_STOP}]+[{_CLOSING}]*|[.!?…．]+[{_CLOSING}]*(?=\s|$)")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\[\"'„“«])(?:[A-ZÀ-Þ]|e\.g|i\.e|z\.\s?B|d\.\s?h|u\.\s?a|p\.\s?ej|p\.\s?ex|vs|cf|ca|bzw|usw|evtl|inkl|etc|al|approx|incl"
    r"|[DdMmSsPp]r|Mrs?|Ms|Mme|Sra?|St|Prof|No|Nr|Fig|Abb|Jr|Inc|Ltd|Co|Dpto|pág|núm|т\.\s?[екд]|г|ул|см)\.$"
)
_ITEM = re.compile(r"\s*(?:[-*+•‣◦▪–—]\s|\(?\d{1,3}[.)、]\s?|#{1,6}\s|>\s?|\||```|[a-z][.)]\s|\[[ xX]\]\s)")
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\U00020000-\U0003134f]")
_WRAP = 40  # columns; a shorter line was broken on purpose


def sentences(text: str) -> list[str]:
    """The sentences of `text` in order, as written but with white space collapsed; empty ones are left out.

    A line break ends a sentence (logs, lists, headings) except where prose was wrapped: a long line without a stop at its
    end, followed by one that goes on in lower case or in a script without case.
    """
    found: list[str] = []
    for block in _blocks(text):
        start = 0
        for match in _END.finditer(block):
            stop = match.end()
            if match.group()[0] == "." and _ABBREVIATED.search(block[max(0, stop - 12) : match.start() + 1]):
                continue
            found.append(block[start:stop])
            start = stop
        found.append(block[start:])
    return [tidy for one in found if (tidy := " ".join(one.split()))]


def _blocks(text: str) -> list[str]:
    """Stretches of text within which a line break means nothing."""
    blocks: list[str] = []
    open_line = ""
    for line in text.splitlines():
        if open_line and _continues(open_line.rsplit("\n", 1)[-1], line):
            open_line += "\n" + line
            continue
        if open_line.strip():
            blocks.append(open_line)
        open_line = line
    if open_line.strip():
        blocks.append(open_line)
    return blocks


def _continues(line: str, following: str) -> bool:
    head = following.lstrip()[:1]
    if not head or _ITEM.match(following):
        return False
    tail = line.rstrip()
    if len(tail) + len(_WIDE.findall(tail)) < _WRAP or tail[-1] in ":：;；.!?…" or tail[-1] in _FULL_STOP:
        return False
    return head.islower() or (head.isalpha() and not head.isupper())
