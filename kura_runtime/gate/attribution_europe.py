"""Credits to the human in German, French, Spanish, and (the commonest forms) Portuguese, Italian and Russian."""

from __future__ import annotations

import re

from kura_runtime.gate.credit import Language, Rule
from kura_runtime.gate.credit import anchors as _stems
from kura_runtime.gate.names import GIVEN_NAMES

_GIVEN = r"(?-i:\b(?:" + GIVEN_NAMES + r")\b(?:\s+[A-ZÀ-Ý][\w'-]+)?)"
_NAMED = re.compile(r"\b(?:" + GIVEN_NAMES + r")\b")
# Without one of its little words a text holds no credit in that language, and its long patterns need not run.
_GERMAN = re.compile(
    r"\b(?:der|die|das|dem|den|des|und|hat|haben|hatte|wurden?|mit|auf|von|vom|zum?|im|ist|wie|nach|laut|wir|Frau|Herrn?|stimmte|will|wollte)\b",
    re.I,
)
_FRENCH = re.compile(
    r"\bl['’]|\b(?:le|la|les|du|des|une?|par|avec|au|aux|il|elle|on|nous|notre|comme|selon|été|Mme|Madame|Monsieur|M\.|a)\b",
    re.I,
)
_SPANISH = re.compile(
    r"\b(?:el|la|los|las|del|al|con|por|se|fue|fueron|ha|han|según|como|su|nuestr[oa]|de|Sra?\.|señora?|don|doña)\b",
    re.I,
)
_PORTUGUESE = re.compile(r"\b(?:[oa]s?|do|da|foi|pel[oa]|com|conforme|ao)\b", re.I)
_ITALIAN = re.compile(r"\b(?:il|lo|la|del|dal|al|come|su|con|per|stat[oa]|ha)\b|['’]utente", re.I)

# --- German ----------------------------------------------------------------------------------------------------
_DE_ROLE = (
    r"(?:Nutzer|Benutzer|Anwender|Kunden?|Auftraggeber|Besitzer|Eigentümer|Inhaber|Mensch(?:en)?|Chef|Betreiber|User|"
    r"Projektleiter|Teamleiter|Leiter|Verantwortlichen?|Admin|Administrator|Betreuer|Vorgesetzten?|Entwickler)(?:in|innen|n|s)?"
)
_DE_HUMAN = (
    rf"\b(?:der|die|dem|den|des|vom|beim|unser(?:e[rmns]?)?)\s+(?:\w+e[nr]?\s+)?{_DE_ROLE}\b(?!-)"
    r"|(?-i:\b(?:Frau|Herrn?|Dr\.|Prof\.)\s+(?:Dr\.\s+)?[A-ZÄÖÜ][\wäöüß-]+(?:\s+[A-ZÄÖÜ][\wäöüß-]+)?)|"
    + _GIVEN
)
_DE_PART = (
    r"(?:genehmigt|entschieden|gebeten|gewünscht|verlangt|gesagt|zugestimmt|beschlossen|angeordnet|bestätigt|erlaubt|"
    r"freigegeben|abgesegnet|gefordert|bevorzugt|vorgezogen|gewollt|gemeint|geschrieben|mitgeteilt|angewiesen|beauftragt|"
    r"eingewilligt|abgenickt|akzeptiert|vorgeschlagen|betont|erklärt|bewilligt|gebilligt|gutgeheißen|autorisiert|festgelegt|"
    r"abgelehnt|untersagt|verboten|angefragt|angefordert|vereinbart|befürwortet|unterschrieben|abgezeichnet|"
    r"(?:sein|ihr)\s+(?:OK|Okay|Einverständnis|Einwilligung|Zustimmung|Ja-?Wort)\s+gegeben|grünes\s+Licht\s+gegeben|ausgewählt|ausgesucht|"
    r"bestanden|gestattet|veranlasst|gewählt|nachgefragt|angekündigt|versprochen|abgenommen|zugesagt|gebeten)"
)
_DE_FINITE = (
    r"(?:will|möchte|wünscht|wünschte|wollte|bevorzugte?|bat|bittet|sagte?|entschied|entscheidet|verlangte?|genehmigte?|"
    r"stimmte?|erlaubte?|beschloss|beschließt|forderte?|meinte?|schrieb|schreibt|bestand|besteht\s+darauf|ordnete?|zieht|zog|mag|"
    r"billigte?|bewilligte?|lehnte?|akzeptierte?|bestätigte?|wies|beauftragte?|findet|fand|wählte|verbot|gab|gibt|"
    r"befürwortete?|teilte|erklärte?|betonte?|legte|segnete?|nickte?|gestattete?|hätte\s+gern|ist\s+(?:einverstanden|dafür|dagegen)|war\s+(?:einverstanden|dafür|dagegen))"
)
_DE_NOUN = (
    r"(?:Zustimmung|Genehmigung|Erlaubnis|Einwilligung|Freigabe|Einverständnis|Wunsch|Wünschen|Bitte|Anweisung|Anordnung|"
    r"Auftrag|Entscheidung|Entscheid|Vorgabe|Verlangen|Geheiß|Okay|OK|Segen|Absprache|Rücksprache|Billigung|Beschluss|Zusage|Autorisierung|Aussage|Worten?)"
)
_DE_IF = r"\b(?:wenn|falls|sobald|ob|bevor|bis|sofern|damit|was|wie|während|wo)\b[^,.;:!?\n]{0,60}$"
_DE_NEEDED = r"\b(?:ohne|braucht|brauchen|erfordert|benötigt|verlangt|fehlt|fehlende[nr]?|ausstehende?[nr]?|wartet\s+auf|bis\s+zur|bedarf|vorbehaltlich|wenn|falls|sobald)\b[^.;\n]{0,40}$"
_DE = (
    Rule(
        rf"\b{_DE_NOUN}\s+(?:durch|seitens)\s+(?:den\s+|die\s+|des\s+|der\s+)?(?:<HUMAN>|{_DE_ROLE}\b)",
        before=_DE_NEEDED,
    ),
    Rule(
        r"\b(?:uns|mir)\s+wurde\b[^.;\n]{0,40}\b(?:gesagt|erlaubt|aufgetragen|zugesagt|gestattet|genehmigt)\b|\bman\s+(?:hat|bat)\s+(?:uns|mich)\b|\bwir\s+(?:wurden|sollen|sollten)\b[^.;\n]{0,40}\b(?:gebeten|beauftragt|angewiesen)\b"
    ),
    Rule(
        head="(?:<HUMAN>)",
        source=rf"[^.,;!?\n]{{0,30}}\s(?:hat|haben|hatte|hatten|habe)\b[^.;!?\n]{{0,90}}?\b{_DE_PART}\b",
        before=r"\b(?:ob|falls|wenn)\b[^,.;:!?\n]{0,40}$",
    ),
    Rule(
        rf"\b(?:hat|haben|hatte|hatten)\s+(?:<HUMAN>)[^.;!?\n]{{0,90}}?\b{_DE_PART}\b",
        before=r"\b(?:ob|falls|wenn)\b[^,.;:!?\n]{0,40}$",
    ),
    Rule(
        head="(?:<HUMAN>)",
        source=rf"[^.;!?\n]{{0,70}}?\b{_DE_PART}\s+(?:hat|haben|hatte|hatten|habe)\b",
        before=_DE_IF,
    ),
    Rule(
        rf"(?:<HUMAN>|\b(?:er|sie)\b)(?:\s+(?:selbst|auch|nun|ausdrücklich|klar|immer|nie|stets|bereits|dann|aber|das|es|dies|dem|der|uns|mir))*\s+{_DE_FINITE}\b",
        before=_DE_IF,
        inside=r"^(?:er|sie)\s+(?:gibt|gab|zieht|zog|legte?|findet|fand|mag|stimmte?|teilte|wies|verlangte?|forderte?|bestätigte?|akzeptierte?|lehnte?|erklärte?|erlaubte?|entscheidet|bestand|wählte|verbot|schreibt|schrieb|will|ordnete?)\b|\bde[snm]\s",
        after=r"\s+(?:sich|automatisch)\b",
    ),
    Rule(
        rf"\b(?:entschied|wünschte?|wollte|will|möchte|bat|verlangte|genehmigte|bevorzugt|sagte|schrieb|erlaubte|bestätigte)\s+(?:es\s+|das\s+)?(?:der|die|unser|unsere)\s+{_DE_ROLE}\b",
        before=_DE_IF,
    ),
    Rule(
        r"\b(?:wurden?|worden|ist|sind|war|waren)\b[^.,;!?\n]{0,70}?\b(?:genehmigt|beschlossen|abgesegnet|vereinbart|bewilligt|autorisiert|gebilligt|entschieden|abgenickt|gutgeheißen|abgestimmt|besprochen|abgesprochen)\b",
        before=_DE_IF + r"|\b(?:muss|müssen|soll|sollen|kann|können|darf|dürfen)\b[^.;\n]{0,40}$",
        inside=r"\b(?:von|vom|durch)\s+(?!(?:<HUMAN>|ihm|ihr|ihnen|allen|oben))|\bautomatisch\b|\bnicht\s+(?:autorisiert|abgestimmt)\b|\b(?:ist|sind|war|waren)\b[^.]*\b(?:abgestimmt)\b",
    ),
    Rule(
        rf"\b{_DE_PART}\s+(?:von|vom|durch)\s+(?:den\s+|die\s+|dem\s+|der\s+)?(?:<HUMAN>|{_DE_ROLE}\b)|\b(?:von|vom|durch)\s+(?:<HUMAN>|{_DE_ROLE}\b(?!-))[^.;!?\n]{{0,40}}?\b{_DE_PART}\b",
        before=_DE_IF,
        after=r"\s+(?:werden|wird|sein)\b",
    ),
    Rule(
        rf"\b(?:mit|auf|nach|laut|gemäß|dank|aufgrund|wegen|unter|per|durch|entsprechend|in)\s+(?:(?:der|dem|die|das|ausdrücklichem|ausdrücklicher|ausdrücklichen|vorheriger|schriftlicher|voller|seiner?|ihrer?|deren|seinem|ihrem|seinen|ihren)\s+)*{_DE_NOUN}\s+(?:(?:des|der|von|vom|durch|mit|seitens)\s+)*(?:den\s+|dem\s+|der\s+|die\s+)?(?:<HUMAN>|{_DE_ROLE}\b)",
        before=_DE_NEEDED,
    ),
    Rule(
        r"\bmit\s+(?:(?:ausdrücklicher|vorheriger|schriftlicher|voller|seiner|ihrer|deren|der|dem|ausdrücklichem|seinem|ihrem)\s+)*(?:Zustimmung|Genehmigung|Erlaubnis|Einwilligung|Einverständnis|Billigung|Segen)\b|\bauf\s+(?:(?:ausdrücklichen|ausdrückliche|seinen|ihren|seine|ihre|eigenen|besonderen)\s+)*(?:Wunsch|Bitte|Anweisung|Anordnung|Geheiß|Verlangen)\b|\bnach\s+(?:Rücksprache|Absprache|Zustimmung|Genehmigung|Abstimmung\s+mit)\b|\bin\s+Absprache\b|\bim\s+(?:Einvernehmen|Auftrag)\s+(?:mit|des|der|von)\b|\bauftragsgemäß\b|\bwunschgemäß\b|\babsprachegemäß\b|\bvereinbarungsgemäß\b",
        before=_DE_NEEDED,
    ),
    Rule(
        r"\bwie\s+(?:(?:vom|von|mit)\s+[^.,;\n]{1,30}\s)?(?:vereinbart|besprochen|gewünscht|beauftragt|abgesprochen|verlangt|gefordert|angewiesen|erbeten|abgestimmt|beschlossen)\b"
    ),
    Rule(r"\b(?:laut|gemäß|zufolge)\s+(?:<HUMAN>)|(?:<HUMAN>)\s+zufolge\b", after=r"[-\w]", saying=True),
    Rule(
        r"\b(?:Zustimmung|Genehmigung|Erlaubnis|Einwilligung|Einverständnis)\b[^.,;\n]{0,50}?\b(?:liegt\s+vor|lag\s+vor|wurde\s+(?:erteilt|gegeben|eingeholt)|erhalten|eingeholt|erteilt|bekommen)\b",
        before=_DE_NEEDED + r"|\b(?:keine|muss|müssen)\b[^.;\n]{0,30}$",
        inside=r"\b(?:muss|müssen|soll|werden\s+muss)\b|\bnicht\b",
    ),
    Rule(
        r"\b(?:das|die|den|dem|der)\s+(?:(?:Wunsch|Wille|Entscheidung|Zustimmung|Einverständnis|Anweisung|Vorgabe|Genehmigung|Erlaubnis)n?)\s+(?:des|der|von|vom)\s+(?:dem\s+|der\s+)?(?:<HUMAN>|"
        + _DE_ROLE
        + r"\b)|\bwir\s+(?:haben\s+(?:uns\s+)?[^.;!?\n]{0,50}?(?:beschlossen|vereinbart|geeinigt|entschieden)|einigten\s+uns|beschlossen|vereinbarten)\b",
        before=_DE_NEEDED,
    ),
)

# --- French ----------------------------------------------------------------------------------------------------
_FR_ROLE = r"(?:utilisat(?:eur|rice)s?|usagers?|client(?:e|s)?|propriétaire|responsable|patronn?e?|chef(?:fe)?|humaine?|développeu(?:r|se)|direction|demandeu(?:r|se)|mainteneu(?:r|se)|administrat(?:eur|rice)|commanditaire|gérante?|directeur|directrice)"
_FR_HUMAN = (
    rf"(?:\b(?:l[ea]|les|notre|nos|du|au|ce|cette|mon|ma|son|sa)\s+|\b(?:l|de\sl|à\sl)['’]\s?)(?:\w+\s)?{_FR_ROLE}\b(?!-)"
    r"|(?-i:\b(?:Mme|Madame|Monsieur|M\.|Mlle|Dr)\s+[A-ZÀ-Ý][\wà-ÿ'-]+)|" + _GIVEN
)
_FR_PART = (
    r"(?:approuvé|validé|demandé|décidé|souhaité|voulu|préféré|dit|écrit|autorisé|accepté|confirmé|exigé|ordonné|insisté|"
    r"consenti|choisi|indiqué|précisé|permis|refusé|interdit|tranché|proposé|suggéré|réclamé|mentionné|signalé|expliqué|promis|"
    r"opté|avalisé|entériné|convenu|acquiescé|affirmé|déclaré|rejeté|imposé|tenu\s+à|fait\s+savoir|donné\s+(?:\w+\s+){0,2}?(?:accord|feu\s+vert|aval|consentement|permission|autorisation|approbation|instruction|consigne|ordre|ok))(?:e|s|es)?"
)
_FR_FILL = r"(?:\s+(?:a|ont|avait|avaient|aurait|nous|m['’]a|l['’]a|l['’]ont|l['’]avait|les|lui|n['’]a|n['’]ont|pas|jamais|en|y|aussi|déjà|bien|clairement|explicitement|expressément|finalement|toujours|ensuite|lui-même|elle-même|formellement|personnellement|également|encore|d['’]abord|vous|t['’]a|nous\s+a|vous\s+a|même|donc|alors)\b)*"
_FR_NOW = r"(?:veut|veulent|souhaite|souhaitent|préfère|préfèrent|exige|dit|approuve|accepte|décide|autorise|insiste|aime|tient\s+à|refuse|voulait|souhaitait|préférait|demandait|consent|valide|confirme|désire|déteste|estime|pense|est\s+d['’]accord|était\s+d['’]accord|écrit|demande|aimerait|voudrait|préférerait|donna|décida|approuva|demanda)"
_FR_NOUN = r"(?:accord|approbation|aval|feu\s+vert|autorisation|permission|consentement|bénédiction|assentiment|agrément|demande|instructions?|ordres?|décision|souhait|volonté|choix|consignes?|vœu|requête\s+expresse)"
_FR_IF = r"\b(?:quand|lorsqu|lorsque|si|dès\s+qu|chaque\s+fois|avant|pour\s+qu|ce\s+qu|tant\s+qu|jusqu|comment)\w*['’]?\b[^,.;:!?\n]{0,60}$"
_FR_NEEDED = r"\b(?:sans|nécessite|requiert|exige|attend|attendre|en\s+attente|besoin|faut|si|jusqu['’]à|sous\s+réserve|manque|dépend)\b[^.;\n]{0,40}$"
_FR = (
    Rule(rf"\bon\s+(?:nous|m['’]|vous|lui|leur)\s?a\s+(?:\w+ment\s+)?{_FR_PART}\b"),
    Rule(
        head="(?:<HUMAN>)",
        source=rf"{_FR_FILL}\s+(?:a|ont|avait|avaient|m['’]a|l['’]a|n['’]a|n['’]ont|nous\s+a|l['’]avait|l['’]ont|vous\s+a|aurait|y\s+a|en\s+a|lui\s+a)(?:\s+(?:explicitement|expressément|clairement|déjà|bien|aussi|finalement|pas|jamais|toujours|lui-même|formellement|également|donc|ensuite|alors|même|personnellement|encore|été))*\s+{_FR_PART}\b",
        before=r"\b(?:si)\b[^,.;:!?\n]{0,30}$",
        inside=r"\bété\b",
    ),
    Rule(
        rf"(?:<HUMAN>|\b(?:il|elle|ils|elles|on)\b){_FR_FILL}\s+{_FR_NOW}\b",
        before=_FR_IF,
        inside=r"^(?:il|elle|ils|elles|on)\s+(?:\S+\s+)*(?:exige|accepte|autorise|refuse|valide|confirme|demande|demandait|écrit|dit|permet|consent|décide|pense|estime|approuve|veut|veulent)\b",
    ),
    Rule(
        r"\b(?:il|elle|ils|elles)\s+(?:(?:nous|m['’]|l['’])\s*)?(?:a|ont|avait)(?:\s+\w+ment|\s+déjà|\s+aussi)?\s+(?:approuvé|donné\s+(?:son|leur)\s+(?:accord|aval|consentement)|demandé\s+(?:de|que)|décidé|souhaité|préféré|insisté|consenti)\b"
    ),
    Rule(
        r"\b(?:a|ont|avait|avaient|fut|furent)\s+(?:été\s+)?(?:\w+ment\s+|déjà\s+|bien\s+|aussi\s+)*(?:approuvée?s?|validée?s?|autorisée?s?|décidée?s?|convenue?s?|entérinée?s?|avalisée?s?|actée?s?)\b",
        before=r"\b(?:si|quand|une\s+fois|jusqu\w*)\b[^,.;:!?\n]{0,40}$",
        inside=r"^(?:a|ont|avait|avaient)\s+(?!été)",
        after=r"\s+(?:automatiquement\b|(?:par|contre|avec|via)\s+(?!<HUMAN>|(?:la\s+direction|tous|eux|lui)\b))",
    ),
    Rule(
        rf"\b{_FR_PART}\s+par\s+(?:<HUMAN>)", before=_FR_IF + r"|\b(?:doit|doivent|peut|peuvent)\s+être\s+$"
    ),
    Rule(
        rf"\b(?:avec|à|sur|après|selon|suite\s+à|suivant|conformément\s+à|d['’]après|par|sous|grâce\s+à|vu|moyennant|obtenu|reçu)\s*(?:l['’]\s?|l[ea]\s+|les\s+|un\s+|son\s+|sa\s+|leur\s+)?(?:\w+\s+)?{_FR_NOUN}(?:\s+(?:explicite|exprès|expresse|préalable|formel|formelle|écrit|écrite))?\s+(?:de\s+|d['’]|des\s+)?\s?(?:<HUMAN>)",
        before=_FR_NEEDED,
    ),
    Rule(
        rf"\b(?:l['’]\s?|l[ea]\s+|les\s+|aux?\s+|du\s+){_FR_NOUN}\s+(?:\w+\s+)?(?:de\s+)?(?:<HUMAN>)",
        before=_FR_NEEDED,
        inside=r"^l[ea]s?\s+(?:demande|choix)\b",
        after=r"\s+(?:est|sont)\s+(?:requise?s?|nécessaires?)",
    ),
    Rule(
        r"\bavec\s+(?:(?:l['’]\s?|le\s+|la\s+|son\s+|sa\s+|leur\s+|mon\s+))(?:plein\s+)?(?:accord|approbation|aval|feu\s+vert|consentement|bénédiction|assentiment)\b|\b(?:à|sur)\s+(?:sa|leur|la)\s+demande\s+(?:expresse|explicite)\b|\bà\s+(?:sa|leur)\s+demande\b|\b(?:comme|tel\s+que)\s+(?:convenu|demandé|décidé|souhaité|exigé|entendu)\b|\b(?:ainsi\s+)?qu?['’]?\s?il\s+a\s+été\s+(?:décidé|convenu|demandé)\b|\bd['’]un\s+commun\s+accord\b|\b(?:l['’]accord|l['’]aval|le\s+feu\s+vert|l['’]approbation|l['’]autorisation)\s+(?:\w+\s+)?a\s+été\s+(?:donnée?|obtenue?|reçue?|accordée?)\b|\b(?:a|ont|avons)\s+(?:obtenu|reçu)\s+(?:l['’]accord|l['’]aval|le\s+feu\s+vert|l['’]approbation|son\s+accord|leur\s+accord)\b|\b(?:nous\s+avons|on\s+a)\s+(?:\w+\s+)?(?:décidé|convenu)\b",
        before=_FR_NEEDED,
    ),
    Rule(
        r"\b(?:selon|d['’]après|aux\s+dires\s+de|pour)\s+(?:<HUMAN>)",
        before=r"",
        inside=r"^pour\b",
        saying=True,
    ),
)

# --- Spanish ---------------------------------------------------------------------------------------------------
_ES_ROLE = r"(?:usuari[oa]s?|client[ea]s?|dueñ[oa]|propietari[oa]|jef[ea]|responsable|persona|operador[a]?|encargad[oa]|director[a]?|humano|desarrollador[a]?|solicitante|administrador[a]?|dirección|mantenedor[a]?)"
_ES_HUMAN = (
    rf"\b(?:el|la|los|las|del|al|nuestr[oa]|este|esta|su)\s+(?:\w+\s)?{_ES_ROLE}\b(?!-)"
    r"|(?-i:\b(?:Sr\.|Sra\.|Srta\.|Señora?|señora?|Don|Doña|don|doña|D\.|Dr\.|Dra\.)\s+[A-ZÁÉÍÓÚÑ][\wáéíóúñ-]+)|"
    + _GIVEN
)
_ES_PART = r"(?:aprobado|pedido|solicitado|decidido|querido|preferido|dicho|escrito|autorizado|aceptado|confirmado|exigido|insistido|ordenado|permitido|consentido|elegido|acordado|mandado|indicado|propuesto|sugerido|rechazado|prohibido|validado|dado\s+(?:\w+\s+){0,2}?(?:visto\s+bueno|aprobación|permiso|consentimiento|ok|luz\s+verde|conformidad|instrucciones?|orden))"
_ES_PAST = r"(?:aprobó|pidió|solicitó|decidió|quería|quiso|prefirió|prefería|dijo|escribió|autorizó|aceptó|confirmó|exigió|insistió|ordenó|permitió|consintió|eligió|acordó|mandó|indicó|propuso|sugirió|rechazó|prohibió|validó|firmó|avaló|deseaba|mencionó|explicó|comentó|afirmó|rogó|optó|encargó|dio\s+(?:\w+\s+){0,2}?(?:visto\s+bueno|aprobación|permiso|consentimiento|ok|luz\s+verde|conformidad|orden|instrucciones?)|aprobaron|pidieron|decidieron|solicitaron|acordaron|dijeron|autorizaron|aceptaron)"
_ES_NOW = r"(?:quiere|quieren|prefiere|prefieren|desea|pide|dice|exige|insiste|aprueba|acepta|decide|autoriza|le\s+gusta|rechaza|opina|está\s+de\s+acuerdo|estaba\s+de\s+acuerdo|estuvo\s+de\s+acuerdo|quisiera|considera)"
_ES_FILL = r"(?:\s+(?:lo|la|le|los|las|nos|me|se|ya|también|explícitamente|expresamente|claramente|siempre|no|nunca|ha|han|había|habían|finalmente|personalmente|mism[oa]|aún|todavía|además|luego|verbalmente|formalmente|así|te|os)\b)*"
_ES_NOUN = r"(?:aprobación|visto\s+bueno|permiso|consentimiento|autorización|acuerdo|ok|beneplácito|conformidad|petición|pedido|solicitud|orden|órdenes|decisión|deseo|encargo|indicación|indicaciones|instrucciones|instrucción|voluntad|preferencia|aval|luz\s+verde)"
_ES_IF = r"\b(?:cuando|si|siempre\s+que|antes\s+de\s+que|hasta\s+que|en\s+cuanto|para\s+que|cada\s+vez|lo\s+que|donde|mientras|al)\b[^,.;:!?\n]{0,60}$"
_ES_NEEDED = r"\b(?:sin|requiere|requieren|necesita|necesitan|exige|espera|esperando|pendiente|falta|hace\s+falta|si|hasta|sujeto\s+a|depende)\b[^.;\n]{0,40}$"
_ES = (
    Rule(
        r"\b(?:nos|me)\s+(?:pidieron|dijeron|autorizaron|ordenaron|encargaron|solicitaron|dieron\s+(?:el\s+|su\s+)?(?:luz|permiso|visto|ok)|pidió|autorizó|ordenó|encargó|han\s+(?:pedido|autorizado|dicho|dado\s+permiso))\b"
    ),
    Rule(
        head="(?:<HUMAN>)",
        source=rf"{_ES_FILL}\s+(?:{_ES_PAST}|(?:ha|han|había|habían|haya)(?:\s+\w+mente|\s+ya)?\s+{_ES_PART})\b",
        before=r"\bsi\b[^,.;:!?\n]{0,30}$",
    ),
    Rule(
        head="(?:<HUMAN>)",
        source=rf"{_ES_FILL}\s+{_ES_PART}\b",
        before=r"\bsi\b[^,.;:!?\n]{0,30}$",
        inside=r"^(?!.*\b(?:ha|han|había|habían)\b).*$",
    ),
    Rule(head="(?:<HUMAN>)", source=rf"{_ES_FILL}\s+{_ES_NOW}\b", before=_ES_IF),
    Rule(rf"\b(?:{_ES_PAST}|(?:ha|han|había)\s+{_ES_PART})\s+(?:el|la|nuestr[oa])\s+{_ES_ROLE}\b"),
    Rule(
        r"\b(?:fue|fueron|ha\s+sido|han\s+sido|había\s+sido|quedó|quedaron|está|están|estaba)\s+(?:\w+mente\s+|ya\s+)*(?:aprobad[oa]s?|acordad[oa]s?|decidid[oa]s?|pactad[oa]s?|consensuad[oa]s?)\b|\b(?:fue|fueron|ha\s+sido|han\s+sido)\s+(?:\w+mente\s+|ya\s+)*autorizad[oa]s?\b|\bse\s+(?:acordó|decidió|aprobó|autorizó|pidió|convino)\b",
        before=r"\b(?:si|cuando|hasta|una\s+vez)\b[^,.;:!?\n]{0,40}$",
        after=r"\s+(?:automáticamente\b|(?:por|mediante|vía|con)\s+(?!<HUMAN>|(?:la\s+dirección|todos|ellos|él|ella)\b))",
    ),
    Rule(
        rf"\b(?:{_ES_PART}|aprobad[oa]s?|autorizad[oa]s?|solicitad[oa]s?|pedid[oa]s?|decidid[oa]s?|acordad[oa]s?|exigid[oa]s?|ordenad[oa]s?)\s+(?:por|con)\s+(?:<HUMAN>)",
        before=_ES_IF + r"|\b(?:debe|deben|puede|pueden)\s+ser\s+$",
    ),
    Rule(
        rf"\b(?:con|a|por|según|bajo|tras|previ[oa]|conforme\s+a|de\s+acuerdo\s+con|gracias\s+a|mediante|obtenid[oa])\s+(?:(?:el|la|los|las|un|una|su|expres[oa]|explícit[oa]|previ[oa])\s+)*{_ES_NOUN}(?:\s+(?:expres[oa]|explícit[oa]|previ[oa]|formal))?\s+(?:de\s+)?(?:<HUMAN>)",
        before=_ES_NEEDED,
    ),
    Rule(
        rf"\b(?:el|la|los|las)\s+{_ES_NOUN}\s+(?:\w+\s+)?(?:de\s+)?(?:<HUMAN>)",
        before=_ES_NEEDED,
        inside=r"^(?:la|las|el|los)\s+(?:solicitud|pedido|petición|orden|permiso)\b",
        after=r"\s+(?:es|son)\s+(?:necesari|obligatori|requerid)",
    ),
    Rule(
        r"\bcon\s+(?:el|la|su)\s+(?:visto\s+bueno|aprobación|consentimiento|beneplácito|aval|expresa?\s+\w+)\b|\bcon\s+su\s+(?:permiso|acuerdo|ok|autorización)\b|\ba\s+(?:su\s+)?petición\s+(?:expresa|suya|propia|explícita)\b|\ba\s+petición\s+suya\b|\bpor\s+(?:su\s+)?(?:petición|encargo|orden|expreso\s+deseo)\s+(?:suya|suyo|expresa|expreso|de\s+(?:<HUMAN>))\b|\b(?:según|conforme\s+a)\s+lo\s+(?:acordado|pedido|solicitado|hablado|convenido|indicado|decidido)\b|\b(?:como|tal\s+como)\s+(?:se\s+)?(?:acordó|acordado|acordamos|pidió|solicitó|lo\s+pidió|decidió|convenido|quedamos)\b|\bde\s+común\s+acuerdo\b|\b(?:recibió|obtuvo|se\s+obtuvo|tiene|cuenta\s+con|contamos\s+con|hay)\s+(?:ya\s+)?(?:el|la|su|luz)\s+(?:visto\s+bueno|aprobación|consentimiento|verde|ok)\b|\b(?:acordamos|decidimos|hemos\s+(?:acordado|decidido))\b",
        before=_ES_NEEDED,
    ),
    Rule(r"\bsegún\s+(?:<HUMAN>)|\ben\s+palabras\s+(?:de\s+)?(?:<HUMAN>)", saying=True),
)

# --- Portuguese, Italian -----------------------------------------------------------------------------------------
_PT_HUMAN = r"\b(?:[oa]s?|d[oa]|ao|pel[oa]|noss[oa])\s+(?:usuári[oa]|utilizador[a]?|cliente|don[oa]|proprietári[oa]|chefe|responsável|gerente)\b(?!-)"
_PT = (
    Rule(
        r"(?:<HUMAN>)(?:\s+(?:já|também|não|nos|me|explicitamente))*\s+(?:aprovou|pediu|solicitou|decidiu|quer|queria|prefere|preferiu|disse|escreveu|autorizou|aceitou|confirmou|exigiu|insistiu|ordenou|permitiu|concordou|escolheu|deu\s+(?:\w+\s+)?(?:aprovação|permissão|aval|ok|luz\s+verde))\b",
        before=r"\b(?:se|quando)\b[^,.;:!?\n]{0,40}$",
    ),
    Rule(
        r"\b(?:a\s+pedido|com\s+(?:a\s+)?(?:aprovação|permissão|autorização|consentimento|aval|acordo)|por\s+(?:decisão|ordem)|segundo|conforme\s+(?:pedido|solicitado)\s+pel[oa])\s*(?:<HUMAN>)|\bfoi\s+(?:aprovad[oa]|autorizad[oa]|acordad[oa]|decidid[oa])\b(?!\s+(?:pel[oa]|por)\s+(?!usu|util|cli|don|pro))|\bconforme\s+(?:combinado|acordado)\b"
    ),
)
_IT_HUMAN = r"(?:\b(?:il|la|lo|del|dal|al|nostro|nostra)\s+|\b(?:l|dell|dall|all)['’])(?:utente|cliente|proprietari[oa]|capo|responsabile|committente)\b(?!-)"
_IT = (
    Rule(
        r"(?:<HUMAN>)(?:\s+(?:ci|mi|già|anche|non|lo|l'))*\s*\s(?:ha|aveva|hanno)(?:\s+\w+mente|\s+già)?\s+(?:approvato|chiesto|richiesto|deciso|voluto|preferito|detto|scritto|autorizzato|accettato|confermato|preteso|insistito|ordinato|permesso|acconsentito|scelto|dato\s+(?:\w+\s+){0,2}(?:approvazione|permesso|consenso|benestare|ok|via\s+libera))\b|(?:<HUMAN>)\s+(?:vuole|preferisce|desidera)\b",
        before=r"\b(?:se|quando)\b[^,.;:!?\n]{0,40}$",
    ),
    Rule(
        r"\b(?:su\s+richiesta|con\s+(?:l['’]approvazione|il\s+permesso|il\s+consenso|l['’]autorizzazione|il\s+benestare|l['’]accordo)|per\s+(?:decisione|ordine|volere)|secondo|a\s+detta)\s*(?:<HUMAN>)|\b(?:è|era|fu|viene|venne)\s+(?:stat[oa]\s+)?(?:approvat|autorizzat|concordat|decis|richiest|confermat|scelt|volut|ordinat|chiest)[oaie]\s+(?:da\s+)?(?:<HUMAN>)|\bè\s+stat[oa]\s+(?:approvat[oa]|autorizzat[oa]|concordat[oa]|decis[oa])\b(?!\s+da)|\bcome\s+(?:concordato|richiesto|deciso)\b"
    ),
)

# --- Russian ---------------------------------------------------------------------------------------------------
_RU_HUMAN = r"\b(?:пользовател(?:ь|ем|я|ю|и|ей)|заказчик(?:ом|а|у|и)?|клиент(?:ом|а|у)?|владел(?:ец|ьцем|ьца|ьцу)|начальник(?:ом|а)?|хозяин(?:ом|а)?|руководител(?:ь|ем|я))\b"
_RU = (
    Rule(
        r"(?:<HUMAN>)(?:\s+(?:уже|также|явно|лично|не|нам|мне|сам|прямо))*\s+(?:одобрил|попросил|решил|хочет|хотел|предпочитает|предпочёл|предпочел|сказал|написал|разрешил|согласился|подтвердил|потребовал|настоял|велел|запретил|утвердил|выбрал|просит|поручил|дал\s+(?:добро|согласие|разрешение))[аи]?\b",
        before=r"\b(?:если|когда)\b[^,.;:!?\n]{0,40}$",
    ),
    Rule(
        r"\b(?:по\s+(?:просьбе|решению|запросу|указанию|желанию|требованию)|с\s+(?:согласия|разрешения|одобрения)|со\s+слов|с\s+ведома)\s+(?:<HUMAN>)|\b(?:одобрен|утвержд[её]н|согласован)[аоы]?\b(?!\s+(?:автоматически|[а-я]+(?:ом|ой|ем)\b(?<!пользователем)(?<!заказчиком)(?<!владельцем)))|\bкак\s+(?:договорились|договаривались|просили|согласовано)\b|\bпо\s+(?:договор[её]нности|согласованию)\b",
        before=r"\b(?:если|когда|без|не|должен|должна|требует)\b[^,.;:!?\n]{0,30}$",
    ),
)

_DE_ANCHORS = _stems(
    r"""
    \bman\b \buns\b \bmir\b nutzer anwender kunde auftraggeber besitzer eigentümer inhaber mensch chef betreiber user leiter
    verantwortlich admin betreuer vorgesetzt entwickler \ber\b \bsie\b \bwir\b frau herr dr. prof.
    genehmig beschlo abgesegnet vereinbar bewillig autoris gebillig billigung entsch abgenickt gutgehei
    abgestimmt abstimmung besproch absprache abgesproch zustimm erlaub einwillig einverst segen wunsch
    wünsch bitte anweisung angewiesen anordnung geheiß verlang rücksprache einvernehmen auftrag
    gefordert erbeten
    """
)
_FR_ANCHORS = _stems(
    r"""
    utilisat usager client propriétaire responsable patron chef humain développeu direct demande
    mainteneu administrat commanditaire gérant \bil\b \belle\b \bils\b \belles\b \bon\b approuv valid
    autoris décid conven entérin avalis acté accord approbation aval feu_vert consentement bénédiction
    assentiment souhait exig entendu permission nous mme madame monsieur m. mlle dr
    """
)
_ES_ANCHORS = _stems(
    r"""
    \bnos\b \bme\b usuari client dueñ propietari jef responsable persona operador encarg direc humano desarrollador
    solicit administrador mantenedor aprob acord acuerd decid pactad consens autoriz pidió pedido conven
    convino visto_bueno beneplácito aval permiso petición orden deseo luz_verde hablado indica quedamos
    \bok\b sr. sra. srta. señor don doña d. dr
    """
)
_PT_ANCHORS = _stems(
    r"""
    usuári utilizador cliente don proprietári chefe responsável gerente aprovad autorizad acordad
    decidid combinado
    """
)
_IT_ANCHORS = _stems(
    r"""
    utente client proprietari capo responsabile committente approvat autorizzat concordat decis richiest
    """
)
_RU_ANCHORS = _stems(
    r"""
    пользовател заказчик клиент владел начальник хозя руководител одобр утвержд согласован договор
    просили
    """
)
LANGUAGES = (
    Language("de", _GERMAN, _DE_HUMAN, _DE, anchors=_DE_ANCHORS, named=_NAMED),
    Language("fr", _FRENCH, _FR_HUMAN, _FR, anchors=_FR_ANCHORS, named=_NAMED),
    Language("es", _SPANISH, _ES_HUMAN, _ES, anchors=_ES_ANCHORS, named=_NAMED),
    Language("pt", _PORTUGUESE, _PT_HUMAN, _PT, anchors=_PT_ANCHORS),
    Language("it", _ITALIAN, _IT_HUMAN, _IT, anchors=_IT_ANCHORS),
    Language("ru", re.compile("[а-яА-Я]"), _RU_HUMAN, _RU, anchors=_RU_ANCHORS),
)
