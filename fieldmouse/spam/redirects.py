"""Redirects of a response, chains of redirects, and redirect farms.

The kinds of redirects: HTTP status, `Refresh` header, `meta refresh`, a script that sets `location`, and a
frame that fills the window.

A site is a redirect farm by the two conditions of Genovese and Geraci, counted in domains: most of the
domains that lead to it do so by redirect, and its landing pages have few shapes. Popular services fail the
first condition; moved sites fail the second, as they have one page.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from fieldmouse import urls
from fieldmouse.page import read
from fieldmouse.page.charset import octets
from fieldmouse.page.head import refresh
from fieldmouse.types import Redirect, Verdict

from .page_frames import filling_frame
from .page_shapes import cluster, unpacked
from .parking import one_brand
from .script_redirects import script_redirects

STATUSES = frozenset({301, 302, 303, 307, 308})
SOON = 10.0  # seconds; a page with a longer delay is meant to be read
MOST = 10  # steps of a chain
READABLE = 2000  # bytes of text; a page with more is meant to be read
MOSTLY = 0.5  # share of the domains leading to a farm above which they redirect
TIGHT = 0.7  # share of the landing pages of a farm that have common shapes

_SHORTENERS = """bit.ly t.co goo.gl tinyurl.com ow.ly is.gd buff.ly lnkd.in rebrand.ly t.ly youtu.be fb.me
amzn.to wp.me dlvr.it cutt.ly rb.gy tiny.cc shorturl.at s.id v.gd trib.al ift.tt db.tt git.io aka.ms
g.co adobe.ly"""
_SERVICES = """google.com microsoftonline.com live.com apple.com auth0.com okta.com onelogin.com facebook.com
linkedin.com yahoo.com github.com shibboleth.net duosecurity.com didomi.io onetrust.com cookiebot.com
trustarc.com advertising.com cloudflareaccess.com"""
_SIGN_IN = "login. signin. auth. sso. accounts. account. id. idp. consent. cmp. cas."

SHORTENERS = frozenset(_SHORTENERS.split())
SERVICES = frozenset(_SERVICES.split())
SIGN_IN = tuple(_SIGN_IN.split())


def redirects(
    url: str,
    *,
    status: int = 200,
    headers: Iterable[tuple[str, str]] = (),
    content: bytes = b"",
    facts: read.Facts | None = None,
) -> list[Redirect]:
    """The redirects of a response to other URLs, the strongest kind first. Never raises."""
    fields = dict(reversed([(name.lower(), value) for name, value in headers]))  # the first of a name wins
    found: list[Redirect] = []
    if status in STATUSES and fields.get("location"):
        return _absolute(url, url, [Redirect("http", fields["location"])])
    delay, address = refresh(fields.get("refresh", ""))
    if delay is not None and address:
        found.append(Redirect("header", address, delay))
    base = url
    if content:
        if facts is None:
            facts = read.read(content, content_type=fields.get("content-type", ""))
        base = urls.parse(facts.base, url) or url if facts.base else url
        delay = facts.refresh_delay or 0.0
        found += [Redirect("meta", href.value, delay) for href in facts.hrefs if href.kind == "refresh"]
        body, codec = octets(content, facts.charset)
        all_tags = unpacked(facts.index)
        # On a page with much text, a script that redirects at once was misunderstood.
        bare = facts.text_bytes <= READABLE
        found += [
            Redirect("script", one.url, one.delay, one.certain and bare)
            for one in script_redirects(body, codec, all_tags, url)
        ]
        if frame := filling_frame(body, codec, all_tags):
            found.append(Redirect("frame", frame))
    return _absolute(url, base, [one for one in found if one.delay <= SOON])


def _absolute(url: str, base: str, found: list[Redirect]) -> list[Redirect]:
    """Redirects with absolute URLs, each target once, without those to the page itself."""
    here = url.partition("#")[0]
    kept: dict[str, Redirect] = {}
    for one in found:
        target = urls.parse(one.url, base)
        if target is not None and target.partition("#")[0] != here:
            kept.setdefault(target, one._replace(url=target))
    return list(kept.values())


class Chain(NamedTuple):
    """A chain of redirects."""

    steps: tuple[str, ...]  # all URLs, from the first to the last
    ending: str  # landed, loop or too long

    @property
    def landing(self) -> str:
        """The last URL; empty for a loop or a chain that is too long."""
        return self.steps[-1] if self.ending == "landed" else ""


def follow(start: str, onward: Callable[[str], str | None], most: int = MOST) -> Chain:
    """Follow a chain; `onward` gives the next URL, or None at the end."""
    steps, seen = [start], {start}
    while (target := onward(steps[-1])) is not None:
        steps.append(target)
        if target in seen:
            return Chain(tuple(steps), "loop")
        if len(steps) > most + 1:
            return Chain(tuple(steps[:-1]), "too long")
        seen.add(target)
    return Chain(tuple(steps), "landed")


class RedirectGraph:
    """Links and redirects between registrable domains."""

    def __init__(self, *, least: int = 20, allowed: Iterable[str] = ()) -> None:
        """A farm has `least` redirecting domains; the `allowed` domains are none."""
        self.least = least
        self.allowed = SHORTENERS | SERVICES | {one.lower() for one in allowed}
        self.redirecting: dict[str, set[str]] = defaultdict(set)
        self.linking: dict[str, set[str]] = defaultdict(set)
        self.landings: dict[str, set[str]] = defaultdict(set)

    def add(self, source: str, target: str, redirect: bool) -> None:
        """Add a link or redirect between two URLs; those within one domain are ignored."""
        parsed = (urls.parse(one) for one in (source, target))
        here, there = (urls.registrable_domain(urls.hostname(one)) if one else "" for one in parsed)
        if not here or not there or here == there:
            return
        (self.redirecting if redirect else self.linking)[there].add(here)
        if redirect and len(self.landings[there]) < 500:
            self.landings[there].add(target)

    def suspects(self) -> list[str]:
        """The domains that meet the first condition."""
        return sorted(one for one in self.redirecting if self._exempt(one) is None)

    def judge(self, domain: str, shapes: Mapping[str, str]) -> Verdict:
        """Whether a domain is a redirect farm: score 1 or 0, with reasons; `shapes` are by landing URL."""
        if reason := self._exempt(domain):
            return Verdict(0.0, (reason,))
        seen = [shapes[one] for one in sorted(self.landings[domain]) if one in shapes]
        if len(seen) < 5:
            return Verdict(0.0, (f"only {len(seen)} landing pages are known; a moved site has one",))
        groups = [group for group in cluster(seen, radius=0.2).members() if len(group) >= 5]
        share = sum(map(len, groups)) / len(seen)
        sources = len(self.redirecting[domain])
        first = f"{sources} of {len(self._all(domain))} domains that lead to it do so by redirect"
        second = f"{share:.0%} of its {len(seen)} landing pages are of {len(groups)} shapes"
        return Verdict(1.0 if share >= TIGHT else 0.0, (first, second))

    def _all(self, domain: str) -> set[str]:
        return self.redirecting[domain] | self.linking.get(domain, set())

    def _exempt(self, domain: str) -> str | None:
        """Why a domain does not meet the first condition, or None."""
        sources = self.redirecting.get(domain, set())
        if domain in self.allowed or all(
            urls.hostname(one).startswith(SIGN_IN) for one in self.landings.get(domain, ())
        ):
            return "it is a URL shortener, a sign-in page or a consent page"
        if len(sources) < self.least:
            return f"only {len(sources)} domains redirect to it, of {self.least} needed"
        if len(sources) <= MOSTLY * len(self._all(domain)):
            return f"{len(sources)} of {len(self._all(domain))} domains redirect to it; the others link"
        if one_brand(sorted(sources)):
            return "the domains that redirect to it are of one brand"
        return None
