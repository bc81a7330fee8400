"""Parking services: the list of their name servers, aliases and addresses, and how new entries are found.

A crawl skips domains by their DNS records, before any request. A domain is parked if all its name servers
belong to parking services. A server that is shared with ordinary sites (registrars, content networks) is not
enough: then the aliases and addresses of the domain decide. A small share of the domains that the list would
skip is fetched anyway (`probe`) and corrects the list.

`survey` turns home pages into entries of the list. The home pages of one provider are clustered by shape. A
tight group of pages that look parked is the mark of a parking service. Tight groups of pages with almost no
text count with them, because many services create the page with a script; alone they prove nothing. Other
tight groups do not count: default pages of a host, one brand with many domains, the layout of a site builder.
Entries are as wide as the evidence allows: first all name servers of a provider together, then each server,
then the aliases and addresses of the domains of a mixed provider. What remains undecided is crawled.
"""

import ipaddress
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import Enum
from importlib import resources
from typing import NamedTuple

import xxhash

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict
from fieldmouse.urls import registrable_domain

from .homepage import THIN, HomePage
from .page_shapes import cluster

FORMAT = 1
KINDS = ("ns", "alias", "address")
PARKING, SHARED, REGULAR = STATES = ("parking", "shared", "regular")
BY_HAND = "hand"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkingEntry:
    """One line of the list."""

    kind: str  # ns, alias or address
    value: str  # a domain, which includes all subdomains, or a network
    state: str = PARKING  # parking; shared: counts only with a listed address; regular: never skipped
    source: str = BY_HAND  # hand, survey, or the name of a list
    score: float = 1.0  # of the judgement, from 0 to 1
    why: str = ""
    checked: float = 0.0  # seconds since the epoch


class ParkingMatch(NamedTuple):
    """Why a domain is parked."""

    entry: ParkingEntry
    reason: str


class ParkingList:
    """Entries by kind and value; the longest matching domain and the narrowest network win."""

    def __init__(self, entries: Iterable[ParkingEntry] = ()) -> None:
        """An empty list, or one of these entries."""
        self._entries: dict[tuple[str, str], ParkingEntry] = {}
        self._networks: dict[tuple[int, int, int], ParkingEntry] = {}  # version, prefix length, first address
        self._lengths: list[tuple[int, int]] = []
        for entry in entries:
            self.add(entry)

    @classmethod
    def starter(cls) -> "ParkingList":
        """The list that comes with Fieldmouse."""
        return cls.load(resources.files(__package__).joinpath("parking.json").read_text("utf-8"))

    @classmethod
    def load(cls, text: str) -> "ParkingList":
        """A list as `dump` wrote it; UsageError when it is something else."""
        try:
            rows = json.loads(text)["entries"]
            # A newer release may have more fields.
            known = {field.name for field in fields(ParkingEntry)}
            entries = [ParkingEntry(**{k: v for k, v in row.items() if k in known}) for row in rows]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"this is not a list of parking services: {error}") from None
        return cls(entries)

    def dump(self) -> str:
        """The whole list as text, one entry a line, always in the same order."""
        lines = ",\n".join(json.dumps(asdict(entry), ensure_ascii=False) for entry in self)
        return f'{{\n"format": {FORMAT},\n"entries": [\n{lines}\n]\n}}\n'

    def __iter__(self) -> Iterator[ParkingEntry]:
        """All entries, by kind and value."""
        return iter([self._entries[key] for key in sorted(self._entries)])

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self._entries)

    def add(self, entry: ParkingEntry) -> None:
        """Add an entry; replaces one of the same kind and value."""
        entry = _cleaned(entry)
        self._entries[entry.kind, entry.value] = entry
        if entry.kind == "address":
            network = ipaddress.ip_network(entry.value)
            self._networks[network.version, network.prefixlen, int(network.network_address)] = entry
            length = (network.version, network.prefixlen)
            if length not in self._lengths:
                self._lengths = sorted([*self._lengths, length], key=lambda one: -one[1])

    def remove(self, kind: str, value: str) -> bool:
        """Make an entry regular for good, whatever another list says. False if there is none."""
        known = self.get(kind, value)
        if known is None:
            return False
        self.add(replace(known, state=REGULAR, source=BY_HAND, why="removed by hand"))
        return True

    def get(self, kind: str, value: str) -> ParkingEntry | None:
        """The entry of exactly this value."""
        return self._entries.get((kind, _value(kind, value)))

    def merge(self, others: Iterable[ParkingEntry]) -> int:
        """Add entries of another list, except over entries set by hand; returns how many changed."""
        changed = 0
        for one in others:
            entry = _cleaned(one)
            known = self._entries.get((entry.kind, entry.value))
            if known is None or known.source != BY_HAND or entry.source == BY_HAND:
                self.add(entry)
                changed += known != entry
        return changed

    def match(
        self, name_servers: Iterable[str], addresses: Iterable[str] = (), aliases: Iterable[str] = ()
    ) -> ParkingMatch | None:
        """Why a domain with these DNS records is parked, or None. Takes any strings and never raises."""
        servers = [self.find("ns", one) for one in name_servers]
        networks = [self.find("address", one) for one in addresses]
        if any(one is not None and one.state == REGULAR for one in networks):
            return None
        if servers and all(one is not None and one.state == PARKING for one in servers):
            return _match(servers[0], "its name server belongs to a parking service")
        if any(one is not None and one.state == REGULAR for one in servers):
            return None
        for alias in aliases:
            found = self.find("alias", alias) or self.find("ns", alias)
            if found is not None and found.state == PARKING:
                return _match(found, "it is an alias of a parking service")
        # A shared address counts only together with a listed name server.
        states = (PARKING, SHARED) if any(servers) else (PARKING,)
        if networks and all(one is not None and one.state in states for one in networks):
            return _match(networks[0], "its address belongs to a parking service")
        return None

    def find(self, kind: str, name: str) -> ParkingEntry | None:
        """The entry that covers a domain or an address."""
        if kind != "address":
            rest = name.rstrip(".").lower()
            while rest and (kind, rest) not in self._entries:
                rest = rest.partition(".")[2]
            return self._entries.get((kind, rest))
        try:
            ip = ipaddress.ip_address(name)
        except ValueError:
            return None
        for version, length in self._lengths:
            if version == ip.version:
                host_bits = ip.max_prefixlen - length
                found = self._networks.get((version, length, int(ip) >> host_bits << host_bits))
                if found is not None:
                    return found
        return None

    def correct(self, entry: ParkingEntry, state: str, score: float, why: str, now: float) -> ParkingEntry:
        """Change an entry by new evidence, unless it was set by hand; returns the current entry."""
        if entry.source == BY_HAND:
            return entry
        found = replace(entry, state=state, source="survey", score=score, why=why, checked=now)
        self.add(found)
        return found


def probe(domain: str, epoch: int, share: float = 0.02) -> bool:
    """Whether a domain that would be skipped is fetched anyway; each epoch has another sample."""
    return xxhash.xxh3_64_intdigest(f"{epoch} {domain}".encode()) < share * 2**64


def _match(entry: ParkingEntry | None, what: str) -> ParkingMatch | None:
    return ParkingMatch(entry, f"{what} ({entry.kind} {entry.value}, {entry.source})") if entry else None


def _value(kind: str, value: str) -> str:
    if kind == "address":
        try:
            return str(ipaddress.ip_network(value.strip(), strict=False))
        except ValueError:
            raise UsageError(f"{value!r} is not an address or a network such as 192.0.2.0/24") from None
    return value.strip().strip(".").lower().removeprefix("*.")


def _cleaned(entry: ParkingEntry) -> ParkingEntry:
    if entry.kind not in KINDS:
        raise UsageError(f"{entry.kind!r} is not a kind of entry; use one of {', '.join(KINDS)}")
    if entry.state not in STATES:
        raise UsageError(f"{entry.state!r} is not a state of an entry; use one of {', '.join(STATES)}")
    value = _value(entry.kind, entry.value)
    if entry.kind != "address" and "." not in value:
        raise UsageError(f"{entry.value!r} is not a domain such as parking.example")
    return replace(entry, value=value)


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
    sample = list(map(by_domain.__getitem__, order[:limit]))
    total = len(sample)
    if total < MIN_PAGES:
        why = f"only {total} home pages seen, of {MIN_PAGES} needed"
        return SampleVerdict(Business.UNDECIDED, Verdict(0.0, (why,)))
    groups: list[tuple[str, list[HomePage]]] = []
    sizes = Counter[str]()  # pages by the kind of their group
    parked = busy = 0
    for members in cluster([page.shape for page in sample], radius=RADIUS).members():
        some = [sample[place] for place in members]
        kind = _kind(some) if len(some) >= GROUP else ""
        sizes[kind] += len(some)
        if kind != "parked":
            busy += sum(page.busy for page in some)
        if kind:
            groups.append((kind, some))
        else:
            parked += sum(page.parked for page in some)
    parked, thin = parked + sizes["parked"], sizes["thin"]
    reasons = [f"{parked} of {total} home pages look parked"]
    score = parked / total
    if score >= EVIDENCE and thin:
        score = (parked + thin) / total
        reasons.append(f"{thin} more share a few shapes and have almost no text")
    business = Business.UNDECIDED
    if score >= PARKING_SCORE:
        business = Business.PARKING
    elif score > REGULAR_SCORE and busy / total <= LONELY:
        business = Business.PARKING
        reasons.append("almost none of the others has content of its own")
    elif score <= REGULAR_SCORE and (parked + thin) / total < PARKING_SCORE:
        business = Business.REGULAR
    elif score <= REGULAR_SCORE:
        reasons.append(f"{thin} share a few shapes and have almost no text, but too few look parked")
    groups.sort(key=lambda one: (one[0] != "parked", -len(one[1])))
    for kind, some in groups[:5]:
        cues = Counter(cue for page in some for cue in page.cues if kind == "parked").most_common(1)
        common = f": {cues[0][0]}" if cues else ""
        reasons.append(f"{len(some)} {kind} pages of one shape, such as {some[0].domain}{common}")
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
    work = _Surveyor(list(pages), now)
    for provider, own in work.by_provider.items():
        whole = work.judge("ns", provider, own)
        parking = whole.business is Business.PARKING
        # A mixed provider is listed as a whole only if none of its parts can be listed.
        if not whole.clean and (whole.parked < MIXED or work.list_parts(provider, own) or not parking):
            continue
        work.add("ns", provider, PARKING, whole)
        # The addresses of a parking service's own sites, and of customers' sites, are regular.
        for address, some in _grouped(own, lambda page: page.addresses).items():
            rare = len(some) * 5 <= len(own)
            if rare and 2 * sum(page.busy for page in some) >= len(some) and not any(p.parked for p in some):
                why = f"its {len(some)} home pages are ordinary, although {provider} is a parking service"
                work.entries["address", address] = ParkingEntry(
                    kind="address", value=address, state=REGULAR, source="survey", why=why, checked=now
                )
    return Survey(len(work.verdicts), tuple(work.entries.values()))


class _Surveyor:
    def __init__(self, pages: list[HomePage], now: float) -> None:
        self.now = now
        self.by_provider = _grouped(pages, lambda page: providers(page.domain, page.name_servers))
        self.by_address = _grouped(pages, lambda page: page.addresses)
        self.by_alias = _grouped(pages, lambda page: page.aliases)
        self.verdicts: dict[tuple[str, str], SampleVerdict] = {}
        self.entries: dict[tuple[str, str], ParkingEntry] = {}

    def list_parts(self, provider: str, pages: list[HomePage]) -> bool:
        """Judge each server of a mixed provider, then the targets of its domains; whether any is parking."""

        def servers(page: HomePage) -> list[str]:
            return [one for one in page.name_servers if registrable_domain(one) == provider]

        listed = False
        for server, some in _grouped(pages, servers).items():
            found = self.judge("ns", server, some) if server != provider else None
            if found is not None and found.clean:
                self.add("ns", server, PARKING, found)
                listed = True
            elif found is None or found.parked >= MIXED:
                listed |= self._list_targets(some)
        if listed and ("ns", provider) not in self.entries:
            self.add("ns", provider, SHARED, self.verdicts["ns", provider])
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
                found = self.judge(kind, value, some)
                enough = len({page.domain for page in some}) >= FEW
                if found.clean or (enough and all(page.parked for page in some)):
                    self.add(kind, value, PARKING, found)
                    listed = True
        return listed

    def judge(self, kind: str, value: str, pages: list[HomePage]) -> SampleVerdict:
        key = (kind, value)
        if key not in self.verdicts:
            self.verdicts[key] = judge_sample(pages)
        return self.verdicts[key]

    def add(self, kind: str, value: str, state: str, found: SampleVerdict) -> None:
        self.entries[kind, value] = ParkingEntry(
            kind=kind,
            value=value,
            state=state,
            source="survey",
            score=found.verdict.score if found.parked else 1.0,
            why="; ".join(found.verdict.reasons[:2]) if found.parked else "all home pages seen look parked",
            checked=self.now,
        )


def providers(domain: str, name_servers: Iterable[str]) -> Iterator[str]:
    """The operators of a domain's name servers, except the domain itself."""
    own = registrable_domain(domain)
    for server in name_servers:
        provider = registrable_domain(server)
        if provider != own and "." in provider:
            yield provider


def _grouped(
    pages: Iterable[HomePage], values_of: Callable[[HomePage], Iterable[str]]
) -> dict[str, list[HomePage]]:
    found: dict[str, list[HomePage]] = defaultdict(list)
    for page in pages:
        for value in set(values_of(page)):
            found[value].append(page)
    return found
