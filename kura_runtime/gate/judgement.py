"""Rule G4: a first-person judgement, told from a bare fact and from a report that only wears the first person.

The agent's own prose proves nothing about the world, but it may say what the agent thinks. "I think the queue is the
bottleneck" is such a judgement; "the queue is the bottleneck" and "I verified that the restore works" are facts
without evidence, whatever their grammar.
"""

from __future__ import annotations

import re

from kura_runtime.gate.credit import pattern
from kura_runtime.text.plainview import plain

_ADVERB = r"(?:(?:still|also|personally|honestly|currently|just|really|do|would|now|rather|strongly|tend\s+to|am\s+inclined\s+to)\s+)*"
_OPINION = pattern(
    rf"""
    \bI\s+{_ADVERB}(?:think|believe|feel|suspect|guess|reckon|prefer|favou?r|suppose|assume|doubt|expect|judge|consider|lean|like|
    recommend|suggest|propose|argue|hold|hope|imagine|worry|fear|regard|see\s+(?:it|this)\s+as|rate|value|thought|believed|felt|suspected)\b
    |\bI(?:'d|\s+would|\s+might|\s+could)\s+(?:say|argue|rather|prefer|guess|bet|call|choose|pick|go\s+with|put|keep|lean|recommend|suggest|expect|think|like|judge|avoid|split|move|use|start|rank|trust)\b
    |\bI(?:'m|\s+am)\s+(?:inclined|leaning|tempted|sceptical|skeptical|of\s+the\s+opinion|of\s+the\s+view|not\s+sure|unsure|not\s+convinced|wary|in\s+favou?r|under\s+the\s+impression|guessing|worried)\b
    |\bI\s+{_ADVERB}find\s+(?!that\b|out\b)[^.;!?\n]{{1,80}}?\b(?:\w+er|more|less|better|worse|too|nicer|simple|clean|clear|hard|easy|odd|ugly|elegant|convincing|confusing|awkward|natural|\w+ing|\w+able|\w+ful)\b
    |\b(?:in|to|from)\s+my\s+(?:own\s+|personal\s+|humble\s+|honest\s+)?(?:view|opinion|judge?ment|mind|eyes|estimation|reading|impression|perspective|point\s+of\s+view|taste|experience)\b
    |\bmy\s+(?:own\s+|personal\s+|honest\s+|current\s+|first\s+|working\s+)?(?:view|opinion|judge?ment|guess|hunch|feeling|impression|suspicion|take|sense|assessment|preference|bet|recommendation|belief|reading|hypothesis|inclination|instinct|verdict|theory|gut\s+feeling)\b
    |\b(?:it\s+)?(?:seems|looks|appears|feels)\s+to\s+me\b|\bstrikes\s+me\s+as\b|\bif\s+you\s+ask\s+me\b|\bas\s+I\s+see\s+it\b|\bIMH?O\b|\bas\s+far\s+as\s+I\s+can\s+(?:judge|tell)\b
    |\b(?:the\s+)?agent(?:'s)?\s+(?:own\s+)?(?:opinion|view|judge?ment|impression|hunch|guess|thinks|believes|suspects|prefers|judges|feels|considers|finds)\b
    |\b(?:opinion|judge?ment|hunch|impression|guess)\s*(?:of\s+the\s+agent\s*)?:
    |\b(?:meiner|unserer)\s+(?:(?:persönlichen|bescheidenen|eigenen)\s+)?(?:Meinung|Ansicht|Auffassung|Einschätzung)\b|\bmeines\s+Erachtens\b|\bm\.\s?E\.|\baus\s+meiner\s+Sicht\b
    |\bmein(?:e|er|em|en)?\s+(?:\w+e\s+)?(?:Eindruck|Einschätzung|Meinung|Urteil|Vermutung|Gefühl|Ansicht|Empfehlung|Verdacht|Bauchgefühl|Auffassung|Sicht)\b
    |\bich\s+(?:(?:persönlich|selbst|eher|auch)\s+)?(?:denke|glaube|finde|meine|vermute|schätze|empfehle|würde|bevorzuge|halte|tippe|neige|bezweifle|fürchte|hoffe|nehme\s+an|ziehe\s+[^.;\n]{{1,60}}\bvor|sehe\s+(?:das|es)\s+(?:so|als)|rate)\b
    |\b(?:denke|glaube|finde|meine|vermute|schätze|halte|würde|empfehle)\s+ich\b|\bmir\s+(?:scheint|kommt|erscheint)\b|\b(?:scheint|erscheint)\s+mir\b|\bnach\s+meinem\s+(?:Eindruck|Gefühl|Dafürhalten|Urteil)\b
    |\bje\s+(?:(?:ne\s+)?(?:le\s+|la\s+)?)?(?:pense|crois|trouve|estime|suppose|préfère|soupçonne|dirais|juge|considère|recommande|suggère|doute|penche|conseille|préférerais|parie|crains|choisirais|garderais|proposerais)\b
    |\bj['’](?:ai\s+(?:l['’]impression|le\s+sentiment)|estime|imagine|aime(?:rais)?\s+mieux|opterais|éviterais|hésite)|\bà\s+mon\s+(?:humble\s+)?(?:avis|sens)\b|\b(?:selon|d['’]après)\s+moi\b|\bpour\s+moi,|\bil\s+me\s+semble\b|\bme\s+(?:semble|paraît)\b|\bm(?:on|a)\s+(?:\w+\s+)?(?:avis|impression|opinion|sentiment|jugement|intuition|préférence|hypothèse)\b
    |\b(?:yo\s+)?(?:creo|pienso|opino|considero|intuyo|sospecho|supongo|prefiero|diría|recomiendo|sugiero|dudo|estimo|juzgo|preferiría|apostaría|me\s+inclino|temo|elegiría)\b|\bme\s+parece\b|\ba\s+mi\s+(?:juicio|parecer|entender|modo\s+de\s+ver|ver)\b|\b(?:en|según)\s+mi\s+(?:\w+\s+)?(?:opinión|impresión|criterio|experiencia)\b|\bmi\s+(?:\w+\s+)?(?:opinión|impresión|juicio|intuición|parecer|preferencia|sospecha|recomendación|hipótesis)\b|\bdesde\s+mi\s+punto\s+de\s+vista\b|\btengo\s+la\s+(?:impresión|sensación)\b
    |\b(?:eu\s+)?acho\s+que\b|\bna\s+minha\s+opinião\b|\ba\s+meu\s+ver\b|\bsecondo\s+me\b|\b(?:io\s+)?(?:credo|penso)\s+che\b|\ba\s+mio\s+(?:avviso|parere)\b|\bпо-моему\b|\bна\s+мой\s+взгляд\b|\bя\s+(?:думаю|считаю|полагаю|подозреваю|бы\s+\w+)\b|\bмне\s+кажется\b
    |(?:我|笔者|本人|个人|個人)(?:个人|個人|还是|仍然|也|比较|更|倾向于|的感觉是|本人|暂时|更加|目前|倒){{0,2}}(?:认为|認為|觉得|覺得|想是|猜|怀疑|懷疑|倾向|傾向|推测|推測|估计|估計|建议|建議|相信|感觉|感覺|主张|看好|更喜欢|喜欢|偏好|推荐|推薦|判断|判斷|会选|宁愿|担心)
    |(?:依|照|据|按)我(?:的)?(?:看|判断|理解|经验)|在我看来|在我看來|以我之见|我的(?:个人|初步)?(?:判断|判斷|看法|意见|意見|感觉|印象|直觉|猜测|观点|建议|理解|评价|倾向)|我(?:个人)?的?看法|我看[，,]|个人(?:认为|觉得|看法|意见|观点)|私以为|窃以为
    |(?:と|よう(?:に|な)|では|だろうと)(?:私(?:は|に(?:は)?)|個人的に(?:は)?|、)?(?:思う|思い|思って|思われ|考える|考えま|考えて(?:い|お)|感じ(?:る|ま|て|た)|見て(?:い|お)る|推測|推察|判断して)|気がする|気がしま|ではないか|のではない|かもしれないと|だろうか|私(?:見|の(?:判断|意見|見立て|考え|印象|感覚|推測|直感|感想|評価|好み|見方|所感))|個人的(?:に|な)|自分(?:の(?:判断|意見|考え|見立て|印象|感覚)|としては)|わたしの(?:判断|意見|考え|印象)|僕は|私としては|私なら|好ましいと|が良さそう|所感|の印象(?:だ|です|を受け|である)|ように見える|見立て(?:では|だ|です)|感想(?:だ|です|として)
    |(?:제|내|나의|저의|개인적인?)\s?(?:생각|의견|판단|느낌|인상|추측|견해|소견|직감|평가|취향)|개인적으로|(?:라고|다고|고|할|일)\s?(?:생각|봅니다|본다|느낀|느껴|추측|판단합|판단한|짐작|여긴|여깁|믿)|것\s?같(?:다|습니|아)|듯하다|듯합니다|저는\s[^.\n]{{1,60}}(?:봅니다|생각|선호합|추천합)|나는\s[^.\n]{{1,60}}(?:본다|생각|선호한|추천한)|보기에는?\s|제가\s보기|내가\s보기
    |(?<!\w)[وف]?(?:أعتقد|اعتقد|أظن|اظن|أرى|ارى|أفضل\s+(?:أن|ان|استخدام|ال)|أحسب|أرجح|ارجح|أميل|اميل|أشك|اشك|أقترح|اقترح|أنصح|انصح|أشعر|اشعر|أخمن|أتوقع|اتوقع|أقدر|أحبذ)(?!\w)|(?:في|ب|حسب|على)\s?(?:رأيي|رايي|تقديري|نظري)|من\s+وجهة\s+نظري|من\s+وجهه\s+نظري|(?:رأيي|رايي|تقديري|انطباعي|حدسي|ظني|حكمي|شعوري)(?!\w)|يبدو\s+لي|في\s+اعتقادي|باعتقادي|كما\s+أرى
    """
)

# A report of something done or found out. "I think I measured it" is one too: the thinking is only politeness.
_REPORT = pattern(
    r"""
    \bI(?:'ve|\s+have|\s+had)?\s+(?:(?:just|also|already|personally|now|then|carefully|successfully|have|since|even|did|can|could)\s+)*
    (?:verified|verify|confirm(?:ed)?|checked|measured|tested|proved|proven|prove|found\s+(?:that|out|the|a|an|no)|saw|observed|noticed|discovered|ensured|made\s+sure|fixed|deployed|ran|
    validated|reproduced|established|determined|demonstrated|showed|shown|know|certify|guarantee|assure|traced|benchmarked|identified|diagnosed|learned|learnt|inspected|double-checked|witnessed|counted|completed|finished|installed|removed|deleted|migrated|implemented|resolved|solved|read\s+that|looked\s+up|attest)\b
    |\bI(?:'m|\s+am)\s+(?:certain|sure|positive|confident|absolutely)\b|\bI\s+(?:do\s+)?know\b|\bit\s+(?:is|has\s+been)\s+(?:proven|verified|confirmed|established)\b|\bwithout\s+(?:any\s+)?doubt\b|\bmy\s+(?:tests?|measurements?|checks?|verification|analysis)\s+(?:show|prove|confirm|demonstrate)
    |\bich\s+(?:habe|hab|konnte)\b[^.;!?\n]{0,80}\b(?:geprüft|überprüft|verifiziert|bestätigt|bestätigen|gemessen|getestet|festgestellt|feststellen|gesehen|beobachtet|nachgewiesen|nachweisen|gefunden|herausgefunden|behoben|sichergestellt|reproduziert|bewiesen|nachgestellt|ermittelt)\b|\bich\s+(?:weiß|bestätige|versichere|garantiere|bin\s+(?:mir\s+)?sicher)\b|\bnachweislich\b
    |\bj['’]ai\s+(?:\w+\s+)?(?:vérifié|confirmé|mesuré|testé|constaté|prouvé|vu|observé|trouvé|établi|démontré|validé|reproduit|contrôlé|corrigé|déterminé|identifié|découvert)\b|\bje\s+(?:sais|confirme|garantis|certifie|suis\s+(?:sûre?|certaine?))\b
    |\b(?:he|hemos)\s+(?:\w+mente\s+)?(?:verificado|comprobado|confirmado|medido|probado|visto|observado|demostrado|constatado|encontrado|validado|reproducido|revisado|determinado|descubierto)\b|\b(?:verifiqué|comprobé|confirmé|medí|probé|constaté|demostré|confirmo|sé\s+que|garantizo|aseguro\s+que|estoy\s+segur[oa])\b
    |我(?:已经|已|亲自|刚刚|刚|都|也|们|确实|仔细){0,3}(?:验证|驗證|确认|確認|测试|測試|测量|检查|檢查|证实|證實|证明|證明|发现|發現|看到|查明|核实|核實|保证|确定|知道|复现|修复|测过|测得|肯定)|经(?:我)?(?:验证|测试|确认|核实)
    |(?:確認|検証|測定|計測|実証|証明|特定|テスト|修正|再現|調査|検査|点検)(?:した|しました|済み|できた|できました|し、|して)|(?:が|と)(?:判明|分かった|わかった|分かりました|わかりました)|突き止め|間違いない|確信して|知っている|保証する
    |(?:확인|검증|측정|테스트|입증|증명|발견|점검|재현|수정|파악|규명)(?:했|하였|됐|되었|해\s?냈|을\s?마쳤|완료)|확신(?:한다|합니다)|알고\s?있|밝혀냈|보장(?:한다|합니다)
    |(?<!\w)(?:[وف]?(?:لقد|قد)\s+)?(?:تحققت|تأكدت|تاكدت|أكدت|اكدت|قست|اختبرت|لاحظت|وجدت|اكتشفت|أثبت|اثبت|رأيت|فحصت|أؤكد|اؤكد|أضمن|أجزم|متأكد|واثق)(?!\w)
    """
)

# Words with which an opinion stops being one, wherever they stand without an opinion in the same sentence.
_HARD = pattern(
    r"""
    \b(?:is|are|was|were)\s+(?:\w+\s+)?(?:the\s+(?:(?:sole|only|root|main|real|true|actual)\s+)?(?:cause|reason|culprit|source)|due\s+to|caused\s+by|proven|confirmed|verified|established|certain|undoubtedly|definitely|guaranteed|responsible\s+for)\b
    |\b(?:root\s+cause|proves?\b|proven|definitely|undoubtedly|certainly|it\s+is\s+a\s+fact|in\s+fact\b|confirmed\b|verified\b|causes?\b(?!\s+of\s+doubt)|always|every\s+(?:delay|failure|error|time))\b
    |\b(?:ist|sind|war)\s+(?:die\s+(?:Ursache|Quelle)|der\s+(?:Grund|Auslöser)|schuld|erwiesen|bewiesen|bestätigt|nachgewiesen)\b|\bverursacht\b|\bnachweislich\b|\bzweifellos\b|\bimmer\b
    |\b(?:est|sont|était)\s+(?:la\s+(?:cause|source)|le\s+(?:coupable|responsable)|dû|due|prouvée?|avérée?|confirmée?)\b|\bprovoque\b|\btoujours\b|\bsans\s+aucun\s+doute\b
    |\b(?:es|son|era)\s+(?:la\s+(?:causa|fuente)|el\s+(?:culpable|responsable|origen)|un\s+hecho)\b|\b(?:provoca|causa)\s+(?:el|la|los|las|todo)\b|\bsin\s+duda\b|\btod[oa]\s+\w+\s+(?:nace|viene|sale)\b|\bsiempre\b|\bestá\s+(?:probado|comprobado|demostrado|confirmado)\b
    |(?:的)?(?:原因|根因|根本原因)(?:就是|是|在于)|导致了?|造成了?|已证实|已確認|已确认|已验证|毫无疑问|必然|总是|肯定是|就是.{0,8}(?:瓶颈|原因)
    |原因(?:は|である|です|だ|と判明)|が原因|引き起こ|確実に|間違いなく|必ず|証明された|確認された|に起因
    |원인(?:은|이다|입니다|이었|임)|때문이다|때문입니다|초래|확실(?:히|하다|합니다)|항상|확인되었|확인됨|입증됐
    |(?<!\w)(?:هو|هي)\s+(?:ال)?(?:سبب|مصدر)|(?<!\w)(?:يسبب|تسبب|بسبب|بالتأكيد|حتما|دائما|مؤكد|ثبت)(?!\w)
    """
)
_COPULA = pattern(
    r"""
    \b(?:is|are|was|were|has|have|works?|fails?|must|needs?|causes?|slows?|leaks?|breaks?|blocks?|makes?|comes?|lies)\b|\b(?:ist|sind|war|waren|hat|liegt|bremst|verursacht|funktioniert|muss|kommt)\b
    |\b(?:est|sont|était|a|ont|vient|ralentit|bloque|fonctionne|provoque)\b|\b(?:es|son|está|están|era|tiene|viene|causa|frena|bloquea|funciona|provoca)\b
    |是|导致|造成|有问题|(?:だ|です|である|ます|した|る)[。.]?$|が原因|(?:이다|입니다|한다|합니다|했다|됐다)[.]?$|원인|(?<!\w)(?:هو|هي|يسبب|كان|كانت)(?!\w)
    """
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+|؛|؟")
_LIST_MARK = re.compile(r"^\s*(?:[-*+>#]+|\d{1,2}[.)])\s*")


def is_judgement(text: str) -> bool:
    """True where `text` is worded as the speaker's own opinion in the first person, and reports nothing as found out."""
    view = plain(text)
    return bool(_OPINION.search(view)) and not _REPORT.search(view)


def is_report(text: str) -> bool:
    """True where `text` reports something as verified, measured or found out, in the first person."""
    return bool(_REPORT.search(plain(text)))


def claims_fact(text: str) -> bool:
    """True where a short line (a title) states something of the world rather than naming it."""
    return bool(_COPULA.search(plain(text)))


def hardened(text: str) -> tuple[str, ...]:
    """The sentences of `text` that state a cause, a proof or a rule without being worded as an opinion."""
    return tuple(
        s for s in sentences(text) if (_HARD.search(s) and not _OPINION.search(s)) or _REPORT.search(s)
    )


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of the plain view, list marks and headings' marks removed, empty ones left out."""
    parts = (_LIST_MARK.sub("", part).strip() for part in _SENTENCE.split(plain(text)))
    return tuple(part for part in parts if part)
