"""The pages of one open host: the intra-links table of Genovese & Geraci 2018.

The table is made when the host is opened and dropped when it is closed. Nothing is kept in memory per URL for
hosts that are not open.
"""

import heapq
from collections.abc import Callable, Iterable
from dataclasses import replace

from fieldmouse.settings import FrontierSettings
from fieldmouse.types import Ticket

TAKEN = ""
KNOWN = "known"
BETTER = "better"  # it was pending, and its score or depth improved: see `SiteTable.look`

MAX_RESCORED = 20  # pending URLs scored again before one is taken
MAX_PENDING = 100_000  # URLs of one host, in a crawl that orders them by score

Score = Callable[[Ticket], float | None]
Place = tuple[int, float, int, int]  # urgency, minus score, depth, order of discovery; smallest first


class SiteTable:
    """Which pages of a host are known, which are pending and which are being fetched.

    Invariants: a URL is taken at most once between two `put_back`s; a URL that is pending or being
    fetched is known; `fetched + active` never exceeds the limits of pages per host and per turn. The score of
    a pending ticket is that of its place, for most that rise or sink do so again before they are taken. Known
    URLs are stored as 64-bit hashes: with a million URLs, two share a hash in one of ten million hosts.
    """

    def __init__(self, limits: FrontierSettings, score: Score | None = None) -> None:
        self.limits = limits
        self.score = score  # computes the current score of a ticket, where scores change
        self.fetched = 0  # pages, over all turns
        self._turn = 0  # pages since opening
        self._known: set[int] = set()
        self._pending: dict[str, tuple[Place, Ticket]] = {}
        self._heap: list[tuple[Place, str]] = []  # may hold places that were replaced
        self._active: set[str] = set()
        self._tries: dict[str, int] = {}
        self._order = 0

    @property
    def pending(self) -> int:
        """The number of pending URLs."""
        return len(self._pending)

    @property
    def idle(self) -> bool:
        """Whether nothing is pending and nothing is being fetched."""
        return not self._pending and not self._active

    @property
    def ready(self) -> bool:
        """Whether `take` would give a ticket now."""
        return bool(self._pending) and self._room() > 0

    @property
    def finished(self) -> bool:
        """Nothing is being fetched, and nothing is pending or the page limit of the host is reached."""
        return not self._active and (not self._pending or self.fetched >= self.limits.pages_per_host)

    @property
    def turn_over(self) -> bool:
        """Nothing is being fetched, and the page limit of one turn is reached."""
        return 0 < self.limits.pages_per_turn <= self._turn and not self._active

    def unknown(self, urls: Iterable[str]) -> list[str]:
        """The URLs never offered before, each once, in order: a fast filter for the links of a page."""
        known = self._known
        fresh = [url for url in urls if hash(url) not in known]
        return list(dict.fromkeys(fresh)) if len(fresh) > 1 else fresh

    def not_taken(self, urls: Iterable[str]) -> list[str]:
        """The URLs never offered before, and those still pending."""
        known, pending = self._known, self._pending
        return [url for url in urls if url in pending or hash(url) not in known]

    def would_improve(self, url: str, score: float, depth: int) -> bool:
        """Whether an offer would change something: the URL is new, or pending with a worse score or depth."""
        found = self._pending.get(url)
        if found is None:
            return hash(url) not in self._known
        return score > -found[0][1] or depth < found[1].depth

    def offer(self, ticket: Ticket, *, front: bool = False) -> str:
        """Add a URL; returns "" when added, else why not ("known", "better", "depth: ...", "limit: ...").

        `front` puts it before all others, for the target of a redirect. A URL refused for its depth or for
        the limit stays unknown, because it may be found again at a smaller depth.
        """
        key = hash(ticket.url)
        if key in self._known:
            found = self._pending.get(ticket.url)
            if found is None:
                return KNOWN
            # Keep the smaller depth and the better score of two offers.
            (urgency, before, _, order), old = found
            best, score = ticket if ticket.depth < old.depth else old, max(-before, ticket.score)
            place = (0 if front else urgency, -score, best.depth, order)
            if place >= found[0]:
                return KNOWN
            level = min(ticket.level, old.level) if self.score is None else best.level
            if (best.score, best.level) != (score, level):
                best = replace(best, score=score, level=level)
            self._place(best, place)
            return BETTER
        if ticket.depth > self.limits.depth:
            return f"depth: {ticket.depth} is deeper than {self.limits.depth}"
        most = self.limits.pages_per_host
        planned = self.fetched + len(self._active)
        if self.score is None:
            full = planned + len(self._pending) >= most
        else:  # the best are chosen, so more may be pending than will be fetched
            full = planned >= most or len(self._pending) >= max(most, MAX_PENDING)
        if full:
            return f"limit: {most} pages of one host"
        self._known.add(key)
        self._enqueue(ticket, front=front)
        return TAKEN

    def look(self, url: str) -> Ticket | None:
        """The ticket of a pending URL, after all offers."""
        found = self._pending.get(url)
        return _scored(found[1], -found[0][1]) if found else None

    def take(self) -> Ticket | None:
        """Take the best pending ticket: by score, then depth, then age.

        Where scores change, one whose score has fallen below the next goes back into the queue.
        """
        if self._room() <= 0:
            return None
        rescored = 0
        while self._heap:
            place, url = heapq.heappop(self._heap)
            found = self._pending.get(url)
            if found is None or found[0] != place:
                continue
            urgency, score, depth, order = place
            if self.score is not None and urgency and rescored < MAX_RESCORED:
                now = self.score(found[1])
                if now is not None and now < -score and self._heap:
                    sunk = (urgency, -now, depth, order)
                    if sunk >= self._heap[0][0]:
                        self._place(found[1], sunk)
                        rescored += 1
                        continue
            del self._pending[url]
            self._active.add(url)
            return _scored(found[1], -score)
        return None

    def rescore(self, url: str, score: float) -> None:
        """Raise a pending URL whose score is better now; one that is worse is found by `take`."""
        found = self._pending.get(url)
        if found is not None and score > -found[0][1]:
            (urgency, _, depth, order), ticket = found
            self._place(ticket, (urgency, -score, depth, order))

    @property
    def best(self) -> float:
        """The score of the first pending URL; 0 if there is none."""
        while self._heap:
            place, url = self._heap[0]
            found = self._pending.get(url)
            if found is not None and found[0] == place:
                return -place[1]
            heapq.heappop(self._heap)
        return 0.0

    def done(self, url: str, *, page: bool = True) -> None:
        """A URL that was taken is finished; redirects and failures are not a `page`."""
        self._active.remove(url)
        self._tries.pop(url, None)
        if page:
            self.fetched += 1
            self._turn += 1

    def put_back(self, ticket: Ticket) -> None:
        """Make a URL that was taken pending again, after pending ones of equal score."""
        self._active.remove(ticket.url)
        self._tries[ticket.url] = self._tries.get(ticket.url, 0) + 1
        self._enqueue(ticket)

    def fetch_again(self, ticket: Ticket) -> None:
        """Make a URL that is done pending once more, before all others."""
        self._tries[ticket.url] = 1
        self._enqueue(ticket, front=True)

    def set_aside(self, ticket: Ticket) -> None:
        """A URL that was taken is not fetched now; it stays known until `resume` makes it pending again."""
        self._active.remove(ticket.url)

    def make_room(self, waits: Callable[[Ticket], bool]) -> bool:
        """Before its page limit is reached: set pending URLs aside that need not be fetched yet."""
        if self._room() <= 0:
            return False
        aside = [url for url, (_, ticket) in self._pending.items() if waits(ticket)]
        for url in aside:
            del self._pending[url]
        return bool(aside)

    def resume(self, tickets: Iterable[Ticket], *, front: bool = False) -> None:
        """Make URLs pending again that were set aside."""
        for ticket in tickets:
            self._enqueue(ticket, front=front)

    def tries(self, url: str) -> int:
        """How often a URL was put back."""
        return self._tries.get(url, 0)

    def restore(self, tickets: Iterable[Ticket], known: Iterable[str], fetched: int) -> None:
        """Fill a new table from the store: pending tickets in order, and all known URLs."""
        self.fetched = fetched
        self._known.update(map(hash, known))
        for ticket in tickets:
            if ticket.url not in self._pending:
                self._known.add(hash(ticket.url))
                self._enqueue(ticket)

    def _room(self) -> int:
        """How many more URLs may be taken within the limits."""
        room = self.limits.pages_per_host - self.fetched
        if self.limits.pages_per_turn:
            room = min(room, self.limits.pages_per_turn - self._turn)
        return room - len(self._active)

    def _enqueue(self, ticket: Ticket, *, front: bool = False) -> None:
        self._order += 1
        self._place(ticket, (0 if front else 1, -ticket.score, ticket.depth, self._order))

    def _place(self, ticket: Ticket, place: Place) -> None:
        self._pending[ticket.url] = (place, ticket)
        heapq.heappush(self._heap, (place, ticket.url))
        if len(self._heap) > 2 * len(self._pending) + 64:
            self._heap = [(place, url) for url, (place, _) in self._pending.items()]
            heapq.heapify(self._heap)


def _scored(ticket: Ticket, score: float) -> Ticket:
    return ticket if ticket.score == score else replace(ticket, score=score)
