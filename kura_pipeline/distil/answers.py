"""What a model answered, read into values. Believes no type: a field that is not what it should be is left out, and
whatever makes an item useless is counted by its reason."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from kura_runtime.domain.candidate import Candidate, ProposedQuote
from kura_runtime.domain.draft import Draft, JudgeVerdict, Surface
from kura_runtime.domain.evidence import EvidenceClass
from kura_runtime.domain.slug import is_slug, slugify

KINDS = ("user", "feedback", "project", "reference", "idea")
QUOTES_MAX = 8  # quotes read from one item; more is a model that copies the journal
_CLASSED = re.compile(r"^\s*[\[(<【［]?\s*(USER|TOOL|ACT|SELF)\s*[\])>】］:：]\s*", re.IGNORECASE)
_CURATION = ("belongs_because", "keep", "may_fade")


def candidates_of(objects: Sequence[Mapping[str, Any]]) -> tuple[list[Candidate], dict[str, int]]:
    """(candidates, reason → number lost) of the objects of a spot answer."""
    found: list[Candidate] = []
    lost: Counter[str] = Counter()
    for item in objects:
        topic, quotes = _line(item.get("topic")), _quotes(item.get("quotes"))
        if not topic or not quotes:
            lost["no-topic" if not topic else "no-quotes"] += 1
            continue
        kind = _line(item.get("kind")).lower()
        if kind not in KINDS:
            lost["kind-unknown"] += 1  # the item stays: a category is the least of it
            kind = "project"
        found.append(
            Candidate(
                topic=topic,
                kind=kind,
                why=_line(item.get("why")),
                quotes=quotes,
                tags=_words(item.get("tags"), lower=True),
                callsigns=_words(item.get("callsigns")),
                belongs_because=_line(item.get("belongs_because")),
                keep=_line(item.get("keep")),
                may_fade=_line(item.get("may_fade")),
            )
        )
    return found, dict(lost)


def surface_of(item: Mapping[str, Any]) -> Surface | None:
    """The surface of a compose answer, or None where title, trigger or body is missing. A slug that is none is made
    into one, or made from the title."""
    title, trigger, body = _line(item.get("title")), _line(item.get("trigger")), _block(item.get("body"))
    if not (title and trigger and body):
        return None
    slug = _line(item.get("slug")).lower()
    if not is_slug(slug):
        slug = slugify(slug) if slug and not slugify(slug).startswith("memory-") else slugify(title)
    return Surface(slug, title, trigger, body, **{name: _line(item.get(name)) for name in _CURATION})


def section_of(item: Mapping[str, Any], slug: str) -> Surface | None:
    """The surface of an extension of `slug`: heading and body (and curation), or None where one is missing."""
    heading, body = _line(item.get("heading")).lstrip("# "), _block(item.get("body"))
    if not (heading and body):
        return None
    more = {name: _line(item.get(name)) for name in _CURATION}
    return Surface(slug=slug, title="", trigger="", body=body, heading=heading, **more)


def novelty_of(item: Mapping[str, Any], shown: Sequence[str]) -> tuple[str, str] | None:
    """(kind, slug) of a novelty answer; None where it says nothing usable, or names a memory that was not shown."""
    kind = _line(item.get("kind")).upper()
    if kind == "NEW":
        return "NEW", ""
    slug = _line(item.get("slug")).strip("[]")
    if kind in ("COVERED", "EXTENDS", "CONFLICTS") and slug in shown:
        return kind, slug
    return None


def novelties_of(
    objects: Sequence[Mapping[str, Any]], shown: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, str]]:
    """Item id → (kind, slug) of an answer about several items, strictly read: an id that was not asked about says nothing,
    one that is answered twice in different ways says nothing either, and a memory counts only where it was shown with
    that very item. What is missing here has to be asked for again."""
    said: dict[str, set[tuple[str, str] | None]] = {}
    for item in objects:
        name = _line(item.get("id"))
        if name in shown:
            said.setdefault(name, set()).add(novelty_of(item, shown[name]))
    clear = {name: next(iter(all_said)) for name, all_said in said.items() if len(all_said) == 1}
    return {name: one for name, one in clear.items() if one is not None}


def lines_of(objects: Sequence[Mapping[str, Any]]) -> list[tuple[str, tuple[str, ...]]]:
    """(line, slugs) of a profile answer; an object without a line is left out."""
    found = []
    for item in objects:
        slugs = item.get("slugs", item.get("slug"))
        if line := _line(item.get("line")):
            found.append((line, tuple(s.strip("[]") for s in _words(slugs))))
    return found


def line_by_slug(objects: Sequence[Mapping[str, Any]], shown: Sequence[str]) -> dict[str, str]:
    """Slug → line of an answer about several memories, strictly read: a slug that was not shown is passed over, and one that
    is answered in two ways says nothing."""
    said: dict[str, set[str]] = {}
    for item in objects:
        slug, line = _line(item.get("slug")).strip("[]"), _line(item.get("line"))
        if slug in shown and line:
            said.setdefault(slug, set()).add(line)
    return {slug: next(iter(lines)) for slug, lines in said.items() if len(lines) == 1}


def pairs_of(objects: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(item id, seed id) of a sprout answer, without repeats; whatever lacks one of the two is left out."""
    named = ((_line(item.get("id")), _line(item.get("seed"))) for item in objects)
    return list(dict.fromkeys(pair for pair in named if all(pair)))


def verdict_of(item: Mapping[str, Any], draft: Draft, digest: str) -> JudgeVerdict:
    """The judge's word on this very draft. Whatever cannot be read as that is SKIP."""
    named = _line(item.get("slug")).strip("[]")
    if named and named != draft.surface.slug:
        return JudgeVerdict("SKIP", digest, f"the answer is about another slug ({named[:60]})")
    verdict = _line(item.get("verdict")).upper()
    reason = _line(item.get("reason"))
    if verdict == "POUR" or verdict == "TOSS":
        return JudgeVerdict("POUR" if verdict == "POUR" else "TOSS", digest, reason)
    if verdict != "FIX":
        return JudgeVerdict("SKIP", digest, "unreadable: no verdict in the answer")
    fixed = _fixed(item.get("fixed"), draft.surface)
    if fixed is None or fixed == draft.surface:
        return JudgeVerdict("SKIP", digest, "unreadable: FIX without a repair")
    return JudgeVerdict("FIX", digest, reason, fixed)


def _fixed(repair: Any, old: Surface) -> Surface | None:
    """The old surface with the repaired fields. A judge repairs words; it never renames, so the slug stays."""
    if not isinstance(repair, dict):
        return None
    changed = {
        n: _line(repair.get(n)) or getattr(old, n) for n in ("title", "trigger", "heading", *_CURATION)
    }
    if not old.heading:
        changed["heading"] = ""
    else:
        changed["title"], changed["trigger"] = old.title, old.trigger
    return Surface(slug=old.slug, body=_block(repair.get("body")) or old.body, **changed)


def _quotes(value: Any) -> tuple[ProposedQuote, ...]:
    items = value if isinstance(value, list) else [value]
    out: list[ProposedQuote] = []
    for item in items[:QUOTES_MAX]:
        if isinstance(item, dict):
            claimed, text = item.get("class") or item.get("cls"), item.get("text") or item.get("quote")
            item = f"[{claimed}] {text}" if isinstance(text, str) else None
        if not isinstance(item, str) or not item.strip():
            continue
        match = _CLASSED.match(item)
        # without a class it claims the highest one: the gate re-classes a quote down to where it finds it, never up
        cls = EvidenceClass(match.group(1).upper()) if match else EvidenceClass.USER
        text = item[match.end() :] if match else item
        if text.strip():
            out.append(ProposedQuote(cls, text.strip()))
    return tuple(dict.fromkeys(out))


def _words(value: Any, *, lower: bool = False) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    words = (_line(i) for i in items)
    return tuple(dict.fromkeys((w.lower() if lower else w) for w in words if w))


def _line(value: Any) -> str:
    """One line of text; "" for whatever is no text."""
    return " ".join(_visible(value).split()) if isinstance(value, str) else ""


def _block(value: Any) -> str:
    """Text of several lines, without trailing blanks."""
    if not isinstance(value, str):
        return ""
    lines = _visible(value.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def _visible(text: str) -> str:
    """Without control characters and lone surrogates: they have no place in a file that people read."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))
