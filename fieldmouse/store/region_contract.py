"""Regions (micro-clouds) of a cluster: their state, the homes of hosts, and where workers are placed."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol


class RegionRecord(NamedTuple):
    """A region."""

    name: str
    state: str  # up, lost
    epoch: int
    seconds: float  # since it is in this state
    hosts: int  # whose home it is
    workers: int  # that live


class HomelessHost(NamedTuple):
    """A host in the queue that no region is the home of, and what speaks for each region."""

    id: int
    name: str
    domain: str
    siblings: dict[str, int]  # hosts of its registrable domain, by region
    links: dict[str, int]  # links from and to the hosts of each region


class HomeChoice(NamedTuple):
    """The region that becomes the home of a host."""

    host: int
    domain: str
    region: str
    reason: str


class HostHome(NamedTuple):
    """The home of a host."""

    region: str
    epoch: int
    reason: str


class RegionDecision(NamedTuple):
    """A host that moved, or (without a host) a region that was lost or came back."""

    time: float
    host: str
    before: str
    region: str
    reason: str


class LinkDivision(NamedTuple):
    """Links between hosts that have a home, and how many of them cross regions."""

    links: int
    crossing: int
    hashed: int  # would cross if a hash of the host's name were its home
    bytes_per_link: float  # mean length of a URL that one host says of another


# Seconds after which the workers of a placer that is silent are placed by another one.
PLACER_SECONDS = 15.0


class Placement(NamedTuple):
    """How many workers `cluster start` keeps in a region."""

    region: str
    workers: int
    placer: str  # the process that does so; empty: none
    silent: float | None  # seconds since it last did

    @property
    def active(self) -> bool:
        """Whether somebody places them now."""
        return self.silent is not None and self.silent < PLACER_SECONDS


Chooser = Callable[[Sequence[HomelessHost], dict[str, int]], list[HomeChoice]]


class RegionStore(Protocol):
    """Regions of an archive. Times are those of the engine: `now` counts where there is no server."""

    def join(self, region: str, now: float) -> bool:
        """Register a region; True if it was lost and gets its hosts back."""

    def find_lost(self, grace: float, now: float) -> list[str]:
        """Regions without a sign of life for `grace` seconds; from now on others visit their hosts."""

    def settle(self, n: int, choose: Chooser, now: float) -> int:
        """Give up to n hosts of the queue a home; `choose` gets them and the hosts of each region."""

    def home(self, host: str) -> HostHome | None:
        """The home of a host."""

    def move(self, host: int, before: str, region: str, reason: str, now: float) -> bool:
        """Move a host to another region; False if it is not at home in `before` any more."""

    def measured(self, host: str, region: str, seconds: float) -> None:
        """Store how long it took to connect to a host."""

    def unmeasured(self, region: str, n: int) -> list[str]:
        """Hosts to which the connect time was not measured from a region yet."""

    def move_nearer(self, n: int, now: float) -> int:
        """Move hosts that another region reaches in a clearly shorter time; returns how many."""

    def all(self, seconds: float, now: float) -> list[RegionRecord]:
        """Every region; a worker lives if it gave a sign of life within so many seconds."""

    def decisions(self, n: int) -> list[RegionDecision]:
        """The last decisions, newest first."""

    def division(self) -> LinkDivision:
        """How many links cross regions."""

    def placements(self, now: float) -> list[Placement]:
        """How many workers should run in each region."""

    def place(self, region: str, workers: int) -> None:
        """Set how many workers should run in a region."""

    def keep_placements(self, placer: str, now: float) -> bool:
        """Say that this process places workers; False if another one does."""

    def leave_placements(self, placer: str) -> None:
        """Say that this process places workers no more."""

    def close(self) -> None:
        """Close the connection."""
