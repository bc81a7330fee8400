"""Which name servers, aliases and addresses belong to parking services, judged from the home pages there.

The home pages of one provider are clustered by shape. A tight group whose pages look parked is the mark of a
parking service. Tight groups of pages with hardly a word count with them, since many services let a script
write the page; alone they prove nothing. Other tight groups do not count: empty pages of a host, one brand
under many names, the layout of a site builder.

`survey` turns home pages into entries of the parking list, as wide as can be judged cleanly: the name servers
of a provider together first, then one by one, then the aliases and addresses of the names that a mixed
provider serves. What cannot be told apart stays undecided, and is crawled.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import xxhash

from fieldmouse.types import Verdict
from fieldmouse.urls import registrable_domain

from .homepage import THIN, HomePage
from .page_shapes import cluster
from .parking_list import PARKING, REGULAR, SHARED, ParkingEntry

FEW = 4  # pages that settle what an address is for, if they agree
SOME = 3  # parked pages that make it worth a finer look
BUSY = 0.05  # share of ordinary pages up to which a parking root needs no finer look


class Business(Enum):
    """What a name server, an alias or an address is for."""

    REGULAR = "regular"
    PARKING = "parking"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class ShapeGroup:
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
    groups: tuple[ShapeGroup, ...] = ()
    computed: int = 0  # alignments made for it
    compared: int = 0
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

    def inquire(self, pages: Iterable[HomePage]) -> Inquiry:
        """The share of pages that look parked, in tight groups or by themselves, with all the evidence."""
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
        counts = (found.computed, found.compared, len(found.centres))
        parked = loose + sum(one.pages for one in groups if one.kind == "parked")
        return Inquiry(business, verdict, len(chosen), busy / len(chosen), parked, tuple(groups), *counts)

    def _weigh(
        self, groups: Sequence[ShapeGroup], loose: int, busy: float, pages: int
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


def _group(pages: Sequence[HomePage], distances: list[float]) -> ShapeGroup:
    kind = _kind(pages)
    told = Counter(cue for page in pages for cue in page.cues) if kind == "parked" else Counter[str]()
    spread = distances[int(0.9 * (len(distances) - 1))]
    return ShapeGroup(
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


@dataclass(frozen=True, slots=True)
class Survey:
    """What was judged, by kind and value, and the entries that follow from it."""

    inquiries: dict[tuple[str, str], Inquiry]
    entries: tuple[ParkingEntry, ...]


def survey(pages: Iterable[HomePage], judge: ParkingJudge, now: float = 0.0) -> Survey:
    """Judge every name server, alias and address of these home pages; names without any are left out."""
    work = _Surveyor(list(pages), judge, now)
    for provider, some in work.by_provider.items():
        work.judge_provider(provider, some)
    return Survey(work.inquiries, tuple(work.entries.values()))


class _Surveyor:
    def __init__(self, pages: list[HomePage], judge: ParkingJudge, now: float) -> None:
        self.judge, self.now = judge, now
        self.by_provider = _grouped(pages, lambda page: providers(page.domain, page.name_servers))
        self.by_address = _grouped(pages, lambda page: page.addresses)
        self.by_alias = _grouped(pages, lambda page: page.aliases)
        self.inquiries: dict[tuple[str, str], Inquiry] = {}
        self.entries: dict[tuple[str, str], ParkingEntry] = {}

    def judge_provider(self, provider: str, pages: list[HomePage]) -> None:
        whole = self._inquire("ns", provider, pages)
        parking = whole.business is Business.PARKING
        # A mixed provider is listed as a whole only when nothing finer tells its names apart.
        if _clean(whole) or (_mixed(whole) and not self._finer(provider, pages) and parking):
            self._list("ns", provider, PARKING, whole)
            self._spare(provider, pages)

    def _spare(self, provider: str, pages: list[HomePage]) -> None:
        """A parking service has sites of its own, or lets customers point a name elsewhere: keep those."""
        for address, some in _grouped(pages, lambda page: page.addresses).items():
            if len(some) * 5 <= len(pages) and _ordinary(some):
                why = f"the {len(some)} home pages seen there are ordinary, though {provider} parks names"
                self.entries["address", address] = ParkingEntry(
                    kind="address", value=address, state=REGULAR, source="survey", why=why, checked=self.now
                )

    def _finer(self, provider: str, pages: list[HomePage]) -> bool:
        """Try the servers of a mixed provider one by one, then what its names point to."""

        def under(page: HomePage) -> list[str]:
            return [one for one in page.name_servers if registrable_domain(one) == provider]

        listed = False
        for server, some in _grouped(pages, under).items():
            found = self._inquire("ns", server, some) if server != provider else None
            if found is not None and _clean(found):
                self._list("ns", server, PARKING, found)
                listed = True
            elif found is None or _mixed(found):
                listed |= self._roots(some)
        if listed and ("ns", provider) not in self.entries:
            self._list("ns", provider, SHARED, self.inquiries["ns", provider])
        return listed

    def _roots(self, pages: list[HomePage]) -> bool:
        listed = False
        for kind, everywhere, names in (
            ("alias", self.by_alias, {one for page in pages for one in page.aliases}),
            ("address", self.by_address, {one for page in pages for one in page.addresses}),
        ):
            for value in sorted(names):
                # A root is judged by all names that lead there, whoever serves them.
                found = self._inquire(kind, value, everywhere[value])
                if _clean(found) or _unanimous(everywhere[value]):
                    self._list(kind, value, PARKING, found)
                    listed = True
        return listed

    def _inquire(self, kind: str, value: str, pages: list[HomePage]) -> Inquiry:
        key = (kind, value)
        if key not in self.inquiries:
            self.inquiries[key] = self.judge.inquire(pages)
        return self.inquiries[key]

    def _list(self, kind: str, value: str, state: str, found: Inquiry) -> None:
        self.entries[kind, value] = ParkingEntry(
            kind=kind,
            value=value,
            state=state,
            source="survey",
            score=found.verdict.score if found.parked else 1.0,
            why="; ".join(found.verdict.reasons[:2]) if found.parked else "all home pages seen look parked",
            checked=self.now,
        )


def _clean(found: Inquiry) -> bool:
    return found.business is Business.PARKING and found.busy <= BUSY


def _unanimous(pages: list[HomePage]) -> bool:
    """Few names lead here, but all look parked; a chance of nothing where most of a server's are not."""
    return len({page.domain for page in pages}) >= FEW and all(page.parked for page in pages)


def _mixed(found: Inquiry) -> bool:
    """Some of its names look parked, but not all: a few may share one address or alias."""
    return found.parked >= SOME or any(group.kind == "parked" for group in found.groups)


def _ordinary(pages: list[HomePage]) -> bool:
    """Whether none looks parked and most have something to say."""
    busy = sum(page.busy for page in pages)
    return 2 * busy >= len(pages) and not any(page.parked for page in pages)


def _grouped(
    pages: Iterable[HomePage], roots_of: Callable[[HomePage], Iterable[str]]
) -> dict[str, list[HomePage]]:
    found: dict[str, list[HomePage]] = defaultdict(list)
    for page in pages:
        for root in set(roots_of(page)):
            found[root].append(page)
    return found


def providers(domain: str, name_servers: Iterable[str]) -> Iterator[str]:
    """Who runs a name's servers; a name that serves itself tells nothing."""
    own = registrable_domain(domain)
    for server in name_servers:
        provider = registrable_domain(server)
        if provider != own and "." in provider:
            yield provider
