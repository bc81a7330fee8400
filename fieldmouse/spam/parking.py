"""Which name servers, aliases and addresses belong to parking services, judged from the home pages there.

The home pages of one provider are clustered by shape. A tight group of pages that look parked is the mark of
a parking service. Tight groups of pages with almost no text count with them, because many services create the
page with a script; alone they prove nothing. Other tight groups do not count: default pages of a host, one
brand with many domains, the layout of a site builder.

`survey` turns home pages into entries of the parking list, as wide as the evidence allows: first all name
servers of a provider together, then each server, then the aliases and addresses of the domains of a mixed
provider. What remains undecided is crawled.
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

RADIUS = 0.2  # of a tight group
GROUP = 5  # pages of the smallest group
MIN_PAGES = 10  # pages from which a sample is judged
MAX_PAGES = 300  # pages of the largest sample
PARKING_SCORE = 0.7  # share of parked pages from which a sample is parking
REGULAR_SCORE = 0.4  # ... up to which it is regular
EVIDENCE = 0.15  # share of pages that must look parked before thin groups count with them
# Up to this share of pages with content of their own, a sample that is not regular is parking.
LONELY = 0.02
BUSY = 0.05  # share of ordinary pages up to which a parking provider is not judged in parts
MIXED = 3  # parked pages from which a provider is judged in parts
FEW = 4  # pages that are enough to judge an address or alias if all look parked


class Business(Enum):
    """The use of a name server, an alias or an address."""

    REGULAR = "regular"
    PARKING = "parking"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class SampleVerdict:
    """The judgement of a sample of home pages."""

    business: Business
    verdict: Verdict
    busy: float = 0.0  # share of the pages with content of their own, outside parked groups
    parked: int = 0  # pages that look parked, in tight groups or by themselves

    @property
    def clean(self) -> bool:
        """Whether it is parking with very few ordinary pages."""
        return self.business is Business.PARKING and self.busy <= BUSY


def judge_sample(pages: Iterable[HomePage], *, limit: int = MAX_PAGES) -> SampleVerdict:
    """Judge the home pages of one name server, alias or address by the share that looks parked.

    The sample has one page of each registrable domain, and does not depend on the order of the pages.
    """
    by_domain = {page.domain: page for page in pages}
    order = sorted(by_domain, key=lambda one: (xxhash.xxh3_64_intdigest(one.encode()), one))
    sample = [by_domain[domain] for domain in order[:limit]]
    total = len(sample)
    if total < MIN_PAGES:
        why = f"only {total} home pages seen, of {MIN_PAGES} needed"
        return SampleVerdict(Business.UNDECIDED, Verdict(0.0, (why,)))
    groups: list[tuple[str, list[HomePage]]] = []
    parked = thin = busy = 0
    for members in cluster([page.shape for page in sample], radius=RADIUS).members():
        some = [sample[place] for place in members]
        kind = _kind(some) if len(some) >= GROUP else ""
        if kind:
            groups.append((kind, some))
        if kind == "parked":
            parked += len(some)
            continue
        busy += sum(page.busy for page in some)
        if kind == "thin":
            thin += len(some)
        elif not kind:
            parked += sum(page.parked for page in some)
    reasons = [f"{parked} of {total} home pages look parked"]
    score = parked / total
    if score >= EVIDENCE and thin:
        score = (parked + thin) / total
        reasons.append(f"{thin} more share a few shapes and have almost no text")
    business = Business.UNDECIDED
    if score >= PARKING_SCORE:
        business = Business.PARKING
    elif score <= REGULAR_SCORE:
        business = Business.REGULAR
    if business is Business.UNDECIDED and busy / total <= LONELY:
        business = Business.PARKING
        reasons.append("almost none of the others has content of its own")
    if business is Business.REGULAR and (parked + thin) / total >= PARKING_SCORE:
        business = Business.UNDECIDED
        reasons.append(f"{thin} share a few shapes and have almost no text, but too few look parked")
    groups.sort(key=lambda one: (one[0] != "parked", -len(one[1])))
    reasons += [_reason(*one) for one in groups[:5]]
    return SampleVerdict(business, Verdict(round(score, 4), tuple(reasons)), busy / total, parked)


def _kind(pages: Sequence[HomePage]) -> str:
    """The kind of a tight group: brand, parked, empty, thin (almost no text) or plain.

    A group of thin pages is parked if half of them have any cue.
    """
    half = len(pages) / 2
    thin = sorted(page.words for page in pages)[len(pages) // 2] <= THIN
    if one_brand([page.domain for page in pages]):
        return "brand"
    if sum(page.parked for page in pages) >= half:
        return "parked"
    if sum(page.empty for page in pages) >= half:
        return "empty"
    if thin and sum(page.hinted for page in pages) >= half:
        return "parked"
    return "thin" if thin else "plain"


def _reason(kind: str, pages: Sequence[HomePage]) -> str:
    cues = Counter(cue for page in pages for cue in page.cues) if kind == "parked" else Counter[str]()
    common = "".join(f": {cue}" for cue, _ in cues.most_common(1))
    return f"{len(pages)} {kind} pages of one shape, such as {pages[0].domain}{common}"


def one_brand(domains: Sequence[str]) -> bool:
    """Whether most of the domains have five letters in a row, or the whole label, in common."""
    pieces: Counter[str] = Counter()
    for domain in domains:
        label = domain.partition(".")[0].replace("-", "")
        pieces.update({label[i : i + 5] for i in range(max(1, len(label) - 4))})
    return bool(pieces) and pieces.most_common(1)[0][1] >= max(4, 0.8 * len(domains))


@dataclass(frozen=True, slots=True)
class Survey:
    """The new entries of the parking list."""

    judged: int  # name servers, aliases and addresses
    entries: tuple[ParkingEntry, ...]


def survey(pages: Iterable[HomePage], now: float = 0.0) -> Survey:
    """Judge every name server, alias and address of these home pages; domains without any are left out."""
    return _Surveyor(list(pages), now).survey()


class _Surveyor:
    def __init__(self, pages: list[HomePage], now: float) -> None:
        self.now = now
        self.by_provider = _grouped(pages, lambda page: providers(page.domain, page.name_servers))
        self.by_address = _grouped(pages, lambda page: page.addresses)
        self.by_alias = _grouped(pages, lambda page: page.aliases)
        self.verdicts: dict[tuple[str, str], SampleVerdict] = {}
        self.entries: dict[tuple[str, str], ParkingEntry] = {}

    def survey(self) -> Survey:
        for provider, pages in self.by_provider.items():
            whole = self._judge("ns", provider, pages)
            parking = whole.business is Business.PARKING
            # A mixed provider is listed as a whole only if none of its parts can be listed.
            if whole.clean or (whole.parked >= MIXED and not self._list_parts(provider, pages) and parking):
                self._list("ns", provider, PARKING, whole)
                self._list_ordinary(provider, pages)
        return Survey(len(self.verdicts), tuple(self.entries.values()))

    def _list_ordinary(self, provider: str, pages: list[HomePage]) -> None:
        """List as regular the addresses of a parking service's own sites, and of customers' sites."""
        for address, some in _grouped(pages, lambda page: page.addresses).items():
            rare = len(some) * 5 <= len(pages)
            if rare and 2 * sum(page.busy for page in some) >= len(some) and not any(p.parked for p in some):
                why = f"its {len(some)} home pages are ordinary, although {provider} is a parking service"
                self.entries["address", address] = ParkingEntry(
                    kind="address", value=address, state=REGULAR, source="survey", why=why, checked=self.now
                )

    def _list_parts(self, provider: str, pages: list[HomePage]) -> bool:
        """Judge each server of a mixed provider, then the targets of its domains; whether any is parking."""

        def servers(page: HomePage) -> list[str]:
            return [one for one in page.name_servers if registrable_domain(one) == provider]

        listed = False
        for server, some in _grouped(pages, servers).items():
            found = self._judge("ns", server, some) if server != provider else None
            if found is not None and found.clean:
                self._list("ns", server, PARKING, found)
                listed = True
            elif found is None or found.parked >= MIXED:
                listed |= self._list_targets(some)
        if listed and ("ns", provider) not in self.entries:
            self._list("ns", provider, SHARED, self.verdicts["ns", provider])
        return listed

    def _list_targets(self, pages: list[HomePage]) -> bool:
        """Judge the aliases and addresses of some domains, by all domains that lead there."""
        listed = False
        for kind, by_value, values in (
            ("alias", self.by_alias, {one for page in pages for one in page.aliases}),
            ("address", self.by_address, {one for page in pages for one in page.addresses}),
        ):
            for value in sorted(values):
                some = by_value[value]
                found = self._judge(kind, value, some)
                enough = len({page.domain for page in some}) >= FEW
                if found.clean or (enough and all(page.parked for page in some)):
                    self._list(kind, value, PARKING, found)
                    listed = True
        return listed

    def _judge(self, kind: str, value: str, pages: list[HomePage]) -> SampleVerdict:
        key = (kind, value)
        if key not in self.verdicts:
            self.verdicts[key] = judge_sample(pages)
        return self.verdicts[key]

    def _list(self, kind: str, value: str, state: str, found: SampleVerdict) -> None:
        self.entries[kind, value] = ParkingEntry(
            kind=kind,
            value=value,
            state=state,
            source="survey",
            score=found.verdict.score if found.parked else 1.0,
            why="; ".join(found.verdict.reasons[:2]) if found.parked else "all home pages seen look parked",
            checked=self.now,
        )


def _grouped(
    pages: Iterable[HomePage], values_of: Callable[[HomePage], Iterable[str]]
) -> dict[str, list[HomePage]]:
    found: dict[str, list[HomePage]] = defaultdict(list)
    for page in pages:
        for value in set(values_of(page)):
            found[value].append(page)
    return found


def providers(domain: str, name_servers: Iterable[str]) -> Iterator[str]:
    """The operators of a domain's name servers, except the domain itself."""
    own = registrable_domain(domain)
    for server in name_servers:
        provider = registrable_domain(server)
        if provider != own and "." in provider:
            yield provider
