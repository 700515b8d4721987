"""English sentences that say how something is to be: who must, should or needs to, and whether it is a standing thing.

"invalid themes must never explode" speaks of things and lasts; "we should go", "it should work now" do not.
"""

from __future__ import annotations

import re

from kura_pipeline.distil.extract.terms import identifier, names, terms

_MODAL = re.compile(
    r"\b(?P<modal>must(?:n'?t| not)?|should(?:n'?t| not)?|shall(?: not)?|ha(?:s|ve) to|needs? to|needs?|ought to|may not|can ?not|can'?t)\b",
    re.IGNORECASE,
)
_FILLER = (
    r"ok(?:ay)?|alright|well|hm+|so|and|but|also|then|(?:no|right|great|nice|cool|look|listen|man|wait|sorry)(?=[,.!])|yes|yeah|yep|nope|dude|my dude|"
    r"omfg|omg|ffs|wtf|fucking hell|please|pls|oh|ah|hey|now|btw|by the way|fyi|anyway|just"
)
_HEDGE = r"|i (?:think|guess|suppose|believe|feel like)|imo|imho|i'?d say|it seems|actually|honestly"
_OPENING = re.compile(rf"^(?:(?:{_FILLER})\b[\s,.!:—-]*)+", re.IGNORECASE)
_HEDGED = re.compile(rf"^(?:(?:{_FILLER}{_HEDGE})\b[\s,.!:—-]*)+", re.IGNORECASE)
_EMBEDDED = re.compile(
    r"\b(?:the |an? |our |this )?(?:invariant|rule|convention|policy|requirement|principle|agreement|guarantee|contract|constraint)"
    r"(?: is)? that\s+",
    re.IGNORECASE,
)
_DEICTIC = re.compile(
    r"^(?:it|this|that|these|those|they|he|she|there|here|which|them|that's|it's|this one|that one|same|both)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"^(?:i|we|you|let'?s|one)\b", re.IGNORECASE)
_SUBJECT_CUT = re.compile(
    r"^.*(?:,|;|\bbecause\b|\bthat\b|\band\b|\bbut\b|\bso\b|\bthen\b|\?)\s+", re.IGNORECASE
)
_VAGUE = re.compile(r"\s*(?:not )?be (?:that|this|it|like (?:that|this))\b(?! \w+ \w+)", re.IGNORECASE)
_CONCRETE = re.compile(
    r"\b(?:return|throw|contain|include|accept|reject|match|stay|remain|be|use|have|go|stop|live|run|support|show|fall)\b",
    re.IGNORECASE,
)


def opening(text: str) -> int:
    """Length of the fillers at the head ("ok, so …"). A hedge ("i think") is none: it belongs to what was said."""
    match = _OPENING.match(text)
    return match.end() if match and match.end() < len(text) else 0


def _unhedged(text: str) -> str:
    match = _HEDGED.match(text)
    return text[match.end() :] if match and match.end() < len(text) else text


def embedded(text: str) -> int:
    """Where the norm itself begins in "… breaks the rule that NORM", or 0."""
    ends = [m.end() for m in _EMBEDDED.finditer(text)]
    return ends[-1] if ends and _MODAL.search(text, ends[-1]) else 0


def deictic(text: str) -> bool:
    """Does the sentence begin with a word that points outside it, or with a modal that lacks its subject?"""
    bare = _unhedged(text)
    return (
        bool(_DEICTIC.match(bare))
        or bool(_MODAL.match(bare))
        or bool(re.match(r"is\b|are\b|was\b", bare, re.IGNORECASE))
    )


def norm(text: str) -> float:
    """Weight of the strongest norm in an English sentence, 0 where there is none."""
    return max((_one(text, m) for m in _MODAL.finditer(text)), default=0.0)


def _one(text: str, match: re.Match[str]) -> float:
    modal = match.group("modal").lower()
    if modal == "need" and re.search(r"\bno\s+$", text[: match.start()], re.IGNORECASE):
        return 0.0
    rest = text[match.end() :]
    subject = text[: match.start()]
    cut = _SUBJECT_CUT.match(subject)
    if cut and terms(subject[cut.end() :]):
        subject = subject[cut.end() :]
    subject = _unhedged(subject).strip()
    if _HEDGED.fullmatch(subject):
        subject = ""
    hard = modal.startswith(("must", "shall", "may")) or modal in (
        "has to",
        "have to",
        "ought to",
        "needs to",
    )
    if not terms(rest):
        return 1.0 if re.search(r"\b(?:never|not|always)\b", rest) else 0.0
    if _VAGUE.match(rest):
        return 0.5
    named = any(identifier(n) for n in names(rest))
    if not subject:
        return (1.5 if hard or modal.startswith("should") else 1.0) + (
            0.5 if named or re.search(r"\d", rest) else 0.0
        )
    if _PERSON.match(subject):
        standing = re.match(r"\s*(?:not|never|always|only)\b", rest) or modal.endswith(("n't", "nt", " not"))
        if standing and (hard or modal.startswith("should")):
            return 2.0
        return 1.0 if modal.startswith(("must", "should")) else 0.0
    if _DEICTIC.match(subject) or not terms(subject):
        return 2.0 if named and re.match(r"\s*(?:not )?be\b", rest) else 1.0
    if modal in ("need", "needs"):
        return 1.5
    if modal.startswith("can"):
        return 1.0
    if modal in ("need to", "have to") and not _CONCRETE.search(rest):
        return 1.0
    return 2.0
