"""The words of negation in English, German, French, Spanish, Chinese, Japanese, Korean and Arabic."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

# The alternatives of a pattern come in this order of languages; those of a script that a text has no letter of are not tried.
_SCRIPTS = ("latin", "latin", "latin", "latin", "wide", "wide", "hangul", "arabic", "cyrillic")
_LETTER = {
    "latin": re.compile("[A-Za-z]"),
    "wide": re.compile("[\u3040-\u9fff]"),
    "hangul": re.compile("[가-힣]"),
    "arabic": re.compile("[\u0621-\u064a]"),
    "cyrillic": re.compile("[а-яА-Я]"),
}


def _scripts_of(text: str) -> tuple[str, ...]:
    if text.isascii():
        return ("latin",)
    return tuple(script for script, letter in _LETTER.items() if letter.search(text))


class ByScript:
    """One pattern made of parts for nine languages; it behaves like a compiled pattern and tries only what can match."""

    def __init__(self, *parts: str) -> None:
        self._parts = tuple(zip(_SCRIPTS, parts, strict=False))

    def _for(self, text: str) -> re.Pattern[str]:
        return _compiled(self._parts, _scripts_of(text))

    def search(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        return self._for(text).search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As `re.Pattern.finditer`."""
        return self._for(text).finditer(text)

    def sub(self, repl: str | Callable[[re.Match[str]], str], text: str) -> str:
        """As `re.Pattern.sub`."""
        return self._for(text).sub(repl, text)


@lru_cache(maxsize=256)
def _compiled(parts: tuple[tuple[str, str], ...], scripts: tuple[str, ...]) -> re.Pattern[str]:
    chosen = [part for script, part in parts if part and script in scripts]
    return re.compile("|".join(chosen) or r"(?!)", re.IGNORECASE)


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


# Phrases in which a negation word negates nothing. They are cut out before anything is counted.
HARMLESS = ByScript(
    r"\bnot\s+(?:only|just|merely|least)\b|\bno\s+(?:later|more|fewer|less|sooner|doubt|wonder|problem|matter|idea|one\s+but)\b(?:\s+than)?|\bwhether\s+or\s+not\b|\bwhy\s+not\b|\bor\s+not\b(?=\s*[?.]|$)|\bdo(?:n't|\s+not)\s+(?:forget|hesitate|worry)\b|\bnever\s+mind\b|\bnever\s+forget\b|\bno\.\s?(?=\d)|\bcan(?:'t|not)\s+(?:but|help)\b|\bnothing\s+but\b|\bif\s+not\b",
    r"\bnicht\s+(?:nur|bloß|zuletzt)\b|\bnicht\s+vergessen\b|\bkeine\s+(?:Sorge|Ahnung|Frage)\b",
    r"\b(?:non|pas)\s+seulement\b|\bsans\s+doute\b|\bn['’]oublie[zr]?\s+pas\b|\bne\s+pas\s+oublier\b|\bpas\s+de\s+(?:souci|problème)\b|\bn['’]hésite[zr]?\s+pas\b|\bne\s+(?=\S+\s+qu['’e])",
    r"\bno\s+s[oó]l[oa](?:mente)?\b|\bsin\s+duda\b|\bno\s+(?:olvid\w+|te\s+olvides|dud\w+)\b|\bsin\s+embargo\b",
    "不仅|不僅|不但|不只|不光|不过|不過|不同|不错|不錯|不断|不斷|不久|不论|不論|不管|不妨|不然|不得不|不可或缺|差不多|对不起|没问题|沒問題|无论|無論|无线|未来|未來|别的|特别|特別|类别|類別|级别|級別|区别|區別|分别|分別|别名|別名|识别|識別|性别|个别|判别|鉴别|除非|非常|是否|能否|可否|别忘|不要忘|不少|不已|要不要|是不是|有没有|会不会|能不能|不知不觉",
    "だけで(?:は|じゃ)?なく|のみならず|かもしれ(?:ない|ません)|に違い(?:ない|ありません)|な(?:けれ|く)ば(?:なら|いけ)(?:ない|ません)|なくては(?:なら|いけ)(?:ない|ません)|ないと(?:いけない|いけません|だめ)|なければ(?:なら|いけ)(?:ない|ません)|ざるを得(?:ない|ません)|では(?:ない|ありません)か|じゃないか|少な[いくかけ]|危な[いくかけ]|仕方な[いく]|忘れない(?:で|よう)|忘れずに|必ず|まず|はず|ずっと|ずつ|いずれ|わずか|差し支えない|構わない|構いません|かまわない|問題(?:は)?(?:ない|ありません)",
    r"뿐만\s?아니라|뿐\s?아니라|하지\s?않으면\s?안\s?(?:된다|됩니다)|지\s?않을\s?수\s?없|잊지\s?(?:말|마)|만\s?아니라|안내|안정|안전|보안|제안|방안|동안|현안|문안|못지않",
    r"ليس\s+فقط|لا\s+تنس\w?|لا\s+بأس|لا\s+شك|لا\s+بد|لا\s?سيما|إلا\s+أن|بلا\s+شك|مما\s+لا\s+شك",
)
NEGATIONS = ByScript(
    r"(?<![-_./])\b(?:not|never|no|none|without)\b(?![-_/]|\.\d)|n['’]t\b|\bcannot\b|\bnobody\b|\bnothing\b|\bnowhere\b|\bneither\b|\bnor\b|\bno\s+longer\b|\bhardly\b|\bwont\b|\bdont\b|\bcant\b|\bdoesnt\b|\bisnt\b",
    r"\bnicht\b|\bkein(?:e[rnms]?)?\b|\bnie(?:mals)?\b|\bniemand\w*\b|\bnichts\b|\bohne\b|\bweder\b|\bnirgends\b|\bkeinesfalls\b|\bkeineswegs\b",
    r"\bne\b|\bn['’](?=\w)|\bpas\b|\bjamais\b|\baucune?\b|\brien\b|\bpersonne\s+ne\b|\bsans\b|\bni\b|\bguère\b",
    r"\bno\b|\bnunca\b|\bjamás\b|\bning[uú]n[oa]?\b|\bnada\b|\bnadie\b|\bsin\b|\btampoco\b",
    "不(?!能不|得不)要?|没有|沒有|没|沒|未(?=[一-鿿])(?![一-鿿]{1,3}[的の])|别(?=[一-鿿])|別(?=[一-鿿])(?!途|の|に|々|ページ|紙|枠|居|件|館)|勿|莫(?=要)|无(?=[一-鿿])|無(?=法|需|须|須)|并非|非(?=必|要)|毋",
    "(?<![少危])な(?:い|かっ|く(?=て|、|。|[なさし]|$)|けれ)|ません|ぬ(?=。|$|よう)|[せさわからばなえけてねべめれげびみりきし]ず(?=に|、|。|$)|[るすくむつぶぬうぐ]な(?=。|！|!|$|と)|べからず|まい(?=。|$)",
    r"지\s?(?:않|말|마|못)[가-힣]*|(?<![가-힣])안\s(?=[가-힣])|(?<![가-힣])못\s?(?=[가-힣])|없(?=[가-힣])|아니[다라요며]|아닙|말\s?것|(?<=[가-힣])지\s?마",
    r"(?<!\w)(?:و|ف)?(?:لا|لم|لن|ليس|ليست|بدون|دون|بلا|ما(?=\s+(?:كان|زال))|غير|عدم|بعدم|لعدم|ممنوع|كلا|أبدا|أبداً|ابدا)(?!\w)",
    r"\b(?:не|нет|никогда|без|ни)\b",
)
# Verbs that forbid or shun: as good as a negation.
PROHIBITIONS = ByScript(
    r"\b(?:avoid(?:s|ed|ing)?|forb(?:id|ids|ade|idden|idding)|prohibit(?:s|ed|ing)?|ban(?:s|ned|ning)?|refrain(?:s|ed)?\s+from|stop(?:s|ped)?\s+\w+ing|keep\s+(?:\w+\s+){0,3}from|steer\s+clear|stay\s+away|hands\s+off|disallow(?:s|ed)?|off[- ]limits|must\s+be\s+avoided)\b",
    r"\b(?:vermeide[nt]?|vermieden|verboten|verbiete[nt]?|untersag\w+|verzichte[nt]?|unterlasse[nt]?|tabu|unzulässig)\b",
    r"\b(?:évite[rzs]?|évité\w*|interdi\w+|proscri\w+|défendu\w*|prohib\w+|s['’]abstenir|abstene\w+|bannir)\b",
    r"\b(?:evit\w+|prohib\w+|vetad\w+|abst[eé]n\w*|impedi\w*|queda\s+prohibid\w+)\b",
    "避免|禁止|严禁|嚴禁|切勿|杜绝|拒绝|以免|不许|不准",
    "禁止|不可(?!欠|能性)|避け|控え|禁じ|厳禁|やめて|(?<![A-Za-z])(?-i:NG)(?![A-Za-z])",
    "금지|피하|삼가|자제|불가(?!능성)",
    r"(?<!\w)(?:تجنب|يجب\s+تجنب|يمنع|يحظر|ممنوع|محظور|امتنع|منع)(?!\w)",
)
# Words that may carry a negation's meaning without being one; beside them, polarity is not decided.
WEAK = ByScript(
    r"\b(?:missing|lack(?:s|ed|ing)?|absent|fail(?:s|ed|ure|ing)?|unable|impossible|instead|rather\s+than|except|unless|until|only|alone|untouched|disabled?|off|skip(?:s|ped)?|reject\w*|refus\w+|den(?:y|ies|ied)|exclud\w+|free\s+of|empty|zero|unsquashed|un\w{4,}ed|stays?\s+(?:out|away|off)|leave[s]?\b|kept?\s+(?:out|away|off|as)|held|hold|wait\w*|block\w*|prevent\w*|drop(?:s|ped)?|before|against|out\s+of|little|few|rarely|seldom|too|remain\w*|stay\w*|intact|unchanged|as\s+is|forgo|no-?\w+|non-?\w+|but)\b|❌|🚫",
    r"\b(?:fehl(?:t|en|ende\w*)|statt|anstatt|außer|nur|erst|aus|deaktivier\w*|abgelehnt|gesperrt|unverändert|bleib\w*|lassen|leer|scheiter\w*|unmöglich|raus|weg|bevor|sondern)\b",
    r"\b(?:manqu\w+|absen\w+|au\s+lieu|plutôt\s+que|sauf|excepté|seul\w*|échou\w+|impossible|désactiv\w+|refus\w+|rejet\w+|intact\w*|reste\w*|laisse\w*|vide|avant|tel(?:le)?s?\s+quel\w*)\b",
    r"\b(?:falta\w*|ausen\w+|en\s+(?:vez|lugar)|salvo|excepto|s[oó]lo|solamente|fall[aóo]\w*|imposible|desactiv\w+|rechaz\w+|intact\w*|deja\w*|vací\w+|antes|sino|queda\w*|tal\s+cual)\b",
    "缺少|缺失|失败|拒绝|停止|关闭|停用|禁用|而不是|而非|免|暂停|取消|只|仅|保持|(?<!删)除|之前|等|原样|空|暂缓|搁置",
    "欠け|欠落|失敗|代わり|無効|停止|控え|だけ|のみ|まま|以外|前に|まで|拒否|不要|未|空|残|(?<!削)除|保留",
    "실패|대신|중지|없이|비활성|만\\s|전에|까지|제외|유지|그대로|거부|누락|빠져|보류",
    r"(?<!\w)(?:بدل|بدلا|إيقاف|تعطيل|يفتقر|فشل|فقط|قبل|حتى|ناقص|مفقود|إلا|سوى|رفض|يبقى|تبقى|استثناء)(?!\w)",
)
SPLIT = _any(
    r"[.!?](?=\s|$)|[;:,](?=\s|$|[\u3040-\u9fff])|\n+|[。！？；，、؛،؟]|\s[-—–]\s|\(|\)",
    r"[\"”»」』]\s*(?=[\"“„«「『])",  # between two quotations: the "not" of one says nothing about the other
    r"\s(?:but|because|although|though|while|whereas|so\s+that|when|whenever|if|unless|until|since|aber|sondern|weil|obwohl|während|wenn|falls|sobald|damit|mais|parce\s+que|car|quand|lorsque|tandis\s+que|pero|sino|porque|cuando|mientras|aunque|لكن|بل|لأن|عندما|إذا)\b",
    r"\s(?:and|und|et|y|e)\s(?=(?:do\s+not|don't|not|never|no|always|it|the|we|I|they|nicht|nie|kein\w*|ne|n['’]|pas|jamais|no|nunca)\b)",
    "但是|但|而且|因为|因此|所以|然而|(?<=[いたるすだ])が、|けれど|けど|ので|から、|(?<=지)만\\s|(?<=하)고\\s|므로\\s",
)
CONDITION = _any(
    r"^(?:when|whenever|if|in\s+case|once|unless|until|before|after|as\s+soon\s+as|while|where|should|wenn|falls|sobald|bevor|beim?|vor|nach|sofern|quand|lorsqu\w*|si|dès|avant|après|au\s+moment|pendant|en\s+cas|cuando|si|al|antes|después|mientras|en\s+caso)\b",
    r"(?:时|的时候|之前|之后|的话|前|後)$|^(?:如果|若|当|一旦)|(?:とき|時|際|場合|前に|後に|なら|たら|れば|ときに|ときは|際に|場合は|とき、)$|(?:때|면|경우|전에|후에|때는|경우에는)$|^(?:عند|عندما|إذا|حين|قبل|بعد|لو)(?!\w)",
)
PREFIX = re.compile(
    r"^(?:un(?!i|der|ter|it)|non-?|dis(?!k|patch|play|tri|cover|t)|in(?=valid|active|correct|complete|secure|consisten|compatib|stabl|visible|accessib|sensitiv|direct)|im(?=possib|mutab)|ir(?=reversib|relevan)|dés(?=activ)|des(?=activ|habilit|conect)|de(?=aktiv)|ent(?=sperr))"
)
# word → the word it turns round (as prefixes of words)
ANTONYMS: tuple[tuple[str, str], ...] = (
    ("disable", "enable"), ("disabling", "enabling"), ("disallow", "allow"), ("denied", "allowed"), ("deny", "allow"), ("exclude", "include"), ("failed", "passed"),
    ("fails", "passes"), ("failing", "passing"), ("unlocked", "locked"), ("false", "true"), ("ausgeschaltet", "eingeschaltet"), ("abgeschaltet", "eingeschaltet"),
    ("deaktivier", "aktivier"), ("fehlgeschlagen", "erfolgreich"), ("désactiv", "activ"), ("desactiv", "activ"), ("échoué", "réussi"), ("deshabilit", "habilit"),
    ("無効", "有効"), ("失敗", "成功"), ("不可", "可能"), ("禁用", "启用"), ("停用", "启用"), ("关闭", "开启"), ("失败", "成功"), ("무효", "유효"), ("실패", "성공"), ("비활성", "활성"),
)  # fmt: skip
FUNCTION_WORDS: frozenset[str] = frozenset(
    """
    a an the this that these those it its is are was were be been being am do does did done has have had will would shall should can could may might
    must of in on at to for from by with as and or if then than so such into over under again further once here there all any both each
    more most other some own same too very just also please i you he she we they me him her us them my your his our their what which who whom when where why how
    about up down out off not no never none nothing without neither nor cannot don doesn isn didn won t s ll re ve d let always now yet still even only but user
    der die das den dem des ein eine einen einem einer eines und oder ist sind war waren wird werden wurde wurden hat haben hatte mit von zu zum zur im in am an auf für bei aus
    nach vor über unter durch als wie dass daß es er sie wir ihr ich man sich nicht kein keine keinen keiner nie bitte auch noch schon nur immer so dann da hier alle soll
    sollen muss müssen darf dürfen kann können nutzer
    le la les l un une des du de d et ou est sont était a ont été être avoir avec pour par sur dans en au aux ce cette ces que qui ne pas jamais plus rien
    sans il elle ils elles on nous vous je se sa son ses leur y à s il faut doit doivent toujours aussi utilisateur svp
    el los las lo un una unos unas y o u es son era fue fueron ha han con por para en del al de que no nunca se su sus nos me te le les ya
    muy más sin ningún como siempre debe deben hay está están este esta usuario favor
    من في على إلى عن مع هذا هذه ذلك التي الذي أن إن كان كانت قد ثم أو و لا لم لن ليس بدون دون غير عدم المستخدم يجب كل
    """.split()  # noqa: SIM905 - a table of words reads best as words
)
