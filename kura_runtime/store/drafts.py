"""Drafts in the workshop: Markdown that a person can read, with the evidence in a comment that no quote can break out of.

The bytes hold no clock and no counter, so the same draft is the same file, and its digest names exactly what was judged.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kura_runtime.domain.draft import Draft, Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.errors import BadInput, StoreDamaged
from kura_runtime.gate.sign import draft_body, sign, verify
from kura_runtime.store.containment import read_own
from kura_runtime.store.frontmatter import FrontMatterError, inline, scalar, split, text_of, words_of

_OPEN, _CLOSE = "\n\n<!-- kura:evidence\n", "\n-->\n"
_BATCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class StagedDraft:
    """A draft as it lies in the workshop. `digest` is the sha256 (hex) of the file's bytes."""

    path: Path
    draft: Draft
    digest: str


def draft_digest(data: bytes) -> str:
    """What a verdict binds: the sha256 (hex) of the draft's bytes."""
    return hashlib.sha256(data).hexdigest()


def file_name(draft: Draft) -> str:
    """`<batch>--<slug>`, without the ending. Raises BadInput for a batch or slug that is no file name."""
    slug = (draft.extends or draft.surface.slug).replace("/", "--")
    if not _BATCH.fullmatch(draft.batch_id):
        raise BadInput("batch_id", f'"{draft.batch_id[:80]}" is no batch id')
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,127}", slug):
        raise BadInput("slug", f'"{slug[:80]}" is no slug (lower-case letters, digits and hyphens)')
    return f"{draft.batch_id}--{slug}"


def mark(key: bytes, draft: Draft) -> Draft:
    """The draft, signed as it is."""
    surface = draft.surface
    return replace(
        draft,
        mark=sign(key, slug=surface.slug, kind=draft.kind, manifest=draft.manifest, body=draft_body(draft)),
    )


def mark_holds(key: bytes, draft: Draft) -> bool:
    """Did this store's gate sign exactly this draft?"""
    slug, kind, manifest = draft.surface.slug, draft.kind, draft.manifest
    return verify(key, draft.mark, slug=slug, kind=kind, manifest=manifest, body=draft_body(draft))


def render(draft: Draft) -> bytes:
    """The file of a draft. Raises BadInput for text that has no UTF-8 (a lone surrogate)."""
    s = draft.surface
    nested: list[tuple[str, str]] = [
        ("title", scalar(s.title)), ("type", scalar(draft.kind)), ("tags", inline(draft.tags)),
        ("callsigns", inline(draft.callsigns)), ("stamp", _double(draft.stamp)), ("batch", _double(draft.batch_id)),
        ("editor", _double(draft.editor)), ("evidence_manifest", _double(draft.manifest)),
        ("heading", scalar(s.heading) if s.heading else ""),
        ("extends", _double(draft.extends) if draft.extends is not None else ""),
        ("conflicts", _double(draft.conflicts) if draft.conflicts is not None else ""),
        ("judgement", "true" if draft.judgement else ""),
    ]  # fmt: skip
    head = [
        "---", f"name: {scalar(s.slug)}", f"description: {scalar(s.trigger)}", "metadata:",
        *(f"  {key}: {value}" for key, value in nested if value not in ("", "[]")),
        f"belongs_because: {scalar(s.belongs_because)}", f"keep: {scalar(s.keep)}", f"may_fade: {scalar(s.may_fade)}",
        "---",
    ]  # fmt: skip
    evidence = {"mark": draft.mark, "quotes": [{**asdict(q), "cls": q.cls.value} for q in draft.quotes]}
    text = "\n".join(head) + "\n\n" + s.body + _OPEN + _json(evidence) + _CLOSE
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput("draft", f"character {error.start} has no UTF-8 form (a lone surrogate)") from None


def parse(data: bytes, path: Path) -> Draft:
    """Read `render` back, exactly. Raises StoreDamaged where the file is not as it was written."""
    try:
        draft = _parse(data.decode("utf-8"))
    except FrontMatterError as error:
        raise StoreDamaged(path, f"line {error.line}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise StoreDamaged(path, f"not a draft ({error})") from None
    if render(draft) != data:
        raise StoreDamaged(path, "the draft is not as the gate wrote it")
    return draft


def _parse(text: str) -> Draft:
    front, rest = split(text)
    body, opened, tail = rest.rpartition(_OPEN)
    if front is None or not opened or not tail.endswith(_CLOSE) or not body.startswith("\n"):
        raise ValueError("its front matter or its evidence comment is missing")
    evidence = json.loads(tail[: -len(_CLOSE)])
    top = {e.key: e for e in front.top}
    nested = {e.key: e for e in front.nested}

    def value(key: str) -> str:
        return text_of(nested[key]) if key in nested else ""

    surface = Surface(
        slug=text_of(top["name"]), title=value("title"), trigger=text_of(top["description"]), body=body[1:],
        belongs_because=text_of(top["belongs_because"]), keep=text_of(top["keep"]), may_fade=text_of(top["may_fade"]),
        heading=value("heading"),
    )  # fmt: skip
    return Draft(
        surface=surface,
        kind=value("type"),
        batch_id=value("batch"),
        manifest=value("evidence_manifest"),
        stamp=value("stamp"),
        editor=value("editor"),
        quotes=tuple(Quote(**{**q, "cls": EvidenceClass(q["cls"])}) for q in evidence["quotes"]),
        tags=words_of(nested["tags"]) if "tags" in nested else (),
        callsigns=words_of(nested["callsigns"]) if "callsigns" in nested else (),
        extends=value("extends") if "extends" in nested else None,
        conflicts=value("conflicts") if "conflicts" in nested else None,
        judgement="judgement" in nested,
        mark=evidence["mark"],
    )


def read_staged(path: Path) -> StagedDraft:
    """Read one draft file. Raises StoreDamaged, FileNotFoundError."""
    data, _ = read_own(path)
    return StagedDraft(path, parse(data, path), draft_digest(data))


def _json(value: Any) -> str:
    """JSON that can stand in an HTML comment: no `--`, no angle brackets, no character that hides or breaks lines."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("--", "-\\u002d")
    return re.sub("[\ud800-\udfff\x7f-\x9f\u2028\u2029\ufeff]", lambda m: f"\\u{ord(m.group()):04x}", text)


def _double(text: str) -> str:
    return inline((text,))[1:-1]
