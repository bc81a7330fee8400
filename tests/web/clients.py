"""What the tests of the HTTP client share: a client that may only go to the test network."""

import asyncio
from dataclasses import replace

from fieldmouse.settings import CrawlSettings, Settings
from fieldmouse.settings import WebSettings as Limits
from fieldmouse.types import Failure, Outcome, Response, Ticket
from fieldmouse.web.http_client import HttpClient
from tests.servers import ALLOWED


def settings(**limits) -> Settings:
    given = {"allow_addresses": ALLOWED, "timeout": 5.0, "dns_timeout": 0.5} | limits
    return Settings(crawl=CrawlSettings(contact="https://crawler.test/"), web=Limits(**given))


def ticket(url: str, **more) -> Ticket:
    return Ticket(url=url, host="", **more)


def fetch(*urls: str, run=asyncio.run, follow: bool = False, **limits) -> list:
    """Fetch addresses one after the other with one client."""

    async def main():
        async with HttpClient(settings(**limits)) as web:
            method = web.follow if follow else web.exchange
            return [await method(ticket(url)) for url in urls]

    return run(main())


def fetch_one(url: str, **limits) -> Response:
    (outcome,) = fetch(url, **limits)
    assert isinstance(outcome, Response), outcome
    return outcome


def fail_one(url: str, **limits) -> Failure:
    (outcome,) = fetch(url, **limits)
    assert isinstance(outcome, Failure), outcome
    return outcome


def conditional(outcome: Outcome) -> Ticket:
    assert isinstance(outcome, Response)
    return replace(
        ticket(outcome.url), etag=outcome.header("etag"), last_modified=outcome.header("last-modified")
    )
