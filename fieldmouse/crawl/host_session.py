"""One host while it is open: its table of pages, its robots rules, its traps, its failures so far."""

import logging
import random
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from fieldmouse.frontier.pattern_credit import PROBE, PatternCredits
from fieldmouse.frontier.site_table import SiteTable
from fieldmouse.frontier.traps import YEARS_AHEAD, TrapDetector
from fieldmouse.refresh.noise import HostNoise, overrides
from fieldmouse.refresh.page_units import hash32
from fieldmouse.store.records import Ending, EndKind
from fieldmouse.types import (
    DEFERRED,
    DeferredPage,
    Failure,
    Finding,
    HostLease,
    KnownPage,
    Outcome,
    OutLink,
    Sitemap,
    Ticket,
    TopicJudgement,
    Trouble,
)
from fieldmouse.units import DAY
from fieldmouse.urls import home, host_key, origin
from fieldmouse.web import politeness
from fieldmouse.web.politeness import Pause
from fieldmouse.web.robots import Robots

from .link_scoring import GuidedPage, TopicFocus
from .study import Content, Rules, study

if TYPE_CHECKING:
    from .page_classes import Tunnel  # loads numpy

log = logging.getLogger(__name__)

# Sitemaps of one host that are read; an index may name thousands. A refresh has come for something else.
MAX_SITEMAPS, MAX_READ_AGAIN = 50, 5

# Why pages wait that were found on deferred ones.
BEHIND_DEFERRED = "trap: found on a page that was deferred"

# Pages of a host after which pending ones are looked through again for those that can wait; more after each
# time that there were none.
ROOM_PAGES = 16

# A pause longer than this frees the host's place for another.
LONG_PAUSE = 120.0


@dataclass(slots=True)
class Sitemaps:
    """The sitemaps of a host: those to read, and how much was taken from them."""

    waiting: deque[str] = field(default_factory=deque)
    seen: set[str] = field(default_factory=set)
    taken: int = 0
    most: int = MAX_SITEMAPS

    def add(self, urls: Iterable[str]) -> None:
        """Queue sitemaps not read yet."""
        for url in urls:
            if url not in self.seen and len(self.seen) < self.most:
                self.seen.add(url)
                self.waiting.append(url)


@dataclass(slots=True)
class NewLinks:
    """What one answer adds: pages of the host, pages of others, and addresses not followed, with reasons."""

    inside: list[Ticket] = field(default_factory=list)
    outside: list[OutLink] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)


class HostSession:
    """A leased host being downloaded."""

    def __init__(self, lease: HostLease, rules: Rules, now: float) -> None:
        self.lease = lease
        self.rules = rules
        self.name = lease.name
        self.site = SiteTable(rules.settings.frontier, rules.focus.rescore if rules.focus else None)
        year = datetime.fromtimestamp(now, UTC).year
        self.traps = TrapDetector(rules.settings.scope, year=year)
        # What URL patterns bring. A refresh has come for certain pages and follows no links.
        self.credits = None
        if rules.settings.scope.traps and rules.settings.scope.trap_content and not lease.borrowed:
            self.credits = PatternCredits(random.Random(lease.name), year + YEARS_AHEAD)  # noqa: S311
        self._deferred: list[DeferredPage] = []  # pages of patterns that look like a trap: for later turns
        # Deferred pages that may be visited in this turn, besides those that are pending.
        taken = sum(one.trail.endswith(DEFERRED) for one in lease.waiting)
        self._room_for_deferred = rules.settings.scope.trap_pages_per_day - taken if taken else 0
        self.robots: dict[str, Robots] = {}
        self.sitemaps = Sitemaps(most=MAX_READ_AGAIN if lease.borrowed else MAX_SITEMAPS)
        self.read_again = False  # a refresh that has a new robots.txt looks at the sitemaps again
        self.failures = 0  # in a row
        self.dropped = ""  # why it is to be given up
        self.lost = False  # another worker took over its lease
        self.leaving = False  # it goes back to the queue: it is paused, or a worker has no host
        self.under_way = 0  # requests of any kind
        self.busy_with_robots = False
        self.known = frozenset(lease.known)
        # What is known of the host's noise; None while nothing was learned.
        self.noise: HostNoise | None = None
        if lease.noise or lease.overrides:
            self.noise = HostNoise.loaded(lease.noise, overrides(lease.overrides))
        self.noise_learned = False  # since the last commit
        self._schemes: set[str] = set()  # of the pages that were ever offered
        self._all_read = (-1, -1)  # how many schemes and robots.txt there were when all had been read
        self._room_at, self._room_pause = 0, ROOM_PAGES  # pages fetched when places are next made for others
        self._outside: set[int] = set()  # addresses of other hosts already reported from here
        self._inside = (f"http://{lease.name}/", f"https://{lease.name}/")
        waiting = list(lease.waiting)
        if lease.borrowed:
            waiting = [
                replace(
                    one,
                    refresh=True,
                    trail=one.trail.replace(DEFERRED, ""),  # what is new on it is not deferred
                    audit=one.url in lease.audited,
                    control=one.url in lease.controls,
                )
                for one in waiting
            ]
        else:
            # A host is always entered by its home page too.
            start = home(waiting[0].url) if waiting else f"http://{self.name}/"
            known = start in self.known or any(start == ticket.url for ticket in waiting)
            if not known and not rules.scope.reject(start):
                level = min((ticket.level for ticket in waiting), default=0)
                waiting.insert(0, Ticket(url=start, host=self.name, via="home page", level=level))
            if rules.focus is not None:
                waiting = [rules.focus.score_ticket(ticket) for ticket in waiting]
            elif self._for_class:
                waiting = [one if one.score else replace(one, score=1 / (1 + one.level)) for one in waiting]
        self._restore(waiting)

    def _restore(self, waiting: Sequence[Ticket]) -> None:
        """Fill the table of pages; links of deferred pages, left by a turn that was interrupted, wait on."""
        lease = self.lease
        self._deferred += [DeferredPage(one, BEHIND_DEFERRED) for one in waiting if _behind_deferred(one)]
        if self._deferred:
            waiting = [one for one in waiting if not _behind_deferred(one)]
        known = (*lease.known, *(one.ticket.url for one in self._deferred))
        self.site.restore(waiting, known, 0 if lease.borrowed else lease.fetched)
        self._schemes.update(ticket.url[: ticket.url.index(":")] for ticket in waiting)
        for url in lease.known:
            self.traps.reject(url)  # counts it
        if self.credits is not None:
            for ticket in waiting:
                self.credits.offered(ticket)

    @property
    def _for_class(self) -> bool:
        """Whether only pages of one class are stored."""
        return self.rules.sorter is not None and bool(self.rules.sorter.only)

    @cached_property
    def _starts_over(self) -> bool:
        """Whether every page is to be visited once more: pages we have already wait at a host not begun."""
        return self.lease.fetched == 0 and any(one.url in self.known for one in self.lease.waiting)

    @property
    def origins_without_rules(self) -> list[str]:
        """Origins of our pages whose robots.txt we have not read."""
        sizes = len(self._schemes), len(self.robots)  # both only grow
        if not self.rules.settings.manners.obey_robots or self._all_read == sizes:
            return []
        found = [one for scheme in self._schemes if (one := f"{scheme}://{self.name}") not in self.robots]
        if not found:
            self._all_read = sizes
        return found

    @property
    def crawl_delay(self) -> float:
        """The delay that the host requests, as far as we obey it."""
        asked = max((one.crawl_delay or 0.0 for one in self.robots.values()), default=0.0)
        delay, note = politeness.crawl_delay(asked, self.rules.settings.manners)
        if note:
            # A daemon opens a host many times a day: that is worth a warning when its rules are new.
            remembered = self.lease.borrowed and not self.read_again
            log.log(logging.INFO if remembered else logging.WARNING, "%s: %s", self.name, note)
        return delay

    def obey(self, robots: Robots, origin: str, *, new: bool = False) -> None:
        """Take the rules of an origin, new or remembered, and the sitemaps they name."""
        self.robots[origin] = robots
        self.read_again = self.read_again or (new and self.lease.borrowed)
        if self.rules.settings.manners.sitemaps:
            urls = (self.rules.canon(url, f"{origin}/robots.txt") for url in robots.sitemaps)
            self.note_sitemaps(url for url in urls if url)
            if new:
                self.note_sitemaps(self.lease.feeds)

    def note_sitemaps(self, urls: Iterable[str]) -> None:
        """Queue sitemaps of this host, but for those of an earlier turn: their pages are in the table."""
        earlier = frozenset[str]() if self.read_again or self._starts_over else self.known
        self.sitemaps.add(url for url in urls if self.is_mine(url) and url not in earlier)

    def take(self, now: float) -> tuple[Ticket, Failure | None] | None:
        """The next page to request, or one that may not be requested, with the reason as its outcome."""
        ticket = self._admitted()
        if ticket is None:
            return None
        # Rules may have changed since the page was found.
        if ticket.via != "seed" and (reason := self.rules.scope.reject(ticket.url)):
            return ticket, Failure(url=ticket.url, trouble=Trouble.REFUSED, detail=reason, began=now)
        sorter = self.rules.sorter if self._for_class and self.rules.focus is None else None
        level = 0 if ticket.refresh else ticket.level
        if sorter is not None and level and not sorter.tunnel.open(level):
            reason = f"class: links of other pages no longer lead to {sorter.only}"
            return ticket, Failure(url=ticket.url, trouble=Trouble.REFUSED, detail=reason, began=now)
        rules = self.robots.get(origin(ticket.url))
        if rules is None or rules.allows(ticket.url):
            return ticket, None
        reason = rules.refusal(ticket.url)
        return ticket, Failure(url=ticket.url, trouble=Trouble.ROBOTS, detail=reason, began=now)

    def _admitted(self) -> Ticket | None:
        """The next page; those whose pattern brings nothing new are set aside."""
        if self.credits is None:
            return self.site.take()
        if (sample := self.credits.sample()) is not None:
            self.site.resume((sample,), front=True)
        self._probe(self.credits)
        while True:
            while (ticket := self.site.take()) is not None:
                if self.credits.admit(ticket):
                    return ticket
                self.site.set_aside(ticket)
            if not self._resume_deferred():
                return None

    def _probe(self, patterns: PatternCredits) -> bool:
        """Request a URL that no page links to, if that would tell more of a pattern and is allowed."""
        while url := patterns.probe():
            rules = self.robots.get(origin(url))
            if not self.rules.scope.reject(url) and (rules is None or rules.allows(url)):
                log.info("%s: probing %s, which no page links to", self.name, url)
                self.site.resume((Ticket(url=url, host=self.name, trail=PROBE),), front=True)
                return True
            patterns.not_probed()
        return False

    def _resume_deferred(self) -> bool:
        """When nothing else is pending: take back pages that were set aside, or leave them to later turns."""
        if self.credits is None or not self.site.idle:
            return False
        back: list[Ticket] = []
        if self.credits.deferred:
            back = self.credits.resume()
            if not back and self._probe(self.credits):
                return True
            if not back:
                self._deferred += [DeferredPage(*one) for one in self.credits.give_up()]
        if not back and self._deferred and self._room_for_deferred > 0:
            some = self._deferred[: self._room_for_deferred]
            del self._deferred[: len(some)]
            self._room_for_deferred -= len(some)
            back = [replace(one.ticket, trail=one.ticket.trail + DEFERRED) for one in some]
        self.site.resume(back)
        return bool(back)

    @property
    def waiting(self) -> int:
        """Pages that are pending or set aside."""
        return self.site.pending + (self.credits.deferred if self.credits is not None else 0)

    def visited(self, url: str) -> bool:
        """Whether the store may know of a page: from an earlier turn, or because it is visited once more."""
        return url in self.known or self.site.tries(url) > 0 or url in self.sitemaps.seen

    def settle(self, ticket: Ticket, outcome: Outcome, past: KnownPage | None, pause: Pause) -> Finding:
        """Study an outcome, put its links into the table, and return the finding to commit."""
        finding = self._settle(ticket, outcome, past, pause)
        self._resume_deferred()
        return finding

    def _settle(self, ticket: Ticket, outcome: Outcome, past: KnownPage | None, pause: Pause) -> Finding:
        again = pause.again and not self.lease.borrowed  # a refresh that fails gets a new plan
        finding, content = self._study(ticket, outcome, past, read=not again)
        if again:
            self.site.put_back(ticket)
            finding.again, finding.note = True, pause.why
            return finding
        if isinstance(outcome, Failure):
            self.site.done(ticket.url, page=False)
            finding.note = pause.why
            return finding
        self.site.done(ticket.url, page=not content.target)
        found = NewLinks()
        if content.target:
            self._redirect(ticket, content.target, found)
        if self.rules.focus is not None and content.words is not None:
            finding.judged = self._follow_links_for_topic(
                self.rules.focus, ticket, content, content.words, found
            )
        elif self._for_class and self.rules.sorter is not None:
            self._follow_links_for_class(self.rules.sorter.tunnel, ticket, content, found)
        else:
            self._follow_links(ticket, content.links, found)
        if self.credits is not None and DEFERRED not in ticket.trail:
            mine = [url for url in content.links if url.startswith(self._inside)]
            if self.credits.learn(ticket, content.text, mine, [one.url for one in found.inside]):
                self.site.fetch_again(ticket)
        finding.inside, finding.outside = tuple(found.inside), tuple(found.outside)
        finding.skipped = tuple(found.skipped)
        finding.feeds = tuple(url for url in content.feeds if self.is_mine(url))
        return finding

    def settle_probe(self, ticket: Ticket, outcome: Outcome) -> None:
        """Learn from a URL that nobody links to; nothing of it is stored."""
        self.site.done(ticket.url, page=False)
        if self.credits is not None and (isinstance(outcome, Failure) or outcome.status >= 429):
            self.credits.not_probed()  # that there is no page was not said
        elif self.credits is not None:
            _, content, _, _ = study(ticket, outcome, None, self.rules, noise=None, read=True)
            if content.target.startswith(self._inside) and self.site.unknown([content.target]):
                self.credits.not_probed()  # it leads on to a URL that nobody links to either
            else:
                mine = [one for one in content.links if one.startswith(self._inside) and one != ticket.url]
                self.credits.probed(ticket.url, content.text, self.site.unknown(mine))
        self._resume_deferred()

    def settle_sitemap(
        self, ticket: Ticket, outcome: Outcome, past: KnownPage | None, sitemap: Sitemap | None
    ) -> Finding:
        """Offer the pages that a sitemap names; None when it could not be fetched."""
        finding, _ = self._study(ticket, outcome, past, read=False)
        if sitemap is None:
            finding.note = "sitemap"
            return finding
        self.note_sitemaps(one.url for one in sitemap.maps)
        found, url, canon = NewLinks(), ticket.url, self.rules.canon
        for entry in sitemap.pages:
            if self.sitemaps.taken >= self.rules.settings.manners.sitemap_urls:
                break
            page = canon(entry.url, url)
            if page and page.startswith(self._inside):
                self.sitemaps.taken += 1
                child = Ticket(url=page, host=self.name, depth=1, via=url, trail="S")
                if self.rules.focus is not None:
                    child = self.rules.focus.score_ticket(child)
                elif self._for_class:
                    child = replace(child, score=1 / 2)
                self._offer(child, found)
        finding.inside, finding.skipped = tuple(found.inside), tuple(found.skipped)
        finding.note = f"sitemap: {len(sitemap.pages)} pages, {len(found.inside)} of them new"
        finding.note += f"; {sitemap.problems[0]}" if sitemap.problems else ""
        dated = ((canon(one.url, url), one.modified) for one in sitemap.pages if one.modified is not None)
        finding.announced = tuple((page, at) for page, at in dated if page and self.is_mine(page))
        finding.announcer = "feed" if url in self.lease.feeds else "sitemap"
        return finding

    def _study(
        self, ticket: Ticket, outcome: Outcome, past: KnownPage | None, *, read: bool
    ) -> tuple[Finding, Content]:
        """Study an outcome, and keep what it shows of the host's noise and of the number of pages."""
        finding, content, verdict, control = study(
            ticket, outcome, past, self.rules, noise=self.noise, read=read
        )
        budget = self.rules.controls
        if budget is not None and ticket.refresh and not ticket.control:
            budget.visits += 1
            if verdict is not None and verdict.control and budget.take():
                # Spread over some minutes, so that a host gets no burst of them.
                delay = self.rules.settings.refresh.control_delay
                finding.control_due = outcome.began + delay * (1.0 + 1.5 * (hash32(ticket.url) % 1000) / 1000)
        if control is not None:
            self.noise = self.noise or HostNoise(overrides(self.lease.overrides))
            self.noise.learn_control(ticket.url, control.noisy, control.calm)
            self.noise_learned = True
        if verdict is not None and verdict.evidence is not None and (self.noise or verdict.evidence.events):
            self.noise = self.noise or HostNoise(overrides(self.lease.overrides))
            self.noise.learn(verdict.evidence)
            self.noise_learned = True
        if self.rules.planner is not None and finding.change.found and (past is None or past.rate is None):
            self.rules.planner.pages += 1
        return finding, content

    def _follow_links(self, ticket: Ticket, links: list[str], found: NewLinks) -> None:
        """Offer the links of a page that are new."""
        mine = [url for url in links if url.startswith(self._inside)]
        for url in self.site.unknown(mine):
            child = Ticket(
                url=url, host=self.name, depth=ticket.depth + 1, via=ticket.url, trail=ticket.trail + "L"
            )
            self._offer(child, found)
        if len(mine) < len(links):
            found.outside += self._look_outside(links)

    def _follow_links_for_class(
        self, tunnel: "Tunnel", ticket: Ticket, content: Content, found: NewLinks
    ) -> None:
        """The same for one class: links of its pages first, and those of others while they lead to it."""
        refused = content.classes is not None and not content.kept
        if content.classes is not None and not ticket.refresh:
            tunnel.learn(ticket.level, found=content.kept)
        level = ticket.level + 1 if refused else 0
        if refused and not tunnel.open(level):
            return
        score = 1 / (1 + level)
        for url in self.site.not_taken([url for url in content.links if url.startswith(self._inside)]):
            if self.site.would_improve(url, score, ticket.depth + 1):
                child = Ticket(
                    url=url, host=self.name, depth=ticket.depth + 1, via=ticket.url, trail=ticket.trail + "L",
                    score=score, level=level,
                )  # fmt: skip
                self._offer(child, found)
        found.outside += [one._replace(score=score, level=level) for one in self._look_outside(content.links)]

    def _follow_links_for_topic(
        self, focus: TopicFocus, ticket: Ticket, content: Content, page: GuidedPage, found: NewLinks
    ) -> TopicJudgement:
        """The same by a topic: judge the page, then those of its links that were not visited yet."""
        sorter = self.rules.sorter
        given = sorter.relevance(content.classes) if sorter is not None else None
        judged = focus.judge_page(ticket, page, given)
        mine = self.site.not_taken([url for url in content.links if url.startswith(self._inside)])
        others = self._look_outside(content.links)
        wanted = [*mine, *(one.url for one in others if one.wanted)]
        leads = focus.score_links(judged, wanted, page)
        for url in mine:
            lead = leads[url]
            if lead.refused:
                found.skipped.append((url, lead.refused))
                continue
            if not self.site.would_improve(url, lead.score, ticket.depth + 1):
                continue
            child = Ticket(
                url=url, host=self.name, depth=ticket.depth + 1, via=ticket.url, trail=ticket.trail + "L",
                score=lead.score, level=lead.level,
            )  # fmt: skip
            self._offer(child, found)
        found.outside += [focus.score_outside(one, leads.get(one.url)) for one in others]
        for one in others:
            if one.wanted and (lead := leads[one.url]).refused:
                found.skipped.append((one.url, lead.refused))
                self._outside.discard(hash(one.url))  # a page on the topic may lead there too
        return judged.judgement

    def enter(self, link: OutLink, via: str) -> None:
        """A page of ours that another open host's page leads to; the archive hears of it from there."""
        hops, score, level = link.hops, link.score or 0.0, link.level
        if not self.site.would_improve(link.url, score, 0):
            return
        ticket = Ticket(url=link.url, host=self.name, hops=hops, via=via, trail="E", score=score, level=level)
        self._offer(ticket, NewLinks())

    def _offer(self, ticket: Ticket, found: NewLinks, *, front: bool = False) -> None:
        """Take a page of this host into the table, or say why not."""
        reason = self.rules.scope.reject(ticket.url)
        if not reason and (rules := self.robots.get(origin(ticket.url))) and not rules.allows(ticket.url):
            reason = rules.refusal(ticket.url)
        if not reason and self.rules.settings.scope.traps:
            reason = self.traps.reject(ticket.url)
        if not reason and self.credits is not None:
            reason = self.credits.refuse(ticket.url)
        reason = reason or self._place(ticket, front=front)
        if reason.startswith("limit:") and self._make_room():
            reason = self._place(ticket, front=front)
        if not reason:
            if self.credits is not None and not _behind_deferred(ticket):
                self.credits.offered(ticket)
            found.inside.append(ticket)
            self._schemes.add(ticket.url[: ticket.url.index(":")])
        elif reason == "better":
            found.inside.append(self.site.look(ticket.url) or ticket)
        elif reason != "known":
            found.skipped.append((ticket.url, reason))

    def _make_room(self) -> bool:
        """Set pending pages aside whose pattern brings nothing new: a trap takes no places of other pages."""
        if self.credits is None or not self.credits.deferred or self.site.fetched < self._room_at:
            return False
        made = self.site.make_room(self.credits.set_aside)
        self._room_pause = ROOM_PAGES if made else 2 * self._room_pause
        self._room_at = self.site.fetched + self._room_pause
        return made

    def _place(self, ticket: Ticket, *, front: bool) -> str:
        """Make a page pending, now or for a later turn; why not, or an empty string."""
        later = _behind_deferred(ticket)
        if not (later or self.lease.borrowed):
            return self.site.offer(ticket, front=front)
        limit = self.rules.settings.frontier.depth
        if ticket.depth > limit:
            return f"depth: {ticket.depth} is deeper than {limit}"
        if not self.site.unknown([ticket.url]):
            return "known"
        # A refresh visits what it came for; new pages are pending for the next crawl.
        self.site.restore((), (ticket.url,), self.site.fetched)
        if later:
            self._deferred.append(DeferredPage(ticket, BEHIND_DEFERRED))
        return ""

    def _redirect(self, ticket: Ticket, target: str, found: NewLinks) -> None:
        """Follow a redirect: at once within the host, as a way in elsewhere."""
        hops = ticket.hops + 1
        if hops > self.rules.settings.web.max_redirects:
            found.skipped.append((target, f"redirects: more than {self.rules.settings.web.max_redirects}"))
        elif target.startswith(self._inside):
            moved = replace(
                ticket,
                url=target,
                hops=hops,
                via=ticket.url,
                trail=ticket.trail + "R",
                etag="",
                last_modified="",
                refresh=False,
                audit=False,
                control=False,
            )
            if self.rules.focus is not None:
                self.rules.focus.redirected(ticket.url, target)
            self._offer(moved, found, front=True)
        else:
            # Where a seed's home page moved to is as good as the seed.
            alias = self.lease.seed and ticket.depth == 0
            if alias:
                self.rules.scope.admit(host_key(target))
            wanted = not self.rules.scope.reject(target)
            score = None
            if self.rules.focus is not None:
                self.rules.focus.redirected(ticket.url, target)
                score = ticket.score
            found.outside.append(
                OutLink(
                    host_key(target), target, wanted=wanted, hops=hops, alias=alias and wanted,
                    score=score, level=ticket.level,
                )
            )  # fmt: skip

    def _look_outside(self, links: list[str]) -> list[OutLink]:
        """Addresses of other hosts, each reported once while this host is open."""
        reject, seen = self.rules.scope.reject, self._outside
        outside = []
        for url in links:
            if not url.startswith(self._inside) and (key := hash(url)) not in seen:
                seen.add(key)
                outside.append(OutLink(host_key(url), url, wanted=not reject(url)))
        return outside

    def is_mine(self, url: str) -> bool:
        """Whether an address is of this host."""
        return url.startswith(self._inside)

    def ended_early(self, wait: float | None, now: float) -> Ending | None:
        """The end of a host that keeps failing, or that requested a long pause; None for others."""
        if self.dropped or self.failures >= self.rules.settings.manners.host_failures:
            reason = self.dropped or f"{self.failures} failures in a row"
            return Ending(self.lease, EndKind.GIVE_UP, reason, ready_at=now + DAY)
        if wait is not None and wait > LONG_PAUSE:
            reason = f"asked to stay away for {wait:.0f} s"
            return Ending(self.lease, EndKind.TURN, reason, waiting=self.waiting, ready_at=now + wait)
        return None

    def ended(self) -> Ending:
        """The end of a host that has no more to give, for ever or for this turn."""
        site, deferred = self.site, tuple(self._deferred)
        if self.waiting and not site.finished:
            reason = f"turn over after {site.fetched} pages"
            return Ending(self.lease, EndKind.TURN, reason, waiting=self.waiting, deferred=deferred)
        full = site.fetched >= self.rules.settings.frontier.pages_per_host
        reason = f"{'page limit reached' if full else 'complete'}: {site.fetched} pages"
        if deferred:
            reason += f"; {len(deferred)} deferred"
        return Ending(self.lease, EndKind.FULL if full else EndKind.COMPLETE, reason, deferred=deferred)


def _behind_deferred(ticket: Ticket) -> bool:
    """Whether a page was found on one that was deferred."""
    return DEFERRED in ticket.trail and not ticket.trail.endswith(DEFERRED)
