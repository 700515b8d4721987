"""Does a journal still say what was quoted from it? The programs that write journals delete and rewrite them; a memory's
manifest goes on naming the bytes. Here those bytes are looked at again, and the archive's copy where they are gone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.text.normalise import fold

State = Literal["present", "missing", "changed", "unchecked"]

SPAN_MOST = 64 << 20  # bytes of one record that are looked through; a longer one is left unchecked
_ZSTANDARD, _SQLITE = b"\x28\xb5\x2f\xfd", b"SQLite format 3\0"
_GAP = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class JournalState:
    """`present`: the quoted bytes stand in the journal; `missing`: the journal is gone; `changed`: it is there, and its bytes
    at that place say something else; `unchecked`: its records have numbers and no bytes, or it could not be read.
    `archived` is the archive's copy that holds the quote, "" for none."""

    state: State
    archived: str = ""


class Journals:
    """Looks quotes up in their journals, each file's own facts once. `archive` is the folder of copies, None for no look."""

    def __init__(self, archive: Path | None = None) -> None:
        self._archive = archive
        self._copies: dict[str, list[Path]] | None = None

    def state(self, quote: Quote) -> JournalState:
        """What became of the place a quote was taken from."""
        path = Path(quote.journal_key).absolute()
        state = _state(path, quote)
        if state == "unchecked":
            return JournalState(state)
        copies = self._copies_of(str(path)) + (
            self._copies_of(quote.journal_key) if quote.journal_key != str(path) else []
        )
        if state == "present":  # a copy is named, not read: the journal itself answers
            return JournalState(state, next((str(c) for c in copies), ""))
        counted = _counts_records(quote)  # then a copy is the whole journal, and no bytes of it can be named
        held = (str(c) for c in copies if counted or _holds(c, quote, _unpacked) == "present")
        return JournalState(state, next(held, ""))

    def _copies_of(self, path: str) -> list[Path]:
        """The archive's copies of a journal, the newest first."""
        if self._copies is None:
            self._copies = {}
            for row in _index(self._archive):
                copy = self._archive / f"{row['sha256']}.jsonl.zst" if self._archive else None
                if copy is not None and copy.is_file():
                    self._copies.setdefault(str(row["path"]), []).insert(0, copy)
        return list(dict.fromkeys(self._copies.get(path, ())))


def _index(archive: Path | None) -> Iterator[dict[str, Any]]:
    try:
        lines = (archive / "index.jsonl").read_bytes().splitlines() if archive else []
    except OSError:
        return
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and re.fullmatch(r"[0-9a-f]{64}", str(row.get("sha256"))) and "path" in row:
            yield row


def _state(path: Path, quote: Quote) -> State:
    if not path.exists():
        # one session of a file that holds many is named behind `#`; its records have numbers
        file, mark, _ = str(path).rpartition("#")
        return "unchecked" if mark and Path(file).is_file() else "missing"
    return _holds(path, quote, _plain)


def _holds(path: Path, quote: Quote, reader: Callable[[Path, int, int], bytes | None]) -> State:
    length = quote.byte_end - quote.byte_start
    if _counts_records(quote) or length > SPAN_MOST:
        return "unchecked"
    try:
        data = reader(path, quote.byte_start, length)
    except (OSError, ValueError, ImportError):
        return "unchecked"
    if data is None:
        return "unchecked"
    return "present" if len(data) == length and says(data, quote) else "changed"


def _counts_records(quote: Quote) -> bool:
    """True where the span is of numbered records: it is shorter than the words quoted from it."""
    return quote.byte_end - quote.byte_start < len(quote.text.encode("utf-8", "replace")) // 2


def _plain(path: Path, start: int, length: int) -> bytes | None:
    if not path.is_file():  # a pipe would block, a folder holds no bytes
        return None
    with path.open("rb") as file:
        head = file.read(16)
        if head.startswith(_SQLITE):
            return None
        if head.startswith(_ZSTANDARD):
            return _unpacked(path, start, length)
        file.seek(start)
        return file.read(length)


def _unpacked(path: Path, start: int, length: int) -> bytes:
    import zstandard

    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        try:
            _skip(reader, start)
            parts: list[bytes] = []
            while length > 0 and (part := reader.read(length)):
                parts.append(part)
                length -= len(part)
            return b"".join(parts)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None


def _skip(reader: BinaryIO, count: int) -> None:
    while count > 0 and (part := reader.read(min(count, 1 << 20))):
        count -= len(part)


def says(record: bytes, quote: Quote) -> bool:
    """Do these bytes of a journal, a JSON record or plain text, hold the quote? White space does not count. A call's text
    is put together from its parts, so there each of its words must stand."""
    told = record.decode("utf-8", "replace")
    texts = [told]
    with suppress(ValueError, RecursionError):
        texts += list(_strings(json.loads(told)))
    where = "\n".join(_squash(t) for t in (*texts, "".join(texts[1:])))
    if _squash(quote.text) in where:
        return True
    if quote.cls is EvidenceClass.ACT:
        words = set(_WORD.findall(fold(where)))
        return all(w in words or w in where for w in _WORD.findall(fold(quote.text)))
    lines = [line for line in quote.text.splitlines() if line.strip()]
    return len(lines) > 1 and all(_squash(line) in where for line in lines)


def _squash(text: str) -> str:
    return _GAP.sub("", fold(text))


def _strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, also in the JSON that stands as text within it."""
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            try:
                inner = json.loads(value)
            except (ValueError, RecursionError):
                return
            yield from _strings(inner)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield str(key)
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
    elif value is not None:
        yield json.dumps(value)
