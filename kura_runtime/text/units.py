"""Units: the second half of a numeric claim. 43.7 ms is not 43.7 s, and not 43.7 tokens a second.

The table says which spellings name the same unit (30 s = 30 seconds = 30 Sekunden = 30秒; 5% = 5 percent). It never
converts: 1000 ms stays different from 1 s, because the gate does no arithmetic. Counted things (rows, hosts, files…)
are grouped into classes, so that "36 rows" cannot become "36 hosts" while "36 records" may. A word that is not in
the table is no unit: the number before it is bare.
"""

from __future__ import annotations

import re
from typing import Final

# canonical unit → spellings; words are matched without case, spellings of one or two letters with it
_MEASURED: Final[dict[str, str]] = {
    "ns": "ns nanosecond nanoseconds Nanosekunde Nanosekunden nanoseconde nanosecondes nanosegundo nanosegundos 纳秒 ナノ秒",
    "us": "us μs usec microsecond microseconds Mikrosekunde Mikrosekunden microseconde microsecondes microsegundo microsegundos 微秒 マイクロ秒",
    "ms": "ms msec msecs millis millisecond milliseconds Millisekunde Millisekunden milliseconde millisecondes milisegundo milisegundos 毫秒 ミリ秒 밀리초 مللي",
    "s": "s sec secs second seconds Sekunde Sekunden Sek seconde secondes segundo segundos seg 秒钟 秒鐘 秒間 秒 초 ثانية ثواني ثوان ثانيه секунд секунды секунда сек",
    "min": "min mins minute minutes Minute Minuten minuto minutos 分钟 分鐘 分間 分 분 دقيقة دقائق دقيقه минут минуты",
    "h": "h hr hrs hour hours Stunde Stunden Std heure heures hora horas 小时 小時 個小時 个小时 時間 시간 ساعة ساعات ساعه часов часа",
    "d": "d day days Tag Tage Tagen jour jours día días dia dias 天 日間 يوم أيام ايام يوما дней дня",
    "wk": "wk week weeks Woche Wochen semaine semaines semana semanas 周 週間 週 주 أسبوع أسابيع اسابيع недель недели",
    "mo": "month months Monat Monate Monaten mois mes meses 个月 個月 ヶ月 か月 カ月 ヵ月 개월 شهر أشهر شهور месяцев",
    "y": "y yr yrs year years Jahr Jahre Jahren année années año años 年間 年 년 سنة سنوات عام أعوام лет года",
    "B": "B byte bytes Byte Bytes octet octets バイト 字节 字節 바이트 بايت",
    "kB": "kB KB kb kilobyte kilobytes Ko ko",
    "MB": "MB mb megabyte megabytes Megabyte Mo",
    "GB": "GB gb gigabyte gigabytes Gigabyte Go",
    "TB": "TB tb terabyte terabytes Terabyte To",
    "KiB": "KiB Ki kibibyte kibibytes",
    "MiB": "MiB Mi mebibyte mebibytes",
    "GiB": "GiB Gi gibibyte gibibytes",
    "TiB": "TiB tebibyte tebibytes",
    "bit": "bit bits Bit Bits ビット 比特",
    "kbit": "kbit kbits Kbit kb/s",
    "Mbit": "Mbit Mbits Mb",
    "Gbit": "Gbit Gbits Gb",
    "bit/s": "bps",
    "kbit/s": "kbps Kbps",
    "Mbit/s": "Mbps mbps",
    "Gbit/s": "Gbps gbps",
    "MB/s": "MBps",
    "Hz": "Hz hz hertz Hertz ヘルツ",
    "kHz": "kHz khz kilohertz",
    "MHz": "MHz mhz megahertz",
    "GHz": "GHz ghz gigahertz",
    "dB": "dB db decibel decibels Dezibel décibel décibels decibelios デシベル 分贝",
    "dBm": "dBm",
    "V": "V volt volts Volt",
    "mV": "mV millivolt millivolts",
    "A": "A amp amps ampere amperes Ampere",
    "mA": "mA milliamp milliamps",
    "W": "W watt watts Watt ワット",
    "kW": "kW kilowatt kilowatts",
    "kWh": "kWh",
    "Wh": "Wh",
    "mAh": "mAh",
    "°C": "°C ℃ degC celsius Celsius 摄氏度",
    "°F": "°F degF fahrenheit Fahrenheit",
    "°": "° deg degree degrees Grad grados degré degrés",
    "g": "g gram grams Gramm gramme grammes gramos",
    "kg": "kg kilo kilos kilogram kilograms Kilogramm kilogramme kilogrammes kilogramos 公斤 キログラム",
    "mg": "mg milligram milligrams",
    "metre": "metre metres meter meters Meter mètre mètres metro metros 米 メートル",
    "km": "km kilometre kilometres kilometer kilometers Kilometer kilomètre kilomètres kilómetros 公里 キロメートル",
    "cm": "cm centimetre centimetres Zentimeter centimètres centímetros 厘米",
    "mm": "mm millimetre millimetres Millimeter millimètres milímetros 毫米 ミリメートル",
    "um": "um μm micron microns",
    "nm": "nm nanometre nanometres nanometer nanometers",
    "m": "m",
    "m^2": "m^2 m2 sqm",
    "px": "px pixel pixels Pixel píxeles ピクセル 像素",
    "em": "em rem",
    "dpi": "dpi",
    "%": "% percent per-cent pct Prozent pourcent porciento パーセント 퍼센트 プロセント процентов процента",
    "pp": "pp pts",
    "‰": "‰ promille Promille",
    "ppm": "ppm",
    "bps%": "bp",
    "x": "x fold fach Fache 倍 배 أضعاف اضعاف",
    "k": "k K",
    "M": "M",
    "G": "G",
    "usd": "$ USD dollar dollars Dollar dólares 美元 ドル 달러 دولار",
    "eur": "€ EUR euro euros Euro 欧元 ユーロ 유로 يورو",
    "gbp": "£ GBP pound pounds Pfund",
    "jpy": "円 JPY yen Yen",
    "cny": "元 CNY RMB yuan 人民币",
    "¥": "¥",
    "krw": "₩ KRW won",
    "inr": "₹ INR rupees",
    "rpm": "rpm RPM",
    "fps": "fps FPS",
}
_COUNTED: Final[dict[str, str]] = {
    "row": "row rows record records line lines entry entries Zeile Zeilen Datensatz Datensätze Eintrag Einträge ligne lignes enregistrement enregistrements fila filas registro registros línea líneas 行 レコード 记录 행 줄 صف صفوف سطر أسطر سجل سجلات строк строки",
    "host": "host hosts node nodes machine machines server servers instance instances vm vms Knoten Server Rechner Maschine Maschinen nœud nœuds noeud noeuds serveur serveurs hôte hôtes nodo nodos servidor servidores máquina máquinas 台 ノード 节点 節點 服务器 伺服器 サーバー サーバ 主机 노드 서버 خادم خوادم عقدة عقد",
    "file": "file files Datei Dateien fichier fichiers archivo archivos fichero ficheros 文件 檔案 ファイル 파일 ملف ملفات",
    "request": "request requests req reqs query queries Anfrage Anfragen requête requêtes petición peticiones solicitud solicitudes consulta consultas 请求 請求 查询 リクエスト クエリ 요청 طلب طلبات",
    "user": "user users person persons people customer customers Nutzer Benutzer Kunden Personen Leute utilisateur utilisateurs personne personnes clients usuario usuarios personas clientes 用户 人 名 ユーザー 명 مستخدم مستخدمين",
    "test": "test tests case cases Testfälle prueba pruebas 测试 用例 テスト 테스트 اختبار اختبارات",
    "error": "error errors failure failures Fehler erreur erreurs échec échecs fallo fallos errores 错误 失败 エラー 오류 خطأ أخطاء",
    "warning": "warning warnings Warnung Warnungen avertissement avertissements advertencia advertencias 警告 경고 تحذير تحذيرات",
    "token": "token tokens tok toks トークン 令牌 토큰",
    "connection": "connection connections Verbindung Verbindungen connexion connexions conexión conexiones 连接 接続 연결 اتصال اتصالات",
    "thread": "thread threads Threads hilos 线程 スレッド 스레드",
    "process": "process processes Prozess Prozesse processus proceso procesos 进程 プロセス 프로세스",
    "worker": "worker workers Worker ワーカー 워커",
    "core": "core cores cpu cpus Kerne cœurs núcleos コア 核 코어",
    "gpu": "gpu gpus GPU GPUs",
    "shard": "shard shards partition partitions Partitionen particiones 分片 パーティション シャード",
    "commit": "commit commits Commits コミット 提交 커밋",
    "branch": "branch branches Zweige branches ramas 分支 ブランチ 브랜치",
    "times": "times time Mal mal fois vez veces 次 回 번 회 مرات مرة retry retries attempt attempts Versuch Versuche Versuchen tentative tentatives intento intentos reintentos 试 раз раза",
    "table": "table tables Tabelle Tabellen tabla tablas テーブル 테이블 جدول جداول",
    "page": "page pages Seite Seiten página páginas ページ 页 페이지 صفحة صفحات",
    "message": "message messages Nachricht Nachrichten mensaje mensajes メッセージ 消息 메시지 رسالة رسائل",
    "order": "order orders Bestellung Bestellungen commande commandes pedido pedidos 订单 注文 주문",
    "job": "job jobs Job Jobs task tasks Aufgabe Aufgaben tâche tâches tarea tareas 任务 ジョブ タスク 작업",
    "replica": "replica replicas Replikate réplica réplicas 副本 レプリカ 복제본",
    "module": "module modules Module módulos 模块 モジュール 모듈",
    "image": "image images Bild Bilder imagen imágenes 画像 图片 이미지",
    "snapshot": "snapshot snapshots backup backups Sicherung Sicherungen sauvegarde sauvegardes copia copias スナップショット バックアップ 快照 备份 백업",
    "item": "item items object objects Objekte objet objets objeto objetos",
}
MEASURED: Final[frozenset[str]] = frozenset(_MEASURED)


def _spellings(table: dict[str, str]) -> dict[str, str]:
    return {spelling: unit for unit, spellings in table.items() for spelling in spellings.split()}


_EXACT: Final[dict[str, str]] = {**_spellings(_COUNTED), **_spellings(_MEASURED)}
_FOLDED: Final[dict[str, str]] = {word.casefold(): unit for word, unit in _EXACT.items() if len(word) > 2}
# Scripts without spaces: the unit is the longest spelling that stands right behind the number.
_WIDE: Final[tuple[str, ...]] = tuple(
    sorted(
        (w for w in _EXACT if re.match(r"[\u0600-\u06ff\u3000-\u9fff\uac00-\ud7af]", w)),
        key=len,
        reverse=True,
    )
)
_WIDE_AT = re.compile(r"\s?(?:個|个|つの|の)?(" + "|".join(map(re.escape, _WIDE)) + ")")
_WORD_AT = re.compile(r"(\s|-|)([%‰°€$£¥₩₹]C?F?|[A-Za-zÀ-ɏμΩ]+(?:\^[23])?)(?![A-Za-zÀ-ɏ_0-9])")
_PER_AT = re.compile(
    r"\s?(?:/\s?|\b(?:per|pro|par|por|je|p\.|na|в|each|every|a|an)\s+(?:la\s+|el\s+)?)([A-Za-zÀ-ɏ]+)(?![A-Za-zÀ-ɏ_0-9])"
)
_WIDE_PER_AT = re.compile(r"\s?(?:/|每|毎)\s?(秒|分钟|分鐘|分|小时|時間|天)")
_WIDE_PER_BEFORE = re.compile(
    r"(?:毎|每|1|一)(秒|分钟|分鐘|分|小时|時間|天)(?:间|間)?(?:钟)?(?:に|あたり|当たり|处理|約|约|最多|最大)?\s?$"
)
_NEXT_WORD = re.compile(r"\s+([A-Za-zÀ-ɏ]+)(?![A-Za-zÀ-ɏ_0-9])")
_MULTI = (
    (re.compile(r"\s?(?:per\s+cent|pour\s+cent|por\s+ciento|في\s+الم(?:ئ|ا|ائ)?ة|بالم(?:ئ|ا|ائ)?ة|per\s+100)(?!\w)", re.IGNORECASE), "%"),
    (re.compile(r"\s?(?:percentage\s+points?|Prozentpunkte?n?|points?\s+de\s+pourcentage|puntos?\s+porcentuales|百分点|ポイント)", re.IGNORECASE), "pp"),
    (re.compile(r"\s?(?:req(?:uest)?s?\s?/\s?s(?:ec)?|rps|qps|RPS|QPS)(?![A-Za-z])"), "request/s"),
    (re.compile(r"\s?(?:t|tok|toks|tokens?)\s?/\s?s(?:ec(?:onds?)?)?(?![A-Za-z])|\s?tps(?![A-Za-z])"), "token/s"),
    (re.compile(r"\s?(?:times|mal|Mal|fois|veces)\s+(?:as|faster|slower|more|less|bigger|smaller|larger|higher|lower|better|cheaper|longer|shorter|schneller|langsamer|so|mehr|größer|plus|moins|más|menos|the\b)"), "x"),
)  # fmt: skip
_FRENCH_OCTETS = frozenset({"Go", "Mo", "To", "Ko", "ko"})


def unit_at(text: str, pos: int) -> tuple[str, int]:
    """The unit that stands at `pos` (right behind a number): (canonical, where it ends), or ("", pos).

    Rates come as "numerator/denominator" ("MB/s", "request/min").
    """
    for pattern, unit in _MULTI:
        if match := pattern.match(text, pos):
            return unit, match.end()
    if wide := _WIDE_AT.match(text, pos):
        return _rated(text, EXACT_WIDE[wide.group(1)], wide.end())
    word = _WORD_AT.match(text, pos)
    if word is None:
        return "", pos
    gap, spelling = word.group(1), word.group(2)
    unit = lookup(spelling)
    if gap and not _may_stand_apart(text, word, unit):
        unit = ""
    if unit:
        return _rated(text, unit, word.end())
    # the counted noun behind one adjective: "192 rejected rows"
    behind = _NEXT_WORD.match(text, word.end()) if gap == " " and spelling.islower() else None
    noun = lookup(behind.group(1)) if behind else ""
    return (noun, behind.end()) if behind and noun and noun not in MEASURED else ("", pos)


def _may_stand_apart(text: str, word: re.Match[str], unit: str) -> bool:
    """False for a letter or syllable that behind a space is more likely a word than a unit."""
    spelling, end = word.group(2), word.end()
    if spelling in ("K", "k", "M", "G", "Ki", "Mi", "Gi", "em", "y") or (
        spelling == "x" and re.match(r"\s?\d", text[end:])
    ):
        return False
    if spelling in _FRENCH_OCTETS:
        return not re.match(r"\s+[a-z]+s\b", text[end:])
    return not (len(spelling) == 1 and unit and text[end : end + 1] in ("'", "’"))


def _rated(text: str, unit: str, end: int) -> tuple[str, int]:
    if per := _PER_AT.match(text, end):
        below = lookup(per.group(1))
        if below in (
            "ns",
            "us",
            "ms",
            "s",
            "min",
            "h",
            "d",
            "wk",
            "mo",
            "y",
            "GB",
            "MB",
            "request",
            "user",
            "host",
            "core",
            "token",
            "m",
            "km",
        ):
            return f"{unit}/{'min' if below == 'm' and unit not in MEASURED else below}", per.end()
    if wide := _WIDE_PER_AT.match(text, end):
        return f"{unit}/{_EXACT[wide.group(1)]}", wide.end()
    return unit, end


def rate_before(text: str, pos: int) -> str:
    """The denominator announced in front of a number (毎秒 40 件 → "s"), or ""."""
    match = _WIDE_PER_BEFORE.search(text[max(0, pos - 10) : pos])
    return {"天": "d"}.get(match.group(1), _EXACT.get(match.group(1), "")) if match else ""


def lookup(spelling: str) -> str:
    """The canonical unit of one word, or ""."""
    return _EXACT.get(spelling) or _FOLDED.get(spelling.casefold(), "")


EXACT_WIDE: Final[dict[str, str]] = {word: _EXACT[word] for word in _WIDE}
_CONTEXT = re.compile(
    r"(?:[(\[]|_|\bin\s)\s?([%A-Za-zμ°À-ɏ/]{1,14}|[\u3040-\u9fff]{1,4})[)\]]?\s?[:=|\s]*$|(?:^|[\s_(])([A-Za-zμ%]{1,12})\)?\s?[:=]\s*$"
)


def unit_before(text: str, pos: int) -> str:
    """A measured unit announced in front of a number: "latency (ms): 43.7", "latency_ms=43.7"; or ""."""
    match = _CONTEXT.search(text[max(0, pos - 28) : pos])
    unit = lookup((match.group(1) or match.group(2) or "").strip()) if match else ""
    return unit if unit in MEASURED else ""


def same_unit(claimed: str, given: str) -> bool:
    """May a number given with unit `given` be told with unit `claimed`?

    Counted nouns may be left out or added, never exchanged for another class; a measured unit may be neither.
    """
    if claimed == given or {claimed, given} == {"G", "GB"}:
        return True
    if "/" in claimed or "/" in given:
        top, _, bottom = claimed.partition("/")
        top_given, _, bottom_given = given.partition("/")
        return bottom == bottom_given and bool(bottom) and same_unit(top, top_given)
    if {claimed, given} <= {"m", "min", "metre"} and "m" in (claimed, given):
        return True
    if {claimed, given} in ({"times", "ord"}, {"", "ord"}):
        return True
    return claimed not in MEASURED and given not in MEASURED and (not claimed or not given)
