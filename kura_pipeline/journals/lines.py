"""Lines of a file as a stream: spans in bytes, a bound on memory, and the unfinished last line told apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import orjson

from kura_pipeline.journals.base import RECORD_CAP

_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line. `data` is None where the line is longer than the cap; `whole` is False for a last line without its end."""

    start: int
    end: int
    data: bytes | None
    whole: bool


def lines(file: BinaryIO, start: int, end: int | None = None, cap: int = RECORD_CAP) -> Iterator[Line]:
    """Lines from byte `start` on, up to `end`. A line over `cap` bytes is passed over in pieces and yielded without data."""
    file.seek(start)
    at = start
    readline, most = file.readline, cap + 1
    while end is None or at < end:
        # never past `end`: a claimed last line may have got its newline since
        data = readline(most if end is None else min(most, end - at))
        if not data:
            return
        size = len(data)
        whole = data.endswith(b"\n")
        if whole or size <= cap:
            yield Line(at, at + size, data, whole)
            at += size
            continue
        data = b""
        while not whole:
            more = file.readline(1 << 20 if end is None else min(1 << 20, end - at - size))
            if not more:
                break
            size += len(more)
            whole = more.endswith(b"\n")
        yield Line(at, at + size, None, whole)
        at += size


def parse_json(data: bytes, notes: Counter[str]) -> tuple[Any, str]:
    """The JSON value of a line and "" ; or None and the reason it has none. Repairs are counted in `notes`.

    Repeated keys: the last one counts, as for the programs that wrote the file. Bytes that are no UTF-8 are replaced.
    """
    try:
        return orjson.loads(data), ""
    except orjson.JSONDecodeError:
        pass
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    if b"\x00" in data:  # a crash leaves runs of NUL where the file system had reserved space
        notes["nul-bytes"] += data.count(b"\x00")
        data = data.replace(b"\x00", b"")
    if not data.strip():
        return None, "blank"
    text = data.decode("utf-8", "replace")
    replaced = text.count("\ufffd") - data.count("\ufffd".encode())
    try:
        value = json.loads(text, strict=False)
    except RecursionError:
        return None, "nested-too-deep"
    except ValueError:
        return None, "malformed"
    if replaced > 0:
        notes["invalid-utf8"] += replaced
    return value, ""
