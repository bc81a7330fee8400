"""robots.txt as RFC 9309 defines it: parsing, matching, and what a missing or failed file means.

The matcher is hand-written because every request and every link is checked: prefix rules, nearly all there
are, are looked up by length in a table. See docs/decisions/robots-matcher.md.
"""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urljoin

from fieldmouse.settings import MannersSettings
from fieldmouse.types import Failure, Outcome, Response, RobotsRecord, Trouble

MAX_BYTES = 500 * 1024  # RFC 9309 requires a crawler to read at least this much; no more is read
RETRY_SECONDS = 3600.0  # when the file could not be fetched, it is requested again after this long
NOT_OBEYED = "robots.txt is not obeyed (manners.obey_robots)"

USER_AGENT = frozenset({"user-agent", "useragent", "user agent", "user_agent"})
DISALLOW = frozenset({"disallow", "dissallow", "disalow", "dissalow", "diallow", "desallow", "disallaw"})
SITEMAP = frozenset({"sitemap", "site-map"})
CRAWL_DELAY = frozenset({"crawl-delay", "crawldelay", "crawl delay"})

_LINE = re.compile(r"[\r\n]+")
_TOKEN = re.compile(r"[\w.-]+")
# A path without any of these is compared as it is.
_ODD = re.compile(r"[^!-~]|[%*$]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|[^!-~]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PLAIN_IN_QUERY = _UNRESERVED | frozenset(":/?@")


class Wildcard(NamedTuple):
    """A pattern with `*` or a final `$`: parts that must follow each other in the path."""

    head: str
    parts: tuple[str, ...]
    tail: str | None  # what the path must end with, for a pattern that ends with `$`
    exact: bool  # there is no `*` before that `$`

    @staticmethod
    def parse(pattern: str) -> "Wildcard":
        """Split a pattern at its asterisks."""
        head, *parts = pattern.removesuffix("$").split("*")
        exact = not parts
        tail = None
        if pattern.endswith("$"):
            tail = parts.pop() if parts else ""
        return Wildcard(head, tuple(part for part in parts if part), tail, exact)

    def matches(self, path: str) -> bool:
        """Whether a path matches; the leftmost place of each part is enough, so the time is linear."""
        if not path.startswith(self.head):
            return False
        at = len(self.head)
        for part in self.parts:
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        if self.tail is None:
            return True
        left = len(path) - at - len(self.tail)
        return left == 0 if self.exact else left >= 0 and path.endswith(self.tail)


class Rule(NamedTuple):
    """One Allow or Disallow line of the group that applies to this crawler."""

    allow: bool
    pattern: str  # normalized like the paths that it is compared with
    written: str  # as written in the file

    @staticmethod
    def parse(value: str, *, allow: bool) -> "Rule":
        """The rule of a line; `*` and a final `$` keep their meaning."""
        pattern = value if value[0] in "/*" else "/" + value
        if _ODD.search(pattern):
            end = "$" if pattern.endswith("$") else ""
            plain = _normalized(pattern.removesuffix("$")).replace("$", "%24")
            pattern = re.sub(r"\*+", "*", plain) + end
        return Rule(allow, pattern, value.encode("utf-8", "backslashreplace").decode("utf-8"))

    def __str__(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {self.written}"


@dataclass(frozen=True, slots=True)
class Robots:
    """What one origin allows a crawler to fetch; made by `parse`, `from_outcome` or `from_record`."""

    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    verdict: bool | None = None  # for all URLs alike, before any rule
    reason: str = ""  # of the verdict
    temporary: bool = False  # the file could not be fetched: request it again soon
    rules: tuple[Rule, ...] = ()
    # The rules again, as they are searched: prefixes by length, wildcards one by one, longest first.
    _prefixes: dict[str, Rule] = field(default_factory=dict, repr=False, compare=False)
    _lengths: tuple[int, ...] = field(default=(), repr=False, compare=False)
    _wildcards: tuple[tuple[Rule, Wildcard], ...] = field(default=(), repr=False, compare=False)

    @staticmethod
    def parse(content: bytes, agent: str, base: str = "") -> "Robots":
        """Read a robots.txt for the crawler with the product token `agent`; never fails.

        With `base`, the URL of the file, relative sitemap URLs are made absolute.
        """
        us = _token(agent)
        sitemaps: dict[str, None] = {}
        found: dict[str, list[Rule]] = {}  # by our token or "*"; groups for one crawler merge
        delays: dict[str, float] = {}
        group: set[str] = set()
        in_agents = False  # the last relevant line was a User-agent line
        for key, value in _lines(content):
            if key in USER_AGENT:
                group = group if in_agents else set()
                in_agents = True
                token = "*" if value.split()[:1] == ["*"] else _token(value)
                if token in ("*", us):
                    group.add(token)
                    found.setdefault(token, [])
            elif key == "allow" or key in DISALLOW:
                in_agents = False
                if value and group:  # "Disallow:" forbids nothing
                    rule = Rule.parse(value, allow=key == "allow")
                    for token in group:
                        found[token].append(rule)
            elif key in SITEMAP and value:
                try:
                    sitemaps.setdefault(urljoin(base, value))
                except ValueError:
                    sitemaps.setdefault(value)
            elif key in CRAWL_DELAY:
                with suppress(ValueError):
                    seconds = float(value)
                    if math.isfinite(seconds) and seconds >= 0:
                        delays |= {token: max(seconds, delays.get(token, 0.0)) for token in group}
        # Our own group if there is one, even an empty one; else the group for all.
        token = us if us in found else "*"
        rules = sorted(found.get(token, []), key=_precedence)
        prefixes: dict[str, Rule] = {}
        wildcards: dict[str, Rule] = {}
        for rule in rules:
            is_wildcard = "*" in rule.pattern or rule.pattern.endswith("$")
            (wildcards if is_wildcard else prefixes).setdefault(rule.pattern, rule)
        return Robots(
            crawl_delay=delays.get(token),
            sitemaps=tuple(sitemaps),
            rules=tuple(rules),
            _prefixes=prefixes,
            _lengths=tuple(sorted({len(pattern) for pattern in prefixes}, reverse=True)),
            _wildcards=tuple((rule, Wildcard.parse(rule.pattern)) for rule in wildcards.values()),
        )

    @staticmethod
    def from_outcome(outcomes: Sequence[Outcome], manners: MannersSettings, agent: str) -> "Robots":
        """The rules from a request for robots.txt: its redirects in order, then the final outcome."""
        last = outcomes[-1]
        robots = None
        absent = denied = ""
        if isinstance(last, Failure):
            if last.trouble is Trouble.REDIRECTS:
                absent = "robots.txt has too many redirects and counts as absent"
            else:
                why = f"{last.trouble.value}: {last.detail}" if last.detail else last.trouble.value
                denied = f"robots.txt cannot be fetched ({why}), so nothing may be fetched"
        elif 200 <= (status := last.status) <= 299:
            if last.truncated in ("time", "disconnect", "decoding") and len(last.content) < MAX_BYTES:
                denied = f"robots.txt is incomplete ({last.truncated}), so nothing may be fetched"
            else:
                robots = Robots.parse(last.content, agent, last.url)
        elif status == 429:
            denied = "robots.txt answered 429, so nothing may be fetched now"
        elif 300 <= status <= 399:
            absent = "robots.txt redirects to nowhere and counts as absent"
        elif 400 <= status <= 499:
            absent = f"there is no robots.txt: status {status}"
        else:
            denied = f"robots.txt answered {status}, so nothing may be fetched"
        robots = robots or Robots(verdict=not denied, reason=absent or denied, temporary=bool(denied))
        if manners.obey_robots:
            return robots
        return replace(robots, verdict=True, reason=NOT_OBEYED, temporary=False)

    @staticmethod
    def from_record(record: RobotsRecord, agent: str) -> "Robots":
        """The rules from a stored record."""
        if record.verdict == "rules":
            return Robots.parse(record.content, agent, f"{record.origin}/robots.txt")
        return Robots(verdict=record.verdict == "allow", reason=record.note)

    def to_record(self, last: Outcome, origin: str, manners: MannersSettings, now: float) -> RobotsRecord:
        """The record to store, where `last` is the final outcome of the request for the file."""
        seconds = manners.robots_seconds
        verdict = "rules" if self.verdict is None else "allow" if self.verdict else "deny"
        return RobotsRecord(
            origin=origin,
            fetched_at=now,
            expires_at=now + (min(seconds, RETRY_SECONDS) if self.temporary else seconds),
            verdict=verdict,
            content=last.content if isinstance(last, Response) and verdict == "rules" else b"",
            note=self.reason,
        )

    def allows(self, url: str) -> bool:
        """Whether an absolute URL of this origin may be fetched."""
        if self.verdict is not None:
            return self.verdict or _path(url) == "/robots.txt"
        if not self.rules:
            return True
        path = _path(url)
        found = self._find(path)
        return found is None or found.allow or path == "/robots.txt"

    def rule(self, url: str) -> str:
        """Why a URL may or may not be fetched: the deciding rule, as written in the file."""
        path = _path(url)
        if path == "/robots.txt":
            return "robots.txt itself may always be fetched"
        if self.verdict is not None:
            return self.reason
        found = self._find(path)
        return "no rule of robots.txt matches" if found is None else str(found)

    def refusal(self, url: str) -> str:
        """Why a URL may not be fetched, for a log."""
        return self.reason if self.verdict is False else f"robots.txt: {self.rule(url)}"

    def _find(self, path: str) -> Rule | None:
        """The longest rule that matches; of two equally long rules the Allow."""
        found = None
        for length in self._lengths:
            if (found := self._prefixes.get(path[:length])) is not None:
                break
        for rule, wildcard in self._wildcards:
            if found is not None and _precedence(rule) >= _precedence(found):
                break
            if wildcard.matches(path):
                return rule
        return found


def _precedence(rule: Rule) -> tuple[int, bool]:
    """Sort key: the rule that wins comes first."""
    return -len(rule.pattern), not rule.allow


def _lines(content: bytes) -> Iterator[tuple[str, str]]:
    """The keys, in lower case, and values of all lines."""
    if len(content) > MAX_BYTES:  # without the line that the limit cuts in two
        kept = content[:MAX_BYTES]
        content = kept[: max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", "replace")
    else:  # bytes that are not UTF-8 are kept: they may be part of a path in another encoding
        text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    for whole in _LINE.split(text):
        line = whole.partition("#")[0].strip()
        key, colon, value = line.partition(":")
        if not colon:  # "Disallow /path" is a common mistake
            key, value = [*line.split(None, 1), "", ""][:2]
        yield key.strip().lower(), value.strip()


def _token(name: str) -> str:
    """The product token of a user agent: foobot for "FooBot/1.0 (beta)"."""
    found = _TOKEN.match(name.strip())
    return found[0].lower() if found else ""


def _path(url: str) -> str:
    """The path and query of an absolute URL, normalized for comparison."""
    start = url.find("/", url.find("://") + 3)
    path = url[start:] if start >= 0 else "/"
    path = path.partition("#")[0] if "#" in path else path
    if not _ODD.search(path):
        return path
    return _normalized(path).replace("*", "%2A").replace("$", "%24")


def _normalized(text: str) -> str:
    """A path and query with unreserved characters unescaped and all other escapes in upper case."""
    path, mark, query = text.partition("?")
    path = _ESCAPE.sub(lambda found: _escape(found, _UNRESERVED), path)
    return path + mark + _ESCAPE.sub(lambda found: _escape(found, _PLAIN_IN_QUERY), query)


def _escape(found: re.Match[str], plain: frozenset[str]) -> str:
    digits = found[1]
    if digits is None:
        return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape"))
    letter = chr(int(digits, 16))
    return letter if letter in plain else f"%{digits.upper()}"
