"""The words of a sentence that tell it from its neighbours: names, identifiers, nouns; and how near two sentences are."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

_TOKEN = re.compile(
    r"[A-Za-zÀ-ɏ0-9_][\wÀ-ɏ'./@#-]*[\wÀ-ɏ]|[A-Za-zÀ-ɏ0-9]|#\w+|[\u30a0-\u30ffー]{2,}|[\u3400-\u9fff]+|[\uac00-\ud7af]+"
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_SMALL_WORDS = (
    # articles, pronouns, auxiliaries, particles; chat fillers; words that every instruction holds
    """a an the and or but nor so of to in on at by for from with without about into onto over under than then as if when while until
    unless is are was were be been being am do does did done have has had having will would shall should can could may might must need
    needs needed ought not no nor never always ever i me my mine we us our ours you your yours he him his she her hers it its they them their
    this that these those there here what which who whom whose how why where now just also too very really actually still again already
    only even ever ok okay alright well hmm hmmm hm ah oh yes yeah yep no nope nah please pls thanks thank hey dude man bro omfg omg wtf ffs
    fuck fucking fucked shit stupid damn hell bloody thing things stuff way lot bit kind sort like get got gets go going goes gone
    make makes made sure use uses used using want wants wanted know think thinks thought guess suppose believe say says said see look
    looks let lets let's i'm i'll i've i'd we're we've we'll it's that's don't doesn't isn't aren't won't can't shouldn't mustn't didn't
    one two all any some every each other another same more most less least much many few both either neither such own new old first last next
    up down out off back away because since though although however instead rather otherwise else whenever from now
    time day today tomorrow yesterday decided decide decision prefer prefers preferred remember keep forget going forward
    der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind war waren wird werden hat haben mit auf für von zu
    im in am an es er sie wir ihr ich du dass wenn als auch nur noch schon immer nie bitte jetzt ab bei nach aus wie was soll sollen muss müssen
    le la les un une des du de et ou mais ne pas plus est sont était être a ont avoir pour par sur dans avec sans ce cette ces il elle nous vous
    je tu on que qui quoi toujours jamais si quand faut doit
    el los las una unos unas y o pero no es son era ser ha han con por para sin sobre este esta estos estas que quien siempre nunca si cuando
    hay debe lo al del se su sus"""
)
_STOP = frozenset(_SMALL_WORDS.split())
_ASCII_IDENTIFIER = re.compile(r"[a-z][A-Z]|[A-Z]{2,}|\d|[_./@#]|^[A-Z][a-z]+[A-Z]|-.*-")
_CJK_STOP = re.compile(
    r"[的了是在和与或就都也很又把被给让要会能可我你他她它们这那个些么吗呢吧啊请用以为不没有到从对上下中里后前来去说做着过再还所因但如果所以因为今必须应该需]"
)


def terms(text: str) -> Counter[str]:
    """Telling terms of a text, folded: Latin words without the small ones (plural s cut), identifiers whole and in parts,
    katakana words whole, Han in pairs."""
    found: Counter[str] = Counter()
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text)):
        if _HAN.match(token):
            for part in _CJK_STOP.split(token):
                found.update(part[i : i + 2] for i in range(len(part) - 1))
            continue
        word = token.strip("'.-/")
        low = word.casefold()
        if low in _STOP or (len(low) < 2 and low.isascii()):
            continue
        found[_stem(low)] += 1
        if identifier(word):
            parts = re.findall(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}(?![a-z])", word)
            if parts and parts[0] != word:
                found.update(_stem(p.casefold()) for p in parts if p.casefold() not in _STOP)
    return found


def identifier(word: str) -> bool:
    """Does the word look like a name of code, a file, a product or a figure rather than a word of the language?"""
    return bool(_ASCII_IDENTIFIER.search(word)) and any(c.isalnum() for c in word)


def names(text: str) -> list[str]:
    """Identifiers, capitalised words inside a sentence, code spans and katakana words, in order, without repeats."""
    found: list[str] = re.findall(r"`([^`\n]{2,60})`", text)
    for match in _TOKEN.finditer(text):
        word = match.group().strip("'.-/")
        if len(word) < 2 or word.casefold() in _STOP:
            continue
        head = text[: match.start()].rstrip()
        inner = bool(head) and head[-1] not in ".!?。！？:\n"
        if identifier(word) or (inner and word[0].isupper()) or re.fullmatch(r"[\u30a0-\u30ffー]{3,}", word):
            found.append(word)
    return list(dict.fromkeys(found))


def weight(text: str) -> int:
    """How much a text says, in words: telling Latin words, and one for every two Han characters or kana words."""
    return sum(terms(text).values())


_FEW = 20  # texts; in fewer than these no word is common


class Rarity:
    """How rare a term is among the human's sentences of a batch."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts = [set(terms(t)) for t in texts]
        self._spread = Counter(t for c in counts for t in c)
        self._n = max(_FEW, len(counts))

    def of(self, term: str) -> float:
        """log(1 + N / texts that hold it); a term never seen counts as seen once."""
        return math.log(1 + self._n / max(1, self._spread[term]))

    def rare(self, term: str) -> bool:
        """Stands in at most three sentences, or in one of twenty."""
        return self._spread[term] <= max(3, self._n // 20)

    def nearness(self, a: Mapping[str, int], b: Mapping[str, int]) -> float:
        """Weight of the shared terms over the weight of the smaller side, 0 to 1; 0 where no shared term is rare."""
        shared = [t for t in a if t in b]
        if not shared or not any(self.rare(t) for t in shared):
            return 0.0
        small = min(sum(self.of(t) for t in a), sum(self.of(t) for t in b))
        return sum(self.of(t) for t in shared) / small if small else 0.0


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )
