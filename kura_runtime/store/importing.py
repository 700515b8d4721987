"""An operator's import: memories from a JSON Lines file into an empty store, verbatim, all of them or none.

No dedup and no floor: what an operator brings is his own word, and is called `imported` for ever. Only the format is checked,
and that nothing leads out of the store.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_runtime.domain.links import links_of
from kura_runtime.domain.memory import MEMORY_TYPES, TRIGGER_MAX, Memory
from kura_runtime.domain.slug import is_slug
from kura_runtime.errors import BadInput, WriteRefused
from kura_runtime.store.layouts.kura import RESERVED
from kura_runtime.store.layouts.page import divide

if TYPE_CHECKING:
    from kura_runtime.store.store import Store

_TEXTS = (
    "slug",
    "title",
    "trigger",
    "type",
    "namespace",
    "body",
    "belongs_because",
    "keep",
    "may_fade",
    "created",
    "updated",
    "lang",
)
_NEEDED = ("slug", "trigger")
_KNOWN = frozenset((*_TEXTS, "tags", "supersedes", "detail", "callsigns", "state"))
_BAD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. `retired` are (old, new): where a memory says that it supersedes another, the old one's state is
    set to retired and points to it, its words untouched. `dangling` are (new, old) whose old is not in the file. `namespaces`
    counts memories by index heading; `unknown` counts fields that no memory has, kept as front matter of their own."""

    count: int
    revision: int
    retired: tuple[tuple[str, str], ...] = ()
    dangling: tuple[tuple[str, str], ...] = ()
    dead_links: tuple[tuple[str, str], ...] = ()
    namespaces: dict[str, int] | None = None
    unknown: dict[str, int] | None = None

    def to_json(self) -> dict[str, Any]:
        """A plain dict."""
        return asdict(self)


def import_jsonl(store: Store, file: Path, *, who: str) -> Imported:
    """See `Store.import_jsonl`. Raises BadInput naming file, line and field; WriteRefused where the store is not empty."""
    rows = list(_rows(file))
    with store.changing("import", who, by="import") as change:
        if store.slugs() or store.archived():
            raise WriteRefused(
                store.policy,
                f'the store "{store.name}" holds memories; an import goes into an empty store (make one with `kura init`)',
            )
        memories: dict[str, Memory] = {}
        headings: dict[str, str] = {}
        unknown: dict[str, int] = {}
        replaced: dict[str, str] = {}
        for where, row in rows:
            memory = _memory(where, row, unknown)
            if memory.slug in memories:
                raise BadInput(f"{where}: slug", f'"{memory.slug}" stands twice')
            memories[memory.slug] = memory
            headings[memory.slug] = " ".join(str(row.get("namespace") or "").split())
            if old := row.get("supersedes"):
                replaced[memory.slug] = old
        retired, dangling = _supersede(memories, replaced)
        for slug, memory in memories.items():
            note = (
                f"superseded by {memory.superseded_by}, by that memory's own word"
                if memory.superseded_by
                else ""
            )
            change.put(memory, "import", heading=headings[slug] or None, source=file.name, note=note)
        if not memories:
            raise BadInput(str(file), "holds no memory")
        revision = change.commit()
    counts: dict[str, int] = {}
    for heading in headings.values():
        counts[heading] = counts.get(heading, 0) + 1
    dead = tuple((m.slug, link) for m in memories.values() for link in m.links if link not in memories)
    return Imported(len(memories), revision, tuple(retired), tuple(dangling), dead, counts, unknown)


def _supersede(
    memories: dict[str, Memory], replaced: dict[str, str]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    retired: list[tuple[str, str]] = []
    dangling: list[tuple[str, str]] = []
    for new, old in replaced.items():
        if old in memories and old != new:
            memories[old] = memories[old].with_(state="retired", superseded_by=new)
            retired.append((old, new))
        else:
            dangling.append((new, old))
    return retired, dangling


def _rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInput("file", f"{file} cannot be read ({error.strerror or error})") from None
    for n, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip():
            continue
        where = f"{file.name}, line {n}"
        try:
            row = json.loads(raw)
        except ValueError as error:
            raise BadInput(where, f"not JSON ({error})") from None
        if not isinstance(row, dict):
            raise BadInput(where, "not a JSON object")
        yield where, row


def _memory(where: str, row: dict[str, Any], unknown: dict[str, int]) -> Memory:
    for name in _TEXTS:
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            raise BadInput(f"{where}: {name}", f"wants text, not {type(value).__name__}")
        if value and (bad := _BAD.search(value)) is not None:
            raise BadInput(
                f"{where}: {name}",
                f"character {bad.start() + 1} is a control character (U+{ord(bad.group()):04X})",
            )
        if name in _NEEDED and not (value or "").strip():
            raise BadInput(f"{where}: {name}", "is missing")
    slug, kind = row["slug"], row.get("type") or "project"
    if not is_slug(slug) or "/" in slug or slug in RESERVED:
        raise BadInput(
            f"{where}: slug",
            f'"{slug[:80]}" is no slug (lower-case words joined by hyphens, 3 to 48 characters)',
        )
    if kind not in MEMORY_TYPES:
        raise BadInput(f"{where}: type", f'"{kind[:40]}" is none of {", ".join(MEMORY_TYPES)}')
    if len(row["trigger"]) > TRIGGER_MAX:
        raise BadInput(f"{where}: trigger", f"{len(row['trigger'])} characters; at most {TRIGGER_MAX} fit")
    supersedes = row.get("supersedes")
    if supersedes is not None and not (isinstance(supersedes, str) and is_slug(supersedes)):
        raise BadInput(f"{where}: supersedes", "wants a slug or null")
    extra = [f"  lang: {row['lang']}"] if re.fullmatch(r"[A-Za-z0-9-]{2,35}", row.get("lang") or "") else []
    for name in sorted(row.keys() - _KNOWN):
        unknown[name] = unknown.get(name, 0) + 1
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", name):
            extra.append(f"  {name}: {_flow(row[name])}")
    summary, detail = divide(row.get("body") or "")
    detail = "\n\n".join(part for part in (detail, _text(where, row, "detail")) if part)
    linked = "\n".join((summary, detail))
    return Memory(
        slug=slug, title=row.get("title") or slug.replace("-", " "), trigger=row["trigger"], type=kind, tags=_words(where, row, "tags"),
        summary=summary, detail=detail, belongs_because=row.get("belongs_because") or "", keep=row.get("keep") or "",
        may_fade=row.get("may_fade") or "", created=row.get("created") or "", updated=row.get("updated") or "",
        provenance="imported", callsigns=_words(where, row, "callsigns"), links=links_of(linked), extra=tuple(extra),
    )  # fmt: skip


def _text(where: str, row: dict[str, Any], name: str) -> str:
    value = row.get(name) or ""
    if not isinstance(value, str) or _BAD.search(value):
        raise BadInput(f"{where}: {name}", "wants text without control characters")
    return value


def _words(where: str, row: dict[str, Any], name: str) -> tuple[str, ...]:
    value = row.get(name) or []
    if not isinstance(value, list) or not all(
        isinstance(v, str) and v.strip() and not _BAD.search(v) for v in value
    ):
        raise BadInput(f"{where}: {name}", "wants a list of words")
    return tuple(value)


def _flow(value: Any) -> str:
    """A JSON value on one line of front matter, whatever stands in it."""
    return json.dumps(value, ensure_ascii=True)
