"""Which sites live on redirects: the two conditions of Genovese and Geraci, counted in hosts.

A site is a redirect farm when most of the hosts that lead to it do so by redirect, and the pages they land on
are of one shape. Popular services fail the first condition, moved sites the second: they land on one page.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from fieldmouse import urls
from fieldmouse.types import Verdict

from .page_shapes import cluster
from .parking import one_brand

_SHORTENERS = """bit.ly t.co goo.gl tinyurl.com ow.ly is.gd buff.ly lnkd.in rebrand.ly t.ly youtu.be fb.me
amzn.to wp.me dlvr.it cutt.ly rb.gy tiny.cc shorturl.at s.id v.gd trib.al ift.tt db.tt git.io aka.ms
g.co adobe.ly"""
_SERVICES = """google.com microsoftonline.com live.com apple.com auth0.com okta.com onelogin.com facebook.com
linkedin.com yahoo.com github.com shibboleth.net duosecurity.com didomi.io onetrust.com cookiebot.com
trustarc.com advertising.com cloudflareaccess.com"""
_DOORS = "login. signin. auth. sso. accounts. account. id. idp. consent. cmp. cas."

SHORTENERS = frozenset(_SHORTENERS.split())
SERVICES = frozenset(_SERVICES.split())
DOORS = tuple(_DOORS.split())


class RedirectGraph:
    """Who leads where, by registrable domain; fed with links and redirects as pages are studied."""

    def __init__(
        self, *, least: int = 20, share: float = 0.5, tight: float = 0.7, allowed: Iterable[str] = ()
    ) -> None:
        """A farm has `least` redirecting domains, more than `share` of all, and `tight` landing pages."""
        self.least, self.share, self.tight = least, share, tight
        self.allowed = SHORTENERS | SERVICES | {one.lower() for one in allowed}
        self.redirecting: dict[str, set[str]] = defaultdict(set)
        self.linking: dict[str, set[str]] = defaultdict(set)
        self.landings: dict[str, set[str]] = defaultdict(set)

    def add(self, source: str, target: str, redirect: bool) -> None:
        """Note that one address leads to another; within one registrable domain it is nobody's business."""
        here, there = _domain(source), _domain(target)
        if not here or not there or here == there:
            return
        (self.redirecting if redirect else self.linking)[there].add(here)
        if redirect and len(self.landings[there]) < 500:
            self.landings[there].add(target)

    def suspects(self) -> list[str]:
        """The domains that fulfil the first condition, whose landing pages are worth a look."""
        return sorted(one for one in self.redirecting if self._first(one) is None)

    def judge(self, domain: str, shapes: Mapping[str, str]) -> Verdict:
        """Whether a domain is a redirect farm: score 1 or 0, with reasons; `shapes` by landing address."""
        refusal = self._first(domain)
        if refusal:
            return Verdict(0.0, (refusal,))
        seen = [shapes[one] for one in sorted(self.landings[domain]) if one in shapes]
        if len(seen) < 5:
            return Verdict(0.0, (f"only {len(seen)} landing pages are known; a moved site has one",))
        groups = [group for group in cluster(seen, radius=0.2).members() if len(group) >= 5]
        share = sum(map(len, groups)) / len(seen)
        sources = len(self.redirecting[domain])
        first = f"{sources} of {len(self._all(domain))} domains that lead to it do so by redirect"
        second = f"{share:.0%} of its {len(seen)} landing pages are of {len(groups)} shapes"
        return Verdict(1.0 if share >= self.tight else 0.0, (first, second))

    def _all(self, domain: str) -> set[str]:
        return self.redirecting[domain] | self.linking.get(domain, set())

    def _first(self, domain: str) -> str | None:
        """Why the first condition fails, or None."""
        sources = self.redirecting.get(domain, set())
        if domain in self.allowed or all(_is_door(one) for one in self.landings.get(domain, ())):
            return "it shortens addresses, signs people in or asks for consent"
        if len(sources) < self.least:
            return f"only {len(sources)} domains redirect to it, of {self.least} needed"
        if len(sources) <= self.share * len(self._all(domain)):
            return f"{len(sources)} of {len(self._all(domain))} domains redirect to it; the others link"
        if one_brand(sorted(sources)):
            return "the domains that redirect to it are of one brand"
        return None


def _is_door(address: str) -> bool:
    return urls.hostname(address).startswith(DOORS)


def _domain(address: str) -> str:
    url = urls.parse(address)
    return urls.registrable_domain(urls.hostname(url)) if url else ""
