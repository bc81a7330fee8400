"""URL traps: endless calendars, session ids and paths that repeat themselves.

One `TrapDetector` watches one host. A repeating path is rejected at once. Everything else is counted by the
shape of the URL and rejected only above a cap, because a single date or number proves nothing. The counts
are in memory; after a restart the known URLs are passed to `reject` again.
"""

import re
from collections import Counter

from fieldmouse import settings

# Numbered paths (/article/123) are common on ordinary sites, numbered queries are the commonest trap.
PATH_FACTOR = 10
# Calendar pages of later years are empty.
YEARS_AHEAD = 2
# Session ids of one page; with more, each visit makes a new one.
SESSIONS_PER_PAGE = 3
# Shapes counted at once; above this the rarest are dropped, which bounds the memory.
SHAPES = 20_000

_YEAR = r"((?:1[6-9]|2\d)\d\d)"
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_WORDS = (
    "year|yr|month|mon|week|day|date|cal|calendar|"
    "jahr|monat|woche|tag|datum|annee|mois|semaine|jour|ano|mes|dia|fecha"
)
_calendar_word = re.compile(r"calend|kalend|agenda|\bevents?\b|schedule|termine", re.IGNORECASE).search
# The path must end in the date: /2024/05/12/a-title is an article.
_path_date = re.compile(rf"/{_YEAR}[/-]{_MONTH}(?:[/-]{_DAY})?/?$").search
_path_step = re.compile(rf"/(?:day|week|month|year|date)/{_YEAR}\b[0-9/-]*$").search
_query_dates = re.compile(
    rf"(?:^|&)(?:[^=&]{{0,24}}[^A-Za-z=&])?(?:{_WORDS})(?:[^A-Za-z=&][^=&]{{0,24}})?="
    rf"(?:\d\d?(?=&|$)|(?:[^&]{{0,24}}?(?<!\d))?{_YEAR}(?:\d\d){{0,2}}(?!\d))"
    rf"|={_YEAR}-{_MONTH}(?:-{_DAY})?(?=&|$)",
    re.IGNORECASE,
).findall
_path_session = re.compile(r"/\((?:[A-Za-z]\([0-9A-Za-z]{10,}\))+\)(?=/)|/\([0-9a-z]{24}\)(?=/)").sub
# Sixteen or more letters and digits mixed: a hash, a token, an id.
_token = re.compile(r"(?<![0-9A-Za-z])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[0-9A-Za-z]{16,}(?![0-9A-Za-z])").sub
_long_word = re.compile(r"[0-9A-Za-z]{16}").search
_without_digits = re.compile(r"\d+").sub
_digit = re.compile(r"\d").search


class TrapDetector:
    """Watches the URLs of one host. `year` is the current year, or 0 to allow future calendars.

    Call `reject` once for each new URL: it also counts it.
    """

    def __init__(self, settings: settings.ScopeSettings, year: int = 0) -> None:
        self._limits = settings
        # Whether a repeated segment changes the page is seen by what it brings, where that is looked at.
        self._repeats = settings.trap_segments if settings.trap_content else settings.trap_repeats
        self._short = min(self._repeats, settings.trap_segments)  # shorter paths need no check
        self._last_year = year + YEARS_AHEAD if year else 9999
        self._shapes: dict[int, int] = {}  # by hash, because the text may be long
        self._dates = 0

    def reject(self, url: str) -> str:
        """Why a canonical URL looks like a trap, or an empty string; counts the URL."""
        limits = self._limits
        if not limits.traps:
            return ""
        path, _, query = url[url.index("/", 8) :].partition("?")
        segments = path[1:].split("/")
        if len(segments) > self._short and (reason := _repeated_path(segments, self._repeats, limits)):
            return reason
        if not query and not _digit(path):
            return ""
        if query and (reason := _repeated_parameter(query, limits.trap_repeats)):
            return reason
        year = _calendar_year(path, query)
        if year is not None:
            if year > self._last_year:
                return f"trap: calendar of the year {year}"
            self._dates += 1
            if 0 < limits.trap_calendar_pages < self._dates:
                return f"trap: more than {limits.trap_calendar_pages} pages of a calendar"
        page = _path_session("/(*)", path) if "(" in path else path
        if page != path and self._one_more(f"session {page}") > SESSIONS_PER_PAGE:
            return "trap: session ids in the path"
        if not limits.trap_pattern_pages:
            return ""
        cap = limits.trap_pattern_pages * (1 if query else PATH_FACTOR)
        # The shape: tokens as *, numbers as 0, and the parameter names sorted, without values.
        shape = _without_digits("0", _token("*", page) if _long_word(page) else page)
        if query:
            names = {one.partition("=")[0] for one in query.split("&")}
            shape += "?" + _without_digits("0", "&".join(sorted(names)))
        return f"trap: more than {cap} pages like {shape}" if self._one_more(shape) > cap else ""

    def _one_more(self, shape: str) -> int:
        if len(self._shapes) >= SHAPES:
            self._shapes = dict(Counter(self._shapes).most_common(SHAPES // 2))
        key = hash(shape)
        times = self._shapes[key] = self._shapes.get(key, 0) + 1
        return times


def _repeated_path(segments: list[str], repeats: int, limits: settings.ScopeSettings) -> str:
    """Why a path is too long or repeats itself: /a/a/a/a or /a/b/a/b/a/b."""
    if len(segments) - (not segments[-1]) > limits.trap_segments:
        return f"trap: path of more than {limits.trap_segments} segments"
    if len(set(segments)) == len(segments):
        return ""
    for segment, times in Counter(segments).items():
        if times > repeats and segment:
            return f"trap: path repeats {segment} {times} times"
    times = max(repeats, 2)
    for length in range(2, len(segments) // times + 1):
        for start in range(len(segments) - length * times + 1):
            run = segments[start : start + length]
            if segments[start : start + length * times] == run * times:
                return f"trap: path repeats {'/'.join(run)}"
    return ""


def _repeated_parameter(query: str, most: int) -> str:
    """Some sites add a parameter at each link; list parameters (`color[]=`) may repeat."""
    names = [one.partition("=")[0] for one in query.split("&")]
    if len(set(names)) == len(names):
        return ""
    for name, times in Counter(names).items():
        if times > most and name and not name.endswith(("[]", "%5B%5D")):
            return f"trap: query repeats {name} {times} times"
    return ""


def _calendar_year(path: str, query: str) -> int | None:
    """The year of a calendar page; 0 if the URL gives only a day or a month, None if it is no calendar."""
    if query and (dates := _query_dates(query)):
        return max(int(named or plain or 0) for named, plain in dates)
    if not path.rstrip("/")[-1:].isdigit():
        return None
    match = _path_step(path) or (_path_date(path) if _calendar_word(path) else None)
    return int(match[1]) if match else None
