"""A host that is opened: which sitemaps it reads, given what an earlier turn left."""

import pytest

from fieldmouse.crawl.host import OpenHost
from fieldmouse.crawl.study import Rules
from fieldmouse.frontier.scope import Scope
from fieldmouse.settings import Settings
from fieldmouse.types import HostLease, Ticket
from fieldmouse.urls import Canon

MAP = "http://a.test/map.xml"
HOME = Ticket(url="http://a.test/", host="a.test")


def opened(*, fetched: int, known: tuple[str, ...], waiting: tuple[Ticket, ...]) -> OpenHost:
    settings = Settings()
    lease = HostLease(id=1, name="a.test", fetched=fetched, known=known, waiting=waiting)
    return OpenHost(lease, Rules(settings, Canon(), Scope(settings.scope, ["a.test"])))


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
