"""Rule G5: every number of a surface stands in the evidence, with its unit, its sign, and as part of the same name.

A TOOL quote vouches for its numbers, an ACT quote for the arguments really passed, a USER quote only for those inside a
verbatim quotation of it: people round, guess and promise, so their figures are told in their own words. Names
with digits in them (esp32-s3) may come from the human as well. No arithmetic, no concatenation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.wording import stands_in
from kura_runtime.text.identifiers import canonical, compact, dashed, names_within
from kura_runtime.text.numbers import NumberToken, number_tokens
from kura_runtime.text.plainview import plain
from kura_runtime.text.quotation import Quotation, quotations
from kura_runtime.text.units import MEASURED, lookup, same_unit, unit_before

_QUOTED_MIN = (
    8  # characters of a quotation that can vouch for a number; CJK text says as much in half of them
)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ABBREVIATED, _FULL_HASH = re.compile(r"[0-9a-f]{7,}"), re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ATOM = re.compile(r"[/:@=?&,;]+")
_BOUND_WORD = re.compile(
    r"(?:under|below|less|fewer|than|most|least|over|above|more|up\s+to|maximum|minimum|max|min|within|allow\w*|cap\w*|limit\w*|exceed\w*|unter|über|mehr|weniger|höchstens|mindestens|maximal|bis|moins|plus|maximum|sous|dépass\w*|inférieur\w*|supérieur\w*|menos|más|máximo|mínimo|inferior|superior|±|about|roughly|around)"
    r"|不到|少于|小于|超过|大于|以内|以下|以上|最多|至少|至多|低于|高于|未満|以内|超|최대|최소|이하|이상|미만|초과|اقل|أقل|أكثر|اكثر|دون",
    re.IGNORECASE,
)
_NONE_WORD = re.compile(
    r"\b(?:no|none|nothing|without|keine?|nichts|ohne|aucune?|sans|ningun[oa]?|ningún|sin)\b|没有|無|无|なし|ない|없|لا|بدون",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Vouched:
    """What the surviving quotes vouch for."""

    numbers: dict[str, list[NumberToken]] = field(default_factory=dict)
    spelled: set[str] = field(default_factory=set)  # spellings with separators, as they stand
    names: set[str] = field(default_factory=set)
    compacts: set[str] = field(default_factory=set)
    dashes: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)
    none: bool = False

    @classmethod
    def by(cls, quotes: Iterable[Quote], *, judgement: bool) -> Vouched:
        """Everything TOOL and ACT quotes say, and the lettered names of USER quotes (of SELF ones in a judgement)."""
        vouched = cls()
        for quote in quotes:
            if quote.cls in (EvidenceClass.TOOL, EvidenceClass.ACT):
                vouched._all_of(quote.text)
                vouched.none = vouched.none or bool(_NONE_WORD.search(quote.text))
            elif quote.cls is EvidenceClass.USER or judgement:
                vouched._names_of(quote.text)
        return vouched

    def _all_of(self, text: str) -> None:
        for token in number_tokens(text):
            if token.kind in ("number", "range", "date"):
                self._number(token)
            if token.kind == "identifier":
                self._name(token.value)
                self.dashes.add(dashed(token.text))
                for atom in _atoms(token.text):
                    self._number(atom)
            if token.word and token.kind == "number" and not token.unit:
                self._name(f"{token.word}-{token.value}", loose=True)
            for also in token.also:
                if any(c.isalpha() for c in also):
                    self._name(also)
        self._names_with_spaces(text)

    def _number(self, token: NumberToken) -> None:
        if token.doubtful:  # "shard 8 192 rows": the spelling, or each number for itself
            self.spelled.update(token.also)
            for part in token.text.split():
                self.numbers.setdefault(part, []).append(
                    NumberToken("number", part, part, token.start, token.end)
                )
            last = token.text.split()[-1]
            self.numbers[last].append(
                NumberToken("number", last, last, token.start, token.end, unit=token.unit)
            )
            return
        self.numbers.setdefault(token.value, []).append(token)
        self.dashes.add(dashed(token.text))
        self.dashes.add(dashed(token.value))
        self.spelled.update(a for a in token.also if re.search(r"[., ']", a))
        if token.kind == "date":
            self.dashes.add(dashed(token.value[:10]))
            for other in (token.value[:10], *token.also):
                self.numbers.setdefault(other, []).append(token)
            if re.match(r"\d{4}-", token.value):  # the year of a date that stands
                year = token.value[:4]
                self.numbers.setdefault(year, []).append(replace(token, kind="number", value=year, unit=""))
                self.dashes.add(year)

    def _name(self, name: str, *, loose: bool = False) -> None:
        if not loose:
            self.names.update(names_within(name))
        for one in names_within(name) if not loose else {name}:
            if any(c.isalpha() for c in one):
                self.compacts.add(compact(one))
            self.dashes.add(dashed(one))
            self._family(dashed(one).split("-"))

    def _family(self, pieces: list[str]) -> None:
        """For slugs only, where a name stands for a thing and states nothing: its parts that have a letter (esp32 of
        esp32-s3, 70b of llama-3.3-70b), and the first number of a long version."""
        for i in range(min(len(pieces), 10)):
            for j in range(i + 1, min(len(pieces), i + 6) + 1):
                run = pieces[i:j]
                if any(c.isalpha() for c in "".join(run)):
                    self.families.update(("-".join(run), "".join(run)))
        if len(pieces) > 2 and pieces[0].isdigit():
            self.families.add(pieces[0])

    def _names_of(self, text: str) -> None:
        for token in number_tokens(text):
            if token.kind == "identifier" and any(c.isalpha() for c in token.value):
                self._name(token.value)
            elif (
                token.kind == "number"
                and token.word
                and not token.unit
                and token.word not in _NO_NAME
                and _proper(text, token)
            ):
                self._name(f"{token.word}-{token.value}", loose=True)
        self._names_with_spaces(text)

    def _names_with_spaces(self, text: str) -> None:
        """Names are also looked for as they stand, so that punctuation glued to one does not hide it."""
        for chunk in re.findall(
            r"[^\s\"'`“”«»「」『』()\[\]{}<>,;=]*\d[^\s\"'`“”«»「」『』()\[\]{}<>,;=]*", plain(text)
        ):
            if any(c.isascii() and c.isalpha() for c in chunk):
                self.names.update(names_within(chunk))


_NO_NAME = frozenset(
    [
        "the",
        "a",
        "of",
        "in",
        "at",
        "to",
        "for",
        "with",
        "is",
        "are",
        "was",
        "and",
        "or",
        "by",
        "from",
        "than",
        "over",
        "about",
        "only",
    ]
)


def _proper(text: str, token: NumberToken) -> bool:
    """Is the word before a number a proper name ("Python 3.11")? A human's bare number must not ride on any word."""
    return bool(
        re.search(
            rf"(?<!\w)[A-Z]{re.escape(token.word[1:])}[ -]{re.escape(token.text.split()[0])}",
            plain(text),
            re.IGNORECASE,
        )
    ) and bool(re.search(rf"(?<![\w.])(?-i:[A-Z])\w*[ -]{re.escape(token.text.split()[0])}", plain(text)))


@lru_cache(maxsize=512)
def _atoms(name: str) -> tuple[NumberToken, ...]:
    """The bare numbers that a compound name vouches for: the port of host:8080, both halves of 2/3."""
    parts = [p for p in _ATOM.split(name) if p]
    if len(parts) < 2:
        return ()
    return tuple(t for part in parts for t in number_tokens(part) if t.kind == "number" and t.text == part)


def check_numbers(
    place: str, text: str, vouched: Vouched, user: Sequence[str], *, stamp: str
) -> Iterator[Refusal]:
    """The numeric claims of one part of a surface that nothing vouches for. `user` are the texts of USER quotes."""
    spans = [q for q in quotations(text) if _quotable(q)]
    by_user = [(q, [u for u in user if stands_in(q.text, u)]) for q in spans]
    view = plain(text)
    for token in number_tokens(text):
        if token.kind == "date" and stamp and token.value == stamp and token.text == stamp:
            continue
        if _licensed(view, token, vouched) or any(
            q.start <= token.start
            and token.start + len(token.text.rstrip()) <= q.end + 1
            and _quoted(token, sources)
            for q, sources in by_user
        ):
            continue
        yield Refusal("G5", "number", token.text.strip(), place, _note(token, vouched))


def _note(token: NumberToken, vouched: Vouched) -> str:
    given = vouched.numbers.get(token.value)
    if given and token.kind == "number":
        units = ", ".join(sorted({t.unit or "no unit" for t in given}))
        return f"the evidence has {token.value} with {units}"
    if token.kind == "identifier":
        return "this name stands in no surviving quote"
    return "stands in no surviving TOOL or ACT quote, nor inside a verbatim USER quotation"


def _quotable(quotation: Quotation) -> bool:
    length = len(quotation.text.strip())
    return length >= _QUOTED_MIN or len(_WIDE.findall(quotation.text)) >= _QUOTED_MIN // 2


def _quoted(token: NumberToken, sources: list[str]) -> bool:
    """Inside a verbatim quotation, and not cut out of a longer number there (from "140" or "-3" or "3-5 ms")."""
    for source in sources:
        for theirs in number_tokens(source):
            if (
                theirs.kind == token.kind
                and theirs.value == token.value
                and theirs.bound == token.bound
                and same_unit(token.unit, theirs.unit)
            ):
                return True
            if token.text.strip() in theirs.also or (
                theirs.value == token.value and token.kind == "identifier"
            ):
                return True
    return False


def _licensed(view: str, token: NumberToken, vouched: Vouched) -> bool:
    if token.kind == "identifier":
        return _name_licensed(token, vouched)
    if token.kind == "date":
        return any(v in vouched.numbers for v in (token.value, *token.also)) or _month_licensed(
            token, vouched
        )
    if "from" in token.also:
        return True  # "from 40 to 10": its two values were checked for themselves
    if any(_matches(view, token, given) for given in vouched.numbers.get(token.value, ())):
        return True
    if (
        token.kind == "number"
        and set(token.also) & vouched.spelled
        and all(
            same_unit(token.unit, t.unit)
            for ts in vouched.numbers.values()
            for t in ts
            if set(t.also) & set(token.also)
        )
    ):
        return True
    if any(canonical(a) in vouched.names for a in token.also if any(c.isalpha() for c in a)):
        return True
    if token.word and not token.unit and compact(f"{token.word}-{token.value}") in vouched.compacts:
        return True
    if token.value == "0" and vouched.none and token.unit not in MEASURED:
        return True
    return bool(
        token.kind == "number"
        and not token.unit
        and token.text.startswith("#")
        and canonical(token.text) in vouched.names
    )


def _month_licensed(token: NumberToken, vouched: Vouched) -> bool:
    """A date without its year, or a month without its day, where the evidence has the whole date."""
    value = token.value
    if value.startswith("--"):
        return any(known.endswith(value[1:]) and len(known) == 10 for known in vouched.numbers)
    return bool(re.fullmatch(r"\d{4}-\d{2}", value)) and any(
        k.startswith(value + "-") for k in vouched.numbers
    )


def _matches(view: str, token: NumberToken, given: NumberToken) -> bool:
    """Same value already; do kind, bound and unit agree as well?"""
    if token.kind != given.kind or ("from" in given.also and token.kind != "range"):
        return False
    if token.bound != given.bound:
        if token.bound and not (given.bound == "" and _BOUND_WORD.search(token.text)):
            return False
        if given.bound in ("<", ">", "≤", "≥") and not _BOUND_WORD.search(
            view[max(0, token.start - 30) : token.end + 16]
        ):
            return False
    known = given.unit or given.announced
    claimed = token.unit or token.announced
    if same_unit(claimed, known) or (token.loose and same_unit("", known)):
        return True
    return not claimed and known in MEASURED and unit_before(view, token.start) == known


def _name_licensed(token: NumberToken, vouched: Vouched) -> bool:
    if token.value in vouched.names:
        return True
    if _ABBREVIATED.fullmatch(token.value) and any(
        _FULL_HASH.fullmatch(name) and name.startswith(token.value) for name in vouched.names
    ):
        return True  # a commit is called by the first digits of its hash
    if any(c.isalpha() for c in token.value):
        if compact(token.value) in vouched.compacts:
            return True
        host = re.fullmatch(r"([a-z][a-z_.-]*):(\d+)", token.value)
        return bool(host and host.group(2) in vouched.numbers)
    fraction = re.fullmatch(r"(\d+)/(\d+)", token.value)
    return bool(fraction and token.value in vouched.numbers)


def check_slug(slug: str, vouched: Vouched, *, stamp: str) -> Iterator[Refusal]:
    """A slug has no room for units, dots and colons; each of its parts with digits must still belong to one number or name
    that stands, and the parts of two of them never make a third."""
    parts = [p for p in re.split(r"[-/]", slug) if p]
    covered: set[int] = set()
    known = vouched.dashes | ({stamp} if stamp else set())
    for i in range(len(parts)):
        for j in range(min(len(parts), i + 8), i, -1):
            window = "-".join(parts[i:j])
            lone = not any(p.isdigit() for p in (*parts[i - 1 : i], *parts[j : j + 1]))
            if window in known or (lone and window in vouched.families):
                covered.update(range(i, j))
                break
    for i, part in enumerate(parts):
        if i not in covered and re.search(r"\d", part) and not _slug_part(part, vouched):
            yield Refusal("G5", "number", part, "slug", "stands in no surviving TOOL or ACT quote")
    for token in number_tokens(re.sub(r"[-/]", " ", re.sub(r"\d+", "", slug))):
        if token.value not in vouched.numbers and token.unit != "ord" and not token.value.startswith("~"):
            yield Refusal("G5", "number", token.text, "slug", "a count in words that no quote gives")


def _slug_part(part: str, vouched: Vouched) -> bool:
    """A number glued to its unit (1200w), a time of day (0640) or a fraction (085) without its mark, a name (qwen25)."""
    glued = re.fullmatch(r"(\d+)([a-z%]{1,4})", part)
    if glued and any(
        glued.group(2) == t.unit.casefold() or same_unit(lookup(glued.group(2)) or "?", t.unit or t.announced)
        for t in vouched.numbers.get(glued.group(1), ())
    ):
        return True
    if part.isdigit() and len(part) > 2:
        return f"{part[:-2]}:{part[-2:]}" in vouched.numbers or (
            part[0] == "0" and f"0.{part[1:]}" in vouched.numbers
        )
    return any(c.isalpha() for c in part) and part in vouched.compacts
