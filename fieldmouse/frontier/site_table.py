"""The pages of one host while it is being downloaded: the intra-links table of Genovese & Geraci 2018.

A host is downloaded all at once, so what is known of its addresses is needed only meanwhile. The table
is made when the host is opened and thrown away when it is closed; nothing is kept per URL for hosts that
are not open.
"""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import replace

from fieldmouse.settings import FrontierSettings
from fieldmouse.types import Ticket

TAKEN = ""
KNOWN = "known"
BETTER = "better"  # it was waiting already, and now waits with a better place: see `SiteTable.look`

# Addresses looked at again before one is taken; the next of them goes as it stands.
MOST_LOOKS = 20

# Addresses of one host that wait where they are chosen by their worth.
MOST_WAITING = 100_000

Worth = Callable[[Ticket], float | None]

Place = tuple[int, float, int, int]  # urgency, minus score, depth, order of discovery; smallest first


class SiteTable:
    """Which pages of a host are known, which wait and which are under way.

    Invariants: a URL is handed out at most once between two `put_back`s; a URL that waits or is under
    way is known; `fetched + under_way` never exceeds the pages allowed for the host or for this turn.
    Known URLs are remembered by their 64-bit hash: the table lives in one process, and among a million
    addresses two share a hash in one of some ten million hosts.
    """

    def __init__(self, host: str, limits: FrontierSettings, worth: Worth | None = None) -> None:
        self.host = host
        self.limits = limits
        self.worth = worth  # what an address is worth now, if somebody knows better than its ticket
        self.fetched = 0  # pages, over all turns
        self._turn = 0  # pages since opening
        self._known: set[int] = set()
        self._waiting: dict[str, tuple[Place, Ticket]] = {}  # the score is the place's, not the ticket's
        self._heap: list[tuple[Place, str]] = []  # may hold places that were given up for better ones
        self._under_way: set[str] = set()
        self._tries: dict[str, int] = {}
        self._order = 0

    @property
    def waiting(self) -> int:
        """Addresses that wait to be taken."""
        return len(self._waiting)

    @property
    def under_way(self) -> int:
        """Addresses taken and not yet done or put back."""
        return len(self._under_way)

    @property
    def ready(self) -> bool:
        """Whether `take` would give a ticket now."""
        return bool(self._waiting) and self._room() > 0

    @property
    def finished(self) -> bool:
        """Nothing is under way, and nothing waits or the host has given all the pages it may."""
        exhausted = not self._waiting or self.fetched >= self.limits.pages_per_host
        return exhausted and not self._under_way

    @property
    def turn_over(self) -> bool:
        """Nothing is under way, and the pages of one turn have been fetched since opening."""
        turn = self.limits.pages_per_turn
        return 0 < turn <= self._turn and not self._under_way

    def unknown(self, urls: Iterable[str]) -> list[str]:
        """Those never offered before, each once, in their order: the quick filter for the links of a page."""
        known = self._known
        fresh = [url for url in urls if hash(url) not in known]
        return list(dict.fromkeys(fresh)) if len(fresh) > 1 else fresh

    def opened(self, urls: Iterable[str]) -> list[str]:
        """Those never offered before, and those that still wait."""
        known, waiting = self._known, self._waiting
        return [url for url in urls if url in waiting or hash(url) not in known]

    def betters(self, url: str, score: float, depth: int) -> bool:
        """Whether an offer might change something: the address is new, or waits with less than this."""
        found = self._waiting.get(url)
        if found is None:
            return hash(url) not in self._known
        (_, minus, _, _), ticket = found
        return score > -minus or depth < ticket.depth

    def offer(self, ticket: Ticket, *, front: bool = False) -> str:
        """Add an address: "" when taken, else why not ("known", "better", "depth: ...", "limit: ...").

        `front` puts it before all others: where a redirect leads is the page that was asked for. An
        address refused for its depth or for the limit stays unknown, as it may be found again nearer.
        """
        key = hash(ticket.url)
        if key in self._known:
            return self._improve(ticket, front)
        if ticket.depth > self.limits.depth:
            return f"depth: {ticket.depth} is deeper than {self.limits.depth}"
        if self._full():
            return f"limit: {self.limits.pages_per_host} pages of one host"
        self._known.add(key)
        self._enqueue(ticket, front)
        return TAKEN

    def _full(self) -> bool:
        """Whether enough waits; where the best are chosen, far more may wait than will be fetched."""
        asked, most = self.fetched + len(self._under_way), self.limits.pages_per_host
        if self.worth is not None:
            return asked >= most or len(self._waiting) >= max(most, MOST_WAITING)
        return asked + len(self._waiting) >= most

    def look(self, url: str) -> Ticket | None:
        """The ticket of an address that waits, as it stands after all offers."""
        found = self._waiting.get(url)
        return _scored(*found) if found else None

    def tickets(self) -> list[Ticket]:
        """All that waits, best first."""
        return [_scored(*one) for one in sorted(self._waiting.values(), key=lambda one: one[0])]

    def take(self) -> Ticket | None:
        """The best address that waits (score, then depth, then age); from now on it is under way.

        Where scores change while addresses wait, one that has sunk below the next goes back to its place.
        """
        if self._room() <= 0:
            return None
        looks = MOST_LOOKS if self.worth is not None else 0
        while self._heap:
            place, url = heapq.heappop(self._heap)
            found = self._waiting.get(url)
            if found is not None and found[0] == place:
                if looks and self._sank(place, found[1]):
                    looks -= 1
                    continue
                del self._waiting[url]
                self._under_way.add(url)
                return _scored(*found)
        return None

    @property
    def best(self) -> float:
        """The score of the address that `take` would look at first; 0 when none waits."""
        while self._heap:
            place, url = self._heap[0]
            found = self._waiting.get(url)
            if found is not None and found[0] == place:
                return -place[1]
            heapq.heappop(self._heap)
        return 0.0

    def _sank(self, place: Place, ticket: Ticket) -> bool:
        """Put an address that is worth less than it was, and less than the next, where it belongs now."""
        urgency, score, depth, order = place
        now = self.worth(ticket) if self.worth is not None and urgency else None
        if now is None or now >= -score:
            return False
        sunk = (urgency, -now, depth, order)
        if not self._heap or sunk < self._heap[0][0]:
            return False
        self._place(ticket, sunk)
        return True

    def done(self, url: str, *, page: bool = True) -> None:
        """An address under way has been dealt with; redirects and failures are not a `page`."""
        self._under_way.remove(url)
        self._tries.pop(url, None)
        if page:
            self.fetched += 1
            self._turn += 1

    def put_back(self, ticket: Ticket, *, front: bool = False) -> None:
        """An address under way is to be tried again, after those of equal worth that wait already."""
        self._under_way.remove(ticket.url)
        self._tries[ticket.url] = self._tries.get(ticket.url, 0) + 1
        self._enqueue(ticket, front)

    def tries(self, url: str) -> int:
        """How often an address was put back."""
        return self._tries.get(url, 0)

    def restore(self, tickets: Iterable[Ticket], known: Iterable[str], fetched: int) -> None:
        """Fill a new table with what was stored: what waits, in its order, and all that is known."""
        self.fetched = fetched
        self._known.update(map(hash, known))
        for ticket in tickets:
            if ticket.url not in self._waiting:
                self._known.add(hash(ticket.url))
                self._enqueue(ticket, front=False)

    def _room(self) -> int:
        """How many more may be under way before a limit could be passed."""
        room = self.limits.pages_per_host - self.fetched
        if self.limits.pages_per_turn:
            room = min(room, self.limits.pages_per_turn - self._turn)
        return room - len(self._under_way)

    def _enqueue(self, ticket: Ticket, front: bool) -> None:
        self._order += 1
        self._place(ticket, (0 if front else 1, -ticket.score, ticket.depth, self._order))

    def _place(self, ticket: Ticket, place: Place) -> None:
        self._waiting[ticket.url] = (place, ticket)
        heapq.heappush(self._heap, (place, ticket.url))
        if len(self._heap) > 2 * len(self._waiting) + 64:
            self._heap = [(place, url) for url, (place, _) in self._waiting.items()]
            heapq.heapify(self._heap)

    def _improve(self, ticket: Ticket, front: bool) -> str:
        """Keep the smaller depth and the better score of two offers of one address that still waits."""
        found = self._waiting.get(ticket.url)
        if found is None:
            return KNOWN
        (urgency, minus, _, order), old = found
        best = ticket if ticket.depth < old.depth else old
        place = (min(urgency, 0 if front else 1), min(minus, -ticket.score), best.depth, order)
        if place >= found[0]:
            return KNOWN
        self._place(best, place)
        return BETTER


def _scored(place: Place, ticket: Ticket) -> Ticket:
    """A ticket with the score of its place."""
    score = -place[1]
    return ticket if ticket.score == score else replace(ticket, score=score)
