"""What a harness writes into the human's turn, and how it is told from the human's own words (rule G13).

Fail closed: where the border between the two cannot be told, the whole part is left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter

from kura_runtime.text.normalise import cut_mark

# Blocks that harnesses put into a user turn; each is cut with everything inside it.
_BLOCKS = (
    "system-reminder", "command-name", "command-message", "command-args", "command-contents", "local-command-stdout",
    "local-command-stderr", "local-command-caveat", "task-notification", "agent-notification", "task-id",
    "bash-input", "bash-stdout", "bash-stderr", "user-prompt-submit-hook", "session-start-hook", "post-tool-use-hook",
    "pre-tool-use-hook", "stop-hook", "ide_selection", "ide_opened_file", "ide_diagnostics", "new-diagnostics",
    "teammate-message", "channel", "persisted-output", "environment_context", "user_instructions",
    "environment_details", "attached_files", "goal_round", "skills_instructions", "permissions_instructions",
    "session_context", "state_snapshot", "hook_context",
)  # fmt: skip


def _tag(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, names))
    return re.compile(rf"<\s*(/?)\s*({listed})(?=[\s>/])[^<>]*?(/?)>", re.IGNORECASE)


_TAG = _tag(_BLOCKS)
# A dumped file stands in a block that names it. Without a name `<file>` is only what somebody writes about.
_DUMP = re.compile(r"<(?:file|document|attachment)\s+(?:name|path|source)=", re.IGNORECASE)
_TAG_AND_DUMPS = _tag((*_BLOCKS, "file", "document", "attachment"))
_REMINDER = _tag(("system-reminder",))

# Whole parts that the harness writes, known by how they begin.
_OPENINGS = (
    ("compaction", "This session is being continued from a previous conversation"),
    ("local-command", "Caveat: The messages below"),
    ("hook", "Stop hook feedback"),
    ("hook", "SubagentStop hook feedback"),
    ("hook", "UserPromptSubmit operation blocked by hook"),
    ("agents-file", "# AGENTS.md instructions"),
    ("runtime-context", "Current runtime context."),
)
_INTERRUPT = re.compile(r"\[Request interrupted by user(?: for tool use)?\]")
# The human typed these behind a sign of his own (`#`); the harness only wrapped them.
_HUMAN_WRAP = re.compile(r"^\s*<user-memory-input>(.*)</user-memory-input>\s*$", re.DOTALL)


def human_words(text: str, left_out: Counter[str]) -> str:
    """What is left of a text part of the human's turn when the machine's text is taken out; "" for nothing."""
    text = text.strip("\ufeff \t\r\n")
    for reason, opening in _OPENINGS:
        if text.startswith(opening):
            left_out[reason] += 1
            return ""
    interrupt = _INTERRUPT.match(text)
    if interrupt:
        left_out["interrupt"] += 1
        text = text[interrupt.end() :].strip()
    if "<" not in text:
        return text
    wrapped = _HUMAN_WRAP.match(text)
    if wrapped:
        text = wrapped.group(1)
    pieces, cut, unsure = _outside(text, _TAG_AND_DUMPS if _DUMP.search(text) else _TAG)
    for name in cut:
        left_out[_reason(name)] += 1
    if unsure:
        left_out["border-unclear"] += 1
        return ""
    return _joined(pieces, text) if cut else text


def machine_output(text: str, left_out: Counter[str]) -> str:
    """Tool output without the reminders a harness hangs into it. Where one has no end (or no beginning), everything
    on its side of the tag goes."""
    first = _REMINDER.search(text) if "<" in text else None
    if first is None:
        return text
    if first.group(1):
        left_out["border-unclear"] += 1
        return machine_output(text[first.end() :], left_out)
    pieces, cut, unsure = _outside(text, _REMINDER)
    if unsure:
        left_out["border-unclear"] += 1
        return text[: first.start()].rstrip()
    left_out.update(_reason(name) for name in cut)
    return _joined(pieces, text)


def _joined(pieces: list[str], text: str) -> str:
    """The pieces that stay. Where words stand on both sides of a block a cut mark stands between them: a quote across it
    would be stitched."""
    kept = [p.strip() for p in pieces if p.strip()]
    gap = len(text) - sum(len(p) for p in kept)
    return f"\n{cut_mark(gap)}\n".join(kept)


def _outside(text: str, tag: re.Pattern[str]) -> tuple[list[str], list[str], bool]:
    """What stands outside the blocks, the names of the blocks, and whether a tag was left without its partner."""
    parts: list[str] = []
    cut: list[str] = []
    depth: list[str] = []
    at = 0
    for found in tag.finditer(text):
        closing, name, alone = found.group(1), found.group(2).lower(), found.group(3)
        if alone and not closing:
            if not depth:
                parts.append(text[at : found.start()])
                cut.append(name)
                at = found.end()
        elif not closing:
            if not depth:
                parts.append(text[at : found.start()])
            depth.append(name)
        elif not depth or depth[-1] != name:
            return [], cut, True
        else:
            depth.pop()
            if not depth:
                cut.append(name)
                at = found.end()
    if depth:
        return [], cut, True
    parts.append(text[at:])
    return parts, cut, False


def _reason(name: str) -> str:
    if name == "system-reminder":
        return "system-reminder"
    if name.startswith(("command-", "local-command")):
        return "local-command"
    return name.replace("_", "-")
