"""Does one sentence say that one named thing takes the place of another? Six languages, first form.

A wrong yes retires a true memory, so every doubt is a no: a question, a plan, a wish, a condition, a further negation,
or a name that could be read two ways. `O` stands for the old name and `N` for the new one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_OLD, _NEW = "\ue000", "\ue001"  # private-use characters: no text holds them after folding
_GAP = r"[^.;:!?。；！？\ue000\ue001]{0,18}?"  # short: "replaces the scripts on the old disk" is not about the disk


def _patterns(*forms: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(
            form.replace(" O", "~O")
            .replace("O", _OLD)
            .replace("N", _NEW)
            .replace("~", _GAP)
            .replace("_", _GAP)
        )
        for form in forms
    )


# `_` is a short gap without either name or a sentence end
_CONSTRUCTIONS = _patterns(
    # English
    r"N_\b(?:replaces|supersedes|overrides|takes the place of)\b_O",
    r"O_\b(?:replaced|superseded|overridden|retired) (?:by|in favou?r of)\b_N",
    r"\breplace[ds]?\b_O_\b(?:with|by)\b_N",
    r"\b(?:switch|switched|switching|moved?|migrated?|changed?)\b_\bfrom\b_O_\bto\b_N",
    r"N_\b(?:instead of|rather than|in place of)\b_O",
    r"\b(?:instead of|in place of)\b_O_N",
    r"\bnot\b_O_\b(?:any ?more|any longer)\b_N",
    r"\bno longer\b_O_\b(?:but|now)\b_N",
    # German
    r"N_\b(?:ersetzt|löst)\b_O",
    r"O_\b(?:durch|von)\b_N_\b(?:ersetzt|abgelöst)\b",
    r"\b(?:statt|anstatt|anstelle)\b_O_N",
    r"N_\b(?:statt|anstatt|anstelle)\b_O",
    r"\bnicht mehr\b_O_\bsondern\b_N",
    # French
    r"N_\bremplace\b_O",
    r"O_\bremplacée?s?\b_\bpar\b_N",
    r"(?:\bau lieu de\b|à la place de\b)_O_N",
    r"N_(?:\bau lieu de\b|à la place de\b)_O",
    # Spanish
    r"N_\b(?:reemplaza|sustituye)\b_O",
    r"O_\b(?:reemplazad|sustituid)[oa]s?\b_\bpor\b_N",
    r"\ben (?:lugar|vez) de\b_O_N",
    r"N_\ben (?:lugar|vez) de\b_O",
    # Japanese
    r"O(?:を|は)_N(?:に|へ)_(?:置き換え|差し替え|切り替え|変更し|変え|移行し)(?:た|ました|る|ます|て)",
    r"N(?:が|は)_O(?:を|に)_(?:置き換え|取って代わ)",
    r"O_(?:の代わりに|に代えて|ではなく|じゃなく)_N",
    r"O(?:は|を)_(?:廃止|やめ)_N",
    # Chinese
    r"N_(?:取代|替代|代替|替换)了?_O",
    r"O_(?:换成|改成|改为|替换成|替换为)了?_N",
    r"(?:用|改用)_N_(?:取代|替代|代替|替换|而不是|不用|不再用)_O",
    r"(?:不再用|不再使用|不用)_O_(?:改用|换成|而用|用)_N",
)
_OWN_NEGATION = re.compile("not|no longer|nicht mehr|不")  # constructions that are built with one
_DOUBT = re.compile(
    r"[?？]|\b(?:if|unless|whether|should|could|might|may|maybe|perhaps|would|will|wants?|wanted|wish|plan(?:s|ned|ning)?|"
    r"propos\w+|suggest\w*|consider\w*|going to|tomorrow|next (?:week|month|year|quarter)|later|until|test|try|trying)\b"
    r"|\b(?:wenn|falls|sollten?|könnten?|vielleicht|möchten?|wollen|planen|vorschlag\w*|überleg\w*|ob|morgen|würde\w*)\b"
    r"|\b(?:si|devrait|devrions|pourrait|pourrions|peut-être|voudrai\w*|propos\w+|envisag\w+|demain)\b"
    r"|\b(?:debería\w*|podría\w*|quizás?|tal vez|quiero|queremos|propong\w+|mañana)\b"
    r"|もし|かも|たら|べき|予定|つもり|提案|検討|したい|たい(?:です|と)|でしょうか|ですか|ますか"
    r"|如果|要是|假如|也许|可能|是否|吗|打算|计划|建议|考虑|应该|想要|明天",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|don'?t|doesn'?t|didn'?t|won'?t|can'?t|cannot|without|nicht|nie|kein\w*|ne|pas|jamais|nunca)\b|n['’]t\b"
    r"|ない|なかった|ません|ずに|不|没|别|未|勿",
    re.IGNORECASE,
)


def says_replaced(sentence: str, old_names: Sequence[str], new_names: Sequence[str]) -> bool:
    """True where the sentence names the old thing and the new one and states, as done, that the new one takes over."""
    marked = _marked(_folded(sentence), old_names, new_names)
    if marked is None or _DOUBT.search(marked):
        return False
    for construction in _CONSTRUCTIONS:
        match = construction.search(marked)
        if match is None:
            continue
        rest = marked[: match.start()] + " " + marked[match.end() :]
        if not _NEGATION.search(rest if _OWN_NEGATION.search(construction.pattern) else marked):
            return True
    return False


def _marked(sentence: str, old_names: Sequence[str], new_names: Sequence[str]) -> str | None:
    """The sentence with both names replaced by marks, the longest names first; None where one of them is not there.
    A name that stands for both things decides nothing."""
    named = {_folded(n): _OLD for n in old_names} | {_folded(n): _NEW for n in new_names}
    shared = {_folded(n) for n in old_names} & {_folded(n) for n in new_names}
    for name in sorted(named, key=lambda n: (-len(n), n)):
        if name and name not in shared:
            edge_left = r"(?<!\w)" if re.match(r"[a-z0-9]", name) else ""
            edge_right = r"(?!\w)" if re.search(r"[a-z0-9]$", name) else ""
            if not name.isascii():
                edge_left = edge_right = ""
            elif not sentence.isascii():
                # in Chinese and Japanese a Latin name touches the words around it
                edge_left, edge_right = r"(?<![a-z0-9])", r"(?![a-z0-9])"
            sentence = re.sub(edge_left + re.escape(name) + edge_right, named[name], sentence)
    return sentence if _OLD in sentence and _NEW in sentence else None


def _folded(text: str) -> str:
    plain = "".join(
        c for c in unicodedata.normalize("NFKC", text).casefold() if not "\ue000" <= c <= "\uf8ff"
    )
    return " ".join(plain.split())
