"""The list of parking services as people see and edit it: bundled, own and by hand."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from fieldmouse.crawl.admission import line_of, parking_list
from fieldmouse.errors import UsageError
from fieldmouse.spam.parking import BY_HAND, PARKING, REGULAR, ParkingEntry, ParkingList
from fieldmouse.store.contract import Domains

from .review_spam import no_longer_refused


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkingListLine:
    """One entry of the list, and how many hosts it refuses here."""

    kind: str  # ns, alias or address
    value: str
    state: str  # parking, shared or regular
    source: str  # bundled, own or by hand
    origin: str  # the list it came with, survey, or hand
    score: float
    why: str
    checked: float
    hosts: int  # refused


def lines(domains: Domains) -> list[ParkingListLine]:
    """The whole list."""
    stored, counts = {(one.kind, one.value) for one in domains.listed()}, domains.counts()
    found = []
    for one in parking_list(domains):
        key = (one.kind, one.value)
        source = "own" if one.source == "survey" or key in stored else "bundled"
        if one.source == BY_HAND:
            source = "by hand"
        more = {"source": source, "origin": one.source, "hosts": counts.get(key, 0)}
        found.append(ParkingListLine(**asdict(one) | more))
    return found


def add(
    domains: Domains, kind: str, value: str, *, state: str = PARKING, why: str = "", now: float = 0.0
) -> int:
    """Set an entry by hand; returns how many hosts are admitted because of it."""
    listed = parking_list(domains)
    entry = ParkingEntry(
        kind=kind, value=value, state=state, source=BY_HAND, why=why or "set by hand", checked=now
    )
    listed.add(entry)
    return _store(domains, listed, [(entry.kind, entry.value)])


def add_all(domains: Domains, text: str) -> int:
    """Add the entries of an exported list, except where one was set by hand; returns how many changed."""
    listed = parking_list(domains)
    before = {(one.kind, one.value): one for one in listed}
    listed.merge(ParkingList.load(text))
    changed = [(one.kind, one.value) for one in listed if before.get((one.kind, one.value)) != one]
    _store(domains, listed, changed)
    return len(changed)


def remove(domains: Domains, kind: str, value: str) -> int:
    """Never refuse hosts for this entry again; returns how many hosts are admitted because of it."""
    listed = parking_list(domains)
    if not listed.remove(kind, value):
        raise UsageError(
            f"{value} is not on the list with the kind {kind}, see `parked list`; to keep it from ever being "
            f"listed, use `parked add {value} --kind {kind} --state {REGULAR}`"
        )
    return _store(domains, listed, [(kind, value)])


def _store(domains: Domains, listed: ParkingList, keys: Iterable[tuple[str, str]]) -> int:
    """Store entries, and admit the hosts that the list no longer refuses; returns how many."""
    stored = [one for kind, value in keys if (one := listed.get(kind, value))]
    admitted = no_longer_refused(domains.turned_away(), {one.domain: one for one in domains.all()}, listed)
    domains.enter([line_of(one) for one in stored], admitted)
    return len(admitted)
