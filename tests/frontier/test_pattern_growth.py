"""Whether what waits on a host has an end."""

from fieldmouse.frontier.pattern_growth import ENOUGH, PatternGrowth

INF = float("inf")


def grown(*pages: tuple[str, list[str]]) -> PatternGrowth:
    growth = PatternGrowth()
    for _ in range(ENOUGH):
        for pattern, fresh in pages:
            growth.learn(pattern, fresh)
    return growth


def test_a_month_that_leads_to_the_next_has_no_end() -> None:
    growth = grown(("/month", ["/month"]))
    assert growth.endless() == {"/month"}
    assert not growth.ends("/month", 1, INF, growth.endless())


def test_stops_lines_and_times_end_however_many_there_are() -> None:
    growth = grown(("/stop", ["/line"] * 6), ("/line", ["/times"] * 3), ("/times", []))
    assert growth.endless() == set()
    assert all(growth.ends(one, 100_000, 1, set()) for one in ("/stop", "/line", "/times"))


def test_days_of_months_without_end_are_not_all_fetched() -> None:
    growth = grown(("/month", ["/month", *["/day"] * 30]), ("/day", []))
    endless = growth.endless()
    assert endless == {"/month"}
    assert not growth.ends("/day", 30 * ENOUGH, INF, endless)
    # Most of those that wait were found elsewhere.
    assert growth.ends("/day", 100 * ENOUGH, INF, endless)


def test_two_patterns_that_lead_to_each_other_have_no_end() -> None:
    assert grown(("/a", ["/b"]), ("/b", ["/a"])).endless() == {"/a", "/b"}


def test_a_pattern_that_brings_less_and_less_ends() -> None:
    growth = grown(("/list", ["/list"] * 9))
    assert growth.endless() == {"/list"}
    for _ in range(300):
        growth.learn("/list", [])
    assert growth.endless() == set()
    assert growth.ends("/list", 50, 50, set())
    assert not growth.ends("/list", 51, 50, set())


def test_nothing_is_said_of_a_pattern_that_was_hardly_seen() -> None:
    growth = PatternGrowth()
    assert not growth.ends("/new", 5, INF, set())
    growth.learn("/new", [])
    assert not growth.ends("/new", 5, INF, set())
    growth.learn("/new", [])
    assert growth.ends("/new", 5, INF, set())
