"""Which number words count something, with their units; fractions, multiples, ordinals and Roman numerals in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kura_runtime.text.number_words import ENGLISH
from kura_runtime.text.units import MEASURED, lookup, unit_at

# two-factor, three-way, zero-copy: names of methods, not counts
_NAME_BEHIND = re.compile(
    r"-(?:way|factor|phase|tier|step|sided|dimensional|letter|point|part|pass|shot|copy|downtime|width|day|trust|knowledge|config|touch|fold|based|indexed|padded|level|party|liner|off|time|stop|cost|length|sum|eyes?|eyed|star|hop|click|finger|pane|line|to-one|to-many)\b",
    re.IGNORECASE,
)
_NOT_COUNTING = re.compile(
    r"(?:\b(?:außer|in|no|any|each|every|some|this|that|which|the|another|either|neither|only)\s)$",
    re.IGNORECASE,
)
_LES_DEUX = re.compile(r"\b(?:les|des|aux|ces|los|las|ambos|die|alle|all)\s$", re.IGNORECASE)
_PREDICATE = re.compile(
    r"\s*(?:[.,;:!?)]|$|(?:sont|ont|se|ne|à|en|son|están|han|no|sind|haben|und|et|y|ou|o|oder|are|have|may|must|can)\b)",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\s+[A-Za-zÀ-ɏ]{2,}[sxz](?!\w)")
_ZERO_OK = re.compile(r"\s+[a-zà-ÿ]{3,}", re.IGNORECASE)
_IDIOM_AT = re.compile(
    r"(?:two's|three-quarters|seven\s+deadly|four\s+eyes|nine\s+to\s+five|acht\s+(?:geben|gegeben|genommen)|elf\s+(?:binary|file|header|section)s?|zero\s+(?:trust|knowledge|copy|day|downtime|config)|million\s+dollar)\b",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"\b(?P<half>half(?=\s+(?:of|the|a|an|as|its|their|our|all)\b)|one\s+half|a\s+half|la\s+moitié|la\s+mitad|die\s+Hälfte|der\s+Hälfte|(?:die\s+)?halbe[nrs]?\s+(?=\w)|halved|(?:une\s+)?demi-?(?:e-)?heure|media\s+hora|halves(?=\s+(?:the|its|their)\b)|halving|halbiert|a\s+medias)\b(?!-)"
    r"|\b(?P<num>a|one|two|three|four|un|deux|trois|ein|zwei|drei|una?|dos|tres)[\s-]+(?P<den>thirds?|quarters?|fifths?|sixths?|eighths?|tenths?|tiers|quarts?|Drittel|Viertel|Fünftel|Zehntel|tercios?|cuartos?|tercera\s+parte|cuarta\s+parte)\b(?!\s+(?:part(?:y|ies)|time|place)|\s+d['’]heure)"
    r"|\b(?P<twice>twice|thrice|zweimal|dreimal|viermal|fünfmal|zehnmal)\b"
    r"|\b(?P<mult>doubled|doubles|doubling|double\s+(?:the|its|that|as)|twofold|tripled|triples|tripling|triple\s+(?:the|its)|threefold|quadrupled|quadruples|tenfold|verdoppelt\w*|verdreifacht\w*|verzehnfacht\w*|doppelt\s+so|dreimal\s+so|zehnmal\s+so|le\s+double|le\s+triple|doublé\w*|triplé\w*|el\s+doble|el\s+triple|(?:du|tri)plic(?:ó|aron)|se\s+(?:du|tri)plica\w*)\b"
    r"|\b(?P<vague>dozens|scores|hundreds|thousands|millions|billions|Dutzende\w*|Hunderte\w*|Tausende\w*|Millionen\s+von|douzaines|dizaines|centaines|milliers|decenas|docenas|cientos|centenares|miles|millones)\b(?=\s+(?:of|de|d['’]|von)|\s)"
    r"|\b(?P<odd>(?:ein|zwei|drei|vier)einhalb|anderthalb)\b|(?P<wide>[一二三四五六七八九十百]+)分(?:之|の)(?P<wnum>[一二三四五六七八九十百千]+)|(?P<whalf>半(?:个?小时|個小時|時間|天|年|个月)|一半|半分(?!か)|半数|半數|절반|نصف(?!\w))|(?P<wtwice>翻倍|翻了一番|翻番|倍増|両倍|ضعف(?=ا|ي|\s)|ضعفي|ضعفين|مرتين|두\s?배로)|(?P<wvague>数十|数百|数千|数万|几十|几百|几千|上百|上千|上万|수십|수백|수천|(?:عشرات|مئات|آلاف)(?!\w))",
    re.IGNORECASE,
)  # fmt: skip
_FRACTION_STEMS = (
    "half", "moiti", "mitad", "hälfte", "halb", "halv", "third", "quarter", "fifth", "sixth", "eighth", "tenth", "tiers", "quart", "drittel", "viertel", "fünftel", "zehntel",
    "terci", "tercer", "cuart", "twice", "thrice", "mal", "doubl", "triple", "fold", "quadrupl", "verd", "doppelt", "triplé", "doble", "duplic", "triplic", "dozens",
    "scores", "hundreds", "thousands", "illion", "dutzende", "hunderte", "tausende", "douzaines", "dizaines", "centaines", "milliers", "cenas", "cientos", "centenares", "miles", "verzehn",
    "分之", "分の", "半", "倍", "翻番", "一番", "ضعف", "مرتين", "نصف", "두", "数", "几", "上百", "上千", "上万", "절반", "수십", "수백", "수천", "عشرات", "مئات", "آلاف", "medias",
)  # fmt: skip
_MULTIPLE = (
    ("tripl", "3"),
    ("dreif", "3"),
    ("verdrei", "3"),
    ("dreimal", "3"),
    ("thrice", "3"),
    ("three", "3"),
    ("quadru", "4"),
    ("viermal", "4"),
    ("fünfmal", "5"),
    ("ten", "10"),
    ("zehn", "10"),
    ("verzehn", "10"),
)
_DENOMINATOR = (
    ("third", 3),
    ("tier", 3),
    ("drittel", 3),
    ("terc", 3),
    ("quart", 4),
    ("viert", 4),
    ("cuart", 4),
    ("fifth", 5),
    ("fünft", 5),
    ("sixth", 6),
    ("eighth", 8),
    ("tenth", 10),
    ("zehnt", 10),
)
_NUMERATOR = {
    "a": 1,
    "one": 1,
    "un": 1,
    "una": 1,
    "ein": 1,
    "two": 2,
    "deux": 2,
    "zwei": 2,
    "dos": 2,
    "three": 3,
    "trois": 3,
    "drei": 3,
    "tres": 3,
    "four": 4,
}
_ORDINAL = re.compile(
    r"\b(?:the|a|an|every|each|our|its|their|his|her|for\s+the|on\s+the)\s+(third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|twentieth)\b(?!\s*-|\s+part(?:y|ies)\b|\s+of\b)"
    r"|\b(?:der|die|das|den|dem|zum|beim|im)\s+(dritten?|vierten?|fünften?|sechsten?|siebten?|achten?|neunten?|zehnten?)(?:n|r|s)?\b"
    r"|\b(?:la|le|el|al|du|au)\s+(troisième|quatrième|cinquième|sixième|septième|huitième|neuvième|dixième|tercera?|tercer|cuart[oa]|quint[oa]|sext[oa]|séptim[oa]|octav[oa]|noven[oa]|décim[oa])\b(?!\s+(?:partie|parte|part)\b)",
    re.IGNORECASE,
)  # fmt: skip
_ORDINAL_STEMS = (
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
    ("twentieth", 20),
    ("dritt", 3),
    ("viert", 4),
    ("fünft", 5),
    ("sechst", 6),
    ("siebt", 7),
    ("acht", 8),
    ("neunt", 9),
    ("zehnt", 10),
    ("trois", 3),
    ("quatr", 4),
    ("cinq", 5),
    ("six", 6),
    ("sept", 7),
    ("huit", 8),
    ("neuv", 9),
    ("dix", 10),
    ("terce", 3),
    ("cuart", 4),
    ("quint", 5),
    ("sext", 6),
    ("séptim", 7),
    ("octav", 8),
    ("noven", 9),
    ("décim", 10),
)
_ROMAN = re.compile(
    r"(?<![\w-])(?P<label>(?i:version|phase|part|type|level|stage|chapter|step|class|tier|generation|mark|volume|act|Teil|Kapitel|Stufe|Klasse|partie|niveau|étape|fase|nivel|parte|capítulo|第)\s?)?(?P<roman>[IVX]{2,}|[VX])(?![\w-])(?P<noun>\s[a-z]{3,})?"
)
_ROMAN_VALUE = {"I": 1, "V": 5, "X": 10}
_SPELLED = re.compile(r"(?<![\w])(?:[A-Za-zÀ-ɏ][ .·\u2011-]){2,}[A-Za-zÀ-ɏ](?!\w)")
_BROKEN = re.compile(r"(?<![\w-])[A-Za-zÀ-ɏ]{1,8}(?:-[A-Za-zÀ-ɏ]{1,8})+(?![\w-])")

Claim = tuple[int, int, str, str]  # start, end, value, unit


def spoken(
    view: str,
    european: Iterable[tuple[int, int, int, str]],
    numerals: Iterable[tuple[int, int, int, bool]],
    korean: Iterable[tuple[int, int, int]],
) -> Iterator[Claim]:
    """The claims made in words, fractions and multiples first (they swallow the number words inside them)."""
    busy: list[tuple[int, int]] = []

    def free(start: int, end: int) -> bool:
        return not any(a < end and start < b for a, b in busy)

    for claim in (*_fractions(view), *_ordinals(view), *_roman(view), *_disguised(view)):
        if free(claim[0], claim[1]):
            busy.append((claim[0], claim[1]))
            yield claim
    for start, end, value, lang in european:
        if free(start, end) and _counts(view, start, end, value, lang):
            unit, until = unit_at(view, end)
            yield start, until, str(value), unit
    for start, end, value, ordinal in numerals:
        if free(start, end):
            unit, until = unit_at(view, end)
            yield start, until, str(value), "ord" if ordinal else unit
    for start, end, value in korean:
        unit, until = unit_at(view, end)
        yield start, until, str(value), unit


def _counts(view: str, start: int, end: int, value: int, lang: str) -> bool:
    """Does this run of number words count, or is it an article, an idiom, or the name of a method?"""
    before, after = view[max(0, start - 12) : start], view[end : end + 24]
    if _IDIOM_AT.match(view, start) or _NAME_BEHIND.match(after) or before.endswith(("-", "_", "/", ".")):
        return (
            before.endswith("-")
            and bool(re.match(r"\s+\w", after))
            and not _NAME_BEHIND.match(after)
            and False
        )
    word = view[start:end].casefold()
    if value == 1:
        unit, _ = unit_at(view, end)
        return unit in MEASURED and unit not in ("d", "x") and not _NOT_COUNTING.search(before)
    if value == 0:
        return lang == "en" and bool(_ZERO_OK.match(after))
    if value == 2 and _LES_DEUX.search(before) and _PREDICATE.match(after):
        return False  # "les deux", "los dos", "the two are": both
    if word == "neuf":  # also "new"
        return bool(_PLURAL.match(after))
    if word == "acht":
        return not _NOT_COUNTING.search(before)
    return not (word in ("cent", "mil", "mille", "million") and not re.match(r"\s+\w", after))


def _fractions(view: str) -> Iterator[Claim]:
    folded_view = view.casefold()
    if not any(stem in folded_view for stem in _FRACTION_STEMS):
        return
    for match in _FRACTION.finditer(view):
        got, start, end = match.groupdict(), match.start(), match.end()
        folded = match.group().casefold()
        multiple = next((value for stem, value in _MULTIPLE if folded.startswith(stem)), "2")
        if got["half"] or got["whalf"]:
            yield start, end, "1/2", ""
        elif got["odd"]:
            yield start, end, {"z": "2", "d": "3", "v": "4"}.get(folded[0], "1") + "+1/2", ""
        elif got["den"]:
            below = next(value for stem, value in _DENOMINATOR if got["den"].casefold().startswith(stem))
            yield start, end, f"{_NUMERATOR[got['num'].casefold()]}/{below}", ""
        elif got["twice"]:
            factor = re.match(r"\s+(?:as|the|so)\b", view[end:])
            yield start, end, multiple, "x" if factor else "times"
        elif got["mult"] or got["wtwice"]:
            yield start, end, multiple, "times" if "مرتين" in folded else "x"
        elif got["wide"]:
            yield start, end, *_wide_fraction(got["wide"], got["wnum"])
        else:
            yield start, end, "~" + folded, ""


def _wide_fraction(below: str, above: str) -> tuple[str, str]:
    from kura_runtime.text.number_words_cjk import value_of

    if below == "百":
        return str(value_of(above)), "%"
    return f"{value_of(above)}/{value_of(below)}", ""


def _ordinals(view: str) -> Iterator[Claim]:
    folded = view.casefold()
    if not any(stem in folded for stem, _ in _ORDINAL_STEMS):
        return
    for match in _ORDINAL.finditer(view):
        word = next(g for g in match.groups() if g).casefold()
        yield (
            match.start(),
            match.end(),
            str(next(v for stem, v in _ORDINAL_STEMS if word.startswith(stem))),
            "ord",
        )


def _roman(view: str) -> Iterator[Claim]:
    """A Roman numeral behind a label ("phase IV") or in front of a counted noun ("XII hosts")."""
    for match in _ROMAN.finditer(view):
        noun = lookup(match["noun"].strip()) if match["noun"] else ""
        if match["label"] or (noun and len(match["roman"]) > 1):
            yield (
                match.start("roman"),
                match.end("roman"),
                str(_roman_value(match["roman"])),
                "ord" if match["label"] else noun,
            )


def _roman_value(roman: str) -> int:
    values = [_ROMAN_VALUE[c] for c in roman]
    return sum(-v if any(v < w for w in values[i + 1 : i + 2]) else v for i, v in enumerate(values))


def _disguised(view: str) -> Iterator[Claim]:
    """Number words taken apart: "t w e l v e", "twel-ve"."""
    for pattern in (_SPELLED, _BROKEN):
        for match in pattern.finditer(view):
            word = re.sub(r"[^A-Za-zÀ-ɏ]", "", match.group()).casefold()
            parts = re.split(r"[^A-Za-zÀ-ɏ]", match.group().casefold())
            value = ENGLISH.get(word)
            if value is not None and value > 1 and not any(p in ENGLISH for p in parts):
                unit, end = unit_at(view, match.end())
                yield match.start(), end, str(value), unit
