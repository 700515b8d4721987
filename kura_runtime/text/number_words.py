"""Number words of European languages and Arabic: "twelve", "zweiundzwanzig", "quatre-vingt-dix", "خمسة وعشرون".

Articles and idioms are no numbers: "one", "ein", "une" never count here (a unit behind "one" makes it count, see
`numbers`), nor do "once" in English or "dos" in MS-DOS: a word that means something else in another language is read
as a number only where the text is in its own language.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final

ENGLISH: Final[dict[str, int]] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "dozen": 12,
}  # fmt: skip
GERMAN: Final[dict[str, int]] = {
    "zwei": 2, "zwo": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12,
    "sechzehn": 16, "siebzehn": 17, "zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60,
    "siebzig": 70, "achtzig": 80, "neunzig": 90, "dutzend": 12,
}  # fmt: skip
FRENCH: Final[dict[str, int]] = {
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9, "dix": 10, "onze": 11, "douze": 12,
    "treize": 13, "quatorze": 14, "quinze": 15, "seize": 16, "vingt": 20, "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50,
    "soixante": 60, "septante": 70, "octante": 80, "nonante": 90, "cent": 100, "cents": 100, "mille": 1000, "million": 10**6,
    "millions": 10**6, "douzaine": 12, "un": 1, "une": 1,
}  # fmt: skip
SPANISH: Final[dict[str, int]] = {
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12,
    "trece": 13, "catorce": 14, "quince": 15, "dieciséis": 16, "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veinte": 20,
    "veintiuno": 21, "veintidós": 22, "veintitrés": 23, "veinticuatro": 24, "veinticinco": 25, "veintiséis": 26,
    "veintisiete": 27, "veintiocho": 28, "veintinueve": 29, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70,
    "ochenta": 80, "noventa": 90, "cien": 100, "ciento": 100, "cientos": 100, "doscientos": 200, "doscientas": 200, "trescientos": 300,
    "trescientas": 300, "cuatrocientos": 400, "quinientos": 500, "quinientas": 500, "seiscientos": 600, "setecientos": 700,
    "ochocientos": 800, "novecientos": 900, "mil": 1000, "millón": 10**6, "millones": 10**6, "docena": 12, "uno": 1, "un": 1,
}  # fmt: skip
PORTUGUESE: Final[dict[str, int]] = {
    "dois": 2, "duas": 2, "três": 3, "quatro": 4, "oito": 8, "nove": 9, "dez": 10, "doze": 12, "vinte": 20, "trinta": 30, "cem": 100,
}  # fmt: skip
RUSSIAN: Final[dict[str, int]] = {
    "два": 2, "две": 2, "двух": 2, "три": 3, "трёх": 3, "трех": 3, "четыре": 4, "пять": 5, "шесть": 6, "семь": 7, "восемь": 8, "девять": 9,
    "десять": 10, "одиннадцать": 11, "двенадцать": 12, "пятнадцать": 15, "двадцать": 20, "тридцать": 30, "сорок": 40, "пятьдесят": 50, "сто": 100,
    "тысяча": 1000, "тысячи": 1000, "тысяч": 1000,
}  # fmt: skip
ARABIC: Final[dict[str, int]] = {
    "اثنان": 2, "اثنين": 2, "اثنتان": 2, "اثنتين": 2, "إثنان": 2, "اثنا": 2, "اثني": 2, "اثنتا": 2, "ثلاثة": 3, "ثلاث": 3, "أربعة": 4, "أربع": 4,
    "اربعة": 4, "اربع": 4, "خمسة": 5, "خمس": 5, "ستة": 6, "ست": 6, "سبعة": 7, "سبع": 7, "ثمانية": 8, "ثماني": 8, "ثمان": 8, "تسعة": 9, "تسع": 9,
    "عشرة": 10, "عشر": 10, "عشرون": 20, "عشرين": 20, "ثلاثون": 30, "ثلاثين": 30, "أربعون": 40, "أربعين": 40, "خمسون": 50, "خمسين": 50, "ستون": 60,
    "ستين": 60, "سبعون": 70, "سبعين": 70, "ثمانون": 80, "ثمانين": 80, "تسعون": 90, "تسعين": 90, "مئة": 100, "مائة": 100, "مئتان": 200, "مئتين": 200,
    "ألف": 1000, "الف": 1000, "آلاف": 1000, "ألفان": 2000, "ألفين": 2000, "مليون": 10**6,
}  # fmt: skip
# Read as numbers only in a text of their own language (elsewhere they are other words).
OWN_LANGUAGE_ONLY: Final[dict[str, frozenset[str]]] = {
    "de": frozenset({"acht", "elf", "zwo"}),
    "fr": frozenset({"dix", "neuf", "sept", "seize", "cent", "cents", "mille", "million", "millions", "un", "une", "quarante"}),
    "es": frozenset({"dos", "once", "mil", "un", "uno", "quince"}),
    "pt": frozenset({"dez", "nove", "cem", "dois"}),
}  # fmt: skip
_TABLES: Final[dict[str, dict[str, int]]] = {
    "en": ENGLISH, "fr": FRENCH, "es": SPANISH, "pt": PORTUGUESE, "ru": RUSSIAN, "ar": ARABIC, "de": GERMAN,
}  # fmt: skip
_FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    "de": frozenset(
        [
            "alle",
            "als",
            "am",
            "antwortzeit",
            "auf",
            "aus",
            "bei",
            "das",
            "dauer",
            "dem",
            "den",
            "der",
            "die",
            "ein",
            "eine",
            "für",
            "haben",
            "hat",
            "im",
            "ist",
            "keine",
            "knoten",
            "liegt",
            "mit",
            "mittlere",
            "nach",
            "nicht",
            "noch",
            "nur",
            "pro",
            "prozent",
            "sekunden",
            "sich",
            "sind",
            "und",
            "von",
            "wird",
            "wurde",
            "zeilen",
            "zu",
            "zum",
            "über",
        ]
    ),
    "fr": frozenset(
        [
            "au",
            "aux",
            "avec",
            "ces",
            "cette",
            "dans",
            "des",
            "du",
            "est",
            "et",
            "le",
            "les",
            "ne",
            "ont",
            "par",
            "pas",
            "pour",
            "sont",
            "sur",
            "une",
            "été",
        ]
    ),
    "es": frozenset(
        [
            "al",
            "con",
            "del",
            "el",
            "en",
            "es",
            "está",
            "fue",
            "hay",
            "las",
            "lo",
            "los",
            "no",
            "para",
            "por",
            "que",
            "se",
            "son",
            "una",
            "y",
        ]
    ),
    "pt": frozenset(["ao", "com", "das", "dos", "em", "foi", "não", "os", "são", "uma"]),
    "en": frozenset(
        [
            "and",
            "are",
            "at",
            "by",
            "for",
            "from",
            "has",
            "in",
            "is",
            "of",
            "on",
            "the",
            "to",
            "was",
            "were",
            "with",
        ]
    ),
}
_LETTERS = re.compile(r"[a-zà-ɏ]+")


@lru_cache(maxsize=512)
def languages(text: str) -> frozenset[str]:
    """The European languages whose function words stand in `text` (at least half as many as the likeliest has)."""
    words = Counter(_LETTERS.findall(text.casefold()))
    counts = {lang: sum(words[w] for w in known if w in words) for lang, known in _FUNCTION_WORDS.items()}
    most = max(counts.values())
    return frozenset(lang for lang, count in counts.items() if count and count * 2 >= most)


def _german(word: str) -> int | None:
    """The value of one German compound ("zweiundzwanzig", "dreitausendvierhundert"), or None."""
    if word in GERMAN:
        return GERMAN[word]
    for big, value in (("tausend", 1000), ("hundert", 100)):
        head, found, tail = word.partition(big)
        if found:
            left = 1 if head in ("", "ein") else _german(head)
            right = 0 if not tail else _german(tail.removeprefix("und")) if tail.removeprefix("und") else 0
            return None if left is None or right is None else left * value + right
    ones, found, tens = word.partition("und")
    if found and tens in GERMAN and GERMAN[tens] >= 20 and (ones in GERMAN or ones == "ein"):
        return GERMAN.get(ones, 1) + GERMAN[tens]
    if word.endswith("zehn") and word[:-4] in GERMAN:
        return GERMAN[word[:-4]] + 10
    return None


_GERMAN_LIKE = re.compile(
    r"^(?:ein|zwei|zwo|drei|vier|fünf|sech|sieb|acht|neun|zehn|elf|zwölf|hundert|tausend|zwanzig|dutzend)"
)


def word_value(word: str, lang: str) -> int | None:
    """The value of one word in one language, or None; `word` is lower-case."""
    if lang == "de":
        return _german(word) if _GERMAN_LIKE.match(word) else None
    return _TABLES[lang].get(word)


def combine(values: list[int]) -> int:
    """The value of a run of number words: smaller ones add up, hundreds and thousands multiply what stands before."""
    total = current = 0
    for value in values:
        if value in (100, 12) and current:
            current *= value
        elif value >= 1000:
            total += max(current, 1) * value
            current = 0
        elif value == 20 and current == 4:  # quatre-vingt
            current = 80
        else:
            current += value
    return total + current


_RUN = re.compile(r"[A-Za-zÀ-ɏ]+|[а-яёА-ЯЁ]+|[ء-ي]+")
_LINKS = (re.compile(r"\s+و"), re.compile(r"(?:\s*-\s*|\s+)(?:(?:and|et|y|e)\s+|et-)?"))
_ANY_WORD: Final[frozenset[str]] = frozenset(w for table in _TABLES.values() for w in table)


@lru_cache(maxsize=8192)
def _may_be_number(word: str) -> bool:
    return word in _ANY_WORD or bool(_GERMAN_LIKE.match(word))


def number_runs(text: str) -> list[tuple[int, int, int, str]]:
    """Every run of number words in `text`: (start, end, value, language). "one" alone is given too, in English."""
    spoken = None
    found: list[tuple[int, int, int, str]] = []
    at = 0
    while word := _RUN.search(text, at):
        at = word.end()
        folded = word.group().casefold()
        if not _may_be_number(folded):
            continue
        if spoken is None:
            spoken = languages(text)
        if run := _run_from(text, word, folded, spoken):
            found.append(run)
            at = run[1]
    return found


def _run_from(
    text: str, first: re.Match[str], folded: str, spoken: frozenset[str]
) -> tuple[int, int, int, str] | None:
    for lang in _TABLES:
        value = _counting(folded, lang, spoken)
        if value is None:
            continue
        values, end = [value], first.end()
        while following := _next_of_run(text, end, values[-1], lang, spoken):
            more, end = following
            values.append(more)
        if values == [1] and lang != "en":
            continue
        return first.start(), end, combine(values), lang
    return None


def _next_of_run(text: str, end: int, left: int, lang: str, spoken: frozenset[str]) -> tuple[int, int] | None:
    for pattern in _LINKS:
        link = pattern.match(text, end)
        word = _RUN.match(text, link.end()) if link else None
        value = _counting(word.group().casefold(), lang, spoken) if word else None
        if link and word and value is not None and _may_follow(left, value, lang, link.group()):
            return value, word.end()
    return None


def _counting(word: str, lang: str, spoken: frozenset[str]) -> int | None:
    if word in OWN_LANGUAGE_ONLY.get(lang, frozenset()) and lang not in spoken:
        return None
    return word_value(word, lang)


def _may_follow(left: int, right: int, lang: str, link: str) -> bool:
    """True where two number words form one number ("twenty two", "two hundred"), false for two numbers in a row."""
    if right in (100, 1000, 10**6, 10**9, 10**12, 12):
        return True
    if left >= 100 and right < left:
        return True
    if lang == "ar":
        return right in (10,) or "و" in link
    if lang == "fr" and (left, right) == (4, 20):
        return True
    if lang == "fr" and ((left in (20, 60) and 10 <= right < 20) or (left == 10 and 7 <= right <= 9)):
        return True
    return left >= 20 and right < 10
