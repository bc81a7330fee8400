"""What is known about the noise of a host, and what the user decided about it."""

import re
from dataclasses import dataclass

from fieldmouse.errors import UsageError
from fieldmouse.refresh.change import RULES
from fieldmouse.refresh.noise import HostNoise, overrides
from fieldmouse.refresh.page_units import hash32
from fieldmouse.refresh.place_record import WHOLE, PlaceRecord
from fieldmouse.store.contract import StoreReader


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyPlace:
    """A place of a host that differed."""

    id: str  # eight hexadecimal digits
    place: str  # its path and label
    kind: str  # text or number
    visits: int
    share: float  # of the visits at which it differed
    pages: int  # on which it differed, as far as they are counted
    noisy_pages: int  # by control fetches
    calm_pages: int
    state: str  # muted, counted, or learned: by the evidence


@dataclass(frozen=True, slots=True)
class NoiseReport:
    """The noise of a host."""

    host: str
    rules: dict[str, str]  # of each rule whether it is on or off
    places: tuple[NoisyPlace, ...]  # those that differ most often first


def noise_report(reader: StoreReader, host: str) -> NoiseReport:
    """What is known about the noise of a host."""
    if reader.host(host) is None:
        raise UsageError(f"there is no host {host} in the archive; `hosts list` has the names")
    data, rows = reader.host_noise(host)
    decided = overrides(rows)
    noise = HostNoise.loaded(data, decided)

    def state(place: int) -> str:
        return "muted" if place in decided.muted else "counted" if place in decided.counted else "learned"

    def noisy(place: int, record: PlaceRecord) -> NoisyPlace:
        return NoisyPlace(
            id=f"{place:08x}", place=record.name, kind="number" if record.of else "text",
            visits=record.visits, share=round(record.share / WHOLE, 3), pages=len(record.differing),
            noisy_pages=len(record.noisy), calm_pages=len(record.calm), state=state(place),
        )  # fmt: skip

    known = {**{place: PlaceRecord() for place in decided.muted | decided.counted}, **noise.places}
    places = [noisy(place, record) for place, record in known.items()]
    return NoiseReport(
        host,
        {rule: "off" if rule in decided.off else "on" for rule in RULES},
        tuple(sorted(places, key=lambda one: (-one.share, -one.visits, one.id))),
    )


def place_keys(reader: StoreReader, host: str, place: str) -> list[str]:
    """What a place stands for among the decisions of a user."""
    report = noise_report(reader, host)
    if place in RULES:
        raise UsageError(f"{place} is a rule, not a place; `noise rules {host} {place} off` switches it off")
    found = [one.id for one in report.places if place in (one.id, one.place)]
    if found:
        return [str(int(one, 16)) for one in found]
    if ">" in place:  # a place that never differed
        return [str(hash32(place, ""))]
    if re.fullmatch(r"[0-9a-f]{8}", place):  # one that an older change named
        return [str(int(place, 16))]
    raise UsageError(f"{place!r} is not a place of {host}; `noise list {host}` shows them")
