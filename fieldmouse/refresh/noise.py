"""Differences between two fetches that mean nothing, learned for each host from its visits.

Two kinds of noise are learned. A *recurring line* appeared on a page and disappeared from it before: a cookie
notice, one of several banners, the page of a robot check. Content seldom returns. The *frame* is what several
pages of the host show: a line that another page shows too, next to a line of the frame, is part of it, and so
is a new line at a place where the frame often gets lines that other pages show.

A new text is never noise because texts change often at its place: a tide table or the front page of a
newspaper changes at every visit, and that is its content. A page made mostly of lines that other pages show
has no frame: it is an overview of them.
"""

import base64
import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

import xxhash

from fieldmouse.page.compared_lines import compared_lines
from fieldmouse.types import StoredCopy, Verdict

from .change import THRESHOLD, ComparedText, Difference, difference, judged, reading, weighed

# Appearances and disappearances after which a new line, and a missing line, is a recurring one.
APPEARED, DISAPPEARED = 1, 2
# A slot is the frame's if it got a new line so often, and this share of them was seen on other pages.
FILLINGS, SHARE = 4, 0.3
# A page has a frame if at least this share of its steady words is its own, or so many of them.
OWN, ENOUGH = 0.5, 48
SHARED = 0
# Entries of each table of a host; those not seen for longest are dropped first.
REMEMBERED = 4096
FORMAT = 3


class Slot(NamedTuple):
    """How often the place next to a line was filled anew, and how often with a line of other pages."""

    filled: int
    shared: int

    @property
    def framed(self) -> bool:
        return self.filled >= FILLINGS and self.shared >= SHARE * self.filled


class HostNoise:
    """The noise of one host."""

    def __init__(self, *, remembered: int = REMEMBERED) -> None:
        self.remembered = remembered
        self.comings_: dict[int, int] = {}  # how often a line appeared on or disappeared from a page
        self.owners_: dict[int, int] = {}  # of each line the page that shows it; SHARED if several do
        self.slots_: dict[int, Slot] = {}  # by the line next to it

    def learn(self, before: ComparedText, after: ComparedText, page: str = "") -> None:
        """Learn from two fetches of one page, one after the other; `page` names it within the host."""
        found = difference(before, after)
        for one, places in ((before, found.removed), (after, found.added)):
            for mark in {_mark(one.lines[place], page) for place in places}:
                self.comings_[mark] = self.comings_.pop(mark, 0) + 1
        owner, marks = _owner(page), [_mark(line) for line in after.lines]
        for mark in marks:
            known = self.owners_.pop(mark, owner)
            self.owners_[mark] = known if known == owner else SHARED
        for place, near in _neighbours(found.added, len(marks)):
            shared = self._elsewhere(marks[place], owner)
            for key in [marks[edge] for edge in near]:
                slot = self.slots_.pop(key, Slot(0, 0))
                self.slots_[key] = Slot(slot.filled + 1, slot.shared + shared)
        for memory in (self.comings_, self.owners_, self.slots_):
            _forget(memory, self.remembered)

    def _elsewhere(self, mark: int, owner: int) -> bool:
        """Whether another page than the owner is known to have shown a line."""
        return self.owners_.get(mark, owner) != owner

    def judge(
        self, before: ComparedText, after: ComparedText, threshold: float = THRESHOLD, page: str = ""
    ) -> Verdict:
        """Whether the page changed, apart from noise: a score above zero is a change."""
        if before.digest == after.digest:
            return judged(before, after, threshold)
        found = difference(before, after)
        left = Difference(
            self.without_noise(after, found.added, page, APPEARED),
            self.without_noise(before, found.removed, page, DISAPPEARED),
        )
        if left == found or any(left):
            return weighed(before, after, left, threshold)
        return Verdict(0.0, ("only noise of this host differs",))

    def without_noise(
        self, one: ComparedText, different: Sequence[int], page: str, comings: int
    ) -> tuple[int, ...]:
        """Of the lines that the other text does not have, those that are not noise."""
        left = [place for place in different if self.comings_.get(_mark(one.lines[place], page), 0) < comings]
        if not left:
            return ()
        inside = self._frame(one, different, _owner(page))
        return tuple(place for place in left if place not in inside)

    def _frame(self, one: ComparedText, different: Sequence[int], owner: int) -> set[int]:
        """The places of different lines that are in the frame."""
        marks = [_mark(line) for line in one.lines]
        shared = [self._elsewhere(mark, owner) for mark in marks]
        if not _has_frame(one.lines, shared, frozenset(different)):
            return set()
        return {
            place
            for place, near in _neighbours(different, len(marks))
            if (len(near) < 2 or any(shared[edge] for edge in near))  # the page's own ends are of the frame
            and (shared[place] or any(self._framed(marks[edge]) for edge in near))
        }

    def _framed(self, key: int) -> bool:
        slot = self.slots_.get(key)
        return slot is not None and slot.framed

    def saved(self) -> str:
        """Everything learned, as text."""
        tables: list[Iterable[int]] = []
        for counted in (self.comings_, self.owners_):
            tables += [counted.keys(), counted.values()]
        tables += [self.slots_.keys(), (number for slot in self.slots_.values() for number in slot)]
        return json.dumps([FORMAT, *map(_packed, tables)])

    @classmethod
    def loaded(cls, text: str) -> "HostNoise":
        """What `saved` gave; empty if it is damaged or of another version."""
        noise = cls()
        try:
            number, *tables = json.loads(text)
            if number != FORMAT:
                return noise
            comings, times, lines, owners, anchors, counts = map(_unpacked, tables)
            noise.comings_ = dict(zip(comings, times, strict=True))
            noise.owners_ = dict(zip(lines, owners, strict=True))
            slots = map(Slot, counts[::2], counts[1::2])
            noise.slots_ = dict(zip(anchors, slots, strict=True))
        except (ValueError, TypeError):
            return cls()
        return noise


def compared_text(copy: StoredCopy) -> ComparedText:
    """The content of a copy as it is compared."""
    fetched = datetime.fromtimestamp(copy.time, UTC).date() if copy.time else None
    found = compared_lines(copy.content, copy.index, copy.charset)
    return reading(found.content, fetched, found.other)


def _mark(line: str, page: str = "") -> int:
    """A number for a line, or for a line on a page."""
    seed = xxhash.xxh3_64_intdigest(page.encode("utf-8", "surrogatepass")) if page else 0
    return xxhash.xxh3_64_intdigest(line.encode("utf-8", "surrogatepass"), seed)


def _owner(page: str) -> int:
    return _mark(page) or 1


def _has_frame(lines: Sequence[str], shared: Sequence[bool], moving: frozenset[int]) -> bool:
    """Whether enough of the steady words of a page are its own."""
    own = steady = 0
    for place, line in enumerate(lines):
        if place not in moving:
            words = line.count(" ") + 1
            steady += words
            own += 0 if shared[place] else words
    return own > 0 and (own >= OWN * steady or own >= ENOUGH)


def _neighbours(places: Sequence[int], size: int) -> Iterator[tuple[int, list[int]]]:
    """Each place with the nearest ones before and after it, if any, that are not among them."""
    for _, numbered in groupby(enumerate(places), key=lambda pair: pair[1] - pair[0]):
        run = [place for _, place in numbered]
        near = [place for place in (run[0] - 1, run[-1] + 1) if 0 <= place < size]
        yield from ((place, near) for place in run)


def _packed(numbers: Iterable[int]) -> str:
    return base64.b64encode(array("Q", numbers).tobytes()).decode("ascii")


def _unpacked(text: str) -> "array[int]":
    numbers = array("Q")
    numbers.frombytes(base64.b64decode(text))
    return numbers


def _forget(known: dict[int, int] | dict[int, Slot], remembered: int) -> None:
    for key in list(known)[: max(len(known) - remembered, 0)]:
        del known[key]
