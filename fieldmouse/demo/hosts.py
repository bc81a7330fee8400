"""All hosts of the demo web, and what a complete and polite crawl stores of them.

Around the town is spam: parked domains, a redirect farm, and a redirect loop. Each is a domain with its own
name servers; the guest book of the town hall links to all of them. Nothing there must be stored, and nothing
is forbidden.
"""

import datetime as dt
import gzip
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import cos, pi

from .exchange import exchange
from .pages import (
    Addresses,
    DemoHost,
    DemoPage,
    DemoTexts,
    Design,
    link,
    listing,
    optional,
    paragraphs,
    redirect,
    slug,
)

MONTHS = tuple(f"2023/{month:02}" for month in range(1, 13))
POSTS_A_MONTH = 3
LINKED_HOSTS = (
    *("news", "docs", "shop", "light", "tides", "club", "office", "quiet", "closed", "gone"),
    *("bees", "kitchen", "exchange"),
)
STATIONS = 12  # with tide tables
FIRST_DAY = dt.date(2024, 5, 1)
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"

UNKNOWN_PARKING = "ns1.idle-names.test"  # a provider on no list: only its pages show what it is
KNOWN_PARKING = "ns1.sedoparking.com"  # on the bundled list
FARM, OFFERS = "jackpot-bay.test", 6  # where the redirect farm leads to, and pages there


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


def build(port: int, *, seed: int = 1, slow: float = 0.3) -> Town:
    """The whole town; the same arguments give the same bytes."""
    addresses, texts = Addresses(port), DemoTexts(seed)
    bees = _topic_host(addresses, texts, "bees", (addresses.at("kitchen", "/cakes/honey-cake"), "Honey cake"))
    about_honey = (addresses.at("bees", "/honey/jars-and-labels"), "About honey")
    spam = tuple(_spam_hosts(addresses, texts))
    moved = {path: redirect(addresses.at("www", path)) for path in ("/", "/about.html", "/history.html")}
    copies = {path: replace(page, must_store=False, parts=()) for path, page in bees.pages.items()}
    garden = Design("A private garden", ((addresses.at("www"), "Town hall"),)).simple
    roses = {"/": garden("Garden", ["Roses, mostly."]), "/roses": garden("Roses", ["Red ones."])}
    city = {"/": Design("The city", (("/", "City"),)).simple("The city", ["Trams, banks and noise."])}
    no_robots = "User-agent: *\nDisallow: /\n"
    hosts = [
        _town_hall(addresses, texts, spam),
        DemoHost(name="old", pages=moved),
        _news(addresses, texts),
        _handbook(addresses, texts),
        _shop(addresses, texts),
        replace(_numbered_pages(addresses, texts, "light", range(1839, 1959, 15)), slow=slow),
        tide_tables(addresses, texts),
        exchange(addresses, texts),
        _club(addresses, texts),
        replace(_numbered_pages(addresses, texts, "office", range(1, 7)), busy=2),  # at first it answers 503
        DemoHost(name="quiet", pages=roses, robots=no_robots, forbidden=frozenset(roses)),
        DemoHost(name="city.elsewhere.test", pages=city, forbidden=frozenset(city)),  # another domain
        bees,
        _topic_host(addresses, texts, "kitchen", about_honey),
        DemoHost(name=f"www.{addresses.name('bees')}", pages=copies),  # the same host under a second name
    ]
    parked = [f"{name}.test" for name in texts.sections["parked"]["names"]]
    servers = dict.fromkeys(parked[:2], KNOWN_PARKING) | dict.fromkeys(parked[2:], UNKNOWN_PARKING)
    return Town(addresses, (*hosts, *spam), (addresses.at("old"), addresses.at("news")), spam, servers)


def _spam_hosts(addresses: Addresses, texts: DemoTexts) -> Iterator[DemoHost]:
    """Domains for sale; a farm of domains that redirect to one host, with a chain of three; and a loop."""
    parked, farm = texts.sections["parked"], texts.sections["farm"]
    for domain in (f"{name}.test" for name in parked["names"]):
        searches = texts.fill(domain, *parked["searches"])[:3]
        links = listing((f"/?q={number}", text) for number, text in enumerate(searches))
        body = parked["page"].format(domain=domain, links=links).encode()
        yield DemoHost(name=domain, pages={"/": optional(DemoPage(body=body))})

    def redirecting(name: str, kind: str, to: str) -> DemoHost:
        if kind == "http":
            return DemoHost(name=name, pages={"/": redirect(to, 302)})
        headers = (("Refresh", f"0; url={to}"),) if kind == "header" else ()
        body = f"<html>\n<head>{farm['heads'][kind].format(to=to)}</head>\n</html>\n".encode()
        return DemoHost(name=name, pages={"/": optional(DemoPage(body=body, headers=headers))})

    kinds = ("http", *farm["heads"])
    for place, name in enumerate(farm["names"]):
        offer = addresses.at(FARM, f"/offer/{place % OFFERS}")
        yield redirecting(f"{name}.test", kinds[place % len(kinds)], offer)
    landing = {"/": "Jackpot Bay"} | {f"/offer/{number}": f"Prize {number}" for number in range(OFFERS)}
    prizes = "".join(farm["prize"].format(number=number) for number in range(OFFERS))
    bodies = {path: farm["page"].format(title=title, prizes=prizes) for path, title in landing.items()}
    pages = {path: optional(DemoPage(body=body.encode())) for path, body in bodies.items()}
    yield DemoHost(name=FARM, pages=pages)
    yield redirecting("prize-one.test", "http", addresses.at("prize-two.test"))
    yield redirecting("prize-two.test", "meta", addresses.at("prize-three.test"))
    yield redirecting("prize-three.test", "script", addresses.at(FARM, "/offer/0"))
    yield redirecting("round-one.test", "http", addresses.at("round-two.test"))
    yield redirecting("round-two.test", "http", addresses.at("round-one.test"))


def _town_hall(addresses: Addresses, texts: DemoTexts, spam: Iterable[DemoHost]) -> DemoHost:
    """Pages with copies for printing, in old encodings, compressed; links to all hosts and to spam."""
    said, section = texts.sections["town"], "The town"
    menu = (("/", "Home"), ("/about.html", "About"), ("/links.html", "Links"))
    names = ("history", "market", "ferry", "people", "contact")
    inside = tuple((f"/{name}.html", name.capitalize()) for name in names)
    design = Design("Saltmouth town hall", menu, said["slogan"], {section: inside})
    pages = {
        path: design.page(path, name, paragraphs(texts.fill(path[1:-5], *said[path[1:-5]])), section=section)
        for path, name in inside
    }
    book = paragraphs(said["guests"])
    for name in (host.name for host in spam if host.name != FARM):
        book += f"<p>Nice site! {link(addresses.at(name), name)}</p>\n"
    pages["/guests.html"] = design.page("/guests.html", "Guest book", book, layout="plain")
    other_hosts = [
        *((addresses.at(host), host) for host in LINKED_HOSTS),
        (addresses.at("city.elsewhere.test"), "The city, far away"),
        (addresses.at("old", "/about.html"), "Old pages"),
        (addresses.at(f"www.{addresses.name('bees')}"), "Bee-keepers, again"),
    ]
    links = paragraphs(said["links"]) + listing(other_hosts)
    pages["/links.html"] = design.page("/links.html", "Links", links, layout="index")
    about = paragraphs(said["about"])
    about += listing([("/about.html?print=1", "For printing"), ("/missing.html", "Map of the town")])
    head = f'<link rel="canonical" href="{addresses.at("www", "/about.html")}">\n'
    for path, layout in (("/about.html", "story"), ("/about.html?print=1", "plain")):
        page = design.page("/about.html", "About", about, head=head, section=section, layout=layout)
        pages[path] = replace(page, must_store=layout == "story")
    # In windows-1252 (declared as ISO 8859-1 in the header), and in Shift JIS (declared in a meta tag).
    simple = Design(design.title, menu).simple
    france = simple("Jumelage", [*said["twin"], said["french"]]).body.decode()
    japan = simple("姉妹都市", [*said["twin"], said["japanese"]]).body.decode()
    japan = japan.replace("<head>", "<head>\n<meta charset=shift_jis>")
    latin = "text/html; charset=iso-8859-1"
    pages["/twin/france.html"] = DemoPage(body=france.encode("windows-1252"), type=latin)
    pages["/twin/japan.html"] = DemoPage(body=japan.encode("shift_jis"), type="text/html")
    facts = design.page("/facts.html", "Facts and figures", paragraphs(said["facts"]), section=section)
    coding = (("Content-Encoding", "gzip"),)
    pages["/facts.html"] = DemoPage(body=gzip.compress(facts.body, mtime=0), headers=coding)
    found = [*((path, path[1:].partition(".")[0]) for path in pages), (addresses.at("news"), "News")]
    welcome = paragraphs(said["about"][:2]) + listing(found)
    home = design.page("/", "Welcome to Saltmouth", welcome, layout="index")
    return DemoHost(name="www", pages={"/": home, **pages})


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
            content = f"{paragraphs(text)}<p><time datetime={date}>{date}</time></p>\n"
            if turn == 0:
                content += f"<p>{link(f'/print{path}', 'For printing')}</p>\n"
            head = f'<meta property="article:published_time" content="{date}T07:00:00Z">\n'
            section = list(quarters)[number // 3]
            pages[path] = design.page(path, title, content, head=head, section=section, date=date)
            if turn == 0:
                canonical = f'<link rel="canonical" href="{addresses.at("news", path)}">\n'
                head, content, path = canonical if number % 2 else "", paragraphs(text), f"/print{path}"
                pages[path] = optional(
                    design.page(path, title, content, head=head, date=date, layout="plain")
                )
        index = design.page(f"/{month}/", f"Archive of {month}", listing(links), layout="index")
        pages[f"/{month}/"] = index
    latest = listing((path, slug(path)) for path in list(pages)[-12:] if path.count("/") == 4)
    months = listing((f"/{month}/", month) for month in MONTHS)
    pages["/archive/"] = design.page("/archive/", "Archive", paragraphs(said["archive"]) + months)
    pages["/"] = design.page("/", "Tidings", paragraphs(said["front"]) + latest, layout="index")
    return DemoHost(name="news", pages=pages, robots="User-agent: *\nDisallow:\n")


def _handbook(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """Half of its chapters are linked, the others are only in the sitemap; one folder is forbidden."""
    said = texts.sections["handbook"]
    titles = {f"/chapter/{slug(title)}": title for title, *_ in said["chapters"]}
    shown = list(titles.items())[: len(titles) // 2]
    parts = {"Coming and going": tuple(shown[:4]), "Staying": tuple(shown[4:])}
    design = Design("Harbour handbook", addresses.menu("Contents"), said["slogan"], parts)
    pages = {
        path: design.page(path, title, paragraphs(text), section=list(parts)[place % 2])
        for place, (path, (title, *text)) in enumerate(zip(titles, said["chapters"], strict=True))
    }
    hidden = [("/private/", "Staff"), ("/private/rota.html", "Rota"), ("/private/notice.html", "Notice")]
    contents = paragraphs(["How to use the harbour."]) + listing([*shown, *hidden])
    pages["/"] = design.page("/", "Contents", contents, layout="index")
    for (path, _), title in zip(hidden, ("Staff only", "Rota", "Notice"), strict=True):
        text = said["notice" if title == "Notice" else "private"]
        pages[path] = design.page(path, title, paragraphs(text), layout="plain")
    robots = (
        "User-agent: *\nDisallow: /private/\nAllow: /private/notice.html\n\n"
        f"Sitemap: {addresses.at('docs', '/sitemap.xml')}\n"
    )
    # A sitemap index of two sitemaps, the second compressed.
    maps = ("/map-1.xml", "/map-2.xml.gz")
    entries = "".join(f"<sitemap><loc>{addresses.at('docs', path)}</loc></sitemap>" for path in maps)
    index = f'{XML}<sitemapindex xmlns="{SITEMAP}">{entries}</sitemapindex>\n'.encode()
    urls = [f"<loc>{addresses.at('docs', path)}</loc><lastmod>2023-06-01</lastmod>" for path in titles]
    lines = [f"<url>{url}</url>\n" for url in urls]
    plain, packed = (
        f'<urlset xmlns="{SITEMAP}">\n{"".join(part)}</urlset>\n'.encode()
        for part in (lines[: len(shown)], lines[len(shown) :])
    )
    pages["/sitemap.xml"] = DemoPage(body=index, type="application/xml", must_store=False)
    pages[maps[0]] = DemoPage(body=plain, type="application/xml", must_store=False)
    packed = gzip.compress(packed, mtime=0)
    pages[maps[1]] = DemoPage(body=packed, type="application/gzip", must_store=False)
    forbidden = frozenset({"/private/", "/private/rota.html"})
    return DemoHost(name="docs", pages=pages, robots=robots, forbidden=forbidden)


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


def _numbered_pages(addresses: Addresses, texts: DemoTexts, name: str, numbers: Iterable[int]) -> DemoHost:
    """A host with numbered pages of one kind, and a home page that links to them."""
    said = texts.sections[name]
    design, kind = Design(said["site"], addresses.menu(said["menu"])), said["kind"]
    pages = {
        f"/{kind}/{n}": design.simple(f"{said['each']} {n}", texts.fill(f"{kind}{n}", *said[kind]))
        for n in numbers
    }
    home = design.simple(said["home"], said["intro"], listing((path, path) for path in pages))
    return DemoHost(name=name, pages={"/": home, **pages})


def _club(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """Pages with noindex, links with nofollow, and a Crawl-delay."""
    races = _numbered_pages(addresses, texts, "club", range(1, 8)).pages
    pages = {path: page for path, page in races.items() if path != "/"}
    design = Design("Sailing club", addresses.menu("Club"))
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


def tide_tables(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """Tables that change: today's every day, the one of station 5 every fifth day."""
    design = Design("Tide tables", addresses.menu("Today"))
    places = texts.sections["words"]["place"]
    stations = {f"/station/{n}": n for n in range(1, STATIONS + 1)}

    def generate(target: str, day: float) -> DemoPage | None:
        if target == "/":
            return table("Today", int(day), listing((path, path) for path in stations))
        if target not in stations:
            return None
        every = stations[target]
        return table(f"Station {every}, {places[every % len(places)]}", int(day) // every)

    def table(title: str, edition: int, more: str = "") -> DemoPage:
        """High water of a week, roughly by the moon."""
        rows = []
        for day in range(edition, edition + 7):
            height = 5.5 + 1.5 * cos(2 * pi * day / 14.77)
            hour, minute = divmod(day * 50 % 745, 60)
            on = FIRST_DAY + dt.timedelta(days=day)
            rows.append(f"{on}: high water {hour:02}:{minute:02}, {height:.1f} metres.")
        return replace(design.simple(title, rows, more), edition=edition)

    pages = {path: page for path in ("/", *stations) if (page := generate(path, 0))}
    return DemoHost(name="tides", pages=pages, generate=generate)


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
    pages = {"/": design.page("/", said["title"], paragraphs(said["intro"]) + contents, layout="index")}
    for part in said["parts"]:
        section, date = part["name"], part["date"]
        more = f"<p>See also: {link(*friend)}</p>\n" if part is said["parts"][-1] else ""
        for path, (title, *text) in zip(paths[section], part["pages"], strict=True):
            content = paragraphs(texts.fill(name + path, *text)) + more
            pages[path] = design.page(path, title, content, section=section, date=date)
        index = paragraphs([part["about"]]) + listing(paths[section].items())
        pages[f"/{section}/"] = design.page(f"/{section}/", section.capitalize(), index, layout="index")
    return DemoHost(name=name, pages=pages)
