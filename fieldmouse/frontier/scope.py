"""Which URLs belong to a crawl: domains, patterns, file extensions, lengths and media types.

The rules apply in this order, and the first that rejects gives the reason: forgotten on request, length,
denied domains, allowed domains, extension of the path, denied patterns, allowed patterns. A denial wins over
an allowance.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from fieldmouse import settings, urls
from fieldmouse.errors import ConfigError
from fieldmouse.types import PDF

# Hosts whose verdict is cached; a broad crawl meets millions, and a verdict is cheap to compute again.
REMEMBERED_HOSTS = 100_000

FORGOTTEN = "scope: forgotten on request; `fieldmouse forget --allow` lets it be visited again"


class CrawlScope:
    """The rules of one crawl. "seeds" in `scope.allow` stands for the domains of `seed_hosts`."""

    def __init__(
        self,
        settings: settings.ScopeSettings,
        seed_hosts: Iterable[str] = (),
        forgotten: Iterable[str] = (),
    ) -> None:
        self._forgotten = set(forgotten)
        self._max_url = settings.max_url
        self._deny = frozenset(_domain("deny", name) for name in settings.deny)
        self._allow = frozenset(_domain("allow", name) for name in settings.allow if name != "seeds")
        if "seeds" in settings.allow:
            self._allow |= {urls.registrable_domain(urls.hostname(f"http://{host}/")) for host in seed_hosts}
        kept = {"pdf"} if PDF in settings.mime else set()  # who asks for the type need not allow the ending
        self._extensions = frozenset(one.lower().removeprefix(".") for one in settings.deny_extensions) - kept
        self._deny_urls = [_pattern("deny_urls", text) for text in settings.deny_urls]
        self._allow_urls = [_pattern("allow_urls", text) for text in settings.allow_urls]
        self._all_hosts = not settings.allow
        self._seeds_only = "seeds" in settings.allow
        # Media ranges: text/html, text/*, */* or *.
        mime = (re.escape(one.strip().lower()).replace(r"\*", "[^/]*") for one in settings.mime)
        ranges = "|".join(".*" if one == "[^/]*" else one for one in mime)
        self._keeps = re.compile(ranges or "(?!)").fullmatch
        self._reject_host = lru_cache(REMEMBERED_HOSTS)(self._judge_host)

    def reject(self, url: str) -> str:
        """Why a canonical URL is out of scope, or an empty string."""
        if url in self._forgotten:
            return FORGOTTEN
        if len(url) > self._max_url:
            return f"scope: longer than {self._max_url} characters"
        if (self._deny or not self._all_hosts) and (reason := self._reject_host(url.split("/", 3)[2])):
            return reason
        # Parsing the path is slow; it is needed only if the text after the last dot may be an extension.
        if self._extensions and (
            "?" in url or ";" in url or url.rpartition(".")[2].lower() in self._extensions
        ):
            extension = urls.extension(url)
            if extension in self._extensions:
                return f"scope: extension .{extension}"
        for pattern in self._deny_urls:
            if pattern.search(url):
                return f"scope: matches the denied pattern {pattern.pattern}"
        if self._allow_urls and not any(pattern.search(url) for pattern in self._allow_urls):
            return "scope: matches no allowed pattern"
        return ""

    def keeps(self, mime: str) -> bool:
        """Whether bodies of this media type are stored; without a type it may be a page, so it is."""
        mime = mime.partition(";")[0].strip().lower()
        return not mime or self._keeps(mime) is not None

    def forget(self, url: str) -> None:
        """Leave a page alone from now on."""
        self._forgotten.add(url)

    def admit(self, host: str) -> None:
        """Treat a host that a seed redirects to as a seed."""
        if self._seeds_only:
            self._allow |= {urls.registrable_domain(urls.hostname(f"http://{host}/"))}
            self._reject_host.cache_clear()

    def _judge_host(self, key: str) -> str:
        name = urls.hostname(f"http://{key}/")
        names = [name]  # and its parent domains; an IP address has none
        if not urls.is_ip(name):
            labels = name.split(".")
            names = [".".join(labels[start:]) for start in range(len(labels))]
        denied = next((one for one in names if one in self._deny), None)
        if denied is not None:
            return f"scope: domain {denied} is denied"
        if self._all_hosts or not self._allow.isdisjoint(names):
            return ""
        return f"scope: domain {urls.registrable_domain(name)} is not allowed"


def _domain(setting: str, text: str) -> str:
    """A domain from the settings in its canonical form; a leading "*." is ignored."""
    name = text.strip().removeprefix("*").removeprefix(".")
    url = None if re.search(r"[/?#@\\]", name) else urls.Canon()(f"http://{name}/")
    if url is None:
        whole = ", or [] for the whole Web" if setting == "allow" and text.strip() == "*" else ""
        raise ConfigError(f"scope.{setting}: {text!r} is not a domain; write it like example.com{whole}")
    return urls.hostname(url)


def _pattern(setting: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigError(f"scope.{setting}: {text!r} is not a regular expression: {error}") from None
