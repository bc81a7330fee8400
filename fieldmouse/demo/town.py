"""The demo's town: its town hall, newspaper and handbook, and the list of everything in it.

The hosts with bad habits (traps, slowness, moods) are in `quirks`.
"""

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from .boards import boards as notice_boards
from .boards import rates
from .moulds import Mould, Text
from .neighbours import farm, guest_book, parked, servers
from .prose import Prose
from .quirks import club, light, office, outside, quiet, shop, tides
from .sheets import Addresses, Frame, Sheet, Site, in_charset, link, listing, moved, packed, unkept
from .societies import BEES, COOKING, bees, kitchen, www_twin

MONTHS = tuple(f"2023/{month:02}" for month in range(1, 13))
POSTS_A_MONTH = 3
HARBOUR = "the harbour"  # what all hosts talk about that talk about nothing else


@dataclass(frozen=True, slots=True)
class Town:
    """Every host of the demo, and what a good crawler does with it."""

    addresses: Addresses
    sites: tuple[Site, ...]
    seeds: tuple[str, ...]
    neighbours: tuple[Site, ...] = ()  # parked names and farms, in domains of their own
    servers: Mapping[str, str] = field(default_factory=dict)  # the name server of each of these domains

    @property
    def domains(self) -> tuple[str, ...]:
        """The domain of the town, and those its guest book leads to."""
        return (self.addresses.domain, *(site.name for site in self.neighbours))

    @property
    def subjects(self) -> dict[str, str]:
        """What each page that must be stored is about."""
        about = {self.addresses.name("bees"): BEES, self.addresses.name("kitchen"): COOKING}
        return {page: about.get(urlsplit(page).hostname or "", HARBOUR) for page in self.pages}

    @property
    def pages(self) -> frozenset[str]:
        """Addresses that a complete and polite crawl must store."""
        return frozenset(
            self.addresses.at(site.name, path)
            for site in self.sites
            for path, sheet in site.sheets.items()
            if sheet.kept and path not in site.refuses
        )

    def sheet(self, url: str, day: float) -> Sheet | None:
        """What an address shows on a day."""
        parts = urlsplit(url)
        site = next((one for one in self.sites if self.addresses.name(one.name) == parts.hostname), None)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return site.sheet(target, day) if site else None

    @property
    def forbidden(self) -> frozenset[str]:
        """Addresses that must never be asked for: robots.txt or nofollow says so, or they lie elsewhere."""
        return frozenset(self.addresses.at(site.name, path) for site in self.sites for path in site.refuses)


def build(port: int, *, seed: int = 1, slow: float = 0.3, boards: int = 0) -> Town:
    """The whole town, with so many notice boards; the same arguments give the same bytes."""
    addresses, prose = Addresses(port), Prose(seed)
    keepers = bees(addresses, prose)
    neighbours = (*parked(prose), *farm(addresses, prose))
    sites: tuple[Site, ...] = (
        _hall(addresses, prose, guest_book(addresses, neighbours)),
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
        keepers,
        kitchen(addresses, prose),
        www_twin(addresses, keepers),
    )
    seeds: tuple[str, ...] = (addresses.at("old"), addresses.at("news"))
    if boards:
        sites, seeds = (
            (*sites, notice_boards(addresses, prose, rates(boards))),
            (*seeds, addresses.at("boards")),
        )
    return Town(addresses, (*sites, *neighbours), seeds, neighbours, servers(prose))


def slug(title: str) -> str:
    """A title as part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _hall(addresses: Addresses, prose: Prose, guests: str) -> Site:
    texts = prose.texts["town"]
    menu = (("/", "Home"), ("/about.html", "About"), ("/links.html", "Links"))
    names = ("history", "market", "ferry", "people", "contact")
    inside = tuple((f"/{name}.html", name.capitalize()) for name in names)
    section = "The town"
    mould = Mould(title="Saltmouth town hall", slogan=texts["slogan"], menu=menu, sections={section: inside})
    plain = [
        Text(path=path, title=title, texts=prose.fill(path[1:-5], *texts[path[1:-5]]), section=section)
        for path, title in inside
    ]
    facts = Text(path="/facts.html", title="Facts and figures", texts=texts["facts"], section=section)
    book = Text(path="/guests.html", title="Guest book", texts=texts["guests"], more=guests, layout="plain")
    others = ["Others in the town.", *_broken_words()]
    links = Text(path="/links.html", title="Links", texts=others, more=_links(addresses), layout="index")
    sheets = {text.path: mould.sheet(text) for text in (*plain, book, links)}
    sheets |= _about(addresses, mould, texts["about"]) | _twins(Frame(mould.title, menu), texts["twin"])
    sheets["/facts.html"] = packed(mould.sheet(facts))
    found = [(path, path[1:].partition(".")[0]) for path in sheets]
    more = listing([*found, (addresses.at("news"), "News")])
    home = Text(path="/", title="Welcome to Saltmouth", texts=texts["about"][:2], more=more, layout="index")
    return Site(name="www", sheets={"/": mould.sheet(home), **sheets})


def _about(addresses: Addresses, mould: Mould, texts: list[str]) -> dict[str, Sheet]:
    """A page, and the same for printing, which says whose copy it is."""
    head = f'<link rel="canonical" href="{addresses.at("www", "/about.html")}">\n'
    more = listing([("/about.html?print=1", "For printing"), ("/missing.html", "Map of the town")])
    about = Text(path="/about.html", title="About", texts=texts, more=more, head=head, section="The town")
    printed = mould.sheet(replace(about, layout="plain"))
    return {about.path: mould.sheet(about), f"{about.path}?print=1": unkept(printed)}


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
    hosts = (
        "news",
        "docs",
        "shop",
        "light",
        "tides",
        "club",
        "office",
        "quiet",
        "closed",
        "gone",
        "bees",
        "kitchen",
    )
    others = [
        (at("city.elsewhere.test"), "The city, far away"),
        (at("old", "/about.html"), "Old pages"),
        (at(f"www.{addresses.name('bees')}"), "Bee-keepers, again"),
    ]
    return listing([*((at(host), host) for host in hosts), *others])


def _old_hall(addresses: Addresses) -> Site:
    """The address the town had before; every page of it has moved."""
    paths = ("/", "/about.html", "/history.html")
    sheets = {path: moved(addresses.at("www", path)) for path in paths}
    return Site(name="old", sheets=sheets)


def _news(addresses: Addresses, prose: Prose) -> Site:
    """Stories by month, each also for printing: some of these say whose copy they are."""
    texts = prose.texts["news"]
    menu = (("/", "Front page"), ("/archive/", "Archive"), (addresses.at("www"), "Town hall"))
    quarters = {
        f"{part} quarter": tuple((f"/{month}/", month) for month in MONTHS[3 * place : 3 * place + 3])
        for place, part in enumerate(("First", "Second", "Third", "Fourth"))
    }
    mould = Mould(
        title="Saltmouth Tidings",
        slogan=texts["slogan"],
        menu=menu,
        sections=quarters,
        adverts=tuple(texts["adverts"]),
    )
    sheets: dict[str, Sheet] = {}
    for number, month in enumerate(MONTHS):
        section = list(quarters)[number // 3]
        posts = _month(addresses, prose, mould, number, section)
        sheets |= posts
        links = [
            (path, path.rpartition("/")[2].replace("-", " "))
            for path in posts
            if not path.startswith("/print")
        ]
        sheets[f"/{month}/"] = mould.sheet(
            Text(path=f"/{month}/", title=f"Archive of {month}", more=listing(links), layout="index")
        )
    latest = [(path, slug(path)) for path in list(sheets)[-12:] if path.count("/") == 4]
    months = listing((f"/{month}/", month) for month in MONTHS)
    every = Text(path="/archive/", title="Archive", texts=["Everything we printed, by month."], more=months)
    front = Text(
        path="/", title="Tidings", texts=["Printed when there is something to print."], more=listing(latest),
        layout="index",
    )  # fmt: skip
    sheets |= {"/archive/": mould.sheet(every), "/": mould.sheet(front)}
    return Site(name="news", sheets=sheets, robots="User-agent: *\nDisallow:\n")


def _month(addresses: Addresses, prose: Prose, mould: Mould, number: int, section: str) -> dict[str, Sheet]:
    """The stories of a month, and one of them as a page for printing."""
    stories = prose.texts["news"]["stories"]
    sheets: dict[str, Sheet] = {}
    for turn in range(POSTS_A_MONTH):
        story = stories[(number * POSTS_A_MONTH + turn) % len(stories)]
        day = f"{MONTHS[number]}/{turn * 9 + 4:02}"
        title, texts = prose.story(day, story["title"], story["text"])
        path, date = f"/{day}/{slug(title)}", day.replace("/", "-")
        printed = f"/print{path}" if turn == 0 else ""
        sheets[path] = _post(
            mould, Text(path=path, title=title, texts=texts, section=section, date=date), printed
        )
        if printed:
            whose = f'<link rel="canonical" href="{addresses.at("news", path)}">\n' if number % 2 else ""
            copy = Text(path=printed, title=title, texts=texts, head=whose, date=date, layout="plain")
            sheets[printed] = unkept(mould.sheet(copy))
    return sheets


def _post(mould: Mould, text: Text, printed: str) -> Sheet:
    head = f'<meta property="article:published_time" content="{text.date}T07:00:00Z">\n'
    more = f"<p><time datetime={text.date}>{text.date}</time></p>\n"
    more += f"<p>{link(printed, 'For printing')}</p>\n" if printed else ""
    return mould.sheet(replace(text, head=head, more=more))


def _handbook(addresses: Addresses, prose: Prose) -> Site:
    """Half of its chapters are linked; the other half only the sitemap knows."""
    texts = prose.texts["handbook"]
    titles = {f"/chapter/{slug(title)}": title for title, *_ in texts["chapters"]}
    shown = list(titles.items())[: len(titles) // 2]
    parts = {"Coming and going": tuple(shown[:4]), "Staying": tuple(shown[4:])}
    menu = (("/", "Contents"), (addresses.at("www"), "Town hall"))
    mould = Mould(title="Harbour handbook", slogan=texts["slogan"], menu=menu, sections=parts)
    sheets = {
        path: mould.sheet(Text(path=path, title=title, texts=said, section=list(parts)[place % 2]))
        for place, (path, (title, *said)) in enumerate(zip(titles, texts["chapters"], strict=True))
    }
    hidden = [("/private/", "Staff"), ("/private/rota.html", "Rota"), ("/private/notice.html", "Notice")]
    more = listing([*shown, *hidden])
    home = Text(path="/", title="Contents", texts=["How to use the harbour."], more=more, layout="index")
    sheets["/"] = mould.sheet(home)
    for path, title, said in (
        ("/private/", "Staff only", "private"), ("/private/rota.html", "Rota", "private"),
        ("/private/notice.html", "Notice", "notice"),
    ):  # fmt: skip
        sheets[path] = mould.sheet(Text(path=path, title=title, texts=texts[said], layout="plain"))
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
