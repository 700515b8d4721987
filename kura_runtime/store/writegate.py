"""The write gate of the direct door: is this already known, nearly known, or contradicted by what is known?

Likeness alone merges "port 8081" with "port 8411". So before two texts are called the same, what they claim is compared:
numbers with their units, names, and whether they affirm or deny. A difference on both sides is two claims, never a merge.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kura_runtime.domain.memory import Memory
from kura_runtime.text.grams import cosine, grams
from kura_runtime.text.normalise import fold, sentences
from kura_runtime.text.numbers import number_tokens

VECTORISER = "character n-grams"
THRESHOLD = 0.92
_LIVE = ("active", "conflict", "stale")  # a retired memory must not make the new state of things look covered

_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"`[^`\n]+`|[A-Za-z0-9_À-ɏ]+(?:[-./\\:@][A-Za-z0-9_À-ɏ]+)+|[A-Za-zÀ-ɏ][A-Za-z0-9_À-ɏ]*")
_NO = re.compile(
    r"\b(?:not|never|no|none|nothing|neither|nor|without|cannot|nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans|aucune?|nunca|"
    r"sin|ning[uú]n\w*|tampoco|non|mai|senza|не|нет|без|никогда)\b|n['’]t\b|(?<!\w)n['’](?=\w)|[不没沒未勿別别無无莫]|非(?!常)|"
    r"(?:ない|ません|なかった|なく|ずに)|않|못하|없|\bلا\b|\bلم\b|\bلن\b|\bليس|\bبدون\b",
    re.IGNORECASE,
)
_OPPOSITES = tuple(
    (re.compile(a, re.IGNORECASE), re.compile(b, re.IGNORECASE))
    for a, b in (
        (r"\bon\b", r"\boff\b"), (r"\benabled?\b", r"\bdisabled?\b"), (r"\btrue\b", r"\bfalse\b"), (r"\bbefore\b", r"\bafter\b"),
        (r"\balways\b", r"\bnever\b"), (r"\ballow(?:ed|s)?\b", r"\b(?:forbidden|forbids?|denied|deny)\b"),
        (r"\bslow\b", r"\bfast\b"), (r"\bincreas\w*", r"\bdecreas\w*"), (r"\bmust\b", r"\bneed not\b"),
        ("启用|啟用|开启|打开", "禁用|停用|关闭|關閉"), ("有効|オン", "無効|オフ"), ("前に", "後に"), ("之前", "之后|之後"), ("允许|允許", "禁止"), ("許可", "禁止"),
        (r"\b(?:an|ein)geschaltet\b", r"\baus(?:geschaltet)?\b"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """What the store already knows about a text. `new`: nothing near. `likeness` is the cosine of the nearest, 0 for none."""

    kind: Literal["new", "covered", "extends", "conflict"]
    slug: str = ""
    likeness: float = 0.0
    differences: tuple[str, ...] = ()
    added: str = ""  # for `extends`: the sentences that are news


def examine(text: str, memories: Iterable[Memory], threshold: float = THRESHOLD) -> Finding:
    """Compare a new text with the memories that are in force. Deterministic; ties go to the smaller slug."""
    live = sorted((m for m in memories if m.state in _LIVE), key=lambda m: m.slug)
    folded = fold(text)
    for memory in live:
        if 0.4 <= (len(body_of(memory)) + 20) / (len(text) + 20) <= 2.5 and fold(body_of(memory)) == folded:
            return Finding("covered", memory.slug, 1.0)
    best = nearest(text, live)
    if best is None or best[0] < threshold:
        return Finding("new", best[1].slug if best else "", best[0] if best else 0.0)
    likeness, memory = best
    differences = differing(body_of(memory), text)
    if differences:
        return Finding("conflict", memory.slug, likeness, differences)
    added = news(text, body_of(memory))
    if added:
        return Finding("extends", memory.slug, likeness, added=added)
    return Finding("covered", memory.slug, likeness)


def body_of(memory: Memory) -> str:
    """The text a memory is compared by."""
    return "\n\n".join(part for part in (memory.summary, memory.detail) if part) or memory.trigger


def nearest(text: str, memories: Sequence[Memory]) -> tuple[float, Memory] | None:
    """(cosine, memory) of the likest memory that could be a near duplicate at all. A cheap look at length and at some runs
    of characters leaves only a few for the vectors."""
    probes = _probes(_low(text))
    vector = vector_of(text)
    best: tuple[float, Memory] | None = None
    for memory in memories:
        other = body_of(memory)
        if not 0.4 <= (len(other) + 1) / (len(text) + 1) <= 2.5:
            continue
        low = _low(other)
        if sum(probe in low for probe in probes) * 3 < len(probes):
            continue
        likeness = cosine(vector, vector_of(other))
        if best is None or likeness > best[0]:
            best = (likeness, memory)
    return best


def vector_of(text: str) -> Counter[str]:
    """Character n-grams with every digit alike. The digits are compared on their own, and exactly; in the vector they would
    hide that two short texts say two things about one subject."""
    return grams(_DIGIT.sub("0", text))


def _low(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _probes(low: str) -> tuple[str, ...]:
    """Up to 24 runs of three characters from all over the text, digits avoided: a near duplicate has most of them."""
    runs = [run for run in (low[i : i + 3] for i in range(len(low) - 2)) if not _DIGIT.search(run)]
    step = max(1, len(runs) // 24)
    return tuple(dict.fromkeys(runs[::step][:24]))


def differing(old: str, new: str) -> tuple[str, ...]:
    """In what two near duplicates contradict each other, in words; () where neither says anything the other denies."""
    found: list[str] = []
    for what, ours, theirs in (("number", _numbers(old), _numbers(new)), ("name", _names(old), _names(new))):
        gone, come = ours - theirs, theirs - ours
        if gone and come:
            found.append(f"{what}: {_list(gone)} → {_list(come)}")
    if (len(_NO.findall(old)) % 2) != (len(_NO.findall(new)) % 2):
        found.append("polarity: one affirms what the other denies")
    for one, other in _OPPOSITES:
        a, b = (
            (bool(one.search(old)), bool(other.search(old))),
            (bool(one.search(new)), bool(other.search(new))),
        )
        if a != b and True in a and True in b and a in ((True, False), (False, True)) and b == (a[1], a[0]):
            found.append(
                f"polarity: {(one if a[0] else other).pattern} against {(one if b[0] else other).pattern}"
            )
    return tuple(found)


def news(text: str, known: str) -> str:
    """The sentences of `text` that do not stand in `known`, in order; "" where all of them do."""
    held = fold(known)
    return "\n".join(s for s in (part.strip() for part in sentences(text)) if s and fold(s) not in held)


def _numbers(text: str) -> Counter[str]:
    return Counter(
        f"{t.bound}{t.value}{' ' + t.unit if t.unit else ''}"
        for t in number_tokens(text)
        if t.kind != "identifier"
    )


def _names(text: str) -> Counter[str]:
    """Names of things: what carries digits, punctuation or capitals inside, stands in code, or is Latin amid another script;
    and capitalised words that do not begin a sentence."""
    latin = sum(c.isascii() and c.isalpha() for c in text)
    foreign = sum(not c.isascii() and c.isalpha() for c in text) > latin
    found: Counter[str] = Counter()
    for match in _NAME.finditer(text):
        word = match.group()
        if text[max(0, match.start() - 2) : match.start()].strip()[-1:].isdigit():
            continue  # a unit: it is compared with its number
        opens = re.search(
            r"(?:^|[.!?。！？:;\n]|[-*] )[ \t\"'(\[]*$", text[max(0, match.start() - 6) : match.start()]
        )
        if (
            word[0] == "`"
            or re.search(r"[\d_./\\:@-]", word)
            or re.search(r"[a-z][A-Z]", word)
            or (len(word) > 1 and word.isupper())
            or (foreign and len(word) > 1)
            or (word[0].isupper() and len(word) > 1 and not opens)
        ) and not re.fullmatch(r"[\d.,:/-]+", word):
            found[word.strip("`").casefold()] += 1
    return Counter(dict.fromkeys(found, 1))


def _list(items: Counter[str]) -> str:
    return ", ".join(sorted(items)[:5])
