"""Redirect farms: the two conditions of Genovese and Geraci, counted in domains.

A site is a redirect farm if most of the domains that lead to it do so by redirect, and its landing pages have
few shapes. Popular services fail the first condition; moved sites fail the second, as they have one page.
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
_SIGN_IN = "login. signin. auth. sso. accounts. account. id. idp. consent. cmp. cas."

SHORTENERS = frozenset(_SHORTENERS.split())
SERVICES = frozenset(_SERVICES.split())
SIGN_IN = tuple(_SIGN_IN.split())


class RedirectGraph:
    """Links and redirects between registrable domains."""

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
        """Add a link or redirect between two URLs; those within one domain are ignored."""
        here, there = _domain(source), _domain(target)
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
        return Verdict(1.0 if share >= self.tight else 0.0, (first, second))

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
        if len(sources) <= self.share * len(self._all(domain)):
            return f"{len(sources)} of {len(self._all(domain))} domains redirect to it; the others link"
        if one_brand(sorted(sources)):
            return "the domains that redirect to it are of one brand"
        return None


def _domain(address: str) -> str:
    url = urls.parse(address)
    return urls.registrable_domain(urls.hostname(url)) if url else ""
