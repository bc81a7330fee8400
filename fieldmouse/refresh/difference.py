"""The difference between two copies of a page: events, each with its place, and units that only moved.

The sequences of keys are compared. What is in both copies, in another order, is moved. The rest is paired
into events: a text exchanged for another, a text that is new, a text that is gone. An event has addresses
that find the same spot of the page again at a later visit, whatever its text is then.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from fieldmouse.page.text import text_words

from .page_edges import SENTENCE
from .page_units import HEADING, PageUnit, PageUnits, hash32

# Larger products of the lengths of two sequences are split at keys that both have once.
COMPARED = 40_000
# Units of one place in a hunk that are paired by the words they share.
PAIRED = 60
# Words of a unit that is known by its text alone, wherever it stands.
KNOWN_BY_TEXT = 4
# An exchange with this share of the words in both texts is an edit.
EDIT = 0.5
# A place with this many units is a list.
LIST = 3
# Words of a state, and of a short line that begins with its label. Words of a price, a quantity, a name.
BRIEF, BRIEF_LINE, VALUE = 3, 6, 4
# Words of an exchange that is an amount, if it has one of these signs; of one that need not be an edit.
AMOUNT, FEW = 12, 4
_CURRENCY = re.compile(
    r"[$€£¥₹₽₩₺₴₫฿₪₦₱₡₲₵₸₼₾%٪°]|\d\s?[円元원]|[\u0600-\u06ff]\.[\u0600-\u06ff](?=[\s.,)]|$)"
    r"|\b(?:EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|RUB|CAD|AUD|BRL|AED|SAR|EGP|MAD|TND|DZD|TRY|UAH"
    r"|RON|BGN|RSD|ISK|ILS|KRW|TWD|HKD|SGD|NZD|ZAR|MXN|ARS|CLP|COP|PEN|kr|zł|Kč|Ft|lei|лв|руб|грн|ден)\b"
)
_LABEL = re.compile(r"^.{1,42}?[:\uff1a](?=\s|$)")
NUMBER = re.compile(r"\d+(?:[.,'\u2019\u00a0\u202f\u066b\u066c]\d+)*")
# The sign of a number, or of its move.
_SIGN = re.compile(r"[\u25b2-\u25b5\u25bc-\u25bf\u2191\u2193]|(?<!\w)[+\u2212-](?=\d)")
_GROUPED = re.compile(r"\d{1,3}(?:[.,'\u2019\u00a0\u202f\u066b\u066c]\d{3})+")


class Event(NamedTuple):
    """One difference: a text exchanged for another, new (without `old`), or gone (without `new`)."""

    old: PageUnit | None
    new: PageUnit | None
    numeric: bool  # only numbers differ
    addresses: tuple[int, ...]
    listed: bool  # its place has several units
    numbers: tuple[int, ...] = ()  # which of the units of its place it is, from the first and from the last

    @property
    def unit(self) -> PageUnit:
        """The newer of its units."""
        unit = self.new or self.old
        assert unit is not None
        return unit

    @property
    def place(self) -> int:
        """Where it is: the place of a number is that of its text without numbers."""
        return self.addresses[0] if self.numeric else self.unit.place

    @property
    def exchange(self) -> bool:
        """Whether a text was exchanged for another."""
        return self.old is not None and self.new is not None

    @property
    def texts(self) -> tuple[str, str]:
        """Both texts; empty for one that is not there."""
        return self.old.text if self.old else "", self.new.text if self.new else ""

    @property
    def words(self) -> int:
        """Words of the longer text."""
        return max(self.old.words if self.old else 0, self.new.words if self.new else 0)

    @property
    def link(self) -> bool:
        """Whether one of its texts is a link."""
        return bool((self.old and self.old.link) or (self.new and self.new.link))

    @property
    def edit(self) -> bool:
        """Whether the texts share half of their words."""
        return self.exchange and shared_words(*self.texts) >= EDIT * self.words

    @property
    def changed_words(self) -> int:
        """How many words differ."""
        if not self.exchange:
            return self.words
        return max(self.words - shared_words(*self.texts), 1)

    @property
    def amount(self) -> bool:
        """Whether it is an amount that changed: a currency, a percentage or a degree in a text that stays.

        Two headlines that have nothing in common are no amount, though one of them names a sum.
        """
        few = self.exchange and self.words <= AMOUNT and self.currency
        return few and (self.numeric or self.words <= FEW or (self.edit and not self.link))

    @property
    def currency(self) -> bool:
        """Whether one of the texts has a currency, a percentage or a degree."""
        return any(map(has_currency, self.texts))

    @property
    def labelled(self) -> bool:
        """Whether it is the value of a label."""
        unit = self.unit
        return unit.fact or (bool(unit.label) and not unit.boxed and self.exchange)

    @property
    def value(self) -> bool:
        """Whether it is a labelled value of a few words: a price, a quantity, a name, a state.

        A longer text below a label may as well be in a box with its heading: only what it does at other
        visits and on other pages tells.
        """
        return self.labelled and self.words <= VALUE

    @property
    def brief(self) -> bool:
        """Whether it is an exchange of a word or a few, as of a state: open, closed; heating oil or gas."""
        if not self.exchange or self.link or self.words > BRIEF_LINE:
            return False
        old, new = self.texts
        return self.words <= BRIEF or old.partition(" ")[0] == new.partition(" ")[0]

    @property
    def stated(self) -> bool:
        """Whether a word or a few were exchanged after a label with a colon: a state, which may return."""
        found = [_LABEL.match(text) for text in self.texts]
        if self.link or not found[0] or not found[1] or found[0][0] != found[1][0]:
            return False
        values = [text[found[0].end() :] for text in self.texts]
        return max(len(text_words(one)) for one in values) <= BRIEF

    @property
    def rises(self) -> int:
        """1 if the first number that differs gets larger, -1 if it gets smaller, else 0."""
        before, after = self.step
        return (after > before) - (after < before)

    @property
    def step(self) -> tuple[float, float]:
        """The first number that differs, before and after; twice the same without any."""
        for old, new in zip(*map(NUMBER.findall, self.texts), strict=False):
            before, after = number(old), number(new)
            if before != after:
                return before, after
        return 0.0, 0.0


class Difference(NamedTuple):
    """All that differs between two copies."""

    events: tuple[Event, ...]
    moved: int  # units


class _Hunk(NamedTuple):
    old: range
    new: range


def number(text: str) -> float:
    """The value of a number as it is written, with or without separators."""
    if _GROUPED.fullmatch(text):
        return float(re.sub(r"\D", "", text))
    whole, *rest = re.split(r"\D", text)
    return float(f"{whole}.{''.join(rest)}") if rest else float(whole)


@lru_cache(4096)
def without_numbers(text: str) -> str:
    """A text with each number as one sign, whether it is positive or negative, rises or falls."""
    return NUMBER.sub("#", _SIGN.sub("", text))


@lru_cache(4096)
def has_currency(text: str) -> bool:
    """Whether a text has a currency, a percentage or a degree."""
    return _CURRENCY.search(text) is not None


def shared_words(old: str, new: str) -> int:
    """How many words two texts have in common."""
    return (Counter(text_words(old)) & Counter(text_words(new))).total()


def number_address(unit: PageUnit) -> int:
    """The address of a number: it needs no neighbours and survives any move inside its place."""
    return hash32(unit.spot, without_numbers(unit.text))


def difference(old: PageUnits, new: PageUnits) -> Difference:
    """What differs between two copies of a page."""
    return _Comparison(old, new).difference()


class _Comparison:
    def __init__(self, old: PageUnits, new: PageUnits) -> None:
        self.old, self.new = old, new

    def difference(self) -> Difference:
        """Hunk by hunk: take out what moved, pair the rest."""
        found = list(hunks(self.old.keys, self.new.keys))
        differing = {self.old.keys[n] for hunk in found for n in hunk.old}
        differing |= {self.new.keys[n] for hunk in found for n in hunk.new}
        old, new = self._idents(self.old, differing), self._idents(self.new, differing)
        # The sequence may match texts of different headings: only all of them tell how many went and came.
        went, came_in = (_by_key(one) for one in (old - new, new - old))
        events: list[Event] = []
        moved = 0
        for hunk in found:
            gone = [n for n in hunk.old if _taken(went, self.old.keys[n])]
            came = [n for n in hunk.new if _taken(came_in, self.new.keys[n])]
            moved += len(hunk.old) + len(hunk.new) - len(gone) - len(came)
            events += self._paired(hunk, gone, came)
        return Difference(tuple(events), moved)

    def _idents(self, page: PageUnits, keys: set[int]) -> Counter[tuple[int, int]]:
        """How often each text with one of these keys is on a page, wherever it stands."""
        return Counter(self._ident(page, n) for n, key in enumerate(page.keys) if key in keys)

    def _ident(self, page: PageUnits, n: int) -> tuple[int, int]:
        """What a unit is known by in another place: a short text also needs the one before it.

        What moved from below one heading to another, or from one term to another, is not the same. A heading
        is another one if most of what stands below it stood below others.
        """
        unit = page.units[n]
        other = self.new if page is self.old else self.old
        if unit.under == HEADING:
            mine = hash32(unit.text)
            below = [key for key in page.below.get(mine, ()) if key in other.headings]
            elsewhere = sum(mine not in other.headings[key] for key in below)
            return unit.key, page is self.old if 2 * elsewhere > len(below) else -1
        if unit.link:
            return unit.key, 0
        if unit.words >= KNOWN_BY_TEXT or unit.label:
            return unit.key, hash32(unit.under, unit.outer) if unit.outer else unit.under
        return unit.key, hash32(page.keys[n - 1], unit.under) if n else 1

    def _paired(self, hunk: _Hunk, gone: list[int], came: list[int]) -> Iterator[Event]:
        """The events of a hunk, in the order of the page."""
        old, new = self.old.units, self.new.units
        partner: dict[int, int] = {}  # of new units

        def pair(n: int, m: int) -> None:
            partner[m] = n
            gone.remove(n)
            came.remove(m)

        by_form: dict[tuple[int, str], list[int]] = defaultdict(list)
        for n in gone:
            by_form[old[n].place, without_numbers(old[n].text)].append(n)
        for m in list(came):
            if same := by_form.get((new[m].place, without_numbers(new[m].text))):
                pair(same.pop(0), m)
        self._pair_places(gone, came, pair)
        if len(gone) == len(came) == 1 and old[gone[0]].label == new[came[0]].label:
            pair(gone[0], came[0])
        before = self.new.keys[hunk.new.start - 1] if hunk.new.start else 0
        after = self.new.keys[hunk.new.stop] if hunk.new.stop < len(new) else 1
        events = [
            (m, Event(old[n], new[m], False, (), False, self.new.numbers[m])) for m, n in partner.items()
        ]
        events += [(m, Event(None, new[m], False, (), False, self.new.numbers[m])) for m in came]
        last = max(hunk.new.stop, 1)
        events += [(last, Event(old[n], None, False, (), False, self.old.numbers[n])) for n in gone]
        for n, (_, event) in enumerate(sorted(events, key=lambda one: one[0])):
            # Its number from either end: what stands beside a noisy text is not at its address.
            yield self._addressed(event, hash32(before, n), hash32(after, len(events) - n))

    def _pair_places(self, gone: list[int], came: list[int], pair: Callable[[int, int], None]) -> None:
        """Pair units of one place: those that share half of their words, then links with links."""
        old, new = self.old.units, self.new.units
        for place in dict.fromkeys(new[m].place for m in came):
            olds = [n for n in gone if old[n].place == place][:PAIRED]
            news = [m for m in came if new[m].place == place][:PAIRED]
            close = sorted(
                (-share, n, m)
                for n in olds
                for m in news
                if (share := shared_words(old[n].text, new[m].text) / max(old[n].words, new[m].words)) >= EDIT
            )
            for _, n, m in close:
                if n in olds and m in news:
                    olds.remove(n)
                    news.remove(m)
                    pair(n, m)
            for m in news:
                same = next((n for n in olds if old[n].link == new[m].link), None)
                if same is not None:
                    olds.remove(same)
                    pair(same, m)

    def _addressed(self, event: Event, before: int, after: int) -> Event:
        old, new = event.texts
        unit = event.unit
        listed = max(self.old.at_place[unit.place], self.new.at_place[unit.place]) >= LIST
        anchors = hash32(unit.place, before), hash32(unit.place, -after)
        if event.exchange and without_numbers(old) == without_numbers(new):
            # The other numbers of a list stand around it, and may move; a sentence may be edited otherwise.
            addresses = number_address(unit), *(() if listed or unit.words >= SENTENCE else anchors)
            return event._replace(numeric=True, addresses=addresses, listed=listed)
        return event._replace(addresses=anchors, listed=listed)


def _by_key(idents: Counter[tuple[int, int]]) -> Counter[int]:
    found: Counter[int] = Counter()
    for (key, _), count in idents.items():
        found[key] += count
    return found


def _taken(left: Counter[int], key: int) -> bool:
    """Take one of those left, if there is one."""
    left[key] -= 1
    return left[key] >= 0


def hunks(old: Sequence[int], new: Sequence[int]) -> Iterator[_Hunk]:
    """The ranges that differ, by a longest common subsequence where the sequences are not too long."""
    waiting = [_Hunk(range(len(old)), range(len(new)))]
    while waiting:
        (first, last), (start, end) = [(one.start, one.stop) for one in waiting.pop()]
        while first < last and start < end and old[first] == new[start]:
            first, start = first + 1, start + 1
        while first < last and start < end and old[last - 1] == new[end - 1]:
            last, end = last - 1, end - 1
        hunk = _Hunk(range(first, last), range(start, end))
        if first == last and start == end:
            continue
        if first == last or start == end:
            yield hunk
            continue
        small = (last - first) * (end - start) <= COMPARED
        matches = _common(old, new, hunk) if small else _unique(old, new, hunk)
        if not matches:
            yield hunk
            continue
        parts, here = [], (first, start)
        for n, m in [*matches, (last, end)]:
            if here != (n, m):
                parts.append(_Hunk(range(here[0], n), range(here[1], m)))
            here = n + 1, m + 1
        if small:
            yield from parts
        else:
            waiting += reversed(parts)


def _common(old: Sequence[int], new: Sequence[int], hunk: _Hunk) -> list[tuple[int, int]]:
    """The pairs of a longest common subsequence."""
    rows, columns = hunk
    width = len(columns) + 1
    table = [[0] * width]
    for n in reversed(rows):
        below, row, key = table[-1], [0] * width, old[n]
        for place in range(width - 2, -1, -1):
            here, right = below[place], row[place + 1]
            row[place] = below[place + 1] + 1 if new[columns[place]] == key else max(right, here)
        table.append(row)
    table.reverse()
    found, n, m = [], 0, 0
    while n < len(rows) and m < len(columns):
        if old[rows[n]] == new[columns[m]]:
            found.append((rows[n], columns[m]))
            n, m = n + 1, m + 1
        elif table[n + 1][m] >= table[n][m + 1]:
            n += 1
        else:
            m += 1
    return found


def _unique(old: Sequence[int], new: Sequence[int], hunk: _Hunk) -> list[tuple[int, int]]:
    """The longest rising sequence of pairs of keys that both sides have once."""
    rows, columns = hunk
    here = Counter(old[n] for n in rows)
    there = Counter(new[m] for m in columns)
    places = {new[m]: m for m in columns if there[new[m]] == 1 and here[new[m]] == 1}
    pairs = [(n, places[old[n]]) for n in rows if old[n] in places]
    ends: list[int] = []  # the smallest end of a rising sequence of each length
    at: list[int] = []
    previous: list[int] = []
    for place, (_, m) in enumerate(pairs):
        length = bisect_left(ends, m)
        previous.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(m)
            at.append(place)
        else:
            ends[length], at[length] = m, place
    found, place = [], at[-1] if at else -1
    while place >= 0:
        found.append(pairs[place])
        place = previous[place]
    return found[::-1]
