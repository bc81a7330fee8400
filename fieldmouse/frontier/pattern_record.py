"""What is known of one URL pattern: its pages, its links, and parts that do not change the page."""

from dataclasses import dataclass, field

# The most credit that a pattern can have: what it may waste when it is exhausted.
MOST = 64.0
# New URLs a dry page, below which a pattern ends by itself.
ENDING = 0.9
# Dry pages after which that can be said, and pages that may be left.
DRY_PAGES, LEFT = 16, 128
# Votes from which a part of a URL is void: it changes the URL and not the page.
VOID_VOTES, VOID_AGAINST = 8, 0.05
# A maze: so many pages, new links a page to the pattern, and shares of pages without any and of known ones.
MAZE_PAGES, MAZE_LINKS, MAZE_ENDS, MAZE_KNOWN = 192, 2.0, 0.05, 0.04


@dataclass(slots=True)
class VoidVotes:
    """Whether a part of a pattern's URLs changes the page."""

    agree: float = 0.0  # pages that were the same without it
    against: float = 0.0

    @property
    def void(self) -> bool:
        return self.agree >= VOID_VOTES and self.against <= VOID_AGAINST * (self.agree + self.against)

    def vote(self, *, void: bool) -> None:
        if void:
            self.agree += 1
        else:
            self.against += 1
        if self.agree + self.against > MOST:
            self.agree /= 2
            self.against /= 2


@dataclass(slots=True)
class LinkCounts:
    """Links from pages of a group to pages of the same group."""

    pages: int = 0
    fresh: int = 0
    known: int = 0
    ends: int = 0  # pages without a new one

    @property
    def maze(self) -> bool:
        """Ever new pages that lead to ever new pages: honest sites link to the same page twice."""
        return (
            self.pages >= MAZE_PAGES
            and self.fresh >= MAZE_LINKS * self.pages
            and self.ends <= MAZE_ENDS * self.pages
            and self.known <= MAZE_KNOWN * (self.known + self.fresh)
        )


@dataclass(slots=True)
class PatternRecord:
    """What is known of one pattern."""

    name: str
    credit: float
    finder: "PatternRecord | None"
    born: int = 0  # pages of the host when it was found
    pages: int = 0
    new: int = 0
    numbers: int = 0  # new pages that differ from others in digits only
    probes: int = 0  # URLs with made-up numbers that were tried
    generated: bool = False  # it has a page for any number
    waiting: int = 0  # URLs offered and not taken yet
    dry_run: int = 0  # dry pages in a row
    known_run: int = 0  # pages in a row with the text of other pages
    grown: int = 0  # new URLs on dry pages
    recent: float = 0.0  # the same for a page, mean of about the last 64
    doublings: int = 0
    sample_at: int = 0  # pages of the host at which one is sampled
    last_tries: int = 0  # pages that are tried when nothing else is pending
    last_ends: int = 0  # ... and that have a text and no new links
    maze: bool = False
    quota: int = 0  # pages that may be fetched without credit, since few are left
    left_before: float = float("inf")  # URLs that were left at the last forecast
    left_at_last: float = float("inf")  # ... and when all of them were taken back
    forecast: float = float("inf")  # pages that were to come then
    overflows: bool = False  # more URLs came than are kept
    end_asked: bool = False  # it was asked where its chains lead
    checks: int = 0  # pages that were fetched twice
    tried: int = 0  # rounds of last tries since a new page
    parts: dict[str, VoidVotes] = field(default_factory=dict)
    links: LinkCounts = field(default_factory=LinkCounts)

    @property
    def dry(self) -> int:
        return self.pages - self.new

    @property
    def leaf(self) -> bool:
        return self.dry > 1 and not self.grown

    @property
    def growth(self) -> float:
        """New URLs a dry page brings."""
        return max(self.recent, self.grown / self.dry) if self.dry else 0.0

    def ends(self, host_new: int) -> bool:
        """Whether so few URLs are left that they can all be fetched.

        The forecast is tested: when as many were fetched as it said, there must be half as many left.
        """
        if self.quota > 0:
            return True
        if self.dry < DRY_PAGES or self.growth >= ENDING or 2 * self.waiting > self.left_before:
            return False
        left = self.waiting / (1.0 - self.growth)
        if left > max(LEFT, host_new):
            return False
        self.quota, self.left_before = int(left) + DRY_PAGES, self.waiting
        return True

    def reason(self) -> str:
        if self.generated:
            return f"trap: {self.name} has a page for any number"
        if self.maze:
            return f"trap: {self.name} leads to ever new pages that nothing else links to"
        return f"trap: {self.name} brings nothing new ({self.dry} of {self.pages} pages)"
