"""Lines of access logs: formats, hosts, time zones, garbage; and which requests are visits of readers."""

import pytest

from fieldmouse.behaviour import access_log
from fieldmouse.behaviour.access_log import LogFilter, LogRequest, parse_line

COMMON = '192.0.2.7 - ann [10/Oct/2026:13:55:36 -0700] "GET /a/b.html?x=1 HTTP/1.0" 200 2326'
COMBINED = COMMON + ' "http://example.org/start.html" "Mozilla/5.0 (X11; Linux) Firefox/130"'
TIME = 1791665736.0


def read(line: str) -> LogRequest:
    found = parse_line(line)
    assert isinstance(found, LogRequest), found
    return found


def test_common_and_combined() -> None:
    one = read(COMMON)
    assert (one.time, one.method, one.target, one.status, one.size) == (
        TIME,
        "GET",
        "/a/b.html?x=1",
        200,
        2326,
    )
    assert (one.host, one.agent) == ("", "")
    two = read(COMBINED)
    assert two.agent == "Mozilla/5.0 (X11; Linux) Firefox/130"
    assert two.client != one.client
    assert two._replace(client="", agent="") == one._replace(client="", agent="")


@pytest.mark.parametrize(
    ("line", "host", "scheme", "target"),
    [
        ("www.example.org:443 " + COMBINED, "www.example.org", "https", "/a/b.html?x=1"),
        ("www.example.org:80 " + COMMON, "www.example.org", "", "/a/b.html?x=1"),
        ("www.example.org:8080 " + COMMON, "www.example.org:8080", "", "/a/b.html?x=1"),
        (COMMON.replace("/a/b", "http://Other.example/a/b"), "other.example", "http", "/a/b.html?x=1"),
        (COMMON.replace("/a/b.html?x=1", "https://other.example"), "other.example", "https", "/"),
        (COMMON.replace("- ann", "- ann of the hill"), "", "", "/a/b.html?x=1"),
        (COMMON.replace("192.0.2.7", "2001:db8::17"), "", "", "/a/b.html?x=1"),
        (
            "[2001:db8::1]:443 2001:db8::17 " + COMMON.partition(" ")[2],
            "[2001:db8::1]",
            "https",
            "/a/b.html?x=1",
        ),
        (COMMON.replace(" HTTP/1.0", ""), "", "", "/a/b.html?x=1"),
    ],
)
def test_where_the_host_is(line: str, host: str, scheme: str, target: str) -> None:
    one = read(line)
    assert (one.host, one.scheme, one.target, one.time) == (host, scheme, target, TIME)


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        ('"-" "Mozilla \\"quoted\\" browser"', 'Mozilla \\"quoted\\" browser'),
        ('"-" "Mozilla "bare" browser"', 'Mozilla "bare" browser'),
        ('"http://x/?q="a"" "M"', "M"),
        ('"-" "Mozilla" 0.003 example', "Mozilla"),
        ('"-" ""', ""),
    ],
)
def test_quotes_in_user_agents(text: str, agent: str) -> None:
    assert read(f"{COMMON} {text}").agent == agent


def test_time_zones_and_leap_seconds() -> None:
    assert read(COMMON.replace("13:55:36 -0700", "20:55:36 +0000")).time == TIME
    assert read(COMMON.replace("10/Oct/2026:13:55:36 -0700", "11/Oct/2026:02:25:36 +0530")).time == TIME
    assert read(COMMON.replace(":55:36", ":59:60")).time == read(COMMON.replace("13:55:36", "14:00:00")).time


@pytest.mark.parametrize(
    "line",
    [
        "", "\n", "garbage", "\x00\x01\x02" * 100, "[" * 5000, '"' * 5000, "a " * 3000, COMMON[:40],
        COMMON.replace("200", "2000000"), COMMON.replace("Oct", "Okt"), COMMON.replace("10/", "99/"),
        COMMON.replace("13:", "25:"), COMMON.replace("-0700", "+9900"),
        COMMON.replace("2026", "0000"), COMMON.replace("GET /", "GET http://[/"),
    ],
)  # fmt: skip
def test_garbage_has_a_reason(line: str) -> None:
    assert parse_line(line) in (access_log.GARBAGE, access_log.NO_TIME)


def request(target: str = "/", agent: str = "Mozilla/5.0 Firefox/130", **more: object) -> LogRequest:
    one = LogRequest("", "", f"192.0.2.1\0\0{agent}", TIME, "GET", target, 200, 10, agent)
    return one._replace(**more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (request(), ""),
        (request("/a?b=c.png"), ""),
        (request("/v1.2/manual"), ""),
        (request("/page", status=304), ""),
        (request("/", agent=""), ""),
        (request("/logo.PNG?v=2"), access_log.ASSET),
        (request("/favicon.ico"), access_log.ASSET),
        (request("/blog/feed/"), access_log.FEED),
        (request("/?flav=rss20"), access_log.FEED),
        (request("/", agent="Mozilla/5.0 (compatible; Googlebot/2.1)"), access_log.PROGRAM),
        (request("/", agent="curl/8.1"), access_log.PROGRAM),
        (request("/", method="POST"), access_log.METHOD),
        (request("/", status=404), access_log.STATUS),
        (request("/", status=301), access_log.STATUS),
        (request("*"), access_log.GARBAGE),
    ],
)
def test_which_requests_are_visits(one: LogRequest, reason: str) -> None:
    assert LogFilter().reject(one) == reason


def test_entries_of_the_user_are_added() -> None:
    chosen = LogFilter(bots=["Firefox/130"], assets=[".html"])
    assert chosen.reject(request()) == access_log.PROGRAM
    assert chosen.reject(request("/a.html", agent="Opera")) == access_log.ASSET


def test_who_asks_for_robots_txt_is_a_program_from_then_on() -> None:
    chosen = LogFilter()
    assert chosen.reject(request("/a")) == ""
    assert chosen.reject(request("/robots.txt", status=404)) == access_log.PROGRAM
    assert chosen.reject(request("/b")) == access_log.PROGRAM
    assert chosen.reject(request("/b", agent="Opera")) == ""


def test_one_user_with_very_many_visits_counts_to_a_limit_each_day() -> None:
    chosen = LogFilter()
    found = [chosen.reject(request(f"/{n}")) for n in range(access_log.MOST_A_DAY + 5)]
    assert found.count("") == access_log.MOST_A_DAY
    assert found[-1] == access_log.TOO_MANY
    assert chosen.reject(request(time=TIME + 86_400)) == ""
    assert chosen.reject(request()) == access_log.TOO_MANY, "a clock that goes back does not begin anew"


def test_very_many_users_of_a_day_take_no_longer_each() -> None:
    chosen = LogFilter()
    for number in range(access_log.CACHED + 20_000):  # an earlier rule went over all of them for each line
        assert not chosen.reject(request(client=str(number)))
