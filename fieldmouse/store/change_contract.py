"""What a store offers about changes: lists for people, how far they have looked, and the outbox.

Changes have numbers in the order in which they were committed. A reader, a webhook and the mail each go on
after the last number they had. Private pages are left out by `PageFilter`.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .page_records import PageFilter


class ChangeRow(NamedTuple):
    """A change that a visit found."""

    number: int  # in the order of commits
    page: int
    url: str
    title: str
    host: str
    time: float
    unchanged_at: float  # the visit before, when it was not there yet
    size: float
    kinds: str
    diff: str  # the differences as JSON
    note: str


class ChangeCursor(NamedTuple):
    """How far somebody has looked."""

    number: int
    time: float


class GonePage(NamedTuple):
    """A page that is gone, or a link that leads nowhere."""

    url: str
    host: str
    title: str
    status: int  # 0 without an answer
    error: str
    found_on: str
    visits: int  # in a row that found nothing
    stored: bool  # whether a copy is kept
    time: float  # of the last visit


class MovedPage(NamedTuple):
    """A page that leads elsewhere."""

    url: str
    host: str
    title: str
    status: int
    target: str
    kind: str  # http, header, meta, script, frame
    stored: bool
    time: float


class Delivery(NamedTuple):
    """Something to be sent."""

    id: str
    channel: str  # webhook, mail
    target: str
    body: str
    created: float
    attempts: int = 0
    error: str = ""


class PendingDeliveries(NamedTuple):
    """The outbox in numbers."""

    number: int
    oldest: float | None
    error: str  # of one that failed


class ChangeReader(Protocol):
    """Changes, dead links and moved pages."""

    def listed(self, where: PageFilter, *, since: float, after: int, n: int) -> list[ChangeRow]:
        """Changes found since a time and committed after a number, the newest first."""

    def last(self) -> int:
        """The number of the last change."""

    def cursor(self, name: str) -> ChangeCursor | None:
        """How far somebody has looked."""

    def gone(self, where: PageFilter, *, since: float, n: int) -> list[GonePage]:
        """Pages and links that lead nowhere, the newest first."""

    def moved(self, where: PageFilter, *, since: float, n: int) -> list[MovedPage]:
        """Pages that lead elsewhere, the newest first."""


class Outbox(Protocol):
    """What is to be sent. Each call is one transaction; it takes no lock, so it works during a crawl."""

    def close(self) -> None:
        """Close it."""

    def set_cursor(self, name: str, cursor: ChangeCursor) -> None:
        """Note how far somebody has looked."""

    def begin(self, name: str, now: float) -> ChangeCursor:
        """How far a target is; a new one begins with the next change."""

    def to_send(self, where: PageFilter, after: int, n: int) -> list[ChangeRow]:
        """Changes after a number, the oldest first, up to one that waits for a control fetch."""

    def put(self, name: str, old: ChangeCursor, new: ChangeCursor, found: Sequence[Delivery]) -> bool:
        """Add deliveries and move the cursor of their target; False if another process was faster."""

    def due(self, now: float, n: int) -> list[Delivery]:
        """Deliveries whose time has come."""

    def claim(self, one: Delivery, until: float) -> bool:
        """Keep others from sending it until a time; False if another process has claimed it."""

    def delivered(self, id_: str) -> None:
        """Its receiver has taken it."""

    def failed(self, id_: str, error: str, due: float) -> None:
        """Its receiver has not taken it; when to try again."""

    def pending(self) -> PendingDeliveries:
        """What is in it."""
