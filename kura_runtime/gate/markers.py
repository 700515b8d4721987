"""Warning signs and words of retirement stand in a surface only where a surviving quote has them.

"Deprecated" or ⚠️ in a memory makes an agent turn away from something for good; a scribe likes to add both for emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.evidence import Quote
from kura_runtime.gate.credit import pattern
from kura_runtime.text.plainview import plain

_SIGN = re.compile("[⚠☢☣⛔🚨🛑🚫]")
_WARNING = pattern(
    r"""
    \b(?:warn(?:ing|s|ed)?|caution|danger(?:ous)?|beware|attention|Vorsicht|Achtung|Warnung|gefährlich|danger|avertissement|prudence|cuidado|advertencia|peligro|precaución)\b
    |警告|注意|小心|危险|危険|当心|주의|경고|위험|تحذير|انتبه|احذر|خطر
    """
)
_RETIRED = pattern(
    r"""
    \b(?:supersed(?:ed|es|ing)|deprecat(?:ed|es|ing|ion)|retire(?:d|s|ment)?|retiring|obsolete[ds]?|obsolescent|out-?dated|defunct|sunset(?:ted|ting)?|discontinued|end[- ]of[- ]life|decommission(?:ed|ing)?|abandoned|phased\s+out|legacy\s+and\s+unused)\b
    |\b(?:EOL)\b|\bno\s+longer\s+(?:\w+\s+)?(?:valid|used|in\s+use|supported|maintained|applies|apply|applicable|needed|relevant|current|true|holds|exists?|recommended|available|active|in\s+force|correct)\b|\bout\s+of\s+date\b|\bno\s+more\s+in\s+use\b
    |\bveraltet\w*|\büberholt\w*|\babgelöst\w*|\babgekündigt\w*|\bausgemustert\w*|\baußer\s+Kraft\b|\bhinfällig\b|\bungültig\s+geworden\b|\babgeschafft\w*|\bnicht\s+mehr\s+(?:gültig|verwendet|benutzt|unterstützt|gebraucht|aktuell|nötig)\b|\bstillgelegt\w*
    |\bobsolètes?\b|\bdéprécié\w*|\bpérimé\w*|\bcaduc(?:s|que|ques)?\b|\bn['’](?:est|sont)\s+plus\s+(?:valables?|valides?|utilisé\w*|maintenu\w*|pris\w*\s+en\s+charge|à\s+jour|d['’]actualité)\b|\bremplacé(?:e|s|es)?\s+par\b|\bretiré(?:e|s|es)?\s+du\s+service\b|\bmis\w*\s+au\s+rebut\b|\bdésuet\w*
    |\bobsolet[oa]s?\b|\b(?:deprecad|descontinuad|caducad|superad|desfasad|retirad)[oa]s?\b|\ben\s+desuso\b|\bya\s+no\s+(?:es\s+válid[oa]|vale|se\s+usa|se\s+utiliza|aplica|se\s+aplica|tiene\s+soporte|sirve|está\s+vigente|rige)\b|\bsin\s+vigencia\b
    |已?(?:废弃|廢棄|弃用|棄用|作废|作廢|过时|過時|失效|淘汰|退役|停用|下线|报废)|不再(?:有效|使用|适用|支持|维护|需要|推荐)|(?:被|已)?取代|已被替代
    |廃止|非推奨|旧式|陳腐化|時代遅れ|使われなくな|使われていな|無効にな|失効|引退|もう(?:使|有効で)|サポート終了|お役御免|用済み
    |폐기|폐지|더\s?이상\s?(?:사용|유효|지원|쓰이|적용|필요)[^.\n]{0,8}|지원\s?중단|구식|만료된|대체되었|대체됨
    |(?<!\w)(?:مهجور|مهمل|ملغى|ملغي|ملغاة|متقادم|متقادمة|عفا\s+عليه|منتهي\s+الصلاحية|لم\s+يعد\s+(?:صالح|مستخدم|ساري|مدعوم|يستخدم|صالحا|معتمدا)\w*|أحيل\s+إلى\s+التقاعد|لاغ|لاغية)
    |\b(?:устарел\w*|упразднен\w*|больше\s+не\s+(?:используется|действует|поддерживается))
    """
)
# No retirement word is without one of these; looking for them first spares most texts the long search.
_STEMS = (
    "supersed", "deprecat", "retir", "obsol", "date", "defunct", "sunset", "discontinu", "end of", "end-of", "decommission", "abandon", "phased", "legacy", "eol", "no longer", "no more", "veraltet",
    "überholt", "abgel", "abgek", "ausgemust", "außer", "hinfäl", "ungült", "abgesch", "nicht mehr", "nicht", "stillgel", "dépréc", "obsol", "périm", "caduc", "plus", "remplac", "rebut", "désuet", "deprecad",
    "descontin", "superad", "desfas", "desuso", "ya no", "sin vig", "废", "廢", "弃", "棄", "作废", "过时", "過時", "失效", "淘汰", "退役", "停用", "下线", "报废", "不再", "取代", "替代", "廃止", "非推奨", "旧式", "陳腐", "時代",
    "使われ", "無効", "失効", "引退", "もう", "サポート", "お役", "用済", "폐기", "폐지", "더", "지원", "구식", "만료", "대체", "مهج", "مهم", "ملغ", "متقادم", "عفا", "منته", "لم يعد", "تقاعد", "لاغ", "устарел", "упраздн", "больше",
)  # fmt: skip
# What a source may say for the same: the thing was replaced or is to be used no more.
_SOURCE_RETIRED = pattern(
    r"""
    \b(?:no\s+longer|not\s+\w+\s+any\s?more|any\s?more|replac(?:ed|es|ing)\b[^.\n]{0,20}\b(?:by|with)|instead\s+of|drop(?:ped|s)?\s+support|stop\s+using|switch(?:ed)?\s+off|turn(?:ed)?\s+off|shut\s+down|gone|removed\s+in|don't\s+use\s+\w+\s+any)\b
    |\bersetzt\s+durch\b|\bnicht\s+mehr\b|\babgeschaltet\b|\bremplacé|\bn['’]est\s+plus\b|\bplus\s+utilis|\breemplazad[oa]|\bya\s+no\b|\bdeja(?:r|mos)?\s+de\s+usar\b
    |不再|不用了|替换|换成|停止使用|やめ|置き換え|使わな|もう.{0,8}ない|더\s?이상|대신|교체|لم\s+يعد|بدلا\s+من|استبدال
    """
)


def check_markers(place: str, text: str, quotes: Sequence[Quote]) -> Iterator[Refusal]:
    """The warning signs and words of retirement of one part of a surface that no quote has."""
    view = plain(text.replace("-", " ") if place == "slug" else text)
    for found in dict.fromkeys(m.group() for m in _SIGN.finditer(view)):
        if not any(
            found in plain(q.text) or (_WARNING.search(plain(q.text)) and found == "⚠") for q in quotes
        ):
            yield Refusal("markers", "marker", found, place, "the source carries no such sign")
    folded = view.casefold()
    if not any(stem in folded for stem in _STEMS):
        return
    words = tuple(dict.fromkeys(m.group() for m in _RETIRED.finditer(view)))
    if words and not any(
        _RETIRED.search(plain(q.text)) or _SOURCE_RETIRED.search(plain(q.text)) for q in quotes
    ):
        for word in words:
            yield Refusal(
                "markers", "marker", word, place, "no surviving quote says that anything was retired"
            )
