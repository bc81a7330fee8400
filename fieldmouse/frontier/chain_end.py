"""Where a numbered chain of pages would be after many more pages: at a URL that nobody links to.

`/ferry?date=2026-03-04`, found on the page of 2026-03-03, leads on by one day a page. If there is no page a
thousand days later, the chain has an end, however much its pages repeat each other.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from fieldmouse.types import Ticket

# Pages that are worth it to see a chain end.
FAR = 1000
# Years that are as far, where months have names or weeks have numbers.
FAR_YEARS = 40
# Ways on (a day, a month; back and forth) that are looked at.
WAYS = 4

# Numbers that nobody links to: how they end, or how their years begin, since a date with more digits is none.
PROBES, CENTURIES = ("738", "4119"), ("10", "11")

_number = re.compile(r"\d+")
_century = re.compile(r"(?<!\d)(?:19|20)(?=\d\d(?!\d)|\d{4}(?!\d)|\d{6}(?!\d))")
_year = re.compile(r"(?:1[6-9]|20|21)\d\d\Z").match
_compact = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)?\Z").match


class _Place(NamedTuple):
    """A page's place in its chain: the URL without numbers, the numbers, and the day they name."""

    rest: str
    numbers: tuple[int, ...]
    dated: bool  # there is a year among the numbers
    day: date | None = None
    parts: tuple[int, ...] = ()  # which numbers are year, month and day; one if they are written as one

    @property
    def year(self) -> int:
        return next((one for one in self.numbers if _year(str(one))), 0)


class EndQuestion:
    """Asks whether chains have an end, by URLs where they would be after many more pages.

    They have one if there is no page, or one that leads nowhere, or the same one for another URL that nobody
    links to: with the same links, or saying what no page of the host says.
    """

    def __init__(self, far: list[str], not_there: set[frozenset[str]]) -> None:
        self._far = far
        self._not_there = not_there  # what the host is known to say of missing pages; grows
        # What is said there, with the new links unless it is said nowhere else.
        self._missing: tuple[frozenset[str], frozenset[str]] | None = None
        self.next_url = far.pop()

    def answered(
        self, url: str, says: frozenset[str] | None, fresh: Sequence[str], *, new: bool
    ) -> bool | None:
        """Take what a page says, None if there is none; None if another URL must be requested."""
        missing, self._missing = self._missing, None
        if says is not None and fresh:
            if missing is None and says not in self._not_there:
                self._missing = (says, frozenset(() if new else fresh))
                self.next_url = made_up(url, 0)
                return None
            if missing is not None and (says != missing[0] or not missing[1] <= frozenset(fresh)):
                return False
            self._not_there.add(says)
        elif missing is not None and says is None:
            return False
        if not self._far:
            return True
        self.next_url = self._far.pop()
        return None


def further(tickets: Iterable[Ticket], year: int) -> tuple[list[str], int]:
    """What chains would reach after `FAR` more pages, a URL for each kind of step; and how many come to zero.

    Nothing is asked of chains that are past the last `year` of which there can be pages.
    """
    found: dict[tuple[bool, int], str] = {}
    for one in tickets:
        if "://" not in one.via or len(found) >= WAYS:
            continue
        place = _place(one.url)
        if place.day is not None and place.day.year > year:
            return [], 0
        step, url = _further(_place(one.via), place, one.url)
        if step:
            found.setdefault((step > 0, abs(step).bit_length()), url)
        elif place.dated and place.year > year:
            return [], 0
        elif place.dated and not found:
            at = place.numbers.index(place.year)
            return [_with(one.url, {at: str(place.year + years)}) for years in (FAR_YEARS, -FAR_YEARS)], 0
    urls = [one for one in found.values() if one]
    return urls, len(found) - len(urls)


def _further(before: _Place, place: _Place, url: str) -> tuple[int, str]:
    """The step to a URL and the URL after `FAR` more; no URL if that is below zero, no step if unclear."""
    if before.rest != place.rest:
        return 0, ""
    differ = [n for n, one in enumerate(before.numbers) if one != place.numbers[n]]
    if before.day and place.day and before.parts == place.parts:
        if not set(differ) <= set(place.parts):
            return 0, ""
        step = (place.day - before.day).days
        return step, _with_day(url, place, step)
    if len(differ) != 1 or (place.dated and len(place.numbers) > 1):
        return 0, ""
    step = place.numbers[differ[0]] - before.numbers[differ[0]]
    number = place.numbers[differ[0]] + FAR * step
    return step, _with(url, {differ[0]: str(number)}) if number >= 0 else ""


def _place(url: str) -> _Place:
    start = url.index("/", 8)
    tokens = _number.findall(url, start)
    # A minus is no mark of a number below zero in most URLs: then nothing can be said.
    rest = _number.sub("0", url[start:]).replace("=-0", "=-" + "-".join(tokens))
    numbers = tuple(int(one[:18]) for one in tokens)
    for n, token in enumerate(tokens):
        if written := _compact(token):
            parts = [int(one) for one in written.groups(default="1")]
            if day := _day(parts):
                return _Place(rest, numbers, True, day, (n,))
    years = [n for n, one in enumerate(tokens) if _year(one)]
    for year in years if len(years) == 1 else ():
        for places in ((0, 1, 2), (0, -1, -2), (0, 1), (0, -1)):
            at = tuple(year + one for one in places)
            if min(at) >= 0 and max(at) < len(numbers) and (day := _day([numbers[one] for one in at])):
                return _Place(rest, numbers, True, day, at)
    return _Place(rest, numbers, bool(years))


def _day(parts: list[int]) -> date | None:
    try:
        return date(parts[0], parts[1], parts[2] if len(parts) > 2 else 1)
    except (ValueError, OverflowError):
        return None


def _with_day(url: str, place: _Place, step: int) -> str:
    """A URL with the day that comes after `FAR` such steps; months have no days."""
    assert place.day is not None
    try:
        day = place.day + timedelta(days=FAR * step)
    except OverflowError:
        return ""
    if len(place.parts) > 1:
        return _with(url, dict(zip(place.parts, (str(day.year), str(day.month), str(day.day)), strict=False)))
    width = len(str(place.numbers[place.parts[0]]))
    return _with(url, {place.parts[0]: f"{day:%Y%m%d}"[:width]})


def _with(url: str, numbers: dict[int, str]) -> str:
    """A URL with some of its numbers replaced, as wide as they were."""
    start = url.index("/", 8)
    places = iter(range(len(url)))

    def replace(found: re.Match[str]) -> str:
        number = numbers.get(next(places))
        return found[0] if number is None else number.zfill(len(found[0]))

    return url[:start] + _number.sub(replace, url[start:])


def made_up(url: str, place: int) -> str:
    """A URL with a number that no link has: a year in the Middle Ages, or one with more digits."""
    start = url.index("/", 8)
    if _century.search(url, start):
        return url[:start] + _century.sub(CENTURIES[place], url[start:], count=1)
    numbers = sorted(_number.finditer(url, start), key=lambda one: one.end() - one.start())
    return url[: numbers[-1].end()] + PROBES[place] + url[numbers[-1].end() :] if numbers else url
