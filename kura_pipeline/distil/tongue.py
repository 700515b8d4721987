"""Is a text in the language it should be in? Says no only where that is plain: a doubt is no ground to drop a memory."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_ASIDE = re.compile(r"```.*?```|`[^`\n]*`|\[\[[^\]]*\]\]|https?://\S+|[\w.-]*[/\\_][\w./\\-]*", re.DOTALL)
_QUOTED = re.compile(r"「[^」]*」|『[^』]*』|“[^”]*”|\"[^\"\n]*\"|«[^»]*»|„[^“”]*[“”]|‘[^’\n]*’")
_LETTERS_MIN = 24  # fewer letters than this show no language
_WORDS_MIN = 12
_SCRIPTS: dict[str, tuple[str, ...]] = {
    "ja": ("kana", "han"), "zh": ("han",), "ko": ("hangul", "han"), "ru": ("cyrillic",), "uk": ("cyrillic",),
    "bg": ("cyrillic",), "el": ("greek",), "ar": ("arabic",), "fa": ("arabic",), "he": ("hebrew",), "hi": ("devanagari",),
    "th": ("thai",), "en": ("latin",), "de": ("latin",), "fr": ("latin",), "es": ("latin",), "it": ("latin",),
    "pt": ("latin",), "nl": ("latin",),
}  # fmt: skip
_NAMES = (
    ("HIRAGANA", "kana"), ("KATAKANA", "kana"), ("CJK", "han"), ("HANGUL", "hangul"), ("LATIN", "latin"),
    ("CYRILLIC", "cyrillic"), ("GREEK", "greek"), ("ARABIC", "arabic"), ("HEBREW", "hebrew"),
    ("DEVANAGARI", "devanagari"), ("THAI", "thai"),
)  # fmt: skip
_COMMON = {
    "en": "the of and to is that for it with was on are this be not by from as which when but",
    "de": "der die das und ist nicht ein eine mit auf für von zu den dem wird auch sich bei nach",
    "fr": "le la les des est une et dans pour pas que qui sur avec par du au ce sont ne",
    "es": "el la los las de que y en un una no se con por para es del al lo como",
}
_SMALL_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}


def wrong_language(text: str, language: str) -> str:
    """What speaks against `text` being in `language` (BCP 47), or "". Quotations, code, links and paths do not count:
    they keep the language of the evidence."""
    wanted = language.split("-")[0].lower()
    plain = _QUOTED.sub(" ", _ASIDE.sub(" ", text))
    scripts = _scripts(plain)
    total = sum(scripts.values())
    if wanted not in _SCRIPTS or total < _LETTERS_MIN:
        return ""
    # a dense script says in one character what takes a Latin word three: technical terms outweigh it by letters
    own = sum(scripts[s] for s in _SCRIPTS[wanted])
    if own < total * (0.5 if _SCRIPTS[wanted] == ("latin",) else 0.12):
        return f"mostly {scripts.most_common(1)[0][0]} letters"
    if wanted == "ja" and not scripts["kana"]:
        return "no kana"
    if wanted == "zh" and scripts["kana"] > own * 0.25:
        return "kana"
    return _other_latin(plain, wanted)


def script_language(texts: tuple[str, ...]) -> str:
    """The language that the script of these texts gives away (ja, zh, ko, …), or "" (Latin letters give nothing away)."""
    scripts = _scripts(" ".join(texts))
    total = sum(scripts.values())
    if total < 6:
        return ""
    if scripts["kana"] >= total * 0.15:
        return "ja"
    for language, script in (
        ("zh", "han"),
        ("ko", "hangul"),
        ("ru", "cyrillic"),
        ("el", "greek"),
        ("th", "thai"),
    ):
        if scripts[script] >= total * 0.5:
            return language
    return ""


def _other_latin(plain: str, wanted: str) -> str:
    if wanted not in _SMALL_WORDS:
        return ""
    words = re.findall(r"[^\W\d_]+", plain.lower())
    if len(words) < _WORDS_MIN:
        return ""
    found = {language: sum(w in small for w in words) for language, small in _SMALL_WORDS.items()}
    best = max(found, key=lambda language: (found[language], language == wanted))
    if best != wanted and found[best] >= 4 and found[best] >= 3 * max(1, found[wanted]):
        return f"reads as {best}"
    return ""


def _scripts(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for char in unicodedata.normalize("NFKC", text):
        if char.isalpha():
            name = unicodedata.name(char, "")
            found[next((script for head, script in _NAMES if name.startswith(head)), "other")] += 1
    return found
