"""What the machine said near a human statement: failures and figures of tool output, and what the agent then wrote down.

A line counts only if it speaks of the same thing: it shares telling words, or a figure, with the human's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from kura_pipeline.distil.extract.gathering import Group
from kura_pipeline.distil.extract.terms import Rarity, terms
from kura_pipeline.distil.extract.turns import Turn, long_enough
from kura_pipeline.distil.extract.values import shape
from kura_runtime.domain.candidate import ProposedQuote
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.text.normalise import visible

FAILURE = re.compile(
    r"\b(?:error|failed|failure|fatal|panic|exception|traceback|refused|denied|timed? ?out|no space left|not found|killed|oom|out of memory|corrupt\w*|"
    r"segfault|unreachable|mismatch|abort(?:ed)?|cannot|unable)\b|エラー|失敗|异常|错误|失败|拒绝|超时|오류|실패|Fehler|erreur|échec",
    re.IGNORECASE,
)
_BEHIND, _AHEAD = 14, 10  # events
_LINE_MAX = 260
_LIKE = 0.9
_NUMBER = re.compile(r"\d[\d.,]*\d|\d{2,}")
_CODE = re.compile(
    r"[{};]\s*$|^\s*(?:import|export|const|let|var|def|class|return|function|#include|//|/\*|\*|<)|=>"
)
_EDITED = re.compile(
    r"\b(?:successfully|has been (?:updated|created)|replaced text|characters|insertions?|deletions?|wrote|created)\b",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"^(?:path|file_path|command|oldText|newText|content|old_string|new_string|description|pattern|offset|limit|timeout): "
)


def is_failure(text: str) -> bool:
    """Does a line of machine output tell of a failure?"""
    return bool(FAILURE.search(text)) and not re.search(
        r"\b0 (?:errors?|failed|failures?)\b|\bno errors?\b", text, re.IGNORECASE
    )


def nearby(
    group: Group, events: Sequence[Event], turns: Sequence[Turn], rarity: Rarity
) -> list[ProposedQuote]:
    """At most two lines of tool output and one of a call that stand near the group's statements and speak of the same."""
    own: Counter[str] = Counter()
    said = ""
    findings = [group.lead] if group.reversal else group.findings
    for f in findings:
        own |= f.words()
        for unit in turns[
            f.turn
        ].units:  # "43 min is fine. from now on …": the figure may stand beside the rule
            said += " " + turns[f.turn].text(unit.whole.start, unit.whole.end)
    wide = own | terms(said)
    figures = set(_NUMBER.findall(said))
    found: dict[str, tuple[float, ProposedQuote]] = {}
    for f in findings:
        first = max(f.at - _BEHIND, turns[f.turn - 1].at + 1 if f.turn else 0)
        last = min(f.at + _AHEAD, turns[f.turn + 1].at if f.turn + 1 < len(turns) else len(events))
        for event in events[first:last]:
            for line in _lines(event, after=event.seq > events[f.at].seq, pointing=bool(f.before)):
                score = _likeness(line, own, wide, figures, rarity)
                if score > found.get(line, (_LIKE, None))[0] and line not in said:
                    found[line] = (score, ProposedQuote(event.cls, line))
    ranked = sorted(found.values(), key=lambda p: (-p[0], p[1].text))
    tools = [q for _, q in ranked if q.cls is EvidenceClass.TOOL][:2]
    acts = [q for _, q in ranked if q.cls is EvidenceClass.ACT][:1]
    return tools + acts


def _lines(event: Event, *, after: bool, pointing: bool) -> Iterator[str]:
    """Quotable lines: of tool output those with a failure or a figure; of a call only what followed the human's words and
    reads as prose, where the human only pointed at the thing."""
    if event.context or event.cls not in (EvidenceClass.TOOL, EvidenceClass.ACT):
        return
    if event.cls is EvidenceClass.ACT and not (after and pointing):
        return
    for raw in event.text.splitlines()[:400]:
        if "⟦" in raw or "⟧" in raw:
            continue
        line = visible(_KEY.sub("", raw)).strip("-* ")
        if len(line) > _LINE_MAX or not long_enough(line):
            continue
        if event.cls is EvidenceClass.TOOL:
            if is_failure(line) or (not after and shape(line) == "figure" and not _EDITED.search(line)):
                yield line
        elif (
            not _CODE.search(line)
            and sum(c.isalpha() for c in line) > 0.6 * len(line)
            and len(line.split()) >= 5
        ):
            yield line


def _likeness(line: str, own: Counter[str], wide: Counter[str], figures: set[str], rarity: Rarity) -> float:
    """0 where the line shares no telling word with the statement itself, or no second one (or figure) with its turn."""
    theirs = terms(line)
    if not any(t in own and rarity.rare(t) for t in theirs):
        return 0.0
    shared = [t for t in theirs if t in wide]
    same = figures & set(_NUMBER.findall(line))
    if len(shared) < 2 and not same:
        return 0.0
    return sum(rarity.of(t) for t in shared) / (4 + 0.1 * len(theirs)) + 2.0 * len(same)
