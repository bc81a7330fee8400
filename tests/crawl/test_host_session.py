"""A host that is opened: which sitemaps it reads, given what an earlier turn left."""

import logging
from dataclasses import replace

import pytest

from fieldmouse.crawl.host_session import HostSession
from fieldmouse.crawl.study import Rules
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.settings import Settings
from fieldmouse.types import HostLease, Ticket
from fieldmouse.urls import Canon
from fieldmouse.web.robots import Robots

MAP = "http://a.test/map.xml"
NOW = 1_800_000_000.0  # in 2027
HOME = Ticket(url="http://a.test/", host="a.test")


def opened(*, fetched: int, known: tuple[str, ...], waiting: tuple[Ticket, ...]) -> HostSession:
    settings = Settings()
    lease = HostLease(id=1, name="a.test", fetched=fetched, known=known, waiting=waiting)
    return HostSession(lease, Rules(settings, Canon(), CrawlScope(settings.scope, ["a.test"])), NOW)


@pytest.mark.parametrize(
    ("fetched", "known", "reads"),
    [
        (0, (), True),
        (3, (MAP, "http://a.test/a"), False),
        (0, (MAP,), False),  # it was read and committed before the first page; then the power went
        (0, (MAP, HOME.url), True),  # every page is visited once more
    ],
)
def test_a_sitemap_is_read_once_unless_all_is_visited_again(
    fetched: int, known: tuple[str, ...], reads: bool
) -> None:
    host = opened(fetched=fetched, known=known, waiting=(HOME,))
    host.note_sitemaps([MAP])
    assert list(host.sitemaps.waiting) == ([MAP] if reads else [])


def test_a_delay_that_is_cut_is_warned_of_when_the_rules_are_new(caplog: pytest.LogCaptureFixture) -> None:
    """A daemon opens a host for each page that comes due, and remembers its rules for a day."""
    rules = Robots(crawl_delay=900.0)
    host = opened(fetched=3, known=(), waiting=(HOME,))
    borrowed = HostSession(replace(host.lease, borrowed=True), host.rules, NOW)
    for one, new, level in (
        (host, False, logging.WARNING),
        (borrowed, False, logging.INFO),
        (borrowed, True, logging.WARNING),
    ):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            one.obey(rules, "http://a.test", new=new)
            assert one.crawl_delay == 60.0
        assert [record.levelno for record in caplog.records] == [level]


def test_calendar_pages_of_years_to_come_are_a_trap() -> None:
    host = opened(fetched=0, known=(), waiting=(HOME,))
    assert host.traps.reject("http://a.test/calendar/2028/05/") == ""
    assert "calendar of the year 2031" in host.traps.reject("http://a.test/calendar/2031/05/")
