"""The list of parking services: a crawl skips domains by their DNS records, before any request.

A domain is parked if all its name servers belong to parking services. A server that is shared with ordinary
sites (registrars, content networks) is not enough: then the aliases and addresses of the domain decide. A
small share of the domains that the list would skip is fetched anyway (`probe`) and corrects the list.
"""

import ipaddress
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from importlib import resources
from typing import Any, NamedTuple

import xxhash

from fieldmouse.errors import UsageError

FORMAT = 1
KINDS = ("ns", "alias", "address")
PARKING, SHARED, REGULAR = STATES = ("parking", "shared", "regular")
BY_HAND = "hand"


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
        return cls(_entries(text))

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
        if kind == "address":
            return self._find_network(name)
        rest = name.rstrip(".").lower()
        while rest:
            if (found := self._entries.get((kind, rest))) is not None:
                return found
            rest = rest.partition(".")[2]
        return None

    def correct(self, entry: ParkingEntry, state: str, score: float, why: str, now: float) -> ParkingEntry:
        """Change an entry by new evidence, unless it was set by hand; returns the current entry."""
        if entry.source == BY_HAND:
            return entry
        found = replace(entry, state=state, source="survey", score=score, why=why, checked=now)
        self.add(found)
        return found

    def _find_network(self, address: str) -> ParkingEntry | None:
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            return None
        for version, length in self._lengths:
            if version == ip.version:
                host_bits = ip.max_prefixlen - length
                found = self._networks.get((version, length, int(ip) >> host_bits << host_bits))
                if found is not None:
                    return found
        return None


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
        raise UsageError(f"{entry.value!r} is not a domain of a parking service")
    return replace(entry, value=value)


def _entries(text: str) -> Iterator[ParkingEntry]:
    """Entries of a dump; unknown fields are ignored, because a newer release may have more."""
    try:
        rows: list[dict[str, Any]] = json.loads(text)["entries"]
        known = {field.name for field in fields(ParkingEntry)}
        yield from (ParkingEntry(**{k: v for k, v in row.items() if k in known}) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"this is not a list of parking services: {error}") from None
