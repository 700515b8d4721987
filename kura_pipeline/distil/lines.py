"""The floor for single lines that a model writes about memories: index lines, cues of the map, lines of the profile.

They pass the gate's surface floor like every composed text. Beyond that a line may only say again what stands already, so
its words must come from the memory and its evidence, its numbers from text that was let in, and a turn of meaning (not,
never, only, except …) is neither lost nor gained.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from kura_pipeline.distil.editor import Brief
from kura_pipeline.distil.form import refusals_of
from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import Quote
from kura_runtime.resident.trim import clauses_of, turns
from kura_runtime.text.normalise import fold
from kura_runtime.text.numbers import number_tokens

_LATIN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
_MARKS = re.compile(r"\]\(|^\s*[-#>*+]\s|`|<[a-zA-Z/!]")
_SHORT = 4  # letters: shorter words carry no claim of their own
_STEM = 5  # letters that two forms of one word share
# words of a frame, not of a claim: a line may be put together with them
_FRAME = frozenset(
    re.findall(
        r"\w+",
        """
        user human users prefers prefer wants want likes with that this these those from into onto
        when then than where which what while their them they there have been being does done should must will would could
        also always never only instead without before after about over under every each other same more most less very kept
        keep keeps used using uses make made stay stays hold holds held goes come comes take takes give gives needs need
        nutzer mensch will möchte soll sollen muss nicht kein keine immer statt ohne nach über unter wenn dann dass diese
        dieser dieses werden wird sein sind utilisateur veut préfère toujours jamais avec sans pour dans cette quand usuario
        quiere prefiere siempre nunca para cuando como desde hasta entre este esta
        """,
    )
)
_FRAME_WIDE = (
    "用户",
    "使用者",
    "ユーザー",
    "사용자",
    "希望",
    "喜欢",
    "偏好",
    "好む",
    "べき",
    "ください",
    "する",
    "して",
    "です",
    "ます",
)


def line_refusals(
    line: str,
    quotes: Sequence[Quote],
    texts: Sequence[str],
    brief: Brief,
    *,
    links: Container[str] = (),
    old: str = "",
    most: int = 200,
) -> tuple[Refusal, ...]:
    """Everything that speaks against a line; () passes. `texts` is what the store holds already of the thing (its line,
    title and body), `old` the line it replaces, "" for none. Without quotes (a memory that a person wrote) the memory's own
    text has to carry the numbers, and nobody may be credited with anything."""
    found = [
        r
        for r in refusals_of(Surface("", "", line, ""), quotes, brief, links=links)
        if r.place in ("trigger", "") and not (r.reason == "number" and not quotes)
    ]
    if not line.strip():
        return (Refusal("form", "missing", place="trigger", note="there is no line"),)
    if len(line) > most:
        found.append(
            Refusal("form", "length", place="trigger", note=f"{len(line)} characters; at most {most}")
        )
    told = [t for t in (old, *texts) if t]
    whole = [*told, *(q.text for q in quotes)]
    known = {(t.value, t.unit) for text in whole for t in number_tokens(text)}
    found += [
        Refusal("G5", "number", t.text, "trigger", "no number of the memory")
        for t in number_tokens(line)
        if (t.value, t.unit) not in known
    ]
    found += [
        Refusal("line", "unsupported", word, "trigger", "a word that neither the memory nor its evidence has")
        for word in unsupported(line, whole)
    ]
    found += _turned(line, old, whole)
    against = [old] if old else [q.text for q in quotes]
    if not turns(line) and against and all(turns(t) for t in against):
        found.append(Refusal("G12", "polarity", place="trigger", note="a turn of meaning was lost"))
    if mark := _MARKS.search(line):
        found.append(
            Refusal("form", "markup", mark.group(), "trigger", "a mark that an index line cannot hold")
        )
    return tuple(dict.fromkeys(found))


def _turned(line: str, old: str, whole: Sequence[str]) -> Iterator[Refusal]:
    """A word that turns a meaning stands in the text as well. In a line that takes another's place, what stands with such a
    word is copied as it stands: "never the slow disk" has all the words of a line that says the opposite."""
    known = {word for text in ([old] if old else whole) for word in turns(text)}
    note = "a turn of meaning that stands nowhere"
    for word in turns(line):
        if word not in known and (word.isascii() or not any(not k.isascii() for k in known)):
            yield Refusal("G12", "polarity", word, "trigger", note)
    if not old:
        return
    stood = fold(old).casefold()
    for clause in clauses_of(line):
        if turns(clause) and fold(clause).casefold() not in stood:
            yield Refusal(
                "G12", "polarity", clause, "trigger", "a part with a turn of meaning is copied as it stands"
            )


def unsupported(line: str, texts: Sequence[str]) -> tuple[str, ...]:
    """The telling words of `line` that stand in none of the `texts`, in any form of theirs."""
    evidence = fold(" ".join(texts)).casefold()
    words = {w.casefold() for w in _LATIN.findall(_WIDE.sub(" ", evidence))}
    stems = {w[:_STEM] for w in words if len(w) >= _STEM}
    found: list[str] = []
    folded = fold(line).casefold()
    for word in _LATIN.findall(_WIDE.sub(" ", folded)):
        plain = word.split("'")[0].split("’")[0]
        if len(plain) < _SHORT or plain in _FRAME or plain in words or word in words:
            continue
        if len(plain) < _STEM or plain[:_STEM] not in stems:
            found.append(word)
    for run in _WIDE.findall(folded):
        for frame in _FRAME_WIDE:
            run = run.replace(frame, " ")
        pairs = [part[i : i + 2] for part in run.split() for i in range(len(part) - 1)]
        if pairs and sum(p in evidence for p in pairs) < 0.6 * len(pairs):
            found.append(run.strip())
    return tuple(dict.fromkeys(found))
