"""The value of one written numeral: separators, decimals, exponents, and magnitudes such as 万 or "million"."""

from __future__ import annotations

import re
from decimal import Decimal

_GROUPED = re.compile(r"^[1-9]\d{0,2}(?:,\d{3})+$")
_INDIAN = re.compile(r"^[1-9]\d?(?:,\d{2})+,\d{3}$")
_DOT_GROUPED = re.compile(r"^[1-9]\d{0,2}(?:\.\d{3})+$")
_MARK_GROUPED = re.compile(r"^\d{1,3}(?:['_]\d{3})+$|^\d+(?:_\d+)+$")
_SPLIT = re.compile(
    r"^(?P<mantissa>[\d.,'_]+?)(?:[eE](?P<exp>[-+]?\d+)|\^(?P<power>[-+]?\d+)|\+(?P<fraction>\d+/\d+))?$"
)
_MAGNITUDE = re.compile(
    r"\s?(万|萬|亿|億|千(?!兆|字|米|克|瓦)|만|억)|\s(thousand|million|millions|billion|Tausend|Millionen|Million|Milliarden?|mille|millions?|milliards?|mil|millón|millones|ألف|آلاف|مليون|тысяч|тысячи|миллионов)(?!\w)",
    re.IGNORECASE,
)
_BIG = {
    "千": 3, "万": 4, "萬": 4, "만": 4, "亿": 8, "億": 8, "억": 8, "thousand": 3, "tausend": 3, "mille": 3, "mil": 3, "ألف": 3, "آلاف": 3, "тысяч": 3, "тысячи": 3,
    "million": 6, "millions": 6, "millionen": 6, "millón": 6, "millones": 6, "مليون": 6, "миллионов": 6, "billion": 9,
    "milliarde": 9, "milliarden": 9, "milliard": 9, "milliards": 9,
}  # fmt: skip


def value_of(raw: str, *, comma: bool, counted: bool = False) -> str | None:
    """The canonical value of `raw` (digits and separators), or None where it is no number but a version or a list.

    `comma`: the text writes decimals with a comma. `counted`: what is counted has no measured unit, so that "1.234 Zeilen"
    is a thousand rows and not one and a bit.
    """
    match = _SPLIT.match(raw)
    if match is None:
        return None
    value = _mantissa(match["mantissa"], comma=comma, counted=counted)
    if value is None:
        return None
    if exp := match["exp"]:
        return f"{value}e{int(exp)}"
    if match["power"]:
        return f"{value}^{int(match['power'])}"
    return f"{value}+{match['fraction']}" if match["fraction"] else value


def _mantissa(raw: str, *, comma: bool, counted: bool) -> str | None:
    if "'" in raw or "_" in raw:
        whole, dot, rest = raw.partition(".")
        return whole.replace("'", "").replace("_", "") + dot + rest if _MARK_GROUPED.match(whole) else None
    commas, dots = raw.count(","), raw.count(".")
    if commas and dots:
        decimal = max(raw.rfind(","), raw.rfind("."))
        whole, rest = raw[:decimal], raw[decimal + 1 :]
        whole = whole.replace(".", ",")
        if rest and (_GROUPED.match(whole) or _INDIAN.match(whole)):
            return f"{whole.replace(',', '')}.{rest}"
        return None
    if commas:
        if _INDIAN.match(raw) or (_GROUPED.match(raw) and (commas > 1 or not comma)):
            return raw.replace(",", "")
        return raw.replace(",", ".") if commas == 1 else None
    if dots:
        if _DOT_GROUPED.match(raw) and (dots > 1 or (comma and counted)):
            return raw.replace(".", "")
        return ("0" + raw if raw.startswith(".") else raw) if dots == 1 else None
    return raw


def scaled(value: str, text: str, pos: int) -> tuple[str, int] | None:
    """(value, end) where a magnitude stands behind the number at `pos`: 3万 → 30000, "2 million" → 2000000."""
    match = _MAGNITUDE.match(text, pos)
    if match is None or not re.fullmatch(r"\d+(?:\.\d+)?", value):
        return None
    number = Decimal(value).scaleb(_BIG[(match.group(1) or match.group(2)).casefold()])
    return format(
        number.to_integral_value() if number == number.to_integral_value() else number, "f"
    ), match.end()
