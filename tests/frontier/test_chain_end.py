"""Where chains of numbered pages would be after many more pages, and whether they have an end."""

import pytest

from fieldmouse.frontier.chain_end import FAR, EndQuestion, further
from fieldmouse.types import Ticket

SITE = "http://a.test"


def steps(*pairs: tuple[str, str], year: int = 2028) -> tuple[list[str], int]:
    found, ended = further(
        [Ticket(url=SITE + url, host="a.test", via=SITE + via) for via, url in pairs], year
    )
    return [one.removeprefix(SITE) for one in found], ended


@pytest.mark.parametrize(
    ("via", "url", "far"),
    [
        ("/ferry?date=2026-01-01", "/ferry?date=2026-01-02", "/ferry?date=2028-09-28"),
        ("/part/100", "/part/101", f"/part/{101 + FAR}"),
        ("/part/0990", "/part/0991", f"/part/{991 + FAR}"),
        ("/c?m=12&y=2026", "/c?m=1&y=2027", "/c?m=11&y=2111"),
        ("/c/2026/05", "/c/2026/04", "/c/1944/02"),
        ("/d/20261231", "/d/20270101", "/d/20290927"),
        ("/d/202612", "/d/202701", "/d/211111"),
        ("/d/2026-01-01/room/5", "/d/2026-01-02/room/5", "/d/2028-09-28/room/5"),
        ("/w/index?new=2&old=1", "/w/index?new=3&old=1", "/w/index?new=1003&old=1"),
    ],
)
def test_a_chain_is_followed_by_its_step(via: str, url: str, far: str) -> None:
    assert steps((via, url)) == ([far], 0)


@pytest.mark.parametrize(
    ("via", "url"), [("/a/1", "/b/2"), ("/c?o=-5", "/c?o=-10"), ("/m?a=1&b=2", "/m?a=2&b=3"), ("/x", "/y")]
)
def test_nothing_is_said_of_a_step_that_is_unclear(via: str, url: str) -> None:
    assert steps((via, url)) == ([], 0)


def test_a_chain_that_counts_down_ends_at_zero() -> None:
    assert steps(("/p/7", "/p/6")) == ([], 1)


def test_where_months_have_names_the_year_is_moved() -> None:
    assert steps(("/2004/dec", "/2005/jan")) == (["/2045/jan", "/1965/jan"], 0)


def test_days_that_are_still_far_ahead_are_no_archive() -> None:
    assert steps(("/c/2031/05", "/c/2031/06")) == ([], 0)
    assert steps(("/2031/may", "/2031/june")) == ([], 0)


def test_each_kind_of_step_is_followed_once() -> None:
    days = [("/d/2026-05-01", "/d/2026-05-02"), ("/d/2026-06-01", "/d/2026-06-02")]
    months = [("/d/2026-05-01", "/d/2026-06-01"), ("/d/2026-03-01", "/d/2026-04-01")]
    found, _ = steps(*days, *months)
    assert found == ["/d/2029-01-26", "/d/2111-04-17"]


SAYS, OTHER, LINKS = frozenset({"no such part"}), frozenset({"part of a thing"}), [f"{SITE}/p/1102"]


def asked() -> EndQuestion:
    return EndQuestion([f"{SITE}/p/1101"], set())


def test_a_chain_ends_where_there_is_no_page_or_one_that_leads_nowhere() -> None:
    assert asked().answered(f"{SITE}/p/1101", None, [], new=False) is True
    assert asked().answered(f"{SITE}/p/1101", OTHER, [], new=False) is True


def test_a_page_that_says_the_same_anywhere_is_a_missing_page_if_no_other_page_says_that() -> None:
    question = asked()
    assert question.answered(f"{SITE}/p/1101", SAYS, LINKS, new=True) is None
    assert question.next_url == f"{SITE}/p/1101738"
    assert question.answered(question.next_url, SAYS, [f"{SITE}/p/1101739"], new=False) is True


def test_a_page_that_is_known_text_with_links_of_its_own_goes_on() -> None:
    question = asked()
    assert question.answered(f"{SITE}/p/1101", OTHER, LINKS, new=False) is None
    assert question.answered(question.next_url, OTHER, [f"{SITE}/p/1101739"], new=False) is False


def test_the_last_page_shown_for_any_number_is_an_end() -> None:
    question = asked()
    assert question.answered(f"{SITE}/p/1101", OTHER, LINKS, new=False) is None
    assert question.answered(question.next_url, OTHER, LINKS, new=False) is True
