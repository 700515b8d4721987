"""Which language a sentence is in: by its script, and among the Latin ones by its small words."""

from __future__ import annotations

import re

_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_LATIN = re.compile(r"[A-Za-zÀ-ÿ]{2,}")
_SMALL = {
    "de": "der die das und ist nicht ein eine mit auf für von zu den dem wird auch sich bei nach immer nie bitte ich wir ab jetzt wenn nur kein keine soll muss darf weil oder",
    "fr": "le la les des est une et dans pour pas que qui sur avec par du au ce sont ne je nous toujours jamais il faut doit sans plus",
    "es": "el la los las de que y en un una no se con por para es del al lo como siempre nunca hay debe usar sin más",
    "en": "the of and to is that for it with was on are this be not by from as which when but we i you must should never always use no in a",
}
_WORDS = {language: frozenset(words.split()) for language, words in _SMALL.items()}


def language_of(text: str) -> str:
    """en, de, fr, es, ja, zh or ko; en where nothing speaks for another."""
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    if _HAN.search(text) and 2 * len(_HAN.findall(text)) >= len(_LATIN.findall(text)):
        return "zh"
    words = re.findall(r"[a-zà-ÿß']+", text.lower())
    best, most = "en", sum(w in _WORDS["en"] for w in words)
    for language in ("de", "fr", "es"):
        score = sum(w in _WORDS[language] for w in words)
        if re.search(
            r"[äöüß]" if language == "de" else r"[éèêçàùœ]" if language == "fr" else r"[ñ¿¡óáí]", text.lower()
        ):
            score += 1
        if score > most:
            best, most = language, score
    return best


def dense(text: str) -> bool:
    """Is the text in a script without spaces (then six characters make a quote, not twelve)?"""
    return bool(_HAN.search(text) or _KANA.search(text))
