"""The shape of an attribution rule: a pattern that credits the human, and what takes the credit away again."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

_NEVER = re.compile(r"(?!)")


def pattern(source: str, *, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Compile `source` with its layout white space removed; a space to be matched is written `\\s` or `[ ]`."""
    return re.compile(re.sub(r"\n\s*", "", source), flags)


@dataclass(frozen=True, slots=True)
class Credit:
    """`pattern` finds the phrase; with a `head` (the subject) it is what must follow right behind one. The credit falls where `before` is found in the clause up to it, `inside` in the
    phrase itself, or `after` matches right behind it. `saying`: the credit is for words, not for a decision."""

    pattern: re.Pattern[str]
    head: re.Pattern[str] | None = None
    before: re.Pattern[str] = _NEVER
    inside: re.Pattern[str] = _NEVER
    after: re.Pattern[str] = _NEVER
    saying: bool = False

    def taken_away(self, before: str, phrase: str, after: str) -> bool:
        """True where the words round the phrase say that nobody is credited with anything."""
        return bool(self.before.search(before) or self.inside.search(phrase) or self.after.match(after))


@dataclass(frozen=True, slots=True)
class Rule:
    """A credit as it is written down: regular expressions in which `<HUMAN>` stands for whoever counts as the human."""

    source: str
    head: str = ""  # the subject, where several rules share one: it is looked for once for all of them
    before: str = ""
    inside: str = ""
    after: str = ""
    saying: bool = False


def anchors(words: str) -> tuple[str, ...]:
    """Patterns from a list of words: plain stems, "_" for a space, or a regular expression that begins with "\\b"."""
    return tuple(w if w.startswith("\\b") else re.escape(w.replace("_", " ")) for w in words.split())


def _same(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of one language. `script` decides at a glance whether a text can hold any of it; `prepare` folds spelling
    variants (it keeps the length); `human` is the alternation for the words of the human; `name_of` turns a
    configured name into a pattern. `extra` names further placeholders."""

    name: str
    script: re.Pattern[str]
    human: str
    rules: tuple[Rule, ...]
    prepare: Callable[[str], str] = _same
    bounded: bool = True  # words have edges (false for scripts without spaces)
    anchors: tuple[str, ...] = ()  # case-folded patterns: every rule's phrase holds one of them, or a name
    named: re.Pattern[str] = _NEVER  # names of persons, as they are written
    extra: tuple[tuple[str, str], ...] = ()

    def credits(self, names: tuple[str, ...]) -> tuple[Credit, ...]:
        """The rules compiled for these configured names."""
        edge = r"(?<!\w){}(?!\w)" if self.bounded else "{}"
        people = [
            f"(?-i:{edge.format(re.escape(self.prepare(n)))})"
            for n in sorted(names, key=lambda n: (-len(n), n))
        ]
        human = "(?:" + "|".join([self.human, *people]) + ")"

        @cache
        def made(source: str) -> re.Pattern[str]:
            if not source:
                return _NEVER
            for key, value in self.extra:
                source = source.replace(f"<{key}>", value)
            return pattern(source.replace("<HUMAN>", human))

        return tuple(
            Credit(
                made(r.source),
                made(r.head) if r.head else None,
                made(r.before),
                made(r.inside),
                made(r.after),
                r.saying,
            )
            for r in self.rules
        )
