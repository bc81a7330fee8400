"""The list of parking services as people see and change it: what comes with the program, own, and by hand."""

from dataclasses import dataclass

from fieldmouse.crawl.admission import line_of, parking_list
from fieldmouse.errors import UsageError
from fieldmouse.spam.parking_list import BY_HAND, PARKING, REGULAR, ParkingEntry, ParkingList
from fieldmouse.store.contract import Domains

from .parking_review import blameless

BUNDLED, OWN, HAND = "bundled", "own", "by hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the list, with what it did here."""

    kind: str  # ns, alias or address
    value: str
    state: str  # parking, shared or regular
    source: str  # bundled, own or by hand
    origin: str  # the list it came with, survey, or hand
    score: float
    why: str
    checked: float
    hosts: int  # turned away on its word


def lines(roots: Domains) -> list[Line]:
    """The whole list."""
    own, counts = {(one.kind, one.value) for one in roots.listed()}, roots.counts()
    return [
        _line(one, stored=(one.kind, one.value) in own, hosts=counts.get((one.kind, one.value), 0))
        for one in parking_list(roots)
    ]


def _line(one: ParkingEntry, *, stored: bool, hosts: int) -> Line:
    source = HAND if one.source == BY_HAND else OWN if one.source == "survey" or stored else BUNDLED
    return Line(
        kind=one.kind,
        value=one.value,
        state=one.state,
        source=source,
        origin=one.source,
        score=one.score,
        why=one.why,
        checked=one.checked,
        hosts=hosts,
    )


def exported(roots: Domains) -> str:
    """The whole list as text that `add --file` reads."""
    return parking_list(roots).dump()


def add(roots: Domains, entry: ParkingEntry) -> int:
    """Take an entry that somebody set; how many hosts are let in because of it."""
    listed = parking_list(roots)
    listed.add(entry)
    return _store(roots, listed, [entry])


def add_all(roots: Domains, text: str) -> int:
    """Take the entries of an exported list, but none against what was set by hand; how many."""
    listed, others = parking_list(roots), ParkingList.load(text)
    before = {(one.kind, one.value): one for one in listed}
    listed.merge(others)
    fresh = [one for one in listed if before.get((one.kind, one.value)) != one]
    _store(roots, listed, fresh)
    return len(fresh)


def remove(roots: Domains, kind: str, value: str) -> int:
    """Never skip for this again; how many hosts are let in because of it."""
    listed = parking_list(roots)
    if not listed.remove(kind, value):
        raise UsageError(
            f"{value!r} is not on the list as {kind}; `parked list` shows what is, and "
            f"`parked add {value} --kind {kind} --state {REGULAR}` keeps it from ever being listed"
        )
    entry = listed.get(kind, value)
    assert entry is not None
    return _store(roots, listed, [entry])


def _store(roots: Domains, listed: ParkingList, entries: list[ParkingEntry]) -> int:
    stored = [one for entry in entries if (one := listed.get(entry.kind, entry.value))]
    free = blameless(roots.turned_away(), {one.domain: one for one in roots.all()}, listed)
    roots.enter([line_of(one) for one in stored], free)
    return len(free)


def by_hand(kind: str, value: str, *, state: str = PARKING, why: str = "", now: float = 0.0) -> ParkingEntry:
    """An entry that somebody set."""
    return ParkingEntry(
        kind=kind, value=value, state=state, source=BY_HAND, why=why or "set by hand", checked=now
    )
