"""Traps are rejected, and ordinary sites are left alone."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse import urls
from fieldmouse.frontier import traps as module
from fieldmouse.frontier.traps import TrapDetector
from fieldmouse.settings import ScopeSettings as Limits

SITE = "http://example.com"
YEAR = 2026


CAPS = {"trap_pattern_pages": 500, "trap_calendar_pages": 60, "trap_content": False}


def verdicts(paths, **limits) -> list[str]:
    traps = TrapDetector(Limits(**{**CAPS, **limits}), YEAR)
    return [traps.reject(SITE + path) for path in paths]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a/a/a/",
        "/en/docs/en/docs",
        "/a/b/a/c/a/",
        "/2024/05/12/a-title",
        "/2024/05/",
        "/2050/05/",
        "/item/2100/5",
        "/docs/3.11/library/os.html",
        "/search?q=a&q=b&q=c",
        "/shop?color[]=1&color[]=2&color[]=3&color[]=4&color[]=5",
        "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/",
        "/a?path=/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/",
        "/prevents/2050/05",
    ],
)
def test_ordinary_addresses(path):
    assert verdicts([path]) == [""]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a/a/a/a", "trap: path repeats a 4 times"),
        ("/a/x/a/y/a/z/a/", "trap: path repeats a 4 times"),
        ("/a/b/a/b/a/b", "trap: path repeats a/b"),
        ("/x/a/b/c/a/b/c/a/b/c/d", "trap: path repeats a/b/c"),
        ("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "trap: path of more than 16 segments"),
        ("/list?page=1&page=2&page=3&page=4", "trap: query repeats page 4 times"),
        ("/calendar/2031/05/", "trap: calendar of the year 2031"),
        ("/events/2031-05-12", "trap: calendar of the year 2031"),
        ("/month/2031/", "trap: calendar of the year 2031"),
        ("/cal.php?month=5&year=2031", "trap: calendar of the year 2031"),
        ("/?date=12%2F05%2F2031", "trap: calendar of the year 2031"),
        ("/?eventDay=2031-05-12", "trap: calendar of the year 2031"),
        ("/?date=20310512", "trap: calendar of the year 2031"),
    ],
)
def test_one_address_is_enough(path, reason):
    assert verdicts([path]) == [reason]


def test_the_settings_move_the_limits():
    assert verdicts(["/a/a/a/a"], trap_repeats=4) == [""]
    assert verdicts(["/a/a/a/a"], trap_content=True) == [""], "it is judged by what it brings"
    assert verdicts(["/a/a"], trap_repeats=1) == ["trap: path repeats a 2 times"]
    assert verdicts(["/a/b/c"], trap_segments=2) == ["trap: path of more than 2 segments"]
    assert verdicts(["/a/a/a/a", "/1/" * 20], traps=False) == ["", ""]


@pytest.mark.parametrize(
    "path",
    [
        "/calendar/{}/{}/",
        "/events/{}-{}",
        "/calendar?year={}&month={}",
        "/?month={}-{:02}",
        "/x?tx_cal[year]={}&tx_cal[month]={}",
    ],
)
def test_calendars_end(path):
    months = [path.format(year, month) for year, month in product(range(1990, 2027), range(1, 13))]
    found = verdicts(months)
    assert found[:60] == [""] * 60
    assert set(found[60:]) == {"trap: more than 60 pages of a calendar"}


def test_a_calendar_that_never_names_the_year_ends():
    found = verdicts([f"/?week={week % 53}&x={week}" for week in range(100)])
    assert found.index("trap: more than 60 pages of a calendar") == 60


def test_a_blog_of_twenty_years_is_no_calendar():
    days = product(range(2005, 2026), range(1, 13), (1, 9, 17, 25))
    paths = [f"/{y}/{m:02}/{d:02}/post-of-that-day" for y, m, d in days]
    paths += [f"/{y}/{m:02}/" for y, m in product(range(2005, 2026), range(1, 13))]
    paths += [
        f"/archive/{y}/{m:02}/{d:02}/" for y, m, d in product(range(2005, 2026), range(1, 13), range(1, 9))
    ]
    assert set(verdicts(paths)) == {""}


def test_pagination_is_no_calendar():
    assert set(verdicts(f"/list?start={number}" for number in range(100))) == {""}
    assert set(verdicts(f"/forum?scale={number}&candidate=2024" for number in range(100))) == {""}


def test_endless_numbers_end():
    found = verdicts(f"/list?page={number}&sort={number % 2}" for number in range(600))
    assert set(found[:500]) == {""}
    assert set(found[500:]) == {"trap: more than 500 pages like /list?page&sort"}


def test_without_caps_numbers_and_months_are_left_to_what_they_bring():
    paths = [f"/list?page={number}" for number in range(6000)]
    paths += [
        f"/calendar?year={year}&month={month}" for year, month in product(range(1990, 2027), range(1, 13))
    ]
    traps = TrapDetector(Limits(), YEAR)
    assert {traps.reject(SITE + path) for path in paths} == {""}


def test_the_order_of_parameters_is_no_new_shape():
    found = verdicts(["/l?a=1&b=2", "/l?b=3&a=4"], trap_pattern_pages=1)
    assert found == ["", "trap: more than 1 pages like /l?a&b"]


def test_numbered_articles_may_be_many():
    found = verdicts(f"/article/{number}" for number in range(6000))
    assert set(found[:5000]) == {""}
    assert set(found[5000:]) == {"trap: more than 5000 pages like /article/0"}


def test_tokens_are_one_shape():
    paths = [f"/view/{number:08x}deadbeef{number:08x}/go" for number in range(25)]
    found = verdicts(paths, trap_pattern_pages=2)
    assert set(found[:20]) == {""}
    assert set(found[20:]) == {"trap: more than 20 pages like /view/*/go"}


def test_sessions_in_the_path_end():
    paths = [f"/(S({number:024d}))/page.aspx" for number in range(5)]
    assert verdicts(paths) == ["", "", "", "trap: session ids in the path", "trap: session ids in the path"]
    same = "/(S(4hqa0555fwsecu455xqckv45))"
    assert set(verdicts(f"{same}/page{chr(97 + number)}.aspx" for number in range(26))) == {""}


def test_after_a_restart_the_counts_go_on():
    fresh = TrapDetector(Limits(trap_pattern_pages=3, trap_calendar_pages=2), YEAR)
    for path in ("/l?p=1", "/l?p=2", "/l?p=3", "/?day=1", "/?day=2"):
        fresh.reject(SITE + path)
    assert fresh.reject(SITE + "/l?p=4") == "trap: more than 3 pages like /l?p"
    assert fresh.reject(SITE + "/?day=3") == "trap: more than 2 pages of a calendar"


def test_without_a_year_calendars_only_have_a_number():
    assert TrapDetector(Limits()).reject(SITE + "/calendar/2031/05/") == ""


def test_a_host_cannot_fill_the_memory():
    traps = TrapDetector(Limits(**CAPS))
    for number in range(200):
        traps.reject(f"{SITE}/popular?page={number}")
    for number in range(module.SHAPES + 100):
        word = f"{number:b}".translate({48: "a", 49: "b"})
        traps.reject(f"{SITE}/{word}?x=1")
    assert len(traps._shapes) <= module.SHAPES
    found = [traps.reject(f"{SITE}/popular?page={number}") for number in range(200, 600)]
    assert found.index("trap: more than 500 pages like /popular?page") == 300


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(["a", "b/", "/", "12", "2024", "?", "&", "day=", "=", "(S(", "x" * 30, "é"]),
        max_size=30,
    )
)
def test_no_canonical_address_raises(pieces):
    url = urls.Canon()(f"{SITE}/" + "".join(pieces))
    assert url is not None
    reason = TrapDetector(Limits(), YEAR).reject(url)
    assert reason == "" or reason.startswith("trap: ")
