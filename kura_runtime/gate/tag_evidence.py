"""What counts as evidence for a claiming tag (rule G10), in any of the languages the gate reads.

Every pattern is about the speaker's own act: a request to remember, a promise, a warning, a feeling. What takes the act
away (a question, a negation, a report about somebody else) is listed beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kura_runtime.text.normalise import fold


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


_REMEMBER = _any(
    r"(?<!\bdo you )(?<!\bcan you still )(?<!\bI )(?<!can't )(?<!\bto )(?<!\byou )\b(?:please |always |just |pls |kindly )*remember\b(?! (?:when|how we|the time we|if we)\b)",
    r"\b(?:please|pls|could you|can you|would you|will you|want you to|need you to|like you to|should|must) (?:please |always )?(?:remember|memori[sz]e)\b",
    r"\b(?:don't|do not|never|dont) (?:ever )?forget\b(?! it\b)|\b(?:must|should)(?: not|n't) be forgotten\b",
    r"\b(?:keep|bear|hold) (?:this|that|it|these|in)\b[^.!?\n]{0,30}\b(?:in mind|for me|for later|on file|on record|in (?:your )?memory|for the record|for good)\b|\b(?:keep|bear) in mind\b",
    r"\b(?:make|take) (?:a )?(?:mental )?note\b|\bnote (?:this|that|it|down|to self)\b|\bfor the record\b|\bsave (?:this|that|it)\b(?= (?:for|in|to|somewhere|please)|[ ,.:!]*$)|\bwrite (?:this|that|it) down\b"
    r"|\bmemori[sz]e (?:this|that|it)\b|\b(?:store|commit|put|add) (?:this|that|it) (?:in|to) (?:your )?memory\b|\bI(?:'m| am)? ?(?:entrust|trust)(?:ing)? (?:this|it|you with)\b|\bremind me\b|\bhold on to (?:this|that)\b",
    r"\b(?:merk|merke|merkt)(?:en)? (?:dir|sie sich|euch|es dir|dir das)\b|\bvergiss (?:das |es |bitte )?(?:nicht|nie)\b|\bvergessen Sie\b[^.!?]{0,20}\bnicht\b|\bbehalt(?:e)? (?:das|es|bitte|im)\b|\b(?:notier|notiere|schreib|schreibe)(?: (?:dir|es|das|bitte))* ?(?:auf|dir|bitte)?\b(?=.{0,40}(?:auf\b|dir\b|bitte\b))"
    r"|\bim (?:Hinterkopf|Gedächtnis) (?:behalten|behältst)\b|\bbitte (?:merken|notieren|aufheben|im Kopf behalten)\b|\bheb (?:das|es|dir)\b|\berinnere? (?:dich|mich) (?:bitte )?(?:daran|an)\b",
    r"\b(?:retiens|retenez|souviens-toi|souvenez-vous|rappelle-toi|mémorise|mémorisez|garde|gardez|note|notez)\b(?: (?:bien|ça|cela|ceci|en mémoire|en tête|le|la|que|pour))|\b(?:retiens|retenez|souviens-toi|mémorise|rappelle-toi)\b|\bn['’]oublie(?:z)? (?:pas|jamais)\b|\bà retenir\b|\brappelle-moi\b",
    r"\b(?:recuerda|recuerde|acuérdate|acuerdate|recordad|memoriza|guárdalo|guarda esto|guárdame|apunta|anota|anótalo|apúntalo|ten(?:ga)? (?:en cuenta|presente)|no (?:te )?olvides|no olvide|no se te olvide|quiero que recuerdes|recuérdame)\b",
    r"\b(?:lembre-se|lembra-te|lembre|lembra|guarde (?:isto|isso)|anote|anota|não (?:se )?esqueça|não te esqueças|memorize)\b|\b(?:ricorda(?:ti|telo|lo)?|ricordati|non dimenticare|tieni (?:a mente|presente)|annota(?:ti|lo)?|memorizza)\b",
    r"\b(?:onthoud|vergeet niet|niet vergeten|noteer)\b|\b(?:zapamiętaj|pamiętaj|nie zapomnij|zanotuj)\b|\b(?:unutma|hatırla|aklında (?:tut|bulunsun)|not al)\w*",
    r"\b(?:запомни(?:те)?|помни(?:те)?|не забудь(?:те)?|не забывай(?:те)?|запиши(?:те)?|сохрани(?:те)?|имей(?:те)? в виду|учти(?:те)?|напомни)\b",
    r"(?:覚え|憶え)て(?:おい|お(?:け|き|いて)|ほしい|くだ|ください|下さい|て?ね|$|[。!、])|(?:記憶|記録|メモ|保存)(?:し|に残し|に留め|を取っ)て(?!い(?:る|ま)|ある)|忘れ(?:ない|ず|るな|ちゃ|ては)|(?:覚え|頭に入れ|心に留め|控え)といて|(?:頭に入れ|心に留め|控え|留め)て(?:おい|ください)",
    r"(?:记住|記住|记一下|記一下|记下|記下|记牢|牢记|谨记|请记|請記|帮我记|幫我記|替我记|(?<!我)记得(?!吗|嗎|不|上次|我们|当时)|(?<!我)記得(?!嗎)|别忘|別忘|不要忘|勿忘|存下来|存起来|保存好|留个底|备忘|記到|记到|写进记忆)",
    r"(?:기억해|기억하(?:고|세요|십시오|라|자)|기억 ?좀|잊지 ?(?:마|말|않)|메모해|적어 ?(?:둬|두|놔|놓)|명심|외워|저장해 ?(?:둬|두|줘))",
    r"(?<!\w)[وف]?(?:تذكر|تذكري|تذكروا|احفظ|احفظي|سجل|دون|دوّن)(?!\w)|(?<!\w)لا تنس(?:ى|ي|وا)?(?!\w)|ضع (?:هذا |ذلك )?في (?:ذاكرتك|الاعتبار|بالك)|(?:זכור|תזכור|תזכרי|אל תשכח|שמור את זה|רשום)|(?:याद रखना|याद रखो|याद रखें|मत भूलना|भूलना मत|नोट कर)|(?:จำไว้|อย่าลืม)",
)  # fmt: skip
_NOT_REMEMBER = _any(
    r"\b(?:do|don't|did|didn't|does|can|can't|cannot|could|couldn't) (?:you|I|we|they|he|she)(?: still| even| really)? remember\b(?! this\b| that\b| to\b| it\b)|\b(?:no need to|don't(?: need to| have to| bother to)?|do not|not|needn't|never mind,? don't) (?:remember|memori[sz]e|save|note|store|keep)\b"
    r"|\b(?:don't|do not) (?:bother|worry about) (?:remembering|saving|noting)\b|\bI (?:don't |can't |do |still |cannot )?remember\b|\b(?:nicht|nichts) (?:merken|notieren)\b|\bI (?:never|don't) forget\b",
    r"(?:不用|不必|无需|不要|別|别)(?:记住|记下|记(?!得)|保存|存)|(?:覚え|記憶し|メモし|保存し)(?:なくて|ないで|る必要は)|기억(?:할 필요|하지 ?(?:마|않))|不用記|не надо (?:запоминать|сохранять)|pas besoin de (?:retenir|noter)|no (?:hace falta|es necesario) (?:que )?(?:recordar|guardar|anotar)|(?:覚え|記憶し)て(?:い|る|ます)(?:る|か|ない)?",
)  # fmt: skip
_PROMISE = _any(
    r"\bI (?:hereby |solemnly |do )?(?:promise|swear|vow|pledge|commit|guarantee|undertake)\b|\b(?:my|you have my) (?:word|promise|commitment)\b|\bI give (?:you )?my word\b|\b(?:I|we)(?:'ll| will| shall| am going to|'m going to|'re going to)(?: (?:definitely|always|never|personally|make sure|surely|certainly|then|also|not))* (?!be (?:back|away|out|off|at|in|right|there|late|on)\b|think|see|maybe|probably|perhaps|try|let you|wait|have to see|consider|guess|assume|need|want|look into maybe)\w+"
    r"|\bwe (?:promise|pledge|commit)\b|\bcount on me\b|\bI(?:'m| am) committed to\b",
    r"\bich (?:verspreche|schwöre|gelobe|garantiere|sage zu|verpflichte mich)\b|\b(?:versprochen|Ehrenwort|mein Wort (?:darauf|drauf))\b|\bich werde\b|\bwir werden\b|\bwerde ich\b|\bich (?:kümmere mich|erledige|übernehme|liefere|schicke)\b",
    r"\bje (?:te |vous |le |m['’])?(?:promets|jure|engage|garantis|vais|m['’]engage)\b|\bje m['’](?:engage|en occupe|y tiendrai)\b|\bc['’]est promis\b|\bje (?:ferai|livrerai|enverrai|relirai|corrigerai|\w+erai|\w+irai)\b",
    r"\b(?:te |os |le )?(?:prometo|juro|me comprometo|garantizo)\b|\blo prometo\b|\b(?:voy|vamos) a \w+r\b|\b(?:me encargo|me encargaré|lo haré|\w+(?:aré|eré|iré))\b|\b(?:eu )?(?:prometo|comprometo-me|vou \w+r)\b|\b(?:prometto|mi impegno|giuro|lo farò|\w+erò)\b",
    r"\b(?:обещаю|обещаем|клянусь|обязуюсь|гарантирую|даю слово|сделаю|я буду|займусь|возьмусь)\b|\b(?:beloof|beloof|ik zal|obiecuję|przyrzekam|söz veriyorum|yapacağım)\b",
    r"約束(?:し(?:ます|よう|た)|する|です|だ)|誓(?:い|う)|(?:必ず|絶対に?|ちゃんと|きっと|責任を?持って)[^。!?\n]{0,40}(?:ます|する|やる|出す|送る|直す|る)(?:から|よ|ね)?(?=[。!、\n]|$)|(?:し|やり|送り|出し|直し|守り|書き|見|用意し|対応し|提出し)ます(?:から|ので|ね|よ)?(?=[。!、\n]|$)|しておく(?:よ|ね|から)",
    r"我(?:们|們)?(?:保证|保證|答应|答應|承诺|承諾|发誓|發誓|一定(?:会|會)?|会(?!议)|會(?!議)|将(?:会)?|负责|負責|来(?:做|办|负责|处理|写|改))|说到做到|包在我身上|我(?:今晚|明天|下周|周[一二三四五六日]|稍后)[^。!?\n]{0,12}(?:给|交|发|做|改|提交|完成)",
    r"약속(?:해|합니다|할게|하겠|드)|맹세|(?:할|줄|둘|올릴|보낼|고칠|지킬|낼|갈|볼|칠|둘)게(?:요)?|(?:하|드리|보내|올리|고치|지키|내|끝내|처리하)겠(?:습니다|어요|다)|책임지",
    r"(?<!\w)(?:أعدك|اعدك|أعدكم|وعد|أتعهد|اتعهد|ألتزم|التزم|أقسم|سوف|س[أا]\w+)(?!\w)|(?:אני מבטיח|אני מתחייב|מבטיחה)|(?:वादा|मैं करूँगा|मैं करूंगा)|(?:สัญญา)",
)  # fmt: skip
_NOT_PROMISE = _any(
    r"\bI (?:can't|cannot|won't|don't|never) (?:promise|guarantee|commit)\b|\bno promises?\b|\b(?:I|we)(?:'ll| will)? (?:might|may)\b|\bkeine? (?:Versprechen|Garantie)\b|\bkann (?:nichts|es nicht) versprechen\b|\bich werde (?:wohl |vielleicht |nicht |mal )?(?:sehen|schauen|überlegen)\b|\bsans promesse\b|\bje ne (?:peux|promets)\b|\bno (?:puedo )?prometo\b|не обещаю|不(?:能|敢)?(?:保证|承诺)|约定不了|約束(?:は)?でき(?:ない|ません)|약속(?:은|할 수) ?(?:못|없)",
)  # fmt: skip
_WARNING = _any(
    r"\b(?:careful|caution|beware|watch out|look out|heads[- ]up|warning|danger(?:ous)?|be warned|I warn|mind the|pitfall|trap|gotcha|landmine|footgun|booby)\b|\b(?:never|don't|do not|dont) (?:ever )?\w+[^.!?\n]{0,100}?\b(?:or|otherwise|else|because|since|it (?:will|breaks|deletes|kills|wipes|corrupts|destroys))\b|\b(?:will|would|can|could|it|that|which|also|silently) (?:silently |also )?(?:break|delete|wipe|destroy|corrupt|kill|lose|erase|overwrite|drop|brick|crash)s? (?:the|all|every|your|our|everything|it|data)\b|\bit (?:bit|burned|burnt) (?:us|me)\b",
    r"\b(?:Vorsicht|Achtung|Warnung|pass(?:t)? (?:bloß |gut |bitte )?auf|aufpassen|gefährlich|Gefahr|hüte dich|Finger weg|Falle|Stolperstein|sonst (?:ist|sind|geht|gehen|löscht|wird|werden|fliegt|zerschießt))\b",
    r"\b(?:attention|gare (?:à|au)|prudence|méfie-toi|méfiez-vous|danger(?:eux|euse)?|fais gaffe|faites gaffe|avertissement|piège|sinon (?:ça|on|tu|il|elle|tout))\b",
    r"(?:\b(?:cuidado|ojo|atención|peligro(?:so|sa)?|advertencia|alerta|ten cuidado|trampa|que no se te ocurra|si no,? (?:se|te|lo))\b|¡ojo)|\b(?:atenção|perigo(?:so)?|aviso|senão)\b|\b(?:attenzione|pericolo(?:so)?|occhio|sta(?:i)? attent[oa])\b|\b(?:pas op|gevaar|let op|uwaga|ostrożnie|niebezpieczn\w+|dikkat|tehlike\w*)\b",
    r"\b(?:осторожно|внимание|берегись|опасно|опасность|предупреждаю|аккуратно|будь осторож\w+|иначе (?:всё|все|он|она|сломается|удалит\w*))\b",
    r"注意(?!力|点は(?:ない|特に))|気(?:を|に)つけ|危険|危ない|警告|要注意|用心|罠|地雷|落とし穴|(?:すると|やると|したら|ないと)[^。\n]{0,20}(?:壊れ|消え|死|飛|落ち|止ま|失わ)|絶対に?[^。\n]{0,30}(?:しないで|するな|ないで|ダメ|だめ|禁止)",
    r"小心|当心|當心|注意(?!到|力)|警告|危险|危險|千万(?:别|不要)|千萬|切勿|谨防|有坑|踩坑|别踩|会(?:导致|删|清空|丢|毁|搞坏)|否则",
    r"조심|주의(?!사항 ?없)|경고|위험|함정|절대(?:로)? ?[^.\n]{0,30}(?:마|말)|(?:하면|면) [^.\n]{0,20}(?:날아|지워|망가|깨|삭제|터지)",
    r"(?<!\w)(?:احذر|احذري|احذروا|انتبه|انتبهي|تحذير|خطر|خطير|حذار|إياك|وإلا|والا)(?!\w)|(?:זהירות|זהיר|שים לב|סכנה|מסוכן)|(?:सावधान|खतरा|ध्यान रहे)|(?:ระวัง|อันตราย)|[⚠🚨☠💣⛔]",
)  # fmt: skip
_FAILURE = _any(
    r"\b(?:error|errors|failed|failure|failures|fails|failing|exception|traceback|fatal|panic(?:ked)?|crash(?:ed|es)?|abort(?:ed)?|segfault|segmentation fault|core dumped|denied|refused|unreachable|timed? ?out|timeout|unable to|could not|cannot|can't|not found|no such|no space left|out of memory|oom|killed|corrupt(?:ed|ion)?|broken|conflict|deadlock|rejected|undefined|invalid|missing|rolled back|unexpected|violat\w+|stack overflow|lost|destroyed)\b",
    r"(?-i:\w(?:Error|Exception))\b|\b(?:exit(?:ed)?(?: with)?(?: code| status)?|returned?(?: code)?|status|rc|code)[ :=]+(?!0\b)-?[1-9]\d*|\bERR[!_]|(?-i:\bE(?:ACCES|PERM|NOENT|CONN[A-Z]+|ADDR[A-Z]+|TIMEDOUT|PIPE|IO|NOSPC|EXIST|INVAL|MFILE|HOSTUNREACH|ROFS|BUSY)\b|\bSIG(?:KILL|SEGV|ABRT|BUS)\b)|✗|❌|✘",
    r"\b(?:Fehler\w*|fehlgeschlagen|gescheitert|abgebrochen|abgestürzt|Absturz|verweigert|nicht gefunden|kaputt|ungültig|Ausnahme)\b|\b(?:erreur\w*|échec|échoué\w*|échoue|refusée?|introuvable|interrompue?|plantage|planté|impossible)\b|\b(?:error(?:es)?|fallo|falló|fallaron|fallad[oa]s?|fallido|denegad[oa]|rechazad[oa]|no encontrad[oa]|no se (?:pudo|puede|encontró)|abortad[oa])\b",
    r"\b(?:erro|falha|falhou|negado|errore|fallit[oa]|rifiutat[oa])\b|\b(?:ошибк\w+|сбой|отказ\w*|не удалось|не найден\w*|провал\w*|упал\w*|аварийн\w+|исключение)\b|\b(?:fout|mislukt|błąd|niepowodzenie|hata|başarısız)\w*",
    r"エラー|失敗|異常|例外|中断|拒否|見つかりません|タイムアウト|クラッシュ|破損|落ちました|(?:でき|し)ませんでした|错误|錯誤|失败|失敗|异常|異常|崩溃|崩潰|超时|逾時|拒绝|拒絕|中断|中止|找不到|不存在|无法|無法|损坏|报错",
    r"오류|실패|에러|예외|거부|중단|타임아웃|시간 ?초과|찾을 ?수 ?없|손상|충돌|비정상|خطأ|أخطاء|فشل\w*|تعذر|رفض\w*|مرفوض|انهيار|انهار|انتهت المهلة|استثناء|שגיאה|נכשל\w*|כשל|त्रुटि|विफल|ผิดพลาด|ล้มเหลว",
)  # fmt: skip
# "0 errors", "no failures", "without errors", "error handling": nothing failed.
_NO_FAILURE = _any(
    r"\b(?:0|zero|no|without(?: any)?|any|free of|null) (?:\w+ ){0,2}?(?:errors?|failures?|failed|exceptions?|conflicts?|crash(?:es)?|warnings?|timeouts?|rejected|missing|lost|corruption|broken|invalid)\b(?: found)?|\b(?:errors?|failures?|failed|fails|exceptions?|conflicts?|timeouts?|rejected|missing|lost|killed|invalid|broken|crashes)\s?[:=]\s?(?:0|none|no|null|nil)\b(?![.\d])",
    r"\b(?:error|exception|failure|timeout)[- ]?(?:handling|handler|free|budget|page|message format|log is empty|rate 0|class|type|codes? (?:table|list))\b|\bfail(?:over|safe|-safe|-fast)\b|\bnot? (?:failed|crashed|broken|lost|killed)\b|\berror\.(?:log|py|ts|html)\b|\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]+0\b",
    r"\b(?:0|keine?|ohne) Fehler\b|\bfehlerfrei\b|\b0 fehlgeschlagen\b|\bfehlgeschlagen: ?0\b|\berror rate (?:is |of |at )?0\b(?!\.\d)|\bFehler: ?0\b|\b(?:0|aucune?|sans) (?:erreurs?|échecs?)\b|\berreurs? ?: ?0\b|\b(?:0|sin|ningún) (?:error(?:es)?|fallos?)\b|\berrores: ?0\b|\b(?:0|sem) erros?\b|\bсбоев нет\b|\bне найдено (?:ни одной )?(?:ошиб|сбо)\w*|\b(?:без|нет|0) ошибок\b|\bошибок: ?0\b",
    r"(?:例外|エラー|异常|错误|異常|오류|예외) ?(?:処理|ハンドリング|ハンドラ|处理|处理器|処理器|처리)|(?:エラー|失敗|異常|例外)(?:件数)?(?:は|が)?[::=]?\s?(?:0|〇|なし|無し|無く|ありません|ない|ゼロ|ございません)(?:件)?|(?:无|無|没有|沒有|零|0 ?(?:个|個|条|件)?)(?:任何)?(?:错误|錯誤|失败|失敗|异常|異常|报错)|(?:错误|失败|异常|失敗|錯誤)(?:数|数量|用例|件)?[::]?\s?(?:0|无|零)(?:个|条|件)?|(?:오류|실패|에러)(?:가|는|건수)? ?[::]? ?(?:없|0)|0 ?(?:건|개)(?:의)? ?(?:오류|실패|에러)|(?:بدون|لا|دون) (?:أي )?(?:أخطاء|خطأ|توجد أخطاء)|أخطاء: ?[0٠]|ללא שגיאות",
)  # fmt: skip
_FEELING = _any(
    r"\bI(?:'m| am| was| feel| felt| get| got|'ve been| have been)(?: (?:so|very|really|just|a bit|quite|absolutely|truly|still|also|honestly|too|rather|deeply|incredibly|genuinely|pretty|kind of|completely))* (?:happy(?! to\b)|glad(?! to help)|sad|angry|mad|furious|upset|frustrated|annoyed|afraid|scared|terrified|worried|anxious|nervous|stressed|exhausted|proud|thrilled|delighted|excited|grateful|thankful|relieved|moved|touched|heartbroken|devastated|disappointed|ashamed|embarrassed|lonely|overwhelmed|hurt|jealous|tired of|sick of|fed up|desperate|ecstatic|overjoyed|in tears|in love|crying|homesick|depressed|miserable|burn(?:ed|t) out|bored|shocked|horrified|disgusted|emotional|nostalgic|hopeful|panicking)\b",
    r"\bI (?:really |absolutely |just |truly |still |so |do )*(?:love|adore|hate|despise|loathe|dread|fear|miss(?! (?:the|a|this|that|your) (?:point|deadline|bus|bug|train|call|meeting))|regret|cherish|can't stand|cannot stand|detest|worry|panic(?:ked)?|cried|enjoy(?:ed)?)\b(?! to (?:know|see)\b)|\bmakes? me (?:so |really |very )?(?:happy|sad|angry|cry|smile|furious|nervous|proud|sick|mad|anxious)\b|\b(?:breaks|broke|warms?) my heart\b|\bmeans (?:a lot|the world|so much) to me\b|\b(?:drives|driving|drove) me (?:crazy|mad|nuts|insane|up the wall)\b|\b(?:this|that|it) (?:hurts|sucks)\b|\b(?:my (?:biggest |greatest )?(?:fear|joy|nightmare|dream|pride))\b|\bto my (?:relief|delight|horror|dismay)\b",
    r"\b(?:ich bin|bin ich|ich war|ich fühle mich|macht mich|ich werde)(?: (?:so|sehr|echt|wirklich|total|richtig|ganz|ziemlich|einfach|unglaublich|völlig|unendlich))* (?:froh|glücklich|traurig|wütend|sauer|genervt|frustriert|enttäuscht|stolz|erleichtert|begeistert|verzweifelt|besorgt|nervös|gestresst|dankbar|gerührt|erschöpft|verärgert|verrückt|wahnsinnig|beschämt|entsetzt|ängstlich|verliebt|unglücklich)\b|\bich (?:liebe|hasse|fürchte|vermisse|freue mich|ärgere mich|habe (?:\w+ )?angst|bereue|schäme mich|habe (?:\w+ )?die Nase voll)\b|\bes (?:freut|ärgert|nervt|schmerzt|tut) (?:mich|mir)(?: sehr| echt| so)?(?: weh)?\b|\bfreut mich\b|\bnervt mich\b|\bmir (?:graut|liegt)\b|\bam Herzen\b|\bzum Heulen\b",
    r"\bje suis (?:(?:si|très|vraiment|tellement|trop|un peu|super) )*(?:content|contente|heureux|heureuse|triste|fâchée?|furieux|furieuse|déçue?|frustrée?|énervée?|fière?|soulagée?|ravie?|inquiet|inquiète|stressée?|épuisée?|touchée?|émue?|désespérée?|reconnaissante?|bouleversée?|en colère)\b|\bj['’](?:adore|aime|ai (?:très |si |trop )?(?:peur|honte|hâte|le cœur))\b|\bje (?:déteste|hais|crains|regrette)\b|\bça me (?:rend|fait|brise|touche|stresse|énerve|gonfle)\b|\b(?:ras le bol|en ai marre)\b",
    r"\b(?:estoy|me siento|me pone|me hace)(?: (?:muy|tan|realmente|super|bastante|un poco))* (?:feliz|triste|enfadad[oa]|enojad[oa]|furios[oa]|frustrad[oa]|decepcionad[oa]|orgullos[oa]|aliviad[oa]|encantad[oa]|preocupad[oa]|nervios[oa]|estresad[oa]|agotad[oa]|content[oa]|emocionad[oa]|hart[oa]|agradecid[oa]|desesperad[oa]|asustad[oa]|llorando)\b|\b(?:me (?:encanta|alegra|duele|da (?:mucho |mucha |tanta |tanto )?(?:miedo|pena|rabia|vergüenza)|molesta|entristece|emociona|preocupa)|odio|amo|adoro|tengo (?:mucho )?miedo|extraño|echo de menos|qué (?:alegría|pena|rabia|alivio))\b",
    r"\b(?:estou|fico|sinto-me|me sinto)(?: (?:muito|tão))* (?:feliz|triste|zangad[oa]|frustrad[oa]|orgulhos[oa]|aliviad[oa]|preocupad[oa]|cansad[oa])\b|\b(?:adoro|odeio|amo|tenho medo|saudades?)\b|\bsono (?:(?:molto|così) )?(?:felice|triste|arrabbiat[oa]|delus[oa]|fier[oa]|sollevat[oa]|preoccupat[oa])\b|\b(?:mi (?:piace tanto|rattrista|commuove)|odio|ho paura)\b",
    r"\b(?:я|мне) (?:(?:так|очень|просто|ужасно) )*(?:рада?|счастлив\w*|грустно|злюсь|зол|зла|обидно|страшно|боюсь|люблю|ненавижу|горжусь|горд\w*|расстроен\w*|разочарован\w*|волнуюсь|устала?|больно|стыдно|жаль|радостно|тревожно|переживаю)\b|\b(?:обожаю|ненавижу|бесит|ура|боюсь|горжусь)\b",
    r"嬉し|うれし|悲し|かなし|怒(?:っ|り)|腹(?:が|の)立|ムカつ|むかつ|イライラ|いらいら|悔し|くやし|怖(?:い|く|か)|こわ(?:い|く)|不安(?:で|だ|に|な)|心配(?:で|だ|し)|大好き|大嫌い|嫌い|(?:が|は|も)好き|楽し(?:い|か|み|く)|感動|泣(?:い|き|け|く)|寂し|さびし|辛(?:い|く|か)|つら(?:い|く|か)|ほっと(?:し|す)|安心し|誇り|幸せ|感謝し|最高(?:に|だ|!)|最悪|恥ずかし|うんざり|がっかり|しんど|愛して|懐かし|ショック|傷つ|疲れ(?:た|まし)",
    r"(?:我|让我|令我|真|太|好|很|非常|特别|超)[^。,!?\n]{0,6}?(?:开心|開心|高兴|高興|难过|難過|伤心|傷心|生气|生氣|愤怒|憤怒|害怕|担心|擔心|焦虑|焦慮|失望|沮丧|沮喪|骄傲|驕傲|自豪|感动|感動|激动|兴奋|興奮|喜欢(?!用)|喜歡|讨厌|討厭|恨|爱(?!用)|愛|烦|煩|累|委屈|后悔|後悔|舍不得|紧张|崩溃|欣慰|松了一口气|怕|心疼|心痛|绝望|感激|难受|孤独|郁闷|痛苦|幸福|羞愧)",
    r"(?:기쁘|기뻐|기뻤|슬프|슬퍼|슬펐|화가? ?(?:나|났)|짜증|속상|무서|무섭|두렵|두려|걱정(?:돼|되|이|했)|불안|사랑해|사랑하|싫어|좋아(?:해|하|한)|행복|자랑스러|뿌듯|감동|고마워|안심|실망|서운|답답|외로|힘들|설레|눈물|우울|지쳤|지친|후회|신나|창피)",
    r"(?<!\w)[وف]?(?:أنا )?(?:سعيد|سعيدة|حزين|حزينة|غاضب|غاضبة|محبط|محبطة|خائف|خائفة|قلق|قلقة|فخور|فخورة|متحمس|ممتن|ممتنة|مرتاح|أحب|احب|أكره|اكره|أخاف|اخاف|يؤلمني|يحزنني|يسعدني|أشتاق|تعبت|مللت|أعشق)(?!\w)|(?:אני (?:שמח|שמחה|עצוב|עצובה|כועס|כועסת|מפחד|מפחדת|גאה|אוהב|אוהבת|שונא|שונאת|מתוסכל|מודאג))|(?:खुश|दुखी|गुस्सा|डर लगता|प्यार|नफरत)|(?:ดีใจ|เสียใจ|โกรธ|กลัว|รัก|เกลียด)",
    "[😀😃😄😁😆😂🤣🥲😊😍🥰😘😢😭😤😠😡🤬😱😨😰😥😓😔😞😟😣😖😫😩🥺💔❤🧡💛💚💙💜🖤💕💖🥳😳😬🤗🤩😌😻🎉]",
)  # fmt: skip
_CLAUSES = re.compile(r"(?<=[.!?;。！？；؟\n])\s*")


def _said(text: str, yes: re.Pattern[str], no: re.Pattern[str] | None) -> bool:
    """Does any clause of the text do it, and not take it back?"""
    return any(yes.search(c) and not (no and no.search(c)) for c in _clauses(text))


def _clauses(text: str) -> Iterator[str]:
    yield from (c for c in _CLAUSES.split(fold(text)) if c)


def asks_to_keep(text: str) -> bool:
    """Does the speaker ask to have something remembered?"""
    return _said(text, _REMEMBER, _NOT_REMEMBER)


def promises(text: str) -> bool:
    """Does the speaker bind himself to something?"""
    return any(
        _PROMISE.search(c)
        and not _NOT_PROMISE.search(c)
        and not c.rstrip().endswith(("?", "か", "吗", "嗎", "까"))
        for c in _clauses(text)
    )


def warns(text: str) -> bool:
    """Does the speaker warn of something?"""
    return _said(text, _WARNING, None)


def failed(text: str) -> bool:
    """Does machine output report a failure? What it says about failures that did not happen is taken out first."""
    return any(_FAILURE.search(_NO_FAILURE.sub(" ", c)) for c in _clauses(text))


def feels(text: str) -> bool:
    """Does the speaker say what he feels?"""
    return _said(text, _FEELING, None)
