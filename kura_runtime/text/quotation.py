"""Quotations: what stands between quotation marks of any script, and which of it reads as someone's speech."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kura_runtime.text.plainview import plain

# opening mark → the marks that may close it
_PAIRS: dict[str, str] = {
    '"': '"', "“": "”“", "„": "“”\"", "”": "”", "‟": "”", "«": "»", "»": "«", "‹": "›", "›": "‹", "‘": "’", "‚": "‘’", "‛": "’", "「": "」", "『": "』",
    "﹁": "﹂", "﹃": "﹄", "〝": "〞〟", "《": "》", "〈": "〉", "❝": "❞", "❛": "❜", "❮": "❯", "⸢": "⸣", "⹂": "⹂”", "'": "'", "‶": "‴", "【": "】", "〖": "〗",
}  # fmt: skip
_OPENER = re.compile("|".join(map(re.escape, _PAIRS)) + r"|<<(?=\s?\w)|``|,,(?=\w)")
_LONG = {"<<": (">>",), "``": ("''", "``"), ",,": ("''", "``", '"', "“")}
_BLOCK = re.compile(r"^[ \t]*>[ \t]?(.+)$", re.MULTILINE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|(?<!`)`[^`\n]+`(?!`)", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_UNAPOSTROPHED = re.compile(r"[\u0621-\u064a\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CODE_LIKE = re.compile(r"[/\\_{}()<>=;$|]|::|--|\.\w+\b(?<!\.\s)|^\S+$")
_LABEL_BEHIND = re.compile(
    r"\s*(?:-?(?:setting|option|button|menu|page|tab|field|dialog|checkbox|label|heading|section|flag|column|table|file|folder|channel|branch|job|step|title|screen|toggle|header|view|mode|panel|dashboard|template|project|workflow|repo|repository|ticket|board|list|group|tag|schalter|Schalter|Menü|Reiter|Feld|Einstellung|Seite|Option|Abschnitt|Knopf|Ordner)\b"
    r"|(?:という)?(?:ボタン|メニュー|設定|画面|項目|欄|タブ|ページ|チェック|オプション|機能|フォルダ|ファイル|テーブル|チャンネル|セクション|見出し|ラベル|ダイアログ)|(?:这个|这一|的)?(?:选项|按钮|菜单|页面|字段|设置|标签|开关|文件夹|频道|表|章节|一节|模块|功能|项目)|\s?(?:버튼|메뉴|설정|화면|항목|탭|페이지|옵션))"
)
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:setting|option|button|menu|page|tab|field|dialog|checkbox|label|heading|section|called|named|titled|labell?ed|file|folder|channel|branch|job|table|column|toggle|step|stage|Schalter|Menü|Reiter|Feld|Einstellung|Seite|Option|Abschnitt|Knopf|namens|genannt|bouton|menu|réglage|onglet|champ|page|option|rubrique|appelée?|nommée?|botón|menú|opción|ajuste|pestaña|campo|página|sección|llamad[oa]|titulad[oa])|زر|قائمة|خيار|صفحة|حقل)\s+$",
    re.IGNORECASE,
)
_SPEECH_BEFORE = re.compile(
    r"(?:\b(?:said|says|wrote|writes|asked|asks|told\s+\w+|stated|states|answered|replied|added|insisted|words|quote|quoted|noted|put\s+it|verbatim|literally|warned|explained|reads?|message|error|sagte?|sagt|schrieb|schreibt|meinte|wörtlich|bat|a\s+dit|dit|a\s+écrit|écrit|a\s+demandé|mots|dijo|dice|escribió|escribe|pidió|palabras|textualmente|así|قال|كتب|طلب|ذكر|يقول)\b[^.\"“«「\n]{0,24}[:,،]?\s*$)|[:：]\s*$|(?:说|說|表示|写道|寫道|要求|提到|强调|原话是?|称|指出)(?:，|,|：|:)?\s*$|(?:曰く|いわく)[、,]?\s*$|(?:말했|말하|썼)[^.\n]{0,6}$",
    re.IGNORECASE,
)
_SPEECH_BEHIND = re.compile(
    r"\s*[,、]?\s*(?:と(?:言|述べ|書|話|語|伝え|指示|主張|依頼|頼|発言|回答|答え|おっしゃ|明言|強調|要望|要求)|(?:라고|이라고|고)\s?(?:말|했|썼|적|요청|지시|답)|(?:said|says|wrote|asked|the\s+user|they\s+said)\b|sagte|schrieb|meinte|dit|dijo|escribió|قال|(?:用户|他|她)(?:说|表示))",
    re.IGNORECASE,
)
_SENTENCE_LIKE = re.compile(
    r"\b(?:I|we|you|they|he|she|it|please|don't|do|not|never|always|must|should|will|would|can|could|is|are|was|were|have|has|want|need|keep|use|leave|make|let|"
    r"ich|wir|sie|bitte|nicht|nie|immer|muss|soll|wird|ist|sind|je|nous|vous|il|elle|est|sont|ne|pas|jamais|toujours|doit|faut|yo|nosotros|no|nunca|siempre|debe|es|son|por\s+favor|quiero)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quotation:
    """One quoted run: `text` without its marks, `start` and `end` of that text in the plain view. `block` marks a Markdown
    block quote, `open` a run whose closing mark is missing."""

    text: str
    start: int
    end: int
    block: bool = False
    open: bool = False


def quotations(text: str) -> tuple[Quotation, ...]:
    """Every quotation of `text` (in its plain view), nested ones after the one around them; code is no quotation."""
    view = plain(text)
    code = [m.span() for m in _CODE.finditer(view)]
    found = [Quotation(m.group(1), m.start(1), m.end(1), block=True) for m in _BLOCK.finditer(view)]
    found.extend(_marked(view, code))
    return tuple(sorted(found, key=lambda q: (q.start, -q.end)))


def _marked(view: str, code: list[tuple[int, int]]) -> Iterator[Quotation]:
    at = 0
    while opener := _OPENER.search(view, at):
        at = opener.end()
        mark = opener.group()
        if any(a <= opener.start() < b for a, b in code) or not _opens(view, opener):
            continue
        closers = _LONG.get(mark) or tuple(_PAIRS[mark])
        end = _closing(view, opener.end(), mark, closers)
        if end is None:
            if mark not in ("'", "‘", "’", "«", "»", "<<"):
                stop = view.find("\n", at)
                stop = len(view) if stop < 0 else stop
                yield Quotation(view[at:stop], at, stop, open=True)
            continue
        yield Quotation(view[opener.end() : end], opener.end(), end)
        inner_marks = [m for m in _OPENER.finditer(view, opener.end(), end) if m.group() != mark]
        if not inner_marks:
            at = end + 1


def _opens(view: str, opener: re.Match[str]) -> bool:
    """False for an apostrophe, an inch mark, and a mark that only closes."""
    mark, start, end = opener.group(), opener.start(), opener.end()
    before, after = view[start - 1 : start], view[end : end + 1]
    if mark in ("'", "‘", "‚", "‛"):
        in_a_word = before.isalnum() and not _UNAPOSTROPHED.match(
            before
        )  # scripts without apostrophes have none here
        return not (in_a_word or after.isspace() or not after)
    if mark == '"':
        return not (before.isdigit() and not after.isalnum())
    return mark not in ("»", "›", "”") or (
        not before.isalnum() and before not in (".", "!", "?", ",") and not after.isspace() and bool(after)
    )


def _closing(view: str, at: int, mark: str, closers: tuple[str, ...]) -> int | None:
    """Where the quotation that opened before `at` ends: the nearest closing mark, at most one paragraph away."""
    limit = view.find("\n\n", at)
    limit = len(view) if limit < 0 else limit
    limit = min(limit, at + 1200)
    if not any(view.find(closer, at, limit) >= 0 for closer in closers):
        return None
    depth = 0
    for found in _marks_of(mark, closers).finditer(view, at, limit):
        pos = found.start()
        if found.group() not in closers:
            depth += 1
        elif mark in ("'", "‘", "‚") and _is_apostrophe(view, pos, mark):
            continue
        elif depth == 0:
            return pos
        else:
            depth -= 1
    return None


@lru_cache(maxsize=64)
def _marks_of(mark: str, closers: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(m) for m in (*closers, *(() if len(mark) > 1 else (mark,)))))


def _is_apostrophe(view: str, pos: int, mark: str) -> bool:
    """Inside a word (don't), or for the typewriter mark in front of one. Scripts without apostrophes have none: a Korean
    particle or a Japanese と follows the closing mark directly."""
    if _UNAPOSTROPHED.match(view, pos + 1):
        return False
    return view[pos + 1 : pos + 2].isalnum() and (mark == "'" or view[pos - 1 : pos].isalnum())


def introduced(view: str, quotation: Quotation) -> bool:
    """True where a verb of saying, or a colon, presents the quotation as someone's words."""
    before, after = (
        view[max(0, quotation.start - 60) : max(0, quotation.start - 1)].rstrip("<`,"),
        view[quotation.end + 1 : quotation.end + 24],
    )
    return bool(_SPEECH_BEFORE.search(before)) or bool(_SPEECH_BEHIND.match(after))


def reads_as_speech(view: str, quotation: Quotation) -> bool:
    """Does the run read as words somebody said or a machine printed, rather than as code, a path, a name or a label?"""
    text = quotation.text.strip()
    wide = len(_WIDE.findall(text))
    words = _WORD.findall(text)
    if len(text) < 8 or (not words and not wide):
        return False
    saying = introduced(view, quotation)
    if not wide and (len(words) < 2 or not re.search(r"\s", text)):
        return False  # one word, a path, a module, a flag
    if not wide and _CODE_LIKE.search(text) and not saying and not _SENTENCE_LIKE.search(text):
        return False
    before, after = (
        view[max(0, quotation.start - 40) : max(0, quotation.start - 1)],
        view[quotation.end + 1 : quotation.end + 24],
    )
    if not saying and (_LABEL_BEHIND.match(after) or _LABEL_BEFORE.search(before)):
        return False
    if wide >= 4:
        return saying or (wide >= 8 and _wide_speech(text))
    if saying:
        return True
    if _titled(words):
        return False
    return len(words) >= 4 or bool(_SENTENCE_LIKE.search(text))


def _wide_speech(text: str) -> bool:
    """Chinese or Japanese: a sentence rather than a term. Kana outside of の, or Chinese words that only sentences have."""
    return bool(
        re.search(
            r"[はがをにでともへやねよ](?=[^ぁ-ん]|[ぁ-ん])|(?:して|ない|ます|です|した|する|こと|ください)|[、。！？，；]",
            text,
        )
        or re.search(r"[我你您他她们不别没要请把被让会能该了吗呢吧的是在]", text)
    )


def _titled(words: list[str]) -> bool:
    """Title Case, as menus and headings have it."""
    long = [w for w in words if len(w) > 3]
    return bool(long) and all(w[0].isupper() for w in long) and len(words) <= 6
