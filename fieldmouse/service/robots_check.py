"""Fetches the robots.txt of one server, for the command that checks it before a crawl."""

import asyncio
from dataclasses import dataclass

from fieldmouse.errors import UsageError
from fieldmouse.settings import Settings
from fieldmouse.types import Outcome, Response, Ticket
from fieldmouse.urls import host_key, origin
from fieldmouse.web.http_client import HttpClient
from fieldmouse.web.robots import Robots

from .setup import canon, check_contact, guard


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsAnswer:
    """What a robots.txt means for one URL."""

    url: str
    robots_url: str
    answer: str
    reached: bool  # the server answered
    allowed: bool
    rule: str
    crawl_delay: float | None
    sitemaps: tuple[str, ...]


def ask_robots(settings: Settings, address: str) -> RobotsAnswer:
    """Fetch the robots.txt of a URL, and apply it to the URL."""
    check_contact(settings)
    url = canon(settings)(address if "://" in address else f"http://{address}")
    if url is None:
        raise UsageError(f"{address!r} is not an http or https URL")
    place = f"{origin(url)}/robots.txt"

    async def fetch() -> tuple[Outcome, ...]:
        async with HttpClient(settings, guard=guard(settings)) as web:
            return await web.follow(Ticket(url=place, host=host_key(url)))

    hops = asyncio.run(fetch())
    robots = Robots.from_outcome(hops, settings.manners, settings.crawl.product_token)
    last = hops[-1]
    answer = str(last.status) if isinstance(last, Response) else f"{last.trouble.value}: {last.detail}"
    return RobotsAnswer(
        url=url,
        robots_url=place,
        answer=answer,
        reached=isinstance(last, Response),
        allowed=robots.allows(url),
        rule=robots.rule(url),
        crawl_delay=robots.crawl_delay,
        sitemaps=robots.sitemaps,
    )
