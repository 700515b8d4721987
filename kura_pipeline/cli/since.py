"""`--since`: a stretch of time such as 7d, or a day."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from kura_runtime.errors import BadInput

SinceOption = Annotated[
    str,
    typer.Option(
        "--since", metavar="WHEN", help="only from then on: 7d, 12h, 30m, or a date (store's time zone)"
    ),
]
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def moment(since: str, timezone: str, *, now: datetime | None = None) -> str:
    """The time as the ledger writes it (ISO 8601, UTC), or "" for none. Raises BadInput."""
    if not since.strip():
        return ""
    stretch = re.fullmatch(r"(\d{1,5})([dhm])", since.strip())
    if stretch:
        at = (now or datetime.now(UTC)) - timedelta(**{_UNITS[stretch[2]]: int(stretch[1])})
    else:
        try:
            at = datetime.fromisoformat(since.strip())
        except ValueError:
            raise BadInput(
                "--since", f'"{since}": wants 7d, 12h, 30m, or a date such as 2026-03-05'
            ) from None
        at = at if at.tzinfo else at.replace(tzinfo=ZoneInfo(timezone))
    return at.astimezone(UTC).isoformat(timespec="seconds")
