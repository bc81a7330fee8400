"""Access logs of web servers as visits of readers: Common and Combined Log Format, with or without the host.

A line is a request, or the reason why it is none. A request is a visit if a person is likely to have asked
for a page and got it; `log_filter.toml` lists programs, and what is no page. Nothing raises: logs hold
whatever clients sent.
"""

import re
import tomllib
from calendar import timegm
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

LONGEST_LINE = 65_536
MOST_A_DAY = 1000  # visits of one user; a reader does not make more
CACHED = 100_000
DAYS_COUNTED = 3  # in which visits of a user are counted: a log is nearly in the order of time
FARTHEST_ZONE = 14 * 3600

# Most lines have no bracket before the time, and no quotes inside of quotes; the second form is for others.
_PLAIN_LINE = re.compile(
    r'([^\[]{1,2000}) \[([^\]]{17}):(\d\d) ([+-]\d{4})\] "([^"]*)" (\d{3}) (\d+|-)'
    r'(?: "([^"]*)" "([^"]*)")?[^"]*$'
)
_LINE = re.compile(
    r'(.{1,2000}?) \[([^\]]{17}):(\d\d) ([+-]\d{4})\] "(.*?)" (\d{3}) (\d+|-)(?: "(.*?)" "(.*)")?'
)
_MINUTE = re.compile(r"(\d\d)/([A-Za-z]{3})/(\d{4}):(\d\d):(\d\d)")
_MONTHS = {
    name: number
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)  # noqa: SIM905
}
_HOST = re.compile(r"[\w.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")

# Why a line is no visit, in the words of reports.
GARBAGE, NO_TIME, METHOD, STATUS = (
    "not a log line",
    "impossible time",
    "method other than GET",
    "no page sent",
)
NO_HOST, PROGRAM, ASSET, FEED = "no host: give --host", "program (bot)", "part of a page (asset)", "feed"
TOO_MANY = f"more than {MOST_A_DAY:,} visits of one user on one day"
FUTURE, OLD, NO_URL = "in the future", "older than serve.visit_days", "not an http or https address"
LONG_URL = "address longer than scope.max_url"
# A page was sent, or was still the one that the reader had.
_SENT = frozenset({200, 206, 304})


class LogRequest(NamedTuple):
    """One line of an access log."""

    host: str  # empty if the log does not say
    scheme: str  # empty if the log does not say
    client: str  # address, user name and user agent; never stored
    time: float
    method: str
    target: str  # path and query
    status: int
    size: int | None
    agent: str


def parse_line(line: str) -> LogRequest | str:
    """The request of a line, or why there is none."""
    found = _PLAIN_LINE.match(line) or _LINE.match(line)
    if found is None:
        return GARBAGE
    head, minute, second, zone, asked, status, size, _, agent = found.groups()
    begin = _minute(minute, zone)
    if isinstance(begin, str) or int(second) > 60:
        return begin if isinstance(begin, str) else NO_TIME
    sender = _sender(head)
    if sender is None:
        return GARBAGE
    name, scheme, client = sender
    method, _, rest = asked.partition(" ")
    target = rest.rpartition(" HTTP/")[0] or rest
    if "://" in target[:12]:  # asked of a proxy, or by a sloppy client
        scheme, _, rest = target.partition("://")
        name, slash, path = rest.partition("/")
        target = slash + path or "/"
        name, scheme = _without_port(name, scheme)
        if not _HOST.fullmatch(name):
            return GARBAGE
    number = int(size) if size != "-" else None
    agent = agent or ""
    return LogRequest(
        name, scheme, f"{client}\0{agent}", begin + int(second), method, target, int(status), number, agent
    )


@lru_cache(4096)
def _minute(text: str, zone: str) -> float | str:
    """The begin of a minute, or why there is none."""
    found = _MINUTE.fullmatch(text)
    if found is None:
        return GARBAGE
    day, month, year, hour, minute = found.groups()
    number = _MONTHS.get(month.lower())
    if not number or not 1 <= int(day) <= 31 or int(hour) > 23 or int(minute) > 59:
        return NO_TIME
    east = (int(zone[1:3]) * 3600 + int(zone[3:]) * 60) * (-1 if zone[0] == "-" else 1)
    if abs(east) > FARTHEST_ZONE:
        return NO_TIME
    try:
        return float(timegm((int(year), number, int(day), int(hour), int(minute), 0)) - east)
    except ValueError:  # year 0
        return NO_TIME


@lru_cache(CACHED)
def _sender(head: str) -> tuple[str, str, str] | None:
    """Host, scheme, and client: what stands before the time; the host may be there, or not."""
    words = head.split()
    # In front of the client there may be the host that was asked, as vhost_combined of Apache writes it.
    hosted = len(words) > 3 and words[1] != "-" and _HOST.fullmatch(words[0]) and _looks_like_client(words[1])
    name, scheme = _without_port(words[0], "") if hosted else ("", "")
    words = words[1:] if hosted else words
    return (name, scheme, "\0".join((words[0], " ".join(words[2:])))) if words else None


def _without_port(name: str, scheme: str) -> tuple[str, str]:
    """A host without the port that its scheme has anyway, and the scheme."""
    if name.endswith(":443"):
        name, scheme = name.removesuffix(":443"), scheme or "https"
    return name.removesuffix(":80").lower(), scheme.lower()


def _looks_like_client(word: str) -> bool:
    return "." in word or ":" in word or word == "localhost"


@cache
def kept_list() -> dict[str, Any]:
    """The list that ships with the program."""
    return tomllib.loads(resources.files(__package__).joinpath("log_filter.toml").read_text("utf-8"))


class LogFilter:
    """Tells visits of readers from other requests; it remembers who asked for robots.txt, and how often."""

    def __init__(self, bots: Iterable[str] = (), assets: Iterable[str] = ()) -> None:
        """Take the kept list, and more parts of user agents and endings."""
        kept = kept_list()
        self.robots: str = kept["robots"]
        self.paths = tuple(kept["paths"])
        self.feeds = tuple(kept["feeds"])
        self.assets = frozenset((*kept["assets"], *(one.lower().lstrip(".") for one in assets)))
        words = sorted({one.lower() for one in (*kept["bots"], *bots) if one})
        self._bots = re.compile("|".join(map(re.escape, words)))
        self._feeds = re.compile("|".join(map(re.escape, self.feeds)))
        self._agents: dict[str, bool] = {}
        self._targets: dict[str, str] = {}
        self._programs: set[str] = set()
        self._counts: dict[int, dict[int, int]] = {}  # visits of users by day; users by hash, to save memory

    def reject(self, request: LogRequest) -> str:
        """Why a request is no visit of a reader; empty if it is one."""
        no_page = self._targets.get(request.target)
        if no_page is None:
            if len(self._targets) > CACHED:
                self._targets.clear()
            no_page = self._targets[request.target] = self._no_page(request.target)
        if no_page == PROGRAM:
            if len(self._programs) < CACHED:
                self._programs.add(request.client)
            return PROGRAM
        if request.method != "GET":
            return METHOD
        if self._is_program(request.agent) or request.client in self._programs:
            return PROGRAM
        if no_page:
            return no_page
        if request.status not in _SENT:
            return STATUS
        day = int(request.time // 86_400)
        counts = self._counts.get(day)
        if counts is None:
            if len(self._counts) >= DAYS_COUNTED:
                del self._counts[max(self._counts, key=lambda one: abs(one - day))]
            counts = self._counts[day] = {}
        user = hash(request.client)
        count = counts[user] = counts.get(user, 0) + 1
        return TOO_MANY if count > MOST_A_DAY else ""

    def _no_page(self, target: str) -> str:
        """Why a target is no page, whoever asks for it; `PROGRAM` for robots.txt."""
        path = target.partition("?")[0].lower()
        if path == self.robots:
            return PROGRAM
        if not path.startswith("/"):
            return GARBAGE
        ending = path.rpartition("/")[2].rpartition(".")
        if path.startswith(self.paths) or (ending[1] and ending[2] in self.assets):
            return ASSET
        return FEED if self._feeds.search(target.lower()) else ""

    def _is_program(self, agent: str) -> bool:
        known = self._agents.get(agent)
        if known is None:
            if len(self._agents) > CACHED:
                self._agents.clear()
            known = self._agents[agent] = self._bots.search(agent.lower()) is not None
        return known
