"""What a place did on all pages of a host: how often it differed, and whether its numbers follow others.

A rate, a count or the weather that every page shows moves on all of them. At one time pages show nearly the
same number, so the number that comes to a page is nearer to what another page showed shortly before than to
what this page showed at its last visit. A price of the page's own is not.
"""

from dataclasses import dataclass

from .difference import Event

# Shares are in parts of this.
WHOLE = 60_000
# The largest count that is kept.
LARGEST = 255
# Visits of the moving mean.
MEAN = 12
# A place that differs at a smaller share of the visits has healed.
HEALED = 0.05
# Pages that must have differed before all pages say something about one.
SEVERAL = 3
# Numbers that followed those of other pages, at least, and how many times as many as those that did not.
FOLLOWING, FOLLOWING_TIMES = 8, 3
# Numbers of two pages are of one level if they differ by less than this share of them.
LEVEL = 0.1


@dataclass(slots=True)
class PlaceRecord:
    """What a place did on all pages of a host; shares are in parts of `WHOLE`."""

    of: int = 0  # for numbers: the place where the text stands
    visits: int = 0
    share: int = 0  # of visits at which it differed
    turn: int = 0  # share of its units that differed
    added: int = 0
    known: int = 0  # of those added, how many the host had shown before
    ups: int = 0
    downs: int = 0
    exchanges: int = 0  # that were distinct
    shared: int = 0  # of these, on several pages
    differing: tuple[int, ...] = ()  # pages
    noisy: tuple[int, ...] = ()  # pages, by control fetches
    calm: tuple[int, ...] = ()
    having: int = 0  # the set of pages that have the place
    shown: float = 0.0  # the last number that came here
    shown_by: int = 0  # the page that it came to
    shown_at: int = 0  # in minutes since the epoch
    near: int = 0  # numbers that came nearer to what another page had shown since; those that did not
    far: int = 0
    level: int = 0  # numbers that came within a tenth of what another page had shown since; others
    apart: int = 0
    name: str = ""

    @property
    def follows(self) -> bool:
        """Whether its numbers follow those that other pages showed shortly before: they are the host's.

        A number of a page's own is as near to its older one as to those of others, or nearer.
        """
        several = len(self.differing) >= SEVERAL
        return several and self.near >= max(FOLLOWING, FOLLOWING_TIMES * self.far)

    @property
    def one_level(self) -> bool:
        """Whether all pages show nearly the same number here: an index that goes up and down, say.

        It may be as near to what the page showed before as to what others did, so it need not follow them.
        """
        several = len(self.differing) >= SEVERAL
        return several and self.level >= max(FOLLOWING, FOLLOWING_TIMES * self.apart)

    def visit(self, *, differs: bool, turn: float = 0.0) -> None:
        """Add a visit to the moving means; `turn` is the share of the units that differ."""
        first = not self.visits
        self.visits = min(self.visits + 1, LARGEST)
        step = min(self.visits, MEAN)
        self.share += round(((WHOLE if differs else 0) - self.share) / step)
        if self.share < HEALED * WHOLE:
            self.noisy = self.calm = ()
        if differs:
            self.turn = round(WHOLE * turn) if first else self.turn + round((WHOLE * turn - self.turn) / step)

    def number(self, event: Event, page: int, last_visit: float, now: float) -> None:
        """Learn from a number that came to a page, which was visited before at `last_visit`.

        What another page showed long ago says no more than what this one did.
        """
        before, after = event.step
        self.ups, self.downs = _both(self.ups, self.downs, after > before, after < before)
        if page != self.shown_by and 60 * self.shown_at > (last_visit + now) / 2:
            near = abs(self.shown - after) < abs(before - after)
            self.near, self.far = _both(self.near, self.far, near, not near)
            level = abs(self.shown - after) < LEVEL * abs(after)
            self.level, self.apart = _both(self.level, self.apart, level, not level)
        self.shown, self.shown_by, self.shown_at = after, page, int(now // 60)


def _both(first: int, second: int, more: bool, less: bool) -> tuple[int, int]:
    """Two counts after one more of either; both are halved when one is full."""
    if max(first, second) >= LARGEST:
        first, second = first // 2, second // 2
    return first + more, second + less
