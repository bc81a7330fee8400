"""Traps by what they bring: URL patterns earn credit with new text, and lose it with copies.

A pattern without credit that keeps growing is deferred: its URLs wait, and one is sampled after 32, 64, 128
and more pages of the host. Nothing is refused for its form alone. When nothing else is pending, what ends by
itself is fetched, and of the rest a few of each pattern in turn, up to an allowance. What is deferred then is
refused, with the reason.
"""

import random
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence

from fieldmouse.types import Ticket

from .chain_end import FAR, PROBES, EndQuestion, further, made_up
from .page_novelty import HostTexts, Judged, Novelty, TextUnits
from .pattern_growth import PatternGrowth
from .pattern_record import DRY_PAGES, ENDING, LEFT, MOST, LinkCounts, PatternRecord, VoidVotes
from .url_patterns import (
    PATTERNS,
    UrlPatterns,
    first_segment,
    part_name,
    shorter_paths,
    varying_parts,
    without_segments,
    without_session_ids,
)

# Credit of a new pattern: two years of months.
START = 24.0
# Credit of one that was found on a dry page.
BRED = 2.0
# A pattern with a quarter of new pages keeps its credit.
NEW, NUMBERS, COPY = 3.0, 1.0, -1.0
MIXED_ENDING, MIXED_GROWING = 0.125, -0.25
# What a page of known texts that is unlike all others brings to the patterns that led to it, if it is an end.
DISTINCT = 0.25
# New URLs a dry page, above which a pattern grows.
GROWING = 1.5
# A new page credits the patterns that led to it, so many levels up.
LEVELS = 4
# Dry pages of a host that are always allowed, while crawling and at the end: a host of 200 pages then ends
# within three times as many. And a share of its new pages, while crawling.
WASTE, LAST_WASTE, WASTE_SHARE = 64, 300, 0.5
# Residuals and pages remembered for those votes.
REMEMBERED = 1024
# Steps within a pattern that are told apart, and pages whose steps are remembered.
STEPS, REMEMBERED_STEPS = 4, 16_384
# Pages of the host until the first sample of a deferred pattern, and the most doublings.
SAMPLE, DOUBLINGS = 32, 10
# URLs of one pattern that are tried at the end, at a time; and dry pages in all, for each new one.
LAST_TRIES, ALLOWANCE = 2, 1.6
# Pages in a row with the text of other pages, after which a pattern without end is given up.
KNOWN_RUN = 64
# A maze stands beside other pages of the host: at least this share of its own.
MAZE_APART = 0.25
# A page is fetched twice after so many pages of its pattern, if it differs from others in digits only, or has
# known texts in a new combination and leads to more.
CHECKS = (8, 64, 256)
# Pages of numbers after which a pattern is probed.
PROBE_PAGES = 64
# URLs kept while they are deferred: of one pattern, of all, and of one whatever there is of others.
KEPT, KEPT_IN_ALL, KEPT_ALWAYS = 10_000, 50_000, 100

# The trail of a ticket for a URL that nobody links to.
PROBE = "P"


class PatternCredits:
    """Decides which URLs of one host are fetched now, later or not at all."""

    def __init__(self, chance: random.Random, last_year: int = 9999, kept: int = KEPT_IN_ALL) -> None:
        self._chance, self._last_year, self._kept = chance, last_year, kept
        self._patterns = UrlPatterns()
        self._records: dict[str, PatternRecord] = {}
        self._folders: dict[str, LinkCounts] = {}  # by first segment
        self._texts = HostTexts()
        self._deferred: dict[str, list[Ticket]] = {}  # by pattern
        self._same: dict[str, list[Ticket]] = {}  # those that only differ in a part that is void
        self._residuals: OrderedDict[tuple[str, str, int], Judged] = OrderedDict()  # pages
        self._fetched: set[int] = set()  # hashes of all residuals whose part may be void
        self._parameters: dict[str, VoidVotes] = {}  # of all patterns
        self._pages: OrderedDict[int, tuple[int, ...]] = OrderedDict()  # prints by the hash of a URL
        self._seen: set[int] = set()  # hashes of all URLs that were fetched
        self._inserted: dict[str, VoidVotes] = {}  # segments that can be put into a path
        self._once_void: set[str] = set()  # those that were void at some time
        self._voted: OrderedDict[int, list[VoidVotes]] = OrderedDict()  # by the URL of a dry page
        self._stripped: set[int] = set()  # URLs that were found, without session ids
        self._sampled: set[str] = set()  # URLs that are fetched whatever their pattern
        self._growth = PatternGrowth()
        self._steps_growth = PatternGrowth()  # ... by steps within the pattern too
        self._steps: OrderedDict[int, int] = OrderedDict()  # of dry pages
        self._checked: tuple[str, TextUnits] | None = None  # the page that is fetched twice
        self._probe = self._probe_of = ""  # the URL to probe next, and the one it was made of
        self._probed: PatternRecord | None = None  # the pattern that is probed
        self._asked: tuple[PatternRecord, EndQuestion] | None = None  # the pattern whose end is looked for
        self._not_there: set[frozenset[str]] = set()  # what the host says of missing pages
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
        kept = len(self._same.get(record.name, ())) + len(self._deferred.get(record.name, ()))
        if kept < KEPT_ALWAYS or (kept < KEPT and self.deferred < self._kept):
            return ""
        record.overflows = True
        return self._void_reason(record, url) or record.reason()

    def offered(self, ticket: Ticket) -> None:
        """Count a URL that becomes pending."""
        self._record(ticket.url, ticket.via).waiting += 1

    def admit(self, ticket: Ticket) -> bool:
        """Whether to fetch a URL now. If not, it is kept here until `sample` or `resume` gives it back."""
        if ticket.trail == PROBE:
            return True
        record = self._record(ticket.url, ticket.via)
        if ticket.trail.endswith("L") and ticket.url not in self._sampled:
            void = bool(self._void_reason(record, ticket.url))
            if void and record.quota <= 0:
                self._same.setdefault(record.name, []).append(ticket)
                return False
            if void or record.credit <= 0:
                if not record.ends(self.new):
                    self._deferred.setdefault(record.name, []).append(ticket)
                    record.sample_at = record.sample_at or self.pages + (SAMPLE << record.doublings)
                    return False
                record.quota -= 1
        self._sampled.discard(ticket.url)
        record.waiting -= 1
        return True

    def set_aside(self, ticket: Ticket) -> bool:
        """Whether a pending URL waits here from now on, since its pattern brings nothing new at present."""
        record = self._record(ticket.url, ticket.via)
        if record.quota > 0 or not ticket.trail.endswith("L") or ticket.url in self._sampled:
            return False
        void = bool(self._void_reason(record, ticket.url))
        if void:
            self._same.setdefault(record.name, []).append(ticket)
        elif record.credit <= 0:
            self._deferred.setdefault(record.name, []).append(ticket)
            record.sample_at = record.sample_at or self.pages + (SAMPLE << record.doublings)
        return void or record.credit <= 0

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
            held = [one for one in tickets if record.quota <= 0 and self._void_reason(record, one.url)]
            if len(held) < len(tickets):
                kept = {one.url for one in held}
                back += [one for one in tickets if one.url not in kept]
                tickets[:] = held
        back = back or self._last_tries()
        return self.resume() if not back and self._ask_for_ends() else back

    def _last_tries(self) -> list[Ticket]:
        """All of the patterns that end by themselves; else a few of each, while the host has earned it."""
        endless = self._growth.endless()
        back = self._ending(endless) or self._few_of_each(endless)
        self._sampled.update(one.url for one in back)
        return back

    def _ending(self, endless: set[str]) -> list[Ticket]:
        """The deferred URLs of patterns that end by themselves: as many as were seen so far.

        Then it is asked once more whether they end.
        """
        back: list[Ticket] = []
        for name in dict.fromkeys((*self._deferred, *self._same)):
            record, same = self._records[name], self._same.get(name, [])
            # A parameter that does not change the page only makes copies, however few.
            copies = {one.url: one for one in same if self._void_parameter(record, one.url)}
            if record.leaf and len(same) <= max(LEFT, self.new):
                copies = {}
            found = self._deferred.get(name, []) + [one for one in same if one.url not in copies]
            if not found or record.maze or record.generated or record.overflows:
                continue
            few = min(max(LEFT, self.new), record.left_at_last / 2)
            left = self._growth.left(name, len(found)) if name not in endless else float("inf")
            if left <= FAR and 2 * left <= record.forecast:
                few = len(found)
            kinds = Counter(self._kind(one.url, one.via) for one in found)
            if self._growth.ends(name, len(found), few, endless) or self._steps_growth.all_end(kinds):
                record.left_at_last, record.forecast = len(found), left
                record.quota = int(left) if left <= FAR else 0
                most = max(LEFT, self.pages)
                self._deferred[name], self._same[name] = found[most:], list(copies.values())
                back += found[:most]
        return back

    def _few_of_each(self, endless: set[str]) -> list[Ticket]:
        """Some deferred URLs of each pattern, while there are not too many dry pages for the others."""
        waiting = [
            (len(tickets), name, tickets)
            for table in (self._deferred, self._same)
            for name, tickets in table.items()
            if tickets
        ]
        real = self.new - sum(self._records[name].new for name in {one[1] for one in waiting} & endless)
        room = max(LAST_WASTE - self.pages + self.new, (1 + ALLOWANCE) * real - self.pages)
        few = sum(one[0] for one in waiting) <= LEFT
        back: list[Ticket] = []
        for _, name, tickets in sorted(waiting, key=lambda one: one[:2]):  # few are completed first
            record = self._records[name]
            useless = record.generated or (name in endless and record.known_run >= KNOWN_RUN)
            untried = few and not record.tried and self._growth.unseen(name, endless)
            if (len(back) < room and not useless) or untried or record.tried < record.maze:
                record.tried += 1
                record.last_tries, record.last_ends = LAST_TRIES, 0
                # The newest first: so a chain is followed to its end.
                back += tickets[: -LAST_TRIES - 1 : -1]
                del tickets[-LAST_TRIES:]
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
            self._compare(url, self._checked[1], text)
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
        record.known_run = record.known_run + 1 if novelty in (Novelty.COPY, Novelty.RELINKED) else 0
        self._seen.add(hash(url))
        if good and not maze:
            self.new += 1
            record.new += 1
            record.dry_run = 0
            record.numbers += novelty is Novelty.NUMBERS
            record.credit = min(MOST, record.credit + (NEW if novelty is Novelty.NEW else NUMBERS))
            self._credit_finders(record, ticket, 1.0)
        else:
            if novelty is Novelty.MIXED and not fresh:
                self._credit_finders(record, ticket, DISTINCT)
            record.dry_run += 1
            record.grown += len(fresh)
            record.recent += (len(fresh) - record.recent) / min(64, record.dry)
            if not self._leads_on(record, fresh) and not self._void_reason(record, url):
                record.credit += self._charge(record, COPY if maze or record.generated else novelty)
        self._sampled_one(record, good=good and not maze, end=good and not fresh)
        if judged is not None:
            distinct = novelty is Novelty.MIXED and not fresh
            self._vote(record, url, judged, good=good, via=ticket.via if good or distinct else "")
        if not good or maze:
            self._learn_growth(record, ticket, fresh)
        self._plan_probe(record, url)
        if not self._needs_check(record, novelty) or text is None:
            return False
        record.checks += 1
        record.waiting += 1
        self._checked = (url, text)
        return True

    def _needs_check(self, record: PatternRecord, novelty: Novelty) -> bool:
        """Whether what is new on a page may be new at each visit, and this is to be looked at now."""
        mixed = novelty is Novelty.MIXED and record.growth >= ENDING
        if not mixed and novelty not in (Novelty.NUMBERS, Novelty.THIN):
            return False
        return not self._checked and record.checks < len(CHECKS) and record.pages >= CHECKS[record.checks]

    def _compare(self, url: str, first: TextUnits, second: TextUnits | None) -> None:
        """Learn from a page that was fetched twice."""
        if second is not None and self._texts.compare(url, first, second):
            # What was said of void parts was said without knowing that texts change by themselves.
            self._parameters.clear()
            for one in self._records.values():
                one.parts.clear()

    def _kind(self, url: str, via: str) -> str:
        """The pattern of a URL, and how many pages of the same pattern, up to some, led there in a row.

        A stop may lead to its times on Sundays at URLs of its own pattern, and these lead nowhere.
        """
        name = self._patterns.pattern(url)
        if "://" not in via or self._patterns.pattern(via) != name:
            return f"{name} 0"
        return f"{name} {min(STEPS, self._steps.get(hash(via), 0) + 1)}"

    def _learn_growth(self, record: PatternRecord, ticket: Ticket, fresh: Sequence[str]) -> None:
        """A dry page has these new links; patterns bred by it begin with little."""
        patterns = [self._patterns.pattern(one) for one in fresh]
        self._growth.learn(record.name, patterns)
        kind = self._kind(ticket.url, ticket.via)
        self._steps[hash(ticket.url)] = int(kind.rpartition(" ")[2])
        if len(self._steps) > REMEMBERED_STEPS:
            self._steps.popitem(last=False)
        self._steps_growth.learn(kind, [self._kind(one, ticket.url) for one in fresh])
        for one in patterns:
            bred = self._records.get(one)
            if bred is not None and not bred.pages and bred.born == self.pages - 1:
                bred.credit = min(bred.credit, BRED, max(0.0, record.credit / 4))

    def _withdraw(self, record: PatternRecord) -> None:
        """What looked new was made up."""
        self.new -= record.new
        record.new = 0
        record.credit = min(record.credit, START)

    # Pages of numbers that have no end

    def _plan_probe(self, record: PatternRecord, url: str) -> None:
        """Plan a request for a number that no link has, if all that is new are numbers and links to more."""
        if record.probes or self._probed is not None or self._asked is not None:
            return
        many = (
            record.numbers >= max(PROBE_PAGES, 0.9 * record.new) and record.links.fresh >= record.links.pages
        )
        if many and made_up(url, 0) != url:
            self._probed, record.probes = record, 1
            self._probe, self._probe_of = made_up(url, 0), url

    def probe(self) -> str:
        """A URL that nobody links to and that is to be fetched next, or an empty string."""
        url, self._probe = self._probe, ""
        return url

    def _ask_for_ends(self) -> bool:
        """Plan requests that show whether a chain has an end; true if that is known without any."""
        for name in dict.fromkeys((*self._deferred, *self._same)):
            record = self._records[name]
            tickets = self._deferred.get(name, []) + self._same.get(name, [])
            if not tickets or record.end_asked or record.maze or record.generated or record.overflows:
                continue
            record.end_asked = True
            far, ended = further(tickets, self._last_year)
            if far:
                question = EndQuestion(far, self._not_there)
                self._asked, self._probe = (record, question), question.next_url
                return False
            if ended:
                record.quota = FAR
                return True
        return False

    def _reached(self, url: str, text: TextUnits | None, fresh: Sequence[str]) -> None:
        """Learn from what is where a chain would be after many more pages."""
        assert self._asked is not None
        record, question = self._asked
        says = self._texts.marked(url, text) if text is not None else None
        new = text is not None and self._texts.judge(url, text).novelty is Novelty.NEW
        ends = question.answered(url, says, fresh, new=new)
        if ends is None:
            self._probe = question.next_url
            return
        self._asked = None
        if ends:
            record.quota = FAR

    def not_probed(self) -> None:
        """A probe is not allowed: nothing is known."""
        self._asked = self._probed = None

    def probed(self, url: str, text: TextUnits | None, fresh: Sequence[str]) -> None:
        """What a probe brought. An archive of measurements has no page there; one that is made up has."""
        if self._asked is not None:
            self._reached(url, text, fresh)
            return
        record, self._probed = self._probed, None
        judged = self._texts.judge(url, text) if text is not None else None
        if record is None or judged is None or judged.novelty is not Novelty.NUMBERS:
            return
        if record.probes < len(PROBES):
            self._probe = made_up(self._probe_of, record.probes)
            self._probed, record.probes = record, record.probes + 1
        else:
            record.generated = True
            self._withdraw(record)

    def _charge(self, record: PatternRecord, novelty: Novelty | float) -> float:
        growth, known = record.growth, novelty is Novelty.MIXED  # nothing in it is new
        mixed = known or novelty is Novelty.THIN
        used_up = self.pages - self.new > WASTE + WASTE_SHARE * self.new
        if mixed and growth >= GROWING and (used_up or (known and record.dry_run > START)):
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

    def _credit_finders(self, record: PatternRecord, ticket: Ticket, credit: float) -> None:
        """Indexes live by what they deliver."""
        finder = self._records.get(self._patterns.pattern(ticket.via)) if "://" in ticket.via else None
        for _ in range(LEVELS):
            if finder is None or finder is record:
                return
            finder.credit = min(MOST, finder.credit + credit)
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
            stripped = hash(without_session_ids(one))
            if stripped not in self._stripped:
                self._stripped.add(stripped)
                new.add(one)
        folder = url[: url.rfind("/") + 1]
        inside = {one for one in links if one != url}
        groups: list[tuple[LinkCounts, set[str]]] = []
        own = {one for one in inside if self._patterns.pattern(one) == record.name}
        groups.append((record.links, own))
        first = first_segment(url)
        if first:
            counts = self._folders.setdefault(first, LinkCounts())
            groups.append((counts, {one for one in inside if first_segment(one) == first}))
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

    def _vote(self, record: PatternRecord, url: str, judged: Judged, *, good: bool, via: str) -> None:
        """Compare a page with the one that has the same URL without one part; `via` led to something."""
        for votes in self._voted.pop(hash(via), ()):
            votes.vote(void=False)
        agreed: list[VoidVotes] = []
        for part in varying_parts(url, record.name):
            key = (record.name, *part)
            before = self._residuals.get(key)
            votes = self._votes(record, part.name)
            if before is not None:
                same = not good and self._texts.alike(before, judged)
                votes.vote(void=same)
                if same:
                    agreed.append(votes)
            self._residuals[key] = judged
            self._residuals.move_to_end(key)
            if len(self._residuals) > REMEMBERED:
                self._residuals.popitem(last=False)
            if votes.agree >= votes.against:
                self._fetched.add(hash(key))
        agreed += self._vote_segments(url, judged.prints, good=good)
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

    def _void_parameter(self, record: PatternRecord, url: str) -> bool:
        """Whether a parameter of a URL is void."""
        parts = varying_parts(url, record.name)
        return any(one.name[0] == "?" and self._votes(record, one.name).void for one in parts)

    def _void_reason(self, record: PatternRecord, url: str) -> str:
        """Why a URL is the same as one that was fetched: only a void part differs."""
        for part in varying_parts(url, record.name):
            if self._votes(record, part.name).void and hash((record.name, *part)) in self._fetched:
                return f"trap: {record.name} is the same page without {part_name(part.name)}"
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
