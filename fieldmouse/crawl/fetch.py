"""The three kinds of request a host gets: its robots.txt, its sitemaps, its pages."""

import asyncio
from collections.abc import Callable, Mapping

from fieldmouse.settings import Settings
from fieldmouse.types import Failure, Finding, Response, Ticket, Trouble
from fieldmouse.web import politeness
from fieldmouse.web.http_client import HttpClient
from fieldmouse.web.robots import Robots
from fieldmouse.web.sitemaps import parse as parse_sitemap

from .host_session import HostSession
from .progress import Batch, Progress

# A sitemap larger than this is read in a thread, so that other hosts need not wait for it.
LARGE_SITEMAP = 100_000


class Fetcher:
    """Asks, and puts what comes back into the host's table and into the basket."""

    def __init__(
        self,
        web: HttpClient,
        settings: Settings,
        progress: Progress,
        basket: Callable[[], Batch],
        opened: Mapping[str, HostSession],
    ) -> None:
        self.web = web
        self.settings = settings
        self.progress = progress
        self.basket = basket  # the one that is open now
        self.opened = opened  # hosts by name

    async def page(self, host: HostSession, ticket: Ticket) -> float | None:
        """Ask for a page; how long to leave the host alone, if longer than usual."""
        outcome = await self.web.exchange(ticket)
        pause = politeness.pause(outcome, host.site.tries(ticket.url), self.settings.manners, self.web.now())
        self.progress.count(outcome)
        host.failures = host.failures + 1 if pause.strike else 0
        if pause.drop_host:
            host.dropped = pause.why
        finding = host.settle(ticket, outcome, pause)
        self.progress.judge(finding)
        self.basket().keep(finding)
        if host.rules.focus is not None:
            self._tell_open(finding)
        return pause.wait or None

    def _tell_open(self, finding: Finding) -> None:
        """Let hosts that are open hear at once of their pages found elsewhere: the best page goes first."""
        for one in finding.outside:
            if one.wanted and (host := self.opened.get(one.host)) is not None:
                host.enter(one, finding.ticket.url)

    async def robots(self, host: HostSession, origin: str) -> None:
        """Ask what an origin allows."""
        hops = await self.web.follow(Ticket(url=f"{origin}/robots.txt", host=host.name, via="robots"))
        robots = Robots.from_outcome(hops, self.settings.manners, host.rules.agent)
        self.basket().robots.append(robots.to_record(hops[-1], origin, self.settings.manners, self.web.now()))
        host.obey(robots, origin, new=True)
        if robots.temporary and robots.verdict is False:
            host.dropped = robots.reason
            last = hops[-1]
            self.failed(host, last.trouble if isinstance(last, Failure) else Trouble.ROBOTS, robots.reason)

    def failed(self, host: HostSession, trouble: Trouble, detail: str) -> None:
        """A host that cannot be asked for anything: the first page that waits there says why."""
        ticket = host.site.take()
        if ticket is not None:
            failure = Failure(url=ticket.url, trouble=trouble, detail=detail, began=self.web.now())
            self.progress.count(failure)
            self.basket().keep(host.settle(ticket, failure, politeness.Pause(again=True, why=detail)))

    async def sitemap(self, host: HostSession, url: str) -> None:
        """Ask for a sitemap and offer the pages it names."""
        ticket = Ticket(url=url, host=host.name, via="robots.txt", trail="S")
        outcome = await self.web.exchange(ticket)
        self.progress.visits += 1
        if not isinstance(outcome, Response) or outcome.status != 200:
            self.basket().keep(Finding(ticket=ticket, outcome=outcome, note="sitemap"))
            return
        if len(outcome.content) > LARGE_SITEMAP:
            found = await asyncio.to_thread(parse_sitemap, outcome.content, url)
        else:
            found = parse_sitemap(outcome.content, url)
        host.note_sitemaps(one.url for one in found.maps)
        inside, skipped = host.take_sitemap(found.pages, url)
        note = f"sitemap: {len(found.pages)} pages, {len(inside)} of them new"
        note += f"; {found.problems[0]}" if found.problems else ""
        self.basket().keep(
            Finding(
                ticket=ticket,
                outcome=outcome,
                inside=tuple(inside),
                skipped=tuple(skipped),
                announced=host.announced(found.pages, url),
                announcer="feed" if url in host.lease.feeds else "sitemap",
                note=note,
            )
        )
