"""Title, recognition line and slug of a memory, out of the words of its quotes and of no others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from kura_pipeline.distil.extract.clauses import Span, clauses
from kura_pipeline.distil.extract.languages import dense
from kura_pipeline.distil.extract.terms import names, terms
from kura_runtime.domain.memory import TRIGGER_MAX
from kura_runtime.domain.slug import SLUG_MAX, is_slug, slugify

TITLE_MAX = 110
_DENSE_TITLE = 48
_SLUG_WORDS = 6
_NOT = re.compile(
    r"\b(?:not?|never|none|without|\w+n't|cannot|dont|nie|nicht|kein\w*|pas|jamais|sans|nunca|sin)\b|[不没别无禁未]|ない|なく|ません|ずに|禁止|말|않|못",
    re.IGNORECASE,
)
_COUNTING = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|once|twice|first|second|third|half|both|"
    r"ein|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|sept|huit|neuf|dix|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b"
    r"|[零〇一二三四五六七八九十百千万億亿两]|\d",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"[\s,;(]+(?:the|an?|to|of|in|on|for|and|or|but|that|which|with|from|is|are|be|not|as|by|at|so|if|when|its?|it's|their|your|our|create|der|die|das|und|zu|"
    r"le|la|les|de|et|el|los|que|y)$",
    re.IGNORECASE,
)
_VALUE_WORD = re.compile(
    r"#?\b[\w#.:/-]*\d[\w#.:/%-]*|\b(?:is|are|as|should be)\b\s*(?:actually)?|[:=]|\bwhat\b|\bthat'?s that\b",
    re.IGNORECASE,
)


def counts(text: str) -> bool:
    """Could the gate read a figure in the text? Then it may only stand inside quotation marks."""
    return bool(_COUNTING.search(text))


def title(lead: str, sheet: Sequence[str] = (), *, strict: bool = False) -> str:
    """One line of at most 110 characters: the statement, cut at a clause or a word. For a list of values their names.
    `strict`: where the cut would lose a negation, the clause that holds it."""
    if len(sheet) > 1:
        listed = [n for n in (_name(text) for text in sheet) if n and not counts(n)]
        if len(listed) > 1:
            return _joined(dict.fromkeys(listed), ", ", TITLE_MAX - 20)
    text = lead.strip().rstrip(" .,;:。、；…")
    room = _DENSE_TITLE if dense(text) else TITLE_MAX
    if len(text) <= room:
        return text
    short = cut(text, room)
    if strict and _NOT.search(text) and not _NOT.search(short):
        for part in clauses(text, Span(0, len(text))):
            if _NOT.search(text, part.start, part.end):
                return cut(text[part.start :], room)
    return short


def trigger(quotes: Sequence[str], marks: tuple[str, str]) -> str:
    """The recognition line: the quotes in quotation marks, as many as fit into 200 characters, the first one cut if need
    be. The marks are there because a figure may stand nowhere else."""
    opened, closed = marks
    first = cut(quotes[0], TRIGGER_MAX - 2)
    line = f"{opened}{first}{closed}"
    for text in quotes[1:]:
        longer = f"{line} {opened}{text}{closed}"
        if len(longer) > TRIGGER_MAX:
            break
        line = longer
    return line


def slug(lead: str, others: Sequence[str] = ()) -> str:
    """Telling words of the statement in their order, without figures; of the other quotes where there are too few. Text
    without enough Latin words gets `memory-` and eight letters of its hash."""
    words: list[str] = []
    for text in (lead, *others):
        for word in _latin(text):
            if word not in words:
                words.append(word)
        if len(words) >= 3:
            break
    made = slugify(" ".join(_fitting(words)))
    telling = len(words) >= 2 or (words and len(words[0]) >= 6)
    if telling and is_slug(made) and not made.startswith("memory-"):
        return made
    digest = hashlib.sha256(lead.encode("utf-8", "surrogatepass")).digest()
    return "memory-" + "".join(
        chr(ord("a") + b % 26) for b in digest[:8]
    )  # letters: a digit would be a figure


def cut(text: str, room: int) -> str:
    """At most `room` characters, cut behind a clause where one ends in the second half, else behind a word."""
    if len(text) <= room:
        return text
    ends = [p.end for p in clauses(text, Span(0, len(text))) if room // 2 <= p.end <= room]
    if ends:
        return text[: ends[-1]].rstrip(" ,;:，、；")
    head = text[:room]
    space = head.rfind(" ")
    if space >= room // 2:
        head = head[:space]
    head = head.rstrip(" ,;:，、；")
    while (shorter := _DANGLING.sub("", head)) != head and len(shorter) >= room // 2:
        head = shorter
    return head


def _latin(text: str) -> list[str]:
    telling = terms(text).keys()
    found = []
    for raw in re.findall(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'-]*", re.sub(r"\S*\d\S*", " ", text.replace("’", "'"))):
        word = re.sub(r"'s?$|'", "", raw)
        low = word.strip("'-").casefold()
        known = low in telling or low.rstrip("s") in telling or _singular(low) in telling
        if not low or counts(low) or not known:
            continue
        found += [
            p
            for p in re.sub(r"([a-z])([A-Z])", r"\1 \2", word.strip("'-")).casefold().split()
            if p not in found
        ]
    return found


def _singular(word: str) -> str:
    return word[:-3] + "y" if word.endswith("ies") else word


def _fitting(words: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for word in words:
        if len(chosen) == _SLUG_WORDS or len("-".join([*chosen, word])) > SLUG_MAX:
            break
        chosen.append(word)
    return chosen


def _name(text: str) -> str:
    """What has the value: the text without it."""
    return " ".join(_VALUE_WORD.sub(" ", text).split()).strip(" .,;\"'")


def _joined(parts: Sequence[str] | dict[str, None], between: str, room: int) -> str:
    line = ""
    for part in parts:
        longer = f"{line}{between}{part}" if line else part
        if len(longer) > room:
            break
        line = longer
    return line


def callsigns(texts: Sequence[str]) -> tuple[str, ...]:
    """Names that the human gave in so many words ("is called night heron", 青い灯台と呼ぼう), at most two."""
    found: list[str] = []
    for text in texts:
        for pattern in (
            r"\b(?:is|are|be) (?:now )?(?:called|named|nicknamed) [\"'“]?([\w-]+(?: (?!and\b|or\b|from\b|for\b)[\w-]+){0,3})",
            r"\bcall (?:it|this|them|the \w+) [\"'“]([^\"'”]{3,40})[\"'”]",
            r"(?:から|を|は|、)([^、。はをが]{3,20})と呼",
            r"(?:叫做?|称为|代号)[「“\"]?([^，。」”\"]{3,20})",
        ):
            found += [m.strip() for m in re.findall(pattern, text, re.IGNORECASE)]
    return tuple(dict.fromkeys(n for n in found if 3 <= len(n) <= 40))[:2]


def told_apart(text: str) -> bool:
    """Does a line name something, so that it can be told from its neighbours?"""
    return bool(names(text)) or len(terms(text)) >= 2
