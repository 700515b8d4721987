"""JSON out of a model's answer, object by object. A comma that went missing must not cost the eleven good items around it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_WRAPPERS = ("items", "candidates", "memories", "results", "data", "list", "answer", "output")
_OPENING = re.compile(r'\{\s*"(?:' + "|".join(_WRAPPERS) + r')"\s*:\s*\[')
_UNCLOSED = 32
_DEPTH = 64  # objects nested deeper than this are noise, not an answer


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The objects found, in order. `salvaged` counts those that only came out of broken JSON, `lost` counts what was given
    up: `broken` (an object that does not parse), `cut` (one that the answer breaks off in), `shape` (an item that is no
    object), `prose` (no JSON at all). `clean` answers parsed as they stood."""

    objects: tuple[dict[str, Any], ...]
    salvaged: int = 0
    lost: dict[str, int] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """True where nothing had to be rescued and nothing was lost."""
        return not self.salvaged and not self.lost


def objects_of(answer: str) -> Salvaged:
    """Every JSON object of an answer that should be an array of objects (or one object, or an object that wraps an array).

    Never raises. An empty array is a clean answer with nothing in it.
    """
    tail: Counter[str] = Counter()
    for text in _readings(answer):
        value = _load(text)
        if value is not None:
            return _from_value(value)
    best = max(_readings(answer), key=lambda t: t.count("{"), default="")
    found: list[dict[str, Any]] = []
    for piece, whole in _pieces(best):
        value = _load(piece) if whole else None
        if isinstance(value, dict):
            inner = _wrapped(value)
            found.extend(o for o in inner if isinstance(o, dict)) if inner is not None else found.append(
                value
            )
        else:
            tail["broken" if whole else "cut"] += 1
    if not found and not tail:
        tail["prose"] += 1
    return Salvaged(tuple(found), len(found), dict(tail))


def object_of(answer: str) -> Salvaged:
    """The one object an answer should be: at most one is returned, further ones count as lost (`extra`)."""
    all_of = objects_of(answer)
    if len(all_of.objects) <= 1:
        return all_of
    lost = dict(all_of.lost)
    lost["extra"] = len(all_of.objects) - 1
    return Salvaged(all_of.objects[:1], min(all_of.salvaged, 1), lost)


def _readings(answer: str) -> Iterator[str]:
    """The answer as it stands, each of its code fences, and the stretch from the first bracket to the last."""
    yield answer.strip()
    for fence in _FENCE.finditer(answer):
        yield fence.group(1).strip()
    starts = [i for i in (answer.find("["), answer.find("{")) if i >= 0]
    if starts:
        # only the outermost bracket: the last "}" of a cut-off array closes an item of it, and would hide the cut
        start = min(starts)
        end = answer.rfind("]" if answer[start] == "[" else "}")
        if end > start:
            yield answer[start : end + 1]


def _load(text: str) -> Any:
    """The value, or None; only arrays and objects count. Tolerates raw newlines in strings and trailing commas."""
    if text[:1] not in ("[", "{"):
        return None
    for attempt in (text, _without_trailing_commas(text)):
        try:
            value = json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, (dict, list)) else None
    return None


def _without_trailing_commas(text: str) -> str:
    out: list[str] = []
    for inside, part in _strings_apart(text):
        out.append(part if inside else re.sub(r",(\s*[\]}])", r"\1", part))
    return "".join(out)


def _strings_apart(text: str) -> Iterator[tuple[bool, str]]:
    """(is a string literal, piece) over the text."""
    at = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"', text, re.DOTALL):
        yield False, text[at : match.start()]
        yield True, match.group()
        at = match.end()
    yield False, text[at:]


def _wrapped(value: dict[str, Any]) -> list[Any] | None:
    """The array inside `{"items": […]}`; None where the object is an item itself."""
    for name in _WRAPPERS:
        if isinstance(value.get(name), list):
            inner: list[Any] = value[name]
            if len(value) == 1 or any(isinstance(i, dict) for i in inner):
                return inner
    return None


def _from_value(value: Any) -> Salvaged:
    if isinstance(value, dict):
        inner = _wrapped(value)
        items = inner if inner is not None else [value] if value else []
    else:
        items = value
    good = tuple(i for i in items if isinstance(i, dict))
    lost = {"shape": len(items) - len(good)} if len(items) > len(good) else {}
    return Salvaged(good, 0, lost)


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """(text, complete) of every outermost `{…}` that is an item; brackets inside strings do not count.

    An object that wraps an unfinished array (`{"items": [{…}, {…`) is opened, so that its items come out. After an object
    that never closes, the search goes on behind its first brace: one bad item must not swallow those after it. That is
    quadratic, so it stops after so many of them.
    """
    at, unclosed = 0, 0
    while (start := text.find("{", at)) >= 0 and unclosed < _UNCLOSED:
        end = _closing(text, start)
        if end is not None:
            yield text[start:end], True
            at = end
            continue
        opened = _OPENING.match(text, start)
        if opened is None:
            unclosed += 1
            yield "", False
        at = opened.end() if opened else start + 1


def _closing(text: str, start: int) -> int | None:
    """Index behind the brace that closes the one at `start`, or None."""
    depth, inside, escaped = 0, False, False
    for i in range(start, len(text)):
        c = text[i]
        if inside:
            if escaped:
                escaped = False
            elif c == "\\":
                escaped = True
            elif c == '"':
                inside = False
        elif c == '"':
            inside = True
        elif c == "{":
            depth += 1
            if depth > _DEPTH:
                return None
        elif c == "}":
            depth -= 1
            if depth == 0:
                return i + 1
    return None
