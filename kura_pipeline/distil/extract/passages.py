"""Which lines of a human turn the human wrote, and which were pasted from a machine.

People paste terminals, stack traces, diffs and file paths into their turns. Those lines stand in a USER event, yet they
are nobody's words: a rule found inside a pasted README would become "the user said". So a doubt counts as pasted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SLASH = re.compile(r"^/[a-z]*[\w:-]*(?:\s|$)(?!.*/)", re.IGNORECASE)
_BANG = re.compile(r"^![a-z]")
_NOT_A_TURN = re.compile(
    r"^\s*(?:\[Request interrupted|\[Image #?\d*\]\s*$|Caveat:|This session is being continued|Stop hook feedback"
    r"|# AGENTS\.md|<(?:command-|local-command|task-notification|environment_context|user_instructions|system))",
    re.IGNORECASE,
)
_TAG_OPEN = re.compile(r"^\s*<([a-z][\w-]*)(?:\s[^<>]*)?>", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_MACHINE = re.compile(
    "|".join(
        (
            r"^\s*(?:➜|❯|\$|%|#|>>>|\.\.\.|PS [A-Z]:\\\S*>|C:\\\S*>)\s+\S",  # shell and interpreter prompts
            r"^\s*\S+@\S+[:~].*[$#%]\s",
            r"^\s*(?:at\s+\S+.*[:(]\d+|File \"[^\"]+\", line \d+|Traceback \(most recent|Caused by:|\.{3} \d+ more)",
            r"^\s*(?:[\w.]*(?:Error|Exception|Warning|Fault)|panic|fatal|error\[\w+\]|E\d{3,})\b\s?:",
            r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d[\].,\s]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ \d\d:\d\d)",
            r"^\s*\[[\w.:-]+\]\s+\S.*[=:(]",  # [component] message
            r"^\s*\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|NOTICE)\b[\]: ]",
            r"^\s*(?:npm|yarn|pnpm|pip|cargo|warning|error|note|info)(?:\s(?:ERR|WARN|info|warn)\b|:\s)",
            r"^\s*(?:diff --git|index [0-9a-f]{6,}|@@ |\+\+\+ |--- [ab]/|[+-]\s?\d+\b|\d+\s*[|│]|commit [0-9a-f]{7,})",
            r"^\s*(?:Debugger attached|Waiting for the debugger|Compiling |Finished |Downloading |Collecting |Successfully |BUILD |PASS |FAIL )",
            r"^\s*[-dl][rwx-]{9}\b",
            r"[─━│┃┌┐└┘├┤═║╔╗]{2,}|^\s*[-=_*~]{5,}\s*$|^\s*\^+~*\s*$|^\s*[⠀-⣿]",
            r"^\s*['\"]?(?:/|~/|\.{1,2}/|[A-Za-z]:\\)[^\n]*\.\w{1,5}(?::\d+(?::\d+)?)?['\"]?\s*$",
            r"\bScreenshot \d{4}|screencapture|^\s*file://",
            r"^\s*[\[{}\])]+[,;]?\s*$|[{;]\s*$|^\s*\"[\w.-]+\"\s*:\s|^\s*</?\w+[^>]*>\s*$",
            r"^\s*(?:import|export|const|let|var|function|def|class|return|public|private|static|#include|SELECT|INSERT|UPDATE)\b.*[(){};=]",
            r"^\s*\|.*\|\s*$|^\s*>\s?\S",  # a table; words quoted from somebody else
            r"\b(?:\w+=\S+\s+){2,}\w+=\S+|[A-Za-z0-9+/=_-]{60,}|[↑↓]\d",
        )
    )
)
_MARKDOWN_HEADING = re.compile(r"^#{1,6}\s+\S")
_PLACEHOLDER = re.compile(r"⟦[^⟧\n]*⟧?")
LONG_TURN = 3000  # characters of one turn: beyond this it is a pasted document with words around it


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of human lines: `text[start:end]` of the event. `head` is the heading or label line above, or ""."""

    start: int
    end: int
    head: str = ""


def passages(text: str, *, notes: bool = False) -> tuple[Passage, ...]:
    """The human passages of a turn, in order. `notes`: the text is a file of notes (headings belong to it, length says
    nothing). Lines that hold a redaction placeholder are left out: a quote must not touch one."""
    if _NOT_A_TURN.match(text) or (not notes and (_SLASH.match(text.strip()) or _BANG.match(text.strip()))):
        return ()
    lines = _lines(text)
    pasted = _pasted([text[a:b] for a, b in lines], notes=notes)
    found: list[Passage] = []
    head, start, end = "", -1, -1
    for (a, b), machine in zip(lines, pasted, strict=True):
        line = text[a:b]
        heading = bool(_MARKDOWN_HEADING.match(line))
        if machine or not line.strip() or heading or _PLACEHOLDER.search(line):
            if start >= 0:
                found.append(Passage(start, end, head))
                start = -1
            if heading and not machine:
                head = line.lstrip("# ").strip()
            continue
        if start < 0:
            start = a
        end = b
    if start >= 0:
        found.append(Passage(start, end, head))
    if not notes and len(text) > LONG_TURN and len(found) > 2:
        found = [found[0], found[-1]]  # what stands round a pasted document is the human's
    return tuple(found)


def _lines(text: str) -> list[tuple[int, int]]:
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        spans.append((at, at + len(line.rstrip("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))))
        at += len(line)
    return spans


def _pasted(lines: list[str], *, notes: bool) -> list[bool]:
    marks = [False] * len(lines)
    fenced, tag = False, ""
    for i, line in enumerate(lines):
        if tag:
            marks[i] = True
            if f"</{tag}" in line:
                tag = ""
            continue
        if _FENCE.match(line):
            fenced = not fenced
            marks[i] = True
            continue
        if fenced:
            marks[i] = True
            continue
        opened = _TAG_OPEN.match(line)
        if opened:
            marks[i] = True
            if f"</{opened.group(1)}" not in line and any(
                f"</{opened.group(1)}" in later for later in lines[i:]
            ):
                tag = opened.group(1)
            continue
        if notes and _MARKDOWN_HEADING.match(line):
            continue
        marks[i] = bool(_MACHINE.search(line)) or _mostly_symbols(line)
    return _whole_blocks(lines, marks)


def _mostly_symbols(line: str) -> bool:
    dense = [c for c in line if not c.isspace()]
    return len(dense) >= 12 and sum(c.isalpha() for c in dense) < len(dense) * 0.45


def _whole_blocks(lines: list[str], marks: list[bool]) -> list[bool]:
    """Lines without a blank between them were pasted together: two machine lines make the whole block one."""
    result = list(marks)
    i = 0
    while i < len(lines):
        j = i
        while j < len(lines) and lines[j].strip():
            j += 1
        if sum(marks[i:j]) >= 2:
            result[i:j] = [True] * (j - i)
        i = j + 1
    return result
