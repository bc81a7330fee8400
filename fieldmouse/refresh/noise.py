"""What a host changes on nearly every fetch is noise, and each host learns it from its own visits.

Two kinds are learned. A *slot* is the place after a line that stays: when what follows it differs in many
comparisons, whatever stands there is a banner, a counter or a teaser. A *guest* is a line that came and went
before: a cookie notice shown to some, one of two variants, a page of a robot wall. Content seldom returns.
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

    def learn(self, before: Reading, after: Reading) -> None:
        """Learn from two fetches of one page, one after the other."""
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
        _forget(self.slots_)
        _forget(self.comings_)

    def heard(self, lines: Sequence[str], common: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """The lines without those that are noise; what is common to both readings never is."""
        kept, anchor = [], _mark("")
        for line in lines:
            mark = _mark(line)
            slot = self.slots_.get(anchor)
            noisy = (slot is not None and slot.noisy) or self.comings_.get(mark, 0) >= COMINGS
            if line in common or not noisy:
                kept.append(line)
            anchor = mark
        return tuple(kept)

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
        return json.dumps({"slots": slots, "comings": {str(k): v for k, v in self.comings_.items()}})

    @classmethod
    def loaded(cls, text: str) -> "Noise":
        """What `saved` gave."""
        found, noise = json.loads(text), cls()
        noise.slots_ = {int(key): Slot(*slot) for key, slot in found["slots"].items()}
        noise.comings_ = {int(key): count for key, count in found["comings"].items()}
        return noise


def _mark(line: str) -> int:
    return xxhash.xxh3_64_intdigest(line.encode("utf-8", "surrogatepass"))


def _followers(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    marks = [_mark(""), *map(_mark, lines)]
    return pairwise(marks)


def _forget(known: dict[int, int] | dict[int, Slot]) -> None:
    for key in list(known)[: max(len(known) - REMEMBERED, 0)]:
        del known[key]
