"""Statements that give something its value: a colour, an address, a port, a path, a version, a figure with a unit."""

from __future__ import annotations

import re
from typing import Literal

Shape = Literal["", "hex", "address", "figure"]

_HEX = re.compile(
    r"(?<![\w/])#?(?=[0-9a-f]*\d|[a-f]*[0-9])(?:[0-9a-f]{6}|[0-9a-f]{8})(?![\w/])|(?<!\w)#[0-9a-f]{3,8}(?!\w)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"\bhttps?://\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b[\w.+-]+@[\w-]+\.\w+|\bport \d{2,5}\b|端口\s*\d{2,5}|ポート\s*\d{2,5}|(?<!\w)(?:~|/[\w.-]+)/[\w./-]+",
    re.IGNORECASE,
)
_UNIT = (
    r"(?:ms|s|sec(?:ond)?s?|min(?:ute)?s?|h|hours?|days?|weeks?|months?|years?|[KMGT]i?B|kb|mb|gb|tb|%|°C|euros?|eur|usd|dollars?|"
    r"requests?|req|rows?|lines?|chars?|characters?|px|fps|[KMGkm]?bit/s|[KMG]?bps|[KMG]i?B/s|dB|W|t/s|tok/s|秒|分钟?|小时|天|周|个月|年|分|時間|日間?|週間|ヶ月|か月|件|回|台|个|次|条|行|元|円|％)"
)
_FIGURE = re.compile(
    rf"(?<![\w.])[€$¥£]?\s?[-−+]?\d[\d.,:]*\s?{_UNIT}(?![\w])|[€$¥£]\s?\d[\d.,]*|\b\d{{1,2}} (?:am|pm)\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b|\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\d{1,2}\s*月\s*\d{1,2}\s*日",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(?:is|are|=|as|means|should be|must be|stays?|becomes?|lives? (?:at|in|on|under)|listens? on|runs? (?:on|at)|goes (?:to|in)|moved to|points? to)\b|[:=]|→|->|[是为在は]",
    re.IGNORECASE,
)


def shape(text: str) -> Shape:
    """What kind of value the text holds: hex, address, figure, or ""."""
    if _HEX.search(text):
        return "hex"
    if _ADDRESS.search(text):
        return "address"
    return "figure" if _FIGURE.search(text) or _DATE.search(text) else ""


def given(text: str) -> bool:
    """Is something said to have the value?"""
    return bool(_GIVEN.search(text))


def bare_value(text: str) -> str:
    """The value where the whole text is one (an answer such as "f0c674"), else ""."""
    word = text.strip().strip("\"'`.!")
    return word if _HEX.fullmatch(word) else ""


def figures(text: str) -> list[tuple[int, int]]:
    """Places of figures with units."""
    return [m.span() for m in _FIGURE.finditer(text)]


def dated(text: str) -> bool:
    """Does the text name a day?"""
    return bool(_DATE.search(text))
