"""Number words of Chinese, Japanese and Korean, where they count: 三台, 二十分間, 十二个节点, 열두 대.

一般, 万一, 十分, 千葉, 二分探索 count nothing. A numeral counts where a counter or a unit stands right behind it; a lone
一 or 한 is an article there ("a server") unless the unit is a measured one.
"""

from __future__ import annotations

import re
from typing import Final

from kura_runtime.text.units import MEASURED, unit_at

_DIGITS: Final[dict[str, int]] = dict(zip("〇零一二三四五六七八九", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)) | {
    "两": 2, "兩": 2, "壹": 1, "贰": 2, "貳": 2, "叁": 3, "參": 3, "肆": 4, "伍": 5, "陆": 6, "陸": 6, "柒": 7, "捌": 8, "玖": 9,
}  # fmt: skip
_TENS: Final[dict[str, int]] = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_BIG: Final[dict[str, int]] = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_NUMERAL = "".join([*_DIGITS, *_TENS, *_BIG, "廿", "卅"])
_RUN = re.compile(rf"[{_NUMERAL}]+")
_COUNTER = re.compile(
    r"\s?(?:台|臺|个|個|件|次|秒|分钟|分鐘|分(?!析|布|支|散|配|类|類|解|享|片|离|離|别|別|割|辨|区|區|かつ|から|野|子|岐)|条|條|行|项|項|名|位|倍|天|小时|小時|時間|年|日|周|週|回|人(?!工|称|間)|つ|本(?!番|体|地|来)|枚|冊|社|種|种|類|类|块|塊|か月|ヶ月|カ月|歩|步|层|層|组|組|段|份|张|張|颗|顆|只|匹|把|"
    r"节点|節點|服务器|请求|用户|文件|模块|分支|仓库|进程|线程|副本|分片|版本|方案|步骤|步驟|阶段|方面|部分|端口|任务|环境|机房|集群|字段|测试|错误|参数|"
    r"サーバ|ノード|ファイル|テーブル|ユーザ|プロセス|スレッド|モジュール|ブランチ|パーセント|環境|段階|箇所|か所|カ所|ヶ所|点|度(?!と)|通り|案|系統|列|桁|文字|世代|割|号|轮|輪|批|套|封|篇|处|處|門|门|辆|倍|毫秒|ミリ秒|%|％|元|円|米|公里|回目|つ目|番目|秒間|分間|日間|週間|年間)"
)
_IDIOM = re.compile(
    r"十分(?!钟|鐘|間|後|前|以|鍾)|万一|千万(?=不|别|要|注|记|小)|百度|千葉|四国|八百屋|十字|百合|三菱|二分(?=探索|查找|法|木|搜索|图|割|树)|五十嵐|一二(?!十|百|[个台次件])|"
    r"三方|第三者|三人称|万能|百科|千兆|万全|二度と|九州|三角|四角|五感|七夕|四季|百分|二进制|二進|十进制|十進|十六进制|十六進|八进制|三元|二元|两者|兩者|双|三思|万物|四周|六角|一方|两侧|五月|[一二三四五六七八九十]+月|三重(?=県)|二次(?=元|开发|確認|确认|封装|利用|災|創)|三次元|二日酔|一行(?!目)|二重引用|八卦|四川|十足|三明治|二维|二維|三维|一期|二期(?=工)|千差|百般|一一|七星"
)
_VAGUE_BEFORE = re.compile(r"[第]\s?$")
_LONE_ONE = re.compile(r"^[一壹]$")


def value_of(run: str) -> int:
    """The value of a run of numerals: 一百二十三 → 123, 二〇二四 → 2024, 三万 → 30000."""
    if not any(c in _TENS or c in _BIG or c in "廿卅" for c in run):
        return int("".join(str(_DIGITS[c]) for c in run))
    total = section = digit = 0
    for char in run:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in "廿卅":
            section += 20 if char == "廿" else 30
        elif char in _TENS:
            section += (digit or 1) * _TENS[char]
            digit = 0
        else:
            total += (section + digit or 1) * _BIG[char]
            section = digit = 0
    return total + section + digit


def numeral_runs(text: str) -> list[tuple[int, int, int, bool]]:
    """Every Chinese or Japanese numeral that counts: (start, end, value, ordinal)."""
    found: list[tuple[int, int, int, bool]] = []
    idioms = [m.span() for m in _IDIOM.finditer(text)]
    for run in _RUN.finditer(text):
        start, end = run.span()
        if any(a <= start < b for a, b in idioms):
            continue
        if start and text[start - 1].isdigit():  # 3万: the digits before belong to it, see `numbers`
            continue
        if (
            run.group() in ("十", "百", "千", "万", "亿", "億", "萬")
            and start
            and text[start - 1] in "几幾数數上成若半近"
        ):
            continue
        ordinal = bool(_VAGUE_BEFORE.search(text[:start]))
        value = value_of(run.group())
        if ordinal:
            if value >= 3 and not re.match(r"方|者", text[end:]):
                found.append((start, end, value, True))
            continue
        if not _COUNTER.match(text, end):
            continue
        if _LONE_ONE.match(run.group()):
            unit, _ = unit_at(text, end)
            if unit not in MEASURED or (
                unit in ("d", "wk", "y", "min", "mo")
                and not re.match(r"分钟|分鐘|分間|个月|個月|[ヶかカ]月|週間|年間", text[end:])
            ):
                continue
        found.append((start, end, value, False))
    return found


_KO_NATIVE: Final[dict[str, int]] = {
    "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "열한": 11, "열두": 12, "열세": 13, "열네": 14,
    "열다섯": 15, "열여섯": 16, "열일곱": 17, "열여덟": 18, "열아홉": 19, "스무": 20, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70,
    "여든": 80, "아흔": 90,
}  # fmt: skip
_KO_SINO: Final[dict[str, int]] = dict(zip("일이삼사오육칠팔구", range(1, 10), strict=True))
_KO_TENS: Final[dict[str, int]] = {"십": 10, "백": 100, "천": 1000, "만": 10000}
_KO_COUNTER = r"(?:대|개|명|번|배|시간|분|초|건|회|곳|가지|차례|달|줄|장|권|마리|노드|서버|파일|단계|종류|군데|주|쪽|표|일|년|개월|퍼센트|프로|행|밀리초|사람|인스턴스|테이블|사용자|요청)"
_KO_NATIVE_AT = re.compile(
    rf"(?<![가-힣])({'|'.join(sorted(_KO_NATIVE, key=len, reverse=True))})\s?(?={_KO_COUNTER})"
)
_KO_SINO_AT = re.compile(rf"(?<![가-힣])([일이삼사오육칠팔구십백천만]{{2,}}|[십백천])\s?(?={_KO_COUNTER})")
_KO_NOT = re.compile(
    r"만일|만년|십분|백일|천만에|이일|일일|일이|사오|만이|천이|이만(?!\s?(?:개|건|명|회|대))|천사|이천(?=시)"
)


def korean_runs(text: str) -> list[tuple[int, int, int]]:
    """Every Korean number word in front of a counter: (start, end, value)."""
    found = [(m.start(1), m.end(1), _KO_NATIVE[m.group(1)]) for m in _KO_NATIVE_AT.finditer(text)]
    for match in _KO_SINO_AT.finditer(text):
        if not _KO_NOT.match(text, match.start()):
            found.append((match.start(1), match.end(1), _korean_value(match.group(1))))
    return found


def _korean_value(run: str) -> int:
    total = section = digit = 0
    for char in run:
        if char in _KO_SINO:
            digit = _KO_SINO[char]
        elif char == "만":
            total += (section + digit or 1) * 10000
            section = digit = 0
        else:
            section += (digit or 1) * _KO_TENS[char]
            digit = 0
    return total + section + digit
