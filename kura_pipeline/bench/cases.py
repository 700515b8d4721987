"""Reading a file of gate cases: one JSON object a line, checked field by field before anything runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kura_runtime.domain.candidate import Candidate, ProposedQuote
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.errors import BadInput
from kura_runtime.text.quotes import evidence_class

Stage = Literal["intake", "candidate", "draft"]
_QUOTE = re.compile(r"\s*\[\s*(\w+)\s*\]\s?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Case:
    """One case. The stage follows from what it holds: a journal is intake, a draft is the floor, else the candidate."""

    id: str
    rule: str
    note: str
    store: tuple[tuple[str, str], ...]  # (slug, text)
    events: tuple[Event, ...]
    candidate: Candidate | None
    draft: Surface | None
    journal: tuple[str, ...] | None  # the journal's lines
    expect: Mapping[str, Any] | None

    @property
    def stage(self) -> Stage:
        return "intake" if self.journal is not None else "draft" if self.draft is not None else "candidate"


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of a file in order. Raises BadInput that names file, line and field on the first line that is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else f"not UTF-8 at byte {error.start}"
        raise BadInput(str(path), f"cannot read the cases: {why}") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _case(line, f"{path}:{number}")


def _case(line: str, where: str) -> Case:
    try:
        raw = json.loads(line)
    except ValueError as error:
        raise BadInput(where, f"not JSON ({error})") from None
    if not isinstance(raw, dict):
        raise BadInput(where, "a case is a JSON object")
    read = _Reader(raw, where)
    journal = read.listed("journal")
    if journal is None and not isinstance(raw.get("candidate"), dict):
        raise BadInput(where, 'a case has a "candidate" (object) or a "journal" (list of rows)')
    expect = raw.get("expect")
    if expect is not None and not isinstance(expect, dict):
        raise BadInput(where, '"expect" must be an object, or left out')
    return Case(
        id=read.text("id", raw, needed=True),
        rule=read.text("rule", raw),
        note=read.text("note", raw),
        store=tuple((read.text("slug", m), read.text("text", m)) for m in read.objects("store")),
        events=tuple(read.event(n, e) for n, e in enumerate(read.objects("events"))),
        candidate=read.candidate(raw["candidate"]) if journal is None else None,
        draft=read.draft(raw.get("draft")) if journal is None else None,
        journal=None if journal is None else tuple(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in journal),
        expect=expect,
    )  # fmt: skip


class _Reader:
    def __init__(self, raw: Mapping[str, Any], where: str) -> None:
        self.raw, self.where = raw, where

    def text(self, name: str, raw: Mapping[str, Any], *, needed: bool = False) -> str:
        value = raw.get(name)
        if value is None and not needed:
            return ""
        if not isinstance(value, str) or (needed and not value):
            raise BadInput(self.where, f'"{name}" must be a string')
        return value

    def listed(self, name: str, raw: Mapping[str, Any] | None = None) -> list[Any] | None:
        value = (self.raw if raw is None else raw).get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise BadInput(self.where, f'"{name}" must be a list')
        return value

    def objects(self, name: str) -> list[Mapping[str, Any]]:
        value = self.listed(name) or []
        if not all(isinstance(v, dict) for v in value):
            raise BadInput(self.where, f'"{name}" must be a list of objects')
        return value

    def strings(self, name: str, raw: Mapping[str, Any]) -> tuple[str, ...]:
        value = self.listed(name, raw) or []
        if not all(isinstance(v, str) for v in value):
            raise BadInput(self.where, f'"{name}" must be a list of strings')
        return tuple(value)

    def event(self, number: int, raw: Mapping[str, Any]) -> Event:
        cls = self.cls(self.text("class", raw, needed=True), "events")
        return Event(
            event_id=f"e{number}", seq=number, cls=cls, text=self.text("text", raw), ts=None, session="case",
            journal_key="case", byte_start=number, byte_end=number + 1, context=raw.get("context") is True,
        )  # fmt: skip

    def cls(self, name: str, place: str) -> EvidenceClass:
        cls = evidence_class(name)
        if cls is None:
            raise BadInput(self.where, f'{place}: unknown class "{name}"; known: USER, TOOL, ACT, SELF')
        return cls

    def candidate(self, raw: Mapping[str, Any]) -> Candidate:
        quotes = []
        for quote in self.strings("quotes", raw):
            match = _QUOTE.fullmatch(quote)
            if match is None:
                raise BadInput(
                    self.where, f'a quote must begin with its class, as in "[USER] …": "{quote[:40]}"'
                )
            quotes.append(ProposedQuote(self.cls(match[1], "quotes"), match[2]))
        return Candidate(
            topic=self.text("topic", raw),
            kind=self.text("kind", raw),
            why=self.text("why", raw),
            quotes=tuple(quotes),
            tags=self.strings("tags", raw),
            callsigns=self.strings("callsigns", raw),
            belongs_because=self.text("belongs_because", raw),
            keep=self.text("keep", raw),
            may_fade=self.text("may_fade", raw),
        )

    def draft(self, raw: Any) -> Surface | None:
        if raw is None:
            return None
        if not isinstance(raw, dict):
            raise BadInput(self.where, '"draft" must be an object or null')
        names = ("slug", "title", "trigger", "body", "belongs_because", "keep", "may_fade", "heading")
        return Surface(**{name: self.text(name, raw) for name in names})
