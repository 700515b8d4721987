"""How much a human sentence deserves to last: what it does, against what ties it to this very moment."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kura_pipeline.distil.extract import cues_cjk, cues_en, cues_europe
from kura_pipeline.distil.extract.cue import Act, Cue
from kura_pipeline.distil.extract.languages import language_of
from kura_pipeline.distil.extract.norms import deictic, norm
from kura_pipeline.distil.extract.terms import identifier, names, weight
from kura_pipeline.distil.extract.values import dated, given, shape

LASTING = 2.0  # from this on a sentence is worth a memory
_CUES: dict[str, tuple[Cue, ...]] = {
    "en": cues_en.CUES + cues_en.NOTES,
    "zh": cues_cjk.ZH + cues_cjk.ZH_NOTES,
    "ja": cues_cjk.JA + cues_cjk.JA_NOTES,
    "ko": cues_cjk.KO,
    "de": cues_europe.DE,
    "fr": cues_europe.FR,
    "es": cues_europe.ES,
}
_SUPPORTING: frozenset[str] = frozenset({"contrast", "reason", "condition", "opinion", "retract"})
_STANDING: tuple[Act, ...] = ("entrusted", "rule", "preference", "decision")
_QUESTION = re.compile(r"[?？]\s*[\"'”’」]?$|(?:吗|呢|么)[。]?$|(?:です|ます|でしょう|だろう|の)か[。]?$")
_ASSERTIVE = re.compile(
    r"\b(?:i think|i guess|surely)\b.*\bshould\b|^(?!(?:what|why|how|when|who|where|which|is|are|do|does|did|can|could|should)\b).*\bshould be\b",
    re.IGNORECASE,
)
_CALENDAR = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"^(?:これ|それ|あれ|この件|その|(?:这|那)(?:样|个)?(?=[，,。是不要就也都该]|$)|它|이것|그것|그거)"
)


@dataclass(frozen=True, slots=True)
class Weighed:
    """`score` counts; `acts` holds the strongest weight of each act. `pointing`: it needs what stands before it."""

    score: float
    language: str
    acts: dict[str, float] = field(default_factory=dict)
    question: bool = False
    pointing: bool = False
    value: str = ""
    thin: bool = False  # says too little alone
    mixed: bool = False  # a chore stands beside what lasts

    @property
    def lasting(self) -> bool:
        """Worth a memory, as far as its own words go."""
        return self.score >= LASTING

    def main(self) -> str:
        """The act that carries the sentence, or ""."""
        own = {a: w for a, w in self.acts.items() if _carries(a, w)}
        return max(own, key=lambda a: (own[a], a)) if own else ""


def weigh(text: str, *, notes: bool = False) -> Weighed:
    """Weigh one sentence. `notes`: it stands in a file of notes, where nothing is asked of an agent: plain statements of
    fact, opinions and promises count there, and imperatives are rarely chores."""
    flat = " ".join(text.replace("’", "'").split())
    language = language_of(flat)
    acts = _acts(flat, language, notes)
    question = bool(_QUESTION.search(flat))
    if language == "en":
        must = norm(flat)
        if must:
            acts["rule"] = max(acts.get("rule", 0.0), must)
        if re.search(r"\b(?:NOT|NEVER|ALWAYS|MUST|ONLY)\b", text):
            acts["contrast"] = max(acts.get("contrast", 0.0), 0.5)
    value = shape(flat)
    pointing = deictic(flat) if language not in ("zh", "ja", "ko") else bool(_POINTING.match(flat))
    if value and not question and not acts.get("chore"):
        _value(acts, flat, value, notes)
    if notes and _main(acts) < LASTING and _plain_fact(flat, language):
        acts["fact"] = 2.0
    if acts.get("entrusted", 0.0) >= LASTING:
        acts.pop("moment", None)  # the human asks to keep it, of whatever moment it is
    mixed = False
    standing = max((acts.get(a, 0.0) for a in _STANDING), default=0.0)
    if standing >= 2.0 and acts.get("chore", 0.0) > -2.5:
        mixed = acts.pop("chore", 0.0) < 0
    main = _main(acts)
    helping = sum(w for a, w in acts.items() if w > 0 and not _carries(a, w))
    against = sum(w for w in acts.values() if w < 0)
    score = main + helping + against if main > 0 else 0.0
    if main > 0 and any(identifier(n) for n in names(flat)):
        score += 0.5
    if question:
        score = score - 1.0 if _ASSERTIVE.search(flat) else 0.0
    thin = weight(flat) < 2 and not value
    return Weighed(score, language, acts, question, pointing, value, thin, mixed)


def _carries(act: str, weight_: float) -> bool:
    """Can this act alone make a sentence last? An opinion can where it is a noted one."""
    return weight_ > 0 and (act not in _SUPPORTING or (act == "opinion" and weight_ >= LASTING))


def _main(acts: dict[str, float]) -> float:
    return sum(w for a, w in acts.items() if _carries(a, w))


def _acts(flat: str, language: str, notes: bool) -> dict[str, float]:
    acts: dict[str, float] = {}
    for cue in _CUES[language]:
        if cue.notes_only and not notes:
            continue
        if notes and not cue.notes_only and cue.act in ("moment", "chore"):
            continue
        if cue.pattern.search(flat):
            old = acts.get(cue.act, 0.0)
            acts[cue.act] = max(old, cue.weight) if cue.weight > 0 else min(old, cue.weight)
    return acts


def _value(acts: dict[str, float], flat: str, value: str, notes: bool) -> None:
    if value == "hex":
        acts["value"] = 2.0 if given(flat) else 1.5
    elif value == "address" and given(flat):
        acts["value"] = 1.5
    elif value == "figure" and given(flat):
        acts["value"] = 1.5 if notes or dated(flat) else 1.0


def _plain_fact(flat: str, language: str) -> bool:
    """A statement about named things with something to check: a name or a figure, and enough words."""
    if language == "en" and (deictic(flat) or not re.search(r"\b\w+(?:s|ed)\b", flat)):
        return False
    figure = bool(shape(flat))
    return weight(flat) >= 4 and (figure or any(not _CALENDAR.fullmatch(n) for n in names(flat)))
