"""Traps by what they bring: URL patterns earn credit with new text, and lose it with copies.

A pattern without credit that keeps growing is deferred: its URLs wait, and one is sampled after 32, 64, 128
and more pages of the host. Nothing is refused for its form alone. When nothing else is pending, a few of each
deferred pattern are tried once more. What is deferred then is refused, with the reason.
"""

import random
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fieldmouse.types import Ticket

from .page_novelty import HostTexts, Novelty, TextUnits
from .url_patterns import PATTERNS, UrlPatterns, shorter_paths, varying_parts, without_segments

# Credit of a new pattern, two years of months; the most it can have: what it may waste when it is exhausted.
START, MOST = 24.0, 64.0
# Credit of one that was found on a dry page.
BRED = 2.0
# A pattern with a quarter of new pages keeps its credit.
NEW, NUMBERS, COPY = 3.0, 1.0, -1.0
MIXED_ENDING, MIXED_GROWING = 0.125, -0.25
# New URLs a dry page, above which a pattern grows; and below which it ends by itself.
GROWING, ENDING = 1.5, 0.9
# Dry pages after which that can be said, and pages that may be left.
DRY_PAGES, LEFT = 16, 128
# A new page credits the patterns that led to it, so many levels up.
LEVELS = 4
# Dry pages of a host that are always allowed, while crawling and at the end; and a share of its new pages.
WASTE, LAST_WASTE, WASTE_SHARE = 64, 128, 0.5
# Votes from which a part of a URL is void: it changes the URL and not the page.
VOID_VOTES, VOID_AGAINST = 8, 0.05
# Residuals and pages remembered for those votes.
REMEMBERED = 1024
# Pages of the host until the first sample of a deferred pattern, and the most doublings.
SAMPLE, DOUBLINGS = 32, 10
# URLs of one pattern that are tried at the end.
LAST_TRIES = 4
# A maze: so many pages, new links a page to the pattern, and shares of pages without any and of known ones.
MAZE_PAGES, MAZE_LINKS, MAZE_ENDS, MAZE_KNOWN = 192, 2.0, 0.05, 0.04
# ... beside other pages of the host: at least this share of its own.
MAZE_APART = 0.25
# A page is fetched twice after so many pages of its pattern, if they differ from others in digits only.
CHECKS = (8, 64, 256)
# Pages of numbers after which a pattern is probed with numbers that nobody links to: how they end, or how
# their years begin, since a date with more digits is none.
PROBE_PAGES, PROBES, CENTURIES = 64, ("738", "4119"), ("10", "11")
# URLs of one pattern kept while it is deferred.
KEPT = 2000
# The same of URLs that differ from fetched ones in a part that does not change the page.
SAME_KEPT = 256

# The trail of a ticket for a URL that nobody links to.
PROBE = "P"

_numbers = re.compile(r"\d+").finditer
_century = re.compile(r"(?<!\d)(?:19|20)(?=\d\d(?!\d)|\d{4}(?!\d)|\d{6}(?!\d))")
# Eight or more letters and digits mixed: a session id, a hash.
_token = re.compile(r"(?<![0-9A-Za-z])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[0-9A-Za-z]{8,}(?![0-9A-Za-z])").sub


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
    grown: int = 0  # new URLs on dry pages
    recent: float = 0.0  # the same for a page, mean of about the last 64
    doublings: int = 0
    sample_at: int = 0  # pages of the host at which one is sampled
    last_tries: int = 0  # pages that are tried when nothing else is pending
    last_ends: int = 0  # ... and that have a text and no new links
    maze: bool = False
    quota: int = 0  # pages that may be fetched without credit, since few are left
    left_before: float = float("inf")  # URLs that were left at the last forecast
    checks: int = 0  # pages that were fetched twice
    tried: int = 0  # rounds of that which were dry
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


class PatternCredits:
    """Decides which URLs of one host are fetched now, later or not at all."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._patterns = UrlPatterns()
        self._records: dict[str, PatternRecord] = {}
        self._folders: dict[str, LinkCounts] = {}  # by first segment
        self._texts = HostTexts()
        self._deferred: dict[str, list[Ticket]] = {}  # by pattern
        self._same: dict[str, list[Ticket]] = {}  # those that only differ in a part that is void
        self._residuals: OrderedDict[tuple[str, str, int], tuple[int, ...]] = OrderedDict()  # prints of pages
        self._fetched: set[int] = set()  # hashes of all residuals whose part may be void
        self._parameters: dict[str, VoidVotes] = {}  # of all patterns
        self._pages: OrderedDict[int, tuple[int, ...]] = OrderedDict()  # prints by the hash of a URL
        self._seen: set[int] = set()  # hashes of all URLs that were fetched
        self._inserted: dict[str, VoidVotes] = {}  # segments that can be put into a path
        self._once_void: set[str] = set()  # those that were void at some time
        self._voted: OrderedDict[int, list[VoidVotes]] = OrderedDict()  # by the URL of a dry page
        self._stripped: set[int] = set()  # URLs that were found, without session ids
        self._sampled: set[str] = set()  # URLs that are fetched whatever their pattern
        self._left_before = float("inf")  # URLs that were deferred when all of them were taken back
        self._checked: tuple[str, TextUnits] | None = None  # the page that is fetched twice
        self._probe = self._probe_of = ""  # the URL to probe next, and the one it was made of
        self._probed: PatternRecord | None = None  # the pattern that is probed
        self.pages = 0
        self.new = 0

    @property
    def deferred(self) -> int:
        """URLs that wait."""
        return sum(map(len, self._deferred.values())) + sum(map(len, self._same.values()))

    # Before a page

    def refuse(self, url: str) -> str:
        """Why a URL is not even kept: enough of its pattern wait."""
        record = self._records.get(self._patterns.pattern(url))
        if record is None:
            return ""
        if len(self._same.get(record.name, ())) >= SAME_KEPT and (reason := self._void_reason(record, url)):
            return reason
        return record.reason() if len(self._deferred.get(record.name, ())) >= KEPT else ""

    def offered(self, ticket: Ticket) -> None:
        """Count a URL that becomes pending."""
        self._record(ticket.url, ticket.via).waiting += 1

    def admit(self, ticket: Ticket) -> bool:
        """Whether to fetch a URL now. If not, it is kept here until `sample` or `resume` gives it back."""
        if ticket.trail == PROBE:
            return True
        record = self._record(ticket.url, ticket.via)
        if ticket.trail.endswith("L") and ticket.url not in self._sampled:
            if self._void_reason(record, ticket.url):
                self._same.setdefault(record.name, []).append(ticket)
                return False
            if record.credit <= 0:
                if not record.ends(self.new):
                    self._deferred.setdefault(record.name, []).append(ticket)
                    record.sample_at = record.sample_at or self.pages + (SAMPLE << record.doublings)
                    return False
                record.quota -= 1
        self._sampled.discard(ticket.url)
        record.waiting -= 1
        return True

    def sample(self) -> Ticket | None:
        """A deferred URL whose pattern is due for a sample."""
        if not self._deferred or self.pages - self.new > WASTE + WASTE_SHARE * self.new:
            return None
        for name, tickets in self._deferred.items():
            record = self._records[name]
            if tickets and record.sample_at <= self.pages:
                record.sample_at = self.pages + (SAMPLE << record.doublings)
                return self._pick(tickets)
        return None

    def resume(self) -> list[Ticket]:
        """When nothing else is pending: the deferred URLs to fetch after all."""
        back: list[Ticket] = []
        for name, tickets in self._deferred.items():
            record = self._records[name]
            if record.credit > 0 or record.ends(self.new):
                back += tickets
                tickets.clear()
        for name, tickets in self._same.items():
            record = self._records[name]
            held = [one for one in tickets if self._void_reason(record, one.url)]
            if len(held) < len(tickets):
                kept = {one.url for one in held}
                back += [one for one in tickets if one.url not in kept]
                tickets[:] = held
        return back or self._last_tries()

    def _last_tries(self) -> list[Ticket]:
        """All that is deferred if the host as a whole ends; else a few of each pattern."""
        dry, left = self.pages - self.new, self.deferred
        grown = sum(one.grown for one in self._records.values()) / dry if dry else 0.0
        few = dry >= DRY_PAGES and grown < ENDING and left / (1.0 - grown) <= max(LEFT, self.new)
        if left and few and 2 * left <= self._left_before:
            self._left_before = left
            back = [one for table in (self._deferred, self._same) for some in table.values() for one in some]
            self._sampled.update(one.url for one in back)
            self._deferred.clear()
            self._same.clear()
            return back
        # Patterns whose pages bring no URLs have no more than what waits.
        leaves = [name for name in self._deferred if self._records[name].leaf]
        left = sum(len(self._deferred[name]) for name in leaves)
        if 0 < left <= max(LEFT, 2 * self.new):
            back = [one for name in leaves for one in self._deferred.pop(name)]
            self._sampled.update(one.url for one in back)
            return back
        room = LAST_WASTE + WASTE_SHARE * self.new - dry
        back = []
        for table in (self._deferred, self._same):
            # Where most would be lost, first.
            for name, tickets in sorted(table.items(), key=lambda one: -len(one[1])):
                record, wasted = self._records[name], len(back) >= room
                if tickets and record.tried < (record.maze if wasted else 2):
                    record.tried += 1  # until one is new
                    record.last_tries, record.last_ends = LAST_TRIES, 0
                    back += [self._pick(tickets) for _ in range(min(LAST_TRIES, len(tickets)))]
        return back

    def give_up(self) -> list[tuple[Ticket, str]]:
        """All URLs that are still deferred, with the reason why they are not fetched."""
        found = []
        for table in (self._deferred, self._same):
            for name, tickets in table.items():
                record = self._records[name]
                found += [(one, self._void_reason(record, one.url) or record.reason()) for one in tickets]
            table.clear()
        return found

    def _pick(self, tickets: list[Ticket]) -> Ticket:
        ticket = tickets.pop(self._chance.randrange(len(tickets)))
        self._sampled.add(ticket.url)
        return ticket

    # After a page

    def learn(
        self, ticket: Ticket, text: TextUnits | None, links: Sequence[str], fresh: Iterable[str]
    ) -> bool:
        """Credit or charge the pattern of a page that was fetched; `fresh` of its `links` are new.

        Without a text (an error, a redirect) the page is a copy. True if it should be fetched once more,
        which shows clocks and counters.
        """
        url = ticket.url
        if self._checked is not None and self._checked[0] == url:
            if text is not None:
                self._texts.compare(url, self._checked[1], text)
            self._checked = None
            return False
        record = self._record(url, ticket.via)
        judged = self._texts.judge(url, text) if text is not None else None
        novelty = judged.novelty if judged else Novelty.COPY
        fresh = [one for one in fresh if one != url]
        good = novelty in (Novelty.NEW, Novelty.NUMBERS)
        # A host that is nothing else is what it is, and ends by its limits.
        apart = self.new - record.new >= MAZE_APART * record.new
        maze = self._count_links(record, url, links, fresh) and good and (apart or record.maze)
        if maze and not record.maze:
            record.maze = True
            self._withdraw(record)
        maze = maze or (good and record.generated)
        self.pages += 1
        record.pages += 1
        self._seen.add(hash(url))
        if good and not maze:
            self.new += 1
            record.new += 1
            record.dry_run = 0
            record.numbers += novelty is Novelty.NUMBERS
            record.credit = min(MOST, record.credit + (NEW if novelty is Novelty.NEW else NUMBERS))
            self._credit_finders(record, ticket)
        else:
            record.dry_run += 1
            record.grown += len(fresh)
            record.recent += (len(fresh) - record.recent) / min(64, record.dry)
            if not self._leads_on(record, fresh) and not self._void_reason(record, url):
                record.credit += self._charge(record, COPY if maze else novelty)
        self._sampled_one(record, good=good and not maze, end=good and not fresh)
        if judged is not None:
            self._vote(record, url, judged.prints, good=good, via=ticket.via)
        if not good or maze:  # patterns bred by a dry page begin with little
            for one in fresh:
                bred = self._records.get(self._patterns.pattern(one))
                if bred is not None and not bred.pages and bred.born == self.pages - 1:
                    bred.credit = min(bred.credit, BRED, max(0.0, record.credit / 4))
        self._plan_probe(record, url)
        if novelty not in (Novelty.NUMBERS, Novelty.THIN) or record.checks == len(CHECKS) or self._checked:
            return False
        if record.pages < CHECKS[record.checks] or text is None:
            return False
        record.checks += 1
        record.waiting += 1
        self._checked = (url, text)
        return True

    def _withdraw(self, record: PatternRecord) -> None:
        """What looked new was made up."""
        self.new -= record.new
        record.new = 0
        record.credit = min(record.credit, START)

    # Pages of numbers that have no end

    def _plan_probe(self, record: PatternRecord, url: str) -> None:
        """Plan a request for a number that no link has, if all that is new are numbers and links to more."""
        if record.probes or self._probed is not None:
            return
        many = (
            record.numbers >= max(PROBE_PAGES, 0.9 * record.new) and record.links.fresh >= record.links.pages
        )
        if many and _made_up(url, 0) != url:
            self._probed, record.probes = record, 1
            self._probe, self._probe_of = _made_up(url, 0), url

    def probe(self) -> str:
        """A URL that nobody links to and that is to be fetched next, or an empty string."""
        url, self._probe = self._probe, ""
        return url

    def probed(self, url: str, text: TextUnits | None) -> None:
        """What a probe brought. An archive of measurements has no page there; one that is made up has."""
        record, self._probed = self._probed, None
        judged = self._texts.judge(url, text) if text is not None else None
        if record is None or judged is None or judged.novelty is not Novelty.NUMBERS:
            return
        if record.probes < len(PROBES):
            self._probe = _made_up(self._probe_of, record.probes)
            self._probed, record.probes = record, record.probes + 1
        else:
            record.generated = True
            self._withdraw(record)

    def _charge(self, record: PatternRecord, novelty: Novelty | float) -> float:
        growth, known = record.growth, novelty is Novelty.MIXED  # nothing in it is new
        mixed = known or novelty is Novelty.THIN
        if known and growth >= GROWING and record.dry_run > START:
            change = COPY
        elif mixed or (novelty is Novelty.RELINKED and growth < GROWING):
            limit = GROWING if mixed else ENDING
            change = MIXED_GROWING if growth >= limit else MIXED_ENDING
        else:  # pages that lead nowhere have an end
            change = MIXED_GROWING if record.leaf and record.dry >= DRY_PAGES else COPY
        return min(change, MOST - record.credit)

    def _leads_on(self, record: PatternRecord, fresh: list[str]) -> bool:
        """Whether a dry page has a new link to another pattern that is known to be good."""
        for one in fresh:
            other = self._records.get(self._patterns.pattern(one))
            if other is None or other is record or other.pages < DRY_PAGES:
                continue
            if other.credit >= START and 2 * other.new >= other.pages:
                return True
        return False

    def _credit_finders(self, record: PatternRecord, ticket: Ticket) -> None:
        """Indexes live by what they deliver."""
        finder = self._records.get(self._patterns.pattern(ticket.via)) if "://" in ticket.via else None
        for _ in range(LEVELS):
            if finder is None or finder is record:
                return
            finder.credit = min(MOST, finder.credit + 1.0)
            finder = finder.finder

    def _sampled_one(self, record: PatternRecord, *, good: bool, end: bool) -> None:
        """Sample a pattern that is deferred more often after a new page, and less often after a dry one.

        If half of the pages that are tried at last have a text and no new links, it was a tree and no maze.
        """
        if record.credit <= 0 or record.name in self._deferred:
            step = -1 if good else 1
            record.doublings = min(DOUBLINGS, max(0, record.doublings + step))
        if record.last_tries:
            record.last_tries -= 1
            record.last_ends += end
            if record.maze and 2 * record.last_ends >= LAST_TRIES:
                record.maze, record.links, record.last_ends = False, LinkCounts(), 0
                self._folders.clear()
                record.credit = START
            if good:
                record.tried = 0
                record.credit = max(record.credit, START)

    def _count_links(self, record: PatternRecord, url: str, links: Sequence[str], fresh: list[str]) -> bool:
        """Count links within the pattern and within the first segment; whether one of them is a maze."""
        # With a session id in it, a link that is known looks new.
        new = set()
        for one in fresh:
            stripped = hash(_token("*", one))
            if stripped not in self._stripped:
                self._stripped.add(stripped)
                new.add(one)
        folder = url[: url.rfind("/") + 1]
        inside = {one for one in links if one != url}
        groups: list[tuple[LinkCounts, set[str]]] = []
        own = {one for one in inside if self._patterns.pattern(one) == record.name}
        groups.append((record.links, own))
        first = _first_segment(url)
        if first:
            counts = self._folders.setdefault(first, LinkCounts())
            groups.append((counts, {one for one in inside if _first_segment(one) == first}))
        maze = False
        for counts, group in groups:
            below = {one for one in group & new if len(folder) > 1 and one.startswith(folder) and one != url}
            children = len(below) if url == folder else 0
            found = len(group & new) - children
            counts.pages += 1
            counts.fresh += found
            counts.known += len(group - new)
            counts.ends += not found
            maze = maze or counts.maze
        return maze and not any(
            self._votes(record, part.name).void for part in varying_parts(url, record.name)
        )

    # Parts that do not change the page

    def _vote(
        self, record: PatternRecord, url: str, prints: tuple[int, ...], *, good: bool, via: str
    ) -> None:
        """Compare a page with the one that has the same URL without one part."""
        if good:
            for votes in self._voted.pop(hash(via), ()):
                votes.vote(void=False)
        agreed: list[VoidVotes] = []
        for part in varying_parts(url, record.name):
            key = (record.name, *part)
            before = self._residuals.get(key)
            votes = self._votes(record, part.name)
            if before is not None:
                same = not good and (before[0] == prints[0] or before[1] == prints[1])
                votes.vote(void=same)
                if same:
                    agreed.append(votes)
            self._residuals[key] = prints
            self._residuals.move_to_end(key)
            if len(self._residuals) > REMEMBERED:
                self._residuals.popitem(last=False)
            if votes.agree >= votes.against:
                self._fetched.add(hash(key))
        agreed += self._vote_segments(url, prints, good=good)
        if agreed:
            self._voted[hash(url)] = agreed
            if len(self._voted) > REMEMBERED:
                self._voted.popitem(last=False)

    def _vote_segments(self, url: str, prints: tuple[int, ...], *, good: bool) -> list[VoidVotes]:
        """Compare a page with those that have one segment less; the votes for such segments."""
        agreed: list[VoidVotes] = []
        for segment, rest in shorter_paths(url):
            before = self._pages.get(hash(rest))
            if before is None or (segment not in self._inserted and len(self._inserted) >= PATTERNS):
                continue
            votes = self._inserted.setdefault(segment, VoidVotes())
            if good or before[3] != prints[3]:
                votes.vote(void=False)
            elif before[0] == prints[0]:  # with other links it is neither
                votes.vote(void=True)
                agreed.append(votes)
                if votes.void:
                    self._once_void.add(segment)
        self._pages[hash(url)] = prints
        if len(self._pages) > REMEMBERED:
            self._pages.popitem(last=False)
        return agreed

    def _votes(self, record: PatternRecord, part: str) -> VoidVotes:
        """The votes on a part: of a parameter for the whole host, of others for the pattern."""
        table = self._parameters if len(part) > 1 and part[0] == "?" else record.parts
        votes = table.get(part)
        if votes is None:
            votes = table[part] = VoidVotes()
        return votes

    def _void_reason(self, record: PatternRecord, url: str) -> str:
        """Why a URL is the same as one that was fetched: only a void part differs."""
        for part in varying_parts(url, record.name):
            if self._votes(record, part.name).void and hash((record.name, *part)) in self._fetched:
                return f"trap: {record.name} is the same page without {_part_name(part.name)}"
        void = {one for one in self._once_void if self._inserted[one].void}
        if void and (rest := without_segments(url, void)) != url and hash(rest) in self._seen:
            return f"trap: the same page as {rest[rest.index('/', 8) :]}"
        return ""

    def _record(self, url: str, via: str) -> PatternRecord:
        """The record of a URL's pattern; a new one gets its credit from the page that led there."""
        name = self._patterns.pattern(url)
        record = self._records.get(name)
        if record is None:
            finder = self._records.get(self._patterns.pattern(via)) if "://" in via else None
            credit = START
            if self.pages - self.new > WASTE + WASTE_SHARE * self.new:
                # Nothing is left for patterns that dry patterns bred.
                credit = (BRED if finder.credit >= START else 0.0) if finder else START
            record = self._records[name] = PatternRecord(name, credit, finder, self.pages)
        return record


def _first_segment(url: str) -> str:
    path = url[url.index("/", 8) + 1 :]
    return path.partition("/")[0] if "/" in path else ""


def _part_name(part: str) -> str:
    if part == "?":
        return "its query"
    return f"the parameter {part[1:]}" if part[0] == "?" else f"its segment {part[1:]}"


def _made_up(url: str, place: int) -> str:
    """A URL with a number that no link has: a year in the Middle Ages, or one with more digits."""
    start = url.index("/", 8)
    if _century.search(url, start):
        return url[:start] + _century.sub(CENTURIES[place], url[start:], count=1)
    numbers = sorted(_numbers(url, start), key=lambda one: one.end() - one.start())
    return url[: numbers[-1].end()] + PROBES[place] + url[numbers[-1].end() :] if numbers else url
