"""Rule G14: keys, tokens, passwords and private keys become `⟦secret:KIND⟧` before anything else reads the text.

Journals are full of them (people paste keys, tools print environments), and a memory store is read by every later session:
what is not taken out at intake is never taken out. The rules for what people and common tools write stand in
`secret_rules`; the long tail of vendors comes from detect-secrets, imported only when a text holds one of its anchors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kura_runtime.gate.anchors import Anchors
from kura_runtime.gate.secret_rules import AWS_REACH, AWS_SECRET, DATABASE, FOREIGN, RULES, USERINFO, Rule
from kura_runtime.gate.vendor_secrets import VENDOR_ANCHORS, vendor_spans
from kura_runtime.text.normalise import HIDDEN, MARK

_VENDOR = "vendor"


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret: its kind and where it stands, as offsets in the text that was searched."""

    kind: str
    start: int
    end: int


def find(text: str) -> tuple[Secret, ...]:
    """Every secret in the text, by place, without overlaps. Placeholders of earlier redaction are never secrets."""
    return _find(text)


def redact(text: str) -> tuple[str, dict[str, int]]:
    """The text with `⟦secret:KIND⟧` where a secret stood, and how many there were of each kind. Redacting twice changes
    nothing."""
    counts: dict[str, int] = {}
    # taking one secret out can uncover another only in made-up text, but "idempotent" must not depend on that
    while found := _find(text):
        parts: list[str] = []
        at = 0
        for secret in found:
            parts += (text[at : secret.start], f"⟦secret:{secret.kind}⟧")
            counts[secret.kind] = counts.get(secret.kind, 0) + 1
            at = secret.end
        text = "".join([*parts, text[at:]])
    return text, dict(sorted(counts.items()))


@lru_cache(maxsize=1)
def _anchors() -> Anchors[Rule | str]:
    table: dict[str, list[Rule | str]] = {}
    for rule in RULES:
        for gram in dict.fromkeys(a[:4].lower() for a in rule.anchors if a.isascii() and len(a) >= 4):
            table.setdefault(gram, []).append(rule)
    for anchor in VENDOR_ANCHORS:
        table.setdefault(anchor[:4], []).append(_VENDOR)
    return Anchors(table)


def _find(text: str) -> tuple[Secret, ...]:
    seen, origin = _unhidden(text)
    found = list(_candidates(seen))
    if not found:
        return ()
    marks = [m.span() for m in MARK.finditer(seen)] if "⟦" in seen else []
    found = [f for f in found if not any(f.start < end and start < f.end for start, end in marks)]
    found.sort(key=lambda f: (f.start, -f.end, f.kind))
    kept: list[Secret] = []
    for one in found:
        if kept and one.start < kept[-1].end:
            if one.end > kept[-1].end:
                kept[-1] = Secret(kept[-1].kind, kept[-1].start, one.end)
            continue
        kept.append(one)
    if origin is not None:
        kept = [Secret(s.kind, origin[s.start], origin[s.end - 1] + 1) for s in kept]
    return tuple(kept)


def _candidates(text: str) -> Iterator[Secret]:
    vendor = False
    for at, rule in _anchors()(text):
        if isinstance(rule, str):
            vendor = True
        elif (secret := _matched(rule, text, at)) is not None:
            yield secret
            if secret.kind == "aws-key":
                near = AWS_SECRET.search(text, secret.end, secret.end + AWS_REACH)
                if near:
                    yield Secret("aws-key", *near.span())
    if not text.isascii():
        for word in FOREIGN.anchors:
            at = text.find(word)
            while at >= 0:
                if (secret := _matched(FOREIGN, text, at)) is not None:
                    yield secret
                at = text.find(word, at + 1)
    if "@" in text:
        yield from _userinfo(text)
    if vendor:
        for kind, start, end in vendor_spans(text):
            yield Secret(kind, start, end)


def _matched(rule: Rule, text: str, at: int) -> Secret | None:
    match = rule.pattern.match(text, at)
    if match is None or (rule.check is not None and not rule.check(match)):
        return None
    start, end = match.span("v")
    if rule.kind in ("password", "token", "authorization"):
        while end > start + 1 and text[end - 1] in ".,;:)]}>":
            end -= 1
    return Secret(rule.kind, start, end) if end > start else None


def _userinfo(text: str) -> Iterator[Secret]:
    at = text.find("://")
    while at >= 0:
        match = USERINFO.pattern.match(text, at)
        if match is not None:
            group = "v" if match.group("v") is not None else "w"
            if group == "w" or USERINFO.check is None or USERINFO.check(match):
                scheme = re.search(r"[A-Za-z][A-Za-z0-9+.:]*$", text[max(0, at - 30) : at])
                kind = "connection-string" if scheme and DATABASE.search(scheme.group()) else USERINFO.kind
                yield Secret(kind, *match.span(group))
        at = text.find("://", at + 3)


_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_WIDE_RUN = re.compile("[！-～]")


def _unhidden(text: str) -> tuple[str, list[int] | None]:
    """The text without characters that nobody sees (they may stand inside a key) and with full-width letters as plain
    ones; and, where characters went, the offset in `text` of every character that stayed."""
    if text.isascii() and "\x1b" not in text:
        return text, None
    if _WIDE_RUN.search(text):
        text = text.translate(_WIDE)
    if HIDDEN.search(text) is None:
        return text, None
    origin: list[int] = []
    parts: list[str] = []
    at = 0
    for match in HIDDEN.finditer(text):
        origin.extend(range(at, match.start()))
        parts.append(text[at : match.start()])
        at = match.end()
    origin.extend(range(at, len(text)))
    parts.append(text[at:])
    return "".join(parts), origin
