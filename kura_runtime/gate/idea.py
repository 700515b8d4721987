"""Rule G9: an idea goes to the seeds, where nothing is believed; a report dressed as an idea goes nowhere.

Ideas need no quotes, so "idea" would be the cheapest way round the gate: call the claim an idea, and it is kept. So an idea
must not say that the human decided, approved or wanted anything, nor that anything was settled or found out.
"""

from __future__ import annotations

import re

from kura_runtime.domain.candidate import Candidate, Refusal
from kura_runtime.gate.attribution import People, attributions
from kura_runtime.gate.judgement import is_report
from kura_runtime.text.normalise import fold

IDEA = "idea"

# Settled by nobody named: the passive that hides who is claimed to have decided.
_SETTLED = re.compile(
    r"\b(?:it\s+(?:was|is|has\s+been)|(?:was|were|is|are|has\s+been|have\s+been|been|got|already|now)(?:\s+\w+ly|\s+already)?)\s+(?:decided|approved|agreed|authori[sz]ed|signed\s+off|"
    r"settled|green-?lit|ratified|mandated|rejected|confirmed|verified|validated|accepted|granted)\b|^\W*(?:approved|decided|agreed|decision|confirmed)\s*:|\b(?:approval|permission|consent|clearance)\b[^.!?\n]{0,60}\b(?:given|granted|received|obtained|secured)\b"
    r"|\b(?:team|board|management|company|group|everyone|everybody|we)\s+(?:has\s+|have\s+|already\s+|all\s+)*(?:approved|agreed|decided|accepted|settled|chose|voted)\b"
    r"|\b(?:wurde|wurden|ist|sind)\b[^.!?\n]{0,60}\b(?:beschlossen|genehmigt|entschieden|freigegeben|vereinbart|abgesegnet|bewilligt|festgelegt)\b|\bbeschlossene\s+Sache\b"
    r"|\b(?:hat|haben)\b[^.!?\n]{0,60}\b(?:beschlossen|genehmigt|entschieden|freigegeben|abgesegnet|bewilligt|zugestimmt)\b|\b(?:a|ont|avons)\s+(?:déjà\s+)?(?:validé|approuvé|décidé|accepté|acté)\b"
    r"|\b(?:a|ont|est|sont)\s+(?:déjà\s+)?été\s+(?:décidée?s?|approuvée?s?|validée?s?|convenue?s?|acceptée?s?)\b|\b(?:il\s+a\s+été|c['’]est)\s+(?:décidé|approuvé|validé|acté|convenu)\b"
    r"|\b(?:se|ya\s+se|ya)\s+(?:ha\s+)?(?:decidi[dó]o?|aprob[óa](?:do)?|acord[óa](?:do)?|autoriz[óa](?:do)?)\b|\b(?:fue|ha\s+sido|está|quedó)\s+(?:ya\s+)?(?:decidid|aprobad|acordad|autorizad)[oa]s?\b"
    r"|\bfoi\s+(?:decidid|aprovad|acordad)[oa]\b|\bè\s+stat[oa]\s+(?:decis|approvat|concordat)[oa]\b|\b(?:было|была|уже)\s+(?:решено|одобрено|утверждено|согласовано|одобрена)\b|\b(?:решено|одобрено|утверждено)\b"
    r"|(?:已经?|已获|获得?了?)(?:被)?(?:批准|同意|决定|敲定|通过|授权|确认)|(?:批准|同意|决定)了|已定(?:下来)?|(?:决定|決定|承認|合意|確定|許可|了承)(?:済み|された|されました|した|しました|が(?:出|下り|得られ|取れ))"
    r"|(?:승인|결정|합의|허가|확정)(?:되었|됐|했|받았|을\s?받|이\s?났)|(?:تمت|تم)\s+(?:ال)?(?:موافقة|الموافقة|اعتماد|إقرار|قرار)|تقرر|(?:אושר|הוחלט|סוכם)",
    re.IGNORECASE,
)
# Supposed, asked or wished: nothing is reported.
_SUPPOSED = re.compile(
    r"[?？؟]\s*$|\bwhat\s+if\b|\b(?:could|might|may|would|should|perhaps|maybe|if|once|unless|until|when)\b|\b(?:könnte|sollte|würde|vielleicht|falls|wenn|ob|sobald)\b|\bet\s+si\b|\b(?:pourrait|devrait|peut-être|si)\b|"
    r"\by\s+si\b|\b(?:podría|debería|quizás?|tal\s+vez|cuando)\b|\b(?:может|если|бы|когда)\b|如果|要是|或许|也许|可以考虑|是不是|能不能|たら|なら(?!ない)|かもしれ|だろう|どうか|면\s|까\s?$|어떨|لو\s|ربما|قد\s|إذا",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[.!?;。！？；؟\n])\s*")


def is_idea(kind: str) -> bool:
    """Is this the kind of a candidate that asks for the seeds?"""
    return fold(kind).casefold() == IDEA


def as_fact(candidate: Candidate, people: People) -> Refusal | None:
    """None where the candidate is an idea in substance, else the refusal `idea-as-fact` with the words that report."""
    for place, text in (
        ("topic", candidate.topic),
        ("why", candidate.why),
        ("belongs_because", candidate.belongs_because),
        ("keep", candidate.keep),
        ("may_fade", candidate.may_fade),
    ):
        for credit in attributions(text, people):
            return _refused(place, credit.token, "credits the human")
        if is_report(text):
            return _refused(place, text, "reports something as found out")
        for clause in _CLAUSE.split(text):
            settled = _SETTLED.search(clause)
            if settled and not _SUPPOSED.search(clause):
                return _refused(place, settled.group(), "reports something as settled")
    return None


def _refused(place: str, token: str, note: str) -> Refusal:
    return Refusal("G9", "idea-as-fact", token=token[:120], place=place, note=f"an idea that {note}")
