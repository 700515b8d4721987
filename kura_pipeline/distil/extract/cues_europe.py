"""German, French and Spanish cues."""

from __future__ import annotations

from kura_pipeline.distil.extract.cue import Cue, table

DE: tuple[Cue, ...] = table(
    [
        ("entrusted", 3.0, r"\bmerk(?:e|t)? (?:dir|euch)\b|\bvergiss nicht\b|\bnicht vergessen\b|\bdenk(?:e)? dran\b|\bzur erinnerung\b|\bbehalte?\b.*\bim kopf\b"),
        ("rule", 2.0, r"\bimmer\b(?! noch)|\bnie(?:mals)?\b|\bab (?:jetzt|sofort|heute|nun)\b|\b(?:zu)?künftig\b|\bin zukunft\b|\bgrundsätzlich\b|\bauf keinen fall\b|\bausschließlich\b|\bnur noch\b|\bverboten\b|\bstets\b|\bunter keinen umständen\b"),
        ("rule", 2.0, r"\bbitte (?:nie|nicht|kein\w*)\b"),
        ("rule", 1.5, r"\b(?:soll(?:en|te|ten)?|muss|müssen|darf|dürfen|bleibt|bleiben)\b|\bkeine?n? \w+ mehr\b"),
        ("preference", 2.0, r"\b(?:ich|wir) (?:bevorzuge\w*|hätten? (?:es )?lieber|mag|mögen)\b|\blieber\b|\bbevorzugt\b"),
        ("decision", 2.0, r"\bentschieden\b|\bbeschlossen\b|\babgemacht\b|\bentscheidung\b|\bwir (?:nehmen|bleiben|verwenden|nutzen|setzen auf|wechseln)\b|\bstellen? .* um\b|\bfestgelegt\b"),
        ("correction", 1.5, r"\bnicht\b.{2,40}\bsondern\b|\bdoch nicht\b|\bkorrektur\b|\bstimmt nicht\b"),
        ("warning", 2.0, r"\bvorsicht\b|\bachtung\b|\bfinger weg\b|\baufpassen\b|\bpass(?:t)? auf\b"),
        ("constraint", 1.5, r"\bhöchstens\b|\bmindestens\b|\bmaximal\b|\bspätestens\b|\bfrist\b|\bnur\b"),
        ("contrast", 1.0, r"\bstatt(?:dessen)?\b|\banstelle\b|\bsondern\b|\beigene\b"),
        ("reason", 0.5, r"\bweil\b|\bdamit\b|\bsonst\b|\bdenn\b|\bdeshalb\b|\bdaher\b"),
        ("condition", 0.5, r"\bwenn\b|\bfalls\b|\bsobald\b|\bbis\b|\bsolange\b|\bbevor\b|\bnachdem\b"),
        ("retract", 1.0, r"\bnehme ich zurück\b|\bdoch nicht\b|\bdoch lieber\b|\bwieder zurück\b"),
        ("chore", -2.0, r"^(?:bitte |ok,? |dann |jetzt |kannst du |könntest du )*(?:füge|lies|schreib|lösch|erstell|zeig|prüf|schau|mach|führ|teste|ändere|korrigier|starte?|öffne|erklär|weiter)\w*\b"),
        ("moment", -1.5, r"\bfunktioniert (?:nicht|noch nicht)\b|\bgerade\b|\bimmer noch\b"),
    ]
)  # fmt: skip

FR: tuple[Cue, ...] = table(
    [
        ("entrusted", 3.0, r"\bsouviens-toi\b|\bretiens\b|\bn'oublie pas\b|\bpour mémoire\b|\bgarde en tête\b"),
        ("rule", 2.0, r"\btoujours\b|\bjamais\b|\bdésormais\b|\bdorénavant\b|\bà partir de (?:maintenant|ce jour)\b|\bà l'avenir\b|\bsystématiquement\b|\binterdit\w*\b|\ben aucun cas\b"),
        ("rule", 1.5, r"\bil (?:ne )?faut\b|\b(?:doit|doivent|devrait|devraient)\b|\bn(?:e |')\w+ (?:pas|plus)\b|\bplus de\b"),
        ("preference", 2.0, r"\bje préfère\b|\bnous préférons\b|\bje n'aime pas\b|\bmieux vaut\b|\bje déteste\b"),
        ("decision", 2.0, r"\bdécidé\b|\bdécision\b|\bon (?:part sur|garde|utilise|prend|passe à|reste sur)\b|\bnous (?:utilisons|gardons|passons)\b|\bconvenu\b"),
        ("correction", 1.5, r"\bnon,|\ben fait\b|\bce n'est pas\b.*\bmais\b|\bfinalement\b"),
        ("warning", 2.0, r"\battention\b|\bgare à\b|\bprudence\b"),
        ("constraint", 1.5, r"\bau (?:plus|moins)\b|\bmaximum\b|\bminimum\b|\bdate limite\b|\bseulement\b|\buniquement\b"),
        ("contrast", 1.0, r"\bau lieu de\b|\bplutôt que\b|\bet non\b"),
        ("reason", 0.5, r"\bparce que?\b|\bcar\b|\bsinon\b|\bafin\b|\bpour que\b|\bpuisque\b"),
        ("condition", 0.5, r"\bsi\b|\bquand\b|\blorsqu\w*\b|\btant que\b|\bavant\b|\baprès\b"),
        ("chore", -2.0, r"^(?:ok,? |alors |maintenant |peux-tu |tu peux |merci de )*(?:ajoute|lis|écris|supprime|crée|montre|vérifie|regarde|lance|teste|modifie|corrige|ouvre|explique|continue)\w*\b"),
        ("moment", -1.5, r"\bne marche (?:pas|toujours pas)\b|\ben ce moment\b"),
    ]
)  # fmt: skip

ES: tuple[Cue, ...] = table(
    [
        ("entrusted", 3.0, r"\brecuerda\b|\bacuérdate\b|\bno (?:te )?olvides\b|\bten en cuenta\b|\bque conste\b|\btoma nota\b"),
        ("rule", 2.0, r"\bsiempre\b|\bnunca\b|\bjamás\b|\ba partir de ahora\b|\bde ahora en adelante\b|\ben adelante\b|\ben el futuro\b|\bprohibido\b|\bbajo ningún concepto\b"),
        ("rule", 1.5, r"\b(?:debe|deben|debería|deberían)\b|\bhay que\b|\btienen? que\b|\bno (?:uses|hagas|toques|borres|subas|pongas|cambies|mezcles|ejecutes)\b"),
        ("preference", 2.0, r"\bprefiero\b|\bpreferimos\b|\bme gusta más\b|\bmejor usar\b|\bodio\b"),
        ("decision", 2.0, r"\bdecid(?:imos|ido|í)\b|\bdecisión\b|\bacordado\b|\bacordamos\b|\bnos quedamos con\b|\bvamos con\b|\bpasamos a\b"),
        ("correction", 1.5, r"\bno,|\ben realidad\b|\bno es\b.*\bsino\b|\bcorrección\b"),
        ("warning", 2.0, r"\bcuidado\b|\bojo\b|\batención\b"),
        ("constraint", 1.5, r"\bcomo máximo\b|\bal menos\b|\bmáximo\b|\bmínimo\b|\blímite\b|\bfecha tope\b|\bsolo\b"),
        ("contrast", 1.0, r"\ben vez de\b|\ben lugar de\b|\by no\b|\bsino\b"),
        ("reason", 0.5, r"\bporque\b|\bpara que\b|\bsi no\b|\bde lo contrario\b|\bya que\b"),
        ("condition", 0.5, r"\bsi\b|\bcuando\b|\bmientras\b|\bhasta\b|\bantes\b|\bdespués\b"),
        ("chore", -2.0, r"^(?:ok,? |vale,? |ahora |por favor,? |puedes )*(?:añade|agrega|lee|escribe|borra|elimina|crea|muestra|revisa|mira|ejecuta|prueba|cambia|corrige|arregla|abre|explica|sigue|continúa)\w*\b"),
        ("moment", -1.5, r"\bno funciona\b|\bahora mismo\b"),
    ]
)  # fmt: skip
