"""Findings about one subject become one group; what was taken back leads to what was settled.

Several sentences of one turn, a list of values given over some turns, a rule said again an hour later: one memory. A
decision and its reversal: one memory too, in which the last word stands first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kura_pipeline.distil.extract.picking import REASON, Finding, settled
from kura_pipeline.distil.extract.terms import Rarity, terms, weight
from kura_pipeline.distil.extract.turns import Turn

_NEAR = 0.5  # share of the smaller side's weight
_NEAR_VALUES = 0.6
_SHEET_GAP = 8  # human turns between two values of one list
_SUBJECT_GAP = 40
_BACK = 2  # "undo that" points at most so many turns back
_FRAGMENT = 4  # telling words; a shorter statement belongs to its neighbour
_ROOM = 700  # characters of quotes in one memory
_SHEET_MAX = 20
_UNDO = re.compile(r"\b(?:undo|revert|scrap|roll back) (?:that|it|this)\b|撤回|取り消", re.IGNORECASE)
_LEANS = re.compile(r"\b(?:both|them|those|it|its|they)\b|それ|これ|它", re.IGNORECASE)
_TURNED = re.compile(
    r"\b(?:no longer|instead|back to|after all|any ?more|changed? my mind|scratch that|forget (?:what|the)|revert|reversed?|switch(?:ed|ing)?|i was wrong|"
    r"doch|stattdessen|was a mistake|nicht mehr|finalement|ne .* plus|ya no|en vez)\b|不再|改(?:回|用|成)|收回|推翻|算了|换(?:成|回)|やっぱり|撤回|やめ|に戻|に変更|ではなく",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Group:
    """One memory to be: its findings in order. `settled` is the one that takes an earlier one back."""

    findings: list[Finding] = field(default_factory=list)
    settled: Finding | None = None

    @property
    def reversal(self) -> bool:
        """Does it hold a word and its taking back?"""
        return self.settled is not None

    @property
    def last(self) -> Finding:
        """The latest finding."""
        return self.findings[-1]

    @property
    def sheet(self) -> bool:
        """A list of values?"""
        return self.findings[0].weighed.main() == "value" and bool(self.findings[0].weighed.value)

    @property
    def lead(self) -> Finding:
        """What the memory is about: after a reversal the last word, else the weightiest statement (the first of equals)."""
        if self.settled is not None:
            return self.settled
        if self.sheet:
            return self.findings[0]
        return max(
            self.findings, key=lambda f: (f.weighed.score, weight(f.text) >= _FRAGMENT, -f.turn, -f.order)
        )

    @property
    def score(self) -> float:
        """How much it deserves a place: its strongest statement, a little more for each further one."""
        return max(f.weighed.score for f in self.findings) + 0.1 * (len(self.findings) - 1)

    def size(self) -> int:
        """Characters of all its quotes."""
        return sum(len(f.text) + sum(len(q.text) for q in (*f.before, *f.after)) for f in self.findings)


def gather(findings: Sequence[Finding], turns: Sequence[Turn]) -> tuple[list[Group], Counter[str]]:
    """Groups in order of their first finding, and what was passed over, by reason."""
    lost: Counter[str] = Counter()
    rarity = Rarity(t.event.text for t in turns if t.units)
    taken_back = {t.n for t in turns if any(u.weighed.acts.get("retract") for u in t.units)}
    of_turn: dict[int, list[Finding]] = {}
    for f in findings:
        of_turn.setdefault(f.turn, []).append(f)
    groups: list[Group] = []
    for n in sorted(of_turn.keys() | taken_back):
        here = of_turn.get(n, [])
        target = _target(groups, n, turns) if n in taken_back else None
        if target is not None:
            here = _take_back(groups, target, here, turns[n], lost)
        for f in here:
            _place(f, groups, rarity)
    return [g for g in groups if g.findings], lost


def _target(groups: list[Group], n: int, turns: Sequence[Turn]) -> tuple[Group, Finding] | None:
    """What "undo that" is about: the latest statement of the turn before, or of the one before that if they share a word.
    A turn that goes on to speak of something else takes nothing back."""
    here = terms(turns[n].event.text)
    vague = sum(here.values()) < _FRAGMENT or bool(_UNDO.search(turns[n].event.text))
    best: tuple[Group, Finding] | None = None
    most = (0, -1, -1)
    for group in groups:
        for f in group.findings:
            if not n - _BACK <= f.turn < n:
                continue
            shared = len(here.keys() & f.words().keys())
            if (shared or (vague and f.turn == n - 1)) and (shared, f.turn, f.order) > most:
                best, most = (group, f), (shared, f.turn, f.order)
    return best


def _take_back(
    groups: list[Group], target: tuple[Group, Finding], here: list[Finding], turn: Turn, lost: Counter[str]
) -> list[Finding]:
    """The earlier statement leaves its group; with a settled word in this turn both make a reversal."""
    group, earlier = target
    now = next((f for f in here if weight(f.text) >= _FRAGMENT - 1), None) or settled(turn, earlier)
    group.findings.remove(earlier)
    if now is None:
        lost["taken-back"] += 1
        return [f for f in here if not f.weighed.acts.get("retract")]
    groups.append(Group([earlier, now], now))
    return [
        f for f in here if f is not now and not (f.weighed.acts.get("retract") and weight(f.text) < _FRAGMENT)
    ]


def _place(f: Finding, groups: list[Group], rarity: Rarity) -> None:
    home = _same_turn(f, groups) or _sheet(f, groups, rarity) or _subject(f, groups, rarity)
    if home is None:
        groups.append(Group([f]))
        return
    turned = (
        home.last.turn < f.turn
        and not home.sheet
        and (bool(_TURNED.search(f.text)) or f.weighed.acts.get("correction", 0.0) >= 1.0)
    )
    home.findings.append(f)
    if turned:
        home.settled = f


def _same_turn(f: Finding, groups: list[Group]) -> Group | None:
    """A statement right behind another one of the same turn belongs to it if one of them is a fragment or points, or both
    are values, or they share a word."""
    if not groups or not groups[-1].findings:
        return None
    last = groups[-1].last
    if last.turn != f.turn or f.order - last.order != 1 or groups[-1].size() + len(f.text) > _ROOM:
        return None
    if last.weighed.value == "hex" and f.weighed.value == "hex":
        return groups[-1] if len(groups[-1].findings) < _SHEET_MAX else None
    short = weight(last.text) < _FRAGMENT or weight(f.text) < _FRAGMENT
    shared = terms(last.text).keys() & terms(f.text).keys()
    grounds = (
        bool(REASON.search(f.text)) or f.weighed.main() in ("warning", "cause") or bool(_LEANS.search(f.text))
    )
    return groups[-1] if short or f.weighed.pointing or shared or grounds else None


def _sheet(f: Finding, groups: list[Group], rarity: Rarity) -> Group | None:
    """The open list of values of the same shape, or one whose items this statement is about."""
    for group in reversed(groups):
        if (
            not group.findings
            or not group.sheet
            or len(group.findings) >= _SHEET_MAX
            or group.size() + len(f.text) > _ROOM + 200
        ):
            continue
        if f.turn - group.last.turn > _SHEET_GAP:
            continue
        if f.weighed.value == group.findings[0].weighed.value == "hex":
            return group
        union: Counter[str] = Counter()
        for other in group.findings:
            union |= other.words()
        if f.weighed.main() == "value" or f.weighed.acts.get("rule"):
            own = f.words()
            shared = sum(rarity.of(t) for t in own if t in union)
            if own and shared >= _NEAR_VALUES * sum(rarity.of(t) for t in own):
                return group
    return None


def _subject(f: Finding, groups: list[Group], rarity: Rarity) -> Group | None:
    best, most = None, _NEAR
    for group in groups:
        if (
            not group.findings
            or group.sheet
            or f.turn - group.last.turn > _SUBJECT_GAP
            or group.size() + len(f.text) > _ROOM
        ):
            continue
        near = max(rarity.nearness(f.words(), other.words()) for other in group.findings)
        if near >= most:
            best, most = group, near
    return best
