"""Rule G14: keys, tokens, passwords and private keys become `⟦secret:KIND⟧` before anything else reads the text.

Journals are full of them (people paste keys, tools print environments), and a memory store is read by every later session:
what is not taken out at intake is never taken out. The rules for what people and common tools write stand in
`secret_rules`; the long tail of vendors comes from detect-secrets, imported only when a text holds one of its anchors.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from kura_runtime.gate.anchors import ODD_PIECE, Anchors, Pairs, pieces
from kura_runtime.gate.secret_rules import AWS_REACH, AWS_SECRET, DATABASE, FOREIGN, RULES, USERINFO, Rule
from kura_runtime.gate.vendor_secrets import VENDORS, Vendor, vendor_spans
from kura_runtime.text.normalise import HIDDEN, MARK, UNSEEN

_LOOSE = frozenset({"password", "token", "authorization", "url-credentials"})


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


def suspects(texts: Sequence[str]) -> list[bool]:
    """For each text: may it hold a secret? False is certain, True asks for `redact`. One scan over all of them together: what
    a call costs before it looks at the first character is what small texts are slow by."""
    joined = "\n".join(texts)
    starts: list[int] = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    doubtful = [False] * len(texts)
    for at in _doubtful_places(joined):
        doubtful[bisect_right(starts, at) - 1] = True
    return doubtful


def _doubtful_places(text: str) -> Iterator[int]:
    for at, rule in _anchors()(text):
        if isinstance(rule, Vendor):
            if text[at : at + len(rule.anchor)].lower() == rule.anchor:
                yield at
        elif rule.pattern.match(text, at) is not None:
            yield at
    if "@" in text:
        at = text.find("://")
        while at >= 0:
            if USERINFO.pattern.match(text, at) is not None:
                yield at
            at = text.find("://", at + 3)
    if not text.isascii():
        yield from (at for at in _words()(text) if FOREIGN.pattern.match(text, at))
        for base, piece in pieces(text, 0, ODD_PIECE):
            if not piece.isascii():
                yield from (base + at for at in _forms_of(piece).nonzero()[0].tolist())
    at = text.find("\x1b")
    while at >= 0:
        yield at
        at = text.find("\x1b", at + 1)


@cache
def _anchors() -> Anchors[Rule | Vendor]:
    table: dict[str, list[Rule | Vendor]] = {}
    for rule in RULES:
        for anchor in rule.anchors:
            table.setdefault(anchor, []).append(rule)
    for vendor in VENDORS:
        table.setdefault(vendor.anchor, []).append(vendor)
    return Anchors(table)


@cache
def _words() -> Pairs:
    return Pairs(FOREIGN.anchors)


def _find(text: str) -> tuple[Secret, ...]:
    seen, origin = _unhidden(text)
    found = list(_candidates(seen))
    if not found:
        return ()
    marks = [m.span() for m in MARK.finditer(seen)] if "⟦" in seen else []
    found = [f for f in found if not any(f.start < end and start < f.end for start, end in marks)]
    # a vendor's own shape says best where a secret ends; an assignment only says that there is one
    found.sort(key=lambda f: (f.kind in _LOOSE, f.start, -f.end, f.kind))
    kept: list[Secret] = []
    for one in found:
        if not any(one.start < k.end and k.start < one.end for k in kept):
            kept.append(one)
    kept.sort(key=lambda f: f.start)
    if origin is not None:
        kept = [Secret(s.kind, origin[s.start], origin[s.end - 1] + 1) for s in kept]
    return tuple(kept)


def _candidates(text: str) -> Iterator[Secret]:
    vendors: list[tuple[int, Vendor]] = []
    for at, rule in _anchors()(text):
        if isinstance(rule, Vendor):
            vendors.append((at, rule))
        elif (secret := _matched(rule, text, at)) is not None:
            yield secret
            if secret.kind == "aws-key":
                near = AWS_SECRET.search(text, secret.end, secret.end + AWS_REACH)
                if near:
                    yield Secret("aws-key", *near.span())
    if not text.isascii():
        for at in _words()(text):
            if (secret := _matched(FOREIGN, text, at)) is not None:
                yield secret
    if "@" in text:
        yield from _userinfo(text)
    for kind, start, end in vendor_spans(text, vendors):
        yield Secret(kind, start, end)


def _matched(rule: Rule, text: str, at: int) -> Secret | None:
    match = rule.pattern.match(text, at)
    if match is None or (rule.check is not None and not rule.check(match)):
        return None
    start, end = match.span("v")
    if rule.kind in _LOOSE:
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


def _unhidden(text: str) -> tuple[str, list[int] | None]:
    """The text without characters that nobody sees (they may stand inside a key) and with full-width letters as plain
    ones; and, where characters went, the offset in `text` of every character that stayed."""
    if "\x1b" in text:  # a terminal's colours: several characters that go together
        gone = [m.span() for m in HIDDEN.finditer(text)]
        bounds = [0, *(edge for span in gone for edge in span), len(text)]
        kept = [range(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=True)]
        return "".join(text[r.start : r.stop] for r in kept), [at for r in kept for at in r]
    if text.isascii():
        return text, None
    if not any(_forms_of(piece).any() for _, piece in pieces(text, 0, ODD_PIECE) if not piece.isascii()):
        return text, None
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    forms = _forms_of(text)
    plain = np.where(forms > 1, forms, codes)
    if not (forms == 1).any():
        return plain.tobytes().decode("utf-32-le", "surrogatepass"), None
    stays = (forms != 1).nonzero()[0]
    return plain[stays].tobytes().decode("utf-32-le", "surrogatepass"), stays.tolist()


def _forms_of(text: str) -> npt.NDArray[np.uint32]:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return _forms().take(codes, mode="clip")


@cache
def _forms() -> npt.NDArray[np.uint32]:
    """By code point: 1 for what nobody sees, an ASCII code for its full-width form, 0 for what stays as it is."""
    forms = np.zeros(0xE1001, dtype=np.uint32)
    for unseen in UNSEEN.finditer("".join(map(chr, range(0x20000)))):
        forms[unseen.start()] = 1
    forms[0xE0000:0xE1000] = 1
    for plain in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-./=@_":
        forms[ord(plain) + 0xFEE0] = ord(plain)
    forms[-1] = 0  # stands for all that lies beyond
    return forms
