"""Dates and times of day, whichever way they are written: 2024-01-02, 2024年1月2日, 2 January 2024, 02.01.2024, 10:30."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MONTHS: dict[str, int] = {}
for _number, _names in enumerate(
    (
        "january jan januar jänner janvier enero janeiro يناير января",
        "february feb februar février fevrier febrero fevereiro فبراير февраля",
        "march mar märz mars marzo março مارس марта",
        "april apr avril abril أبريل апреля",
        "may mai mayo maio مايو мая",
        "june jun juni juin junio junho يونيو июня",
        "july jul juli juillet julio julho يوليو июля",
        "august aug août aout agosto أغسطس августа",
        "september sep sept septembre septiembre setembro سبتمبر сентября",
        "october oct oktober okt octobre octubre outubro أكتوبر октября",
        "november nov novembre noviembre novembro نوفمبر ноября",
        "december dec dezember dez décembre decembre diciembre dezembro ديسمبر декабря",
    ),
    start=1,
):
    _MONTHS.update(dict.fromkeys(_names.split(), _number))
_MONTH = "(?:" + "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True)) + r")(?!\w)\.?"
_NUMERIC = re.compile(
    r"(?<![\w.-])(?P<iso>\d{4}-\d{2}-\d{2})(?:[T ](?P<isotime>\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?(?:Z|\s?[+-]\d{2}:?\d{2})?)?(?![\w-])"
    r"|(?<![\w.])(?P<dd>\d{1,2})[./](?P<dm>\d{1,2})[./](?P<dy>\d{4})(?![\w])"
    r"|(?<![\w.])(?P<sy>\d{4})/(?P<sm>\d{1,2})/(?P<sd>\d{1,2})(?!\w)"
    r"|(?<![\w.:])(?P<time>[0-2]?\d:[0-5]\d(?::[0-5]\d)?)(?![\w:])"
    r"|(?<!\d)(?:(?P<cy>\d{4})\s?[年년]\s?)(?P<cm>\d{1,2})\s?[月월](?:\s?(?P<cd>\d{1,2})\s?[日号號일])?"
    r"|(?<!\d)(?P<cm2>\d{1,2})\s?[月월]\s?(?P<cd2>\d{1,2})\s?[日号號일]"
    rf"|(?<![\w.])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s(?:(?:of|de)\s)?(?P<mon>{_MONTH})(?:,?\s(?:de\s)?(?P<y>\d{{4}})(?!\d))?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"(?<!\w)(?P<mon2>{_MONTH})\s(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(?P<y2>\d{{4}})(?!\d)|(?![\w.,:]?\d))",
    re.IGNORECASE,
)


def dates_in(view: str) -> Iterator[re.Match[str]]:
    """Every date and time of day written in `view`, those that begin with the month's name last."""
    yield from _NUMERIC.finditer(view)
    folded = view.casefold()
    if any(month in folded for month in _MONTHS):
        yield from _MONTH_FIRST.finditer(view)


def date_token(match: re.Match[str]) -> tuple[str, tuple[str, ...]] | None:
    """(canonical, other readings) of a match of `dates_in`: "2024-01-02", "--01-02" without a year, "10:30" for a time."""
    names = [
        "iso",
        "isotime",
        "dd",
        "dm",
        "dy",
        "sy",
        "sm",
        "sd",
        "time",
        "cy",
        "cm",
        "cd",
        "cm2",
        "cd2",
        "d",
        "mon",
        "y",
        "mon2",
        "d2",
        "y2",
    ]
    found = match.groupdict()
    got = {name: found.get(name) or "" for name in names}
    if got["iso"]:
        return (f"{got['iso']}T{got['isotime']}" if got["isotime"] else got["iso"]), ()
    if got["time"]:
        return got["time"].zfill(5) if got["time"].count(":") == 1 else got["time"].zfill(8), ()
    if got["dd"]:
        day, month = int(got["dd"]), int(got["dm"])
        readings = [
            f"{got['dy']}-{m:02}-{d:02}"
            for d, m in ((day, month), (month, day))
            if 1 <= m <= 12 and 1 <= d <= 31
        ]
        return (readings[0], tuple(readings[1:])) if readings else None
    year = got["cy"] or got["y"] or got["y2"] or got["sy"] or "-"
    month_word = (got["mon"] or got["mon2"] or "").rstrip(".").casefold()
    month = int(got["cm"] or got["cm2"] or got["sm"] or _MONTHS.get(month_word, 0))
    day_text = got["cd"] or got["cd2"] or got["d"] or got["d2"] or got["sd"]
    if not 1 <= month <= 12 or (day_text and not 1 <= int(day_text) <= 31):
        return None
    return (f"{year}-{month:02}-{int(day_text):02}" if day_text else f"{year}-{month:02}"), ()
