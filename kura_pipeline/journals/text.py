"""A folder of notes (.md .txt .log): every paragraph is the human's own words.

A paragraph ends at a blank line; a fenced block stays together. Spans are whole lines, so none ever ends inside a UTF-8
character. Only here may a time come from elsewhere than the record: from a date that heads the paragraph or a heading
above it, else from front matter, else from the file's name, else from the file's own time.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import BinaryIO

from kura_pipeline.journals import base
from kura_pipeline.journals.base import Caps, Reading, Record, Unit, stable_id
from kura_pipeline.journals.files import open_regular, span_digest
from kura_pipeline.journals.intake import Intake, event_time
from kura_pipeline.journals.jsonl import first_objects
from kura_pipeline.journals.lines import Line, lines
from kura_runtime.domain.evidence import EvidenceClass
from kura_runtime.errors import JournalUnreadable
from kura_runtime.models.roles import OWN_MARK

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_HEADED = re.compile(
    r"^\s*(?:#{1,6}\s*|[-*+]\s+|>\s*)?[\[(（【]?\s*(?P<y>(?:19|20)\d\d)[-/.年](?P<m>\d{1,2})[-/.月](?P<d>\d{1,2})日?"
    r"(?:[T ](?P<t>\d\d:\d\d(?::\d\d)?)(?P<f>[.,]\d{1,6})?\s?(?P<z>Z|[+-]\d\d:?\d\d)?)?(?![\d-])"
)
_NAMED = re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)[-_.]?(?P<m>\d\d)[-_.]?(?P<d>\d\d)(?!\d)")
_FRONT_DATE = re.compile(
    r"^(?:date|created|updated|created_at|日付|日期)\s*:\s*[\"']?(.+?)[\"']?\s*$", re.IGNORECASE
)


class Text:
    """Plain text and Markdown, as a person keeps them."""

    name = "text"
    unit: Unit = "byte"
    version = "2"
    suffixes = (".md", ".txt", ".log")

    def sniff(self, path: Path, head: bytes) -> bool:
        if path.suffix.lower() not in self.suffixes or b"\x00" in head:
            return False
        # a machine's journal under another name is not the human's words
        rows = first_objects(head, 3)
        return not (
            rows and all("type" in r or "role" in r or "messages" in r or "payload" in r for r in rows)
        )

    def read(
        self,
        path: Path,
        start: int = 0,
        *,
        end: int | None = None,
        caps: Caps = Caps(),
        file_time: str = "",
        settled: bool = False,
    ) -> Reading:
        """See Adapter.read. A last line without its newline is read only where the file is `settled`."""
        return Reading(
            str(path), start, lambda reading: _walk(reading, path, start, end, caps, file_time, settled)
        )

    def fingerprint(self, path: Path, upto: int) -> str:
        """See Adapter.fingerprint. Notes are edited in the middle: the whole stretch counts."""
        try:
            return span_digest(path, 0, upto)
        except JournalUnreadable as error:
            if error.offset is None:
                raise
            return ""  # shorter than what was read

    def digest(self, path: Path, start: int, end: int) -> str:
        """See Adapter.digest."""
        return span_digest(path, start, end)

    def superseded(self, paths: frozenset[Path]) -> dict[Path, str]:  # noqa: ARG002
        """See Adapter.superseded."""
        return {}


@dataclass(slots=True)
class _Paragraph:
    start: int
    end: int
    texts: list[str] = field(default_factory=list)
    size: int = 0
    fence: str = ""


@dataclass(slots=True)
class _Dates:
    """The date in force while walking."""

    file: str
    headed: str = ""

    @property
    def now(self) -> str:
        return self.headed or self.file


def _walk(
    reading: Reading, path: Path, start: int, end: int | None, caps: Caps, file_time: str, settled: bool
) -> Iterator[Record]:
    intake = Intake(str(path), caps)
    reading.session = path.stem
    met: Counter[str] = Counter()
    # from the beginning: dates, fences and repeated paragraphs depend on what stands above
    with open_regular(path) as file:
        dates = _Dates(_file_date(path, file_time or _written(file)))
        # a line may have gone on, too, after it was read
        rows = itertools.chain(
            lines(file, 0, start, base.RECORD_CAP), lines(file, start, end, base.RECORD_CAP)
        )
        for paragraph in _paragraphs(rows, reading, intake, dates, caps.text, settled, start):
            text = "\n".join(paragraph.texts).strip("\n")
            headed = _HEADED.match(text)
            if headed and not paragraph.fence:
                dates.headed = _date_of(headed) or dates.headed
            mark = stable_id("text", path, text)
            met[mark] += 1
            if paragraph.start < start:
                intake.left_out.clear()
                continue
            if OWN_MARK in text:
                intake.left_out["own-session"] += 1
                yield Record(paragraph.start, paragraph.end, left_out=intake.take(), session=reading.session)
                continue
            key = stable_id(mark, met[mark])
            made = intake.event(
                EvidenceClass.USER, text, event_id=f"{key}#0", ts=dates.now, session=reading.session,
                start=paragraph.start, end=paragraph.end,
            )  # fmt: skip
            events = (made,) if made is not None else ()
            yield Record(
                paragraph.start, paragraph.end, events, intake.take(), key if events else "", reading.session
            )


def _paragraphs(
    rows: Iterator[Line], reading: Reading, intake: Intake, dates: _Dates, cap: int, settled: bool, start: int
) -> Iterator[_Paragraph]:
    """Paragraphs, split at a line border where they grow over the cap: nothing of a note is cut that need not be. A
    paragraph that went on after it was read begins anew at `start`: what is new of it is not lost with what is known."""
    open_: _Paragraph | None = None
    front = False
    for n, line in enumerate(rows):
        if not line.whole and not settled and line.end != start:
            reading.partial = line.end - (open_.start if open_ else line.start)
            return
        if line.data is None:
            reading.fault(line.start, "too-long")
            intake.left_out["too-long"] += 1
            continue
        text = _decoded(line.data, intake.left_out)
        if n == 0 and text.strip() == "---":
            front = True
            continue
        if front:
            found = _FRONT_DATE.match(text)
            if found:
                dates.file = event_time(found.group(1).strip(), Counter()) or dates.file
            if text.strip() in ("---", "..."):
                front = False
                intake.left_out["front-matter"] += 1
            continue
        fence = _FENCE.match(text)
        inside = open_.fence if open_ else ""
        if not text.strip() and not inside:
            if open_ is not None:
                yield open_
                open_ = None
            continue
        grown = open_ is not None and line.start == start and start > 0
        if open_ is not None and open_.texts and (grown or open_.size + len(text) > cap):
            yield open_
            open_ = _Paragraph(line.start, line.end, fence=inside)
        if open_ is None:
            open_ = _Paragraph(line.start, line.end)
        open_.texts.append(text)
        open_.size += len(text) + 1
        open_.end = line.end
        if fence:
            if not inside:
                open_.fence = fence.group(1)
            elif fence.group(1).startswith(inside) and text.strip() == fence.group(1):
                open_.fence = ""
    if open_ is not None:
        reading.open_end = True
        yield open_


def _decoded(data: bytes, left_out: Counter[str]) -> str:
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
    try:
        return data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        left_out["invalid-utf8"] += text.count("\ufffd") - data.count("\ufffd".encode())
        return text


def _file_date(path: Path, file_time: str) -> str:
    named = _NAMED.search(path.stem)
    return (_date_of(named) if named else "") or file_time


def _written(file: BinaryIO) -> str:
    return datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC).isoformat(timespec="seconds")


def _date_of(found: re.Match[str]) -> str:
    """The date of a match as ISO 8601 in UTC; "" where there is no such day."""
    parts = found.groupdict()
    try:
        day = date(int(parts["y"]), int(parts["m"]), int(parts["d"])).isoformat()
    except ValueError:
        return ""
    if not parts.get("t"):
        return f"{day}T00:00:00+00:00"
    zone = (parts.get("z") or "").strip() or "+00:00"
    fraction = (parts.get("f") or "").replace(",", ".")
    return (
        event_time(f"{day}T{parts['t']}{fraction if parts['t'].count(':') == 2 else ''}{zone}", Counter())
        or ""
    )
