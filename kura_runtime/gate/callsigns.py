"""Rule G11: a callsign is the human's own name for a thing, to the letter.

Recall trusts callsigns: one that a model coined would wake a memory at words the human never used for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.text.normalise import fold, visible
from kura_runtime.text.quotes import splits

CALLSIGN_MIN, CALLSIGN_MAX, CALLSIGNS_MOST = (
    3,
    40,
    2,
)  # code points after NFKC and casefold; at most two a memory


def callsigns(offered: Sequence[str], quotes: Sequence[Quote]) -> tuple[tuple[str, ...], tuple[Refusal, ...]]:
    """(the callsigns that stand, in the order offered; a refusal for each of the others)."""
    said = [fold(q.text).casefold() for q in quotes if q.cls is EvidenceClass.USER]
    kept: dict[str, str] = {}
    refused: list[Refusal] = []
    for callsign in offered:
        name = fold(callsign).casefold()
        if name in kept:
            continue
        if not CALLSIGN_MIN <= len(name) <= CALLSIGN_MAX or not any(c.isalnum() for c in name):
            refused.append(
                _refused(callsign, "length", f"{len(name)} characters, not {CALLSIGN_MIN} to {CALLSIGN_MAX}")
            )
        elif not any(_stands(name, text) for text in said):
            refused.append(_refused(callsign, "not-said", "in no surviving quote of the human"))
        elif len(kept) == CALLSIGNS_MOST:
            refused.append(_refused(callsign, "too-many", f"at most {CALLSIGNS_MOST}"))
        else:
            kept[name] = visible(callsign)
    return tuple(kept.values()), tuple(refused)


def witness(callsign: str, quotes: Sequence[Quote]) -> Quote | None:
    """The first quote of the human that says the callsign; None where none does."""
    name = fold(callsign).casefold()
    said = (q for q in quotes if q.cls is EvidenceClass.USER)
    return next((q for q in said if name and _stands(name, fold(q.text).casefold())), None)


def _stands(name: str, text: str) -> bool:
    """As whole words: "her" is no name out of "heron"."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not splits(text[at - 1 : at] if at else "", name[0]) and not splits(name[-1], text[end : end + 1]):
            return True
        at = text.find(name, at + 1)
    return False


def _refused(callsign: str, reason: str, note: str) -> Refusal:
    return Refusal("G11", reason, token=visible(callsign)[:120], place="callsigns", note=note)
