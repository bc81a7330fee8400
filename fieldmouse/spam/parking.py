"""Is this name server's business parking? Judged from home pages of many names that it serves.

The pages are clustered by shape. A tight group whose pages look parked is the mark of a parking service.
Tight groups of pages with hardly a word join them, for many services let a script write the page; alone they
prove nothing. Other tight groups are false friends and count for nothing: empty pages of a host, one brand
under many names, the frame of a site builder.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import xxhash

from fieldmouse.types import Verdict

from .clustering import cluster
from .homepage import THIN, HomePage


class Business(Enum):
    """What a name server, an alias or an address is for."""

    REGULAR = "regular"
    PARKING = "parking"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Group:
    """A tight group of home pages."""

    kind: str  # parked, thin (hardly a word), empty, brand or plain
    pages: int
    spread: float  # 90th percentile of the distances to its centre
    example: str
    cues: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As a reason."""
        told = f": {self.cues[0]}" if self.cues else ""
        return f"{self.pages} {self.kind} pages of one shape, such as {self.example}{told}"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A judgement with all that it rests on."""

    business: Business
    verdict: Verdict
    pages: int
    busy: float = 0.0  # share of the pages that are nothing like parked: they say something of their own
    parked: int = 0  # pages that look parked, in tight groups or by themselves
    groups: tuple[Group, ...] = ()
    computed: int = 0  # alignments made for it
    asked: int = 0
    distinct: int = 0


# Where not even this share of the pages has something to say, nobody hosts sites: then it is enough that
# more than the share of a regular server look parked.
LONELY = 0.02
EVIDENCE = 0.15  # share of pages that must look parked before thin groups count with them


class ParkingJudge:
    """Judges samples of home pages; the settings are the arguments."""

    def __init__(
        self,
        *,
        radius: float = 0.2,
        group: int = 5,
        least: int = 10,
        sample: int = 300,
        parking: float = 0.7,
        regular: float = 0.4,
    ) -> None:
        """A sample is parking at a score of `parking` or more, regular at `regular` or less."""
        self.radius, self.group, self.least, self.sample = radius, group, least, sample
        self.parking, self.regular = parking, regular

    def judge(self, pages: Iterable[HomePage]) -> Verdict:
        """The share of the pages that look parked, in tight groups or by themselves, with the evidence."""
        return self.inquire(pages).verdict

    def inquire(self, pages: Iterable[HomePage]) -> Inquiry:
        """The same with all that it rests on."""
        chosen = self._chosen(pages)
        if len(chosen) < self.least:
            why = f"only {len(chosen)} home pages seen, of {self.least} needed"
            return Inquiry(Business.UNDECIDED, Verdict(0.0, (why,)), len(chosen))
        found = cluster([page.shape for page in chosen], radius=self.radius)
        groups, loose, busy = [], 0, 0
        for members in found.members():
            some = [chosen[place] for place in members]
            if len(some) >= self.group:
                groups.append(_group(some, sorted(found.distance[place] for place in members)))
            else:
                loose += sum(page.parked for page in some)
            if len(some) < self.group or groups[-1].kind != "parked":
                busy += sum(page.busy for page in some)
        groups.sort(key=lambda one: (one.kind != "parked", -one.pages))
        business, verdict = self._weigh(groups, loose, busy / len(chosen), len(chosen))
        counts = (found.computed, found.asked, len(found.centres))
        parked = loose + sum(one.pages for one in groups if one.kind == "parked")
        return Inquiry(business, verdict, len(chosen), busy / len(chosen), parked, tuple(groups), *counts)

    def _weigh(
        self, groups: Sequence[Group], loose: int, busy: float, pages: int
    ) -> tuple[Business, Verdict]:
        parked = loose + sum(one.pages for one in groups if one.kind == "parked")
        thin = sum(one.pages for one in groups if one.kind == "thin")
        reasons = [f"{parked} of {pages} home pages look parked"]
        score = parked / pages
        if score >= EVIDENCE and thin:
            score = (parked + thin) / pages
            reasons.append(f"{thin} more are of few shapes and say next to nothing")
        business = self.business(score)
        if business is Business.UNDECIDED and busy <= LONELY:
            business = Business.PARKING
            reasons.append("and hardly one of the others has anything of its own to say")
        if business is Business.REGULAR and (parked + thin) / pages >= self.parking:
            business = Business.UNDECIDED
            reasons.append(f"{thin} are of few shapes and say next to nothing, but little proves them parked")
        return business, Verdict(round(score, 4), (*reasons, *map(str, groups[:5])))

    def business(self, score: float) -> Business:
        """What a score means."""
        if score >= self.parking:
            return Business.PARKING
        return Business.REGULAR if score <= self.regular else Business.UNDECIDED

    def _chosen(self, pages: Iterable[HomePage]) -> list[HomePage]:
        """A sample with one page a registrable domain, the same for the same pages in any order."""
        by_domain = {page.domain: page for page in pages}
        order = sorted(by_domain, key=lambda one: (xxhash.xxh3_64_intdigest(one.encode()), one))
        return [by_domain[domain] for domain in order[: self.sample]]


def _group(pages: Sequence[HomePage], distances: list[float]) -> Group:
    kind = _kind(pages)
    told = Counter(cue for page in pages for cue in page.cues) if kind == "parked" else Counter[str]()
    spread = distances[int(0.9 * (len(distances) - 1))]
    return Group(
        kind, len(pages), round(spread, 4), pages[0].domain, tuple(cue for cue, _ in told.most_common(3))
    )


def _kind(pages: Sequence[HomePage]) -> str:
    """What a tight group is. Faint hints suffice where a whole group of wordless pages gives them."""
    thin = sorted(page.words for page in pages)[len(pages) // 2] <= THIN
    if one_brand([page.domain for page in pages]):
        return "brand"
    if _most(page.parked for page in pages):
        return "parked"
    if _most(page.empty for page in pages):
        return "empty"
    if thin and _most(page.hinted for page in pages):
        return "parked"
    return "thin" if thin else "plain"


def _most(signs: Iterable[bool]) -> bool:
    found = list(signs)
    return 2 * sum(found) >= len(found)


def one_brand(domains: Sequence[str]) -> bool:
    """Whether most of the names have a piece of five letters, or the whole label, in common."""
    pieces: Counter[str] = Counter()
    for domain in domains:
        label = domain.partition(".")[0].replace("-", "")
        pieces.update({label[i : i + 5] for i in range(max(1, len(label) - 4))})
    return bool(pieces) and pieces.most_common(1)[0][1] >= max(4, 0.8 * len(domains))
