"""How often what stands at a place differs: one estimate from the page, its spot and its place on all pages.

Few visits say little, so the share of visits that differed is the mean of its distribution: visits that
found the place still are added to those seen. The share on all pages of the host is what is expected of a
page before its own visits are seen, which then weigh more: a page that stood still does not move by itself
because all pages changed at one time.
"""

from collections.abc import Iterator

from .difference import Event
from .noise import BITS, SPOT_MEAN, HostNoise, PageNoise
from .page_units import hash32
from .place_record import SEVERAL, WHOLE, PlaceRecord

# Visits that find a place still, which are added to those of each place.
PRIOR = 4


def differing_share(event: Event, page: PageNoise, host: HostNoise, *, still: bool) -> float:
    """The share of visits at which this differs on a page.

    `still` says that its spot stands still, whatever the rest of its place does.
    """
    pooled = max(_pooled(event, host, still=still), default=0.0)
    visits = min(page.visits, BITS)
    # The neighbours that find a spot again may move too: its place then says what it may have been at most.
    here, place = page.differed(event)
    if event.numeric and event.listed:  # numbers of a list have one address
        here, place = 0, max(here, place)
    differed = max(here, min(place, visits * pooled))
    return (differed + PRIOR * pooled) / (visits + PRIOR)


def unit_share(record: PlaceRecord) -> float:
    """The share of visits at which a unit of a place differed."""
    return _mean(record.visits, record.share * record.turn / WHOLE)


def _pooled(event: Event, host: HostNoise, *, still: bool) -> Iterator[float]:
    """At which share of the visits to several pages what may be the same unit differed."""
    if event.exchange:  # what is added to a list has no spot of its own
        spot = host.spot(event)
        if len(spot.pages) >= SEVERAL:
            yield _mean(spot.visits, spot.share)
    places = {event.place}
    if not event.numeric:
        places = set() if still or event.edit else {event.unit.place, hash32(event.unit.path, "")}
    for place in places:
        record = host.places.get(place)
        if record is not None and len(record.differing) >= SEVERAL:
            yield unit_share(record)


def _mean(visits: int, share: float) -> float:
    """A share of visits, in parts of `WHOLE`, as the mean of its distribution."""
    number = min(visits, SPOT_MEAN)
    return share / WHOLE * number / (number + PRIOR)
