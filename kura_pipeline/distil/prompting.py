"""The prompt files, and how text that is not ours is put into them.

A prompt file begins with its version; what goes into the manifest is that version and a hash of the bytes, so that an
edited prompt can never pass for the old one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib.resources import files

from kura_pipeline.distil.editor import Brief
from kura_runtime.domain.evidence import Batch, Event
from kura_runtime.models.roles import OWN_MARK

PROMPTS: tuple[str, ...] = (
    "house", "spot", "coverage", "novelty", "novelties", "sprout", "compose", "extend", "again", "judge",
)  # fmt: skip
TENDING_PROMPTS: tuple[str, ...] = ("tidy", "trigger", "profile")  # about memories: no batch depends on them
_VERSION = re.compile(r"\A<!-- version: (\S+) -->\n")
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_LANGUAGES = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "nl": "Dutch", "pt": "Portuguese", "ru": "Russian", "zh": "Chinese",
}  # fmt: skip


@cache
def prompt_text(name: str) -> str:
    """The prompt without its version line."""
    return _VERSION.sub("", _raw(f"{name}.md"), count=1)


@cache
def prompt_version(name: str) -> str:
    """`<version>-<8 hex of the file>`."""
    raw = _raw(f"{name}.md")
    match = _VERSION.match(raw)
    return f"{match.group(1) if match else '0'}-{hashlib.sha256(raw.encode()).hexdigest()[:8]}"


@cache
def canaries() -> tuple[str, ...]:
    """Invented words of the examples. One of them in a surface means that the model retold the example."""
    return tuple(line.strip().casefold() for line in _raw("canaries.txt").splitlines() if line.strip())


def canaries_in(text: str, unless: Iterable[str] = ()) -> tuple[str, ...]:
    """The canary words that stand in `text` and in none of the `unless` texts (evidence may really hold such a word)."""
    folded = text.casefold()
    excused = " ".join(unless).casefold()
    return tuple(word for word in canaries() if word in folded and word not in excused)


def fill(name: str, **values: str) -> str:
    """The prompt with its slots filled in one pass: a slot's own text is never looked at for further slots."""
    return _SLOT.sub(lambda m: values[m.group(1)], prompt_text(name))


def house(brief: Brief) -> str:
    """The system message, the same bytes for every call of a store: first the charter exactly as it stands, then the
    profile, then the rules. A slow local model pays for this prefix once."""
    rules = fill("house", store=brief.store, language=_language_line(brief.language), mark=OWN_MARK)
    head = brief.charter
    if brief.profile.strip():
        head += (
            ("\n\n" if head else "")
            + "## What is known of the human (learned, may be wrong)\n\n"
            + brief.profile
        )
    return f"{head}\n\n{rules}" if head else rules


def messages(brief: Brief, task: str) -> list[dict[str, str]]:
    """The two messages of every call. The mark stands in both: a host that keeps its sessions as journals often keeps the
    user's turn only, and the evidence in it is long, so it stands first."""
    return [
        {"role": "system", "content": house(brief)},
        {"role": "user", "content": f"[{OWN_MARK}]\n\n{task}"},
    ]


def frame(batch: Batch) -> str:
    """The events as data. Every event stands between marks made from a hash of the whole evidence, so the marks are the
    same on a rerun and the evidence cannot contain them (it would have to contain its own hash)."""
    mark = _mark(*(e.text for e in batch.events))
    lines = [f'<evidence-{mark} events="{len(batch.events)}">']
    for n, event in enumerate(batch.events, 1):
        tool = f' tool="{_attribute(event.tool)}"' if event.tool else ""
        when = f' at="{_attribute(event.ts)}"' if event.ts else ""
        note = ' context="yes, for understanding only, not to be quoted"' if event.context else ""
        lines.append(f'<event-{mark} n="{n}" class="{event.cls.value}"{tool}{when}{note}>')
        lines.append(event.text)
        lines.append(f"</event-{mark}>")
    lines.append(f"</evidence-{mark}>")
    return "\n".join(lines)


def parts(batch: Batch, room: int | None) -> list[Batch]:
    """The batch as it is, or in as few runs of whole events as fit into `room` (estimated tokens) each."""
    if room is None:
        return [batch]
    found: list[list[Event]] = [[]]
    taken = 0
    for event in batch.events:
        size = estimated_tokens(event.text) + 40
        if found[-1] and taken + size > room:
            found.append([])
            taken = 0
        found[-1].append(event)
        taken += size
    return [replace(batch, events=tuple(events)) for events in found]


def estimated_tokens(text: str) -> int:
    """An upper estimate for any tokeniser: three characters a token in ASCII, one character a token elsewhere."""
    plain = sum(map(str.isascii, text))
    return plain // 3 + (len(text) - plain) + 1


def boxed(label: str, *texts: str) -> str:
    """Other text that is data (a memory, a draft, quotes) inside marks it cannot contain."""
    mark = _mark(*texts)
    return "\n".join(f"<{label}-{mark}>\n{text}\n</{label}-{mark}>" for text in texts)


def _mark(*texts: str) -> str:
    whole = "\x00".join(texts)
    mark, turn = "", 0
    while not mark or mark in whole:
        mark = hashlib.sha256(f"{turn}\x00{whole}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
        turn += 1
    return mark


def _attribute(text: str) -> str:
    """Tool names come from the journal too: nothing that could close the tag."""
    return re.sub(r"[^\w.:+/ -]", "_", text)[:60]


def _language_line(language: str) -> str:
    if not language:
        return (
            "You write in the language that the human uses in the evidence; quotes stay as they are, and so do names, "
            "commands and technical terms."
        )
    name = _LANGUAGES.get(language.split("-")[0].lower(), language)
    return (
        f"You write every title, trigger, body and sentence in {name} ({language}), whatever the language of the "
        "evidence; quotes stay as they are, and so do names, commands and technical terms."
    )


@cache
def _raw(name: str) -> str:
    return (files("kura_pipeline.distil") / "prompts" / name).read_text(encoding="utf-8")
