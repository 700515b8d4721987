"""A negation that stands just outside a stretch of text, and that the stretch therefore lost.

"run the seeder" is verbatim in "do NOT run the seeder", and says the opposite. Only the words that touch the stretch are
looked at: a negation further away may belong to something else.
"""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"(?:(?<![\w'])(?:not|never|no|cannot|without|nobody|none|nor|neither|(?:do|does|did|ca|wo|should|must|could|would|is|are|was|were|has|have|need)n'?t|"
    r"nicht|nie|niemals|kein(?:e|en|er|es|em)?|ohne|ne|pas|jamais|sans|aucune?|nunca|jamás|sin|ningun[oa]?|ningún|tampoco|não|nem|sem|non|mai|senza|не|нет|никогда|без|ни|"
    r"لا|لم|لن|ليس|ليست|بدون|دون|אל|לא|בלי|אין|मत|नहीं|안|못|niet|geen|nie)(?!-)(?: (?!(?:only|just|nur|seulement|solo|sólo|только|but|so)\b)[^\W\d_]+)? "
    r"|(?<![特分区區类類个個级級性])[不没沒别別勿未莫](?:要|用|能|会|會|是|必|准|許|许|可|得|有|再|想|该|應該|应该|应)?\s?)$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:[ぁ-ん]{0,2}(?:ない(?!か(?:\s|$|[?？]))|なかっ|なくて|ません(?!か)|ず(?:に|、|$))|(?:し|され|させ)?(?:ては|ちゃ)(?:いけ|なら|だめ|ダメ)|(?:するの)?(?:は)?禁止"
    r"|\s?(?:지|하지|되지|시키지|가지)?(?:는|도)?\s?(?:않|못|마(?!다|무|음|지막|침)|말(?:고|아|자|라))|\s?(?:금지)"
    r"|\s(?:nicht|nie|niemals|pas|jamais|niet|değil)(?!\w))",
    re.IGNORECASE,
)


def loses_negation(before: str, after: str) -> bool:
    """Is a stretch that stands between `before` and `after` negated by the words right beside it? Give folded text; a stop, a
    comma or any other mark between the negation and the stretch parts them."""
    return bool(_BEFORE.search(before[-40:]) or _AFTER.match(after[:16]))
