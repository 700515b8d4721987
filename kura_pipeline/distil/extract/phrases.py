"""The fixed words around the quotations, in the languages the editor knows. Nothing else in a memory is ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """`said` takes {date} and {quotes}; `undated` only {quotes}. The others are labels, the last three whole sentences."""

    said: str
    undated: str
    wrote: str
    wrote_undated: str
    before: str
    why: str
    happened: str
    then: str
    earlier: str
    asked: str
    tool: str
    act: str
    heading: str
    belongs: str
    keep: str
    may_fade: str
    marks: tuple[tuple[str, str], ...]

    def enclose(self, text: str) -> str:
        """The text in quotation marks that do not stand in it."""
        opened, closed = self.marks_for((text,))
        return f"{opened}{text}{closed}"

    def marks_for(self, texts: Iterable[str]) -> tuple[str, str]:
        """The first pair of marks that stands in none of the texts."""
        texts = tuple(texts)
        for opened, closed in self.marks:
            if not any(opened in t or closed in t for t in texts):
                return opened, closed
        return self.marks[0]


_LATIN = (("“", "”"), ("«", "»"), ("「", "」"))
_CORNERS = (("「", "」"), ("『", "』"), ("“", "”"))

PHRASES: dict[str, Phrases] = {
    "en": Phrases(
        said="The user said ({date}): {quotes}", undated="The user said: {quotes}",
        wrote="The user's note ({date}): {quotes}", wrote_undated="The user's note: {quotes}",
        before="Just before", why="Why", happened="What had happened", then="And then", earlier="Before that the user had said",
        asked="The agent had just written", tool="Machine output", act="What the agent then wrote",
        heading="Also said",
        belongs="A lasting statement in the user's own words.",
        keep="The words in quotation marks.",
        may_fade="The moment at which they were said.",
        marks=_LATIN,
    ),
    "de": Phrases(
        said="Der Nutzer schrieb ({date}): {quotes}", undated="Der Nutzer schrieb: {quotes}",
        wrote="Notiz des Nutzers ({date}): {quotes}", wrote_undated="Notiz des Nutzers: {quotes}",
        before="Unmittelbar davor", why="Warum", happened="Was geschehen war", then="Danach", earlier="Davor hatte der Nutzer geschrieben",
        asked="Der Agent hatte eben geschrieben", tool="Ausgabe der Maschine", act="Was der Agent dann schrieb",
        heading="Auch gesagt",
        belongs="Eine bleibende Aussage in den Worten des Nutzers.",
        keep="Die Worte in Anführungszeichen.",
        may_fade="Der Augenblick, in dem sie fielen.",
        marks=_LATIN,
    ),
    "fr": Phrases(
        said="L'utilisateur a écrit ({date}) : {quotes}", undated="L'utilisateur a écrit : {quotes}",
        wrote="Note de l'utilisateur ({date}) : {quotes}", wrote_undated="Note de l'utilisateur : {quotes}",
        before="Juste avant", why="Pourquoi", happened="Ce qui s'était passé", then="Ensuite", earlier="Auparavant, l'utilisateur avait écrit",
        asked="L'agent venait d'écrire", tool="Sortie de la machine", act="Ce que l'agent a ensuite écrit",
        heading="Dit aussi",
        belongs="Une parole durable de l'utilisateur.",
        keep="Les mots entre guillemets.",
        may_fade="Le moment où ils ont été dits.",
        marks=_LATIN,
    ),
    "es": Phrases(
        said="El usuario escribió ({date}): {quotes}", undated="El usuario escribió: {quotes}",
        wrote="Nota del usuario ({date}): {quotes}", wrote_undated="Nota del usuario: {quotes}",
        before="Justo antes", why="Por qué", happened="Lo que había pasado", then="Después", earlier="Antes el usuario había escrito",
        asked="El agente acababa de escribir", tool="Salida de la máquina", act="Lo que el agente escribió después",
        heading="Dicho también",
        belongs="Una afirmación duradera en palabras del usuario.",
        keep="Las palabras entre comillas.",
        may_fade="El momento en que se dijeron.",
        marks=_LATIN,
    ),
    "ja": Phrases(
        said="ユーザーの言葉（{date}）：{quotes}", undated="ユーザーの言葉：{quotes}",
        wrote="ユーザーのメモ（{date}）：{quotes}", wrote_undated="ユーザーのメモ：{quotes}",
        before="直前のやりとり", why="理由", happened="その前に起きたこと", then="そのあと", earlier="その前のユーザーの言葉",
        asked="エージェントが直前に書いたこと", tool="機械の出力", act="エージェントがそのあと書いたこと",
        heading="別のときの言葉",
        belongs="ユーザー自身の言葉で残された、長く効く内容。",
        keep="引用符の中の言葉。",
        may_fade="それが言われた場面。",
        marks=_CORNERS,
    ),
    "zh": Phrases(
        said="用户的原话（{date}）：{quotes}", undated="用户的原话：{quotes}",
        wrote="用户的笔记（{date}）：{quotes}", wrote_undated="用户的笔记：{quotes}",
        before="在此之前", why="原因", happened="之前发生的事", then="随后", earlier="用户更早的原话",
        asked="智能体刚写过", tool="机器输出", act="智能体随后写下",
        heading="另一次的话",
        belongs="用户亲口留下的长期内容。",
        keep="引号里的原话。",
        may_fade="说这句话的场合。",
        marks=_CORNERS,
    ),
    "ko": Phrases(
        said="사용자의 말({date}): {quotes}", undated="사용자의 말: {quotes}",
        wrote="사용자의 메모({date}): {quotes}", wrote_undated="사용자의 메모: {quotes}",
        before="바로 앞", why="이유", happened="그 전에 있었던 일", then="그 다음", earlier="그 전에 사용자가 한 말",
        asked="에이전트가 방금 쓴 것", tool="기계 출력", act="에이전트가 이어서 쓴 것",
        heading="다른 때의 말",
        belongs="사용자가 직접 남긴 오래 갈 말.",
        keep="따옴표 안의 말.",
        may_fade="그 말을 한 때.",
        marks=_LATIN,
    ),
}  # fmt: skip


def phrases(language: str) -> Phrases:
    """Those of a BCP 47 tag; English where the language is not known."""
    return PHRASES.get(language.split("-")[0].lower(), PHRASES["en"])
