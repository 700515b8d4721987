"""Front matter, read without believing it and written so that nothing is lost.

A small dialect of YAML: `key: value` with plain, quoted and multi-line scalars, inline and block lists, and one nested map
(`metadata`). Plain values run to the end of the line, colons and all, because that is how people and older versions
write sentences. Keys that nobody here knows keep their bytes. What this module writes is valid YAML.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_OPEN = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSE = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_KEY = re.compile(r"([^\s:#\-\[\]{}\"'&*!|>%@`][^:\n]*?)[ \t]*:(?:[ \t]+(.*))?$", re.DOTALL)
_COMMENT = re.compile(r"(?:^|[ \t])[ \t]*#.*$")
_BLOCK = re.compile(r"([|>])([+-]?)[ \t]*(?:#.*)?$")


class FrontMatterError(ValueError):
    """`line` is 1-based in the file."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


class Entry(NamedTuple):
    """One key with its value still as written. `raw` is the whole block, without its last line end; `key` is "" for
    comments and blank lines. `more` are the lines below the first."""

    key: str
    first: str
    more: tuple[str, ...]
    raw: str
    line: int


@dataclass(frozen=True, slots=True)
class Front:
    """The entries at the top, and those below `metadata` (in file order, comments and blank lines included)."""

    top: tuple[Entry, ...]
    nested: tuple[Entry, ...]


def split(text: str) -> tuple[Front | None, str]:
    """(front matter, body). None where the text does not begin with `---`. Raises FrontMatterError."""
    opened = _OPEN.match(text)
    if opened is None:
        return None, text
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        raise FrontMatterError(1, 'the front matter is never closed; end it with a line "---"')
    lines = text[opened.end() : closed.start()].split("\n")[:-1]
    body = text[closed.end() :]
    return _front(lines), body[1:] if body.startswith("\n") else body


def _front(lines: Sequence[str]) -> Front:
    top: list[Entry] = []
    nested: tuple[Entry, ...] = ()
    for entry in _entries(lines, 2):
        if entry.key == "metadata" and not _bare(entry.first):
            if nested:
                raise FrontMatterError(entry.line, '"metadata" stands twice; keep one')
            nested = tuple(_nested(entry))
        else:
            top.append(entry)
    return Front(tuple(top), nested)


def _bare(first: str) -> str:
    return _COMMENT.sub("", first).strip()


def _nested(parent: Entry) -> list[Entry]:
    """The entries below `metadata`: those of the least indentation; deeper lines belong to the one above."""
    rows = (line for line in parent.more if line.strip() and not line.lstrip().startswith("#"))
    widths = [len(line) - len(line.lstrip()) for line in rows]
    width = min(widths, default=0)
    if width == 0 and widths:
        raise FrontMatterError(parent.line, 'the lines below "metadata" are not indented')
    return _entries(parent.more, parent.line + 1, width)


def _entries(lines: Sequence[str], number: int, indent: int = 0) -> list[Entry]:
    found: list[Entry] = []
    start, size = 0, len(lines)
    while start < size:
        raw = lines[start]
        line = raw[:-1] if raw.endswith("\r") else raw
        match = _KEY.match(line, indent)
        if match is None or line[indent] in " \t":
            bare = line.lstrip()
            if bare and bare[0] != "#":
                raise FrontMatterError(number + start, f'"{_short(line)}" is no "key: value"')
            found.append(Entry("", "", (), raw, number + start))
            start += 1
            continue
        end = start + 1
        while (
            end < size
            and not lines[end][indent : indent + 1].isalnum()
            and _continues(lines[end], indent, lines, end)
        ):
            end += 1
        key, first = match.groups("")
        if end == start + 1:
            found.append(Entry(key, first.strip(), (), raw, number + start))
        else:
            more = tuple(m.rstrip("\r") for m in lines[start + 1 : end])
            found.append(Entry(key, first.strip(), more, "\n".join(lines[start:end]), number + start))
        start = end
    return found


def _continues(line: str, indent: int, lines: Sequence[str], at: int) -> bool:
    """Does a line belong to the key above it? Deeper lines do, list items do, blank lines do where such a line follows."""
    text = line[indent:]
    if line.strip() and not line.startswith("#"):
        return text[:1] in (" ", "\t") or text.startswith(("- ", "-\r")) or text == "-"
    for later in lines[at + 1 :]:  # blank, or a comment at the margin: it goes with what follows
        if later.strip() and not later.startswith("#"):
            return later[indent : indent + 1] in (" ", "\t")
    return False


# -- values ------------------------------------------------------------------------------------------------------------


def text_of(entry: Entry, *, comments: bool = False) -> str:
    """The value as text. With `comments` a trailing ` # …` is left out (for words; a sentence may hold a #)."""
    first = entry.first
    if first[:1] in ('"', "'"):
        return _quoted("\n".join((first, *entry.more)), entry.line)
    if not entry.more:
        value = _bare(first) if comments and "#" in first else first
        return "" if value in ("null", "~", "Null", "NULL") else value
    block = _BLOCK.fullmatch(first)
    if block:
        return _block(block.group(1), block.group(2), entry.more)
    lines = [first, *(m.strip() for m in entry.more)]
    if comments:
        lines = [_bare(line) for line in lines]
    return " ".join(line for line in lines if line)


def words_of(entry: Entry) -> tuple[str, ...]:
    """The value as a list: `[a, b]`, `- a` lines, or words with commas. Raises FrontMatterError where it is none of them."""
    first = entry.first if entry.first[:1] in "[\"'" else _bare(entry.first)
    if first.startswith("["):
        return _inline(" ".join((first, *(m.strip() for m in entry.more))), entry.line)
    lines = [stripped for m in entry.more if (stripped := m.strip()) and not stripped.startswith("#")]
    if not first and lines:
        if not all(line == "-" or line.startswith("- ") for line in lines):
            raise FrontMatterError(entry.line, f'"{entry.key}" is no list')
        items = (line[1:].strip() for line in lines)
        return tuple(v for item in items if (v := _item(item, entry.line)))
    if first.startswith("{") or (lines and first):
        raise FrontMatterError(entry.line, f'"{entry.key}" is no list')
    if first in ("", "null", "~"):
        return ()
    if first[:1] in "\"'":
        return (_quoted(first, entry.line),)
    return tuple(word for w in first.split(",") if (word := w.strip()))


def _item(text: str, line: int) -> str:
    return _quoted(text, line) if text[:1] in ('"', "'") else _bare(text)


def _inline(text: str, line: int) -> tuple[str, ...]:
    items: list[str] = []
    at = 1
    while True:
        while at < len(text) and text[at] in " \t,":
            at += 1
        if at >= len(text):
            raise FrontMatterError(line, "a list is never closed; end it with ]")
        if text[at] == "]":
            if _bare(text[at + 1 :]):
                raise FrontMatterError(line, f'text after the list: "{_short(text[at + 1 :])}"')
            return tuple(items)
        if text[at] in "\"'":
            value, at = _string(text, at, line)
            items.append(value)
            continue
        end = at
        while end < len(text) and text[end] not in ",]":
            end += 1
        items.append(text[at:end].strip())
        at = end


def _quoted(text: str, line: int) -> str:
    value, end = _string(text, 0, line)
    if _bare(text[end:].replace("\n", " ")):
        raise FrontMatterError(line, f'text after the closing quote: "{_short(text[end:])}"')
    return value


_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "a": "\a", "v": "\v", "e": "\x1b", "/": "/", '"': '"',
    "\\": "\\", " ": " ", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}


def _string(text: str, at: int, line: int) -> tuple[str, int]:
    """The quoted string that begins at `at`, and the place after it. A line break inside folds to a space."""
    quote, at = text[at], at + 1
    end = text.find(quote, at)
    plain = text[at:end]
    if end > 0 and "\\" not in plain and "\n" not in plain and text[end + 1 : end + 2] != quote:
        return plain, end + 1  # nothing to undo: nearly every value
    out: list[str] = []
    while at < len(text):
        char = text[at]
        if char == quote:
            if quote == "'" and text[at + 1 : at + 2] == "'":
                out.append("'")
                at += 2
                continue
            return _paired("".join(out)), at + 1
        if char == "\\" and quote == '"':
            value, at = _escape(text, at + 1, line)
            out.append(value)
            continue
        if char == "\n":
            while out and out[-1] in " \t":
                out.pop()
            breaks = 0
            while at < len(text) and text[at] in " \t\n":
                breaks += text[at] == "\n"
                at += 1
            out.append("\n" * (breaks - 1) if breaks > 1 else " ")
            continue
        out.append(char)
        at += 1
    raise FrontMatterError(line, f"a quoted value is never closed; end it with {quote}")


def _escape(text: str, at: int, line: int) -> tuple[str, int]:
    code = text[at : at + 1]
    if code == "\n":  # an escaped line break joins the lines
        at += 1
        while text[at : at + 1] in (" ", "\t"):
            at += 1
        return "", at
    if code in _HEX:
        digits = text[at + 1 : at + 1 + _HEX[code]]
        try:
            return chr(int(digits, 16)), at + 1 + _HEX[code]
        except (ValueError, OverflowError):
            raise FrontMatterError(line, f'"\\{code}{_short(digits)}" is no character') from None
    if code in _ESCAPES:
        return _ESCAPES[code], at + 1
    raise FrontMatterError(line, f'"\\{code}" is no escape; write \\\\ for a backslash')


def _paired(text: str) -> str:
    """Two escapes that are one character beyond U+FFFF (as JSON writes them) become that character."""
    if not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _block(style: str, chomp: str, lines: Sequence[str]) -> str:
    width = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    rows = [line[width:] for line in lines]
    while rows and not rows[-1].strip():
        rows.pop()
    if style == "|":
        text = "\n".join(rows)
    else:
        text = re.sub(r"(?<!\n)\n(?!\n)", " ", "\n".join(rows))
        text = re.sub(r"\n(\n+)", r"\1", text)
    return text if chomp == "-" else text.rstrip("\n")


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else text[:39] + "…"


# -- writing -------------------------------------------------------------------------------------------------------------

_RESERVED = frozenset(
    (
        "null",
        "~",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "y",
        "n",
        ".nan",
        ".inf",
        "-.inf",
        "+.inf",
        "=",
        "<<",
    )
)
_NUMBERISH = re.compile(r"[-+.]?\d[\d_.,:eExobXOBa-fA-FTZtz+\-\s]*")
_SPECIAL = frozenset("-?:,[]{}#&*!|>'\"%@`")


def scalar(text: str) -> str:
    """`text` as a value on one line: plain where that is safe in YAML as well as here, else in double quotes."""
    plain = (
        text
        and text == text.strip()
        and text[0] not in _SPECIAL
        and ": " not in text
        and " #" not in text
        and "\t" not in text
        and not text.endswith(":")
        and text.lower() not in _RESERVED
        and not _NUMBERISH.fullmatch(text)
        and all(_plain_char(c) for c in text)
    )
    return text if plain else _double(text)


def word(text: str) -> str:
    """Like `scalar`, for dates and names of ours: digits need no quotes."""
    return (
        text
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9+./:_-]*", text) and not text.endswith(":")
        else scalar(text)
    )


def inline(items: Sequence[str]) -> str:
    """A list on one line, every item quoted."""
    return "[" + ", ".join(_double(item) for item in items) + "]"


def _plain_char(char: str) -> bool:
    if char.isascii():
        return char >= " " and char != "\x7f"
    return unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp", "Cn", "Co") and char != "\ufeff"


def _double(text: str) -> str:
    out = json.dumps(text, ensure_ascii=False)
    if all(_plain_char(c) for c in out):
        return out
    return "".join(c if _plain_char(c) else _escaped(c) for c in out)


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
