"""All hosts of the demo web, and what a complete and polite crawl stores of them."""

import gzip
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from .changing_hosts import board_rates, notice_boards, tide_tables
from .pages import (
    Addresses,
    Article,
    DemoHost,
    DemoPage,
    DemoTexts,
    Design,
    gzipped,
    link,
    listing,
    optional,
    redirect,
    slug,
)
from .spam_hosts import guest_book, name_servers, parked_hosts, redirect_farm

MONTHS = tuple(f"2023/{month:02}" for month in range(1, 13))
POSTS_A_MONTH = 3
LINKED_HOSTS = (
    *("news", "docs", "shop", "light", "tides", "club", "office", "quiet", "closed", "gone"),
    *("bees", "kitchen"),
)
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass(frozen=True, slots=True)
class Town:
    """Every host of the demo web, and what a good crawler does with it."""

    addresses: Addresses
    hosts: tuple[DemoHost, ...]
    seeds: tuple[str, ...]
    spam_hosts: tuple[DemoHost, ...] = ()  # parked domains and redirect farms
    name_servers: Mapping[str, str] = field(default_factory=dict)  # of the parked domains

    @property
    def domains(self) -> tuple[str, ...]:
        """The domain of the town, and the spam domains."""
        return (self.addresses.domain, *(host.name for host in self.spam_hosts))

    @property
    def pages(self) -> frozenset[str]:
        """URLs that a complete and polite crawl must store."""
        return frozenset(
            self.addresses.at(host.name, path)
            for host in self.hosts
            for path, page in host.pages.items()
            if page.must_store and path not in host.forbidden
        )

    @property
    def forbidden(self) -> frozenset[str]:
        """URLs that must not be requested: by robots.txt or nofollow, or because they are out of scope."""
        return frozenset(self.addresses.at(host.name, path) for host in self.hosts for path in host.forbidden)

    @property
    def subjects(self) -> dict[str, str]:
        """What each page that must be stored is about: bees, cooking or the harbour."""
        about = {self.addresses.name("bees"): "bees", self.addresses.name("kitchen"): "cooking"}
        return {page: about.get(urlsplit(page).hostname or "", "the harbour") for page in self.pages}

    def page(self, url: str, day: float) -> DemoPage | None:
        """What a URL shows on a day."""
        parts = urlsplit(url)
        host = next((one for one in self.hosts if self.addresses.name(one.name) == parts.hostname), None)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return host.page(target, day) if host else None


def build(port: int, *, seed: int = 1, slow: float = 0.3, boards: int = 0) -> Town:
    """The whole town, with a number of notice boards; the same arguments give the same bytes."""
    addresses, texts = Addresses(port), DemoTexts(seed)
    bees = _topic_host(addresses, texts, "bees", (addresses.at("kitchen", "/cakes/honey-cake"), "Honey cake"))
    about_honey = (addresses.at("bees", "/honey/jars-and-labels"), "About honey")
    spam = (*parked_hosts(texts), *redirect_farm(addresses, texts))
    moved = {path: redirect(addresses.at("www", path)) for path in ("/", "/about.html", "/history.html")}
    copies = {path: replace(page, must_store=False, parts=()) for path, page in bees.pages.items()}
    city = {"/": Design("The city", (("/", "City"),)).simple("The city", ["Trams, banks and noise."])}
    hosts = [
        _town_hall(addresses, texts, guest_book(addresses, spam)),
        DemoHost(name="old", pages=moved),
        _news(addresses, texts),
        _handbook(addresses, texts),
        _shop(addresses, texts),
        _lighthouse(addresses, texts, slow),
        tide_tables(addresses, texts),
        _club(addresses, texts),
        _office(addresses, texts),
        _private_garden(addresses),
        DemoHost(name="city.elsewhere.test", pages=city, forbidden=frozenset(city)),  # another domain
        bees,
        _topic_host(addresses, texts, "kitchen", about_honey),
        DemoHost(name=f"www.{addresses.name('bees')}", pages=copies),  # the same host under a second name
    ]
    seeds = [addresses.at("old"), addresses.at("news")]
    if boards:
        hosts.append(notice_boards(addresses, texts, board_rates(boards)))
        seeds.append(addresses.at("boards"))
    return Town(addresses, (*hosts, *spam), tuple(seeds), spam, name_servers(texts))


def _town_hall(addresses: Addresses, texts: DemoTexts, guests: str) -> DemoHost:
    """Pages with copies for printing, in old encodings, compressed; links to all hosts and to spam."""
    said, section = texts.sections["town"], "The town"
    menu = (("/", "Home"), ("/about.html", "About"), ("/links.html", "Links"))
    names = ("history", "market", "ferry", "people", "contact")
    inside = tuple((f"/{name}.html", name.capitalize()) for name in names)
    design = Design("Saltmouth town hall", menu, said["slogan"], {section: inside})
    pages = {
        path: design.page(
            Article(path=path, title=name, texts=texts.fill(path[1:-5], *said[path[1:-5]]), section=section)
        )
        for path, name in inside
    }
    book = Article(path="/guests.html", title="Guest book", texts=said["guests"], more=guests, layout="plain")
    other_hosts = [
        *((addresses.at(host), host) for host in LINKED_HOSTS),
        (addresses.at("city.elsewhere.test"), "The city, far away"),
        (addresses.at("old", "/about.html"), "Old pages"),
        (addresses.at(f"www.{addresses.name('bees')}"), "Bee-keepers, again"),
    ]
    others = Article(
        path="/links.html",
        title="Links",
        texts=[
            "Others in the town.",
            "Some of these links are old: one host has closed its door, another has lost its name.",
        ],
        more=listing(other_hosts),
        layout="index",
    )
    about = Article(
        path="/about.html",
        title="About",
        texts=said["about"],
        more=listing([("/about.html?print=1", "For printing"), ("/missing.html", "Map of the town")]),
        head=f'<link rel="canonical" href="{addresses.at("www", "/about.html")}">\n',
        section=section,
    )
    pages |= {article.path: design.page(article) for article in (book, others, about)}
    pages["/about.html?print=1"] = optional(design.page(replace(about, layout="plain")))
    pages |= _old_encodings(Design(design.title, menu), said["twin"])
    facts = Article(path="/facts.html", title="Facts and figures", texts=said["facts"], section=section)
    pages["/facts.html"] = gzipped(design.page(facts))
    found = [(path, path[1:].partition(".")[0]) for path in pages]
    home = Article(
        path="/",
        title="Welcome to Saltmouth",
        texts=said["about"][:2],
        more=listing([*found, (addresses.at("news"), "News")]),
        layout="index",
    )
    return DemoHost(name="www", pages={"/": design.page(home), **pages})


def _old_encodings(design: Design, texts: list[str]) -> dict[str, DemoPage]:
    """Pages in windows-1252 (declared as ISO 8859-1 in the header) and in Shift JIS (in a meta tag)."""
    french = "Port-Désiré-sur-Grève: crêpes, phare et marée haute à l’été."
    japanese = "塩口町へようこそ。港の朝市は毎日開いています。"
    france = design.simple("Jumelage", [*texts, french]).body.decode()
    japan = design.simple("姉妹都市", [*texts, japanese]).body.decode()
    japan = japan.replace("<head>", "<head>\n<meta charset=shift_jis>")
    return {
        "/twin/france.html": DemoPage(
            body=france.encode("windows-1252"), type="text/html; charset=iso-8859-1"
        ),
        "/twin/japan.html": DemoPage(body=japan.encode("shift_jis"), type="text/html"),
    }


def _news(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """Stories by month; one a month also for printing, with a canonical link in every other month."""
    said = texts.sections["news"]
    menu = (("/", "Front page"), ("/archive/", "Archive"), (addresses.at("www"), "Town hall"))
    quarters = {
        f"{part} quarter": tuple((f"/{month}/", month) for month in MONTHS[3 * place : 3 * place + 3])
        for place, part in enumerate(("First", "Second", "Third", "Fourth"))
    }
    design = Design("Saltmouth Tidings", menu, said["slogan"], quarters, tuple(said["adverts"]))
    pages: dict[str, DemoPage] = {}
    for number, month in enumerate(MONTHS):
        links = []
        for turn in range(POSTS_A_MONTH):
            story = said["stories"][(number * POSTS_A_MONTH + turn) % len(said["stories"])]
            day = f"{month}/{turn * 9 + 4:02}"
            title, *text = texts.fill(day, story["title"], *story["text"])
            path, date = f"/{day}/{slug(title)}", day.replace("/", "-")
            links.append((path, slug(title).replace("-", " ")))
            printed = f"<p>{link(f'/print{path}', 'For printing')}</p>\n" if turn == 0 else ""
            post = Article(
                path=path,
                title=title,
                texts=text,
                more=f"<p><time datetime={date}>{date}</time></p>\n{printed}",
                head=f'<meta property="article:published_time" content="{date}T07:00:00Z">\n',
                section=list(quarters)[number // 3],
                date=date,
            )
            pages[path] = design.page(post)
            if printed:
                canonical = f'<link rel="canonical" href="{addresses.at("news", path)}">\n'
                head = canonical if number % 2 else ""
                copy = replace(post, path=f"/print{path}", more="", head=head, section="", layout="plain")
                pages[copy.path] = optional(design.page(copy))
        index = Article(path=f"/{month}/", title=f"Archive of {month}", more=listing(links), layout="index")
        pages[index.path] = design.page(index)
    latest = [(path, slug(path)) for path in list(pages)[-12:] if path.count("/") == 4]
    months = listing((f"/{month}/", month) for month in MONTHS)
    every = Article(
        path="/archive/", title="Archive", texts=["Everything we printed, by month."], more=months
    )
    front = Article(
        path="/",
        title="Tidings",
        texts=["Printed when there is something to print."],
        more=listing(latest),
        layout="index",
    )
    pages |= {article.path: design.page(article) for article in (every, front)}
    return DemoHost(name="news", pages=pages, robots="User-agent: *\nDisallow:\n")


def _handbook(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """Half of its chapters are linked, the others are only in the sitemap; one folder is forbidden."""
    said = texts.sections["handbook"]
    titles = {f"/chapter/{slug(title)}": title for title, *_ in said["chapters"]}
    shown = list(titles.items())[: len(titles) // 2]
    parts = {"Coming and going": tuple(shown[:4]), "Staying": tuple(shown[4:])}
    menu = (("/", "Contents"), (addresses.at("www"), "Town hall"))
    design = Design("Harbour handbook", menu, said["slogan"], parts)
    pages = {
        path: design.page(Article(path=path, title=title, texts=text, section=list(parts)[place % 2]))
        for place, (path, (title, *text)) in enumerate(zip(titles, said["chapters"], strict=True))
    }
    hidden = [("/private/", "Staff"), ("/private/rota.html", "Rota"), ("/private/notice.html", "Notice")]
    more = listing([*shown, *hidden])
    home = Article(path="/", title="Contents", texts=["How to use the harbour."], more=more, layout="index")
    pages["/"] = design.page(home)
    for path, title, key in (
        ("/private/", "Staff only", "private"),
        ("/private/rota.html", "Rota", "private"),
        ("/private/notice.html", "Notice", "notice"),
    ):
        pages[path] = design.page(Article(path=path, title=title, texts=said[key], layout="plain"))
    robots = (
        "User-agent: *\nDisallow: /private/\nAllow: /private/notice.html\n\n"
        f"Sitemap: {addresses.at('docs', '/sitemap.xml')}\n"
    )
    forbidden = frozenset({"/private/", "/private/rota.html"})
    sitemaps = _sitemaps(addresses, list(titles))
    return DemoHost(name="docs", pages=pages | sitemaps, robots=robots, forbidden=forbidden)


def _sitemaps(addresses: Addresses, paths: list[str]) -> dict[str, DemoPage]:
    """A sitemap index of two sitemaps, the second compressed."""

    def sitemap(part: list[str]) -> bytes:
        urls = "".join(
            f"<url><loc>{addresses.at('docs', path)}</loc><lastmod>2023-06-01</lastmod></url>\n"
            for path in part
        )
        return f'<urlset xmlns="{SITEMAP}">\n{urls}</urlset>\n'.encode()

    names = ("/map-1.xml", "/map-2.xml.gz")
    maps = "".join(f"<sitemap><loc>{addresses.at('docs', name)}</loc></sitemap>" for name in names)
    index = f'{XML}<sitemapindex xmlns="{SITEMAP}">{maps}</sitemapindex>\n'.encode()
    half = len(paths) // 2
    second = gzip.compress(sitemap(paths[half:]), mtime=0)
    return {
        "/sitemap.xml": DemoPage(body=index, type="application/xml", must_store=False),
        names[0]: DemoPage(body=sitemap(paths[:half]), type="application/xml", must_store=False),
        names[1]: DemoPage(body=second, type="application/gzip", must_store=False),
    }


def _shop(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """Every link has a new session id, and a calendar and a folder never end."""
    said, session = texts.sections["shop"], "?PHPSESSID=SESSION"
    menu = ((f"/{session}", "Shop"), (f"/hire/{session}", "Hire"), (addresses.at("www"), "Town hall"))
    design = Design("Rope Walk Boats", menu)
    pages: dict[str, DemoPage] = {}
    for shelf in said["shelves"]:
        items = {f"/{shelf['name']}/{slug(item)}": item for item in shelf["items"]}
        for path, item in items.items():
            pages[path] = design.simple(item, texts.fill(path, shelf["text"]))
        links = listing((path + session, item) for path, item in items.items())
        pages[f"/{shelf['name']}/"] = design.simple(shelf["name"].capitalize(), [], links)
    shelves = listing((f"/{shelf['name']}/{session}", shelf["name"]) for shelf in said["shelves"])
    pages["/"] = design.simple("Boats and what belongs to them", said["intro"], shelves)
    traps = listing([("/hire/calendar?month=2024-05", "Calendar"), ("gear/", "Gear for the day")])
    pages["/hire/"] = design.simple("Hire a boat", said["hire"], traps)

    def generate(target: str, _day: float) -> DemoPage | None:
        page = None
        if re.fullmatch(r"/hire/(?:gear/)+", target):
            deeper = listing([("gear/", "More gear"), ("/hire/", "Hire")])
            page = design.simple("Gear", ["Oars, rowlocks, a bailer."], deeper)
        elif found := re.fullmatch(r"/hire/calendar\?month=(\d{4})-(\d\d)", target):
            year, month = int(found[1]), int(found[2])
            near = [divmod(year * 12 + month - 1 + step, 12) for step in (-1, 1)]
            urls = [f"/hire/calendar?month={y}-{m + 1:02}" for y, m in near]
            urls += [f"/hire/calendar?day={year}-{month:02}-{day:02}" for day in range(1, 29)]
            links = listing((one, one[-10:]) for one in urls)
            page = design.simple(f"Boats free in {year}-{month:02}", [], links)
        elif re.fullmatch(r"/hire/calendar\?day=\d{4}-\d\d-\d\d", target):
            page = design.simple(f"Boats free on {target[-10:]}", ["All of them."])
        return page and optional(page)

    return DemoHost(name="shop", pages=pages, sessions=True, generate=generate)


def _lighthouse(addresses: Addresses, texts: DemoTexts, slow: float) -> DemoHost:
    """A slow host."""
    design = Design("The light on Gull Rock", (("/", "Light"), (addresses.at("www"), "Town hall")))
    pages = _numbered(design, texts, "light", "log", title="Log of", numbers=range(1839, 1959, 15))
    home = design.simple(
        "The light", texts.sections["light"]["intro"], listing((path, path) for path in pages)
    )
    return DemoHost(name="light", pages={"/": home, **pages}, slow=slow)


def _office(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """A host that answers its first requests with 503 and Retry-After."""
    design = Design("Harbour office", (("/", "Notices"), (addresses.at("www"), "Town hall")))
    pages = _numbered(design, texts, "office", "notice", title="Notice", numbers=range(1, 7))
    home = design.simple(
        "Notices", texts.sections["office"]["intro"], listing((path, path) for path in pages)
    )
    return DemoHost(name="office", pages={"/": home, **pages}, busy=2)


def _numbered(
    design: Design, texts: DemoTexts, section: str, key: str, *, title: str, numbers: Iterable[int]
) -> dict[str, DemoPage]:
    """Numbered pages of one kind."""
    said = texts.sections[section][key]
    return {f"/{key}/{n}": design.simple(f"{title} {n}", texts.fill(f"{key}{n}", *said)) for n in numbers}


def _club(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """Pages with noindex, links with nofollow, and a Crawl-delay."""
    design = Design("Sailing club", (("/", "Club"), (addresses.at("www"), "Town hall")))
    pages = _numbered(design, texts, "club", "race", title="Race", numbers=range(1, 8))
    noindex, nofollow = (f'<meta name="robots" content="{word}">\n' for word in ("noindex", "nofollow"))
    pages["/members"] = optional(design.simple("Members", ["Please do not list us."], head=noindex))
    minutes = design.simple("Minutes", ["Please do not keep this."]).body
    pages["/minutes"] = DemoPage(body=minutes, headers=(("X-Robots-Tag", "noindex"),), must_store=False)
    drinks = listing([("/bar/beer", "Beer"), ("/bar/cider", "Cider")])
    pages["/bar"] = design.simple("Bar", ["Prices are on the wall."], drinks, nofollow)
    menu = listing((path, path) for path in pages)
    forbidden = ("/bar/beer", "/bar/cider", "/guests")
    pages |= {path: design.simple("Guests' book", ["Buy watches!"]) for path in forbidden}
    guests = link("/guests", "Guests' book", ' rel="nofollow"')
    intro = texts.fill("club", *texts.sections["club"]["intro"])
    pages["/"] = design.simple("Sailing club", intro, f"{menu}<p>{guests}</p>\n")
    robots = "User-agent: *\nCrawl-delay: 1\n"
    return DemoHost(name="club", pages=pages, robots=robots, forbidden=frozenset(forbidden))


def _private_garden(addresses: Addresses) -> DemoHost:
    """A host whose robots.txt forbids everything."""
    design = Design("A private garden", ((addresses.at("www"), "Town hall"),))
    pages = {
        "/": design.simple("Garden", ["Roses, mostly."]),
        "/roses": design.simple("Roses", ["Red ones."]),
    }
    robots = "User-agent: *\nDisallow: /\n"
    return DemoHost(name="quiet", pages=pages, robots=robots, forbidden=frozenset(pages))


def _topic_host(addresses: Addresses, texts: DemoTexts, name: str, friend: tuple[str, str]) -> DemoHost:
    """A host about one topic, in sections; its last section links to a page of another host."""
    said = texts.sections[name]
    paths = {
        part["name"]: {f"/{part['name']}/{slug(title)}": title for title, *_ in part["pages"]}
        for part in said["parts"]
    }
    menu = (
        ("/", "Start"),
        *((f"/{part}/", part.capitalize()) for part in paths),
        (addresses.at("www"), "Town hall"),
    )
    sections = {part: tuple(links.items())[:4] for part, links in paths.items()}
    design = Design(said["title"], menu, said["slogan"], sections, tuple(said["adverts"]))
    contents = listing((f"/{part}/", part.capitalize()) for part in paths)
    home = Article(path="/", title=said["title"], texts=said["intro"], more=contents, layout="index")
    articles = [home]
    for part in said["parts"]:
        section = part["name"]
        more = f"<p>See also: {link(*friend)}</p>\n" if part is said["parts"][-1] else ""
        for path, (title, *text) in zip(paths[section], part["pages"], strict=True):
            filled = texts.fill(name + path, *text)
            articles.append(
                Article(path=path, title=title, texts=filled, more=more, section=section, date=part["date"])
            )
        links = listing(paths[section].items())
        articles.append(
            Article(
                path=f"/{section}/",
                title=section.capitalize(),
                texts=[part["about"]],
                more=links,
                layout="index",
            )
        )
    return DemoHost(name=name, pages={one.path: design.page(one) for one in articles})
