"""One memory as Markdown with front matter: the page of layout `kura`, and of every draft's readable part."""

from __future__ import annotations

import re
from pathlib import Path

from kura_runtime.domain.links import links_of
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import StoreDamaged
from kura_runtime.store.frontmatter import (
    Entry,
    FrontMatterError,
    inline,
    scalar,
    split,
    text_of,
    word,
    words_of,
)
from kura_runtime.store.index_file import IndexLine
from kura_runtime.store.layouts.base import Page

_DETAIL = re.compile(r"^## Detail[ \t]*\r?$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")

_TOP = frozenset({"name", "description", "belongs_because", "keep", "may_fade"})
_WORDS = frozenset({
    "type", "created", "updated", "state", "superseded_by", "provenance", "editor", "evidence_manifest", "origin_manifest",
})  # fmt: skip
_LISTS = frozenset({"tags", "callsigns"})
_NESTED = _WORDS | _LISTS | {"title"}


def parse(data: bytes, path: Path, slug: str, line: IndexLine | None = None) -> Page | None:
    """Read a page. `line` (its index line) fills in for a missing title or trigger; with neither front matter nor a line
    the file is no memory: None. Raises StoreDamaged, naming file and line."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = data.count(b"\n", 0, error.start) + 1
        raise StoreDamaged(
            path, f"line {at}: not UTF-8 (byte {error.start}); save the file as UTF-8"
        ) from None
    if "\0" in text:
        raise StoreDamaged(
            path, f"line {text[: text.index(chr(0))].count(chr(10)) + 1}: a NUL character; remove it"
        )
    try:
        front, body = split(text)
        if front is None and line is None:
            return None
        values, lists, extra, notes = _values(front.top, front.nested) if front else ({}, {}, (), ())
    except FrontMatterError as error:
        raise StoreDamaged(path, f"line {error.line}: {error}") from None
    summary, detail = divide(body)
    name = values.get("name", "")
    title = values.get("title") or (line.title if line else "")
    if not title:  # older stores keep a title where the slug stands now
        title = name if name and name != slug else slug.rsplit("/", 1)[-1].replace("-", " ")
    trigger = values.get("description") or (line.trigger if line else "")
    evidence = _digest(values.get("evidence_manifest", ""))
    provenance = values.get("provenance") or ("distilled" if evidence else "unsigned")
    origin = _digest(values.get("origin_manifest", "")) or (evidence if provenance == "distilled" else "")
    linked = "\n".join((summary, detail, *(x for x in extra if "[[" in x)))
    memory = Memory(
        slug=slug,
        title=" ".join(title.split()) if "\n" in title else title,
        trigger=" ".join(trigger.split()) if "\n" in trigger else trigger,
        type=values.get("type") or "project",
        tags=lists.get("tags", ()),
        summary=summary,
        detail=detail,
        belongs_because=values.get("belongs_because", ""),
        keep=values.get("keep", ""),
        may_fade=values.get("may_fade", ""),
        created=values.get("created", ""),
        updated=values.get("updated", "") or values.get("created", ""),
        state=values.get("state") or "active",
        superseded_by=values.get("superseded_by") or None,
        origin_manifest=origin or None,
        evidence_manifest=evidence or None,
        provenance=provenance,
        editor=values.get("editor", ""),
        callsigns=lists.get("callsigns", ()),
        links=links_of(linked) if "[[" in linked else (),
        extra=extra,
    )
    return Page(memory, notes)


def _values(
    top: tuple[Entry, ...], nested: tuple[Entry, ...]
) -> tuple[dict[str, str], dict[str, tuple[str, ...]], tuple[str, ...], tuple[tuple[str, str], ...]]:
    values: dict[str, str] = {}
    lists: dict[str, tuple[str, ...]] = {}
    extra: list[str] = []
    notes: list[tuple[str, str]] = []
    for entries, known in ((nested, _NESTED), (top, _TOP | _NESTED)):
        seen: set[str] = set()
        for entry in entries:
            key = entry.key
            if key not in known:
                extra.append(entry.raw)
                continue
            if key in seen:
                raise FrontMatterError(entry.line, f'"{key}" stands twice; keep one')
            seen.add(key)
            if (
                key in values or key in lists
            ):  # below `metadata` and at the top: the first counts, both are kept
                extra.append(entry.raw)
            elif key in _LISTS:
                try:
                    lists[key] = words_of(entry)
                except FrontMatterError as error:
                    notes.append((key, f"line {error.line}: {error}"))
                    extra.append(entry.raw)
            else:
                values[key] = text_of(entry, comments=key in _WORDS)
    return values, lists, tuple(extra), tuple(notes)


def _digest(text: str) -> str:
    """The bare hex of a manifest pointer; a malformed one stays as written, for doctor to name."""
    match = _DIGEST.fullmatch(text)
    return match.group(1) if match else text


def divide(body: str) -> tuple[str, str]:
    """(summary, detail): the detail is what stands below a line `## Detail`, outside code."""
    if "## Detail" in body:
        for match in _DETAIL.finditer(body):
            if len(_FENCE.findall(body, 0, match.start())) % 2 == 0:
                return trimmed(body[: match.start()]), trimmed(body[match.end() :])
    return trimmed(body), ""


def trimmed(text: str) -> str:
    """Without blank lines at its beginning and white space at its end (indented code at the beginning stays)."""
    return re.sub(r"\A(?:[ \t]*\r?\n)+", "", text).rstrip()


def render(memory: Memory, previous: bytes | None = None) -> bytes:
    """The page of a memory. Where `previous` (the bytes on disk) has the same text, that text keeps its bytes."""
    body = _body(memory)
    if previous is not None:
        text = previous.decode("utf-8", "replace")
        try:
            old = split(text)[1]
            if divide(old) == (memory.summary, memory.detail):
                body = old
        except FrontMatterError:
            pass
    return ("\n".join(_head(memory)) + "\n" + body).encode("utf-8")


def _body(memory: Memory) -> str:
    parts = [trimmed(memory.summary)] if memory.summary.strip() else []
    if memory.detail.strip():
        parts.append("## Detail\n\n" + trimmed(memory.detail))
    return "".join(f"\n{part}\n" for part in parts)


def _head(memory: Memory) -> list[str]:
    above = [x for x in memory.extra if x[:1] not in (" ", "\t")]
    nested = [x for x in memory.extra if x[:1] in (" ", "\t")]
    evidence, origin = memory.evidence_manifest or "", memory.origin_manifest or ""
    implied = evidence if memory.provenance == "distilled" else ""
    rows: list[tuple[str, str]] = [
        ("title", scalar(memory.title) if memory.title else ""),
        ("type", word(memory.type)),
        ("tags", inline(memory.tags) if memory.tags else ""),
        ("created", word(memory.created) if memory.created else ""),
        ("updated", word(memory.updated) if memory.updated else ""),
        ("state", word(memory.state) if memory.state != "active" else ""),
        ("superseded_by", word(memory.superseded_by) if memory.superseded_by else ""),
        ("provenance", word(memory.provenance) if memory.provenance != "unsigned" else ""),
        ("editor", scalar(memory.editor) if memory.editor else ""),
        ("callsigns", inline(memory.callsigns) if memory.callsigns else ""),
        ("evidence_manifest", _pointer(evidence)),
        ("origin_manifest", _pointer(origin) if origin != implied else ""),
    ]
    sample = next((x for x in nested if x.strip() and not x.lstrip().startswith("#")), "  -")
    pad = sample[: len(sample) - len(sample.lstrip())]  # as the lines that are kept are indented
    curation = [(k, getattr(memory, k)) for k in ("belongs_because", "keep", "may_fade")]
    return [
        "---",
        f"name: {scalar(memory.slug)}",
        f"description: {scalar(memory.trigger)}",
        "metadata:",
        *(f"{pad}{key}: {value}" for key, value in rows if value),
        *nested,
        *(f"{key}: {scalar(value)}" for key, value in curation if value),
        *above,
        "---",
    ]


def _pointer(digest: str) -> str:
    if not digest:
        return ""
    return f"sha256:{digest}" if _DIGEST.fullmatch(digest) else scalar(digest)
