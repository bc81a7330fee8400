"""The demo's town: its town hall, newspaper and handbook, and the list of everything in it.

The hosts with bad habits (traps, slowness, moods) are in `quirks`.
"""

import gzip
import re
from dataclasses import dataclass

from .prose import Prose
from .quirks import club, light, office, outside, quiet, shop, tides
from .sheets import Addresses, Frame, Sheet, Site, in_charset, listing, moved, packed, unkept

MONTHS = tuple(f"2023/{month:02}" for month in range(1, 13))
POSTS_A_MONTH = 3


@dataclass(frozen=True, slots=True)
class Town:
    """Every host of the demo, and what a good crawler does with it."""

    addresses: Addresses
    sites: tuple[Site, ...]
    seeds: tuple[str, ...]

    @property
    def pages(self) -> frozenset[str]:
        """Addresses that a complete and polite crawl must store."""
        return frozenset(
            self.addresses.at(site.name, path)
            for site in self.sites
            for path, sheet in site.sheets.items()
            if sheet.kept and path not in site.refuses
        )

    @property
    def forbidden(self) -> frozenset[str]:
        """Addresses that must never be asked for: robots.txt or nofollow says so, or they lie elsewhere."""
        return frozenset(self.addresses.at(site.name, path) for site in self.sites for path in site.refuses)


def build(port: int, *, seed: int = 1, slow: float = 0.3) -> Town:
    """The whole town; the same arguments give the same bytes."""
    addresses, prose = Addresses(port), Prose(seed)
    sites = (
        _hall(addresses, prose),
        _old_hall(addresses),
        _news(addresses, prose),
        _handbook(addresses, prose),
        shop(addresses, prose),
        light(addresses, prose, slow),
        tides(addresses, prose),
        club(addresses, prose),
        office(addresses, prose),
        quiet(addresses),
        outside(),
    )
    return Town(addresses, sites, (addresses.at("old"), addresses.at("news")))


def slug(title: str) -> str:
    """A title as part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _hall(addresses: Addresses, prose: Prose) -> Site:
    at, texts = addresses.at, prose.texts["town"]
    frame = Frame("Saltmouth town hall", (("/", "Home"), ("/about.html", "About"), ("/links.html", "Links")))
    sheets = {
        f"/{name}.html": frame.sheet(name.capitalize(), prose.fill(name, *texts[name]))
        for name in ("history", "market", "ferry", "people", "contact")
    }
    sheets["/about.html"] = _about(frame, texts["about"], at("www", "/about.html"))
    sheets["/about.html?print=1"] = unkept(sheets["/about.html"])
    sheets["/facts.html"] = packed(frame.sheet("Facts and figures", texts["facts"]))
    sheets |= _twins(frame, texts["twin"])
    sheets["/links.html"] = frame.sheet("Links", ["Others in the town.", *_broken_words()], _links(addresses))
    inside = [(path, path[1:].partition(".")[0]) for path in sheets]
    home = frame.sheet("Welcome to Saltmouth", texts["about"][:2], listing([*inside, (at("news"), "News")]))
    return Site(name="www", sheets={"/": home, **sheets})


def _about(frame: Frame, texts: list[str], address: str) -> Sheet:
    head = f'<link rel="canonical" href="{address}">\n'
    more = listing([("/about.html?print=1", "For printing"), ("/missing.html", "Map of the town")])
    return frame.sheet("About", texts, more, head)


def _twins(frame: Frame, texts: list[str]) -> dict[str, Sheet]:
    """Pages in encodings from before the Web agreed on one."""
    french = frame.page("Jumelage", [*texts, "Port-Désiré-sur-Grève: crêpes, phare et marée haute à l’été."])
    japanese = frame.page("姉妹都市", [*texts, "塩口町へようこそ。港の朝市は毎日開いています。"])
    declared = japanese.replace("<head>", "<head>\n<meta charset=shift_jis>")
    return {
        "/twin/france.html": in_charset(french, "windows-1252", "iso-8859-1"),
        "/twin/japan.html": in_charset(declared, "shift_jis", ""),
    }


def _broken_words() -> list[str]:
    return ["Some of these links are old: one host has closed its door, another has lost its name."]


def _links(addresses: Addresses) -> str:
    at = addresses.at
    hosts = ("news", "docs", "shop", "light", "tides", "club", "office", "quiet", "closed", "gone")
    others = [(at("city.elsewhere.test"), "The city, far away"), (at("old", "/about.html"), "Old pages")]
    return listing([*((at(host), host) for host in hosts), *others])


def _old_hall(addresses: Addresses) -> Site:
    """The address the town had before; every page of it has moved."""
    paths = ("/", "/about.html", "/history.html")
    sheets = {path: moved(addresses.at("www", path)) for path in paths}
    return Site(name="old", sheets=sheets)


def _news(addresses: Addresses, prose: Prose) -> Site:
    at, stories = addresses.at, prose.texts["news"]["stories"]
    frame = Frame(
        "Saltmouth Tidings", (("/", "Front page"), ("/archive/", "Archive"), (at("www"), "Town hall"))
    )
    sheets: dict[str, Sheet] = {}
    for number, month in enumerate(MONTHS):
        posts = []
        for turn in range(POSTS_A_MONTH):
            story = stories[(number * POSTS_A_MONTH + turn) % len(stories)]
            day = f"{month}/{turn * 9 + 4:02}"
            title, texts = prose.story(day, story["title"], story["text"])
            path = f"/{day}/{slug(title)}"
            posts.append((path, title))
            sheets[path] = _post(frame, day.replace("/", "-"), title, texts)
        sheets[f"/{month}/"] = frame.sheet(f"Archive of {month}", [], listing(posts))
    latest = [(path, slug(path)) for path in list(sheets)[-8:] if not path.endswith("/")]
    months = listing((f"/{month}/", month) for month in MONTHS)
    sheets["/archive/"] = frame.sheet("Archive", ["Everything we printed, by month."], months)
    sheets["/"] = frame.sheet("Tidings", ["Printed when there is something to print."], listing(latest))
    return Site(name="news", sheets=sheets, robots="User-agent: *\nDisallow:\n")


def _post(frame: Frame, day: str, title: str, texts: list[str]) -> Sheet:
    head = f'<meta property="article:published_time" content="{day}T07:00:00Z">\n'
    return frame.sheet(title, texts, f"<p><time datetime={day}>{day}</time></p>\n", head)


def _handbook(addresses: Addresses, prose: Prose) -> Site:
    """Half of its chapters are linked; the other half only the sitemap knows."""
    frame = Frame("Harbour handbook", (("/", "Contents"), (addresses.at("www"), "Town hall")))
    texts = prose.texts["handbook"]
    titles = {f"/chapter/{slug(title)}": title for title, *_ in texts["chapters"]}
    sheets = {
        f"/chapter/{slug(title)}": frame.sheet(title, paragraphs) for title, *paragraphs in texts["chapters"]
    }
    shown = list(titles.items())[: len(titles) // 2]
    hidden = [("/private/", "Staff"), ("/private/rota.html", "Rota"), ("/private/notice.html", "Notice")]
    sheets["/"] = frame.sheet("Contents", ["How to use the harbour."], listing([*shown, *hidden]))
    sheets["/private/"] = frame.sheet("Staff only", texts["private"])
    sheets["/private/rota.html"] = frame.sheet("Rota", texts["private"])
    sheets["/private/notice.html"] = frame.sheet("Notice", texts["notice"])
    robots = (
        "User-agent: *\nDisallow: /private/\nAllow: /private/notice.html\n\n"
        f"Sitemap: {addresses.at('docs', '/sitemap.xml')}\n"
    )
    refuses = frozenset({"/private/", "/private/rota.html"})
    return Site(
        name="docs", sheets=sheets | _sitemaps(addresses, list(titles)), robots=robots, refuses=refuses
    )


def _sitemaps(addresses: Addresses, paths: list[str]) -> dict[str, Sheet]:
    """An index of two maps, the second compressed."""
    half = len(paths) // 2
    first, second = (_sitemap(addresses, part) for part in (paths[:half], paths[half:]))
    maps = "".join(
        f"<sitemap><loc>{addresses.at('docs', path)}</loc></sitemap>"
        for path in ("/map-1.xml", "/map-2.xml.gz")
    )
    xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
    index = f'{xml}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{maps}</sitemapindex>\n'
    return {
        "/sitemap.xml": Sheet(body=index.encode(), type="application/xml", kept=False),
        "/map-1.xml": Sheet(body=first, type="application/xml", kept=False),
        "/map-2.xml.gz": Sheet(body=gzip.compress(second, mtime=0), type="application/gzip", kept=False),
    }


def _sitemap(addresses: Addresses, paths: list[str]) -> bytes:
    urls = "".join(
        f"<url><loc>{addresses.at('docs', path)}</loc><lastmod>2023-06-01</lastmod></url>\n" for path in paths
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'.encode()
