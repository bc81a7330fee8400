"""Fetches of made-up sites, and the truth about them."""

from typing import NamedTuple

from .content import Fact, TrueChange

MINUTE = 60.0


class Fetch(NamedTuple):
    """One answer of a site and the truth about it."""

    url: str
    time: float
    html: bytes
    facts: tuple[Fact, ...]
    main: str  # the words of the page, in their order
    frame: str  # all other words
    reading: bool = False  # prose outweighs the facts


class Visit(NamedTuple):
    """A visit; the control fetch minutes later differs in noise only."""

    page: int
    number: int  # 0 is the first visit
    fetch: Fetch
    control: Fetch
    change: TrueChange | None  # since the visit before
    redesigned: bool  # whether the template of the site changed since the visit before
