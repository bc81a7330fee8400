"""robots.txt as RFC 9309 has it: whom it speaks to, which rule is the longest, what silence means.

Written by hand because it is asked before every request and for every link: prefix rules, nearly all
there are, are looked up by length in a table instead of tried one by one.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urljoin

from fieldmouse.settings import MannersSettings
from fieldmouse.types import Failure, Outcome, Response, Trouble

from .robots_patterns import Pattern, compiled, is_wild, path_of, spelt

MAX_BYTES = 500 * 1024  # what RFC 9309 asks a crawler to read at least; we read no more
MAX_HOPS = 5  # redirects followed to a robots.txt; behind more it counts as absent
NOT_OBEYED = "robots.txt is not obeyed (manners.obey_robots)"

USER_AGENT = frozenset({"user-agent", "useragent", "user agent", "user_agent"})
DISALLOW = frozenset({"disallow", "dissallow", "disalow", "dissalow", "diallow", "desallow", "disallaw"})
SITEMAP = frozenset({"sitemap", "site-map"})
CRAWL_DELAY = frozenset({"crawl-delay", "crawldelay", "crawl delay"})

_LINE = re.compile(r"[\r\n]+")
_TOKEN = re.compile(r"[\w.-]+")


class Rule(NamedTuple):
    """One Allow or Disallow line of the group that is meant for us."""

    allow: bool
    pattern: str  # in the form in which paths are compared
    written: str  # as it stands in the file

    def __str__(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {self.written}"


@dataclass(frozen=True, slots=True)
class Robots:
    """What one origin allows a crawler to ask for; made by `parse` or `from_outcome`."""

    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    verdict: bool | None = None  # for all addresses alike, whatever the rules
    reason: str = ""  # of the verdict
    passing: bool = False  # a verdict for lack of an answer: ask again soon
    rules: tuple[Rule, ...] = ()
    # The rules again, as they are searched: prefixes by their length, the rest one by one, strongest first.
    _plain: dict[str, Rule] = field(default_factory=dict, repr=False, compare=False)
    _lengths: tuple[int, ...] = field(default=(), repr=False, compare=False)
    _wild: tuple[tuple[Rule, Pattern], ...] = field(default=(), repr=False, compare=False)

    @staticmethod
    def parse(content: bytes, agent: str, base: str = "") -> "Robots":
        """Read a robots.txt for the crawler with the product token `agent`; never fails.

        With `base`, the address of the file, sitemaps given by relative addresses are made absolute.
        """
        lines = _Lines(agent, base)
        for line in _LINE.split(_decoded(content)):
            lines.read(line)
        return lines.robots()

    @staticmethod
    def from_outcome(outcomes: Sequence[Outcome], manners: MannersSettings, agent: str) -> "Robots":
        """What the answers to a request for robots.txt mean: the redirects in order, then the last one."""
        robots = _from_last(outcomes, agent)
        if manners.obey_robots:
            return robots
        return replace(robots, verdict=True, reason=NOT_OBEYED, passing=False)

    def allows(self, url: str) -> bool:
        """Whether an absolute URL of this origin may be asked for."""
        if self.verdict is not None:
            return self.verdict or _is_robots(path_of(url))
        if not self.rules:
            return True
        path = path_of(url)
        found = self._find(path)
        return found is None or found.allow or _is_robots(path)

    def rule(self, url: str) -> str:
        """Why a URL may or may not be asked for: the rule that decides, in the words of the file."""
        path = path_of(url)
        if _is_robots(path):
            return "robots.txt itself may always be asked for"
        if self.verdict is not None:
            return self.reason
        found = self._find(path)
        return "no rule of robots.txt matches" if found is None else str(found)

    def _find(self, path: str) -> Rule | None:
        """The longest rule that matches; of two equally long ones the Allow."""
        found = None
        for length in self._lengths:
            if (found := self._plain.get(path[:length])) is not None:
                break
        for rule, pattern in self._wild:
            if found is not None and _strength(rule) >= _strength(found):
                break
            if pattern.matches(path):
                return rule
        return found


def _strength(rule: Rule) -> tuple[int, bool]:
    """Sorts rules: the strongest first."""
    return -len(rule.pattern), not rule.allow


class _Lines:
    """Reads lines and gathers what is meant for one crawler and what is meant for all."""

    def __init__(self, agent: str, base: str) -> None:
        self.us = _token(agent)
        self.base = base
        self.sitemaps: dict[str, None] = {}
        self.rules: dict[str, list[Rule]] = {}  # by "us" or "*", so groups for one crawler merge
        self.delays: dict[str, float] = {}
        self.group: set[str] = set()
        self.naming = False  # the last line that counts was a User-agent line

    def read(self, line: str) -> None:
        key, value = _key_value(line)
        if key in USER_AGENT:
            self._name(value)
        elif key == "allow" or key in DISALLOW:
            self.naming = False
            self._rule(key == "allow", value)
        elif key in SITEMAP and value:
            self.sitemaps.setdefault(_joined(self.base, value))
        elif key in CRAWL_DELAY:
            self._delay(value)

    def _name(self, value: str) -> None:
        if not self.naming:
            self.group = set()
        self.naming = True
        token = "*" if value.split()[:1] == ["*"] else _token(value)
        if token in ("*", self.us):
            self.group.add(token)
            self.rules.setdefault(token, [])

    def _rule(self, allow: bool, value: str) -> None:
        if not value:
            return  # "Disallow:" forbids nothing
        path = value if value[0] in "/*" else "/" + value
        written = value.encode("utf-8", "backslashreplace").decode("utf-8")
        rule = Rule(allow, spelt(path), written)
        for token in self.group:
            self.rules[token].append(rule)

    def _delay(self, value: str) -> None:
        try:
            seconds = float(value)
        except ValueError:
            return
        if math.isfinite(seconds) and seconds >= 0:
            for token in self.group:
                self.delays[token] = max(seconds, self.delays.get(token, 0.0))

    def robots(self) -> Robots:
        """Our own group if there is one, though it be empty; else the one for everybody."""
        token = self.us if self.us in self.rules else "*"
        rules = sorted(self.rules.get(token, []), key=_strength)
        plain: dict[str, Rule] = {}
        wild: dict[str, Rule] = {}
        for rule in rules:
            (wild if is_wild(rule.pattern) else plain).setdefault(rule.pattern, rule)
        return Robots(
            crawl_delay=self.delays.get(token),
            sitemaps=tuple(self.sitemaps),
            rules=tuple(rules),
            _plain=plain,
            _lengths=tuple(sorted({len(pattern) for pattern in plain}, reverse=True)),
            _wild=tuple((rule, compiled(rule.pattern)) for rule in wild.values()),
        )


def _from_last(outcomes: Sequence[Outcome], agent: str) -> Robots:
    last = outcomes[-1]
    if isinstance(last, Failure):
        if last.trouble is Trouble.REDIRECTS:
            return _allowed("robots.txt is behind too many redirects: it counts as absent")
        return _denied(f"robots.txt cannot be reached ({last.trouble.value}): nothing may be asked for")
    if 200 <= last.status <= 299:
        if last.truncated in ("time", "disconnect", "decoding") and len(last.content) < MAX_BYTES:
            return _denied(f"robots.txt came only in part ({last.truncated}): nothing may be asked for")
        return Robots.parse(last.content, agent, last.url)
    return _from_status(last)


def _from_status(response: Response) -> Robots:
    status = response.status
    if status == 429:
        return _denied("robots.txt answered 429: nothing may be asked for now")
    if 300 <= status <= 399:
        return _allowed("robots.txt is behind redirects that lead nowhere: it counts as absent")
    if 400 <= status <= 499:
        return _allowed(f"there is no robots.txt (status {status}): everything may be asked for")
    return _denied(f"robots.txt answered {status}: nothing may be asked for")


def _allowed(reason: str) -> Robots:
    return Robots(verdict=True, reason=reason)


def _denied(reason: str) -> Robots:
    return Robots(verdict=False, reason=reason, passing=True)


def _decoded(content: bytes) -> str:
    """The text, without a byte order mark, and without a last line that the limit has cut in two."""
    if len(content) > MAX_BYTES:
        kept = content[:MAX_BYTES]
        content = kept[: max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    # Bytes that are not UTF-8 are kept, as they may be part of a path in another encoding.
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _key_value(line: str) -> tuple[str, str]:
    text = line.partition("#")[0].strip()
    key, colon, value = text.partition(":")
    if not colon:  # "Disallow /path" is a common slip
        key, value = [*text.split(None, 1), "", ""][:2]
    return key.strip().lower(), value.strip()


def _token(name: str) -> str:
    """The product token of a name: "FooBot/1.0 (beta)" speaks of foobot."""
    found = _TOKEN.match(name.strip())
    return found[0].lower() if found else ""


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _is_robots(path: str) -> bool:
    return path == "/robots.txt"
