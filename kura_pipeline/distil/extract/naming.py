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
from kura_runtime.text import negation
from kura_runtime.text.negation_words import HARMLESS
from kura_runtime.text.plainview import plain

TITLE_MAX = 110
_DENSE_TITLE = 48
_SLUG_WORDS = 6
_THIN = 5  # words that a name should have where the statement itself gives too few
_NOT = re.compile(
    r"\b(?:not?|never|none|without|\w+n't|cannot|dont|nie|nicht|kein\w*|pas|jamais|sans|nunca|sin)\b|[不没别无禁未]|ない|なく|ません|ずに|禁止|말|않|못",
    re.IGNORECASE,
)
# negations that have a spelling in Latin letters: a name without them would say the opposite
_DENIAL = re.compile(
    r"(?:not|never|no|none|without|cannot|\w+n't|(?:do|ca|wo|is|does|must|should)nt|nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans|nunca|jamás|sin)$",
    re.IGNORECASE,
)
_DENIED = "no"  # the word for one in other letters
_LATIN = r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'-]*"
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？](?=.)")
# a reason or an aim, which the statement can do without; a condition is none
_JOINT = re.compile(
    r"\s(?=(?:so|because|since|otherwise|weil|denn|damit|sonst|parce que|sinon|porque|para que)\b)|(?<=[,，、])(?=因为|否则|免得|以便|不然)",
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
    if not _whole(text, short):
        short = cut(text, room - 1) + "…"
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
    """Telling words of the statement in their order, negations with them, without figures; of the other quotes where there
    are too few. Text without enough Latin words gets `memory-` and eight letters of its hash."""
    words: list[str] = []
    for text in (lead, *others):
        for word in _latin(text):
            if word not in words:
                words.append(word)
        if sum(not _denies(w) for w in words) >= (3 if text is lead else _THIN):
            break
    fitting = _fitting(words)
    made = slugify(" ".join(fitting))
    plain_words = [w for w in fitting if not _denies(w)]
    telling = len(plain_words) >= 2 or (plain_words and len(plain_words[0]) >= 6)
    if telling and is_slug(made) and not made.startswith("memory-"):
        return made
    digest = hashlib.sha256(lead.encode("utf-8", "surrogatepass")).digest()
    return "memory-" + "".join(
        chr(ord("a") + b % 26) for b in digest[:8]
    )  # letters: a digit would be a figure


def cut(text: str, room: int) -> str:
    """At most `room` characters: whole sentences where one ends in the last two thirds, else behind a clause or before a
    reason in the second half, else behind a word."""
    if len(text) <= room:
        return text
    head = text[:room]
    ends = [m.end() for m in _SENTENCE_END.finditer(text, 0, room + 1) if room // 3 <= m.end() <= room]
    ends = ends or [p.end for p in clauses(text, Span(0, len(text))) if room // 2 <= p.end <= room]
    ends = ends or [m.start() for m in _JOINT.finditer(text, 0, room + 1) if room // 2 <= m.start()]
    if ends:
        return text[: ends[-1]].rstrip(" .,;:，、；。")
    space = head.rfind(" ")
    if space >= room // 2:
        head = head[:space]
    head = head.rstrip(" ,;:，、；")
    while (shorter := _DANGLING.sub("", head)) != head and len(shorter) >= room // 2:
        head = shorter
    return head


def _whole(text: str, short: str) -> bool:
    """Was the text cut where a clause, a sentence or a statement ends?"""
    ends = {p.end for p in clauses(text, Span(0, len(text)))} | {m.start() for m in _JOINT.finditer(text)}
    return len(short) in ends or (
        text[len(short) : len(short) + 1] in tuple(" .,;:!?，。、；！？")
        and any(
            len(short) <= end <= len(short) + 2
            for end in (*ends, *(m.end() for m in _SENTENCE_END.finditer(text)))
        )
    )


def _latin(text: str) -> list[str]:
    telling = terms(text).keys()
    even = text.replace("’", "'")
    denials = {w.casefold() for w in re.findall(_LATIN, HARMLESS.sub(" ", plain(even))) if _DENIAL.match(w)}
    denied = _denied(even)
    found: list[str] = []
    for raw in re.findall(_LATIN, re.sub(r"\S*\d\S*", " ", even)):
        if raw.casefold() in denials:
            found.append(raw.casefold().replace("'", ""))
            continue
        word = re.sub(r"'s?$|'", "", raw)
        low = word.strip("'-").casefold()
        known = low in telling or low.rstrip("s") in telling or _singular(low) in telling
        if not low or counts(low) or not known:
            continue
        if raw in denied:
            found.append(_DENIED)
        found += [
            p
            for p in re.sub(r"([a-z])([A-Z])", r"\1 \2", word.strip("'-")).casefold().split()
            if p not in found
        ]
    return found


def _denied(text: str) -> frozenset[str]:
    """The first Latin word of every clause that a word in other letters negates (日志里不要出现 GPS)."""
    if text.isascii():
        return frozenset()
    found = set()
    for clause in negation.clauses(text):
        words = re.findall(_LATIN, clause.text)
        if clause.negated and words and not any(_DENIAL.match(w) for w in words):
            found.add(words[0])
    return frozenset(found)


def _denies(word: str) -> bool:
    return bool(_DENIAL.match(word))


def _singular(word: str) -> str:
    return word[:-3] + "y" if word.endswith("ies") else word


def _fitting(words: Sequence[str]) -> list[str]:
    """As many words as a name holds, one more where a negation is among them. A negation whose words were cut off says
    something else, and goes too."""
    chosen: list[str] = []
    for word in words:
        room = _SLUG_WORDS + any(_denies(w) for w in (*chosen, word))
        if len(chosen) == room or len("-".join([*chosen, word])) > SLUG_MAX:
            while chosen and _denies(chosen[-1]):
                chosen.pop()
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
