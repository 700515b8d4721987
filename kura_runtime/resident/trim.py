"""Shorten a recognition line without a model: whole clauses go from the end, never the words that turn a meaning round.

A reader who sees half a line believes it. So an identifier is never cut, a number keeps its unit, and a clause with a
negation, an exception, a warning or a word of retirement stays whole, wherever it stands. What cannot be shortened under
these rules stays as it is.
"""

from __future__ import annotations

import re

from kura_runtime.text.tokens import estimate

GAP = "…"
# A clause ends at these marks where white space follows (so that 1,450, 04:15 and sora:8413 stay whole), or at full-width marks.
_CLAUSE = re.compile(
    r"[^;,:.!?()。、，；：！？（）]*(?:(?:[;,:.!?()](?!\s|$))[^;,:.!?()。、，；：！？（）]*)*(?:[;,:.!?()]+(?:\s+|$)|[。、，；：！？（）]+\s*|$)"
)
_TURNS = re.compile(
    r"""\b(?:not?|never|none|nor|neither|cannot|without|except|unless|until|only|but|instead|rather|
    stop(?:ped|s)?|forbidden|banned|refused?|rejected|avoid|must|
    retired|replaced?s?|replaces|superseded|supersedes|removed|dropped|moved|deprecated|reverted|obsolete|formerly|former|old|
    no\slonger|used\sto|instead\sof|
    nicht|kein(?:e[nmrs]?)?|nie|niemals|ohne|außer|ausser|nur|sondern|statt|ersetzt|abgeschafft|verboten|bis|
    ne|pas|jamais|sans|sauf|seulement|aucune?|remplacé[es]*|interdit[es]*|
    nunca|jamás|sin|salvo|excepto|solo|sólo|ningun[ao]?|reemplazad[oa]s?|prohibid[oa]s?|
    не|нет|никогда|без|кроме|только|заменен[аоы]?)\b|n['’]t\b|
    ない|なく|ません|ず(?:に|、|。|$)|禁止|不可|廃止|旧|以外|除く|だけ|のみ|ではなく|見送り|不採用|中止|
    不|没|沒|无|無|非|别|別|勿|禁|只|仅|僅|除|弃|棄|停|改|旧|舊|否|未|
    않|없|못|아니|금지|만\s|⚠|❌|🚫|لا\b|ليس|لن\b|לא\b|אין\b""",
    re.IGNORECASE | re.VERBOSE,
)


def trim(line: str, tokens: int) -> str:
    """`line` within about `tokens` tokens (estimated), shortened only where that is safe; the line itself where it is not."""
    if estimate(line) <= tokens:
        return line
    clauses = [m.group() for m in _CLAUSE.finditer(line) if m.group()]
    if "".join(clauses) != line or len(clauses) < 2:
        return line
    keep = [i == 0 or bool(_TURNS.search(c)) for i, c in enumerate(clauses)]
    for i in range(
        1, len(clauses)
    ):  # a clause in brackets belongs to the one before it: both stay or both go
        if _opens(clauses[i - 1]):
            keep[i] = keep[i] or keep[i - 1]
    used = sum(estimate(c) for c, kept in zip(clauses, keep, strict=True) if kept)
    for i, clause in enumerate(clauses):
        if not keep[i]:
            used += estimate(clause)
            if used > tokens:
                break
            keep[i] = True
    if all(keep):
        return line
    parts: list[str] = []
    for clause, kept in zip(clauses, keep, strict=True):
        if kept:
            parts.append(clause)
        elif not parts or parts[-1] != GAP + " ":
            parts.append(GAP + " ")
    short = _balanced("".join(parts).rstrip())
    return short if short and len(short) < len(line) else line


def turns(text: str) -> tuple[str, ...]:
    """The words of a text that turn a meaning round (negations, exceptions, warnings, retirements), folded, in order."""
    return tuple(m.group().casefold() for m in _TURNS.finditer(text))


def clauses_of(text: str) -> tuple[str, ...]:
    """A line's clauses, as trimming sees them, without the marks at their ends."""
    found = (m.group().strip(" \t;,:.!?()、，。；：！？（）") for m in _CLAUSE.finditer(text))
    return tuple(clause for clause in found if clause)


def _opens(clause: str) -> bool:
    return clause.rstrip().endswith(("(", "（"))


def _balanced(text: str) -> str:
    """A bracket left open by the cut reads as if the rest were lost by accident; such a line is not worth having."""
    for a, b in ("()", "（）", "[]", "「」"):
        if text.count(a) != text.count(b):
            return ""
    return text
