"""Numeric claims in a text of any script, as tokens: number with unit, range, date, identifier, number word.

The canonical form forgives notation and nothing else: thousands separators, full-width and other scripts' digits,
Unicode minus signs, E for e. It keeps what carries meaning: the sign, the decimal places as written, the unit, the bound
(<, ≥), the range as one claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from kura_runtime.text import number_words, numerals
from kura_runtime.text.dates import date_token, dates_in
from kura_runtime.text.identifiers import canonical
from kura_runtime.text.list_marks import list_marks
from kura_runtime.text.number_words_cjk import korean_runs, numeral_runs
from kura_runtime.text.plainview import plain
from kura_runtime.text.units import MEASURED, lookup, rate_before, unit_at, unit_before

Kind = Literal["number", "range", "identifier", "date"]


@dataclass(frozen=True, slots=True)
class NumberToken:
    """One numeric claim. `text` is it as written (in the plain view), `start` its offset there, `end` past its unit.

    `value` is canonical: "12480", "-0.8", "3.1e-4", "3..5" for a range, "2024-01-02" for a date, the folded name for
    an identifier. `unit` is canonical or "". `bound` is one of < > ≤ ≥ ± + or "". `word` is the Latin word right before
    (for "GPT 4"). `announced` is a unit named in front ("latency_ms=43.7"), `loose` marks one shared with a neighbour ("10, 20
    and 30 ms"), `doubtful` digits with a space that may be two numbers ("shard 8 192 rows"). `also` holds the
    spelling, or other readings of a date.
    """

    kind: Kind
    text: str
    value: str
    start: int
    end: int
    unit: str = ""
    bound: str = ""
    word: str = ""
    announced: str = ""
    loose: bool = False
    doubtful: bool = False
    also: tuple[str, ...] = ()


_NUM = r"(?:\d+(?:[.,'_]\d+)*|\.\d+)(?:[eE][-+]?\d+(?![\w.])|\^[-+]?\d+|\+\d+/\d+)?"
_JOINING = r"[A-Za-z0-9_À-ɏͰ-ϿЀ-ӿ%$€£¥₩₹#@~^\\/:.+*°-]"
_CHUNK = re.compile(rf"(?:[<>≤≥±≈∼]=?\s?)?{_JOINING}+(?:[,'](?=\d){_JOINING}+)*")
_DIGIT = re.compile(r"\d")
_PLAIN = re.compile(
    rf"^(?P<bound>[<>≤≥±]=?)?[≈~∼]?\s?(?P<cur>[$€£¥₩₹#])?(?P<sign>[-+])?(?P<cur2>[$€£¥₩₹])?(?P<num>{_NUM})(?P<tail>.*)$",
    re.DOTALL,
)
_KEYED = re.compile(
    r"^(?P<key>[A-Za-z_À-ɏ][\w.-]*)[:/](?P<rest>[-+]?(?:\d+(?:[.,]\d+)*)(?:%|[A-Za-z]{0,3}))$"
)
_ATTACHED = re.compile(r"^-?(?P<unit>[%‰°€$£¥₩₹]C?F?|[A-Za-zμΩ]+(?:\^[23])?)(?P<per>/[A-Za-z]+)?$")
_HYPHEN_NOUN = re.compile(r"^-([A-Za-zÀ-ɏ]+)$")
_ORDINAL = re.compile(r"^(?:st|nd|rd|th|er|re|e|è?me|ème|ª|º|o|a)$")
_RANGE_IN = re.compile(
    rf"^(?P<bound>[<>≤≥±]=?)?[≈~∼]?(?P<cur>[$€£¥])?(?P<a>[-+]?{_NUM})(?P<ua>%|[A-Za-zμ]*)(?:-|~|\.\.\.?)(?P<cur2>[$€£¥])?(?P<b>[-+]?{_NUM})(?P<tail>.*)$"
)
_SPACED = re.compile(r"(?<![\d.,:/-])(?<!\d )\d{1,3}(?: \d{3})+(?![\d:/-]|[.,]\d{4}| \d)(?:[.,]\d+)?")
_DIGITWISE = re.compile(r"(?<![\w.,])\d(?: \d){2,}(?![\w])")
_VERSION = re.compile(r"^\d+(?:\.\d+){2,}\w*$")
_LABEL = re.compile(
    r"(?:\b(?:shards?|nodes?|ids?|ports?|pages?|lines?|rows?|steps?|epochs?|workers?|gpus?|cpus?|ranks?|slots?|batch(?:es)?|partitions?|replicas?|"
    r"chapters?|levels?|stages?|phases?|runs?|builds?|jobs?|tasks?|tests?|cases?|attempts?|iterations?|seeds?|layers?|disks?|threads?|cores?|channels?|"
    r"zones?|racks?|hosts?|pods?|numbers?|no|nr|issues?|tickets?|versions?|rooms?|knoten|zeilen?|seiten?|schritte?|nœuds?|pages?|ligne|nodo|fila|línea|columns?|exit|code|status|error|http|in|on|at|from|between)"
    r"|分片|节点|端口|编号|第|ノード|番号|노드|번호|عقدة)\s*[#:=]?\s*$",
    re.IGNORECASE,
)
# Behind these a comma without a space parts two numbers ("ports 80,443"), whatever it looks like.
_LISTED = re.compile(
    r"(?:\b(?:shards?|ids?|ports?|ranks?|slots?|gpus?|cpus?|issues?|tickets?|partitions?|versions?)\s*[#:=]?|\b(?:nodes?|workers?|pages?|lines?|layers?|epochs?|steps?)|端口[:]?|分片[:]?|ポート[:]?|节点|ノード|포트[:]?|노드)\s*$",
    re.IGNORECASE,
)
_GOVERNS = re.compile(
    r"(?:^|[:=|(\[\n,;.>—-]|\b(?:of|with|about|total|totals|imported|processed|loaded|wrote|read|rejected|moved|copied|has|had|have|are|is|were|was|to|over|than|around|roughly|nearly|count|"
    r"über|mit|von|rund|etwa|insgesamt|und|hat|sind|wurden|sur|de|avec|environ|importé|importées|traité|et|les|soit|con|sobre|unos|unas|hay|son|fueron|se|importaron|procesaron|que|todas|all))\s*$",
    re.IGNORECASE,
)
_COMMA_DECIMAL = re.compile(r"(?<![\d,.])\d+,\d(?:\d(?!\d)|(?!\d)|\d{3,})")
_MINUS_WORD = re.compile(
    r"(?:\b(?:minus|negative|moins|menos|negativo|négatif|negativ)\s+|マイナス\s?|负|負(?!荷|载|責)|零下|마이너스\s?|영하\s?|(?:سالب|ناقص)\s+)$",
    re.IGNORECASE,
)
_RANGE_BETWEEN = re.compile(r"^\s?(?:-|~|〜|…|\.\.\.?|から|到|至|에서)\s?$")
_RANGE_WORD = re.compile(r"^\s(?:to|through|bis|à|a|إلى|الى|до)\s$")
_FROM_WORD = re.compile(r"(?:\b(?:from|von|de|du|desde|des|от|с)\s+|من\s+|从\s?|由\s?)$", re.IGNORECASE)
_BETWEEN_WORD = re.compile(r"(?:\b(?:between|zwischen|entre)\s+|بين\s+|在|介于\s?)$", re.IGNORECASE)
_AND = re.compile(r"^\s?(?:,|,?\s?(?:and|or|und|oder|et|ou|y|o|e|و|и)|、|和|或|や|と|및)\s?$")
_THEN = re.compile(r"^\s?(?:to|→|->|=>|auf|bis|à|a|до|إلى|に|へ|から|到|/|vs\.?|,\s?then)\s?$")


@lru_cache(maxsize=512)
def number_tokens(text: str) -> tuple[NumberToken, ...]:
    """Every numeric claim of `text`, in the order of its plain view; ordered-list markers are none."""
    view = plain(text)
    marks = list_marks(view)
    tokens: list[NumberToken] = []
    for token in sorted(_written(view), key=lambda t: (t.start, -t.end)):
        if token.start not in marks and not (
            tokens and token.start < tokens[-1].end
        ):  # m² belongs to its number
            tokens.append(token)
    taken = [(t.start, t.end) for t in tokens]
    for token in _spoken(view):
        if not any(a < token.end and token.start < b for a, b in taken):
            tokens.append(token)
    tokens.sort(key=lambda t: (t.start, t.end))
    return tuple(_shared_units(view, _ranges(view, tokens)))


# --- digits ----------------------------------------------------------------------------------------------------


def _written(view: str) -> Iterator[NumberToken]:
    comma = _comma_decimal(view)
    busy: list[tuple[int, int]] = []
    for match in dates_in(view):
        if token := date_token(match):
            value, also = token
            busy.append(match.span())
            yield NumberToken("date", match.group().strip(), value, match.start(), match.end(), also=also)
    for match in _SPACED.finditer(view):
        if any(a < match.end() and match.start() < b for a, b in busy):
            continue
        if spaced := _spaced(view, match):
            busy.append((spaced.start, match.end()))
            yield spaced
    for match in _DIGITWISE.finditer(view):
        if not any(a < match.end() and match.start() < b for a, b in busy):
            busy.append(match.span())
            joined = match.group().replace(" ", "")
            yield NumberToken(
                "number", match.group(), joined, match.start(), match.end(), also=(match.group(),)
            )
    for match in _CHUNK.finditer(view):
        if not _DIGIT.search(match.group()):
            continue
        start, end = match.span()
        if any(a < end and start < b for a, b in busy):
            for piece in re.finditer(r"[^\s]+", match.group()):  # a date with something glued to it
                if not any(
                    a < start + piece.end() and start + piece.start() < b for a, b in busy
                ) and re.search(r"\d", piece.group()):
                    yield from _chunk(view, piece.group(), start + piece.start(), comma)
            continue
        yield from _chunk(view, match.group(), start, comma)


def _spaced(view: str, match: re.Match[str]) -> NumberToken | None:
    """Digits grouped by plain spaces: one number ("12 480 rows"), unless a label before says they are two ("shard 8 192
    rows"). Kept as written among the other readings, so that evidence with the same two neighbours licenses it."""
    raw, before = match.group(), view[max(0, match.start() - 24) : match.start()]
    several = raw.count(" ") > 1
    value = (
        numerals.value_of(raw.replace(" ", ""), comma=False)
        if "," not in raw
        else numerals.value_of(raw.replace(" ", ""), comma=True)
    )
    if value is None:
        return None
    unit, end = unit_at(view, match.end())
    one = (several or bool(_GOVERNS.search(before))) and not _LABEL.search(before)
    sign = "-" if re.search(r"(?:^|[\s(=:])-$", before) else ""
    return NumberToken(
        "number", raw, sign + value, match.start(), end, unit=unit, also=(raw,), doubtful=not one
    )


def _chunk(view: str, raw: str, start: int, comma: bool) -> Iterator[NumberToken]:
    """The claims of one run of letters, digits and joining signs."""
    body = raw.rstrip(".:,/\\+*-~'@^#$")
    lead = len(body) - len(body.lstrip(".:,/\\*'@^" if not re.match(r"\.\d", body) else "/"))
    body, start = body[lead:], start + lead
    if not _DIGIT.search(body):
        return
    end = start + len(body)
    if (ranged := _RANGE_IN.match(body)) and (token := _written_range(view, ranged, start, end, comma)):
        yield token
        return
    if plain_number := _PLAIN.match(body):
        yield from _number(view, plain_number, start, end, comma)
        return
    if keyed := _KEYED.match(body):
        at = start + keyed.start("rest")
        found = list(_chunk(view, keyed.group("rest"), at, comma))
        if len(found) == 1 and found[0].kind == "number":
            yield replace(
                found[0],
                text=body,
                also=(*found[0].also, canonical(body)),
                announced=found[0].announced or _key_unit(keyed.group("key")),
            )
            return
    yield NumberToken("identifier", body, canonical(body), start, end)


def _key_unit(key: str) -> str:
    unit = lookup(re.split(r"[_.-]", key)[-1])
    return unit if unit in MEASURED else ""


def _number(view: str, match: re.Match[str], start: int, end: int, comma: bool) -> Iterator[NumberToken]:
    num, tail, raw = match["num"], match["tail"], match.group()
    if _VERSION.match(num + tail) and numerals.value_of(num, comma=comma) is None:
        yield NumberToken("identifier", raw, canonical(raw), start, end)
        return
    before = view[max(0, start - 24) : start]
    if "," in num and not tail and (parts := _list_of(num, before)):
        at = start + match.start("num")
        for part in parts:
            yield NumberToken("number", part, part, at, at + len(part), word=_word_before(before))
            at += len(part) + 1
        return
    unit, until = "", end
    bare = not tail
    if tail:
        attached = _ATTACHED.match(tail)
        noun = _HYPHEN_NOUN.match(tail)
        if attached and attached["per"] is None and _ORDINAL.match(tail):
            unit, bare = "ord", True
        elif attached and (
            unit := lookup(attached["unit"])
            or ("token" if attached["unit"] == "t" and attached["per"] else "")
        ):
            unit, until = unit_at(view, start + match.start("tail"))
            if not unit:
                unit, until = lookup(attached["unit"]), end
            bare = True
        elif tail.startswith("/") and (below := lookup(tail[1:])):
            unit, bare = "/" + below, True
        elif noun:
            unit, bare = lookup(noun.group(1)), True
    if not bare:
        yield NumberToken("identifier", raw, canonical(raw), start, end)
        return
    currency = match["cur"] or match["cur2"] or ""
    if currency and currency != "#":
        unit = lookup(currency)
    elif not tail:
        unit, until = unit_at(view, end)
    value = numerals.value_of(num, comma=comma, counted=unit.partition("/")[0] not in MEASURED)
    if value is None:
        yield NumberToken("identifier", raw, canonical(raw), start, end)
        return
    if not tail and not currency and (scaled := numerals.scaled(value, view, end)):
        value, until = scaled
        unit, until = unit_at(view, until)
        num = value
    unit = f"{unit}/{rate}" if unit and "/" not in unit and (rate := rate_before(view, start)) else unit
    if unit == "y" and re.fullmatch(r"(?:19|20|21)\d\d", value):
        unit = ""  # a year, not a span of years
    plural = tail == "s" and len(value) > 3  # two RTX 3090s
    sign = match["sign"] or ""
    if sign == "-" and re.search(r"[\w)]$", before):
        sign = ""
    if not sign and (minus := _MINUS_WORD.search(before)):
        sign = "-" if minus else ""
    bound = {"<=": "≤", ">=": "≥"}.get(match["bound"] or "", match["bound"] or "") or (
        "+" if sign == "+" else ""
    )
    yield NumberToken(
        "number", raw + view[end:until], ("-" if sign == "-" else "") + value, start, until,
        unit=unit, bound=bound, word=_word_before(before), loose=plural,
        announced=unit_before(view, start), also=(num,) if num != value else (),
    )  # fmt: skip


def _list_of(num: str, before: str) -> list[str]:
    """ "80,443" behind "ports", or "1,2,3" anywhere, is a list; "12,480" is one number."""
    parts = num.split(",")
    if not all(p.isdigit() for p in parts):
        return []
    if _LISTED.search(before) or numerals.value_of(num, comma=False) is None:
        return parts
    return []


def _written_range(view: str, match: re.Match[str], start: int, end: int, comma: bool) -> NumberToken | None:
    if re.match(r"^\d+-\d+-\d+", match.group()) or "-" in match["tail"]:
        return None
    low, high = (numerals.value_of(match[k].lstrip("+-"), comma=comma) for k in ("a", "b"))
    if low is None or high is None:
        return None
    low, high = ("-" if match["a"][0] == "-" else "") + low, ("-" if match["b"][0] == "-" else "") + high
    unit, until = "", end
    if match["tail"]:
        unit, until = unit_at(view, start + match.start("tail"))
        if not unit:
            return None
    else:
        unit, until = unit_at(view, end)
    if match["ua"] and not lookup(match["ua"]):
        return None
    unit = unit or lookup(match["ua"]) or (lookup(match["cur"]) if match["cur"] else "")
    bound = {"<=": "≤", ">=": "≥"}.get(match["bound"] or "", match["bound"] or "")
    return NumberToken(
        "range",
        match.group(),
        f"{low}..{high}",
        start,
        max(until, end),
        unit=unit,
        bound=bound,
        announced=unit_before(view, start),
    )


def _word_before(before: str) -> str:
    match = re.search(r"(?:^|[^\w])([A-Za-zÀ-ɏ][A-Za-zÀ-ɏ_.]*)[ -]$", before)
    return match.group(1).casefold() if match else ""


def _comma_decimal(view: str) -> bool:
    """Does this text write decimals with a comma? By its language, or because it plainly does so somewhere."""
    spoken = number_words.languages(view)
    return ("en" not in spoken and bool(spoken)) or (bool(_COMMA_DECIMAL.search(view)) and "en" not in spoken)


# --- number words ----------------------------------------------------------------------------------------------


def _spoken(view: str) -> Iterator[NumberToken]:
    from kura_runtime.text.spoken_numbers import spoken  # the tables are long; only this function needs them

    for start, end, value, unit in spoken(
        view, number_words.number_runs(view), numeral_runs(view), korean_runs(view)
    ):
        sign = "-" if _MINUS_WORD.search(view[max(0, start - 16) : start]) else ""
        rate = rate_before(view, start) if unit and "/" not in unit else ""
        yield NumberToken(
            "number", view[start:end], sign + value, start, end, unit=f"{unit}/{rate}" if rate else unit
        )


# --- neighbours ------------------------------------------------------------------------------------------------


def _ranges(view: str, tokens: list[NumberToken]) -> list[NumberToken]:
    """Two numbers joined by "to", "から", "–" or held by "between … and" are one claim."""
    joined: list[NumberToken] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if last and last.kind == token.kind == "number" and token.start >= last.end:
            between, before = view[last.end : token.start], view[max(0, last.start - 12) : last.start]
            is_range = (
                bool(_RANGE_BETWEEN.match(between))
                or (bool(_RANGE_WORD.match(between)) and not _FROM_WORD.search(before))
                or (bool(_BETWEEN_WORD.search(before)) and bool(_AND.match(between)))
            )
            opens = bool(_FROM_WORD.search(before)) and bool(
                _RANGE_WORD.match(between) or _RANGE_BETWEEN.match(between)
            )
            if is_range or opens:
                whole = replace(
                    token, kind="range", text=view[last.start : token.end], value=f"{last.value}..{token.value}",
                    start=last.start, unit=token.unit or last.unit, also=("from",) if opens else (), bound=last.bound, announced=last.announced,
                )  # fmt: skip
                if opens:  # a change "from 40 to 10 ms" reads as a range or as two values
                    joined[-1] = replace(last, unit=last.unit or token.unit, loose=not last.unit)
                    joined.extend((token, whole))
                    continue
                joined[-1] = whole
                continue
        joined.append(token)
    return joined


def _shared_units(view: str, tokens: list[NumberToken]) -> list[NumberToken]:
    """ "10, 20 and 30 ms": the last unit of a list belongs to the bare numbers before it."""
    shared = list(tokens)
    for i in range(len(shared) - 2, -1, -1):
        one, following = shared[i], shared[i + 1]
        if (
            one.kind != "number"
            or following.kind not in ("number", "range")
            or one.unit
            or following.unit not in MEASURED
            or following.start < one.end
        ):
            continue
        between = view[one.end : following.start]
        lists = _AND.match(between) and (between.strip() != "," or following.loose)
        if (lists or _THEN.match(between)) and not _LABEL.search(view[max(0, one.start - 16) : one.start]):
            shared[i] = replace(one, unit=following.unit, loose=True)
    return shared
