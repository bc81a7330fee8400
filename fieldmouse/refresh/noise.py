"""What a host changes on nearly every fetch is noise, and each host learns it from its own visits.

Three kinds are learned. A *slot* is the place after a line that stays: when what follows it differs in many
comparisons, whatever stands there is a banner, a counter or a teaser. A *guest* is a line that came and went
before: a cookie notice shown to some, one of two variants, a page of a robot wall. Content seldom returns.
A *frame* is what several pages of the host have in common: what stands between two of its lines is a menu.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import xxhash

from fieldmouse.types import Verdict

from .change import THRESHOLD, Reading, digest, judged

# A slot that differed in this share of at least so many comparisons is noise.
SHARE, COMPARISONS = 0.3, 4
# A line that appeared or vanished this often is a guest.
COMINGS = 3
SHARED = 0
# What is remembered of one host, at most; the oldest is forgotten first.
REMEMBERED = 20_000


class Slot(NamedTuple):
    """How often a slot was compared since it first differed, and how often it differed."""

    compared: int
    differed: int

    @property
    def noisy(self) -> bool:
        return self.compared >= COMPARISONS and self.differed >= SHARE * self.compared


class Noise:
    """What one host changes all the time."""

    def __init__(self) -> None:
        self.slots_: dict[int, Slot] = {}
        self.comings_: dict[int, int] = {}
        self.owners_: dict[int, int] = {}  # of each line the page it was met on; SHARED if on several

    def learn(self, before: Reading, after: Reading, page: str = "") -> None:
        """Learn from two fetches of one page, one after the other; `page` names it within the host."""
        old, new = dict(_followers(before.lines)), dict(_followers(after.lines))
        for anchor, follower in new.items():
            if anchor not in old:
                continue
            slot, differs = self.slots_.get(anchor), old[anchor] != follower
            if slot is not None or differs:
                slot = slot or Slot(0, 0)
                self.slots_[anchor] = Slot(slot.compared + 1, slot.differed + differs)
        for line in set(old.values()) ^ set(new.values()):
            self.comings_[line] = self.comings_.pop(line, 0) + 1
        owner = _mark(page) or 1
        for line in new.values():
            known = self.owners_.pop(line, owner)
            self.owners_[line] = known if known == owner else SHARED
        for memory in (self.slots_, self.comings_, self.owners_):
            _forget(memory)

    def heard(self, lines: Sequence[str], common: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """The lines without those that are noise; what is common to both readings never is."""
        marks = [_mark(line) for line in lines]
        framed = self._framed(
            [mark if line in common else None for mark, line in zip(marks, lines, strict=True)]
        )
        kept = []
        for place, line in enumerate(lines):
            anchor = marks[place - 1] if place else _mark("")
            if line in common or not (framed[place] or self._noisy(anchor, marks[place])):
                kept.append(line)
        return tuple(kept)

    def _noisy(self, anchor: int, mark: int) -> bool:
        slot = self.slots_.get(anchor)
        return (slot is not None and slot.noisy) or self.comings_.get(mark, 0) >= COMINGS

    def _framed(self, steady: Sequence[int | None]) -> list[bool]:
        """For each line whether the nearest steady lines before and after it are of the host's frame."""
        before = self._after_frame(steady)
        after = self._after_frame(steady[::-1])[::-1]
        return [a and b for a, b in zip(before, after, strict=True)]

    def _after_frame(self, steady: Sequence[int | None]) -> list[bool]:
        found, frame = [], True
        for mark in steady:
            if mark is not None:
                frame = self.owners_.get(mark) == SHARED
            found.append(frame)
        return found

    def judge(self, before: Reading, after: Reading, threshold: float = THRESHOLD) -> Verdict:
        """Whether the page changed, but for noise: a score above zero is a change."""
        if before.digest == after.digest:
            return judged(before, after, threshold)
        common = frozenset(before.lines) & frozenset(after.lines)
        first, second = self.heard(before.lines, common), self.heard(after.lines, common)
        verdict = judged(Reading(digest(first), first), Reading(digest(second), second), threshold)
        if verdict.score == 0.0:
            return Verdict(0.0, (*verdict.reasons, "the rest is what this host changes all the time"))
        return verdict

    def saved(self) -> str:
        """Everything learned, as text."""
        slots = {str(key): list(slot) for key, slot in self.slots_.items()}
        return json.dumps({"slots": slots, "comings": _texts(self.comings_), "owners": _texts(self.owners_)})

    @classmethod
    def loaded(cls, text: str) -> "Noise":
        """What `saved` gave."""
        found, noise = json.loads(text), cls()
        noise.slots_ = {int(key): Slot(*slot) for key, slot in found["slots"].items()}
        noise.comings_ = {int(key): count for key, count in found["comings"].items()}
        noise.owners_ = {int(key): owner for key, owner in found["owners"].items()}
        return noise


def _mark(line: str) -> int:
    return xxhash.xxh3_64_intdigest(line.encode("utf-8", "surrogatepass"))


def _texts(known: dict[int, int]) -> dict[str, int]:
    return {str(key): value for key, value in known.items()}


def _followers(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    marks = [_mark(""), *map(_mark, lines)]
    return pairwise(marks)


def _forget(known: dict[int, int] | dict[int, Slot]) -> None:
    for key in list(known)[: max(len(known) - REMEMBERED, 0)]:
        del known[key]
