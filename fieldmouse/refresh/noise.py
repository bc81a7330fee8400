"""What was learned about differences that mean nothing: of a host, and of a page.

Nothing visible is left out beforehand: a difference is noise only if there is evidence. The evidence is what
the same place did at other visits, on this page and on others, and what differed between two fetches within
minutes. Everything is bounded: what was not met for longest is dropped first. Evidence heals: a place that
stands still for some visits is as good as new.
"""

import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from .difference import LIST, Event, has_currency, number_address, without_numbers
from .page_units import PageUnit, PageUnits, hash32
from .place_record import LARGEST, WHOLE, PlaceRecord

FORMAT = 5
# Entries of each table of a host.
PLACES, POOL, COMINGS, EXCHANGES, GUESTS = 384, 2048, 2048, 384, 768
# Spots of a host; numbers of spots from either end of a place; visits, and new texts, of their moving means.
SPOTS, NUMBERED, SPOT_MEAN, KNOWN_MEAN = 1024, 12, 24, 6
# Slots of a page; visits that a slot remembers, and after which a certificate ends.
SLOTS, BITS, CERTIFIED = 64, 8, 30
# Pages that are kept of each kind.
PAGES, EXCHANGE_PAGES, GUEST_PAGES = 4, 8, 2
# Words of a text that is remembered, and of one that may be a guest.
POOLED, GUEST = 40, 5
NAME = 100  # characters
# Words, without its numbers, that may be the name of something with a number.
NAMED = 1
# Pages in the set of those that show a text: as many as its bits. When most bits of a place are used, only
# every second page is taken into the sets.
SET, FULL = 64, 48
# A text of the template stands on this share of the pages that have its place, and on so many at least.
HOST_WIDE, WIDE_PAGES = 0.75, 3

_DIGIT, _LETTERS = re.compile(r"\d"), re.compile(r"[^\W\d_]{2,}")

# Certificates of a control fetch.
NONE, NOISE, CALM = 0, 1, 2


class Slot(NamedTuple):
    """What an address of a page did."""

    bits: int = 0  # a one for each of the last visits at which it differed, the last visit lowest
    ups: int = 0  # rises in a row
    certificate: int = NONE
    age: int = 0  # visits since the certificate

    def differed(self, visits: int) -> int:
        """At how many of the last visits it differed."""
        return (self.bits & ((1 << visits) - 1)).bit_count()


@dataclass(frozen=True, slots=True)
class PageNoise:
    """What was learned about the noise of one page."""

    visits: int = 0
    controls: int = 0
    slots: Mapping[int, Slot] = field(default_factory=dict)

    def slot(self, event: Event) -> Slot:
        """What is known of the place of an event: that of the address which differed most often."""
        found = [self.slots[one] for one in event.addresses if one in self.slots]
        if not found:
            return Slot()
        certificate = min((one.certificate for one in found if one.certificate), default=NONE)
        return max(found, key=lambda one: (one.bits.bit_count(), one.bits))._replace(certificate=certificate)

    def differed(self, event: Event) -> tuple[int, int]:
        """At how many of the last visits its spot differed on this page, and its place."""
        place = self.slots.get(hash32(event.unit.place, "page"), Slot())
        return self.slot(event).bits.bit_count(), place.bits.bit_count()

    def certificate(self, event: Event) -> int:
        """The certificate of an event: of its address, or noise of the box it stands in."""
        box = self.slots.get(event.unit.place)
        if box is not None and box.certificate == NOISE:
            return NOISE
        return self.slot(event).certificate

    def after_visit(self, events: Iterable[Event]) -> "PageNoise":
        """The page after a visit with these events."""
        slots: dict[int, Slot] = {}
        for address, slot in self.slots.items():
            bits, age = slot.bits << 1 & (1 << BITS) - 1, min(slot.age + 1, LARGEST)
            kept = slot.certificate if age <= CERTIFIED else NONE
            slots[address] = Slot(bits, slot.ups, kept, age)
        for event in events:
            for address in event.addresses:
                slot = slots.get(address, Slot())
                ups = min(slot.ups + 1, LARGEST) if event.rises > 0 else 0
                slots[address] = slot._replace(bits=slot.bits | 1, ups=ups if event.numeric else 0)
            anywhere = hash32(event.unit.place, "page")
            slots[anywhere] = slots.get(anywhere, Slot())
            slots[anywhere] = slots[anywhere]._replace(bits=slots[anywhere].bits | 1)
            if (box := slots.get(event.unit.place)) is not None:
                slots[event.unit.place] = box._replace(bits=box.bits | 1)
        slots = {address: slot for address, slot in slots.items() if slot.bits}
        return PageNoise(min(self.visits + 1, LARGEST), self.controls, _largest(slots))

    def after_control(self, noisy: Iterable[int], calm: Iterable[int]) -> "PageNoise":
        """The page after a control fetch, by the addresses that differed and those that did not."""
        slots = dict(self.slots)
        for certificate, addresses in ((CALM, calm), (NOISE, noisy)):
            for address in addresses:
                slot = slots.get(address, Slot(bits=1))
                slots[address] = slot._replace(certificate=certificate, age=0)
        return PageNoise(self.visits, min(self.controls + 1, LARGEST), _largest(slots))

    def saved(self) -> bytes:
        """Everything learned, as bytes."""
        rows = [struct.pack("<IBBBB", address, *slot) for address, slot in self.slots.items()]
        return bytes((FORMAT, self.visits, self.controls)) + b"".join(rows)

    @classmethod
    def loaded(cls, data: bytes) -> "PageNoise":
        """What `saved` gave; empty if it is damaged or of another version."""
        if len(data) < 3 or data[0] != FORMAT or (len(data) - 3) % 8:
            return cls()
        rows = struct.iter_unpack("<IBBBB", data[3:])
        return cls(data[1], data[2], {address: Slot(*rest) for address, *rest in rows})


def _largest(slots: dict[int, Slot]) -> dict[int, Slot]:
    """As many slots as are kept: those with a certificate and those that differed last."""
    if len(slots) <= SLOTS:
        return slots
    order = sorted(slots.items(), key=lambda one: (one[1].certificate > 0, one[1].bits & -one[1].bits == 1))
    kept = dict(order[-SLOTS:])
    return {address: slot for address, slot in slots.items() if address in kept}


_PLACE = struct.Struct("<IIBHHBBBBBB12HQdHIBBBB")


class Spot(NamedTuple):
    """What one unit of a place did on all pages of a host: the first, the second, the last."""

    visits: int = 0
    share: int = 0  # of visits at which it differed, in parts of `WHOLE`
    known: int = 0  # share of the texts that came which the host had shown before
    pages: tuple[int, ...] = ()  # on which it differed

    def after(self, page: int, *, differs: bool, known: bool | None = None) -> "Spot":
        """The spot after one more visit; `known` is whether the text that came was, if one did."""
        visits, pages = min(self.visits + 1, LARGEST), _with(self.pages, page if differs else 0, PAGES)
        share = self.share + round(((WHOLE if differs else 0) - self.share) / min(visits, SPOT_MEAN))
        seen = 0 if known is None else round(((WHOLE if known else 0) - self.known) / KNOWN_MEAN)
        return Spot(visits, share, self.known + seen, pages)


class Exchange(NamedTuple):
    """A text exchanged for another at a place by pages at once.

    A page that showed the old text after others had made the exchange makes another one.
    """

    old: int  # hash of place and old text
    pages: tuple[int, ...]
    kept: int = 0  # visits since that still showed the old text
    minute: int = 0  # the last page made it, since the epoch


class Pooled(NamedTuple):
    """A text that was seen at a place."""

    minute: int  # first seen, since the epoch
    page: int  # 0 for several
    showing: int = 0  # the set of pages that showed it when they were last visited
    wide: bool = False  # whether nearly all pages that have the place showed it at one time


class Guest(NamedTuple):
    """A text that came to pages and went."""

    came: tuple[int, ...] = ()
    went: tuple[int, ...] = ()


class VisitEvidence(NamedTuple):
    """What one visit shows: both copies, and the events that are not noise by their form."""

    url: str
    old: PageUnits
    new: PageUnits
    events: tuple[Event, ...]
    last_visit: float


class NoiseOverrides(NamedTuple):
    """What a user decided about the noise of a host."""

    off: frozenset[str] = frozenset()  # rules that do not apply
    muted: frozenset[int] = frozenset()  # places that never count
    counted: frozenset[int] = frozenset()  # places that always count


def overrides(rows: Iterable[tuple[str, str]]) -> NoiseOverrides:
    """What a user decided, from rows of a rule or a place, and `muted` or `counted`."""
    found = [(int(what) if what.isdecimal() else what, state) for what, state in rows]
    return NoiseOverrides(
        frozenset(what for what, state in found if isinstance(what, str) and state == "counted"),
        frozenset(what for what, state in found if isinstance(what, int) and state == "muted"),
        frozenset(what for what, state in found if isinstance(what, int) and state == "counted"),
    )


class HostNoise:
    """What was learned about the noise of one host."""

    def __init__(self, overrides: NoiseOverrides | None = None) -> None:
        self.overrides = overrides or NoiseOverrides()
        self.places: dict[int, PlaceRecord] = {}
        self.pool: dict[int, Pooled] = {}
        self.comings: dict[int, int] = {}
        self.exchanges: dict[int, Exchange] = {}
        self.guests: dict[int, Guest] = {}
        self.spots: dict[int, dict[int, Spot]] = {}  # by place and number
        self.sampled = 0  # one of so many pages, as a power of two, is in the sets of pages

    def host_wide(self, unit: PageUnit) -> bool:
        """Whether nearly all pages that have the place of a text showed the text there at one time."""
        seen = self.pool.get(hash32(unit.place, unit.text))
        return seen is not None and seen.wide

    def known(self, event: Event, last_visit: float) -> bool:
        """Whether the host showed a new text at this place before the last visit of the page."""
        if event.new is None:
            return False
        texts = [event.new.text]
        if not event.numeric and (name := _name(event.new.text)):  # with another price, or count of readers
            texts.append(name)
        found = (self.pool.get(hash32(event.unit.place, text)) for text in texts)
        return any(one is not None and one.minute < int(last_visit // 60) for one in found)

    def follows(self, event: Event) -> bool:
        """Whether it is a number that follows those of other pages."""
        record = self.places.get(event.place) if event.numeric else None
        return record is not None and record.follows

    def one_level(self, event: Event) -> bool:
        """Whether it is a number that is nearly the same on all pages."""
        record = self.places.get(event.place) if event.numeric else None
        return record is not None and record.one_level

    def guest(self, event: Event) -> bool:
        """Whether a text came to pages of the host and went again; what it replaces must have come too."""
        guest = self.guests.get(hash32(event.unit.place, event.unit.text))
        if guest is None or len(guest.came) < 2 or len(guest.went) < 2:
            return False
        old = self.guests.get(hash32(event.unit.place, event.texts[0])) if event.exchange else guest
        return old is not None and bool(old.came)

    def spot(self, event: Event) -> Spot:
        """What the spot of an event did on all pages: counted from the end that moves more."""
        here = self.spots.get(event.unit.place, {})
        numbers = [number for number in event.numbers if -NUMBERED <= number < NUMBERED]
        return max((here.get(n, _still(here)) for n in numbers), default=Spot(), key=lambda one: one.share)

    def learn(self, visit: VisitEvidence) -> None:
        """Learn from a visit, whatever its verdict was."""
        page = page_number(visit.url)
        differing = self._learn_places(visit, page)
        if not self.places:
            return
        self._learn_calm(visit, differing)
        self._learn_spots(visit, page)
        self._learn_texts(visit, page)
        for event in visit.events:
            for text in filter(None, event.texts):
                coming = coming_key(visit.url, event, text)
                count = self.comings.pop(coming, 0)
                # What a list grows by is the page's own, until it goes again.
                if count or event.old is not None or not event.listed:
                    self.comings[coming] = min(count + 1, LARGEST)
            if event.words >= GUEST and not event.numeric and not event.edit:
                for came, text in ((0, event.texts[0]), (page, event.texts[1])):
                    if text:
                        key = hash32(event.unit.place, text)
                        guest = self.guests.pop(key, Guest())
                        self.guests[key] = Guest(
                            _with(guest.came, came, GUEST_PAGES),
                            _with(guest.went, 0 if came else page, GUEST_PAGES),
                        )
        for table, most in (
            (self.places, PLACES), (self.pool, POOL), (self.comings, COMINGS),
            (self.exchanges, EXCHANGES), (self.guests, GUESTS),
        ):  # fmt: skip
            for old_key in list(islice(table, max(len(table) - most, 0))):
                del table[old_key]

    def _learn_texts(self, visit: VisitEvidence, page: int) -> None:
        """The texts at known places, and which exchanges this page has not made."""
        shown: set[int] = set()
        bit = self._bit(page)
        numbers = {one.of for one in self.places.values() if one.of}  # places of numbers
        for units in (visit.old, visit.new):
            minute = int(units.time // 60)
            known = [one for one in units.units if one.place in self.places or one.spot in numbers]
            names = [_name(one.text) for one in known]
            alike = Counter((one.place, name) for one, name in zip(known, names, strict=True) if name)
            for unit, name in zip(known, names, strict=True):
                record = self.places.get(unit.place)
                if record is None and units.at_place[unit.place] >= LIST:
                    record = self.places.get(number_address(unit))  # of a list of numbers
                if record is not None and unit.words <= POOLED:
                    key = hash32(unit.place, unit.text)
                    seen = self.pool.pop(key, None) or Pooled(minute, page)
                    showing = seen.showing & ~bit
                    if units is visit.new:
                        shown.add(key)
                        record.having |= bit
                        showing |= bit
                    pages = (showing & record.having).bit_count()
                    wide = pages >= max(WIDE_PAGES, HOST_WIDE * record.having.bit_count())
                    self.pool[key] = Pooled(
                        min(seen.minute, minute), seen.page if seen.page == page else 0, showing,
                        seen.wide or wide,
                    )  # fmt: skip
                    # What several lines have in common is no name of one of them.
                    if name and (alike[unit.place, name] == 1 or has_currency(unit.text)):
                        key = hash32(unit.place, name)
                        named = self.pool.pop(key, None) or Pooled(minute, page)
                        self.pool[key] = named._replace(
                            minute=min(named.minute, minute), page=named.page if named.page == page else 0
                        )
        for key, one in self.exchanges.items():
            if one.old in shown:
                self.exchanges[key] = one._replace(kept=min(one.kept + 1, LARGEST))

    def _bit(self, page: int) -> int:
        """The bit of a page in sets of pages; 0 if it is not among those that are taken into them."""
        if max((one.having.bit_count() for one in self.places.values()), default=0) > FULL:
            self.sampled += 1
            for record in self.places.values():
                record.having = 0
            self.pool = {key: one._replace(showing=0) for key, one in self.pool.items()}
        number, rest = divmod(page, 1 << self.sampled)
        return 0 if rest else 1 << number % SET

    def _learn_places(self, visit: VisitEvidence, page: int) -> set[int]:
        """Learn from the events; the places that differ."""
        by_place: dict[int, list[Event]] = {}
        for event in visit.events:
            by_place.setdefault(event.place, []).append(event)
            if event.unit.label and not event.exchange:  # its label came or went too
                by_place.setdefault(hash32(event.unit.path, ""), []).append(event)
        for place, events in by_place.items():
            record = self.places.pop(place, None) or PlaceRecord(
                of=events[0].unit.spot if events[0].numeric else 0, name=place_name(events[0])
            )
            self.places[place] = record
            units = max(_units_at(place, events[0], page) for page in (visit.old, visit.new))
            record.visit(differs=True, turn=min(len(events) / max(units, 1), 1.0))
            record.differing = _with(record.differing, page, PAGES)
            for event in events:
                self._learn_event(record, event, visit, page)
        return set(by_place)

    def _learn_event(self, record: PlaceRecord, event: Event, visit: VisitEvidence, page: int) -> None:
        if event.numeric:
            record.number(event, page, visit.last_visit, visit.new.time)
        if event.new is not None and (event.listed or not event.numeric):
            known = self.known(event, visit.last_visit)
            if record.added >= LARGEST:
                record.added, record.known = record.added // 2, record.known // 2
            record.added, record.known = record.added + 1, record.known + known
        for key, old in exchange_keys(event):
            one = self.exchanges.pop(key, None)
            if one is None:
                one = Exchange(old, ())
                record.exchanges = min(record.exchanges + 1, LARGEST)
            elif one.minute < int(visit.last_visit // 60):
                one = Exchange(old, ())
            elif len(one.pages) == 1 and page not in one.pages:
                record.shared = min(record.shared + 1, record.exchanges)
            self.exchanges[key] = one._replace(
                pages=_with(one.pages, page, EXCHANGE_PAGES), minute=int(visit.new.time // 60)
            )

    def _learn_calm(self, visit: VisitEvidence, differing: set[int]) -> None:
        """Known places of the page that did not differ."""
        counters: dict[int, list[int]] = {}
        for place, record in self.places.items():
            if record.of:
                counters.setdefault(record.of, []).append(place)
        met: set[int] = set()
        for unit in visit.new.units:
            if unit.place in self.places:
                met.add(unit.place)
            if unit.spot in counters:
                address = number_address(unit)
                if address in self.places:
                    met.add(address)
        # A number that differs in a box of texts is no sign that the box stands still.
        for place in met - differing - {event.unit.place for event in visit.events}:
            record = self.places.pop(place)
            record.visit(differs=False)
            self.places[place] = record

    def _learn_spots(self, visit: VisitEvidence, page: int) -> None:
        """Which units of their places differed, and which of those that did before stood still."""
        differing: dict[int, dict[int, bool | None]] = {}  # by place and number: whether its text was known
        for event in visit.events:
            known = self.known(event, visit.last_visit) if event.new else None
            here = differing.setdefault(event.unit.place, {})
            here.update((number, known) for number in event.numbers if -NUMBERED <= number < NUMBERED)
        met = [place for place in visit.new.at_place if place in self.spots and place not in differing]
        for place in (*met, *differing):
            spots, now = self.spots.pop(place, {}), differing.get(place, {})
            new, units = _still(spots), visit.new.at_place[place]
            self.spots[place] = {
                number: spots.get(number, new).after(page, differs=number in now, known=now.get(number))
                if number in now or -units <= number < units
                else spots[number]
                for number in sorted(spots.keys() | now.keys())
            }
        rows = sum(map(len, self.spots.values()))
        while rows > SPOTS:
            rows -= len(self.spots.pop(next(iter(self.spots))))

    def learn_control(self, url: str, noisy: Mapping[int, str], calm: Iterable[int]) -> None:
        """Learn from a control fetch: the places that differed, with their names, and those that did not."""
        page = page_number(url)
        for place, name in noisy.items():
            record = self.places.setdefault(place, PlaceRecord(name=name))
            record.noisy = _with(record.noisy, page, PAGES)
        for place in calm:
            if place in self.places and place not in noisy:
                self.places[place].calm = _with(self.places[place].calm, page, PAGES)

    def saved(self) -> bytes:
        """Everything learned, as bytes."""
        places = b"".join(
            _PLACE.pack(
                key, one.of, one.visits, one.share, one.turn, one.added, one.known, one.ups, one.downs,
                one.exchanges, one.shared, *_filled(one.differing, PAGES), *_filled(one.noisy, PAGES),
                *_filled(one.calm, PAGES), one.having,
                one.shown, one.shown_by, one.shown_at, one.near, one.far, one.level, one.apart,
            )
            for key, one in self.places.items()
        )  # fmt: skip
        names = "\n".join(one.name for one in self.places.values()).encode("utf-8", "replace")
        pack = struct.pack
        tables = (
            places,
            names,
            b"".join(pack("<IIHQ?", key, *one) for key, one in self.pool.items()),
            b"".join(pack("<IB", key, count) for key, count in self.comings.items()),
            b"".join(
                pack("<II8HBI", key, one.old, *_filled(one.pages, EXCHANGE_PAGES), one.kept, one.minute)
                for key, one in self.exchanges.items()
            ),
            b"".join(
                pack("<I4H", key, *_filled(one.came, GUEST_PAGES), *_filled(one.went, GUEST_PAGES))
                for key, one in self.guests.items()
            ),
            b"".join(
                pack("<IbB6H", place, number, one.visits, one.share, one.known, *_filled(one.pages, PAGES))
                for place, spots in self.spots.items()
                for number, one in spots.items()
            ),
        )
        return bytes((FORMAT, self.sampled)) + zlib.compress(
            b"".join(pack("<I", len(one)) + one for one in tables), 1
        )

    @classmethod
    def loaded(cls, data: bytes, overrides: NoiseOverrides | None = None) -> "HostNoise":
        """What `saved` gave; empty if it is damaged or of another version."""
        noise = cls(overrides)
        try:
            if len(data) < 2 or data[0] != FORMAT:
                return noise
            noise.sampled = data[1]
            places, names, pool, comings, exchanges, guests, spots = _tables(zlib.decompress(data[2:]))
            named = names.decode().split("\n") if places else []
            for row, name in zip(_PLACE.iter_unpack(places), named, strict=True):
                key, *counts = row[:11]
                differing, noisy, calm = (_pages(row[first : first + PAGES]) for first in (11, 15, 19))
                of, visits, share, turn, added, known, ups, downs, exchanged, shared = counts
                having, shown, shown_by, shown_at, near, far, level, apart = row[23:]
                noise.places[key] = PlaceRecord(
                    of, visits, share, turn, added, known, ups, downs, exchanged, shared,
                    differing, noisy, calm, having, shown, shown_by, shown_at, near, far, level, apart,
                    name,
                )  # fmt: skip
            noise.pool = {key: Pooled(*rest) for key, *rest in struct.iter_unpack("<IIHQ?", pool)}
            noise.comings = dict(struct.iter_unpack("<IB", comings))
            for key, old, *rest, kept, minute in struct.iter_unpack("<II8HBI", exchanges):
                noise.exchanges[key] = Exchange(old, _pages(rest), kept, minute)
            for key, *rest in struct.iter_unpack("<I4H", guests):
                noise.guests[key] = Guest(_pages(rest[:GUEST_PAGES]), _pages(rest[GUEST_PAGES:]))
            for place, number, visits, share, known, *rest in struct.iter_unpack("<IbB6H", spots):
                noise.spots.setdefault(place, {})[number] = Spot(visits, share, known, _pages(rest))
        except (ValueError, struct.error, zlib.error):
            return cls(overrides)
        return noise


@lru_cache(4096)
def _name(text: str) -> str:
    """A text without its numbers, as of goods with a price; empty if that names nothing."""
    if has_currency(text) or (_DIGIT.search(text) and len(_LETTERS.findall(text)) >= NAMED):
        return without_numbers(text)
    return ""


def page_number(url: str) -> int:
    """A small number for a page of a host."""
    return hash32(url) % 65535 + 1


def coming_key(url: str, event: Event, text: str) -> int:
    """The key of a text that came to a page or went: what another box showed says nothing about it."""
    return hash32(url, event.unit.place, text)


def exchange_keys(event: Event) -> tuple[tuple[int, int], ...]:
    """The keys of what an event exchanges, each with the key of its old text at this place.

    In a list it says nothing which line took the place of which: one went, and another one came.
    """
    place, (old, new) = event.unit.place, event.texts
    apart = event.listed and event.exchange and not event.numeric and not event.edit
    pairs = ((old, ""), ("", new)) if apart and event.words >= GUEST else ((old, new),)
    return tuple((hash32(place, *pair), hash32(place, pair[0])) for pair in pairs)


def place_name(event: Event) -> str:
    """How people know a place: its path and its label."""
    unit = event.unit
    label = f" [{unit.label}]" if unit.label else ""
    return " ".join(f"{unit.path}{label}".split())[:NAME].encode("utf-8", "replace").decode()


def _units_at(place: int, event: Event, page: PageUnits) -> int:
    """How many units of a page have a place of an event: its form, its unit or its whole box."""
    if event.numeric:
        form = without_numbers(event.unit.text)
        return sum(one.place == event.unit.place and without_numbers(one.text) == form for one in page.units)
    if place != event.unit.place:
        return sum(one.path == event.unit.path for one in page.units)
    return page.at_place[place]


def _still(spots: Mapping[int, Spot]) -> Spot:
    """A spot that never differed, beside others of its place that did."""
    return Spot(visits=max((one.visits for one in spots.values()), default=0))


def _with(pages: tuple[int, ...], page: int, most: int) -> tuple[int, ...]:
    return pages if not page or page in pages or len(pages) >= most else (*pages, page)


def _filled(pages: tuple[int, ...], most: int) -> tuple[int, ...]:
    return pages + (0,) * (most - len(pages))


def _pages(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(one for one in numbers if one)


def _tables(data: bytes) -> list[bytes]:
    found, start = [], 0
    while start < len(data):
        (size,) = struct.unpack_from("<I", data, start)
        if start + 4 + size > len(data):
            raise ValueError("a table is cut off")
        found.append(data[start + 4 : start + 4 + size])
        start += 4 + size
    return found
