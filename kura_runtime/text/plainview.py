"""The view of a text in which the gate looks for claims: what a reader sees, free of disguise.

Two texts that look alike must be read alike, or a number could be smuggled past the gate by writing it with
full-width digits, zero-width joiners, HTML entities or bold marks in its middle. The view undoes all of that and keeps
line breaks (list markers need them). It is for comparison only: nothing in it is ever stored.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

# Letters that are drawn like Latin ones; applied only inside words that mix scripts, so that a Russian or Greek
# word stays itself.
_CONFUSABLE = str.maketrans(
    "асеорхуіјѕԁһԛԝѵАВСЕНКМОРТХУІЈЅЗЬ" + "αοενρτυικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdhqwvABCEHKMOPTXYIJS3b" + "aoevptuikABEZHIKMNOPTYX",
)
_SMALL_CAPS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True))
_MIXED_WORD = re.compile(r"[A-Za-zͰ-ϿЀ-ӿ]*(?:[A-Za-z][Ͱ-ϿЀ-ӿ]|[Ͱ-ϿЀ-ӿ][A-Za-z])[A-Za-zͰ-ϿЀ-ӿ]*")
_INVISIBLE = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f")
_HYPHENS = frozenset("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d\u02d7\u2796\u207b\u208b")
_THIN_SPACES = frozenset("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
_SPECIAL = {
    "🔟": "10",
    "💯": "100",
    "٬": "'",
    "٫": ".",
    "٪": "%",
    "ـ": "",  # the Arabic stretching mark carries no meaning
    "\u2044": "/",
    "\u2215": "/",
    "×": "x",
    "✕": "x",
    "✖": "x",
    "º": "º",  # an ordinal mark, which NFKC would turn into the letter o
    "ª": "ª",
}
# Private marks of this view only: where a superscript, a subscript and a thousands space stood.
_SUPER, _SUB, THIN = "\ue000", "\ue001", "\ue002"


def _plain_char(char: str) -> str:
    """What one character outside ASCII stands for in the view."""
    if char in _SPECIAL:
        return _SPECIAL[char]
    if char in _HYPHENS and char not in "\u207b\u208b":
        return "-"
    if char in _THIN_SPACES:
        return THIN
    if char in _SMALL_CAPS:
        return _SMALL_CAPS[char]
    code = ord(char)
    if 0xE0020 <= code <= 0xE007E:  # invisible tag characters spell ASCII that a model still reads
        return chr(code - 0xE0000)
    category = unicodedata.category(char)
    if (
        category in ("Cf", "Me")
        or char in _INVISIBLE
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF
    ):
        return ""
    for base in (0x1F150, 0x1F170, 0x1F1E6):  # white-on-black and regional letters, which NFKC leaves alone
        if base <= code < base + 26:
            return chr(ord("A") + code - base)
    if category == "Nd":
        return str(unicodedata.decimal(char))
    decomposition = unicodedata.decomposition(char)
    if decomposition.startswith(("<super>", "<sub>")):
        mark = _SUPER if decomposition.startswith("<super>") else _SUB
        folded = unicodedata.normalize("NFKC", char).replace("\u2212", "-")
        return mark + folded if folded.isdigit() or folded in "+-" else folded
    if decomposition.startswith("<fraction>"):
        return "\u2064" + unicodedata.normalize("NFKC", char).replace("\u2044", "/") + "\u2064"
    if category in ("Nl", "No"):
        folded = unicodedata.normalize("NFKC", char)
        if any(c.isascii() and c.isdigit() for c in folded):
            return folded
        value = unicodedata.numeric(char, None)
        if value is not None and value == int(value):
            return str(int(value))
    if char == "，":
        return "\u2063"  # decided below: a comma of the sentence, or one inside a full-width number
    return unicodedata.normalize("NFKC", char)


class _View(dict[int, str]):
    """A translation table that fills itself: code point → text in the view."""

    def __missing__(self, code: int) -> str:
        text = self[code] = chr(code) if code < 128 else _plain_char(chr(code))
        return text


_TABLE = _View()
_FULLWIDTH_COMMA = re.compile(r"(?<=[０-９])，(?=[０-９])")
_MARKS = re.compile("[\u0300-\u036f\u0483-\u0489\u064b-\u0652\u0670\u20d0-\u20ff]+")
_SUPER_RUN = re.compile(f"(?:{_SUPER}[0-9+-])+")
_SUB_RUN = re.compile(f"(?:{_SUB}[0-9+-])+")
_THIN_GROUP = re.compile(rf"(?<=\d){THIN}(?=\d{{3}}(?!\d))")
_APOSTROPHE_GROUP = re.compile(r"(?<=\d)[’‘ʼ](?=\d{3}(?!\d))")
_MIXED_FRACTION = re.compile("(?<=\\d)\\s?\u2064(\\d+/\\d+)\u2064")
_SUP_TAG = re.compile(r"<sup>\s*([^<]{1,12}?)\s*</sup>", re.IGNORECASE)
_INLINE_TAG = re.compile(
    r"</?(?:b|i|em|strong|u|s|span|sub|code|font|mark|small|big|a|wbr|ins|del|kbd|tt)(?:\s[^<>]*)?/?>|<!--\s*-->",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(
    r"\*\*|~~|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|(?<=[^\s\d*])\*|(?<=\d)\*(?![\s\d])|(?<!\d)\*(?=[^\s*])"
)
_TEN_TO_THE = re.compile(r"(?<=\d)\s?[x·*⋅]\s?10\^(?=-?\d)")
_CODE_SPLIT = re.compile(r"(?<=\d)`+(?=\d)")


@lru_cache(maxsize=512)
def plain(text: str) -> str:
    """`text` as a reader sees it: NFKC digits and letters, no invisible characters, no inline markup, hyphens and
    minus signs as "-", superscripts as "^2", vulgar fractions as "1/2", line breaks kept."""
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = _INLINE_TAG.sub("", _SUP_TAG.sub(r"^\1", text))
    if not text.isascii():
        text = _beyond_ascii(text)
    if "*" in text or "_" in text or "~~" in text:
        text = _EMPHASIS.sub("", text)
    if "10^" in text:
        text = _TEN_TO_THE.sub("e", text)
    if "`" in text:
        text = _CODE_SPLIT.sub("", text)
    return text


def _beyond_ascii(text: str) -> str:
    text = unicodedata.normalize("NFC", _FULLWIDTH_COMMA.sub(",", text).translate(_TABLE))
    text = _MARKS.sub("", text)
    text = _SUPER_RUN.sub(lambda m: "^" + m.group().replace(_SUPER, ""), text)
    text = _SUB_RUN.sub(lambda m: "_" + m.group().replace(_SUB, ""), text)
    text = _APOSTROPHE_GROUP.sub("'", _THIN_GROUP.sub("'", text)).replace(THIN, " ")
    text = _MIXED_FRACTION.sub(r"+\1", text).replace("\u2064", " ").replace("\u2063", ", ")
    return _MIXED_WORD.sub(lambda m: m.group().translate(_CONFUSABLE), text)
