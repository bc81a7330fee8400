"""The three kinds of request a host gets: its robots.txt, its sitemaps, its pages."""

import asyncio
from collections.abc import Mapping

from fieldmouse.frontier.pattern_credit import PROBE
from fieldmouse.settings import Settings
from fieldmouse.types import Failure, Finding, KnownPage, Outcome, Response, Ticket, Trouble
from fieldmouse.urls import host_key
from fieldmouse.web import politeness
from fieldmouse.web.http_client import HttpClient
from fieldmouse.web.politeness import FINE, Pause
from fieldmouse.web.robots import Robots
from fieldmouse.web.sitemaps import parse as parse_sitemap

from .host_session import HostSession
from .progress import Progress
from .writer import Writer

# A sitemap larger than this is read in a thread, so that other hosts need not wait for it.
LARGE_SITEMAP = 100_000


class Fetcher:
    """Makes one request; recalls, studies and hands over what comes back."""

    def __init__(
        self,
        web: HttpClient,
        settings: Settings,
        progress: Progress,
        writer: Writer,
        opened: Mapping[str, HostSession],
    ) -> None:
        self.web = web
        self.settings = settings
        self.progress = progress
        self.writer = writer
        self.opened = opened  # hosts by name

    async def page(self, host: HostSession, ticket: Ticket) -> float | None:
        """Fetch a page; how long to leave the host alone, if longer than usual."""
        outcome = await self.web.exchange(ticket)
        pause = politeness.pause(outcome, host.site.tries(ticket.url), self.settings.manners, self.web.now())
        self.progress.count(outcome)
        host.failures = host.failures + 1 if pause.strike else 0
        if pause.drop_host:
            host.dropped = pause.why
        if ticket.trail == PROBE:
            host.settle_probe(ticket, outcome)
        else:
            await self.settle(host, ticket, outcome, pause)
        return pause.wait or None

    async def settle(self, host: HostSession, ticket: Ticket, outcome: Outcome, pause: Pause = FINE) -> None:
        """Recall what is known of a page, study the outcome of its visit, and add it to the next commit."""
        past = await self._recall(host, ticket, outcome)
        finding = host.settle(ticket, outcome, past, pause)
        self._add(host, finding)
        self.progress.judge(finding)
        if host.rules.focus is not None:
            # Hosts that are open learn at once of their pages found elsewhere: the best page goes first.
            for one in finding.outside:
                if one.wanted and (other := self.opened.get(one.host)) is not None:
                    other.enter(one, finding.ticket.url)
            for url, score in host.rules.focus.guide.risen():
                if (other := self.opened.get(host_key(url))) is not None:
                    other.site.rescore(url, score)

    async def _recall(self, host: HostSession, ticket: Ticket, outcome: Outcome) -> KnownPage | None:
        """What the store knows of a page; a page of a first crawl costs no query."""
        if not host.visited(ticket.url):
            return None
        return await self.writer.recall(ticket, outcome, noisy=host.noise is not None)

    def _add(self, host: HostSession, finding: Finding) -> None:
        if host.lost:
            return
        self.writer.batch.add(finding, host.lease)
        if host.noise_learned and host.noise is not None:
            self.writer.batch.noise[host.name] = host.noise
            host.noise_learned = False

    async def robots(self, host: HostSession, origin: str) -> None:
        """Fetch the robots.txt of an origin."""
        hops = await self.web.follow(Ticket(url=f"{origin}/robots.txt", host=host.name, via="robots"))
        robots = Robots.from_outcome(hops, self.settings.manners, host.rules.agent)
        self.writer.batch.robots.append(
            robots.to_record(hops[-1], origin, self.settings.manners, self.web.now())
        )
        host.obey(robots, origin, new=True)
        if robots.temporary and robots.verdict is False:
            host.dropped = robots.reason
            last = hops[-1]
            await self.failed(
                host, last.trouble if isinstance(last, Failure) else Trouble.ROBOTS, robots.reason
            )

    async def failed(self, host: HostSession, trouble: Trouble, detail: str) -> None:
        """Record why a host cannot be visited, as the outcome of the first page that waits there."""
        ticket = host.site.take()
        if ticket is not None:
            failure = Failure(url=ticket.url, trouble=trouble, detail=detail, began=self.web.now())
            self.progress.count(failure)
            await self.settle(host, ticket, failure, Pause(again=True, why=detail))

    async def sitemap(self, host: HostSession, url: str) -> None:
        """Fetch a sitemap and offer the pages it names."""
        ticket = Ticket(url=url, host=host.name, via="robots.txt", trail="S")
        outcome = await self.web.exchange(ticket)
        self.progress.visits += 1
        sitemap = None
        if isinstance(outcome, Response) and outcome.status == 200:
            if len(outcome.content) > LARGE_SITEMAP:
                sitemap = await asyncio.to_thread(parse_sitemap, outcome.content, url)
            else:
                sitemap = parse_sitemap(outcome.content, url)
        past = await self._recall(host, ticket, outcome)
        self._add(host, host.settle_sitemap(ticket, outcome, past, sitemap))
