"""Texts that are volatile by their form: codes, "3 minutes ago", clocks, the day and the time of the fetch.

Two texts that are equal without these differ by noise. Never volatile are prices, quantities, names and
states: a day is only that of the fetch, and a time of day that of the fetch in one time zone, the same in
both copies.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

_UNITS = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|moments?"
    r"|secondes?|heures?|jours?|semaines?|mois|ans?"
    r"|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?"
    r"|segundos?|minutos?|horas?|d[ií]as?|semanas?|meses|m[eê]s|años?|anos?"
    r"|second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]"
    r"|seconden|minuut|uur|uren|dag(?:en)?|we(?:ek|ken)|maand(?:en)?|jaar|jaren"
    r"|sekund[yę]?|minut[yę]?|godzin[yę]?|dni|dzień|tydzień|tygodni(?:e)?|miesi[ąę]c[ey]?|lat[a]?|rok"
    r"|minuter?|timm(?:e|ar)|dagar|veck(?:a|or)|månad(?:er)?|år"
    r"|секунд[уы]?|минут[уы]?|час(?:а|ов)?|дн(?:я|ей)|день|недел[юиь]|месяц(?:а|ев)?|год(?:а)?|лет"
    r"|ثانية|ثوان|دقيقة|دقائق|ساعة|ساعات|يوم(?:ا)?|أيام|أسبوع|أسابيع|شهر|أشهر|سنة|سنوات)"
)
_AMOUNT = r"(?:\d+|an?|une?|eine[mnr]?|some|a few|few|uma?|een|en|ett)"
_AGO = (
    rf"\b{_AMOUNT}\s*{_UNITS}\s+ago\b|\bil y a {_AMOUNT} {_UNITS}\b|\bvor {_AMOUNT} {_UNITS}\b"
    rf"|(?<!desde )\bhace {_AMOUNT} {_UNITS}\b|\bjust now\b"
    rf"|\b{_AMOUNT} {_UNITS} (?:fa|geleden|temu|назад|sedan)\b|\bhá {_AMOUNT} {_UNITS}\b"
    rf"|(?:منذ|قبل) \d+ {_UNITS}\b"
    r"|\d+\s*(?:초|분|시간|일|주|개월|년)\s?전"
    r"|\d+\s*(?:秒|分|分钟|分鐘|時間|小时|小時|日|天|週間|か月|ヶ月|个月|年)前"
)
# Codes of digits are only known by the word before them: a telephone number is a fact.
_CODES = (
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{16,}\b"
    r"|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b"
    r"|(?<=token|nonce)\W{1,3}[\w-]{6,}"
    r"|(?<=session|request|visitor)\W{1,3}(?:id\W{1,3})?(?=[\w-]*\d)[\w-]{6,}"
    r"|\b\d{16,}\b"
)
_YEAR = (
    r"(?:©|\(c\)|copyright)\s*(?:[\w.&-]+ ){0,3}(?:19|20)\d\d(?:\s*[-\N{EN DASH}]\s*(?:19|20)\d\d)?"
    r"|(?:19|20)\d\d(?:\s*[-\N{EN DASH}]\s*(?:19|20)\d\d)?\s*(?:©|\(c\))"
)
_SECONDS = r"\b\d\d?:\d\d:\d\d(?:\.\d+)?(?:\s*[ap]\.?m\b\.?)?"
_LABELLED = re.compile(f"{_AGO}|{_SECONDS}|{_YEAR}", re.IGNORECASE)
_ANY = re.compile(f"{_CODES}|{_AGO}|{_SECONDS}|{_YEAR}", re.IGNORECASE)
_STAMP = re.compile(r"\b1[4-9]\d{8}(?:\d{3})?\b")
_CLOCK = re.compile(r"(?<![\d:.])(\d\d?)[:.h](\d\d)(?![\d:.])\s*([ap])?(?:\.?m\b\.?)?", re.IGNORECASE)
# A text without digits is volatile only with one of these.
_AGO_WORDS = (
    *(" ago", "il y a ", "vor ", "hace ", "just now", "token", "nonce"),
    *(" fa", "há ", "geleden", " temu", "назад", " sedan"),
)
_WORD, _DIGIT = re.compile(r"[^\W_]"), re.compile(r"\d")

# English, French, German, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Russian, Arabic.
_MONTHS = (
    "january janvier januar enero gennaio janeiro januari stycznia января يناير"
    "|february février februar febrero febbraio fevereiro februari lutego февраля فبراير"
    "|march mars märz marzo março maart marca марта مارس"
    "|april avril abril aprile kwietnia апреля أبريل"
    "|may mai mayo maggio maio mei maja maj мая مايو"
    "|june juin juni junio giugno junho czerwca июня يونيو"
    "|july juillet juli julio luglio julho lipca июля يوليو"
    "|august août agosto augustus sierpnia augusti августа أغسطس"
    "|september septembre septiembre settembre setembro września сентября سبتمبر"
    "|october octobre oktober octubre ottobre outubro października октября أكتوبر"
    "|november novembre noviembre novembro listopada ноября نوفمبر"
    "|december décembre dezember diciembre dicembre dezembro grudnia декабря ديسمبر"
)
MONTHS = tuple(names.split() for names in _MONTHS.split("|"))
_DAYS = (
    "monday lundi montag lunes lunedì segunda-feira maandag poniedziałek måndag понедельник الاثنين"
    "|tuesday mardi dienstag martes martedì terça-feira dinsdag wtorek tisdag вторник الثلاثاء"
    "|wednesday mercredi mittwoch miércoles mercoledì quarta-feira woensdag środa onsdag среда الأربعاء"
    "|thursday jeudi donnerstag jueves giovedì quinta-feira donderdag czwartek torsdag четверг الخميس"
    "|friday vendredi freitag viernes venerdì sexta-feira vrijdag piątek fredag пятница الجمعة"
    "|saturday samedi samstag sábado sabato zaterdag sobota lördag суббота السبت"
    "|sunday dimanche sonntag domingo domenica zondag niedziela söndag воскресенье الأحد"
)
DAYS = tuple(names.split() for names in _DAYS.split("|"))
_IN_DATE = re.compile(
    r"\b(?:" + "|".join(name[:3] + r"\w*" for names in (*MONTHS, *DAYS) for name in names) + r")\b"
    r"|\d+(?:st|nd|rd|th)?\b|[ap]\.?m\b\.?|\W|\d"
)
# Minutes that a clock may be off, and seconds that a time stamp may.
CLOCK_MINUTES, STAMP_SECONDS = 2, 2 * 86400
# Half hours from UTC of the time zones.
ZONES = range(-24, 29)
MASK = "\x01"


def same_but_for_form(old: str, new: str, times: tuple[float, float], *, labelled: bool = False) -> bool:
    """Whether two texts, fetched at two times, are equal without what is volatile; one may be empty.

    Codes that are the value of a label may be an article number or a telephone number: they count.
    """
    texts = [_without(text, time, labelled=labelled) for text, time in zip((old, new), times, strict=True)]
    if not old or not new:  # all of a text that came or went must be volatile
        return _nothing_left(texts[1 if new else 0], times[1 if new else 0])
    if texts[0] == texts[1]:
        return True
    if not all(times) or _undated(texts[0]) != _undated(texts[1]):
        return False
    clocked = any(_CLOCK.search(text) for text in texts)
    undated: dict[tuple[int, date], str] = {}  # texts without the day of their fetch, which zones share
    tried: set[tuple[str, str]] = set()
    for local in _local_times(times):
        for n, at in enumerate(local):
            if (n, at.date()) not in undated:
                undated[n, at.date()] = _today(at.date()).sub(MASK, texts[n])
        masked = undated[0, local[0].date()], undated[1, local[1].date()]
        if not clocked and masked in tried:
            continue
        tried.add(masked)
        if clocked:
            masked = _without_clock(masked[0], local[0]), _without_clock(masked[1], local[1])
        if masked[0] == masked[1]:
            return True
    return False


@lru_cache(maxsize=16)
def _local_times(times: tuple[float, float]) -> tuple[tuple[datetime, datetime], ...]:
    """Two times in each time zone; all differences of a visit have the same two."""
    old, new = (datetime.fromtimestamp(time, UTC) for time in times)
    zones = [timedelta(minutes=30 * zone) for zone in ZONES]
    return tuple((old + zone, new + zone) for zone in zones)


def _undated(text: str) -> str:
    """A text without anything that may belong to a day or a time: two that differ in more are not dated."""
    return _IN_DATE.sub("", text.lower())


def _without(text: str, time: float, *, labelled: bool) -> str:
    """A text without codes, relative times, clocks with seconds and the years of a copyright."""

    def stamp(found: re.Match[str]) -> str:
        return MASK if abs(int(found[0][:10]) - time) <= STAMP_SECONDS else found[0]

    if _DIGIT.search(text):
        text = _STAMP.sub(stamp, text)
    elif not _may_be_ago(text):
        return text
    return (_LABELLED if labelled else _ANY).sub(MASK, text)


def _may_be_ago(text: str) -> bool:
    lower = text.lower()
    return any(word in lower for word in _AGO_WORDS)


def _nothing_left(text: str, time: float) -> bool:
    if time:
        at = datetime.fromtimestamp(time, UTC)
        text = _without_clock(_today(at.date()).sub(MASK, text), at)
    return MASK in text and not _WORD.search(text)


def _without_clock(text: str, at: datetime) -> str:
    """A text without the time of day of its fetch."""

    def clock(found: re.Match[str]) -> str:
        hour, minute, half = int(found[1]), int(found[2]), (found[3] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        apart = (hour * 60 + minute - at.hour * 60 - at.minute) % 1440
        return MASK if min(apart, 1440 - apart) <= CLOCK_MINUTES and minute < 60 else found[0]

    return _CLOCK.sub(clock, text)


@lru_cache(maxsize=16)
def _today(day: date) -> re.Pattern[str]:
    """All ways to write a day; the longest first."""
    names = sorted(set(_written(day)), key=len, reverse=True)
    weekday = "|".join(form for name in DAYS[day.weekday()] for form in (name, name[:3] + r"\b\.?"))
    ways, alone = "|".join(map(re.escape, names)), "|".join(DAYS[day.weekday()])  # "Son" is also a word
    other_year = r",?\s+(?:de )?(?:19|20)\d\d\b"
    return re.compile(
        rf"(?:\b(?:{weekday}),?\s+(?:the |den |le |el )?)?(?<!\d)(?:{ways})(?![\da-zà-ÿа-я]|{other_year})"
        rf"|\b(?:{alone})(?!\w)",
        re.IGNORECASE,
    )


def _written(day: date) -> Iterator[str]:
    """The ways a day is written, with and without its year."""
    y, m, d = day.year, day.month, day.day
    suffix = "th" if 10 < d < 20 else {1: "st", 2: "nd", 3: "rd"}.get(d % 10, "th")
    for name in MONTHS[m - 1]:
        for month in {name, name[:3], name[:3] + "."}:
            for form in (f"{d}", f"{d:02}", f"{d}.", f"{d}{suffix}"):
                yield from (f"{form} {month} {y}", f"{form} {month}, {y}", f"{form} {month}")
                yield from (f"{month} {form}, {y}", f"{month} {form} {y}", f"{month} {form}")
        yield from (f"{d} de {name} de {y}", f"{d} de {name}")
    yield from (f"{y}年{m}月{d}日", f"{y}年{m:02}月{d:02}日", f"{m}月{d}日")
    yield from (f"{y}-{m:02}-{d:02}", f"{y}/{m:02}/{d:02}", f"{y}{m:02}{d:02}")
    for sign in "/.-":
        yield from (f"{d:02}{sign}{m:02}{sign}{y}", f"{m:02}{sign}{d:02}{sign}{y}", f"{d}{sign}{m}{sign}{y}")
        yield from (f"{m}{sign}{d}{sign}{y}", f"{d:02}{sign}{m:02}{sign}{y % 100:02}")
