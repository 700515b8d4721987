"""Sentences and clauses of a passage as spans of the event's text, so that whatever is picked is verbatim.

Soft line breaks inside a sentence are bridged; lists and short lines stay apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kura_pipeline.distil.extract.passages import Passage

_BULLET = re.compile(r"\s*(?:[-*+•・·◦]|\(?\d{1,2}[.)、]|[a-z]\))\s+|\s*[・•■□◆●○]\s*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|vs|etc|cf|ca|approx|Dr|Mr|Mrs|Ms|St|bzw|z\.B|d\.h|u\.a|Nr|pp|p\.ej|Sr|Sra)\.$",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?]+[\"')\]”’»]*(?=\s|$)|[。！？!?]+[」』”’）)]*|…+(?=\s|$)|;(?=\s)|；")
_COMMA = re.compile(r"[,;](?=\s)|[，；]|、|\s[-–—]{1,2}\s|—{1,2}|:(?=\s)|：")
_KANA = re.compile(
    "[\u3040-\u30ff]"
)  # the Chinese 、 stands between list items, the Japanese one between clauses
_DANGLING = re.compile(
    r"(?:[,，、:：(（]|\b(?:the|a|an|to|of|in|on|for|and|or|but|that|which|with|from|is|are|be|not|as|by|at|der|die|das|und|zu|le|la|de|et|el|que|y))\s*$",
    re.IGNORECASE,
)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LIST_LINE = 48  # characters: shorter lines without a full stop are items, not broken prose
_WRAPPED = 50


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` of one event."""

    start: int
    end: int


def sentences(text: str, passage: Passage) -> tuple[Span, ...]:
    """The sentences of a passage in order, without bullets and outer white space."""
    found: list[Span] = []
    for a, b in _paragraphs(text, passage):
        at = a
        for match in _END.finditer(text, a, b):
            if match.group().startswith(".") and _no_full_stop(text, a, match.start()):
                continue
            found.append(Span(at, match.end()))
            at = match.end()
        found.append(Span(at, b))
    trimmed = (trim(text, s) for s in found)
    return tuple(s for s in trimmed if any(c.isalnum() for c in text[s.start : s.end]))


def clauses(text: str, sentence: Span) -> tuple[Span, ...]:
    """The sentence cut at its commas, colons and dashes (those inside brackets, quotations and numbers excepted)."""
    cuts: list[tuple[int, int]] = []
    for match in _COMMA.finditer(text, sentence.start, sentence.end):
        if match.group() == "、" and not _KANA.search(text, sentence.start, sentence.end):
            continue
        if not _inside(text, sentence.start, match.start()):
            cuts.append((match.start(), match.end()))
    spans, at = [], sentence.start
    for a, b in cuts:
        spans.append(Span(at, a))
        at = b
    spans.append(Span(at, sentence.end))
    return tuple(s for s in (trim(text, s) for s in spans) if s.end > s.start)


def trim(text: str, span: Span) -> Span:
    """Without white space at the ends and without a list mark at the head."""
    a, b = span.start, span.end
    while b > a and text[b - 1].isspace():
        b -= 1
    while a < b and text[a].isspace():
        a += 1
    bullet = _BULLET.match(text, a, b)
    if bullet:
        a = bullet.end()
    return Span(a, max(a, b))


def _no_full_stop(text: str, start: int, dot: int) -> bool:
    if _ABBREVIATION.search(text, max(start, dot - 8), dot + 1):
        return True
    # "No. 3", "3. Oktober": a number and a dot in front of a small letter or a digit
    tail = text[dot + 1 : dot + 3].lstrip()
    return dot > start and text[dot - 1].isdigit() and tail[:1].islower() and len(text[start:dot].split()) > 1


def _paragraphs(text: str, passage: Passage) -> list[tuple[int, int]]:
    lines: list[tuple[int, int]] = []
    at = passage.start
    for line in text[passage.start : passage.end].splitlines(keepends=True):
        lines.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    filled = [(a, b) for a, b in lines if text[a:b].strip()]
    short = sum(len(text[a:b].strip()) <= _LIST_LINE and not _END.search(text, b - 1, b) for a, b in filled)
    itemised = len(filled) >= 3 and short == len(filled)
    result: list[tuple[int, int]] = []
    for a, b in lines:
        if not text[a:b].strip():
            continue
        if result and not itemised and _continues(text, result[-1], (a, b)):
            result[-1] = (result[-1][0], b)
        else:
            result.append((a, b))
    return result


def _continues(text: str, before: tuple[int, int], line: tuple[int, int]) -> bool:
    head, tail = text[before[0] : before[1]].rstrip(), text[line[0] : line[1]]
    if _BULLET.match(tail) or "\n\n" in text[before[1] : line[0]] or _END.search(head, len(head) - 1):
        return False
    if _DANGLING.search(head):
        return True
    last = head.rsplit("\n", 1)[-1]
    return len(last) >= (_WRAPPED // 2 if _CJK.search(last) else _WRAPPED)


_PAIRS = {"(": ")", "（": "）", "「": "」", "『": "』", "“": "”", "«": "»", "[": "]"}


def _inside(text: str, start: int, at: int) -> bool:
    """Does `at` stand inside an open bracket, quotation or code span of the sentence, or between digits?"""
    if 0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit():
        return True
    head = text[start:at]
    if head.count("`") % 2 or head.count('"') % 2:
        return True
    return any(head.count(o) > head.count(c) for o, c in _PAIRS.items())
