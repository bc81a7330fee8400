"""A made-up registry: name servers, the websites they serve, their home pages and where their names lead.

Everything comes from one seed: the frames of the pages, their words, who serves whom. The kinds of business:

- parking services, each with a few frames that customers adapt (blocks, ads, language, sale banner),
  with some ordinary sites of their own; some show only a script, as many do
- hosts (ISPs), whose customers use themes or write by hand, with a share of empty pages
- registrars, whose servers carry parked names and ordinary sites alike, apart only by address or alias
- content networks, where even the addresses are shared
- brands with one site under many names; companies that keep dictionary names for later
- site builders, with a few themes and trial pages
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_SYLLABLES = """ba be bi bo bu ca ce co da de di do fa fe fi fo ga ge go ha he hi ho ja jo ka ke ki ko la le
li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa
we za ze zo ster mark land berg ton field port gard wood house shop net soft tech line star sun blue red"""
SYLLABLES = _SYLLABLES.split()
TLDS = ("com", "net", "org", "de", "it", "fr", "nl", "co.uk", "info", "biz", "se", "pl", "es", "eu", "io")

SALE = (
    "{d} is for sale! Click here to inquire.",
    "The domain {d} is for sale. Make an offer now.",
    "This premium domain may be for sale by its owner.",
    "Buy this domain. The owner of {d} is offering it for an asking price of {n} EUR.",
    "Interested in {d}? Our domain brokers will help you get it.",
    "Get this domain: {d}. Lease to own from {n} USD a month.",
    "Diese Domain steht zum Verkauf! Jetzt Angebot abgeben.",
    "Die Domain {d} können Sie hier kaufen.",
    "Le nom de domaine {d} est à vendre.",
    "Este dominio está en venta. Haga su oferta.",
    "Questo dominio è in vendita.",
    "Deze domeinnaam is te koop: {d}",
    "Domena {d} jest na sprzedaż.",
    "Домен {d} продается.",
    "{d} could be yours today",
)
PARKED = (
    "{d} is parked free, courtesy of our registrar.",
    "This domain has recently been registered with {c}. Please check back later.",
    "This page is parked by {c}.",
    "{d} ist geparkt. Diese Domain wurde bei {c} registriert.",
    "The domain {d} has expired. If you owned it, contact {c} for renewal.",
    "This Web page is parked for FREE, courtesy of {c}",
    "{d} er parkert hos {c}",
    "Welcome to {d}. This is a free parking page.",
)
ADS = (
    "Related Searches",
    "Sponsored Listings",
    "Related Links",
    "Ads",
    "Popular Categories",
    "Weitere Links",
    "Top topics",
    "What are you looking for?",
)
EMPTY = (
    "Welcome to nginx! If you see this page, the web server is successfully installed and working.",
    "Coming soon. Our website is under construction.",
    "Apache2 Default Page. It works!",
    "Hier entsteht eine neue Internetpräsenz.",
    "Default Web Site Page. If you are the owner of this website, please contact your hosting provider {c}.",
    "Site en construction. Revenez bientôt.",
    "Index of / Name Last modified Size Description",
    "This account has been suspended. Contact {c} for more information.",
    "{d} - Coming Soon - Powered by {c}",
    "Future home of something quite cool.",
)
TRUTHS = ("relevant", "parked", "reserved", "empty")


@dataclass(frozen=True, kw_only=True)
class DnsRecords:
    """The DNS records of a domain; all empty if it has none."""

    name_servers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


class Website(NamedTuple):
    """A registered name, what a person would say of its home page, and where it leads."""

    domain: str
    truth: str  # relevant, parked, reserved (kept by a company for later) or empty
    html: bytes
    name_servers: tuple[str, ...]
    address: str
    alias: str  # empty for none
    business: str  # of the provider


@dataclass(frozen=True)
class Frame:
    """The skeleton of a page: nested blocks, some of them optional or repeated."""

    blocks: tuple["Block", ...]


@dataclass(frozen=True)
class Block:
    """A piece of markup with a slot, how often it comes, and how likely it is left out."""

    open: str
    close: str
    slot: str  # words, name, ads, notice, none
    least: int = 1
    most: int = 1
    optional: float = 0.0


WRAPS = (
    "div",
    "section",
    "article",
    "td",
    "main",
    "center",
    "aside",
    "header",
    "footer",
    "nav",
    "span",
    "form",
)
INNER = ("p", "h1", "h2", "h3", "li", "a href=#", "span", "b", "img src=x", "em", "small", "input", "label")


def _wrap(dice: random.Random, depth: int) -> tuple[str, str]:
    names = [dice.choice(WRAPS) for _ in range(depth)]
    opened = "".join(f'<{one} class="c{dice.randrange(99)}">' for one in names)
    return opened, "".join(f"</{one}>" for one in reversed(names))


def frame(dice: random.Random, kinds: tuple[str, ...], size: int) -> Frame:
    """A new frame with these slots somewhere in it."""
    slots = [*kinds, *("words" for _ in range(size))]
    dice.shuffle(slots)
    blocks = []
    for slot in slots:
        opened, closed = _wrap(dice, dice.randint(1, 4))
        inner = dice.choice(INNER)
        most = dice.randint(2, 14) if slot in ("words", "ads") and dice.random() < 0.4 else 1
        least = max(1, round(most * 0.8))
        blocks.append(Block(opened + f"<{inner}>", f"</{inner.split()[0]}>" + closed, slot, least, most))
    return Frame(tuple(blocks))


class Words:
    """Words of one language of its own."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.known = ["".join(dice.choices(SYLLABLES, k=dice.randint(1, 4))) for _ in range(3000)]

    def some(self, count: int) -> str:
        return " ".join(self.dice.choices(self.known, k=count))

    def label(self) -> str:
        dice = self.dice
        return "".join(dice.choices(SYLLABLES, k=dice.randint(2, 5))) + dice.choice(
            ("", "", "", "24", "-online")
        )


class Registry:
    """Makes providers and websites until there are enough."""

    def __init__(self, seed: int, servers: int = 500, websites: int = 50_000) -> None:
        self.dice = random.Random(seed)
        self.words = Words(self.dice)
        self.themes = [self._theme() for _ in range(300)]
        self.servers, self.websites = servers, websites
        self.taken: set[str] = set()
        self.next_address = 0

    def __iter__(self) -> Iterator[Website]:
        """The websites of all providers, provider by provider."""
        kinds = ["host"] * 50 + ["parking"] * 20 + ["registrar"] * 10 + ["network"] * 2 + ["brand"] * 8
        kinds += ["reserve"] * 2 + ["builder"] * 8
        providers = self.servers // 2
        plan = [kinds[self.dice.randrange(len(kinds))] for _ in range(providers)]
        sizes = [min(0.03, 1 / (place + 3)) for place in range(providers)]
        self.dice.shuffle(sizes)
        scale = self.websites / sum(sizes)
        left = self.websites
        for number, (kind, size) in enumerate(zip(plan, sizes, strict=True)):
            count = max(12, round(size * scale)) if number + 1 < providers else left
            count = min(count, left)
            left -= count
            yield from getattr(self, f"_{kind}")(number, count)

    # --- names and addresses ---------------------------------------------------------------------------

    def _domain(self, label: str = "") -> str:
        while True:
            name = f"{label or self.words.label()}.{self.dice.choice(TLDS)}"
            if name not in self.taken:
                self.taken.add(name)
                return name
            label = ""

    def _address(self) -> str:
        self.next_address += 1
        return f"10.{self.next_address >> 16 & 255}.{self.next_address >> 8 & 255}.{self.next_address & 255}"

    def _pair(self, number: int, kind: str) -> tuple[str, ...]:
        label = f"{self.dice.choice(('dns', 'ns', 'srv', 'x'))}{self.words.label().replace('-', '')}{number}"
        return tuple(f"ns{i}.{label}.net" for i in (1, 2)) if kind else ()

    # --- pages -----------------------------------------------------------------------------------------

    def _theme(self) -> Frame:
        return frame(self.dice, (), self.dice.randint(12, 70))

    def _fill(self, made: Frame, domain: str, notices: list[str], words: int, company: str) -> bytes:
        dice, out = self.dice, [f"<!DOCTYPE html><html><head><title>{self._title(domain, notices)}</title>"]
        out += ["<meta charset=utf-8>", "<link rel=stylesheet href=/s.css>" * dice.randint(1, 3)]
        out += ["<script>var a=1</script>" * dice.randint(0, 2), "</head><body>"]
        pending = list(notices)
        for block in made.blocks:
            if block.optional and dice.random() < block.optional:
                continue
            for _ in range(dice.randint(block.least, block.most)):
                out += [block.open, self._slot(block.slot, domain, pending, words, company), block.close]
        return "".join([*out, "</body></html>"]).encode()

    def _title(self, domain: str, notices: list[str]) -> str:
        style = self.dice.random()
        return domain if notices and style < 0.5 else self.words.some(3)

    def _slot(self, slot: str, domain: str, pending: list[str], words: int, company: str) -> str:
        dice = self.dice
        if slot == "name":
            return domain
        if slot == "notice":
            text = pending.pop() if pending else ""
            return text.format(d=domain, n=dice.randrange(100, 9999), c=company)
        if slot == "ads":
            return f"<a href='/search?q={self.words.some(1)}'>{self.words.some(2)}</a>"
        return self.words.some(max(1, round(dice.gauss(words, words / 2))))

    def _ordinary(self, domain: str) -> bytes:
        """A site with something of its own: a theme with its own numbers of things, or written by hand."""
        dice = self.dice
        made = dice.choice(self.themes) if dice.random() < 0.6 else frame(dice, (), dice.randint(6, 90))
        blocks = tuple(
            Block(b.open, b.close, b.slot, 1, max(1, round(b.most * dice.uniform(0.3, 2.5))), 0.15)
            for b in made.blocks
        )
        page = self._fill(Frame(blocks), domain, [], dice.randint(4, 20), "")
        if dice.random() < 0.003:  # some do write about names for sale
            page = page.replace(b"</body>", b"<p>The domain of our club is for sale, ask Tom.</p></body>")
        return page

    def _empty(self, domain: str, company: str, made: Frame, notice: str) -> bytes:
        return self._fill(made, domain, [notice], 3, company)

    def _lander(self, domain: str, company: str, frames: list[tuple[Frame, str, str, str]]) -> bytes:
        """A parked page: one of the service's frames, adapted a little."""
        dice = self.dice
        made, kind, sale, parked = dice.choice(frames)
        if kind == "script":
            key = "".join(dice.choices("abcdef0123456789", k=64))
            return (
                f"<!DOCTYPE html><html><head><title>{domain}</title><script>window.k='{key}'</script></head>"
                f"<body><div id=target></div><script src='//cdn.{company}.net/l.js?d={domain}'></script>"
                f"</body></html>"
            ).encode()
        notices = [sale] if kind == "sale" else [parked] if kind == "parked" else [dice.choice(ADS)]
        notices += [dice.choice(ADS)] if dice.random() < 0.5 else []
        notices += [dice.choice(SALE)] if kind == "ads" and dice.random() < 0.4 else []
        off = dice.choice((0.0, 0.0, 0.03, 0.08))
        blocks = tuple(Block(b.open, b.close, b.slot, b.least, b.most, off) for b in made.blocks)
        return self._fill(Frame(blocks), domain, notices, 2, company)

    def _landers(self) -> list[tuple[Frame, str, str, str]]:
        dice = self.dice
        found = []
        for _ in range(dice.choice((1, 2, 3, 6, 12))):
            kind = dice.choices(("sale", "parked", "ads", "script"), (4, 3, 4, 1.5))[0]
            slots = ("name", "notice", "notice", "notice", *(["ads"] * dice.randint(2, 5)))
            made = frame(dice, slots, dice.randint(2, 8))
            found.append((made, kind, dice.choice(SALE), dice.choice(PARKED)))
        return found

    # --- businesses ------------------------------------------------------------------------------------

    def _host(self, number: int, count: int) -> Iterator[Website]:
        servers, company = self._pair(number, "host"), self.words.label()
        addresses = [self._address() for _ in range(max(1, count // 25))]
        made, notice = frame(self.dice, ("notice",), self.dice.randint(1, 5)), self.dice.choice(EMPTY)
        empty, landers = self.dice.choice((0.02, 0.1, 0.3, 0.55)), self._landers()
        for _ in range(count):
            domain, dice = self._domain(), self.dice.random()
            if dice < empty:
                html, truth = self._empty(domain, company, made, notice), "empty"
            elif dice < empty + 0.01:
                html, truth = self._lander(domain, company, landers), "parked"
            else:
                html, truth = self._ordinary(domain), "relevant"
            yield Website(domain, truth, html, servers, self.dice.choice(addresses), "", "host")

    def _parking(self, number: int, count: int) -> Iterator[Website]:
        servers, company, landers = self._pair(number, "parking"), self.words.label(), self._landers()
        addresses = [self._address() for _ in range(3)]
        own, own_address = self.dice.choice((0, 0, 0, 0.002, 0.02)), self._address()
        for _ in range(count):
            domain = self._domain()
            if self.dice.random() < own:
                yield Website(domain, "relevant", self._ordinary(domain), servers, own_address, "", "parking")
            else:
                page = self._lander(domain, company, landers)
                yield Website(domain, "parked", page, servers, self.dice.choice(addresses), "", "parking")

    def _registrar(self, number: int, count: int) -> Iterator[Website]:
        servers, company, landers = self._pair(number, "registrar"), self.words.label(), self._landers()
        pool, parking = [self._address() for _ in range(max(2, count // 20))], self._address()
        alias = f"park.{company.replace('-', '')}{number}.com" if self.dice.random() < 0.4 else ""
        share = self.dice.uniform(0.15, 0.85)
        for _ in range(count):
            domain = self._domain()
            if self.dice.random() < share:
                page = self._lander(domain, company, landers)
                yield Website(domain, "parked", page, servers, parking, alias, "registrar")
            else:
                address = self.dice.choice(pool)
                yield Website(domain, "relevant", self._ordinary(domain), servers, address, "", "registrar")

    def _network(self, number: int, count: int) -> Iterator[Website]:
        servers, landers = self._pair(number, "network"), self._landers()
        addresses = [self._address() for _ in range(4)]
        for _ in range(count):
            domain, parked = self._domain(), self.dice.random() < 0.2
            html = self._lander(domain, "net", landers) if parked else self._ordinary(domain)
            truth = "parked" if parked else "relevant"
            yield Website(domain, truth, html, servers, self.dice.choice(addresses), "", "network")

    def _brand(self, number: int, count: int) -> Iterator[Website]:
        servers, brand, address = self._pair(number, "brand"), self.words.label() + "corp", self._address()
        made = self._theme()
        offer = self.dice.random() < 0.2  # a dealer whose every site says: for sale
        for _ in range(min(count, 400)):
            ends = ("", "shop", "parts", "care", "online", "-store", str(self.dice.randrange(9999)))
            domain = self._domain(f"{brand}{self.dice.choice(ends)}")
            html = self._fill(made, domain, [], 8, brand)
            if offer:
                html = html.replace(b"</body>", b"<p>Houses and cars for sale. Make an offer!</p></body>")
            yield Website(domain, "relevant", html, servers, address, "", "brand")

    def _reserve(self, number: int, count: int) -> Iterator[Website]:
        servers, company, address = self._pair(number, "reserve"), self.words.label(), self._address()
        made, text = frame(self.dice, ("name",), self.dice.randint(4, 9)), self.words.some(40)
        for _ in range(count):
            domain = self._domain()
            if self.dice.random() < 0.12:
                yield Website(domain, "relevant", self._ordinary(domain), servers, address, "", "reserve")
            else:
                html = self._fill(made, domain, [], 6, company).replace(b"</body>", f"<p>{text}</p>".encode())
                yield Website(domain, "reserved", html, servers, address, "", "reserve")

    def _builder(self, number: int, count: int) -> Iterator[Website]:
        servers, company = self._pair(number, "builder"), self.words.label()
        addresses, themes = [self._address() for _ in range(2)], [self._theme() for _ in range(6)]
        trial = frame(self.dice, ("notice", "name"), 3)
        for _ in range(count):
            domain = self._domain()
            if self.dice.random() < 0.2:
                html, truth = self._empty(domain, company, trial, EMPTY[1]), "empty"
            else:
                html, truth = self._fill(self.dice.choice(themes), domain, [], 8, company), "relevant"
            yield Website(domain, truth, html, servers, self.dice.choice(addresses), "", "builder")
