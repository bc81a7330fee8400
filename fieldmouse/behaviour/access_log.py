"""Access logs of web servers as visits of readers: Common and Combined Log Format, with or without the host.

A line is a request, or the reason why it is none. A request is a visit if a person is likely to have asked
for a page and got it; `log_filter.toml` lists programs, and what is no page. Nothing raises: logs hold
whatever clients sent.
"""

import re
import tomllib
from calendar import timegm
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

LONGEST_LINE = 65_536
MOST_A_DAY = 1000  # visits of one user; a reader does not make more
CACHED = 100_000

_LINE = re.compile(
    r"(.{1,2000}?) \[(\d\d)/([A-Za-z]{3})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)\] "
    r'"(.*?)" (\d{3}) (\d+|-)(?: "(.*?)" "(.*)")?'
)
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
    found = _LINE.match(line)
    if found is None:
        return GARBAGE
    head, day, month, year, hour, minute, second, sign, east_h, east_m, asked, status, size, _, agent = (
        found.groups()
    )
    number = _MONTHS.get(month.lower())
    if not number or not 1 <= int(day) <= 31 or int(hour) > 23 or int(minute) > 59 or int(second) > 60:
        return NO_TIME
    east = (int(east_h) * 3600 + int(east_m) * 60) * (-1 if sign == "-" else 1)
    try:
        time = timegm((int(year), number, int(day), int(hour), int(minute), int(second))) - east
    except ValueError:  # year 0
        return NO_TIME
    words = head.split()
    # In front of the client there may be the host that was asked, as vhost_combined of Apache writes it.
    hosted = len(words) > 3 and words[1] != "-" and _HOST.fullmatch(words[0]) and _looks_like_client(words[1])
    name, scheme = (words[0], "") if hosted else ("", "")
    words = words[1:] if hosted else words
    if not words:
        return GARBAGE
    method, _, rest = asked.partition(" ")
    target = rest.rpartition(" HTTP/")[0] or rest
    if "://" in target[:12]:  # asked of a proxy, or by a sloppy client
        scheme, _, rest = target.partition("://")
        name, slash, path = rest.partition("/")
        target = slash + path or "/"
    if name.endswith(":443"):
        name, scheme = name.removesuffix(":443"), scheme or "https"
    name = name.removesuffix(":80")
    if name and not _HOST.fullmatch(name):
        return GARBAGE
    client = "\0".join((words[0], " ".join(words[2:]), agent or ""))
    return LogRequest(
        host=name.lower(), scheme=scheme.lower(), client=client, time=float(time), method=method,
        target=target, status=int(status), size=int(size) if size != "-" else None, agent=agent or "",
    )  # fmt: skip


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
        self._agents: dict[str, bool] = {}
        self._programs: set[str] = set()
        self._counts: dict[tuple[str, int], int] = {}

    def reject(self, request: LogRequest) -> str:
        """Why a request is no visit of a reader; empty if it is one."""
        path = request.target.partition("?")[0].lower()
        if path == self.robots:
            if len(self._programs) < CACHED:
                self._programs.add(request.client)
            return PROGRAM
        if request.method != "GET":
            return METHOD
        if self._is_program(request.agent) or request.client in self._programs:
            return PROGRAM
        if not path.startswith("/") or path.startswith(self.paths):
            return ASSET if path.startswith("/") else GARBAGE
        ending = path.rpartition("/")[2].rpartition(".")
        if ending[1] and ending[2] in self.assets:
            return ASSET
        if any(one in request.target.lower() for one in self.feeds):
            return FEED
        if request.status not in _SENT:
            return STATUS
        day = int(request.time // 86_400)
        if len(self._counts) > CACHED:  # of other days only, or the count would begin anew
            self._counts = {key: n for key, n in self._counts.items() if abs(key[1] - day) <= 1}
        count = self._counts[request.client, day] = self._counts.get((request.client, day), 0) + 1
        return TOO_MANY if count > MOST_A_DAY else ""

    def _is_program(self, agent: str) -> bool:
        known = self._agents.get(agent)
        if known is None:
            if len(self._agents) > CACHED:
                self._agents.clear()
            known = self._agents[agent] = self._bots.search(agent.lower()) is not None
        return known
