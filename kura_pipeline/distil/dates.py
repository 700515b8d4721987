"""Dates out of what was said and claimed, never from a clock: a rerun writes the same bytes."""

from __future__ import annotations

from kura_runtime.domain.candidate import CandidateVerdict


def claimed_at(batch_id: str) -> str:
    """The claim's time, ISO 8601 in UTC, out of a batch id `YYYYMMDDTHHMMSS-<8 hex>`."""
    t = batch_id
    return f"{t[0:4]}-{t[4:6]}-{t[6:8]}T{t[9:11]}:{t[11:13]}:{t[13:15]}+00:00"


def stamp_of(verdict: CandidateVerdict) -> str:
    """The evidence date (YYYY-MM-DD): the day of the latest surviving quote, or "" where none has a time."""
    return max((q.ts[:10] for q in verdict.quotes if q.ts), default="")
