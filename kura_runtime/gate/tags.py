"""Rule G10: a tag is a word about the nature of a memory; one that claims something about the human needs the human's words.

Tags never rank, but they are read: "entrusted" makes a later session treat a memory as the human's wish. So claiming tags
are checked against the surviving quotes, and words that only code may set (a recurrence, a retirement) are refused from a
model whatever it quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.domain.tags import CLAIMING_TAGS, CODE_ONLY_TAGS, FORGETTING_TAGS
from kura_runtime.gate.attribution import attributions
from kura_runtime.gate.tag_evidence import asks_to_keep, failed, feels, promises, warns
from kura_runtime.text.normalise import fold, visible
from kura_runtime.text.plainview import plain

TAG_MAX = 40  # characters
_USER, _MACHINE = (EvidenceClass.USER,), (EvidenceClass.TOOL, EvidenceClass.ACT)

Evidence = Callable[[Quote], bool]
_EVIDENCE: Mapping[str, Evidence] = {
    "entrusted": lambda q: q.cls in _USER and asks_to_keep(q.text),
    "commitment": lambda q: q.cls in _USER and promises(q.text),
    "emotion-carried": lambda q: q.cls in _USER and feels(q.text),
    "landmine": lambda q: (q.cls in _USER and warns(q.text)) or (q.cls in _MACHINE and failed(q.text)),
    "formative": lambda q: q.cls is not EvidenceClass.SELF,
}
_SHAPE = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def canonical(tag: str) -> str:
    """One spelling of a tag: "Emotion_Carried" is "emotion-carried", and so is one with a letter that only looks Latin."""
    return re.sub(r"[\s_\-‐-―]+", "-", fold(plain(tag)).casefold()).strip("-#")


def judge_tags(
    offered: Sequence[str], quotes: Sequence[Quote]
) -> tuple[tuple[tuple[str, str], ...], tuple[Refusal, ...]]:
    """((tag, basis), …) of the tags that stand, in the order offered, and a refusal for each of the others. The basis is
    the id of the event whose quote proves a claiming tag, "word" for the other words."""
    kept: dict[str, str] = {}
    refused: dict[str, Refusal] = {}
    for offer in offered:
        tag = canonical(offer)
        if tag in kept or tag in refused:
            continue
        fault = _fault(tag)
        if fault is None and tag in CLAIMING_TAGS:
            basis = next((q.event_id for q in quotes if _EVIDENCE[tag](q)), None)
            if basis is None:
                fault = ("no-evidence", "no surviving quote shows it")
            else:
                kept[tag] = basis
        elif fault is None:
            kept[tag] = "word"
        if fault is not None:
            refused[tag] = Refusal(
                "G10", fault[0], token=tag or visible(offer)[:TAG_MAX], place="tags", note=fault[1]
            )
    return tuple(kept.items()), tuple(refused.values())


def _fault(tag: str) -> tuple[str, str] | None:
    if tag in CODE_ONLY_TAGS:
        return "code-only", "only code sets it, when the human comes back to a memory in another session"
    if tag in FORGETTING_TAGS:
        return "forgetting", "it retires a memory, which no tag may do"
    if not tag or len(tag) > TAG_MAX or not _SHAPE.fullmatch(tag):
        return "shape", f"a tag is a word of at most {TAG_MAX} characters"
    if attributions(tag.replace("-", " ")):
        return "attribution", "a tag that credits the human is a claim without a quote"
    return None
